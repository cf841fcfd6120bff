"""The budget of a recall: what was asked for, what is granted, and whether that is a clamp."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtui.limits import Limits

DEFAULT_REQUEST = 10
"""What an unreadable or missing request counts as."""

_LEADING_DIGITS = re.compile(r"\s*\+?([0-9]+)")
_CANDIDATES_PER_RESULT = 3


@dataclass(frozen=True, slots=True)
class Budget:
    """How many results a recall may have."""

    requested: int
    """The limit that was asked for."""
    effective: int
    """The limit that is used."""
    candidates: int
    """Most documents that ranked retrieval may return."""

    @property
    def capped(self) -> bool:
        """Whether less is granted than was asked for."""
        return self.effective < self.requested


def plan_budget(requested: object, limits: Limits | None = None) -> Budget:
    """Clamps a request: any value is accepted and read as its leading decimal digits.

    None, no digits and zero count as 10 (`tests/data/contract.json`, ``budgets``).
    """
    limits = limits or Limits()
    wanted = _leading_number(requested) or DEFAULT_REQUEST
    effective = min(wanted, limits.recall_results)
    candidates = min(limits.recall_candidates, max(wanted, _CANDIDATES_PER_RESULT * effective))
    return Budget(wanted, effective, candidates)


def _leading_number(requested: object) -> int:
    if isinstance(requested, bool):
        return 0
    if isinstance(requested, float) and abs(requested) < 1e21:
        requested = int(requested)
    match = _LEADING_DIGITS.match(str(requested))
    return int(match.group(1)[:18]) if match else 0
