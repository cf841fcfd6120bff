"""When what of a recall reaches the model, and what comes too late."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label, Static

from memtui.recall.turn import REQUEST_MS
from memtui.tui.paint import content
from memtui.tui.screens.dialog import TRIAL_STYLES, Dialog
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.timeline import (
    TimeError,
    Timeline,
    about_moment,
    selector_ms,
    timeline,
    timeline_pane,
    whole_ms,
)
from memtui.tui.view.view import View
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput


class TimelineScreen(Dialog[None]):
    """The turn as it ran, and simulated with a selector as slow as is typed."""

    CSS_PATH = TRIAL_STYLES

    def __init__(self, view: View) -> None:
        super().__init__()
        self._recall = view.recall
        self._scan_ms = view.scan_ms
        self._shown: Timeline | None = None

    def compose(self) -> ComposeResult:
        """Two times to be typed, the rows, and the memories of the highlighted one."""
        with Vertical(id="frame", classes="tall"):
            with Horizontal(classes="fields"):
                yield Label("selector takes ", markup=False)
                yield SafeInput(f"{selector_ms(self._recall)}", id="latency")
                yield Label(" ms · request ready at ", markup=False)
                yield SafeInput(f"{REQUEST_MS:g}", id="request")
                yield Label(" ms", markup=False)
            yield RowList()
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows the rows."""
        self.label("delivery", "next-field")
        self._work_out()
        self.query_one(RowList).focus()

    def _work_out(self) -> None:
        try:
            latency = whole_ms(self.query_one("#latency", SafeInput).value, "selector")
            request = whole_ms(self.query_one("#request", SafeInput).value, "request")
        except TimeError as error:
            self._say(line(Piece(f"! {error}", "error")))
            return
        self._shown = timeline(self._recall, latency, request, self._scan_ms)
        rows = self.query_one(RowList)
        rows.show(timeline_pane(self._shown), rows.key)
        self._describe()

    def _describe(self) -> None:
        if self._shown is not None:
            moment = self._shown.moments[self.query_one(RowList).cursor]
            self._say(about_moment(self._recall, moment))

    def _say(self, said: Line) -> None:
        self.query_one("#said", Static).update(content(said))

    @on(SafeInput.Changed)
    def _changed(self, event: SafeInput.Changed) -> None:
        event.stop()
        if self._shown is not None:
            self._work_out()

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self.query_one(RowList).focus()

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._describe()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()

    def action_close(self) -> None:
        """Leaves an input, or closes the dialog."""
        rows = self.query_one(RowList)
        if self.focused is rows:
            self.dismiss(None)
        else:
            rows.focus()
