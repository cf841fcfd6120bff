"""Asks what takes its time, a model or an embeddings endpoint, while the app goes on.

It is asked on the app's own loop, one question at a time; only the newest question is answered.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace

from textual.dom import DOMNode
from textual.message import Message

from memtui.engine import Engine
from memtui.memory.document import Pool
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Prepared, Recall, settle_early
from memtui.recall.trace import stopwatch
from memtui.recall.turn import Delivery, Event, TurnPlan, in_order
from memtui.setup import Setup
from memtui.tui.abortable import abortable
from memtui.tui.view.view import PoolOrder, View

EMBEDDINGS = "embeddings"
"""Who is asked where a ranker needs an endpoint."""
_EMBEDDED = ("vector", "hybrid")
"""Rankers that ask for embeddings where an endpoint is configured."""


def who_is_asked(options: RecallOptions) -> str:
    """Who a recall with these options asks that is asked on enter alone; empty if nobody is."""
    if options.selector is not None and not options.selector.replayable:
        return options.selector.name
    asks = options.embedder is not None and options.ranker in _EMBEDDED
    return EMBEDDINGS if asks else ""


def while_typing(options: RecallOptions) -> RecallOptions:
    """The options for a recall that follows every key: nobody is asked who costs or is slow."""
    if options.selector is not None and not options.selector.replayable:
        options = replace(options, selector=None)
    if who_is_asked(options) == EMBEDDINGS:
        options = replace(options, embedder=None, ranker="hybrid")
    return options


@dataclass(frozen=True)
class Question:
    """One recall that asks somebody."""

    query: str
    """As typed."""
    options: RecallOptions
    """With whoever is to be asked."""
    pool: Pool
    """As scanned."""
    scan_ms: float
    """How long the scan took, milliseconds."""
    order: PoolOrder
    """The order of the pool to prepare."""

    def view(self, recall: Recall, *, provisional: bool = False) -> View:
        """The view of a recall; to be made in a thread."""
        view = View.of(recall, self.pool, self.scan_ms, provisional=provisional)
        view.ordered(self.order)
        view.counts  # noqa: B018 - counted here, not on the screen's thread
        return view


@dataclass
class EarlyReady(Message):
    """A selector is being asked; the early result can be shown meanwhile."""

    number: int
    view: View


@dataclass
class TurnMoved(Message):
    """Something happened in the turn of a question."""

    number: int


@dataclass
class AskingEnded(Message):
    """A question was answered, refused or cancelled."""

    number: int
    view: View | None
    """None if it was cancelled."""
    delivery: Delivery
    """What a turn would have had of it."""


class Asking:
    """What a screen asks. It is answered with messages."""

    def __init__(self, screen: DOMNode) -> None:
        self._screen = screen
        self._number = 0
        self._cancel: asyncio.Event | None = None
        self._began_ms = 0.0
        self._events: list[Event] = []
        self.question: Question | None = None
        """What is being asked."""

    @property
    def running(self) -> bool:
        """Whether somebody is being asked."""
        return self.question is not None

    @property
    def seconds(self) -> float:
        """For how long."""
        return (stopwatch() - self._began_ms) / 1000

    @property
    def delivery(self) -> Delivery | None:
        """What has happened so far in the turn of what is being asked."""
        return Delivery(TurnPlan(), in_order(self._events)) if self.running else None

    def begin(self, question: Question) -> None:
        """Asks; what was asked before is given up."""
        self.drop()
        self.question = question
        self._events = []
        self._began_ms = stopwatch()
        self._cancel = asyncio.Event()
        run = self._run(self._number, question, self._cancel, self._events)
        self._screen.run_worker(run, group="asking", exit_on_error=True)

    def cancel(self) -> None:
        """Ends the question; that it was cancelled is told with a message."""
        if self._cancel is not None:
            self._cancel.set()

    def drop(self) -> None:
        """Ends the question, of which nothing more is heard."""
        self.cancel()
        self._number += 1
        self.question = None

    def ended(self, number: int) -> bool:
        """Takes note of an end; whether the answer is still wanted."""
        newest = number == self._number
        if newest:
            self.question = None
        return newest

    def is_newest(self, number: int) -> bool:
        """Whether what is told of a question is still wanted."""
        return number == self._number and self.running

    async def _run(
        self, number: int, question: Question, cancel: asyncio.Event, events: list[Event]
    ) -> None:
        telling: list[asyncio.Task[None]] = []
        stop = threading.Event()

        def happened(event: Event) -> None:
            events.append(event)
            self._screen.post_message(TurnMoved(number))

        def prepared(half: Prepared) -> None:
            selector = half.options.selector
            if selector is not None and selector.name == "model" and half.request is not None:
                early = settle_early(half)
                telling.append(asyncio.ensure_future(self._tell_early(number, question, early)))

        try:
            # This engine scans nothing: there is a pool.
            engine = Engine(Setup(options=abortable(question.options, stop)))
            delivered = await engine.recall_async(
                question.query,
                question.pool,
                on_prepared=prepared,
                on_event=happened,
                cancel=cancel,
            )
        finally:
            stop.set()
            for task in telling:
                task.cancel()
            await asyncio.gather(*telling, return_exceptions=True)
        recall = delivered.recall
        view = None
        if recall is not None:
            recall = replace(recall, options=question.options)
            view = await asyncio.to_thread(question.view, recall)
        self._screen.post_message(AskingEnded(number, view, delivered.delivery))

    async def _tell_early(self, number: int, question: Question, recall: Recall) -> None:
        view = await asyncio.to_thread(question.view, recall, provisional=True)
        self._screen.post_message(EarlyReady(number, view))
