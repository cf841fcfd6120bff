"""Selectors: a model that misbehaves in every way, answers by hand, answers from a file."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import hashlib
import importlib.util
import json
import pickle
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.cli.main import run
from memtui.config import Config, ConfigError, load_config
from memtui.endpoint import Endpoint, Secret
from memtui.engine import Engine
from memtui.limits import Limits
from memtui.memory.document import Pool, Scope
from memtui.memory.scan import Source
from memtui.recall.options import OptionError, RecallOptions
from memtui.recall.pipeline import Recall, prepare, recall
from memtui.recall.record import recall_record
from memtui.recall.selection import Refusal
from memtui.recall.selectors.base import SelectorRequest, ask, ask_and_wait, selector_prompt
from memtui.recall.selectors.choose import choose_selector
from memtui.recall.selectors.endpoint import ModelSelector
from memtui.recall.selectors.given import ManualSelector, ReplaySelector
from memtui.setup import Setup
from tests.chat_server import ChatServer, chat_server
from tests.helpers import make_document, make_pool, write_memory

KEY = "sk-never-to-be-seen-0123456789"
POOL = make_pool(*(make_document(f"n{n}.md", title=f"Deploy note {n}") for n in range(8)))
PICK = json.dumps({"selected_memories": ["/memory/n3.md"]})
VARIABLES = ("URL", "MODEL", "API_KEY")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(f"MEMTUI_SELECTOR_{name}", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("MEMTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    pytest.importorskip("openai")
    with chat_server() as running:
        yield running


def model(server: ChatServer, key: str = KEY) -> ModelSelector:
    return ModelSelector(Endpoint(server.url, "a-model", Secret(key)))


def asked(selector: Any, pool: Pool = POOL, timeout_s: int = 5, **options: Any) -> Recall:
    limits = Limits(selector_timeout_s=timeout_s)
    return recall("deploy", pool, RecallOptions(selector=selector, limits=limits, **options))


def request_for(query: str = "deploy", tools: tuple[str, ...] = ()) -> SelectorRequest:
    request = prepare(query, POOL, RecallOptions(recent_tools=tools)).request
    assert request is not None
    return request


# A model that behaves


def test_a_model_picks(server: ChatServer) -> None:
    server.text = PICK
    result = asked(model(server))
    assert [each.relative_path for each in result.selection.documents] == ["n3.md"]
    assert result.selection.strategy == "model"
    assert result.selection.selector == "model"


def test_the_endpoint_gets_the_prompt_a_schema_and_temperature_zero(server: ChatServer) -> None:
    server.text = PICK
    asked(model(server), recent_tools=("mcp__jira__search",))
    (sent,) = server.requests
    assert sent["messages"] == selector_prompt(request_for(tools=("mcp__jira__search",)))
    assert sent["model"] == "a-model"
    assert sent["temperature"] == 0
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["selected_memories"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_nothing_of_another_account_in_the_environment_is_sent(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "another-account")
    server.text = PICK
    assert asked(model(server, key="")).selection.strategy == "model"
    assert "another-account" not in json.dumps(server.headers)


@pytest.mark.parametrize("headers", ["X-Mine: another-account", "Authorization: x", "X-Mine: é"])
def test_headers_of_another_account_in_the_environment_are_not_sent(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, headers: str
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", headers)
    server.text = PICK
    assert asked(model(server)).selection.strategy == "model"
    assert "x-mine" not in server.headers[0]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_the_url_may_name_the_whole_path(server: ChatServer) -> None:
    server.text = PICK
    endpoint = Endpoint(f"{server.url}/chat/completions/", "m")
    assert asked(ModelSelector(endpoint)).selection.strategy == "model"


def test_text_that_utf8_has_not_can_be_asked_about(server: ChatServer) -> None:
    server.text = json.dumps(["/memory/caf\ufffd.md"])
    pool = make_pool(make_document("caf\udce9.md", title="Deploy \ud83d"))
    assert asked(model(server), pool).selection.strategy == "model"


# A model that misbehaves


def completion(content: Any) -> str:
    return json.dumps({"choices": [{"message": {"content": content}}]})


SIX = json.dumps({"selected_memories": [f"/memory/n{n}.md" for n in range(6)]})

MISBEHAVIOUR = [
    ("hang", "", "timed-out", "timed out: no answer within 1 s"),
    ("trickle", "", "timed-out", "timed out: no answer within 1 s"),
    ("status_500", "", "http-status", "HTTP status: 500 Internal Server Error"),
    ("status_429", "", "http-status", "HTTP status: 429 Too Many Requests"),
    ("status_401", "", "http-status", "HTTP status: 401 Unauthorized"),
    ("status_599", "", "http-status", "HTTP status: 599"),
    ("redirect", "", "http-status", "HTTP status: 307 Temporary Redirect"),
    ("huge_error", "", "http-status", "HTTP status: 500 Internal Server Error"),
    ("close", "", "connection-closed", "connection closed"),
    ("truncate", "", "connection-closed", "connection closed"),
    ("body", "<html>", "invalid-json", "no valid JSON: the response is not JSON"),
    ("body", "[" * 50_000, "invalid-json", "no valid JSON: the response is not JSON"),
    ("body", '{"choices": []}', "invalid-json", "no chat completion"),
    ("body", "[]", "invalid-json", "no chat completion"),
    ("body", completion(None), "invalid-json", "no valid JSON: the response has no text"),
    ("answer", "{oops", "invalid-json", "no valid JSON: the answer is not JSON alone"),
    ("answer", f"Of course: {PICK}", "invalid-json", "no valid JSON"),
    ("answer", SIX, "too-many-paths", "too many paths: 6 of at most 5"),
    ("answer", '["/memory/no.md"]', "unknown-path", "unknown path: /memory/no.md"),
    ("answer", '["n3.md"]', "unknown-path", "unknown path: n3.md"),
    ("answer", " " * 200_000, "too-large", "too large"),
    ("huge", "", "too-large", "too large: over 1,000,000 bytes"),
]


@pytest.mark.parametrize(
    ("behaviour", "text", "reason", "words"),
    MISBEHAVIOUR,
    ids=[f"{behaviour}-{text[:12]}-{reason}" for behaviour, text, reason, _ in MISBEHAVIOUR],
)
def test_whatever_a_model_does_wrong_is_a_refusal_and_the_heuristic_stands(
    server: ChatServer, behaviour: str, text: str, reason: str, words: str
) -> None:
    server.behaviour, server.text = behaviour, text
    started = time.perf_counter()
    result = asked(model(server), timeout_s=1)
    assert time.perf_counter() - started < 6
    assert result.selection.reason == reason
    assert words in (result.selection.refused or "")
    assert result.selection.strategy == "heuristic"
    assert result.selection.documents == recall("deploy", POOL).selection.documents
    assert len(server.requests) == 1  # never again
    assert_no_key(result)


def test_a_slow_model_within_the_ceiling_is_waited_for(server: ChatServer) -> None:
    server.text, server.delay_s = PICK, 0.3
    assert asked(model(server)).selection.strategy == "model"


def test_duplicate_paths_of_a_model_count_once(server: ChatServer) -> None:
    server.text = json.dumps({"selected_memories": ["/memory/n3.md"] * 9})
    assert len(asked(model(server)).selection.documents) == 1


def test_nobody_at_the_address_is_a_refusal() -> None:
    pytest.importorskip("openai")
    with chat_server() as gone:
        url = gone.url
    found = asked(ModelSelector(Endpoint(url, "m", Secret(KEY))))
    assert found.selection.reason == "connection-closed"
    assert_no_key(found)


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (Endpoint(), "no URL is set"),
        (Endpoint("http://127.0.0.1:1"), "no model is set"),
        (Endpoint("ftp://host/", "m"), "no http or https URL"),
        (Endpoint("http://", "m"), "no http or https URL"),
        (Endpoint("http://[::1", "m"), "no http or https URL"),
        (Endpoint("http://[v1.x]/", "m"), "no http or https URL"),
        (Endpoint("http://host:99999", "m"), "no http or https URL"),
        (Endpoint("http://ho st/", "m"), "no http or https URL"),
        (Endpoint("http://127.0.0.1:1", "m\udcff"), "the name of the model is no valid text"),
        (Endpoint("http://127.0.0.1:1", "m", Secret(f"{KEY}\n")), "a character that no header"),
        (Endpoint("http://127.0.0.1:1", "m", Secret(f"{KEY}é")), "a character that no header"),
    ],
)
def test_an_endpoint_that_can_not_be_asked_is_a_refusal(endpoint: Endpoint, words: str) -> None:
    pytest.importorskip("openai")
    result = asked(ModelSelector(endpoint))
    assert result.selection.reason == "not-configured"
    assert words in (result.selection.refused or "")
    assert_no_key(result)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks://127.0.0.1:1"),
        ("ALL_PROXY", "socks5://127.0.0.1:1"),
        ("SSL_CERT_FILE", "/nonexistent/certificates"),
        ("SSL_CERT_FILE", __file__),
    ],
)
def test_proxies_and_certificates_that_can_not_be_used_are_a_refusal(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv(variable, value)
    result = asked(ModelSelector(Endpoint("https://localhost:1", "m", Secret(KEY))))
    if importlib.util.find_spec("socksio") and value.startswith("socks5"):
        assert result.selection.reason == "connection-closed"
    else:
        assert result.selection.reason == "not-configured"
        assert variable in (result.selection.refused or "")
    assert_no_key(result)


def test_a_key_that_the_answer_repeats_is_not_shown(server: ChatServer) -> None:
    server.text = json.dumps([f"/{KEY}/{'x' * 60}.md"])
    result = asked(model(server))
    assert result.selection.reason == "unknown-path"
    assert f"{KEY[-4:]}/" not in (result.selection.refused or "")
    assert_no_key(result)


def test_a_path_may_hold_what_is_also_the_key(server: ChatServer) -> None:
    server.text = PICK
    assert asked(model(server, key="memory")).selection.strategy == "model"


def test_without_the_extra_the_refusal_tells_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    result = asked(ModelSelector(Endpoint("http://127.0.0.1:1", "m")))
    assert result.selection.reason == "extra-missing"
    assert "memtui[model]" in (result.selection.refused or "")


# Cancelling


def test_cancelling_leaves_no_task_no_thread_and_no_connection(server: ChatServer) -> None:
    server.behaviour = "hang"
    before = set(threading.enumerate())

    async def scene() -> set[asyncio.Task[Any]]:
        asking = asyncio.create_task(ask(model(server), request_for(), 30))
        await asyncio.to_thread(server.asked.wait, 5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return asyncio.all_tasks() - {asyncio.current_task()}

    started = time.perf_counter()
    assert asyncio.run(scene()) == set()
    assert time.perf_counter() - started < 5
    server.released.set()
    wait_until(lambda: set(threading.enumerate()) <= before)


def test_a_resolver_that_hangs_holds_neither_the_loop_nor_its_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    looking, released = threading.Event(), threading.Event()

    def hang(*_arguments: Any, **_named: Any) -> list[Any]:
        looking.set()
        released.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)

    async def scene() -> None:
        selector = ModelSelector(Endpoint("http://endpoint.example", "m"))
        asking = asyncio.create_task(ask(selector, request_for(), 30))
        assert await asyncio.to_thread(looking.wait, 20)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    unhung = threading.Timer(20, released.set)
    unhung.start()
    asyncio.run(scene())  # it waits for its threads
    assert not released.is_set()
    released.set()
    unhung.cancel()
    unhung.join()


def test_where_a_proxy_is_set_it_may_know_the_name(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
    server.text = PICK
    endpoint = Endpoint("http://known-to-the-proxy.invalid/v1", "m")
    assert asked(ModelSelector(endpoint)).selection.strategy == "model"


def test_the_loop_stays_free_while_a_model_is_asked(server: ChatServer) -> None:
    server.text, server.delay_s = PICK, 0.5

    async def scene() -> float:
        await model(server).warm_up()
        asking = asyncio.create_task(ask(model(server), request_for(), 5))
        longest, last = 0.0, time.perf_counter()
        while not asking.done():
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        assert asking.result() == PICK
        return longest

    assert asyncio.run(scene()) < 0.25


def test_a_recall_that_waits_may_be_made_where_a_loop_runs() -> None:
    async def scene() -> Any:
        return ask_and_wait(ManualSelector(PICK), request_for(), 5)

    assert asyncio.run(scene()) == PICK


def wait_until(holds: Any, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


# The key


def assert_no_key(result: Recall) -> None:
    everything = [
        json.dumps(recall_record(result, traced=True)),
        json.dumps(result.trace.as_json()),
        repr(result.options),
        repr(result.selection),
        str(result.warnings),
        json.dumps(dataclasses.asdict(result.options), default=repr),
    ]
    assert KEY not in "\n".join(everything)


def test_the_key_is_shown_by_no_face(
    server: ChatServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    write_memory(tmp_path / "memory", "a.md", title="Deploy")
    monkeypatch.setenv("MEMTUI_SELECTOR_URL", server.url)
    monkeypatch.setenv("MEMTUI_SELECTOR_MODEL", "m")
    monkeypatch.setenv("MEMTUI_SELECTOR_API_KEY", KEY)
    common = ["--project", str(tmp_path / "memory"), "--selector", "model"]
    for behaviour in ("status_401", "close", "answer"):
        server.behaviour = behaviour
        assert run(["recall", "deploy", *common]) == 0
        assert run(["recall", "deploy", "--json", *common]) == 0
    output = b"".join(capfdbinary.readouterr())
    assert b"401 Unauthorized" in output
    assert KEY.encode() not in output
    kept = [path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert kept
    assert not any(KEY.encode() in content for content in kept)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_the_key_in_the_configuration_is_not_shown_either(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[selector]\nurl = "http://u:{KEY}@h/v1"\nmodel = "m"\napi_key = "{KEY}"\n')
    config = load_config(file)
    selector = choose_selector("model", {}, config.selector)
    assert isinstance(selector, ModelSelector)
    assert selector.endpoint.key.reveal() == KEY
    assert KEY not in repr(config) + repr(selector) + str(RecallOptions(selector=selector))
    file.write_text(f'[selector]\napi_key = ["{KEY}"]\n')
    with pytest.raises(ConfigError) as error:
        load_config(file)
    assert KEY not in str(error.value)


def test_a_secret_can_not_be_written() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]}"
    assert copy.deepcopy(secret) == secret
    with pytest.raises(TypeError) as error:
        pickle.dumps(secret)
    assert KEY not in str(error.value)
    assert not Secret()


# Configuration


def test_the_environment_wins_over_the_configuration() -> None:
    environ = {"MEMTUI_SELECTOR_MODEL": "large", "MEMTUI_SELECTOR_URL": ""}
    table = {"url": "http://host/v1", "model": "small", "api_key": "k"}
    selector = choose_selector("model", environ, table)
    assert selector == ModelSelector(Endpoint("http://host/v1", "large", Secret("k")))


def test_a_key_of_the_table_that_is_not_known_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[selector]\nurl = "http://h"\nkey = "x"\n')
    with pytest.raises(ConfigError, match="selector must be a table"):
        load_config(file)
    assert load_config(tmp_path / "none.toml") == Config()


@pytest.mark.parametrize("word", ["", "gpt", "replay", "replay:", "manual", "model:x"])
def test_a_word_that_names_no_selector_is_an_error(word: str) -> None:
    with pytest.raises(OptionError, match=r"heuristic, model, replay:FILE, manual:FILE"):
        choose_selector(word, {}, {})


def test_the_heuristic_is_no_selector() -> None:
    assert choose_selector("heuristic", {}, {}) is None


# Given answers


def replay(tmp_path: Path, content: Any) -> ReplaySelector:
    file = tmp_path / "answers.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return ReplaySelector.from_file(str(file))


@pytest.mark.parametrize(
    "key",
    [
        "deploy",
        hashlib.sha256(b"deploy").hexdigest(),
        hashlib.sha256(request_for().manifest.text.encode()).hexdigest(),
        "*",
    ],
)
def test_a_replay_answers_by_query_by_its_hash_by_manifest_or_always(
    tmp_path: Path, key: str
) -> None:
    selector = replay(tmp_path, {"other": "no", key: {"selected_memories": ["/memory/n3.md"]}})
    result = asked(selector)
    assert [each.relative_path for each in result.selection.documents] == ["n3.md"]
    assert result.selection.selector == "replay"


@pytest.mark.parametrize("fixed", [json.loads(PICK), ["/memory/n3.md"], PICK])
def test_one_answer_is_replayed_to_every_query(tmp_path: Path, fixed: Any) -> None:
    assert asked(replay(tmp_path, fixed)).selection.strategy == "model"


def test_a_text_is_replayed_as_it_stands(tmp_path: Path) -> None:
    assert asked(replay(tmp_path, {"*": f"Sure: {PICK}"})).selection.reason == "invalid-json"


def test_a_replay_without_an_answer_is_a_refusal(tmp_path: Path) -> None:
    assert asked(replay(tmp_path, {"other": []})).selection.reason == "not-configured"


def test_a_replay_finds_a_document_wherever_the_root_lies(tmp_path: Path) -> None:
    write_memory(tmp_path / "one", "sub/a.md", title="Deploy")
    source = Source(Scope.PROJECT, str(tmp_path / "one"), "qwen", True)
    selector = replay(tmp_path, ["$project/sub/a.md"])
    engine = Engine(Setup(sources=(source,), options=RecallOptions(selector=selector)))
    assert engine.recall("deploy").selection.strategy == "model"
    unknown = replay(tmp_path, ["$user/sub/a.md"])
    engine = Engine(Setup(sources=(source,), options=RecallOptions(selector=unknown)))
    assert engine.recall("deploy").selection.reason == "unknown-path"


@pytest.mark.parametrize("content", ["{", "[" * 50_000])
def test_a_replay_that_is_no_json_is_an_error(tmp_path: Path, content: str) -> None:
    file = tmp_path / "answers.json"
    file.write_text(content)
    with pytest.raises(OptionError, match="no valid JSON"):
        choose_selector(f"replay:{file}", {}, {})


@pytest.mark.parametrize("kind", ["replay", "manual"])
def test_a_file_that_can_not_be_read_is_an_error(tmp_path: Path, kind: str) -> None:
    with pytest.raises(OptionError, match="can not be read"):
        choose_selector(f"{kind}:{tmp_path / 'none'}", {}, {})
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(OptionError, match="is not UTF-8"):
        choose_selector(f"{kind}:{tmp_path / 'latin'}", {}, {})


def test_picked_lines_are_validated_like_a_model(tmp_path: Path) -> None:
    assert asked(ManualSelector.of_paths(["/memory/n3.md"])).selection.strategy == "model"
    assert asked(ManualSelector.of_paths(["/no.md"])).selection.reason == "unknown-path"
    (tmp_path / "answer").write_text(PICK)
    assert asked(ManualSelector.from_file(str(tmp_path / "answer"))).selection.answered


def test_only_a_replay_may_be_asked_again_and_again() -> None:
    assert ReplaySelector({}).replayable
    assert not ManualSelector("").replayable
    assert not ModelSelector(Endpoint()).replayable


# The prompt


def test_the_prompt_holds_query_manifest_tools_and_limit() -> None:
    request = request_for("  deploy the thing ", ("jira",))
    system, user = selector_prompt(request)
    assert (system["role"], user["role"]) == ("system", "user")
    assert "at most 5 notes" in system["content"]
    assert "selected_memories" in system["content"]
    assert user["content"] == (
        f"Query: deploy the thing\n\nNotes:\n{request.manifest.text}\n\nTools in use: jira"
    )


def test_a_refusal_may_come_from_the_selector_itself() -> None:
    class Closed(ManualSelector):
        async def answer(self, request: SelectorRequest, /) -> Refusal:
            return Refusal("http-status", "418")

    assert asked(Closed("")).selection.refused == "HTTP status: 418"


# The command line


def test_the_command_line_replays(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    write_memory(tmp_path / "memory", "a.md", title="Deploy")
    write_memory(tmp_path / "memory", "b.md", title="Other")
    (tmp_path / "answers.json").write_text('["$project/b.md"]')
    roots = ["--project", str(tmp_path / "memory"), "--json"]
    selector = ["--selector", f"replay:{tmp_path / 'answers.json'}"]
    assert run(["recall", "deploy", *roots, *selector]) == 0
    record = json.loads(capfdbinary.readouterr().out)
    (picked,) = record["selection"]["ids"]
    assert record["documents"][picked]["relative_path"] == "b.md"
    assert record["selection"]["strategy"] == "model"
    assert record["selection"]["selector"] == "replay"
    assert record["delivery"] is None


def test_the_command_line_refuses_a_selector_that_is_not_there(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run(["recall", "deploy", "--demo", "small", "--selector", "oracle"]) == 2
    assert b"no selector is called 'oracle'" in capfdbinary.readouterr().err


def test_a_model_that_is_not_configured_is_said_and_the_recall_returns(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    write_memory(tmp_path / "memory", "a.md", title="Deploy")
    roots = ["--project", str(tmp_path / "memory")]
    assert run(["recall", "deploy", *roots, "--selector", "model"]) == 0
    assert b"not configured: no URL is set" in capfdbinary.readouterr().err
