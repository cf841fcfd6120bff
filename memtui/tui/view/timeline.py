"""The delivery of a recall on a line of time: as it ran, and simulated with another selector."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memtui.memory.document import Document, SkippedFile
from memtui.recall.delivery import simulate
from memtui.recall.pipeline import Recall
from memtui.recall.turn import OUTCOMES, REQUEST_MS, Delivery, Event, EventName
from memtui.recall.why.delivered import climb_turn
from memtui.recall.why.ladder import REASONS, Rung
from memtui.text import plural
from memtui.tui.view.ages import milliseconds
from memtui.tui.view.columns import Column
from memtui.tui.view.ladder import GLYPHS
from memtui.tui.view.pieces import Line, Piece, Tone, line
from memtui.tui.view.rows import PaneView, Rows

DEFAULT_LATENCY_MS = 2_000
"""How long the simulated selector takes at first, milliseconds."""
MOST_MS = 600_000
BAR_CELLS = 20

_NAMES: Mapping[EventName, str] = {
    "scan": "scanned",
    "candidates": "candidates",
    "fast": "fast result",
    "waited": "first wait ends",
    "request": "first request",
    "ceiling": "ceiling",
    "selector": "selector",
    "outcome": "delivered",
}
_ENDED = {
    "settled": "ended by the whole result",
    "fast": "ended by the fast result",
    "ceiling": "ended by the ceiling",
    "cancelled": "ended by the cancellation",
}
_TONES: Mapping[EventName, Tone] = {
    "fast": "accent",
    "request": "primary",
    "ceiling": "warning",
    "selector": "primary",
}


class TimeError(ValueError):
    """A time is no whole number of milliseconds in its range. One clear line."""


def whole_ms(typed: str, what: str) -> int:
    """A time as typed.

    Raises:
        TimeError: it is no whole number from 0 to ``MOST_MS``.

    """
    text = typed.strip().removesuffix("ms").replace(",", "").replace("_", "").strip()
    if not text.isascii() or not text.isdigit() or int(text[:9]) > MOST_MS:
        raise TimeError(f"{what}: a whole number of milliseconds, 0 to {MOST_MS:,}")
    return int(text)


@dataclass(frozen=True, slots=True)
class Moment:
    """One row: a heading, or an event."""

    key: str
    """Tells the rows apart."""
    title: str
    """Of a heading, a word or two; empty for an event."""
    event: Event | None = None
    """What happened."""
    note: str = ""
    """What is to be said about it."""
    rung: Rung | None = None
    """What became of the highlighted memory."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """The turn that is simulated."""

    latency_ms: int = DEFAULT_LATENCY_MS
    """How long the selector takes."""
    request_ms: int = int(REQUEST_MS)
    """When the first request is ready but for the memory."""
    cancel_ms: int | None = None
    """When it is cancelled; None for never."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Everything that the screen shows."""

    recall: Recall
    """Whose delivery."""
    moments: tuple[Moment, ...]
    """The rows."""
    longest_ms: float
    """The last event of all."""


def selector_ms(recall: Recall) -> int:
    """How long the selector of a recall really took; the default where nobody was asked."""
    at = {step.name: step.elapsed_ms for step in recall.trace.steps}
    if recall.selection.selector is None:
        return DEFAULT_LATENCY_MS
    return max(0, round(at["select.final"] - at["select.fast"]))


def scanned_first(recall: Recall, scan_ms: float) -> Recall:
    """A recall over a pool that was read before, as if it had read it itself: so agents do."""
    steps = tuple(
        step if step.name == "recall.plan" else replace(step, elapsed_ms=step.elapsed_ms + scan_ms)
        for step in recall.trace.steps
    )
    return replace(recall, trace=replace(recall.trace, steps=steps))


def timeline(
    recall: Recall,
    simulated: Simulated,
    *,
    scan_ms: float = 0.0,
    entry: Document | SkippedFile | None = None,
    running: Delivery | None = None,
    who: str = "",
) -> Timeline:
    """The turn as it ran, if it did, and simulated in all the ways in which it can end.

    Args:
        recall: whose turn.
        simulated: the times of the simulated turn.
        scan_ms: how long the scan took, which the recalls of the app have behind them.
        entry: a memory whose fate is told for every turn.
        running: a turn that goes on.
        who: is being asked in it, and for how long.

    """
    moments: list[Moment] = []
    if running is not None:
        moments.append(Moment("ran", "as it runs", note=f"{who}, in the app"))
        moments += _moments("ran", running, running.events)
    elif recall.delivery is not None:
        said = "in the app, which had scanned before"
        moments.append(Moment("ran", "as it ran", note=said))
        moments += _moments("ran", recall.delivery, recall.delivery.events)
    turns = simulated_turns(scanned_first(recall, scan_ms), simulated)
    said = f"the selector takes {simulated.latency_ms:,} ms, and the scan what it took here"
    moments.append(Moment("sim", "simulated", note=said))
    whole = turns[0].delivery
    moments += _moments("sim", whole, tuple(e for e in whole.events if e.name != "outcome"))
    for turn in turns:
        moments.append(Moment(turn.key, turn.title, note=turn.note))
        ends = tuple(event for event in turn.delivery.events if event.outcome)
        moments += _moments(turn.key, turn.delivery, ends)
    if entry is not None:
        moments += _fates(recall, entry, turns)
    events = [moment.event for moment in moments if moment.event is not None]
    return Timeline(recall, tuple(moments), max((e.at_ms for e in events), default=0.0))


@dataclass(frozen=True, slots=True)
class SimulatedTurn:
    """One way in which a turn can go."""

    key: str
    title: str
    note: str
    delivery: Delivery


