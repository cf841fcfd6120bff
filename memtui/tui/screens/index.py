"""``MEMORY.md`` of every scope: how it is loaded, and what it leads to."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from memtui.tui.bindings import bindings_of
from memtui.tui.paint import content
from memtui.tui.screens.dialog import Dialog
from memtui.tui.view.index import IndexRow, index_pane, index_rows
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.view import View
from memtui.tui.widgets.row_list import RowList


class IndexScreen(Dialog[str | None]):
    """Answers with the key of the memory that the chosen line leads to."""

    BINDINGS = bindings_of("next-problem", "previous-problem")

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view
        self._rows: tuple[IndexRow, ...] = ()

    def compose(self) -> ComposeResult:
        """The lines, and what is said about the highlighted one."""
        with Vertical(id="frame"):
            yield RowList()
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows the indexes."""
        self.label("what an agent loads of its index", "open-linked", "next-problem")
        self.show(self._view)
        self._list.focus()

    def show(self, view: View) -> None:
        """Shows the indexes of another view: they have been measured, or have changed."""
        self._view = view
        key = self._list.key
        self._rows = index_rows(view)
        self._list.show(index_pane(self._rows), key)
        self._describe()

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    def _row(self) -> IndexRow | None:
        place = self._list.cursor
        return self._rows[place] if place < len(self._rows) else None

    def _describe(self) -> None:
        row = self._row()
        said: Line = ()
        if row is not None:
            opens = Piece("  · enter opens the memory" if row.key else "", "success")
            said = line(Piece(row.said, "muted"), opens)
        self.query_one("#said", Static).update(content(said))

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._describe()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        row = self._row()
        if row is not None and row.key is not None:
            self.dismiss(row.key)

    def action_next_problem(self) -> None:
        """Moves to the next line with which something is wrong."""
        self._jump(1)

    def action_previous_problem(self) -> None:
        """Moves to the line before with which something is wrong."""
        self._jump(-1)

    def _jump(self, by: int) -> None:
        place = self._list.cursor + by
        while 0 <= place < len(self._rows):
            if self._rows[place].problem:
                self._list.go(place)
                return
            place += by
