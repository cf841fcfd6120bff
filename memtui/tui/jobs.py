"""Jobs for the thread that scans and recalls: one at a time, and only the newest counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from memtui.engine import Engine
from memtui.memory.document import Document, MemoryRootError, Pool
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.recall.trace import stopwatch
from memtui.tui.overlay import pool_under
from memtui.tui.view.view import PoolOrder, View


class ScanCancelled(Exception):
    """The scan was stopped by the user, or is no longer wanted."""


@dataclass(frozen=True, slots=True)
class Job:
    """One recall to make."""

    generation: int
    """Counts up; a result of an older job is not shown."""
    query: str
    """What to ask."""
    options: RecallOptions
    """How."""
    order: PoolOrder
    """The order of the pool to prepare."""
    rescan: bool = False
    """Whether the roots are to be read again first."""
    changed: tuple[Document, ...] = ()
    """Memories as they would be, each in place of what is at its path."""
    live: bool = False
    """Whether nobody asked for a scan: one that fails keeps what was read before."""


class JobQueue:
    """Holds the newest job that nobody works on yet. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: Job | None = None
        self._busy = False
        self._generation = 0

    def put(
        self,
        query: str,
        options: RecallOptions,
        order: PoolOrder,
        *,
        rescan: bool = False,
        changed: tuple[Document, ...] = (),
        live: bool = False,
    ) -> bool:
        """Replaces what waits by a new job; true if a thread has to be started for it."""
        with self._lock:
            self._generation += 1
            before = self._waiting
            owed = before is not None and before.rescan
            wanted = (rescan and not live) or (before is not None and owed and not before.live)
            self._waiting = Job(
                self._generation, query, options, order, rescan or owed, changed, not wanted
            )
            start, self._busy = not self._busy, True
            return start

    def take(self) -> Job | None:
        """The job to do next; without one the thread has to end."""
        with self._lock:
            job, self._waiting = self._waiting, None
            self._busy = job is not None
            return job

    def is_newest(self, generation: int) -> bool:
        """Whether no later job has been asked for."""
        with self._lock:
            return generation == self._generation


class Recaller:
    """Does the jobs with one engine. Used from one thread at a time."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._pool: Pool | None = None
        self._read_with = engine.setup.options.limits
        self._under: tuple[Pool | None, object, Pool] | None = None
        self._scan_ms = 0.0
        self._refusal: Exception | None = None

    def scan(self, job: Job, progress: Callable[[int], None]) -> None:
        """Reads the roots, if that was not done yet or the job wants it again.

        A first scan that failed or was stopped is not tried again before a job asks for it.

        Args:
            job: what to do.
            progress: called with the number of files read; may raise ``ScanCancelled``.

        Raises:
            MemoryRootError: a required root can not be read.
            ScanCancelled: from ``progress``.

        A scan that failed or was stopped is not tried again before a job asks for it.

        """
        self.engine.setup = replace(self.engine.setup, options=job.options)
        lowered = job.options.limits.file_bytes < self._read_with.file_bytes
        if not job.rescan and not lowered:
            if self._refusal is not None:
                raise self._refusal
            if self._pool is not None:
                return
        started = stopwatch()
        try:
            self._pool = self.engine.scan(progress)
            self._read_with = job.options.limits
        except ScanCancelled as stopped:
            self._refusal = stopped if self._pool is None else None
            raise
        except MemoryRootError as failed:
            if not (job.live and self._pool is not None):
                self._pool, self._refusal = None, failed
            raise
        self._refusal = None
        self._scan_ms = stopwatch() - started

    @property
    def has_pool(self) -> bool:
        """Whether there is something to recall from."""
        return self._pool is not None

    def read(self, sources: tuple[Source, ...]) -> None:
        """Reads these roots, or the same ones in another way, from the next scan on."""
        if sources != self.engine.setup.sources:
            self.engine.read(sources)

    def view(self, job: Job) -> View:
        """Recalls over what was scanned, and prepares everything that takes long to draw."""
        pool = self._changed_pool(job)
        view = View.of(self.engine.recall(job.query, pool), pool, self._scan_ms)
        view.ordered(job.order)
        view.counts  # noqa: B018 - counted here, not on the screen's thread
        return view

    def pool_under(self, options: RecallOptions, changed: tuple[Document, ...] = ()) -> Pool:
        """The pool as a scan with these options would find it, some memories changed."""
        return pool_under(self._pool or Pool(), self._read_with, options.limits, changed)

    def _changed_pool(self, job: Job) -> Pool:
        """The pool of a job; kept for the next one, so that typing does not make it again."""
        limits = job.options.limits
        wanted = (limits.file_bytes, limits.capped_scan_docs, job.changed)
        kept = self._under
        if kept is None or kept[0] is not self._pool or kept[1] != wanted:
            kept = (self._pool, wanted, self.pool_under(job.options, job.changed))
            self._under = kept
        return kept[2]
