"""Cases in the app: saved with one key, run in the background, and opened again."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.config import Config
from memtui.evaluate import Case, case_line, read_cases
from memtui.evaluate import run as run_module
from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from memtui.tui.case_files import CaseFileError, append_case, case_of, name_in
from memtui.tui.screens.evaluation import EvaluationScreen
from memtui.tui.screens.save_case import SaveCaseScreen
from memtui.tui.session import remember_case_file, remembered_case_file
from memtui.tui.view.evaluation import progress
from memtui.tui.view.pieces import text_of, width_of
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput
from tests.helpers import write_memory
from tests.tui.driving import (
    NOW_MS,
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
    toasts,
    type_query,
)
from tests.tui.test_hostile import HOSTILE, check, hostile_pool
from tests.tui.test_selector import until


def tree(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    write_memory(root, "rollback.md", title="Release rollback runbook", mtime_ms=NOW_MS - 1)
    write_memory(root, "backups.md", title="Where backups are", mtime_ms=NOW_MS - 2)
    write_memory(root, "tea.md", title="Tea", description="Green tea", mtime_ms=NOW_MS - 3)
    return root


def app_on(root: Path, query: str = "", **options: Any) -> MemtuiApp:
    source = Source(Scope.PROJECT, str(root), "qwen")
    return MemtuiApp(Setup((source,), RecallOptions(now_ms=NOW_MS, **options), query=query))


def case_file(tmp_path: Path, *cases: Case) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(map(case_line, cases)), "utf-8")
    return path


CASES = (
    Case("found", "release rollback", ("rollback.md",)),
    Case("lost", "undo a deployment", ("rollback.md",)),
    Case("silent", "zzzz", ()),
    Case("tool", "backups", ("backups.md",), recent_tools=("mcp__docs__fetch_page",)),
)


async def open_evaluation(pilot: Pilot[Any], path: Path | str) -> EvaluationScreen:
    await pilot.press("escape", "E")
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, EvaluationScreen)
    screen.query_one("#file", SafeInput).focus()
    screen.query_one("#file", SafeInput).value = str(path)
    await pilot.press("enter")
    await settle(pilot)
    return screen


# -- saved ----------------------------------------------------------------------------------------


def test_a_miss_is_saved_with_one_key_once_the_file_is_chosen(tmp_path: Path) -> None:
    root, path = tree(tmp_path), tmp_path / "cases.jsonl"

    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "undo a deployment")
        await pilot.press("escape", "a")
        await settle(pilot)
        assert isinstance(pilot.app.screen, SaveCaseScreen)
        assert "undo a deployment" in screen_text(pilot.app)
        pilot.app.screen.query_one(SafeInput).value = str(path)
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)
        await pilot.press("j", "a")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)
        assert "saved, 2 cases in" in toasts(pilot.app)[-1]
        await pilot.press("a")
        await settle(pilot)
        assert "already in" in toasts(pilot.app)[-1]

    drive(app_on(root), script)
    cases = read_cases(str(path)).cases
    assert [case.id for case in cases] == ["undo-a-deployment", "undo-a-deployment-2"]
    assert [case.relevant for case in cases] == [("rollback.md",), ("backups.md",)]
    assert remembered_case_file() == str(path)
    assert sorted(os.listdir(root)) == ["backups.md", "rollback.md", "tea.md"]


def test_the_pinned_memory_is_the_relevant_one(tmp_path: Path) -> None:
    root, path = tree(tmp_path), tmp_path / "cases.jsonl"
    remember_case_file(path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "g", "p", "j", "a")
        await settle(pilot)
        assert board(pilot).highlighted is not None

    drive(app_on(root, "green tea"), script)
    assert read_cases(str(path)).cases[0].relevant == ("tea.md",)


def test_the_only_row_that_a_filter_leaves_is_the_relevant_one(tmp_path: Path) -> None:
    root, path = tree(tmp_path), tmp_path / "cases.jsonl"
    remember_case_file(path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "f", *"backups")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)

    drive(app_on(root, "green tea"), script)
    assert read_cases(str(path)).cases[0].relevant == ("backups.md",)


def test_nothing_is_written_into_a_store_and_the_reason_is_said(tmp_path: Path) -> None:
    root = tree(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(root)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "A")
        await settle(pilot)
        for folder in (root, link):
            pilot.app.screen.query_one(SafeInput).value = str(folder / "cases.jsonl")
            await pilot.press("enter")
            await settle(pilot)
            assert "memtui never writes in a memory store" in screen_text(pilot.app)
        await pilot.press("escape")
        assert pilot.app.screen is board(pilot)

    drive(app_on(root, "tea"), script)
    assert sorted(os.listdir(root)) == ["backups.md", "rollback.md", "tea.md"]


CASE = Case("", "where is the tea", ("tea.md",))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'[{"id": "a", "query": "b", "relevant": []}]', "is a JSON array"),
        (b"a shopping list\n", "holds no cases: line 1: no JSON"),
        (b'{"id": 1}\n', "holds no cases: line 1"),
        (b"\xff\xfe\n", "holds no cases: line 1: no UTF-8"),
    ],
)
def test_a_file_that_is_something_else_is_left_alone(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    with pytest.raises(CaseFileError, match=said):
        append_case(str(path), CASE, [])
    assert path.read_bytes() == content


def test_what_is_in_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "cases.jsonl"
    assert append_case(str(path), CASE, []).cases == 1
    before = path.read_bytes().rstrip(b"\n")
    path.write_bytes(before)
    assert append_case(str(path), Case("", "x", ("y.md",)), []).case.id == "x"
    assert path.read_bytes().startswith(before + b"\n")
    assert len(read_cases(str(path)).cases) == 2


@pytest.mark.parametrize("typed", ["", " ", "demo", "/", "/dev/null", "a\0b", "\ud800", "x" * 300])
def test_some_paths_are_no_case_files(typed: str) -> None:
    with pytest.raises(CaseFileError):
        append_case(typed, CASE, [])


@pytest.mark.parametrize("query", ["", "?!", "\ud800", "支付回调", "a" * 900, "\x1b[2J [/]"])
def test_any_query_can_be_saved_and_read_again(tmp_path: Path, query: str) -> None:
    saved = append_case(str(tmp_path / "c.jsonl"), Case("", query, ("a.md",)), [])
    (read,) = read_cases(str(saved.path)).cases
    assert read.id == saved.case.id
    assert len(read.id) <= 48
    assert read.query == query


def test_two_memories_of_one_name_are_told_apart_by_their_scope() -> None:
    one, other = document("a.md", "One"), document("a.md", "Other", scope=Scope.USER)
    pool = pool_of(one, other, document("b.md", "B"))
    assert name_in(pool, other) == "user/a.md"
    assert case_of("q", pool.documents[2], pool, "demo:small", ["grep"]).as_json() == {
        "id": "",
        "query": "q",
        "relevant": ["b.md"],
        "pool": "demo:small",
        "recent_tools": ["grep"],
    }


@pytest.mark.parametrize("content", ["", "[]", '{"case_file": 7}', "\x00", "[" * 100_000])
def test_what_was_remembered_may_be_broken(content: str) -> None:
    path = Path(os.environ["MEMTUI_STATE"]) / "app.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    assert remembered_case_file() == ""


# -- run ------------------------------------------------------------------------------------------


def test_a_case_file_is_run_and_the_worst_case_stands_first(tmp_path: Path) -> None:
    root, path = tree(tmp_path), case_file(tmp_path, *CASES)

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_evaluation(pilot, path)
        text = screen_text(pilot.app)
        assert "lexical: 4 cases · 1 miss" in text
        assert "selection:no-lexical-hit" in text
        cases = screen.query_one("#cases", RowList)
        assert cases.rows.key(0) == "1"
        assert "lost · rollback.md ✗ selection:no-lexical-hit" in text

    drive(app_on(root), script)


def test_a_verdict_narrows_the_cases_and_esc_takes_it_away(tmp_path: Path) -> None:
    root, path = tree(tmp_path), case_file(tmp_path, *CASES)

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_evaluation(pilot, path)
        screen.query_one("#waterfall", RowList).focus()
        await pilot.press("g", "enter")
        await settle(pilot)
        cases = screen.query_one("#cases", RowList)
        assert {cases.rows.key(place) for place in range(len(cases.rows))} == {"0", "3"}
        await pilot.press("escape")
        await settle(pilot)
        assert len(cases.rows) == 4
        await pilot.press("escape")
        assert pilot.app.screen is board(pilot)

    drive(app_on(root), script)


def test_a_verdict_that_is_chosen_as_the_focus_leaves_it_is_still_a_verdict(tmp_path: Path) -> None:
    root, path = tree(tmp_path), case_file(tmp_path, *CASES)

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_evaluation(pilot, path)
        verdicts, cases = (screen.query_one(name, RowList) for name in ("#waterfall", "#cases"))
        cases.focus()
        await settle(pilot)
        verdicts.post_message(RowList.Chosen(verdicts.rows.key(0)))
        await settle(pilot)
        assert pilot.app.screen is screen
        assert len(cases.rows) == 2

    drive(app_on(root), script)


def test_a_case_opens_in_the_main_screen_with_its_memory_highlighted(tmp_path: Path) -> None:
    root, path = tree(tmp_path), case_file(tmp_path, *CASES)

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_evaluation(pilot, path)
        rows = screen.query_one("#cases", RowList)
        await pilot.press("g", "enter")
        await settle(pilot)
        main = board(pilot)
        assert pilot.app.screen is main
        assert main.query_bar.input.value == "undo a deployment"
        assert main.view.recall.query.text == "undo a deployment"
        assert main.view.entry(main.highlighted).relative_path == "rollback.md"
        await pilot.press("E")
        await settle(pilot)
        assert "lexical: 4 cases · 1 miss" in screen_text(pilot.app)
        rows = pilot.app.screen.query_one("#cases", RowList)
        await pilot.press("g", *["j"] * rows.rows.places["3"], "enter")
        await settle(pilot)
        assert main.view.recall.query.text == "backups"
        assert main.options.recent_tools == ("mcp__docs__fetch_page",)

    drive(app_on(root, "tea"), script)


@pytest.mark.parametrize("demo", [True, False])
def test_a_case_of_another_pool_opens_that_pool(tmp_path: Path, demo: bool) -> None:
    root = tree(tmp_path)
    other = tmp_path / "other"
    write_memory(other, "deep/milk.md", title="Oat milk", mtime_ms=NOW_MS)
    case = Case("x", "oat milk", ("deep/milk.md",), pool="other")
    if demo:
        case = Case("x", "roll back a release", ("rollback-runbook.md",), pool="demo:small")
        names = read_cases("demo").cases
        case = next(each for each in names if each.pool == "demo:small" and each.relevant)
    path = case_file(tmp_path, case, Case("home", "tea", ("tea.md",)))

    async def script(pilot: Pilot[Any]) -> None:
        before = board(pilot)
        screen = await open_evaluation(pilot, path)
        first = screen.query_one("#cases", RowList).rows.places["0"]
        await pilot.press("g", *["j"] * first, "enter")
        await until(pilot, lambda: board(pilot) is not before and board(pilot).view is not None)
        await settle(pilot)
        main = board(pilot)
        assert main.view.recall.query.text == case.query
        entry = main.view.entry(main.highlighted)
        assert entry.relative_path in {name.partition("/")[2] for name in case.relevant} | set(
            case.relevant
        )
        await pilot.press("escape", "E")
        await settle(pilot)
        assert "2 cases" in screen_text(pilot.app)
        await pilot.press("r")
        await settle(pilot)
        assert "2 cases" in screen_text(pilot.app)
        rows = pilot.app.screen.query_one("#cases", RowList)
        await pilot.press("g", *["j"] * rows.rows.places["1"], "enter")
        await until(pilot, lambda: board(pilot) is not main and board(pilot).view is not None)
        await settle(pilot)
        assert board(pilot).setup.sources == before.setup.sources
        assert board(pilot).view.recall.query.text == "tea"
        assert board(pilot).view.entry(board(pilot).highlighted).relative_path == "tea.md"

    drive(app_on(root, "tea"), script)


def test_a_run_shows_how_far_it_is_and_esc_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree(tmp_path)
    path = case_file(tmp_path, *(Case(f"c{n}", "release", ("rollback.md",)) for n in range(50)))
    gate, real = threading.Event(), run_module.run_case
    done: list[str] = []

    def slow(case: Case, *others: Any) -> Any:
        done.append(case.id)
        if len(done) > 10:
            gate.wait(20)
        return real(case, *others)

    monkeypatch.setattr("memtui.evaluate.run.run_case", slow)
    monkeypatch.setattr("memtui.tui.evaluating.TELL_MS", 0.0)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "E")
        screen = pilot.app.screen
        screen.query_one("#file", SafeInput).value = str(path)
        await pilot.press("enter")
        await until(pilot, lambda: "10 of 50 cases · esc stops" in screen_text(pilot.app))
        await pilot.press("escape")
        assert pilot.app.screen is screen
        gate.set()
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "stopped after 1" in text
        assert "of 50" in text
        assert len(done) <= 12
        await pilot.press("escape")
        assert pilot.app.screen is board(pilot)

    drive(app_on(root), script)


def test_closing_the_app_ends_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(tmp_path)
    path = case_file(tmp_path, *(Case(f"c{n}", "release", ("rollback.md",)) for n in range(500)))
    done: list[str] = []
    real = run_module.run_case

    def counted(case: Case, *others: Any) -> Any:
        done.append(case.id)
        threading.Event().wait(0.01)
        return real(case, *others)

    monkeypatch.setattr("memtui.evaluate.run.run_case", counted)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "E")
        pilot.app.screen.query_one("#file", SafeInput).value = str(path)
        await pilot.press("enter")
        await until(pilot, lambda: len(done) > 3)

    drive(app_on(root), script)
    assert len(done) < 500


def test_every_problem_of_a_case_file_is_listed_and_none_is_run(tmp_path: Path) -> None:
    root = tree(tmp_path)
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "query": "b", "relevant": []}\nnonsense\n{"id": 3}\n', "utf-8")

    async def script(pilot: Pilot[Any]) -> None:
        await open_evaluation(pilot, path)
        text = screen_text(pilot.app)
        assert "problems with the cases; none was run" in text
        assert "line 2: no JSON" in text
        assert "line 3: query is missing" in text
        await open_evaluation_again(pilot, tmp_path / "none.jsonl")
        assert "can not be read" in screen_text(pilot.app)

    async def open_evaluation_again(pilot: Pilot[Any], other: Path) -> None:
        pilot.app.screen.query_one("#file", SafeInput).focus()
        pilot.app.screen.query_one("#file", SafeInput).value = str(other)
        await pilot.press("enter")
        await settle(pilot)

    drive(app_on(root), script, size=(200, 50))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names there")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def script(pilot: Pilot[Any]) -> None:
        await open_evaluation(pilot, pipe)
        assert "it is no regular file" in screen_text(pilot.app)

    drive(app_on(tree(tmp_path)), script)


def test_a_case_opens_as_it_was_evaluated_by_the_configured_dialect(
    tmp_path: Path, own_environment: Path
) -> None:
    root, other = tree(tmp_path), tmp_path / "other"
    write_memory(other, "apple.md", title="Apple")
    (other / "nested.md").write_text("---\nmetadata:\n  type: user\n---\nx", "utf-8")
    path = case_file(tmp_path, Case("a", "apple", ("apple.md",), pool="other"))
    app = app_on(root)
    app._session.config = Config(dialect="qwen")

    async def script(pilot: Pilot[Any]) -> None:
        await open_evaluation(pilot, path)
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view is not None)
        await settle(pilot)
        view = board(pilot).view
        assert view is not None
        assert [report.dialect for report in view.scanned.scopes] == ["qwen"]
        assert [each.relative_path for each in view.scanned.skipped] == ["nested.md"]

    drive(app, script)


def test_a_memory_that_is_not_there_is_a_problem_of_its_case(tmp_path: Path) -> None:
    root, path = tree(tmp_path), case_file(tmp_path, Case("a", "b", ("gone.md",)))

    async def script(pilot: Pilot[Any]) -> None:
        await open_evaluation(pilot, path)
        assert "case a: gone.md is no memory" in screen_text(pilot.app)

    drive(app_on(root), script)


def test_the_options_of_the_main_screen_are_those_of_the_run(tmp_path: Path) -> None:
    root, path = tree(tmp_path), case_file(tmp_path, *CASES)

    async def script(pilot: Pilot[Any]) -> None:
        board(pilot).action_rank_by("fuzzy")
        await settle(pilot)
        await open_evaluation(pilot, path)
        assert "fuzzy: 4 cases" in screen_text(pilot.app)

    drive(app_on(root), script)


@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24), (60, 15)])
def test_it_fits_and_hostile_cases_are_text(tmp_path: Path, size: tuple[int, int]) -> None:
    root = tree(tmp_path)
    cases = [
        Case(f"{n} {text[:300]}\t", text[:9_000] + " release", ("rollback.md",), category=text[:50])
        for n, text in enumerate(HOSTILE)
    ]
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"".join(json.dumps(case.as_json()).encode() + b"\n" for case in cases))

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_evaluation(pilot, path)
        for _ in range(len(cases)):
            await pilot.press("j")
            check(pilot)
        frame = screen.query_one("#frame")
        assert frame.region.right <= size[0]
        assert frame.region.bottom <= size[1]
        assert "esc close" in screen_text(pilot.app)
        assert screen.query_one("#cases").region.height >= 3
        await pilot.press("G", "enter")
        await settle(pilot)
        check(pilot)

    drive(app_on(root), script, size=size)


@pytest.mark.parametrize("size", [(160, 45), (60, 15)])
def test_saving_shows_hostile_text_as_text(tmp_path: Path, size: tuple[int, int]) -> None:
    remember_case_file(tmp_path / "c.jsonl")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "g")
        for _ in range(12):
            await pilot.press("A")
            await settle(pilot)
            check(pilot)
            await pilot.press("enter")
            await settle(pilot)
            check(pilot)
            await pilot.press("j")

    drive(make_app(hostile_pool(), "release [/] [TODO]"), script, size=size)
    assert len(read_cases(str(tmp_path / "c.jsonl")).cases) >= 10


@pytest.mark.parametrize("width", [20, 60, 100, 200])
def test_how_far_a_run_is_fits(width: int) -> None:
    assert width_of(progress(10, 1_531, width)) <= max(width, 40)
    assert "reading the cases" in text_of(progress(0, 0, width))
