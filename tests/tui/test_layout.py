"""What is visible at which size, and that nothing is cut."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from tests.tui.driving import board, drive, make_app, screen_text, settle

PANES = ("pool", "hits", "reserve", "manifest", "trace", "inspector")


def visible(pilot: Pilot[Any]) -> set[str]:
    screen = board(pilot)
    return {name for name in PANES if screen.query_one(f"#{name}").display}


@pytest.mark.parametrize("size", [(160, 46), (200, 50), (160, 22), (120, 40), (100, 32)])
def test_all_panes_where_there_is_room(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert visible(pilot) == set(PANES)
        assert not board(pilot).tabs.display

    drive(make_app(), script, size=size)


@pytest.mark.parametrize("size", [(100, 24), (120, 31), (160, 15)])
def test_a_list_and_the_inspector_where_it_is_wide_and_low(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert visible(pilot) == {"pool", "inspector"}
        await pilot.press("escape", "4", "enter")
        assert visible(pilot) == {"manifest", "inspector"}

    drive(make_app(), script, size=size)


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (99, 60), (40, 12), (20, 5)])
def test_one_pane_where_it_is_narrow(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert visible(pilot) == {"pool"}
        await pilot.press("escape", "3")
        assert visible(pilot) == {"reserve"}
        await pilot.press("enter")
        assert visible(pilot) == {"inspector"}

    drive(make_app(), script, size=size)


SIZES = [(20, 5), (40, 12), (60, 15), (80, 24), (100, 24), (120, 40), (160, 46), (200, 50)]


@pytest.mark.parametrize("size", SIZES)
def test_help_and_quit_are_visible_and_every_line_fits(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        rows = screen_text(pilot.app).splitlines()
        assert len(rows) == size[1]
        assert all(cell_len(row) == size[0] for row in rows)
        assert "F1" in rows[-1]
        assert "ctrl+q" in rows[-1]
        await pilot.press("escape")
        await settle(pilot)
        last = screen_text(pilot.app).splitlines()[-1]
        assert "?" in last
        assert " q" in last

    drive(make_app(), script, size=size)


@pytest.mark.parametrize("size", [size for size in SIZES if size[1] >= 12])
def test_no_pane_reaches_below_the_screen(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        for name in visible(pilot):
            region = board(pilot).query_one(f"#{name}").region
            assert region.right <= size[0]
            assert region.bottom <= size[1] - 1

    drive(make_app(), script, size=size)


def test_the_funnel_is_one_line_wide_and_two_lines_narrow() -> None:
    for size, lines in (((160, 46), 1), ((120, 40), 2), ((80, 24), 2), ((60, 15), 2)):

        async def script(pilot: Pilot[Any], lines: int = lines) -> None:
            assert len(board(pilot).funnel.lines) == lines

        drive(make_app(), script, size=size)


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (40, 12)])
@pytest.mark.parametrize("key", ["t", "l", "x", "question_mark"])
def test_every_dialog_fits_and_says_how_to_close_it(size: tuple[int, int], key: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", key)
        await settle(pilot)
        frame = pilot.app.screen.query_one("#frame")
        assert frame.region.x >= 0
        assert frame.region.y >= 0
        assert frame.region.right <= size[0]
        assert frame.region.bottom <= size[1]
        assert "esc close" in screen_text(pilot.app)
        await pilot.press("escape")
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script, size=size)
