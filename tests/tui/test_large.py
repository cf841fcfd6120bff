"""Ten thousand memories: what is drawn does not depend on how many there are."""

from __future__ import annotations

import time
from typing import Any

from textual.pilot import Pilot

from memtui.tui.view.rows import Rows
from memtui.tui.widgets.row_list import RowList
from tests.tui.driving import DAY_MS, NOW_MS, board, document, drive, make_app, pool_of, settle

WORDS = ("release rollback deploy cache keys payment retry queue worker vault staging").split()  # noqa: SIM905


def large_pool(count: int = 10_000) -> Any:
    return pool_of(
        *(
            document(
                f"{number}.md",
                f"{WORDS[number % 11]} {WORDS[number // 11 % 11]} {number}",
                description=" ".join(WORDS[number % 7 :]),
                mtime_ms=NOW_MS - number * DAY_MS / 24,
            )
            for number in range(count)
        )
    )


def test_only_the_rows_on_the_screen_are_formatted() -> None:
    formatted: list[object] = []

    async def script(pilot: Pilot[Any]) -> None:
        rows = board(pilot).pool.list
        assert len(rows.rows) == 10_000
        plain = rows.rows

        def counted(item: object) -> Any:
            formatted.append(item)
            return plain.cells_of(item)

        from dataclasses import replace

        rows.show(replace(rows.view, rows=replace(plain, cells_of=counted)), None)
        await settle(pilot)
        await pilot.press("escape", "G")
        await settle(pilot)
        assert rows.cursor == 9_999
        assert 0 < len(set(formatted)) <= 2 * rows.size.height

    drive(make_app(large_pool()), script, size=(80, 24))


def test_a_keystroke_is_answered_soon() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        started = time.perf_counter()
        screen.query_bar.input.value = "roll back a release"
        before = screen.view
        while screen.view is before:
            await pilot.pause(0.005)
        assert time.perf_counter() - started < 5

    drive(make_app(large_pool(), query=""), script, size=(160, 46))


def test_a_list_works_alone() -> None:
    from textual.app import App, ComposeResult

    from memtui.tui.view.columns import Column
    from memtui.tui.view.pieces import line
    from memtui.tui.view.rows import PaneView

    columns = (Column("name", 4, flexible=True),)
    rows = Rows[object](columns, range(100_000), str, lambda item: (line(f"row {item}"),))

    class Alone(App[None]):
        CSS = "RowList > .row-list--cursor { background: blue; }"

        def compose(self) -> ComposeResult:
            yield RowList()

        def on_mount(self) -> None:
            self.query_one(RowList).show(PaneView((), (), rows), "50000")

    async def script(pilot: Pilot[Any]) -> None:
        rows_widget = pilot.app.query_one(RowList)
        assert rows_widget.cursor == 50_000
        rows_widget.follow("7")
        assert rows_widget.key == "7"
        await pilot.press("G")
        assert rows_widget.cursor == 99_999

    drive(Alone(), script, size=(40, 10))
