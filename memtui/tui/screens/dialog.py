"""What every dialog has: a frame, a title, and the keys that work in it."""

from __future__ import annotations

from typing import TypeVar

from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen

from memtui.tui.bindings import bindings_of
from memtui.tui.commands import BY_ID, shown_key
from memtui.tui.paint import content
from memtui.tui.view.pieces import Piece, line

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """A frame in the middle of the screen; esc closes it."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = bindings_of("close")

    frame = query_one("#frame", Vertical)

    def label(self, title: str, *commands: str) -> None:
        """Writes the title, and the keys of some commands, into the border."""
        self.frame.border_title = content(line(Piece(title, "strong")))
        keys = (BY_ID[name] for name in (*commands, "close"))
        hints = (f"{shown_key(each.keys[0])} {each.hint}" for each in keys)
        self.frame.border_subtitle = content(line(Piece(" · ".join(hints), "muted")))

    def action_close(self) -> None:
        """Closes the dialog without an answer."""
        self.dismiss(None)
