"""A full-screen message where there is no recall to show."""

from __future__ import annotations

from memtui.tui.paint import paragraphs
from memtui.tui.view.pieces import Line
from memtui.tui.widgets.scrolled_text import ScrolledText


class Notice(ScrolledText):
    """Says what is the matter and what to do about it."""

    def say(self, lines: tuple[Line, ...]) -> None:
        """Shows another message."""
        self.update(paragraphs(lines))
