"""How the work of a function grows with its input, told by a ratio and never by a time."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES_LONGER = 16
"""How much longer the long input is; work that grows with the square takes 256 times as long."""
MOST = 100
"""The ratio from which on work is no longer called linear: far from 16 and from 256."""


def grows_linearly(work: Callable[[str], object], text_of: Callable[[int], str], size: int) -> bool:
    """Whether work on an input 16 times as long is far below 256 times the work."""
    short, long = text_of(size), text_of(size * TIMES_LONGER)
    least = _least(work, short, 5)
    return any(_least(work, long, 1) <= MOST * least for _ in range(3))


def _least(work: Callable[[str], object], text: str, tries: int) -> float:
    times = []
    for _ in range(tries):
        started = time.perf_counter()
        work(text)
        times.append(time.perf_counter() - started)
    return min(times)
