"""A bar of one or more lines that shows the richest form that fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.widget import Widget

from memtui.tui.paint import paragraphs
from memtui.tui.view.pieces import Line

Draw = Callable[[int, int], Sequence[Line]]
"""Gives the lines for a width and a height in cells."""


class LineBar(Widget):
    """Lines of pieces that are chosen anew for every size."""

    def __init__(self, draw: Draw, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw

    def render(self) -> Content:
        """The lines that fit."""
        return paragraphs(self._draw(self.size.width, self.size.height))
