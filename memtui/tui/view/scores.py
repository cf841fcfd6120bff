"""Scores as what they are: points of the lexical ranker, and the own scale of any other."""

from __future__ import annotations

from memtui.text import ordinal
from memtui.tui.view.columns import Column
from memtui.tui.view.view import View

LEXICAL = "lexical"


def is_lexical(view: View) -> bool:
    """Whether the agents' own ranker ranked."""
    return view.recall.ranker == LEXICAL


def score_column(view: View, drop: int = 0) -> Column:
    """The column of the scores: ``pts``, or ``0–1``."""
    if is_lexical(view):
        return Column("pts", 3, right=True, drop=drop)
    return Column("0–1", 5, right=True, drop=drop)


def score_text(view: View, score: float) -> str:
    """``24`` points, or ``0.834``."""
    return f"{score:g}" if is_lexical(view) else f"{score:.3f}"


def score_words(view: View, key: str) -> str:
    """``24 points, 1st of 3``, ``0.834 (0 to 1) by bm25, 2nd of 12``, or why there is none."""
    recall = view.recall
    hit = view.hit_of.get(key)
    if is_lexical(view):
        if hit is None:
            return "no token matches"
        return f"{hit.score:g} points, {ordinal(hit.rank)} of {len(recall.hits):,}"
    found = len(recall.ranking.order)
    if hit is not None:
        return f"{hit.score:.3f} (0 to 1) by {recall.ranker}, {ordinal(hit.rank)} of {found:,}"
    rank = recall.ranking.ranks.get(key)
    if rank is None:
        return f"not found by {recall.ranker}"
    return (
        f"{ordinal(rank)} of {found:,} by {recall.ranker}, "
        f"behind the cut of {recall.budget.candidates:,}"
    )
