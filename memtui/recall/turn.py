"""One turn of an agent: what of a recall reaches the model, and when. No clock and no waiting here.

A :class:`Turn` is told what happens, with times, and keeps the record. The recall that runs and
the one that is simulated tell the same turn, so that they can not disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Phase = Literal["fast", "refined"]
Outcome = Literal[
    "delivered_initial",
    "delivered_fast",
    "delivered_later",
    "already_delivered",
    "no_relevant_results",
    "no_safe_delivery_point",
    "cancelled",
]
EventName = Literal[
    "scan", "candidates", "fast", "waited", "request", "ceiling", "selector", "outcome"
]
Ended = Literal["settled", "fast", "ceiling", "cancelled"]

OUTCOMES: Mapping[Outcome, str] = {
    "delivered_initial": "the whole result is in the first request",
    "delivered_fast": "the early result is in the first request",
    "delivered_later": "the rest came with a later request of the turn",
    "already_delivered": "everything selected was delivered before",
    "no_relevant_results": "nothing was selected",
    "no_safe_delivery_point": "the turn had no later request that could carry the rest",
    "cancelled": "the turn was cancelled first",
}
"""The closed list of outcomes, each in words."""

REQUEST_MS = 80.0
"""When an agent that does not wait for its memory has its first request ready: what it prepares
beside, tools and history, takes about as long. Milliseconds since the recall began."""


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """What a turn is like, apart from the recall."""

    later_point: bool = True
    """Whether a later request, as after a tool call, can carry what came too late."""
    delivered: frozenset[str] = frozenset()
    """Ids that earlier turns delivered."""
    request_ms: float = REQUEST_MS
    """When the first request is ready but for the memory. With 0 it leaves when the wait ends."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a turn."""

    name: EventName
    """What: ``waited`` ends the first wait, ``request`` is when the first request leaves."""
    at_ms: float
    """When, milliseconds since the recall began."""
    ids: tuple[str, ...] = ()
    """The documents concerned."""
    outcome: Outcome | None = None
    """Of an ``outcome``."""
    ended: Ended | None = None
    """Of a ``waited``: what ended the first wait."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What of a recall reached the model in a turn, and the timeline."""

    plan: TurnPlan
    """The turn."""
    events: tuple[Event, ...]
    """In order of time."""

    @property
    def ended(self) -> Ended | None:
        """What ended the first wait; None while it goes on."""
        stopped: Ended | None = "cancelled" if self.outcome == "cancelled" else None
        return next((event.ended for event in self.events if event.ended), stopped)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """One or two: a fast delivery is followed by what became of the rest."""
        return tuple(event.outcome for event in self.events if event.outcome)

    @property
    def outcome(self) -> Outcome | None:
        """The last one; None while the turn goes on."""
        return self.outcomes[-1] if self.outcomes else None

    @property
    def delivered(self) -> tuple[str, ...]:
        """Ids that reached the model in this turn, in order; none of them twice."""
        found = [e.ids for e in self.events if e.outcome and e.outcome.startswith("delivered")]
        return tuple(each for ids in found for each in ids)

    def outcome_of(self, document_id: str) -> Outcome | None:
        """What became of one selected document; None if it was not selected."""
        for event in self.events:
            if event.outcome and document_id in event.ids:
                return event.outcome
        selected = any(e.name == "selector" and document_id in e.ids for e in self.events)
        return "already_delivered" if selected and document_id in self.plan.delivered else None

    def phase_of(self, document_id: str) -> Phase | None:
        """With which result a document was delivered; None if it was not."""
        outcome = self.outcome_of(document_id)
        if outcome is None or not outcome.startswith("delivered"):
            return None
        return "fast" if outcome == "delivered_fast" else "refined"

    def as_json(self) -> dict[str, object]:
        """The delivery and its timeline, ids only."""
        return {
            "outcome": self.outcome,
            "outcomes": list(self.outcomes),
            "delivered": list(self.delivered),
            "first_wait_ended_by": self.ended,
            "later_point": self.plan.later_point,
            "request_ms": self.plan.request_ms,
            "events": [
                {
                    "name": event.name,
                    "at_ms": round(event.at_ms, 3),
                    "ids": list(event.ids),
                    "outcome": event.outcome,
                }
                for event in self.events
            ],
        }


