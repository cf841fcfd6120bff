"""Work for one thread of which only the newest piece counts."""

from __future__ import annotations

from threading import Lock
from typing import Generic, TypeVar

Work = TypeVar("Work")


class Newest(Generic[Work]):
    """Holds the newest piece of work that nobody has begun. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: tuple[int, Work] | None = None
        self._busy = False
        self._generation = 0

    def put(self, work: Work) -> bool:
        """Replaces what waits; true if a thread has to be started for it."""
        with self._lock:
            self._generation += 1
            self._waiting = (self._generation, work)
            start, self._busy = not self._busy, True
            return start

    def take(self) -> tuple[int, Work] | None:
        """What to do next, and its generation; without any the thread has to end."""
        with self._lock:
            taken, self._waiting = self._waiting, None
            self._busy = taken is not None
            return taken

    def is_newest(self, generation: int) -> bool:
        """Whether nothing was asked for since."""
        with self._lock:
            return generation == self._generation
