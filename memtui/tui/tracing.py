"""Stores the traces of recalls, and watches the store, which other processes write to as well.

Both happen in threads: a store that is slow, locked or gone delays and fails no recall.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from textual.dom import DOMNode
from textual.timer import Timer

from memtui.engine import Engine
from memtui.memory.document import Pool
from memtui.recall.pipeline import Recall
from memtui.recall.trace import Trace, wall_clock
from memtui.state import pool_key
from memtui.traces import StateError
from memtui.tui.messages import StoreRead, TraceKept
from memtui.tui.view.uses import Uses

REST_S = 1.0
"""Seconds for which a recall must be on the screen before it is stored."""
POLL_S = 1.0
"""Seconds between two looks at the store."""
MOST_TRACES = 200
"""Traces that are listed."""


class Tracing:
    """What a screen tells about its recalls. It is answered with messages."""

    def __init__(self, screen: DOMNode, engine: Engine) -> None:
        self._screen = screen
        self._engine = engine
        self._recall: Recall | None = None
        self._stored: set[str] = set()
        self._entered: str | None = None
        self._rest: Timer | None = None
        self._reading = Lock()
        self._seen: object = _NEVER
        self.chosen: str | None = None
        """The id of a trace that is wanted however old it is."""

    def start(self) -> None:
        """Begins to watch the store."""
        self._screen.set_interval(POLL_S, self.look)
        self.look()

    def shown(self, recall: Recall) -> None:
        """A recall has come to the screen: stored once it has stayed, or if enter was pressed."""
        if self._rest is not None:
            self._rest.stop()
        self._recall = recall
        if self._entered == recall.query.text:
            self._keep(recall)
        else:
            self._rest = self._screen.set_timer(REST_S, lambda: self._keep(recall))

    def entered(self, query: str) -> None:
        """Enter was pressed: the recall of this query is stored as soon as there is one."""
        self._entered = query
        if self._recall is not None and self._recall.query.text == query:
            self._keep(self._recall)

    def wait(self) -> None:
        """What is shown is about to be replaced, and is not stored for having stayed."""
        if self._rest is not None:
            self._rest.stop()

    def look(self) -> None:
        """Reads the store again if it has changed."""
        self._in_thread(self._read)

    def _keep(self, recall: Recall) -> None:
        self._entered = None
        trace_id = recall.trace.trace_id
        if trace_id not in self._stored:
            self._stored.add(trace_id)
            self._in_thread(lambda: self._write(recall))

    def _in_thread(self, work: Callable[[], None]) -> None:
        self._screen.run_worker(work, group="traces", thread=True, exit_on_error=True)

    # In a thread

    def _write(self, recall: Recall) -> None:
        try:
            self._engine.store_trace(recall)
        except StateError as error:
            self._screen.post_message(TraceKept(recall.trace.trace_id, str(error)))
            return
        self._screen.post_message(TraceKept(recall.trace.trace_id, ""))
        self._read()

    def _read(self) -> None:
        if self._reading.acquire(blocking=False):
            try:
                self._read_if_changed()
            finally:
                self._reading.release()

    def _read_if_changed(self) -> None:
        store, chosen = self._engine.store, self.chosen
        pool = self._recall.pool if self._recall else None
        try:
            seen = (store.revision(), chosen, pool and pool.scopes)
            if seen == self._seen:
                return
            traces = _with(store.list(MOST_TRACES), chosen, store.get)
            counts = store.use_counts(_key(pool)) if pool else {}
        except StateError as error:
            if self._seen != str(error):
                self._seen = str(error)
                self._screen.post_message(StoreRead((), None, str(error)))
            return
        self._seen = seen
        self._screen.post_message(StoreRead(traces, Uses(counts, wall_clock())))


_NEVER = object()


def _key(pool: Pool) -> str:
    return pool_key(report.root for report in pool.scopes)


def _with(
    traces: tuple[Trace, ...], chosen: str | None, get: Callable[[str], Trace | None]
) -> tuple[Trace, ...]:
    """The traces, with the chosen one behind them if it is older."""
    if chosen is None or any(trace.trace_id == chosen for trace in traces):
        return traces
    older = get(chosen)
    return (*traces, older) if older is not None else traces
