"""Finds a memory by what it says, wherever it is: skipped files are looked through, too."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from memtui.memory.edit import ReadBytes, read_bytes
from memtui.tui.bindings import bindings_of
from memtui.tui.newest import Newest
from memtui.tui.screens.dialog import Dialog
from memtui.tui.stopping import Stale
from memtui.tui.view.finding import Found, find
from memtui.tui.view.found import found_pane
from memtui.tui.view.view import View
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput


class FindScreen(Dialog[str | None]):
    """An input and what it finds as it is typed; answers with the memory to look into."""

    BINDINGS = bindings_of("result-down", "result-up")

    @dataclass
    class Ready(Message):
        """Something was looked for."""

        wanted: str
        found: tuple[Found, ...]

    def __init__(self, view: View, read_file: ReadBytes = read_bytes) -> None:
        super().__init__()
        self._view = view
        self._read_file = read_file
        self._work = Newest[str](self, "find", self._find)

    def compose(self) -> ComposeResult:
        """The input above the results."""
        with Vertical(id="frame"):
            yield SafeInput(placeholder="what does it say? part of any sentence, title or path")
            yield RowList()

    def on_mount(self) -> None:
        """Prepares the index while the user types."""
        self.label("find a memory by what it says", "open-found")
        self._show("", ())
        self._input.focus()
        self._work.put("")

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    @property
    def _input(self) -> SafeInput:
        return self.query_one(SafeInput)

    @on(SafeInput.Changed)
    def _typed(self, event: SafeInput.Changed) -> None:
        event.stop()
        self._work.put(event.value)

    def _find(self, wanted: str, stale: Stale) -> None:
        found = find(self._view.scanned, wanted, stale, self._read_file)
        if not stale():
            self.post_message(self.Ready(wanted, found))

    @on(Ready)
    def _ready(self, event: Ready) -> None:
        if event.wanted == self._input.value:
            self._show(event.wanted, event.found)

    def _show(self, wanted: str, found: tuple[Found, ...]) -> None:
        first = found[0].key if found else None
        self._list.show(found_pane(self._view, wanted, found), first)

    def action_cursor_down(self) -> None:
        """Marks the next result."""
        self._list.action_cursor_down()

    def action_cursor_up(self) -> None:
        """Marks the result before."""
        self._list.action_cursor_up()

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        if self._list.key is not None:
            self.dismiss(self._list.key)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.dismiss(event.key)

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
