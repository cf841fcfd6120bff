"""What the pool is narrowed to, apart from what is typed into its filter."""

from __future__ import annotations

from enum import Enum

from memtui.tui.view.fates import Fate
from memtui.tui.view.health import health_of, with_findings
from memtui.tui.view.view import View


class Narrowing(Enum):
    """Which rows of the pool are listed; the value is what the title says."""

    ALL = ""
    FINDINGS = "with findings"
    SKIPPED = "skipped"

    @property
    def following(self) -> Narrowing:
        """The one after this, round and round."""
        every = list(Narrowing)
        return every[(every.index(self) + 1) % len(every)]


def narrowed(view: View, to: Narrowing) -> frozenset[str] | None:
    """The keys that are listed; None for all."""
    if to is Narrowing.FINDINGS:
        return with_findings(view)
    if to is Narrowing.SKIPPED:
        return frozenset(key for key, fate in view.catalogue.fates.items() if fate is Fate.SKIPPED)
    return None


def nothing_left(view: View, to: Narrowing) -> str:
    """What is said where no row is left."""
    if to is Narrowing.SKIPPED:
        return "no file was skipped: esc lists every memory again"
    if to is Narrowing.FINDINGS:
        health = health_of(view)
        if health is None or health.findings is None:
            return "findings are still being looked for"
        return "no memory has a finding: esc lists every memory again"
    return "the store is empty"
