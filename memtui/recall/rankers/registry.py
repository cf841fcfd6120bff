"""The rankers by name, and the one way to ask them: uncut, and never silent about a fallback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.limits import Limits
from memtui.memory.document import Document, Pool
from memtui.recall.query import Query
from memtui.recall.rank import Hit, Points, rank_lexically, score
from memtui.recall.rankers.base import (
    Embedder,
    Missing,
    RankerUnavailable,
    RankFunction,
    Ranking,
    RankRequest,
    Scored,
    best_first,
)
from memtui.recall.rankers.bm25 import rank_by_bm25
from memtui.recall.rankers.hybrid import rank_by_fusion
from memtui.recall.rankers.vector import rank_by_vector
from memtui.recall.text_index import text_index

LEXICAL = "lexical"


def _fuzzy(request: RankRequest) -> Scored:
    from memtui.recall.rankers.fuzzy import rank_by_fuzziness  # loads rapidfuzz

    return rank_by_fuzziness(request)


@dataclass(frozen=True, slots=True)
class Ranker:
    """A ranker as it can be chosen."""

    name: str
    """As it is typed."""
    summary: str
    """What it does, in one line."""
    rank: RankFunction | None = None
    """How it scores; None for the lexical one, which the pipeline reproduces exactly."""
    falls_back_to: str = LEXICAL
    """Who ranks where it can not run."""


RANKERS: Mapping[str, Ranker] = {
    each.name: each
    for each in (
        Ranker(LEXICAL, "substring points by field: what the agents do"),
        Ranker("bm25", "full-text search with stems and rarity", rank_by_bm25),
        Ranker(
            "vector", "nearness in meaning, by an embeddings endpoint", rank_by_vector, "hybrid"
        ),
        Ranker("fuzzy", "words spelled nearly like those of the query", _fuzzy),
        Ranker("hybrid", "lexical, bm25 and, where configured, vector fused", rank_by_fusion),
    )
}
"""Every ranker, the default first."""


def rank_all(
    name: str,
    pool: Pool,
    eligible: Sequence[Document],
    query: Query,
    limits: Limits,
    *,
    expanded: bool = False,
    embedder: Embedder | None = None,
    most: int | None = None,
) -> Ranking:
    """The ranking of the eligible documents by a ranker, or by what it falls back to.

    Args:
        name: a key of ``RANKERS``.
        pool: the pool, in whose ``memo`` indexes are kept.
        eligible: the documents of it that may be found, in pool order.
        query: with the terms that were added to it.
        limits: for ``body_window_chars``.
        expanded: whether the query was expanded.
        embedder: makes embeddings, where an endpoint is configured.
        most: hits wanted; None for all of them. The lexical ranking is never cut.

    Raises:
        KeyError: no ranker is called so.

    """
    request = RankRequest(pool, eligible, query, limits.body_window_chars, expanded, embedder)
    ranker = RANKERS[name]
    missing: tuple[Missing, ...] = ()
    while ranker.rank is not None:
        try:
            found = ranker.rank(request)
        except RankerUnavailable as error:
            missing = (*missing, Missing(ranker.name, error.code, str(error)))
            ranker = RANKERS[ranker.falls_back_to]
            request = replace(request, embedder=None)
            continue
        order = best_first(pool, found.scores)
        hits = _hits(request, order[:most], found.scores)
        ids = tuple(pool.documents[place].id for place in order)
        return Ranking(name, ranker.name, hits, ids, (*missing, *found.missing))
    hits = rank_lexically(pool, eligible, query.terms, limits.body_window_chars)
    return Ranking(name, LEXICAL, hits, tuple(hit.document.id for hit in hits), missing)


def _hits(
    request: RankRequest, order: Sequence[int], scores: Mapping[int, float]
) -> tuple[Hit, ...]:
    """Hits with the ranker's own score and the lexical points of each document."""
    index = text_index(request.pool, request.body_window_chars)
    terms = request.query.terms
    hits = []
    for rank, place in enumerate(order, start=1):
        document = request.pool.documents[place]
        points = score(index.text(place), document.type, terms) if terms else Points()
        hits.append(Hit(document, scores[place], rank, points))
    return tuple(hits)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One query by every ranker that can run."""

    ranks: Mapping[str, Mapping[str, int]]
    """Document id to ranker to rank from 1; a document that a ranker did not find is not there."""
    rankers: tuple[str, ...]
    """The rankers that ranked, in the order of ``RANKERS``."""
    missing: tuple[Missing, ...]
    """Those that could not run."""


def ranks_by_ranker(
    pool: Pool,
    eligible: Sequence[Document],
    query: Query,
    limits: Limits,
    *,
    expanded: bool = False,
    embedder: Embedder | None = None,
) -> SideBySide:
    """The rank of every document by every ranker; a fallback's ranks stand under no other name."""
    ranks: dict[str, dict[str, int]] = {}
    ranked: list[str] = []
    missing: dict[str, Missing] = {}
    for name in RANKERS:
        working = None if "vector" in missing else embedder
        ranking = rank_all(
            name, pool, eligible, query, limits, expanded=expanded, embedder=working, most=0
        )
        for each in ranking.missing:
            missing.setdefault(each.ranker, each)
        if ranking.ranker != name:
            continue
        ranked.append(name)
        for document_id, rank in ranking.ranks.items():
            ranks.setdefault(document_id, {})[name] = rank
    return SideBySide(ranks, tuple(ranked), tuple(missing.values()))
