"""The content-free record of one recall: steps with counts, ids and times, never text."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Literal

Source = Literal["tui", "cli", "mcp", "api"]
MetaValue = int | float | str | bool | None | tuple[str, ...]

WallClock = Callable[[], float]
"""Epoch milliseconds."""


def wall_clock() -> float:
    """Now, in epoch milliseconds."""
    return time.time() * 1000


def stopwatch() -> float:
    """A monotonic time in milliseconds, for durations."""
    return time.perf_counter() * 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One stage as it ran."""

    name: str
    """The stage: ``scan.pool``, ``manifest.pack``, …"""
    at: int
    """When it ended, epoch milliseconds."""
    elapsed_ms: float
    """Milliseconds from the start of the recall to the end of this step."""
    meta: Mapping[str, MetaValue]
    """Counts and ids; no text of a query or a memory."""

    def as_json(self) -> dict[str, object]:
        """The step as it is stored."""
        meta = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in self.meta.items()
        }
        return {"name": self.name, "at": self.at, "elapsedMs": self.elapsed_ms, "meta": meta}


@dataclass(frozen=True, slots=True)
class Trace:
    """What is kept of a recall. Field names are the columns of ``recall_traces``."""

    trace_id: str
    """UUID4."""
    source: str
    """The face that asked: ``tui``, ``cli``, ``mcp`` or ``api``."""
    mode: str
    """``<ranker>/<strategy>``."""
    query_hash: str
    """SHA-256 of the query's UTF-8 bytes as given."""
    query_chars: int
    """Length of the query, UTF-16 code units."""
    requested_limit: int
    """The limit that was asked for."""
    effective_limit: int
    """The limit that was used."""
    candidate_limit: int
    """Most documents that ranked retrieval may return."""
    kept_ids: tuple[str, ...]
    """The ids that the context really shows: the only ones that may be cited."""
    steps: tuple[Step, ...]
    """The stages in the order in which they ran."""
    started_at: int
    """Epoch milliseconds."""
    ended_at: int
    """Epoch milliseconds."""
    duration_ms: float
    """Milliseconds, by a monotonic clock."""

    def as_json(self) -> dict[str, object]:
        """The trace under its column names."""
        return {
            "trace_id": self.trace_id,
            "source": self.source,
            "mode": self.mode,
            "query_hash": self.query_hash,
            "query_chars": self.query_chars,
            "requested_limit": self.requested_limit,
            "effective_limit": self.effective_limit,
            "candidate_limit": self.candidate_limit,
            "kept_ids": list(self.kept_ids),
            "steps": [step.as_json() for step in self.steps],
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "duration_ms": self.duration_ms,
        }


class Tracer:
    """Records steps while a recall runs; both clocks are injected."""

    def __init__(
        self, clock: WallClock = wall_clock, watch: Callable[[], float] = stopwatch
    ) -> None:
        self.trace_id = str(uuid.uuid4())
        self._watch = watch
        self._started = watch()
        self.started_at = int(clock())
        self._steps: list[Step] = []

    def elapsed_ms(self) -> float:
        """Milliseconds since this tracer was made, to the microsecond."""
        return round(self._watch() - self._started, 3)

    def step(self, name: str, **meta: MetaValue) -> None:
        """Records that the stage ``name`` has just ended."""
        elapsed = self.elapsed_ms()
        self._steps.append(Step(name, self.started_at + int(elapsed), elapsed, meta))

    def fork(self) -> Tracer:
        """A tracer with the same id, clocks and steps that goes its own way from here on."""
        twin = copy(self)
        twin._steps = list(self._steps)
        return twin

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has been recorded so far."""
        return tuple(self._steps)
