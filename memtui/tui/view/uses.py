"""How often a memory was shown to a model, in words and in a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.state import Use
from memtui.text import plural
from memtui.tui.view.ages import DAY_MS, HOUR_MS, MINUTE_MS, short_age


@dataclass(frozen=True, slots=True)
class Uses:
    """The use counts of a pool, as they were at one moment."""

    counts: Mapping[str, Use]
    """By the id of the document; those never shown are left out."""
    now_ms: float
    """The moment, epoch milliseconds."""

    def words(self, document_id: str) -> str:
        """``used 3 times, last 2 days ago``, ``never used``."""
        use = self.counts.get(document_id)
        if use is None:
            return "never used"
        when = ago(self.now_ms - use.last_used_ms)
        return f"used once, {when}" if use.count == 1 else f"used {use.count:,} times, last {when}"

    def cell(self, document_id: str) -> str:
        """``3× 2d``, or ``–`` for never."""
        use = self.counts.get(document_id)
        if use is None:
            return "–"
        return f"{use.count}× {short_age(use.last_used_ms, self.now_ms)}"


def ago(age_ms: float) -> str:
    """An age in words: ``just now``, ``5 minutes ago``, ``2 days ago``."""
    for size, noun in ((DAY_MS, "day"), (HOUR_MS, "hour"), (MINUTE_MS, "minute")):
        if age_ms >= size:
            return f"{plural(int(age_ms // size), noun)} ago"
    return "just now"
