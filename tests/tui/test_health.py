"""Findings in the pool and in the inspector, and what each dialect reads."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot

from memtui.memory.document import Scope
from memtui.memory.health import FINDINGS
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.tui import checkups
from memtui.tui.app import MemtuiApp
from memtui.tui.commands import BY_ID
from memtui.tui.messages import HealthReady
from memtui.tui.view.health import LOST, MARKS, health_of
from memtui.tui.view.pieces import text_of
from memtui.tui.widgets.inspector import Face
from tests.helpers import DAY_MS, NOW_MS, write_file, write_memory
from tests.tui.driving import (
    board,
    document,
    drive,
    make_app,
    opened,
    pool_of,
    screen_text,
    settle,
)
from tests.tui.trees import HOSTILE, app_on, highlight, pool_paths, unhealthy_tree, write_database


def row_marks(pilot: Pilot[Any]) -> dict[str, str]:
    """The mark of every row of the pool, by its file."""
    rows = board(pilot).pool.list.rows
    paths = pool_paths(pilot)
    return {path: text_of(rows.cells(index)[1]) for index, path in enumerate(paths)}


def memory_face(pilot: Pilot[Any]) -> str:
    """What the inspector says about the memory itself."""
    inspector = board(pilot).inspector
    inspector.turn(Face.MEMORY)
    return str(inspector.text)


def test_findings_are_marked_and_counted_in_the_pool(tmp_path: Path) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        assert row_marks(pilot) == {
            "fine.md": "",
            "bare.md": "~",
            "colon.md": "!",
            "plain.md": "",
            "nested.md": "",
        }
        assert "! 2 with findings" in screen_text(pilot.app)

    drive(app_on(tmp_path), script)


def test_a_healthy_pool_has_no_column_for_marks(tmp_path: Path) -> None:
    write_memory(tmp_path, "fine.md", title="All is well", description="fine", body="a body")

    async def script(pilot: Pilot[Any]) -> None:
        assert len(board(pilot).pool.list.rows.columns) == 7
        assert "finding" not in screen_text(pilot.app)

    drive(app_on(tmp_path), script)


def test_h_lists_findings_then_skipped_files_then_all_and_esc_goes_back(tmp_path: Path) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "h")
        assert sorted(pool_paths(pilot)) == ["bare.md", "colon.md"]
        assert "1 pool 2 of 5 with findings" in screen_text(pilot.app)
        await pilot.press("h")
        assert sorted(pool_paths(pilot)) == ["nested.md", "plain.md"]
        await pilot.press("h")
        assert len(pool_paths(pilot)) == 5
        await pilot.press("h", "escape")
        assert len(pool_paths(pilot)) == 5

    drive(app_on(tmp_path), script)


def test_the_typed_filter_and_the_findings_narrow_together(tmp_path: Path) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "h", "f", *"retry")
        await settle(pilot)
        assert pool_paths(pilot) == ["colon.md"]
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert len(pool_paths(pilot)) == 2

    drive(app_on(tmp_path), script)


def test_where_nothing_is_wrong_the_filter_says_so(tmp_path: Path) -> None:
    write_memory(tmp_path, "fine.md", title="All is well", description="fine", body="a body")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "h")
        assert "no memory has a finding" in screen_text(pilot.app)
        await pilot.press("h")
        assert "no file was skipped" in screen_text(pilot.app)

    drive(app_on(tmp_path), script)


def test_the_inspector_lists_findings_with_remedies(tmp_path: Path) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "colon.md")
        said = memory_face(pilot)
        assert "1 finding" in said
        assert "! yaml-invalid" in said
        assert "▸ put quotes around the value" in said
        assert "qwen and claude read the same" in said
        await highlight(pilot, "fine.md")
        assert "finding" not in memory_face(pilot)

    drive(app_on(tmp_path), script)


@pytest.mark.parametrize("size", [(160, 45), (60, 15)], ids=["wide", "narrow"])
def test_what_each_dialect_reads_of_a_skipped_file(tmp_path: Path, size: tuple[int, int]) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "nested.md")
        await pilot.press("escape", "z")
        board(pilot).inspector.turn(Face.MEMORY)
        board(pilot).focus_pane("inspector")
        await settle(pilot)
        said = memory_face(pilot)
        assert "✗ type-nested" in said
        assert "feedback" in said
        assert "Nested type" in said
        columns = [row for row in said.splitlines() if "qwen" in row and "claude" in row]
        assert bool(columns) is (size[0] == 160)

    drive(app_on(tmp_path), script, size=size)


def test_a_file_that_is_not_opened_is_read_by_no_dialect(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    (tmp_path / "away.md").symlink_to("/etc/passwd")

    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "away.md")
        said = memory_face(pilot)
        assert "outside-root" in said
        assert "nothing: the file is not opened" in said

    drive(app_on(tmp_path), script)


def test_a_row_of_a_database_is_no_file(tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    write_database(database)
    options = RecallOptions(now_ms=NOW_MS)
    app = MemtuiApp(Setup(databases=(str(database),), options=options, name="rows"))

    async def script(pilot: Pilot[Any]) -> None:
        assert board(pilot).view is not None
        assert "Rollback" in screen_text(pilot.app)
        assert "what each dialect reads" not in memory_face(pilot)

    drive(app, script)


def test_what_is_recallable_but_not_managed_is_marked() -> None:
    documents = [document(f"{number}.md", f"Note {number}", description="d") for number in range(3)]
    pool = pool_of(*documents)
    pool = type(pool)(
        documents=pool.documents, scopes=pool.scopes, unmanaged=frozenset({documents[2].id})
    )

    async def script(pilot: Pilot[Any]) -> None:
        assert row_marks(pilot) == {"0.md": "", "1.md": "", "2.md": "□"}
        assert "□ 1 not managed" in screen_text(pilot.app)
        await highlight(pilot, "2.md")
        assert "recallable but not managed" in memory_face(pilot)
        assert "□ not-managed" in memory_face(pilot)

    drive(make_app(pool, query=""), script, size=(120, 20))


def test_a_memory_whose_only_trouble_is_that_it_is_not_managed(tmp_path: Path) -> None:
    for number in range(3):
        write_memory(
            tmp_path,
            f"{number}.md",
            title=f"Note {'abc'[number]}",
            description=("cats", "harbour", "violin")[number],
            mtime_ms=NOW_MS - number * DAY_MS,
        )

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        limits = screen.options.limits.with_values({"capped_scan_docs": 2})
        screen.take_options(replace(screen.options, limits=limits))
        await settle(pilot)
        assert row_marks(pilot) == {"0.md": "", "1.md": "", "2.md": "□"}

    drive(app_on(tmp_path), script)


def test_the_ladder_says_that_there_are_findings(tmp_path: Path) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "colon.md")
        inspector = board(pilot).inspector
        assert Content.from_markup(inspector.border_title).plain.startswith("◐ ! Retry")
        subtitle = Content.from_markup(inspector.border_subtitle).plain
        assert subtitle.startswith("1 finding: w")

    drive(app_on(tmp_path), script)


def test_hostile_findings_are_shown_as_text(tmp_path: Path) -> None:
    text = f"---\nname: {HOSTILE}\ndescription: {HOSTILE} # {HOSTILE}\ntype: project\n---\n\nb\n"
    write_file(tmp_path, "odd [/] name.md", text.encode())
    write_file(tmp_path, "skip [/]\x1b[2J.md", HOSTILE.encode())

    async def script(pilot: Pilot[Any]) -> None:
        for name in ("odd [/] name.md", "skip [/]\x1b[2J.md"):
            await highlight(pilot, name)
            memory_face(pilot)
            await settle(pilot)
            text = screen_text(pilot.app)
            assert "\x1b" not in text and "‮" not in text
            assert "control-characters" in text or "✗" in text

    drive(app_on(tmp_path), script, size=(160, 45))


def test_findings_never_delay_the_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unhealthy_tree(tmp_path)
    gate = threading.Event()
    find = checkups.find_problems

    def slow(*arguments: Any) -> Any:
        gate.wait(20)
        return find(*arguments)

    monkeypatch.setattr(checkups, "find_problems", slow)

    async def main(pilot: Pilot[Any]) -> None:
        screen = await opened(pilot)
        while screen.view is None:
            await pilot.pause(0.01)
        screen.query_bar.input.value = "retry"
        while screen.view.recall.query.text != "retry":
            await pilot.pause(0.01)
        while health_of(screen.view) is None:
            await pilot.pause(0.01)
        assert "still being looked for" in memory_face(pilot)
        await pilot.press("escape", "h")
        assert "findings are still being looked for" in screen_text(pilot.app)
        gate.set()
        await settle(pilot)
        assert sorted(pool_paths(pilot)) == ["bare.md", "colon.md"]

    async def run() -> None:
        app = app_on(tmp_path)
        async with app.run_test(size=(120, 40), notifications=True, tooltips=True) as pilot:
            await main(pilot)

    asyncio.run(run())


def test_findings_of_an_older_scan_are_never_shown(tmp_path: Path) -> None:
    unhealthy_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        old = screen.view
        write_memory(tmp_path, "bare.md", title="Now", description="said", mtime_ms=NOW_MS - 1)
        await pilot.press("escape", "r")
        await settle(pilot)
        screen.post_message(HealthReady(old.scanned, health_of(old)))
        await settle(pilot)
        assert row_marks(pilot)["bare.md"] == ""

    drive(app_on(tmp_path), script)


def test_other_limits_are_other_findings(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="Alpha", description="d", body="word " * 100)

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        assert health_of(screen.view).documents == 0
        limits = screen.options.limits.with_values({"body_window_chars": 100})
        screen.take_options(replace(screen.options, limits=limits))
        await settle(pilot)
        assert "body-beyond-window" in memory_face(pilot)

    drive(app_on(tmp_path), script)


def test_ages_as_after_a_checkout_are_said_and_switched(tmp_path: Path) -> None:
    for number in range(1, 7):
        text = (
            f"---\nname: N{number}\ndescription: d\ntype: user\nmodified: 2025-0{number}-01\n---\n"
        )
        write_file(tmp_path, f"n{number}.md", text.encode(), NOW_MS - DAY_MS + number)

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        assert "ages as after a checkout: m" in screen_text(pilot.app).splitlines()[0]
        assert screen.view.scanned.documents[0].mtime_ms == pytest.approx(NOW_MS - DAY_MS + 6)
        await pilot.press("escape", "m")
        await settle(pilot)
        assert [each.relative_path for each in screen.view.scanned.documents] == [
            f"n{number}.md" for number in range(6, 0, -1)
        ]
        assert "ages from modified:" in screen_text(pilot.app).splitlines()[0]
        assert screen.setup.source_of(Scope.PROJECT).recency == "modified"
        assert not screen.watcher.check()
        assert "another one" not in memory_face(pilot)
        await pilot.press("m")
        await settle(pilot)
        assert screen.view.scanned.documents[0].mtime_ms == pytest.approx(NOW_MS - DAY_MS + 6)

    drive(app_on(tmp_path), script)


def test_the_marks_are_explained_in_the_help(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    assert {piece.text for piece, _, _ in MARKS} == {"!", "~", "□"}
    assert set(FINDINGS) > LOST
    assert BY_ID["health"].keys == ("h",)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "question_mark", "G")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "What is wrong with a memory" in text
        for _, word, _ in MARKS:
            assert word in text

    drive(app_on(tmp_path), script, size=(120, 60))
