"""What every dialog has: a frame, a title, and the keys that work in it."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar, TypeVar

from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen

from memtui.tui.bindings import bindings_of
from memtui.tui.commands import BY_ID, shown_key
from memtui.tui.paint import content
from memtui.tui.screens.closed_once import ClosedOnce
from memtui.tui.view.pieces import Piece, line, richest

BORDER_CELLS = 6

Styles = str | PurePath | list[str | PurePath] | None
TRIAL_STYLES: list[str | PurePath] = ["dialog.tcss", "trials.tcss"]
"""The style sheets of a dialog that tries something out."""

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], ClosedOnce[Answer]):
    """A frame in the middle of the screen; esc closes it."""

    CSS_PATH: ClassVar[Styles] = "dialog.tcss"
    BINDINGS = bindings_of("close")

    frame = query_one("#frame", Vertical)
    _commands: tuple[str, ...] = ("close",)

    def label(self, title: str, *commands: str) -> None:
        """Writes the title, and the keys of some commands, into the border."""
        self.frame.border_title = content(line(Piece(title, "strong")))
        self._commands = (*commands, "close")
        self._hint()

    def on_resize(self) -> None:
        """Shows as many keys as the border holds; how to close is always among them."""
        self.call_after_refresh(self._hint)

    def _hint(self) -> None:
        if not self.query("#frame"):  # closed before the screen was drawn again
            return
        hints = [f"{shown_key(BY_ID[name].keys[0])} {BY_ID[name].hint}" for name in self._commands]
        options = [line(" · ".join(hints[start:])) for start in range(len(hints))]
        room = max(0, self.frame.outer_size.width - BORDER_CELLS)
        self.frame.border_subtitle = content(richest(options, room))

    def action_close(self) -> None:
        """Closes the dialog without an answer."""
        self.dismiss(None)
