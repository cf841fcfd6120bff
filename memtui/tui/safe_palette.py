"""Textual's palettes, safe for whatever is pasted into them."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.command import CommandInput, CommandList, CommandPalette
from textual.theme import ThemeProvider

from memtui.tui.screens.closed_once import ClosedOnce
from memtui.tui.widgets.safe_input import SafeInput

PALETTE_ID = "--command-palette"
"""How Textual tells that the palette is open."""


class SafeCommandInput(CommandInput, SafeInput):
    """The input of a palette; what is pasted into it can be drawn as it is."""


class SafeCommandList(CommandList):
    """The commands of a palette. Textual 8.2 raises where a list has no room to turn a page in."""

    def action_page_up(self) -> None:
        """Moves up one page, if there is any."""
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        """Moves down one page, if there is any."""
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]


class SafePalette(CommandPalette, ClosedOnce[None]):
    """Textual's palette, with an input that holds no control character, and closed only once."""

    def compose(self) -> ComposeResult:
        """The widgets of the palette."""
        for widget in super().compose():
            if isinstance(widget, CommandInput):
                safe = SafeCommandInput(placeholder=widget.placeholder)
                safe.select_on_focus = False
                yield safe
            elif isinstance(widget, CommandList):
                yield SafeCommandList()
            else:
                yield widget


class AppWithPalettes(App[int]):
    """Opens its palettes with an input that can be drawn, whatever is pasted."""

    def action_command_palette(self) -> None:
        """Shows every command that makes sense now."""
        if self.use_command_palette and not CommandPalette.is_open(self):  # type: ignore[arg-type]
            self.push_screen(SafePalette(id=PALETTE_ID))

    def search_themes(self) -> None:
        """Shows every theme."""
        self.push_screen(SafePalette(providers=[ThemeProvider], placeholder="Search for themes…"))
