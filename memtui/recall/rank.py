"""The lexical score: substring matches of query tokens, with their breakdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtui.memory.document import Document, Pool
from memtui.recall.text_index import FoldedText, fold_document, text_index

__all__ = [
    "FoldedText",
    "Hit",
    "Points",
    "TokenMatch",
    "breakdown",
    "fold_document",
    "folded_texts",
    "newest_first",
    "points_of_pool",
    "rank_lexically",
    "score",
]

TITLE_POINTS = 4
DESCRIPTION_POINTS = 3
BODY_POINTS = 1
MOST_TYPE_POINTS = 2

TYPE_KEYWORDS: dict[str, frozenset[str]] = {
    "user": frozenset({"user", "preference", "preferences", "background", "role", "terse"}),
    "feedback": frozenset({"feedback", "rule", "rules", "avoid", "style", "summary"}),
    "project": frozenset({"project", "goal", "goals", "incident", "deadline", "release"}),
    "reference": frozenset({"reference", "dashboard", "ticket", "docs", "doc", "link"}),
}
"""Query tokens that favour documents of a type."""


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Where one token was found in a document, and the points it earned there."""

    token: str
    title: int
    description: int
    body: int
    type: int

    @property
    def points(self) -> int:
        """Points in all fields together; those of the type before they are capped."""
        return self.title + self.description + self.body + self.type


class Points(NamedTuple):
    """Points by field."""

    title: int = 0
    description: int = 0
    body: int = 0
    type: int = 0

    @property
    def total(self) -> int:
        """The score."""
        return self.title + self.description + self.body + self.type


class Hit(NamedTuple):
    """A document with a score above 0, at its rank."""

    document: Document
    score: float
    """Points; for another ranker than ``lexical``, its own normalised score."""
    rank: int
    """From 1, best first."""
    points: Points
    """The lexical points by field."""


def folded_texts(pool: Pool, body_window_chars: int) -> list[FoldedText]:
    """The folded fields of every document of a pool, in its order."""
    index = text_index(pool, body_window_chars)
    return [index.text(place) for place in range(len(pool.documents))]


def score(text: FoldedText, memory_type: str, tokens: Iterable[str]) -> Points:
    """The points of one document for distinct folded tokens."""
    title = description = body = keywords = 0
    words = TYPE_KEYWORDS.get(memory_type, frozenset())
    for token in tokens:
        if token in text.title:
            title += TITLE_POINTS
        if token in text.description:
            description += DESCRIPTION_POINTS
        if token in text.body:
            body += BODY_POINTS
        if token in words:
            keywords += 1
    if not title + description + body:
        return Points()
    return Points(title, description, body, min(MOST_TYPE_POINTS, keywords))


def breakdown(
    document: Document, tokens: Iterable[str], body_window_chars: int
) -> tuple[TokenMatch, ...]:
    """Token by token, the points that a document earns in each field."""
    text = fold_document(document, body_window_chars)
    words = TYPE_KEYWORDS.get(document.type, frozenset())
    return tuple(
        TokenMatch(
            token,
            TITLE_POINTS if token in text.title else 0,
            DESCRIPTION_POINTS if token in text.description else 0,
            BODY_POINTS if token in text.body else 0,
            1 if token in words else 0,
        )
        for token in tokens
    )


def rank_lexically(
    pool: Pool, eligible: Sequence[Document], tokens: Sequence[str], body_window_chars: int
) -> tuple[Hit, ...]:
    """Every eligible document with a score above 0: by score, then newest, then pool order."""
    if not tokens:
        return ()
    points = points_of_pool(pool, tokens, body_window_chars)
    if len(eligible) < len(pool.documents):
        allowed = {pool.position[each.id] for each in eligible}
        points = {place: each for place, each in points.items() if place in allowed}
    by_total: dict[int, list[int]] = {}
    for place in newest_first(pool):
        found = points.get(place)
        if found is not None:
            by_total.setdefault(sum(found), []).append(place)
    documents = pool.documents
    hits: list[Hit] = []
    for total in sorted(by_total, reverse=True):
        for place in by_total[total]:
            hits.append(Hit(documents[place], total, len(hits) + 1, points[place]))
    return tuple(hits)


def points_of_pool(pool: Pool, tokens: Sequence[str], body_window_chars: int) -> dict[int, Points]:
    """The points of every document that has any, by its place in pool order."""
    index = text_index(pool, body_window_chars)
    titles: Counter[int] = Counter()
    descriptions: Counter[int] = Counter()
    bodies: Counter[int] = Counter()
    for token in tokens:
        matches = index.matches(token)
        titles.update(matches.title)
        descriptions.update(matches.description)
        bodies.update(matches.body)
    extra = {
        kind: min(MOST_TYPE_POINTS, sum(1 for token in tokens if token in words))
        for kind, words in TYPE_KEYWORDS.items()
    }
    documents = pool.documents
    in_title, in_description, in_body = titles.get, descriptions.get, bodies.get
    return {
        place: Points(
            TITLE_POINTS * in_title(place, 0),
            DESCRIPTION_POINTS * in_description(place, 0),
            BODY_POINTS * in_body(place, 0),
            extra.get(documents[place].type, 0),
        )
        for place in {**titles, **descriptions, **bodies}
    }


def newest_first(pool: Pool) -> list[int]:
    """The places of a pool's documents by age, newest first; equal ages in pool order."""
    order = pool.memo.get("newest first")
    if not isinstance(order, _Newest) or order.documents is not pool.documents:
        times = [-each.mtime_ms for each in pool.documents]
        order = _Newest(pool.documents, sorted(range(len(times)), key=times.__getitem__))
        pool.memo["newest first"] = order
    return order.places


class _Newest(NamedTuple):
    documents: tuple[Document, ...]
    places: list[int]
