"""What to export, and where to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from memtui.recall.pipeline import Recall
from memtui.tui.exporting import ExportError, ExportFormat, exported, write_export
from memtui.tui.paint import content
from memtui.tui.screens.dialog import Dialog
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput

STEM = "memtui-recall"


class ExportScreen(Dialog[Path]):
    """Writes the recall as it stood when the dialog was opened; answers with the path."""

    def __init__(self, recall: Recall, picture: str, roots: Sequence[str]) -> None:
        super().__init__()
        self._recall = recall
        self._picture = picture
        self._roots = tuple(roots)
        self._refused = ""

    def compose(self) -> ComposeResult:
        """The forms, the path, and what went wrong."""
        with Vertical(id="frame"):
            yield RowList()
            yield SafeInput(STEM + ExportFormat.JSON.suffix, placeholder="path of the file")
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows the forms."""
        self.label("export", "accept")
        self._list.show(_forms(), None)
        self._say(line(Piece("choose a form; enter goes on to the path", "muted")))
        self._list.focus()

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    @property
    def _form(self) -> ExportFormat:
        return list(ExportFormat)[self._list.cursor]

    def _say(self, said: Line) -> None:
        self.query_one("#said", Static).update(content(said))

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        path = self.query_one(SafeInput)
        for form in ExportFormat:
            if path.value.endswith(form.suffix):
                path.value = path.value.removesuffix(form.suffix) + self._form.suffix
                break

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.query_one(SafeInput).focus()

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        text = exported(self._recall, self._form, self._picture)
        again = self._refused == event.value
        try:
            path = write_export(event.value, text, self._roots, overwrite=again)
        except ExportError as error:
            self._refused = event.value
            self._say(line(Piece(f"! {error}", "error")))
            return
        self.dismiss(path)


def _forms() -> PaneView:
    columns = (Column("", 20, flexible=True),)
    rows = Rows[object](columns, tuple(ExportFormat), _name, _cells)
    return PaneView((), (), rows)


def _name(item: object) -> str:
    assert isinstance(item, ExportFormat)
    return item.name


def _cells(item: object) -> tuple[Line, ...]:
    assert isinstance(item, ExportFormat)
    return (line(item.title),)
