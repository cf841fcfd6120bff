"""Exit codes, and errors that are one line."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import Result, assert_one_line, command, memtui, spawn
from tests.helpers import write_memory


def test_a_recall_is_done_even_if_nothing_was_found(small: Path) -> None:
    for query in ("apples", "zebra", "", "  "):
        result = memtui("recall", query, "--project", small)
        assert (result.code, result.stderr) == (0, b"")
        assert "manifest: 3 lines of 3 candidates" in result.out


def test_why_says_no_with_1_and_yes_with_0(small: Path) -> None:
    assert memtui("why", "apples", "apples.md", "--project", small).code == 0
    assert memtui("why", "apples", "pears", "--project", small).code == 1
    assert memtui("why", "apples", "no-such-memory", "--project", small).code == 1
    assert memtui("why", "apples", "no-fence", "--project", small).code == 1


def test_validate_and_trace_say_no_with_1() -> None:
    assert memtui("validate", "--allow", "a,b", stdin=b"[id:a] [id:b]").code == 0
    assert memtui("validate", "--allow", "a", stdin=b"[id:b]").code == 1
    assert memtui("validate", "--allow", "a", stdin=b"(id: b)").code == 0
    assert memtui("validate", "--allow", "a", "--strict", stdin=b"(id: b)").code == 1
    assert memtui("validate", "--trace", "nowhere", stdin=b"[id:a]").code == 1
    unknown = memtui("trace", "show", "nowhere\n\x1b[31m")
    assert unknown.code == 1
    assert_one_line(unknown)


DIGITS = "9" * 5_000
WRONG_USE = [
    ["--limit", "0"],
    ["--limit", "-1"],
    ["--limit", "abc"],
    ["--limit", ""],
    ["--limit", DIGITS],
    ["--now", "nonsense"],
    ["--now", ""],
    ["--now", "\x1b[31m\n"],
    ["--now", "9" * 400],
    ["--now", "-8640000000000001"],
    ["--set", "manifest_bytes"],
    ["--set", "manifest_bytes="],
    ["--set", "manifest_bytes=many"],
    ["--set", "manifest_bytes=-1"],
    ["--set", "manifest_bytes=1.5"],
    ["--set", "manifest_bytes=100000001"],
    ["--set", f"manifest_bytes={DIGITS}"],
    ["--set", "nonsense=1"],
    ["--set", "=1"],
    ["--set", "candidate_docs=3"],
    ["--ablate", "reserve"],
    ["--ablate", "reserve=gone"],
    ["--ablate", "nonsense=1"],
    ["--ranker", "nonsense"],
    ["--dialect", "latin"],
    ["--agent", "nobody"],
    ["--demo", "small"],
    ["--nonsense"],
    ["--json=yes"],
    ["a second argument"],
]


@pytest.mark.parametrize(
    "words", WRONG_USE, ids=lambda words: " ".join(words)[:30].encode().hex()[:12]
)
def test_wrong_use_is_2_and_one_line(small: Path, words: list[str]) -> None:
    result = memtui("recall", "apples", "--project", small, *words)
    assert result.code == 2
    assert_one_line(result)
    assert len(result.err) < 600 + 2 * DIGITS.count("9") * (DIGITS in words)


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["recall"],
        ["why", "apples"],
        ["why", "apples", "b", "c"],
        ["why", "--queries", "nowhere.txt", "apples"],
        ["compare", "apples"],
        ["compare", "apples", "--preset", "nonsense"],
        ["compare", "apples", "--preset", "capped", "--vs", "--limit 3"],
        ["compare", "apples", "--demo", "small", "--vs", "--nonsense"],
        ["compare", "apples", "--demo", "small", "--vs", "'"],
        ["compare", "apples", "--demo", "small", "--vs", "--help"],
        ["compare", "apples", "--demo", "small", "--vs", "--set x=1"],
        ["trace"],
        ["trace", "list", "--limit", "0"],
        ["trace", "list", "--db", "nowhere.db"],
        ["trace", "show"],
        ["validate"],
        ["validate", "--allow", "a", "--trace", "b"],
        ["validate", "--allow", "a", "nowhere.txt"],
        ["validate", "--allow", "a", "."],
        ["recall", "apples", "--demo", "nonsense"],
        ["demo", "nonsense"],
        ["demo", "small", "extra"],
        ["mcp"],
        ["recall", "apples"],
        ["scan", "--db", "nowhere.db"],
        ["--project", "nowhere", "paths"],
        ["--limit", "0", "recall", "apples"],
    ],
    ids=" ".join,
)
def test_every_command_refuses_wrong_use_with_2_and_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = memtui(*words)
    assert result.code == 2
    assert_one_line(result)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["scan"], ["scan", "--all"], ["recall", "apples"]])
def test_without_a_store_what_to_do_stands_before_the_places_looked_at(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    advice, _, places = memtui(*words).err.partition("; looked at ")
    assert "memtui demo" in advice
    assert ".claude" in places
    assert "memtui demo" not in places


@pytest.mark.parametrize("scope", ["project", "user", "team"])
def test_a_typed_root_that_is_not_there_is_2(small: Path, tmp_path: Path, scope: str) -> None:
    others = [] if scope == "project" else ["--project", small]
    for words in (["recall", "apples"], ["scan"], ["why", "apples", "pie"]):
        result = memtui(*words, *others, f"--{scope}", tmp_path / "nowhere")
        assert result.code == 2
        assert_one_line(result)
        assert "nowhere does not exist" in result.err


@pytest.mark.parametrize("words", [["recall", "apples"], ["scan"], ["why", "apples", "pie"]])
def test_a_project_root_that_can_not_be_listed_is_3(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "file").touch()
    result = memtui(*words, "--project", tmp_path / "file")
    assert result.code == 3
    assert_one_line(result)


@pytest.mark.parametrize("scope", ["user", "team"])
def test_another_root_that_can_not_be_listed_is_a_warning(
    small: Path, tmp_path: Path, scope: str
) -> None:
    (tmp_path / "file").touch()
    roots = ["--project", small, f"--{scope}", tmp_path / "file"]
    for words in (["recall", "apples"], ["scan"], ["compare", "apples", "--preset", "prefix"]):
        result = memtui(*words, *roots, "--json")
        assert result.code == 0
        assert result.err.startswith(f"memtui: warning: the {scope} scope could not be read")
        if "pool" in result.json:
            pool = result.json["pool"]
            assert pool["complete"] is False
            assert pool["documents"] == 3
            assert pool["scopes"][1]["status"] == "failed"
    assert memtui("why", "apples", "pie", *roots).err.count("warning") == 1
    shown = memtui("recall", "apples", *roots)
    assert "warning" not in shown.out
    assert shown.err.count("warning") == 1


def test_a_limit_beyond_the_cap_is_clamped_and_says_so(small: Path) -> None:
    result = memtui("recall", "apples", "--project", small, "--limit", "50", "--json")
    assert result.code == 0
    answer = result.json
    assert (answer["requested_limit"], answer["effective_limit"]) == (50, 20)
    assert answer["capped"] is True
    assert "50 results were asked for; a recall gives 20 at most" in result.err
    assert result.err.count("\n") == 1


def test_options_before_a_command_count_as_if_they_stood_behind_it(small: Path) -> None:
    before = memtui("--project", small, "--limit", 1, "--tool", "x", "--json", "recall", "apples")
    assert before.code == 0
    assert (before.json["requested_limit"], before.json["recent_tools"]) == (1, ["x"])
    both = memtui("--project", "nowhere", "--limit", 1, "scan", "--project", small)
    assert both.code == 0


def test_nothing_is_left_behind_by_a_demo_that_there_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, into in (
        ("nonsense", "new"),
        ("small", "file"),
        ("small", "file/new"),
        ("small", "."),
    ):
        result = memtui("demo", name, "--into", tmp_path / into)
        assert result.code == 2
        assert_one_line(result)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_demo_is_laid_out_and_can_be_recalled(tmp_path: Path) -> None:
    laid_out = memtui("demo", "overflow", "--into", tmp_path / "new", "--json").json
    assert set(laid_out) >= {"demo", "project", "user", "team", "now_ms", "queries"}
    roots = ["--project", laid_out["project"], "--now", laid_out["now_ms"]]
    assert memtui("recall", laid_out["queries"][0], *roots).code == 0


@pytest.mark.parametrize("words", [["demo"], ["demo", "broken"], ["--demo", "small"]])
def test_without_a_terminal_the_app_refuses_at_once_with_a_hint(words: list[str]) -> None:
    result = spawn(*words)
    assert result.code == 2
    assert_one_line(result)
    assert "memtui recall" in result.err


def test_ctrl_c_is_130_without_a_traceback(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        command("validate", "--allow", "a", fifo), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with fifo.open("wb"):  # returns when the process has opened it, and then waits for text
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (out, err.strip()) == (b"", b"")


def test_ctrl_c_while_the_commands_are_imported_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("memtui.cli.main.run", interrupted)
    assert memtui("paths") == Result(130, b"", b"")


def test_a_bug_is_one_line_without_the_text_of_a_memory(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret text")

    monkeypatch.setattr("memtui.cli.report.recall_lines", broken)
    result = memtui("recall", "apples", "--project", small)
    assert result.code == 70
    assert "internal error (RuntimeError at" in result.err
    assert "secret" not in result.err
    assert result.err.count("\n") == 1


def test_a_configuration_that_can_not_be_used_is_2(own_environment: Path, small: Path) -> None:
    (own_environment / "config.toml").write_text("limits = { selected_docs = 0 }")
    result = memtui("recall", "apples", "--project", small)
    assert result.code == 2
    assert_one_line(result)
    assert "config.toml" in result.err


def test_an_ambiguous_document_is_2_with_the_matches(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_memory(tmp_path, f"{folder}/same.md", title="apples")
    result = memtui("why", "apples", "same", "--project", tmp_path)
    assert result.code == 2
    assert_one_line(result)
    assert "a/same.md" in result.err
    assert "b/same.md" in result.err
    assert memtui("why", "apples", "a/same.md", "--project", tmp_path).code == 0


def test_a_store_that_can_not_be_written_fails_no_recall(
    small: Path, own_environment: Path
) -> None:
    (own_environment / "state").write_text("a file where a folder should be")
    result = memtui("recall", "apples", "--project", small, "--json")
    assert result.code == 0
    assert result.json["traced"] is False
    assert result.err == "memtui: this recall could not be traced\n"
