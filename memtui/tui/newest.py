"""Work in a thread where only the newest job counts: an older one is given up."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock
from typing import Generic, TypeVar

from textual.dom import DOMNode
from textual.worker import Worker, get_current_worker

from memtui.tui.stopping import Stale, Stopped

__all__ = ["Newest", "Stale"]

Job = TypeVar("Job")


class Newest(Generic[Job]):
    """Does the newest of the jobs that are put, in one thread."""

    def __init__(
        self,
        node: DOMNode,
        group: str,
        work: Callable[[Job, Stale], None],
        *,
        pause_s: float = 0.0,
        give_way: Callable[[], None] | None = None,
    ) -> None:
        """Prepares a thread that is started by the first job.

        Args:
            node: whose worker the thread is.
            group: the name of the worker.
            work: does a job, and posts what comes out.
            pause_s: how long nothing newer must come before a job is begun, seconds.
            give_way: waits for what is more urgent; called whenever a job asks if it is stale.

        """
        self._node = node
        self._group = group
        self._work = work
        self._pause_s = pause_s
        self._give_way = give_way
        self._lock = Lock()
        self._changed = Event()
        self._waiting: list[Job] = []
        self._hurry = False
        self._busy = False
        self._generation = 0

    def put(self, job: Job, *, at_once: bool = False) -> None:
        """Wants this and nothing before it; ``at_once`` leaves the pause out."""
        with self._lock:
            self._generation += 1
            self._waiting = [job]
            self._hurry = at_once
            start, self._busy = not self._busy, True
        self._changed.set()
        if start:
            self._node.run_worker(self._serve, group=self._group, thread=True, exit_on_error=True)

    def drop(self) -> None:
        """Wants nothing any more."""
        with self._lock:
            self._generation += 1
            self._waiting = []
        self._changed.set()

    def _serve(self) -> None:
        worker = get_current_worker()
        while (taken := self._take(worker)) is not None:
            job, generation = taken

            def stale(generation: int = generation) -> bool:
                if self._give_way is not None:
                    self._give_way()
                return generation != self._generation or worker.is_cancelled

            try:
                if not stale():
                    self._work(job, stale)
            except Stopped:
                continue

    def _take(self, worker: Worker[None]) -> tuple[Job, int] | None:
        """The job to do next, once nothing newer came for a while."""
        while not worker.is_cancelled:
            self._changed.clear()
            with self._lock:
                if not self._waiting:
                    break
                hurry = self._hurry
            if not hurry and self._pause_s and self._changed.wait(self._pause_s):
                continue
            with self._lock:
                if self._waiting:
                    return self._waiting.pop(), self._generation
        with self._lock:
            self._busy = bool(self._waiting) and not worker.is_cancelled
            return (self._waiting.pop(), self._generation) if self._busy else None
