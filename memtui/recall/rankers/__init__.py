"""Rankers: ``lexical``, which the agents use, and others to ask what would have found a memory.

``registry`` asks them by name; ``base`` says what a ranker is; each other module is one of them, or
a part of one.
"""

from memtui.recall.rankers.base import Embedder, Missing, Ranking, normalised_score
from memtui.recall.rankers.choose import choose_embedder
from memtui.recall.rankers.registry import (
    RANKERS,
    Ranker,
    SideBySide,
    rank_all,
    ranks_by_ranker,
)

__all__ = [
    "RANKERS",
    "Embedder",
    "Missing",
    "Ranker",
    "Ranking",
    "SideBySide",
    "choose_embedder",
    "normalised_score",
    "rank_all",
    "ranks_by_ranker",
]
