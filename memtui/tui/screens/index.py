"""``MEMORY.md`` of every scope: how it is loaded, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.tui.bindings import bindings_of
from memtui.tui.screens.list_dialog import ListDialog
from memtui.tui.view.index import IndexRow, index_pane, index_rows
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.view import View
from memtui.tui.widgets.row_list import RowList


class IndexScreen(ListDialog[str | None]):
    """Answers with the key of the memory that the chosen line leads to."""

    BINDINGS = bindings_of("next-problem", "previous-problem")

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view
        self._rows: tuple[IndexRow, ...] = ()

    def on_mount(self) -> None:
        """Shows the indexes."""
        self.label("what an agent loads of its index", "open-linked", "next-problem")
        self.show(self._view)
        self.list.focus()

    def show(self, view: View) -> None:
        """Shows the indexes of another view: they have been measured, or have changed."""
        self._view = view
        if not self.query(RowList):  # not drawn yet, or closed
            return
        key = self.list.key
        self._rows = index_rows(view)
        self.list.show(index_pane(self._rows), key)
        self.describe()

    def _row(self) -> IndexRow | None:
        place = self.list.cursor
        return self._rows[place] if place < len(self._rows) else None

    def about(self) -> Iterable[Line]:
        """What the highlighted line leads to."""
        row = self._row()
        if row is not None:
            opens = Piece("  · enter opens the memory" if row.key else "", "success")
            yield line(Piece(row.said, "muted"), opens)

    def choose(self, key: str) -> None:  # noqa: ARG002 - the line says what it leads to
        """Answers with the memory that the line leads to."""
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
        place = self.list.cursor + by
        while 0 <= place < len(self._rows):
            if self._rows[place].problem:
                self.list.go(place)
                return
            place += by
