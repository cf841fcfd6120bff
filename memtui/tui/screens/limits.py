"""Every limit and every ablation, to be changed while the panes follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from memtui.limits import LimitError, Limits
from memtui.recall.options import ABLATIONS, Ablations, RecallOptions
from memtui.tui.bindings import bindings_of
from memtui.tui.paint import content
from memtui.tui.screens.dialog import Dialog
from memtui.tui.view.limits import (
    MEANINGS,
    changed_options,
    reset_options,
    settings,
    settings_pane,
    toggled_options,
)
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput

Apply = Callable[[RecallOptions], None]
"""Takes the options into the recall."""


class LimitsScreen(Dialog[None]):
    """Enter edits a limit or switches an ablation; what departs from the default is marked."""

    BINDINGS = bindings_of("reset", "reset-all")

    def __init__(self, options: RecallOptions, apply: Apply) -> None:
        super().__init__()
        self._options = options
        self._apply = apply

    def compose(self) -> ComposeResult:
        """The rows, and an input for the highlighted one."""
        with Vertical(id="frame"):
            yield RowList()
            yield Static("", markup=False, id="said")
            yield SafeInput(id="value")

    def on_mount(self) -> None:
        """Shows the rows."""
        self.label("limits and ablations", "accept", "reset", "reset-all")
        self._show(None)
        self._list.focus()

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    @property
    def _input(self) -> SafeInput:
        return self.query_one("#value", SafeInput)

    def _show(self, name: str | None) -> None:
        self._list.show(settings_pane(self._options), name)
        self._describe()

    def _describe(self) -> None:
        """Shows the value of the highlighted row, and what it may be."""
        row = settings(self._options)[self._list.cursor]
        self._input.value = row.value
        how = "enter switches" if row.ablation else "enter edits"
        meaning = MEANINGS[row.name]
        self._say(
            line(Piece(row.name, "strong"), Piece(f": {meaning} · {row.hint} · {how}", "muted"))
        )

    def _say(self, said: Line) -> None:
        self.query_one("#said", Static).update(content(said))

    def _take(self, options: RecallOptions, name: str | None) -> None:
        if options != self._options:
            self._options = options
            self._apply(options)
        self._show(name)

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._describe()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.key in ABLATIONS:
            self._take(toggled_options(self._options, event.key), event.key)
        else:
            self._input.focus()

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        name = self._list.key
        if name is None:
            return
        try:
            changed = changed_options(self._options, name, event.value)
        except (LimitError, ValueError) as error:
            self._say(line(Piece(f"! {error}", "error")))
            return
        self._take(changed, name)
        self._list.focus()

    def action_reset(self) -> None:
        """Gives the highlighted row its default back."""
        name = self._list.key
        if name is None:
            return
        try:
            self._take(reset_options(self._options, name), name)
        except LimitError as error:
            self._say(line(Piece(f"! {error}", "error")))

    def action_reset_all(self) -> None:
        """Gives every row its default back."""
        plain = replace(self._options, limits=Limits(), ablations=Ablations())
        self._take(plain, self._list.key)

    def action_close(self) -> None:
        """Leaves the input, or closes the dialog."""
        if self.focused is self._input:
            self._list.focus()
            self._describe()
        else:
            self.dismiss(None)
