"""The ranker ``hybrid``: reciprocal rank fusion of lexical, bm25, and vector where configured.

Without expansion it is the formula to the letter: Σ 1 / (60 + rank), with the ranks that those
rankers give alone.

With expansion the query has been read for what it asks, so the lexical list is asked for the
telling words and the added terms alone: substring points for `what`, `did` and `the` are most of
what the lexical score gives a question. And memories with the same points share a rank, since the
age that orders them says nothing about the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.recall.rank import rank_lexically
from memtui.recall.rankers.base import (
    Missing,
    RankerUnavailable,
    RankFunction,
    RankRequest,
    Scored,
    best_first,
)
from memtui.recall.rankers.bm25 import rank_by_bm25
from memtui.recall.rankers.vector import rank_by_vector

RANK_CONSTANT = 60
"""The 60 of Σ 1 / (60 + rank)."""


def rank_by_fusion(request: RankRequest) -> Scored:
    """Every eligible document that one of the fused rankers found.

    A part that can not run is left out and named; vector is no part where none is configured.

    Raises:
        RankerUnavailable: nothing is left to fuse with the lexical list.

    """
    lists = [_lexical_ranks(request)]
    missing: list[Missing] = []
    parts: list[tuple[str, RankFunction]] = [("bm25", rank_by_bm25)]
    if request.embedder is not None:
        parts.append(("vector", rank_by_vector))
    for name, rank in parts:
        try:
            lists.append(_ranks(request, rank(request).scores))
        except RankerUnavailable as error:
            missing.append(Missing(name, error.code, str(error)))
    if len(lists) == 1:
        raise RankerUnavailable(missing[0].code, missing[0].detail)
    return Scored(fuse(lists), tuple(missing))


def fuse(lists: Sequence[Mapping[int, int]]) -> dict[int, float]:
    """Σ 1 / (60 + rank) over lists of ranks from 1, by position in the pool."""
    total: dict[int, float] = {}
    for ranks in lists:
        for place, rank in ranks.items():
            total[place] = total.get(place, 0.0) + 1 / (RANK_CONSTANT + rank)
    return total


def _lexical_ranks(request: RankRequest) -> dict[int, int]:
    """Position to lexical rank; shared by equals where the query was expanded."""
    terms = request.telling if request.expanded else request.query.terms
    hits = rank_lexically(request.pool, request.eligible, terms, request.body_window_chars)
    position = request.pool.position
    ranks: dict[int, int] = {}
    points, shared = 0.0, 0
    for hit in hits:
        if hit.score != points:
            points, shared = hit.score, hit.rank
        ranks[position[hit.document.id]] = shared if request.expanded else hit.rank
    return ranks


def _ranks(request: RankRequest, scores: Mapping[int, float]) -> dict[int, int]:
    ordered = best_first(request.pool, scores)
    return {place: rank for rank, place in enumerate(ordered, start=1)}
