"""Why was it not recalled? The ladder, the margin, the near misses and the verified remedies."""

from __future__ import annotations

from memtui.recall.why.explain import Why, explain, why_record
from memtui.recall.why.ladder import Rung, climb
from memtui.recall.why.target import AmbiguousDocument, Missing, Target, find_target

__all__ = [
    "AmbiguousDocument",
    "Missing",
    "Rung",
    "Target",
    "Why",
    "climb",
    "explain",
    "find_target",
    "why_record",
]
