"""Every theme can be read, and no state is told by colour alone."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui.driving import board, drive, make_app, settle

THEMES = [*sorted(App().available_themes), "memtui-dark", "memtui-light"]


def segments(app: App[Any]) -> Any:
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            if segment.text.strip() and segment.style is not None:
                yield segment


@pytest.mark.parametrize("theme", THEMES)
def test_text_differs_from_its_background(theme: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pilot.app.theme = theme
        for keys in (("escape",), ("j", "j"), ("4",), ("l",)):
            await pilot.press(*keys)
            await settle(pilot)
            for segment in segments(pilot.app):
                style = segment.style
                if style.color is not None and style.bgcolor is not None:
                    if style.color.is_default and style.bgcolor.is_default:
                        continue
                    assert style.color != style.bgcolor, segment

    drive(make_app(), script, size=(120, 40))


def test_the_fates_differ_without_colour() -> None:
    from memtui.tui.view.fates import Fate

    assert len({fate.value.glyph for fate in Fate}) == len(Fate)


def test_the_cursor_and_the_focus_differ_without_colour() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        rows = board(pilot).pool.list
        plain = rows.render_line(2).text
        await pilot.press("escape")
        await settle(pilot)
        assert rows.render_line(1).text.startswith("▌")
        assert rows.render_line(2).text == plain
        assert board(pilot).query_one("#hits").list.render_line(1).text.startswith("▏")  # type: ignore[attr-defined]

    drive(make_app(), script)
