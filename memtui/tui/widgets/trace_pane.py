"""Pane 5: stored traces, one of them in detail, and the citations of an answer."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget

from memtui.recall.trace import Trace
from memtui.text import display_line
from memtui.tui.bindings import bindings_of
from memtui.tui.commands import Place
from memtui.tui.messages import StoreRead, TraceKept
from memtui.tui.view.citations import Allowlist
from memtui.tui.view.pieces import Piece, line
from memtui.tui.view.rows import PaneView
from memtui.tui.view.traces import CURRENT, Log, log_titles, trace_heading
from memtui.tui.view.view import View
from memtui.tui.widgets.answer_editor import sendable
from memtui.tui.widgets.citation_area import CitationArea
from memtui.tui.widgets.list_pane import ListPane
from memtui.tui.widgets.row_list import HEADINGS_FROM, RowList
from memtui.tui.widgets.scrolled_text import ScrolledText
from memtui.tui.widgets.trace_detail import TraceDetail

ROOMY = (100, 16)
"""Cells and lines from which everything is shown at once."""
LOW = 6
"""Lines below which the list and a trace are not shown at once."""


class TracePane(ListPane):
    """One trace is chosen: the highlighted one. Its steps are shown, and it judges citations."""

    BINDINGS = bindings_of("copy-trace")

    class Chosen(Message):
        """Another trace is chosen."""

        def __init__(self, trace_id: str | None) -> None:
            super().__init__()
            self.trace_id = trace_id

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.detail = TraceDetail(id="trace-detail")
        self.citations = CitationArea(id="citations")
        self._log: Log | None = None
        self._chosen = CURRENT
        self._last: Trace | None = None
        self._read: tuple[Trace, ...] | None = None
        self._outcomes: dict[str, str] = {}
        self._problem = ""
        self._what_if = False

    def compose(self) -> ComposeResult:
        """The list above a trace; the citations beside them or in their place."""
        yield self.list
        yield self.citations
        yield self.detail

    # What is shown

    def show_recall(self, view: View, *, what_if: bool = False) -> None:
        """Shows another recall on top of the list; a what-if is said to be one."""
        self._what_if = what_if
        self._show(view)

    def store_read(self, event: StoreRead) -> None:
        """Shows what the store holds now; where it can not be read, what it held."""
        self._problem = event.problem
        if not event.problem:
            self._read = event.traces
        if self._log is not None:
            self._show(self._log.view)

    def trace_kept(self, event: TraceKept) -> bool:
        """Takes note of whether a trace was stored; true if this is a new kind of problem."""
        news = bool(event.problem) and event.problem not in self._outcomes.values()
        self._outcomes[event.trace_id] = event.problem
        if self._log is not None:
            self._show(self._log.view)
        return news

    @property
    def chosen(self) -> Trace | None:
        """The trace whose steps are shown and whose ids may be cited."""
        return None if self._log is None else self._log.find(self._chosen)

    def _show(self, view: View) -> None:
        outcome = self._outcomes.get(view.recall.trace.trace_id)
        stored = self._read or ()
        known = self._chosen == CURRENT or any(each.trace_id == self._chosen for each in stored)
        kept = None if outcome is None else not outcome
        log = Log(view, stored, kept, outcome or self._problem, what_if=self._what_if)
        if not known and self._chosen == log.current.trace_id:
            self._chosen, known = CURRENT, True
        if not known and self._read is not None:
            log = replace(log, gone=self._last)
        self._log = log
        self._draw(from_top=False)

    def _draw(self, *, from_top: bool) -> None:
        log, trace = self._log, self.chosen
        if log is None or trace is None:
            return
        self._last = trace
        self.show(self._titles(log, trace), self._chosen)
        full = self.has_class("-opened") or self.has_class("-roomy")
        self.detail.show(log, trace, full=full, from_top=from_top)
        ids = None if trace is log.gone else trace.kept_ids
        name = log.named(trace) if trace is log.current else f"trace {trace.trace_id[:8]}"
        self.citations.check_against(Allowlist(ids, name, log.view.catalogue.entries))
        self._share()

    def _titles(self, log: Log, trace: Trace) -> PaneView:
        shown = log_titles(log, trace)
        if self.has_class("-roomy") or not (self.has_class("-citing") or self.has_class("-opened")):
            return shown
        back = (line(Piece("esc leads back to the traces", "muted")),)
        name = line(Piece("5 citations", "strong"))
        if self.has_class("-opened"):
            headings = trace_heading(log, trace)
            return replace(
                shown, title=tuple(line(Piece("5 "), *each) for each in headings), subtitle=back
            )
        return replace(shown, title=(name,), subtitle=back)

    # Where what is

    def on_resize(self) -> None:
        """Shows everything where there is room, or one thing where there is little."""
        width, height = self.content_size
        self.set_class(width >= ROOMY[0] and height >= ROOMY[1], "-roomy")
        self.set_class(height < LOW, "-low")
        self._draw(from_top=False)
        super().on_resize()

    def _share(self) -> None:
        """Gives the list the lines it needs, at most two fifths, and the rest to the trace."""
        rows, height = len(self.list.rows), self.content_size.height
        needed = rows if rows + 1 < HEADINGS_FROM else rows + 1
        most = max(3, height * 2 // 5)
        if self.has_class("-low"):
            needed = height
        self.list.styles.height = max(1, min(needed, max(most, height if height < LOW else 0)))

    @property
    def front(self) -> RowList | ScrolledText:
        """What a command for a list acts on."""
        if self.citations.verdict.has_focus:
            return self.citations.verdict
        return self.detail if self.detail.has_focus else self.list

    def place(self, focused: Widget | None) -> Place | None:
        """Where the focus is, if it is in this pane."""
        if focused is self.citations.editor:
            return Place.ANSWER
        if focused is self.citations.verdict:
            return Place.CITATIONS
        if focused is self.detail:
            return Place.TRACE
        return Place.TRACES if focused is self.list else None

    # What the user does

    def focus_list(self) -> None:
        """Brings the traces to the front."""
        self._open(citing=False, detail=False)
        self.list.focus()

    def focus_answer(self) -> None:
        """Brings the citations to the front."""
        self._open(citing=True, detail=False)
        self.citations.editor.focus()

    def _open(self, *, citing: bool, detail: bool) -> None:
        self.set_class(citing, "-citing")
        self.set_class(detail, "-opened")
        self._draw(from_top=False)

    def step_back(self) -> bool:
        """Undoes the innermost thing that is open here; false if nothing is."""
        focused = self.screen.focused
        if focused is self.citations.editor:
            self.citations.verdict.focus()
        elif focused in (self.citations.verdict, self.detail):
            self.focus_list()
        elif focused is self.list and self._chosen != CURRENT:
            self.list.action_first()
        else:
            return False
        return True

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._choose(event.key)

    @on(RowList.Chosen)
    def _opened(self, event: RowList.Chosen) -> None:
        event.stop()
        self._choose(event.key)
        self._open(citing=False, detail=True)
        self.detail.focus()

    def _choose(self, key: str) -> None:
        if key != self._chosen:
            self._chosen = key
            self.post_message(self.Chosen(None if key == CURRENT else key))
            self._draw(from_top=True)

    def action_copy_trace(self) -> None:
        """Sends the id of the chosen trace to the clipboard."""
        trace = self.chosen
        if trace is not None:
            self.app.copy_to_clipboard(sendable(trace.trace_id))
            said = f"trace id sent to the clipboard of the terminal: {trace.trace_id}"
            self.notify(display_line(said), markup=False)

    def action_copy_clean(self) -> None:
        """Sends the clean text of the answer to the clipboard."""
        self.citations.action_copy_clean()
