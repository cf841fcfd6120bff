"""Everything about one trace, laid out for the width it has."""

from __future__ import annotations

from memtui.recall.trace import Trace
from memtui.tui.paint import content, paragraphs
from memtui.tui.view.pieces import richest
from memtui.tui.view.traces import Log, trace_heading, trace_lines
from memtui.tui.widgets.scrolled_text import ScrolledText
from memtui.tui.widgets.titled import Titled

BORDER_CELLS = 6


class TraceDetail(ScrolledText, Titled):
    """Limits, steps with bars for their times, and the ids that were kept."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._shown: tuple[Log, Trace] | None = None
        self._full = False

    def show(self, log: Log, trace: Trace, *, full: bool, from_top: bool) -> None:
        """Shows a trace, every step on one line unless ``full``."""
        self._shown, self._full = (log, trace), full
        self._draw()
        if from_top:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Lays it out anew."""
        self._draw()

    def _draw(self) -> None:
        if self._shown is None:
            return
        width = self.scrollable_content_region.width
        self.update(paragraphs(trace_lines(*self._shown, width, full=self._full)))
        room = max(0, self.outer_size.width - BORDER_CELLS)
        self.entitle(content(richest(trace_heading(*self._shown), room)))
