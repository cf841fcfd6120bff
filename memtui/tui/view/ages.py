"""Ages and counts as short text."""

from __future__ import annotations

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


def short_age(mtime_ms: float | None, now_ms: float) -> str:
    """The age of a document in at most four cells: ``now``, ``5m``, ``3h``, ``41d``, ``3y``."""
    if mtime_ms is None:
        return "?"
    age = now_ms - mtime_ms
    if age < -MINUTE_MS:
        return "soon"
    if age < MINUTE_MS:
        return "now"
    if age < HOUR_MS:
        return f"{int(age // MINUTE_MS)}m"
    if age < DAY_MS:
        return f"{int(age // HOUR_MS)}h"
    days = int(age // DAY_MS)
    return f"{days}d" if days < 1_000 else f"{days // 365}y"


def milliseconds(duration: float) -> str:
    """A duration for a column: ``0.04 ms``, ``3.1 ms``, ``212 ms``."""
    if duration < 0.1:
        return f"{duration:.2f} ms"
    return f"{duration:.1f} ms" if duration < 100 else f"{duration:,.0f} ms"
