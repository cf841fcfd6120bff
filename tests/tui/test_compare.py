"""The comparison: other designs, and what was before a change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from memtui.recall.why.ladder import REASONS
from memtui.tui.screens.compare import CompareScreen
from memtui.tui.widgets.inspector import Face
from memtui.tui.widgets.row_list import RowList
from tests.tui.driving import (
    HOUR_MS,
    NOW_MS,
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
)

SIZES = [(160, 45), (120, 40), (80, 24), (60, 15)]


def large_scope(oldest: str = "Customs form for Norway") -> Any:
    """251 documents in one scope; the oldest alone has the words asked for."""
    pool = pool_of(
        *(
            document(f"{number}.md", f"Note {number}", mtime_ms=NOW_MS - number * HOUR_MS)
            for number in range(1, 251)
        ),
        document("parcel.md", oldest, mtime_ms=NOW_MS - 9_000 * HOUR_MS),
    )
    return replace(pool, unmanaged=frozenset(each.id for each in pool.documents[200:]))


def norway(**fields: Any) -> Any:
    return make_app(large_scope(), query="customs norway", **fields)


async def open_comparison(pilot: Pilot[Any]) -> CompareScreen:
    await pilot.press("escape", "c")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, CompareScreen)
    return screen


def rows_of(screen: CompareScreen) -> Any:
    return screen.query_one(RowList).rows.items


@pytest.mark.parametrize("size", SIZES)
def test_the_capped_design_is_held_beside_the_real_one(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_comparison(pilot)
        rows = rows_of(screen)
        gained = [row for row in rows if row.sign.text == "+"]
        assert [row.document.title for row in gained] == ["Customs form for Norway"]
        assert gained[0].why == "before: scan: beyond-capped-scan"
        assert any(row.sign.text == "●" for row in rows)
        text = screen_text(pilot.app)
        assert "capped → now" in text
        assert "regime over" in text
        assert "esc close" in text
        assert all(cell_len(row) == size[0] for row in text.splitlines())

    drive(norway(), script, size=size)


def test_each_row_has_its_reason() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_comparison(pilot)
        for _ in screen.sides:
            for row in rows_of(screen):
                assert row.why
                if row.sign.text == "−":
                    stage, _, reason = row.why.partition(": ")
                    assert stage
                    assert reason in REASONS
            await pilot.press("tab")
            await settle(pilot)

    drive(norway(), script)


def test_the_presets_follow_one_another_by_key_and_by_mouse() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_comparison(pilot)
        assert [side.name for side in screen.sides] == ["capped", "appended", "prefix"]
        await pilot.press("tab")
        await settle(pilot)
        assert "[appended]" in screen_text(pilot.app)
        assert "appended → now" in screen_text(pilot.app)
        await pilot.press("shift+tab")
        await settle(pilot)
        assert screen.place == 0
        await pilot.click("#sides", offset=(20, 0))
        await settle(pilot)
        assert screen.sides[screen.place].name == "prefix"

    drive(norway(), script)


def test_enter_jumps_to_the_document() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_comparison(pilot)
        key = screen.query_one(RowList).key
        await pilot.press("enter")
        await settle(pilot)
        main = board(pilot)
        assert pilot.app.screen is main
        assert main.highlighted == key
        assert main.inspector.face is Face.WHY

    drive(norway(), script)


def test_a_changed_limit_is_compared_with_what_was() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        main = board(pilot)
        limits = main.options.limits.with_values({"manifest_bytes": 1_000})
        main.take_options(replace(main.options, limits=limits))
        await settle(pilot)
        screen = await open_comparison(pilot)
        assert screen.sides[0].name == "as started"
        lost = [row for row in rows_of(screen) if row.sign.text == "−"]
        assert lost
        assert {row.why for row in lost} == {"manifest: line-does-not-fit"}
        assert "as started → now" in screen_text(pilot.app)

    drive(norway(), script)


def test_a_what_if_is_compared_with_what_was() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        main = board(pilot)
        main.look_into(main.view.by_fate[-1])
        await settle(pilot)
        await pilot.press("1")
        await settle(pilot)
        assert main.what_ifs
        screen = await open_comparison(pilot)
        assert screen.sides[0].name == "before the what-if"
        key = main.highlighted
        mine = [row for row in rows_of(screen) if row.key == key]
        assert mine
        assert mine[0].why.startswith("before: ")

    drive(norway(), script)


def test_nothing_changed_says_so() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await open_comparison(pilot)
        await pilot.press("tab", "tab")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "the same documents on the same lines" in text

    drive(make_app(pool_of(document("a.md", "One")), query="one"), script, size=(120, 40))


def test_hostile_titles_are_compared_as_text() -> None:
    evil = "[/] [@click=app.quit]x[/] \x1b[2J \u202egnp"

    async def script(pilot: Pilot[Any]) -> None:
        await open_comparison(pilot)
        text = screen_text(pilot.app)
        assert "[/] [@click=app.quit]x" in text
        assert "\x1b" not in text

    drive(make_app(large_scope(evil), query="click app quit"), script, size=(160, 45))