def in_order(events: Iterable[Event]) -> tuple[Event, ...]:
    """Events by time; what happened at the same time stays as it was told."""
    return tuple(sorted(events, key=lambda event: event.at_ms))


class Turn:
    """Is told what happens and decides what is delivered.

    The first wait begins with the recall and ends at whichever comes first: the recall settles,
    the early result is published, the turn is cancelled, or the ceiling. The first request leaves
    then, or when it is ready itself; a recall that has settled by then is preferred.
    """

    def __init__(self, plan: TurnPlan, on_event: Callable[[Event], None] | None = None) -> None:
        self._plan = plan
        self._on_event = on_event
        self._events: list[Event] = []
        self._fast: tuple[str, ...] = ()
        self._settled: tuple[str, ...] | None = None
        self._given: set[str] = set(plan.delivered)
        self._ended: Ended | None = None
        self._ready = plan.request_ms <= 0
        self._sent = False
        self._over = False

    @property
    def sent(self) -> bool:
        """Whether the first request has left."""
        return self._sent

    @property
    def delivery(self) -> Delivery:
        """What has happened so far."""
        return Delivery(self._plan, in_order(self._events))

    def scanned(self, at_ms: float) -> None:
        """The pool is read."""
        self._record("scan", at_ms)

    def prepared(self, at_ms: float, candidates: tuple[str, ...], fast: tuple[str, ...]) -> None:
        """Candidates exist; the early result is published, unless it was delivered before."""
        if self._over:
            return
        self._record("candidates", at_ms, candidates)
        self._fast = tuple(each for each in fast if each not in self._given)
        if self._fast:
            self._record("fast", at_ms, self._fast)
            self._end_wait("fast", at_ms)

    def ready(self, at_ms: float) -> None:
        """The first request is ready but for the memory."""
        self._ready = True
        self._send(at_ms)

    def ceiling(self, at_ms: float) -> None:
        """The first wait has lasted as long as it may."""
        if not self._over:
            self._record("ceiling", at_ms)
            self._end_wait("ceiling", at_ms)

    def settled(self, at_ms: float, ids: tuple[str, ...]) -> None:
        """The recall has its result: the ids that its context shows."""
        if self._over:
            return
        self._record("selector", at_ms, ids)
        self._settled = ids
        self._end_wait("settled", at_ms)
        if self._sent and not self._over:
            self._conclude(at_ms, "delivered_later" if self._plan.later_point else None)

    def cancel(self, at_ms: float) -> None:
        """The turn is over, and nothing more is delivered."""
        if self._over:
            return
        waiting = self._settled or self._fast
        self._finish(at_ms, "cancelled", tuple(each for each in waiting if each not in self._given))

    def _end_wait(self, ended: Ended, at_ms: float) -> None:
        if self._ended is None:
            self._ended = ended
            self._record("waited", at_ms, ended=ended)
        self._send(at_ms)

    def _send(self, at_ms: float) -> None:
        if self._sent or self._over or self._ended is None or not self._ready:
            return
        self._sent = True
        self._record("request", at_ms)
        if self._settled is not None:
            self._conclude(at_ms, "delivered_initial")
        elif self._fast:
            self._given.update(self._fast)
            self._record("outcome", at_ms, self._fast, "delivered_fast")

    def _conclude(self, at_ms: float, delivered: Outcome | None) -> None:
        """The end, with a settled recall; without ``delivered`` no request can carry it."""
        selected = self._settled or ()
        rest = tuple(each for each in selected if each not in self._given)
        if not selected:
            self._finish(at_ms, "no_relevant_results")
        elif not rest:
            self._finish(at_ms, "already_delivered", selected)
        elif delivered is None:
            self._finish(at_ms, "no_safe_delivery_point", rest)
        else:
            self._given.update(rest)
            self._finish(at_ms, delivered, rest)

    def _finish(self, at_ms: float, outcome: Outcome, ids: tuple[str, ...] = ()) -> None:
        self._over = True
        self._record("outcome", at_ms, ids, outcome)

    def _record(
        self,
        name: EventName,
        at_ms: float,
        ids: tuple[str, ...] = (),
        outcome: Outcome | None = None,
        ended: Ended | None = None,
    ) -> None:
        event = Event(name, at_ms, ids, outcome, ended)
        self._events.append(event)
        if self._on_event is not None:
            self._on_event(event)
