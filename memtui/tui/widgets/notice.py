"""A full-screen message where there is no recall to show."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from memtui.tui.paint import paragraphs
from memtui.tui.view.pieces import Line


class Notice(VerticalScroll, can_focus=True):
    """Says what is the matter and what to do about it."""

    def __init__(self) -> None:
        super().__init__()
        self._text = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """One text."""
        yield self._text

    def say(self, lines: tuple[Line, ...]) -> None:
        """Shows another message."""
        self._text.update(paragraphs(lines))
