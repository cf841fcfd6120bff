"""The query goes first: other work in threads stands back while it is answered."""

from __future__ import annotations

from threading import Event

PATIENCE_S = 0.25
"""Seconds after which an answer is no longer waited for."""


class Precedence:
    """Threads share one interpreter, so work that goes on beside a recall delays it."""

    def __init__(self) -> None:
        self._free = Event()
        self._free.set()

    def take(self) -> None:
        """A query is being answered."""
        self._free.clear()

    def release(self) -> None:
        """It is answered, and the answer is drawn."""
        self._free.set()

    def give_way(self) -> None:
        """Waits while a query is being answered. For threads, between two steps of their work."""
        if not self._free.wait(PATIENCE_S):
            self._free.set()
