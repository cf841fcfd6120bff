"""Scans and recalls in a thread on behalf of a screen, and posts it what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from textual.dom import DOMNode
from textual.worker import get_current_worker

from memtui.engine import Engine
from memtui.memory.document import Document, MemoryRootError, Pool
from memtui.memory.scan import Progress
from memtui.recall.options import RecallOptions
from memtui.recall.trace import stopwatch
from memtui.tui.jobs import Job, JobQueue, Recaller, ScanCancelled
from memtui.tui.messages import (
    LiveScanFailed,
    RecallReady,
    ScanFailed,
    ScanProgress,
    ScanStopped,
)
from memtui.tui.view.view import PoolOrder

PROGRESS_EVERY_MS = 100.0
"""How often the progress of a scan is drawn; drawing it takes time from the scan."""


class Recalls:
    """What a screen asks for recalls. Typing never waits; only the newest answer counts."""

    def __init__(self, screen: DOMNode, engine: Engine) -> None:
        self._screen = screen
        self._recaller = Recaller(engine)
        self._queue = JobQueue()
        self._stop = Event()
        self._live = False
        self.sources = engine.setup.sources
        """The roots to read."""

    def ask(
        self,
        query: str,
        options: RecallOptions,
        order: PoolOrder,
        *,
        rescan: bool = False,
        changed: tuple[Document, ...] = (),
    ) -> None:
        """Asks for a recall; the answer comes as a ``RecallReady`` message.

        Args:
            query: what to ask.
            options: how.
            order: the order of the pool to prepare.
            rescan: whether the roots are to be read again first.
            changed: memories as they would be, each in place of what is at its path.

        """
        if rescan:
            self._stop.clear()
        live = self._live
        if self._queue.put(query, options, order, rescan=rescan, changed=changed, live=live):
            self._screen.run_worker(self._serve, group="recall", thread=True, exit_on_error=True)

    def pool_under(self, options: RecallOptions) -> Pool:
        """The pool as it was read, under the limits of some options; safe in any thread."""
        return self._recaller.pool_under(options)

    @contextmanager
    def live(self) -> Iterator[None]:
        """Within it, a scan is asked for only because files changed: it may fail."""
        self._live = True
        try:
            yield
        finally:
            self._live = False

    def stop_scan(self) -> None:
        """Stops a scan at the next file it reads."""
        self._stop.set()

    def is_newest(self, generation: int) -> bool:
        """Whether an answer is still wanted."""
        return self._queue.is_newest(generation)

    def _serve(self) -> None:
        worker = get_current_worker()
        told_ms = 0.0

        def progress(files: int) -> None:
            nonlocal told_ms
            if self._stop.is_set() or worker.is_cancelled:
                raise ScanCancelled
            if (now_ms := stopwatch()) - told_ms > PROGRESS_EVERY_MS:
                told_ms = now_ms
                self._screen.post_message(ScanProgress(files))

        while (job := self._queue.take()) is not None and not worker.is_cancelled:
            self._do(job, progress)

    def _do(self, job: Job, progress: Progress) -> None:
        self._recaller.read(self.sources)
        try:
            self._recaller.scan(job, progress)
        except MemoryRootError as error:
            if not (job.live and self._recaller.has_pool):
                self._screen.post_message(ScanFailed(job.generation, str(error)))
                return
            self._screen.post_message(LiveScanFailed(str(error)))
        except ScanCancelled:
            self._screen.post_message(ScanStopped(job.generation))
            return
        if self._queue.is_newest(job.generation):
            view = self._recaller.view(job)
            if self._queue.is_newest(job.generation):
                self._screen.post_message(RecallReady(job.generation, view))
