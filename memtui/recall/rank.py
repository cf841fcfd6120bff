"""The lexical score: substring matches of query tokens, with their breakdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtui.memory.document import Document, Pool
from memtui.text import cut, fold

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
class FoldedText:
    """The fields of a document in the form in which tokens are looked for."""

    title: str
    description: str
    body: str
    """Only the window that is scored."""


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


@dataclass(frozen=True, slots=True)
class Points:
    """Points by field."""

    title: int = 0
    description: int = 0
    body: int = 0
    type: int = 0

    @property
    def total(self) -> int:
        """The score."""
        return self.title + self.description + self.body + self.type


@dataclass(frozen=True, slots=True)
class Hit:
    """A document with a score above 0, at its rank."""

    document: Document
    score: float
    """Points; for another ranker than ``lexical``, its own normalised score."""
    rank: int
    """From 1, best first."""
    points: Points
    """The lexical points by field."""


def fold_document(document: Document, body_window_chars: int) -> FoldedText:
    """The folded fields; the body is cut to its window before it is folded."""
    return FoldedText(
        fold(document.title),
        fold(document.description),
        fold(cut(document.scored_body, body_window_chars)),
    )


def folded_texts(pool: Pool, body_window_chars: int) -> Sequence[FoldedText]:
    """The folded fields of every document of a pool, in its order, computed once a window.

    A pool that was made from another by a change takes over what did not change.
    """
    key = ("folded", body_window_chars)
    kept = pool.memo.get(key)
    if isinstance(kept, _Folded) and kept.documents is pool.documents:
        return kept.texts
    known = kept.by_identity() if isinstance(kept, _Folded) else {}
    texts = [
        known.get(id(each)) or fold_document(each, body_window_chars) for each in pool.documents
    ]
    pool.memo[key] = _Folded(pool.documents, texts)
    return texts


@dataclass(frozen=True, slots=True)
class _Folded:
    documents: tuple[Document, ...]
    texts: list[FoldedText]

    def by_identity(self) -> dict[int, FoldedText]:
        """Each text by the identity of its document, which is kept alive here."""
        return {id(each): text for each, text in zip(self.documents, self.texts, strict=True)}


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
    texts = folded_texts(pool, body_window_chars)
    if len(eligible) == len(pool.documents):
        pairs = zip(texts, pool.documents, strict=True)
    else:
        allowed = {each.id for each in eligible}
        both = zip(texts, pool.documents, strict=True)
        pairs = ((text, each) for text, each in both if each.id in allowed)  # type: ignore[assignment]
    scored = [(score(text, each.type, tokens), each) for text, each in pairs]
    found = [(points, each) for points, each in scored if points.total]
    found.sort(key=lambda pair: (-pair[0].total, -pair[1].mtime_ms))
    return tuple(
        Hit(document, points.total, rank, points)
        for rank, (points, document) in enumerate(found, start=1)
    )
