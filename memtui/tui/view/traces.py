"""Pane 5 as data: the list of traces, and everything about one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memtui.memory.document import Document
from memtui.recall.trace import MetaValue, Step, Trace
from memtui.text import plural
from memtui.tui.view.ages import milliseconds
from memtui.tui.view.catalogue import Entry
from memtui.tui.view.columns import Column, fit_columns, lay_out
from memtui.tui.view.pieces import Line, Piece, line, safe, width_of
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View

CURRENT = "this recall"
"""The key of the recall on the screen; no trace has such an id."""
MOST_IDS = 200
"""Kept ids that are drawn; a recall keeps 20 at most, another program's may keep more."""
MOST_META = 40
"""Values of a step that are drawn."""
MOST_STEPS = 100
"""Steps that are drawn; a recall has a dozen."""
MOST_CHARS = 100
"""Characters of an id or a name that are drawn; a database may hold anything."""
BAR_CELLS = 8
SAME = "same query as now"

_TRACE_COLUMNS = (
    Column("time", 8),
    Column("from", 4, plain_cut=True, drop=2),
    Column("mode", 7, flexible=True, drop=1),
    Column("kept", 4, right=True),
    Column("took", 7, right=True, drop=3),
    Column("query", 5, most=len(SAME), plain_cut=True),
)
_STEP_COLUMNS = (
    Column("", 13),
    Column("", 7, right=True),
    Column("", 0, most=BAR_CELLS),
    Column("", 12, flexible=True),
)
_FULL_STEP_COLUMNS = (*_STEP_COLUMNS[:2], Column("", BAR_CELLS), Column("", 1, flexible=True))


@dataclass(frozen=True, slots=True)
class Log:
    """The recall on the screen, and what is in the store."""

    view: View
    """The recall on the screen."""
    stored: tuple[Trace, ...] = ()
    """Traces, newest first."""
    kept: bool | None = None
    """Whether the trace of the recall on the screen is stored; None if that is still to come."""
    problem: str = ""
    """Why the store can not be written or read."""
    what_if: bool = False
    """Whether the recall on the screen is over memories as they are not; it is never stored."""
    gone: Trace | None = None
    """A chosen trace that is not in the store any more."""

    @property
    def current(self) -> Trace:
        """The trace of the recall on the screen."""
        return self.view.recall.trace

    @property
    def others(self) -> tuple[Trace, ...]:
        """The traces below that of the recall on the screen, the one that is gone in its place."""
        others = [each for each in self.stored if each.trace_id != self.current.trace_id]
        if self.gone is not None:
            others.append(self.gone)
            others.sort(key=lambda trace: -trace.started_at)
        return tuple(others)

    def find(self, key: str | None) -> Trace:
        """The trace of a row; that of the recall on the screen if there is no such row."""
        return next((each for each in self.others if each.trace_id == key), self.current)

    def named(self, trace: Trace) -> str:
        """What to call a trace in a sentence."""
        if trace is self.current:
            return CURRENT
        return f"{trace.source} {moment(trace.started_at)}"


def log_rows(log: Log) -> Rows[object]:
    """The recall on the screen, then the stored traces, newest first."""
    return Rows[object](
        _TRACE_COLUMNS, (log.current, *log.others), _key_of(log), _trace_cells(log), ""
    )


def log_titles(log: Log, trace: Trace) -> PaneView:
    """Title and subtitle of the pane while the traces are in front."""
    name = Piece("5 traces", "strong")
    count = Piece(f" {len(log.stored):,} stored")
    return PaneView(((name, count), (name,)), _subtitle(log, trace), log_rows(log))


def _subtitle(log: Log, trace: Trace) -> tuple[Line, ...]:
    if log.problem:
        said = "not traced" if log.kept is False else "traces can not be read"
        return (line(Piece(f"{said}: {log.problem}", "warning")), line(Piece(said, "warning")))
    full = took(trace.duration_ms)
    if trace is log.current:
        full = f"{full} · scan {took(log.view.scan_ms)}"
    allowed = f"{plural(len(trace.kept_ids), 'id')} may be cited"
    return (
        line(Piece(f"{full} · {allowed} · {trace.trace_id[:8]}", "muted")),
        line(Piece(f"{full} · {allowed}", "muted")),
        line(Piece(full, "muted")),
    )


