"""What is pasted into a palette can be drawn as it is."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.text import display_text
from memtui.tui.app import MemtuiApp
from tests.hostile.stage import attack
from tests.tui.driving import drive, make_app, settle


@pytest.mark.parametrize("opened", ["action_command_palette", "search_themes"])
def test_a_paste_into_a_palette_holds_no_control_character(opened: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MemtuiApp)
        getattr(pilot.app, opened)()
        await settle(pilot)
        typed = pilot.app.screen.query_one(Input)
        assert typed.has_focus
        typed.post_message(events.Paste(attack("comm")))
        await settle(pilot)
        assert "comm" in typed.value
        assert display_text(typed.value) == typed.value

    drive(make_app(), script)
