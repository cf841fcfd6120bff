"""A pane: a border with a title and a subtitle, and a list in it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from memtui.tui.paint import content
from memtui.tui.view.pieces import richest
from memtui.tui.view.rows import PaneView
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled

BORDER_CELLS = 6
"""Cells of the border that a title can not use."""


class ListPane(Vertical, Titled):
    """Shows a ``PaneView``; its titles follow its width."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.list = RowList()
        self._shown: PaneView | None = None

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield self.list

    def show(self, view: PaneView, key: str | None) -> None:
        """Shows other rows, with the cursor on ``key`` if it is among them."""
        self._shown = view
        self._label()
        self.list.show(view, key)

    def focus_list(self) -> None:
        """Moves the focus to the list."""
        self.list.focus()

    def on_resize(self) -> None:
        """Chooses titles for the new width."""
        self._label()

    def _label(self) -> None:
        if self._shown is not None:
            room = max(0, self.outer_size.width - BORDER_CELLS)
            title, subtitle = self._shown.title, self._shown.subtitle
            self.entitle(content(richest(title, room)), content(richest(subtitle, room)))
