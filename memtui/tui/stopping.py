"""How long work in a thread is told that nobody waits for it any more."""

from __future__ import annotations

from collections.abc import Callable

Stale = Callable[[], bool]
"""Whether nobody wants the answer any more; to be asked often."""


class Stopped(Exception):
    """Nobody wants the answer any more. Raised by the work itself, to end early."""


def never() -> bool:
    """The answer is wanted, whatever happens."""
    return False
