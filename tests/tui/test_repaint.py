"""Only what has changed is drawn: the screen is always what drawing all of it would give."""

from __future__ import annotations

import random
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import board, drive, make_app, screen_text, settle

KEYS = (
    *"jkGgSz12345wFhu",
    "tab",
    "shift+tab",
    "ctrl+d",
    "ctrl+u",
    "enter",
    "escape",
    "p",
)
QUERIES = ("", "roll", "roll back", "release on friday", "backups", "note number 12", "zzz", "回调")
SIZES = ((60, 15), (80, 24), (120, 40), (160, 45), (200, 50))


async def drawn_anew(pilot: Pilot[Any]) -> str:
    """The screen after every widget of it was drawn once more."""
    for widget in pilot.app.screen.walk_children(with_self=True):
        widget.notify_style_update()
        widget.refresh()
    await settle(pilot)
    return screen_text(pilot.app)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_on_the_screen_is_what_drawing_all_of_it_gives(seed: int) -> None:
    chance = random.Random(seed)

    async def script(pilot: Pilot[Any]) -> None:
        for _ in range(14):
            act = chance.randrange(8)
            if act == 0:
                await pilot.resize_terminal(*chance.choice(SIZES))
            elif act < 3:
                board(pilot).query_bar.input.value = chance.choice(QUERIES)
            else:
                await pilot.press("escape", chance.choice(KEYS))
            await settle(pilot)
            before = screen_text(pilot.app)
            assert before == await drawn_anew(pilot)
            if pilot.app.screen is not board(pilot):
                await pilot.press("escape")

    drive(make_app(), script, size=SIZES[seed % len(SIZES)])
