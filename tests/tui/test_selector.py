"""Selectors in the app: chosen, asked on enter alone, cancelled, refused, and picked by hand."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.endpoint import Endpoint, Secret
from memtui.recall.options import RecallOptions
from memtui.recall.selection import ANSWER_KEY
from memtui.recall.selectors.endpoint import ModelSelector
from memtui.recall.selectors.given import ManualSelector
from memtui.tui.screens.prompt import PromptScreen
from memtui.tui.screens.selector import SelectorScreen
from memtui.tui.widgets.answer_editor import AnswerEditor
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput
from tests.chat_server import ChatServer, chat_server
from tests.tui.driving import (
    NOW_MS,
    ROOT,
    board,
    drive,
    make_app,
    screen_text,
    settle,
    toasts,
    type_query,
)
from tests.tui.test_hostile import HOSTILE, check

ROLLBACK = f"{ROOT}/rollback.md"
BACKUPS = f"{ROOT}/backups.md"
KEY = "sk-very-secret-key"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.text = answer(BACKUPS)
        yield running


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "MODEL", "API_KEY"):
        monkeypatch.delenv(f"MEMTUI_SELECTOR_{name}", raising=False)


def answer(*paths: str) -> str:
    return json.dumps({ANSWER_KEY: list(paths)})


def with_model(server: ChatServer, **fields: Any) -> RecallOptions:
    endpoint = Endpoint(server.url, "tiny", Secret(KEY))
    return RecallOptions(now_ms=NOW_MS, selector=ModelSelector(endpoint), **fields)


async def until(pilot: Pilot[Any], condition: Any, seconds: float = 10) -> None:
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        await pilot.pause(0.02)
    raise AssertionError("it did not come to that")


async def choose(pilot: Pilot[Any], name: str) -> None:
    await pilot.press("escape", "s")
    await pilot.pause()
    rows = pilot.app.screen.query_one(RowList)
    await pilot.press("g", *["j"] * rows.rows.places[name])


def selected(pilot: Pilot[Any]) -> list[str]:
    return [each.path for each in board(pilot).view.recall.selection.documents]


def test_a_model_that_is_not_configured_says_what_is_missing() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "model")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "not configured: no URL is set" in text
        assert "MEMTUI_SELECTOR_URL" in text
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, SelectorScreen)

    drive(make_app(), script)


def test_a_configured_model_is_named_and_its_key_and_url_are_not(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_SELECTOR_URL", server.url)
    monkeypatch.setenv("MEMTUI_SELECTOR_MODEL", "tiny[/]\x1b[2J")
    monkeypatch.setenv("MEMTUI_SELECTOR_API_KEY", KEY)

    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "model")
        await settle(pilot)
        text = check(pilot)
        assert "tiny[/]␛[2J, with a key" in text
        assert KEY not in text
        assert server.url not in text
        await pilot.press("enter")
        await until(pilot, lambda: selected(pilot) == [BACKUPS])
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        assert "model picked 1 line" in screen_text(pilot.app)
        assert "selects model" in screen_text(pilot.app)

    drive(make_app(), script)


def test_typing_asks_no_model_and_enter_does(server: ChatServer) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "where are the backups")
        assert server.requests == []
        assert "enter asks the model" in screen_text(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.recall.selection.selector == "model")
        assert len(server.requests) == 1
        assert selected(pilot) == [BACKUPS]
        await type_query(pilot, "where are the backups now")
        assert len(server.requests) == 1
        assert board(pilot).view.recall.selection.selector is None

    drive(make_app(options=with_model(server)), script)


def test_enter_right_behind_the_last_key_asks_about_the_whole_query(server: ChatServer) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        board(pilot).query_bar.input.value = "backup"
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.recall.selection.selector == "model")
        assert "Query: backup" in server.requests[0]["messages"][1]["content"]

    drive(make_app(options=with_model(server)), script)


def test_the_early_result_is_shown_while_a_model_thinks_and_esc_stops_it(
    server: ChatServer,
) -> None:
    server.behaviour = "hang"

    async def script(pilot: Pilot[Any]) -> None:
        before = selected(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.provisional)
        await until(pilot, lambda: "model … " in screen_text(pilot.app))
        assert selected(pilot) == before[:2]
        assert "the early result is shown · esc stops it" in screen_text(pilot.app)
        await pilot.press("3", "j", "1")
        assert board(pilot).asking.running
        await pilot.press("escape")
        await until(pilot, lambda: not board(pilot).asking.running)
        await settle(pilot)
        assert selected(pilot) == before
        assert "model: stopped · enter asks again" in screen_text(pilot.app)
        assert board(pilot).view.recall.delivery.outcome == "cancelled"

    drive(make_app(options=with_model(server)), script, size=(160, 45))


def test_a_model_that_takes_too_long_is_refused_with_the_reason(server: ChatServer) -> None:
    server.behaviour = "trickle"
    options = with_model(server)
    limits = options.limits.with_values({"selector_timeout_s": 1})

    async def script(pilot: Pilot[Any]) -> None:
        before = selected(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.recall.selection.refused is not None)
        text = screen_text(pilot.app)
        assert "model refused: timed out: no answer within 1 s" in text
        assert "the heuristic's pick stands" in text
        assert selected(pilot) == before

    drive(make_app(options=with_model(server, limits=limits)), script, size=(160, 45))


@pytest.mark.parametrize(
    ("behaviour", "text", "said"),
    [
        ("status_500", "", "HTTP status: 500"),
        ("status_429", "", "HTTP status: 429"),
        ("answer", "Sure! Here you are: []", "no valid JSON"),
        ("answer", answer(*(f"/{n}.md" for n in range(6))), "too many paths: 6 of at most 5"),
        ("answer", answer("/etc/[/]\x1b[2J"), "unknown path: /etc/[/]␛[2J is not in the manifest"),
        ("close", "", "connection closed"),
        ("huge", "", "too large"),
    ],
)
def test_whatever_a_model_does_wrong_is_said(
    server: ChatServer, behaviour: str, text: str, said: str
) -> None:
    server.behaviour, server.text = behaviour, text

    async def script(pilot: Pilot[Any]) -> None:
        before = selected(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.recall.selection.refused is not None)
        shown = check(pilot)
        assert f"model refused: {said}" in shown
        assert KEY not in shown
        assert selected(pilot) == before

    drive(make_app(options=with_model(server)), script, size=(200, 50))


def test_a_low_screen_says_it_in_the_title(server: ChatServer) -> None:
    server.behaviour = "hang"

    async def script(pilot: Pilot[Any]) -> None:
        title = lambda: screen_text(pilot.app).splitlines()[0]  # noqa: E731
        assert "selects model (on enter)" in title()
        await pilot.press("enter")
        await until(pilot, lambda: "model … " in title())
        await pilot.press("escape")
        await until(pilot, lambda: "model: stopped" in title())
        server.behaviour, server.text = "answer", "no"
        await pilot.press("slash", "enter")
        await until(pilot, lambda: "! model refused: no valid JSON" in title())

    drive(make_app(options=with_model(server)), script, size=(60, 15))


def test_an_answer_to_an_older_question_never_comes_to_the_screen(server: ChatServer) -> None:
    server.behaviour = "hang"
    shown: list[Any] = []

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: server.asked.is_set())
        screen.watch(screen, "view", lambda view: shown.append(view), init=False)
        await type_query(pilot, "friday")
        server.released.set()
        await pilot.pause(0.2)
        await settle(pilot)
        assert {view.recall.query.text for view in shown} == {"friday"}
        assert all(view.recall.selection.selector is None for view in shown)
        assert not screen.asking.running

    drive(make_app(options=with_model(server)), script)


def test_nothing_is_left_behind_when_the_app_ends_while_a_model_thinks(
    server: ChatServer,
) -> None:
    server.behaviour = "hang"
    threads = set(threading.enumerate())
    tasks: list[set[Any]] = []

    async def main() -> None:
        app = make_app(options=with_model(server))
        async with app.run_test(notifications=True, tooltips=True) as pilot:
            await settle(pilot)
            await pilot.press("enter")
            await until(pilot, lambda: server.asked.is_set())
            await pilot.press("q")
        tasks.append({each for each in asyncio.all_tasks() if each is not asyncio.current_task()})

    asyncio.run(main())
    assert tasks == [set()]
    left = {each for each in threading.enumerate() if each not in threads}
    assert not {each for each in left if "process_request" not in each.name}


def test_an_answer_is_pasted_checked_and_used() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "manual")
        await pilot.press("enter")
        editor = pilot.app.screen.query_one(AnswerEditor)
        editor.text = answer(BACKUPS, "/nowhere.md")
        await settle(pilot)
        assert "✗ refused: unknown path: /nowhere.md" in screen_text(pilot.app)
        editor.text = answer(BACKUPS, ROLLBACK)
        await settle(pilot)
        assert "✓ valid: 2 of" in screen_text(pilot.app)
        await pilot.press("f2")
        await until(pilot, lambda: selected(pilot) == [BACKUPS, ROLLBACK])
        assert "manual picked 2 lines" in screen_text(pilot.app)

    drive(make_app(), script)


def test_an_answer_that_is_refused_can_be_used_too_and_says_why() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        before = selected(pilot)
        await choose(pilot, "manual")
        await pilot.press("enter")
        pilot.app.screen.query_one(AnswerEditor).text = "the second one, please"
        await pilot.press("f2")
        await until(pilot, lambda: board(pilot).view.recall.selection.refused is not None)
        assert "manual refused: no valid JSON" in screen_text(pilot.app)
        assert selected(pilot) == before

    drive(make_app(), script)


def test_lines_are_picked_with_space_and_too_many_are_refused() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "4", "g", "space")
        await until(pilot, lambda: board(pilot).view.recall.selection.selector == "manual")
        assert len(selected(pilot)) == 1
        assert screen_text(pilot.app).count("▣") == 1
        await pilot.press("j", "space")
        await until(pilot, lambda: len(selected(pilot)) == 2)
        await pilot.press("space")
        await until(pilot, lambda: len(selected(pilot)) == 1)
        await pilot.press(*["j", "space"] * 5)
        await until(pilot, lambda: board(pilot).view.recall.selection.refused is not None)
        assert "manual refused: too many paths: 6 of at most 5" in screen_text(pilot.app)
        await pilot.press("space")
        await until(pilot, lambda: len(selected(pilot)) == 5)

    drive(make_app(), script)


def test_space_picks_nothing_outside_the_manifest() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "1", "space", "2", "space")
        await settle(pilot)
        assert board(pilot).options.selector is None

    drive(make_app(), script)


def test_a_replay_answers_as_one_types(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({"*": {ANSWER_KEY: ["$project/backups.md"]}}), "utf-8")

    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "replay")
        await pilot.press("enter")
        pilot.app.screen.query_one("#file", SafeInput).value = str(tmp_path / "none.json")
        await pilot.press("enter")
        await settle(pilot)
        assert "No such file or directory" in screen_text(pilot.app)
        pilot.app.screen.query_one("#file", SafeInput).value = str(file)
        await pilot.press("enter")
        await settle(pilot)
        assert selected(pilot) == [BACKUPS]
        await type_query(pilot, "friday")
        assert selected(pilot) == [BACKUPS]
        await choose(pilot, "heuristic")
        await pilot.press("enter")
        await settle(pilot)
        assert selected(pilot) != [BACKUPS]
        assert "selects" not in screen_text(pilot.app).splitlines()[0]

    drive(make_app(), script)


def test_the_prompt_is_shown_and_copied_exactly() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "model")
        await pilot.press("v")
        await settle(pilot)
        assert isinstance(pilot.app.screen, PromptScreen)
        assert "You choose which stored notes" in screen_text(pilot.app)
        await pilot.press("y")
        recall = board(pilot).view.recall
        assert recall.manifest.text in pilot.app.clipboard
        await pilot.press("Y")
        messages = json.loads(pilot.app.clipboard)
        assert [each["role"] for each in messages] == ["system", "user"]
        assert messages[1]["content"].endswith(recall.manifest.text)
        assert any("sent to the clipboard" in said for said in toasts(pilot.app))
        await pilot.press("escape", "escape")
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


def test_where_nobody_is_asked_that_is_said() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "model")
        await pilot.press("v")
        await settle(pilot)
        assert "nobody is asked: the query is blank" in screen_text(pilot.app)

    drive(make_app(query=""), script)


@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24), (60, 15)])
def test_the_dialogs_fit_and_hostile_answers_are_text(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "manual")
        for text in HOSTILE:
            pilot.app.screen.query_one(AnswerEditor).text = json.dumps([text])
            await pilot.pause()
            check(pilot)
            pilot.app.screen.query_one(AnswerEditor).text = text
            await pilot.pause()
            check(pilot)
        frame = pilot.app.screen.query_one("#frame")
        assert frame.region.right <= size[0]
        assert frame.region.bottom <= size[1]
        assert "esc close" in screen_text(pilot.app)

    drive(make_app(), script, size=size)


def test_a_pasted_answer_is_taken_exactly_as_it_is() -> None:
    odd = '["/a\u200b.md",\r\n\t"/b.md"]'

    async def script(pilot: Pilot[Any]) -> None:
        await choose(pilot, "manual")
        await pilot.press("enter")
        pilot.app.screen.query_one(AnswerEditor).text = odd
        await pilot.press("f2")
        await settle(pilot)
        selector = board(pilot).options.selector
        assert isinstance(selector, ManualSelector)
        assert json.loads(selector.text) == ["/a\u200b.md", "/b.md"]

    drive(make_app(), script)
