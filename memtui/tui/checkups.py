"""Finds out in threads what is wrong with the memories of a pool; typing never waits for it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from textual.dom import DOMNode

from memtui.limits import Limits
from memtui.memory.dialects import DIALECTS
from memtui.memory.document import Document, Pool
from memtui.memory.health import Finding, find_problems
from memtui.memory.index import IndexReport, measure_index
from memtui.memory.readings import dialect_readings, read_source, skipped_readings
from memtui.memory.recency import clustered_roots
from memtui.memory.scan import INDEX_NAME
from memtui.tui.messages import HealthReady, ReadingsReady
from memtui.tui.newest import Newest
from memtui.tui.precedence import Precedence
from memtui.tui.stopping import Stale, Stopped
from memtui.tui.view.catalogue import Entry
from memtui.tui.view.health import Health, Readings

PAUSE_S = 0.15
"""How long nothing newer must be scanned before the findings are looked for, seconds."""


class Checkups:
    """What a screen asks about its pool. It is answered with messages."""

    def __init__(self, screen: DOMNode, precedence: Precedence) -> None:
        self._screen = screen
        self._health = Newest[tuple[Pool, Limits]](
            screen,
            "health",
            self._look_for,
            pause_s=PAUSE_S,
            give_way=precedence.give_way,
        )
        self._readings = Newest[tuple[Pool, str, Entry]](screen, "readings", self._read)

    def ask(self, pool: Pool, limits: Limits) -> None:
        """Looks for what is wrong; the answers come as ``HealthReady``."""
        self._health.put((pool, limits))

    def look_into(self, pool: Pool, key: str, entry: Entry) -> None:
        """Reads one file by both dialects; the answer comes as ``ReadingsReady``."""
        self._readings.put((pool, key, entry))

    def _look_for(self, job: tuple[Pool, Limits], stale: Stale) -> None:
        pool, limits = job
        indexes = tuple(indexes_of(pool, limits))
        clustered = clustered_roots(pool)
        self._screen.post_message(HealthReady(pool, Health(limits, indexes, clustered)))

        def source(document: Document) -> bytes | None:
            return read_source(document, limits.file_bytes)

        def step() -> None:
            if stale():
                raise Stopped

        found: dict[str, list[Finding]] = {}
        for each in find_problems(pool, limits, source, step):
            found.setdefault(each.document.id, []).append(each)
        findings = {key: tuple(of_one) for key, of_one in found.items()}
        self._screen.post_message(HealthReady(pool, Health(limits, indexes, clustered, findings)))

    def _read(self, job: tuple[Pool, str, Entry], stale: Stale) -> None:
        pool, key, entry = job
        if isinstance(entry, Document):
            views = dialect_readings(entry) if entry.dialect in DIALECTS else None
        else:
            views = skipped_readings(entry)
        if not stale():
            self._screen.post_message(ReadingsReady(pool, key, Readings(views)))


def indexes_of(pool: Pool, limits: Limits) -> Iterator[IndexReport]:
    """The index at the root of each scope, measured as an agent loads it."""
    for report in pool.scopes:
        path = os.path.join(report.root, INDEX_NAME)
        if path in pool.indexes:
            yield measure_index(path, pool, report.scope, report.root, limits.file_bytes)
