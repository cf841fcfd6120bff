"""What a ranker is given, what it gives, and how it says that it can not run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from memtui.memory.document import Document, Pool
from memtui.recall.query import Query
from memtui.recall.rank import Hit
from memtui.recall.rankers.words import without_function_words

Vector = Sequence[float]
"""An embedding."""


class Embedder(Protocol):
    """Turns texts into embeddings: an endpoint, or a stand-in for one."""

    @property
    def space(self) -> str:
        """Names the space of the vectors: two embedders with one name may be compared."""
        ...

    def documents(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """One vector of length 1 for each text of a memory; may be kept for the next time.

        Raises:
            RankerUnavailable: the endpoint is not configured, or gave no usable answer.

        """
        ...

    def query(self, text: str, /) -> Vector:
        """The vector of a query, which is kept nowhere.

        Raises:
            RankerUnavailable: as above.

        """
        ...


class RankerUnavailable(Exception):
    """A ranker can not run. ``str()`` is one clear line without a secret or a text.

    ``code`` says it in one word that may stand in a trace.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


@dataclass(frozen=True)
class RankRequest:
    """One query over the eligible documents of a pool."""

    pool: Pool
    """Every document; what is derived from it is kept in its ``memo``."""
    eligible: Sequence[Document]
    """Those that may be found, in pool order."""
    query: Query
    """The query with the terms that were added to it."""
    body_window_chars: int
    """UTF-16 chars of a body that are ranked."""
    expanded: bool = False
    """Whether the query was expanded; then `hybrid` asks for its telling words alone."""
    embedder: Embedder | None = None
    """Makes embeddings; None where no endpoint is configured."""

    @cached_property
    def allowed(self) -> frozenset[int] | None:
        """Positions in the pool of the eligible documents; None for all of them."""
        if len(self.eligible) == len(self.pool.documents):
            return None
        position = self.pool.position
        return frozenset(position[each.id] for each in self.eligible)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """Tokens that say what is asked for, then the added terms; all tokens if none does."""
        return (*without_function_words(self.query.tokens), *self.query.added_terms)

    def eligible_only(self, scores: Mapping[int, float]) -> dict[int, float]:
        """The scores above 0 of eligible documents."""
        allowed = self.allowed
        if allowed is None and min(scores.values(), default=1) > 0:
            return dict(scores)
        return {
            place: score
            for place, score in scores.items()
            if score > 0 and (allowed is None or place in allowed)
        }


@dataclass(frozen=True, slots=True)
class Missing:
    """A ranker that was wanted and could not run."""

    ranker: str
    """Its name."""
    code: str
    """Why, in one word for a trace: ``no-endpoint``, ``timed-out``, ``no-fts5``, …"""
    detail: str
    """Why, in one line."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a ranker found: scores above 0 by position in the pool."""

    scores: Mapping[int, float]
    """Position to score; the higher, the better."""
    missing: tuple[Missing, ...] = ()
    """Parts of a fusion that could not run."""


RankFunction = Callable[[RankRequest], Scored]
"""A ranker. Raises `RankerUnavailable` where it can not run."""


@dataclass(frozen=True)
class Ranking:
    """What ranked retrieval found, and who really ranked."""

    asked: str
    """The ranker that was asked for."""
    ranker: str
    """The ranker that ranked."""
    hits: tuple[Hit, ...]
    """The best, up to the cut, if one was asked for."""
    order: tuple[str, ...]
    """Ids of everything that was found, best first, uncut."""
    missing: tuple[Missing, ...] = ()
    """Rankers that could not run, in the order in which they were tried."""

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Id to rank from 1, for everything that was found."""
        return {each: rank for rank, each in enumerate(self.order, start=1)}

    @property
    def meta(self) -> dict[str, int | str | tuple[str, ...]]:
        """What a trace adds: what was found if it was cut, who was asked, and what is missing."""
        found: dict[str, int | str | tuple[str, ...]] = {}
        if len(self.order) > len(self.hits):
            found["found"] = len(self.order)
        if self.asked != self.ranker:
            found["asked"] = self.asked
        if self.missing:
            found["missing"] = tuple(f"{each.ranker}: {each.code}" for each in self.missing)
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each ranker that could not run, with who ranked instead."""
        return tuple(
            f"the ranker {each.ranker} could not run ({each.detail}); ranked by {self.ranker} "
            f"{'instead' if each.ranker == self.asked else 'without it'}"
            for each in self.missing
        )


def normalised_score(rank: float | None, max_magnitude: float) -> float:
    """A score from 0 to 1 by the strongest hit of the query: ``min(1, |rank| / max |rank|)``.

    No rank and a greatest magnitude of 0 give 0 (`tests/data/contract.json`, ``fts``).
    """
    if rank is None or not max_magnitude:
        return 0.0
    return min(1.0, abs(rank) / abs(max_magnitude))


def normalised(scores: Mapping[int, float]) -> dict[int, float]:
    """Every score by the strongest of them."""
    most = max(scores.values(), default=0.0)
    return {place: normalised_score(score, most) for place, score in scores.items()}


def best_first(pool: Pool, scores: Mapping[int, float]) -> list[int]:
    """Positions by score, then newest first, then in pool order: as the lexical ranker orders."""
    documents = pool.documents
    return sorted(scores, key=lambda place: (-scores[place], -documents[place].mtime_ms, place))
