"""Every limit and every ablation, to be changed while the panes follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from textual import on
from textual.widget import Widget

from memtui.limits import LimitError, Limits
from memtui.recall.options import ABLATIONS, Ablations, RecallOptions
from memtui.tui.bindings import bindings_of
from memtui.tui.screens.list_dialog import ListDialog
from memtui.tui.view.limits import (
    MEANINGS,
    Setting,
    changed_options,
    reset_options,
    settings,
    settings_pane,
    toggled_options,
)
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.widgets.safe_input import SafeInput

Apply = Callable[[RecallOptions], None]
"""Takes the options into the recall."""


class LimitsScreen(ListDialog[None]):
    """Enter edits a limit or switches an ablation; what departs from the default is marked."""

    BINDINGS = bindings_of("reset", "reset-all")

    def __init__(self, options: RecallOptions, apply: Apply) -> None:
        super().__init__()
        self._options = options
        self._apply = apply

    def below(self) -> Iterable[Widget]:
        """An input for the highlighted row."""
        yield SafeInput(id="value")

    def on_mount(self) -> None:
        """Shows the rows."""
        self.label("limits and ablations", "accept", "reset", "reset-all")
        self._show(None)
        self.list.focus()

    @property
    def _input(self) -> SafeInput:
        return self.query_one("#value", SafeInput)

    def _show(self, name: str | None) -> None:
        self.list.show(settings_pane(self._options), name)
        self.describe()

    def describe(self) -> None:
        """Shows the value of the highlighted row, and what it may be."""
        self._input.value = self._row.value
        super().describe()

    def about(self) -> Iterable[Line]:
        """What the row means, and what it may be."""
        row = self._row
        how = "enter switches" if row.ablation else "enter edits"
        meaning = f": {MEANINGS[row.name]} · {row.hint} · {how}"
        yield line(Piece(row.name, "strong"), Piece(meaning, "muted"))

    @property
    def _row(self) -> Setting:
        return settings(self._options)[self.list.cursor]

    def _take(self, options: RecallOptions, name: str | None) -> None:
        if options != self._options:
            self._options = options
            self._apply(options)
        self._show(name)

    def choose(self, key: str) -> None:
        """Switches an ablation, or edits a limit."""
        if key in ABLATIONS:
            self._take(toggled_options(self._options, key), key)
        else:
            self._input.focus()

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        name = self.list.key
        if name is None:
            return
        try:
            changed = changed_options(self._options, name, event.value)
        except (LimitError, ValueError) as error:
            self.say(line(Piece(f"! {error}", "error")))
            return
        self._take(changed, name)
        self.list.focus()

    def action_reset(self) -> None:
        """Gives the highlighted row its default back."""
        name = self.list.key
        if name is None:
            return
        try:
            self._take(reset_options(self._options, name), name)
        except LimitError as error:
            self.say(line(Piece(f"! {error}", "error")))

    def action_reset_all(self) -> None:
        """Gives every row its default back."""
        plain = replace(self._options, limits=Limits(), ablations=Ablations())
        self._take(plain, self.list.key)

    def action_close(self) -> None:
        """Leaves the input, or closes the dialog."""
        if self.focused is self._input:
            self.list.focus()
            self.describe()
        else:
            self.dismiss(None)