def simulated_turns(recall: Recall, times: Simulated) -> tuple[SimulatedTurn, ...]:
    """With a later point, without one, the turn after it, and one that is cancelled."""

    def turn(key: str, title: str, note: str, **how: Any) -> SimulatedTurn:
        made = simulate(recall, times.latency_ms, request_ms=times.request_ms, **how)
        return SimulatedTurn(key, title, note, made)

    later = turn("with", "later point", "a later request of the turn can carry the rest")
    turns = [
        later,
        turn("without", "no later point", "the turn has no later request", later_point=False),
        turn(
            "again",
            "asked again",
            "the next turn recalls the same",
            delivered=frozenset(later.delivery.delivered),
        ),
    ]
    if times.cancel_ms is not None:
        note = f"the turn is cancelled at {times.cancel_ms:,} ms"
        turns.append(turn("cancelled", "cancelled", note, cancel_ms=times.cancel_ms))
    return tuple(turns)


def _fates(
    recall: Recall, entry: Document | SkippedFile, turns: tuple[SimulatedTurn, ...]
) -> list[Moment]:
    """What becomes of one memory in every turn: where it was lost, or its last stage."""
    title = entry.title if isinstance(entry, Document) else ""
    moments = [Moment("fate", "the memory", note=title or entry.relative_path)]
    for turn in turns:
        rungs = climb_turn(recall, entry, turn.delivery)
        rung = next((each for each in rungs if each.verdict == "lost"), rungs[-1])
        moments.append(Moment(f"fate:{turn.key}", turn.title, rung=rung, note=_fate(rung)))
    return moments


def _fate(rung: Rung) -> str:
    if rung.reason is None:
        return rung.detail or "nothing is delivered yet"
    lost = "" if rung.stage == "delivery" else f"lost at {rung.stage}, so not delivered: "
    return f"{lost}{rung.reason}: {REASONS[rung.reason]}"


def _moments(key: str, delivery: Delivery, events: tuple[Event, ...]) -> list[Moment]:
    return [
        Moment(f"{key}:{number}", "", event, _note(delivery, event))
        for number, event in enumerate(events)
    ]


def _note(delivery: Delivery, event: Event) -> str:
    if event.outcome is not None:
        return f"{event.outcome}: {OUTCOMES[event.outcome]}"
    if event.name == "waited":
        return _ENDED.get(delivery.ended or "", "")
    if event.name == "ceiling":
        return "the first wait may last no longer"
    if event.name == "request":
        return "what is there goes to the model"
    if event.name == "selector":
        return f"{plural(len(event.ids), 'memory').replace('memorys', 'memories')} selected"
    if event.name in ("candidates", "fast"):
        return plural(len(event.ids), "candidate" if event.name == "candidates" else "best hit")
    return ""


COLUMNS = (
    Column("what", 16),
    Column("at", 9, right=True),
    Column("", BAR_CELLS, drop=1),
    Column("", 3, right=True, drop=2),
    Column("what it means", 30, flexible=True),
)


def timeline_pane(shown: Timeline) -> PaneView:
    """The rows as a list."""
    rows = Rows[object](COLUMNS, shown.moments, _key, _cells(shown.longest_ms))
    return PaneView((), (), rows)


def _key(item: object) -> str:
    assert isinstance(item, Moment)
    return item.key


def _cells(longest_ms: float) -> Callable[[object], tuple[Line, ...]]:
    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, Moment)
        event = item.event
        if item.rung is not None:
            glyph = GLYPHS[item.rung.verdict]
            said = line(Piece(item.note, "muted" if item.rung.verdict == "passed" else "warning"))
            return line(glyph, Piece(f" {item.title}", "plain")), (), (), (), said
        if event is None:
            title = line(Piece(item.title, "strong"))
            return title, (), (), (), line(Piece(item.note, "plain"))
        delivered = event.outcome is not None and event.outcome.startswith("delivered")
        tone: Tone = _TONES.get(event.name, "plain")
        if event.outcome is not None:
            tone = "success" if delivered else "warning"
        name = _NAMES[event.name] if delivered or event.outcome is None else "not delivered"
        count = f"{len(event.ids):,}" if event.outcome is not None and event.ids else ""
        return (
            line(Piece(name, tone)),
            line(milliseconds(event.at_ms)),
            _bar(event.at_ms, longest_ms, tone),
            line(Piece(count, "strong")),
            line(Piece(item.note, "muted" if event.outcome is None else tone)),
        )

    return cells


def _bar(at_ms: float, longest_ms: float, tone: Tone) -> Line:
    """A point on a line of time that is wider where it is early."""
    share = math.log1p(at_ms) / math.log1p(longest_ms) if longest_ms > 0 else 0.0
    place = min(BAR_CELLS - 1, max(0, round(share * (BAR_CELLS - 1))))
    return line(Piece("─" * place, "muted"), Piece("●", tone))


def about_moment(recall: Recall, moment: Moment) -> Line:
    """Which memories an event concerns."""
    event = moment.event
    if moment.rung is not None:
        return line(Piece(f"{moment.title}: {moment.rung.detail or moment.note}", "muted"))
    if event is None:
        return line(Piece(f"{moment.title}: {moment.note}", "muted"))
    if event.name == "candidates" or not event.ids:
        return line(Piece(moment.note or _NAMES[event.name], "muted"))
    known = recall.pool.by_id
    titles = [known[each].title or known[each].relative_path for each in event.ids if each in known]
    said = moment.note if event.outcome is not None else _NAMES[event.name]
    return line(Piece(f"{said}: ", "muted"), ", ".join(titles))