def _key_of(log: Log) -> Callable[[object], str]:
    def key(item: object) -> str:
        assert isinstance(item, Trace)
        return CURRENT if item is log.current else item.trace_id

    return key


def _trace_cells(log: Log) -> Callable[[object], tuple[Line, ...]]:
    same_hash = log.current.query_hash

    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, Trace)
        now = item is log.current
        same = SAME if item.query_hash == same_hash and not now else ""
        when = line("now ", _mark(log)) if now else line(moment(item.started_at))
        if item is log.gone:
            when = line(Piece("✗ gone", "warning"))
        return (
            when,
            line(Piece(item.source, "muted")),
            line(Piece(item.mode, "strong" if now else "plain")),
            line(Piece(f"{len(item.kept_ids):,}", "accent")),
            line(took(item.duration_ms)),
            line(Piece(same, "success")),
        )

    return cells


def _mark(log: Log) -> Piece:
    """Whether the recall on the screen is stored."""
    if log.what_if:
        return Piece("–", "muted")
    if log.kept is None:
        return Piece("…", "muted")
    return Piece("✓", "success") if log.kept else Piece("✗", "warning")


def trace_heading(log: Log, trace: Trace) -> tuple[Line, ...]:
    """Which trace the steps belong to, and whether it is stored."""
    name = Piece(log.named(trace), "strong")
    if trace is log.gone:
        return (line(name, Piece(" · not in the store any more", "warning")), line(name))
    if trace is not log.current:
        return (line(name, Piece(f" · {trace.mode}", "muted")), line(name))
    said = {None: "not stored yet", True: "stored", False: "not traced"}[log.kept]
    said = "a what-if, not stored" if log.what_if else said
    tone: Piece = Piece(f" · {said}", "warning" if log.kept is False else "muted")
    return (line(name, tone), line(name))


def trace_lines(log: Log, trace: Trace, width: int, *, full: bool = True) -> tuple[Line, ...]:
    """Limits, steps, kept ids and the rest of what is known of a trace.

    Args:
        log: where it comes from.
        trace: the trace.
        width: cells of a line.
        full: whether what a step has too much for its line goes on below, or is cut.

    """
    entries = log.view.catalogue.entries
    return (
        _limits(trace),
        *([()] if full else []),
        *_step_lines(trace.steps, width, full),
        (),
        *_kept(trace, entries),
        (),
        *_facts(log, trace),
    )


def _limits(trace: Trace) -> Line:
    """What was asked for and granted; a clamp stands out."""
    requested, effective = trace.requested_limit, trace.effective_limit
    capped = " ! capped" if effective < requested else ""
    return line(
        Piece("limits ", "muted"),
        f"asked {requested:,} · granted {effective:,}",
        Piece(capped, "warning"),
        Piece(f" · candidates {trace.candidate_limit:,}", "muted"),
    )


def _step_lines(steps: Sequence[Step], width: int, full: bool) -> list[Line]:
    timed = _timed(steps[:MOST_STEPS])
    longest = max((duration for _, duration in timed), default=0.0)
    columns = _FULL_STEP_COLUMNS if full else _STEP_COLUMNS
    fit = fit_columns(columns, width)
    indent = columns[0].width + 1
    lines: list[Line] = []
    for step, duration in timed:
        counts = safe([Piece(" · ".join(_counts(step)), "muted")])
        room = dict(fit).get(len(columns) - 1, 0)
        fits = not full or width_of(counts) <= room
        cells = (
            line(Piece(step.name, "strong")),
            line(took(duration)),
            line(_bar(duration, longest)),
            counts if fits else (),
        )
        lines.append(lay_out(cells, columns, fit))
        if not fits:
            lines += [(Piece(" " * indent), *row) for row in _wrapped(counts, width - indent)]
    return lines or [line(Piece("no step was stored", "muted"))]


