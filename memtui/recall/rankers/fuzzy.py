"""The ranker ``fuzzy``: words that are spelled nearly like those of the query, by rapidfuzz.

Each telling word of the query takes, in each memory, the best of the words there: itself, a word
that it begins, or one within the edits of a misspelling (as near misses count them: none below
four letters, one below eight, else two; none above sixty-four, where it would take seconds). Rare
words count more than frequent ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA

from memtui.memory.document import Document, Pool
from memtui.recall.rank import FoldedText, folded_texts
from memtui.recall.rankers.base import RankRequest, Scored, normalised
from memtui.recall.rankers.words import query_words, without_function_words, words_of

TITLE_WEIGHT = 2.0
DESCRIPTION_WEIGHT = 1.5
BODY_WEIGHT = 1.0
BEGINS = 0.9
"""How near a longer word is that begins with the word of the query."""
ADDED_WEIGHT = 0.5
"""What a term that was added to the query counts beside a word of the query."""

_SHORTEST = 4
_LONG = 8
_LONGEST = 64


def rank_by_fuzziness(request: RankRequest) -> Scored:
    """Every eligible document with a word near one of the query, scored from 0 to 1."""
    vocabulary = _vocabulary(request.pool, request.body_window_chars)
    weights = dict.fromkeys(without_function_words(query_words(request.query)), 1.0)
    for term in request.query.added_terms:
        weights.setdefault(term, ADDED_WEIGHT)
    total: dict[int, float] = {}
    for word, weight in weights.items():
        for place, score in vocabulary.best(word).items():
            total[place] = total.get(place, 0.0) + weight * score
    return Scored(normalised(request.eligible_only(total)))


def allowed_edits(word: str) -> int:
    """Edits within which another word counts as a misspelling of this one."""
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha():
        return 0
    return 1 if len(word) < _LONG else 2


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """Every word of a pool with the places where it stands."""

    documents: tuple[Document, ...]
    words: list[str]
    places: dict[str, dict[int, float]]
    """Word to position to the weight of the best field that holds it."""

    def best(self, word: str) -> dict[int, float]:
        """The score of one word of a query in every document that holds something near it."""
        found: dict[int, float] = {}
        for near, similarity in self._near(word):
            places = self.places[near]
            rarity = math.log1p(len(self.documents) / len(places))
            for place, weight in places.items():
                found[place] = max(found.get(place, 0.0), similarity * weight * rarity)
        return found

    def _near(self, word: str) -> Iterator[tuple[str, float]]:
        """Words of the pool near a word, each with its similarity from 0 to 1."""
        if word in self.places:
            yield word, 1.0
        if len(word) >= _SHORTEST:
            for each in self.words:
                if each.startswith(word) and each != word:
                    yield each, BEGINS
        edits = allowed_edits(word)
        if edits:
            for each, distance, _ in process.extract_iter(
                word, self.words, scorer=OSA.distance, score_cutoff=edits
            ):
                if distance:
                    yield each, 1 - distance / len(word)


def _vocabulary(pool: Pool, body_window_chars: int) -> _Vocabulary:
    key = ("fuzzy", body_window_chars)
    kept = pool.memo.get(key)
    if isinstance(kept, _Vocabulary) and kept.documents is pool.documents:
        return kept
    places = _places(folded_texts(pool, body_window_chars))
    vocabulary = _Vocabulary(pool.documents, list(places), places)
    pool.memo[key] = vocabulary
    return vocabulary


def _places(texts: Sequence[FoldedText]) -> dict[str, dict[int, float]]:
    places: dict[str, dict[int, float]] = {}
    for place, text in enumerate(texts):
        for field, weight in (
            (text.body, BODY_WEIGHT),
            (text.description, DESCRIPTION_WEIGHT),
            (text.title, TITLE_WEIGHT),
        ):
            for word in words_of(field):
                places.setdefault(word, {})[place] = weight
    return places
