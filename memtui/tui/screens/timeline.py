"""When what of a recall reaches the model, and what comes too late."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label, Static

from memtui.recall.turn import REQUEST_MS, Delivery
from memtui.tui.paint import content
from memtui.tui.screens.dialog import TRIAL_STYLES, Dialog
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.timeline import (
    Simulated,
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


@dataclass(frozen=True)
class Now:
    """What the board shows, and what is going on there."""

    view: View
    """The newest whole recall."""
    key: str | None
    """The highlighted memory."""
    running: Delivery | None = None
    """The turn in which somebody is being asked."""
    who: str = ""
    """Who is being asked, and for how long."""


class TimelineScreen(Dialog[None]):
    """The turn as it ran, and simulated with a selector as slow as is typed."""

    CSS_PATH = TRIAL_STYLES

    def __init__(self, now: Now) -> None:
        super().__init__()
        self._now = now
        self._shown: Timeline | None = None

    def compose(self) -> ComposeResult:
        """Three times to be typed, the rows, and the memories of the highlighted one."""
        with Vertical(id="frame", classes="tall"):
            with Horizontal(classes="fields"):
                yield Label("selector takes ", markup=False)
                yield SafeInput(f"{selector_ms(self._now.view.recall)}", id="latency")
                yield Label(" ms · request ready at ", markup=False)
                yield SafeInput(f"{REQUEST_MS:g}", id="request")
                yield Label(" ms", markup=False)
            with Horizontal(classes="fields"):
                yield Label("turn is cancelled at ", markup=False)
                yield SafeInput(placeholder="never", id="cancel")
                yield Label(" ms", markup=False)
            yield RowList()
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows the rows."""
        self.label("delivery", "next-field")
        self._work_out()
        self.query_one(RowList).focus()

    def follow(self, now: Now) -> None:
        """Shows what has happened since; the time that the selector took, unless one was typed."""
        before, self._now = self._now, now
        if not self.is_mounted:
            return
        latency = self.query_one("#latency", SafeInput)
        if latency.value == f"{selector_ms(before.view.recall)}":
            latency.value = f"{selector_ms(now.view.recall)}"
        self._work_out()

    def _typed(self, field: str) -> str:
        return self.query_one(f"#{field}", SafeInput).value

    @property
    def _simulated(self) -> Simulated:
        """What is typed.

        Raises:
            TimeError: one of it is no time.

        """
        cancel = self._typed("cancel").strip()
        return Simulated(
            whole_ms(self._typed("latency"), "selector"),
            whole_ms(self._typed("request"), "request"),
            whole_ms(cancel, "cancelled") if cancel else None,
        )

    def _work_out(self) -> None:
        try:
            simulated = self._simulated
        except TimeError as error:
            self._say(line(Piece(f"! {error}", "error")))
            return
        now = self._now
        self._shown = timeline(
            now.view.recall,
            simulated,
            scan_ms=now.view.scan_ms,
            entry=now.view.entry(now.key) if now.key is not None else None,
            running=now.running,
            who=now.who,
        )
        rows = self.query_one(RowList)
        rows.show(timeline_pane(self._shown), rows.key)
        self._describe()

    def _describe(self) -> None:
        if self._shown is not None:
            moment = self._shown.moments[self.query_one(RowList).cursor]
            self._say(about_moment(self._now.view.recall, moment))

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
