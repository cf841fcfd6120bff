"""The help: every key, those that work here and now first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from memtui.tui.bindings import bindings_of
from memtui.tui.commands import Context
from memtui.tui.paint import paragraphs
from memtui.tui.screens.dialog import Dialog
from memtui.tui.view.help import help_lines
from memtui.tui.widgets.scrolled_text import ScrolledText


class HelpScreen(Dialog[None]):
    """Made from the command registry, so it can not say what is not so."""

    BINDINGS = bindings_of("close-help")

    def __init__(self, context: Context, keys: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self._where = context
        self._keys = keys

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        with Vertical(id="frame"):
            yield ScrolledText(id="text")

    def on_mount(self) -> None:
        """Names the dialog."""
        self.label("help")
        self.query_one(ScrolledText).focus()

    def on_resize(self) -> None:
        """Wraps the text to the new width."""
        super().on_resize()
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        if not self.query(ScrolledText):  # closed before the screen was drawn again
            return
        text = self.query_one(ScrolledText)
        width = text.scrollable_content_region.width
        text.update(paragraphs(help_lines(self._where, self._keys, width)))
