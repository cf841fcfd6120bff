"""A dialog with a list, and a word about the row under the cursor."""

from __future__ import annotations

from collections.abc import Iterable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.widget import Widget
from textual.widgets import Static

from memtui.tui.paint import paragraphs
from memtui.tui.screens.dialog import Answer, Dialog
from memtui.tui.view.pieces import Line
from memtui.tui.widgets.row_list import RowList


class ListDialog(Dialog[Answer]):
    """The rows, what is said about one of them, and whatever a subclass puts below."""

    list = query_one(RowList)
    _said = query_one("#said", Static)

    def compose(self) -> ComposeResult:
        """The list above what is said."""
        with Vertical(id="frame"):
            yield RowList()
            yield Static("", markup=False, id="said")
            yield from self.below()

    def say(self, *lines: Line) -> None:
        """Says something below the list."""
        self._said.update(paragraphs(lines))

    def describe(self) -> None:
        """Says what there is to say about the row under the cursor."""
        self.say(*self.about())

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self.describe()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.choose(event.key)

    # What a subclass knows

    def below(self) -> Iterable[Widget]:
        """What stands below."""
        return ()

    def about(self) -> Iterable[Line]:
        """What is said about the row under the cursor."""
        return ()

    def choose(self, key: str) -> None:
        """A row was chosen."""