def _wrapped(pieces: Line, width: int) -> list[Line]:
    """The counts of a step on lines of their own, broken between two counts."""
    rows: list[str] = [""]
    for part in "".join(piece.text for piece in pieces).split(" · "):
        joined = f"{rows[-1]} · {part}" if rows[-1] else part
        if rows[-1] and width_of((Piece(joined),)) > width:
            rows.append(part)
        else:
            rows[-1] = joined
    return [(Piece(row, "muted"),) for row in rows]


def _timed(steps: Sequence[Step]) -> list[tuple[Step, float]]:
    """Each step with the milliseconds since the one before."""
    times = [0.0, *(step.elapsed_ms for step in steps)]
    return [
        (step, max(0.0, step.elapsed_ms - before))
        for step, before in zip(steps, times, strict=False)
    ]


def _bar(duration: float, longest: float) -> Piece:
    filled = max(1, round(BAR_CELLS * duration / longest)) if duration and longest else 0
    return Piece("▇" * filled, "primary")


def _counts(step: Step) -> list[str]:
    shown = [
        f"{_short(name)} {_value(value)}" for name, value in list(step.meta.items())[:MOST_META]
    ]
    return shown or [""]


def _value(value: MetaValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"{len(value)}"
    return f"{value:,}" if isinstance(value, int | float) else _short(f"{value}")


def _kept(trace: Trace, entries: Mapping[str, Entry]) -> list[Line]:
    """The ids that may be cited, with the titles that this pool has for them."""
    ids = trace.kept_ids
    if not ids:
        return [line(Piece("no id may be cited", "muted"))]
    lines = [line(Piece(f"{plural(len(ids), 'id')} may be cited", "primary"))]
    lines += [kept_line(document_id, entries) for document_id in ids[:MOST_IDS]]
    if len(ids) > MOST_IDS:
        lines.append(line(Piece(f"and {len(ids) - MOST_IDS:,} more", "muted")))
    return lines


def kept_line(document_id: str, entries: Mapping[str, Entry]) -> Line:
    """An id with its title, or alone where this pool has no such document."""
    entry = entries.get(document_id)
    if not isinstance(entry, Document):
        return line(Piece(_short(document_id), "accent"), Piece("  not in this pool", "muted"))
    return line(Piece(document_id, "accent"), f"  {entry.title or entry.relative_path}")


def _facts(log: Log, trace: Trace) -> list[Line]:
    same = trace.query_hash == log.current.query_hash and trace is not log.current
    query = f"{trace.query_chars:,} chars, its hash begins {trace.query_hash[:8]}"
    facts = [
        _named("mode", _short(trace.mode)),
        _named("query", query, Piece(f" · {SAME}" if same else "", "success")),
        _named("started", f"{full_moment(trace.started_at)}, took {took(trace.duration_ms)}"),
        _named("trace", Piece(_short(trace.trace_id), "accent")),
    ]
    if log.problem:
        facts.append(_named("store", Piece(log.problem, "warning")))
    return facts


def _named(name: str, *parts: str | Piece) -> Line:
    return line(Piece(f"{name:<8} ", "muted"), *parts)


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"


def took(duration_ms: float) -> str:
    """A duration in at most seven cells up to 999 s."""
    if duration_ms < 99.95:
        return milliseconds(duration_ms)
    return f"{duration_ms:.0f} ms" if duration_ms < 999.5 else f"{duration_ms / 1000:,.1f} s"


def moment(at_ms: int) -> str:
    """A local time of today as a time, another day as a date, in eight cells."""
    then, now = _local(at_ms), time.localtime()
    if then is None:
        return "?"
    if then[:3] == now[:3]:
        return time.strftime("%H:%M:%S", then)
    return time.strftime("%d %b", then) if then[0] == now[0] else time.strftime("%Y-%m", then)


def full_moment(at_ms: int) -> str:
    """A local date and time."""
    then = _local(at_ms)
    return time.strftime("%Y-%m-%d %H:%M:%S", then) if then else "?"


def _local(at_ms: int) -> time.struct_time | None:
    try:
        local = time.localtime(at_ms / 1000)
    except (OverflowError, OSError, ValueError):
        return None
    return local if 0 < local.tm_year <= 9999 else None
