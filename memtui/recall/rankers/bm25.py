"""The ranker ``bm25``: SQLite's full-text index, built in memory from a pool.

What is SQLite's own stays so: its tokenizer (`porter unicode61`), its `bm25()`. Around it:

- CJK is indexed as bigrams.
- As many blank rows as documents. SQLite gives a word that half of the rows have no weight at all,
  which would mute the words of a small pool and the speakers of a talk. The blank rows are long,
  so that a long memory is punished less: `bm25()` has no setting for that.
- Function words weigh little beside telling ones, are asked for only where those find little, and
  count fully where there is nothing else.
- A title that many documents bear names a source (who speaks, who wrote), not a topic. Asked for by
  name, the source itself counts; somebody else's mention of it counts as a function word does.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from memtui.memory.document import Document, Pool
from memtui.recall.rank import FoldedText, folded_texts
from memtui.recall.rankers.base import RankerUnavailable, RankRequest, Scored, normalised
from memtui.recall.rankers.fragments import with_neighbours
from memtui.recall.rankers.words import FUNCTION_WORDS, query_words, spaced, words_of
from memtui.recall.selection import encodable

if TYPE_CHECKING:
    from snowballstemmer.basestemmer import BaseStemmer

ADDED_WEIGHT = 0.5
"""What a term that was added to the query counts beside a word of the query."""
FUNCTION_WEIGHT = 0.1
"""What a function word counts beside telling words."""
ENOUGH = 100
"""Documents found by telling words, the hard cap of ranked retrieval, that need no filling up."""
MOST_FILLING = 1_000
"""Most documents that function words add to those."""
SOURCE_WEIGHT = 1.5
"""What the name of a source counts."""
SOURCE_SHARE = 20
"""A title names a source if at least one in so many documents bears it, and two at least."""

_FILLER = "\ue000"
_FILLER_LENGTH = 5
"""Length of a blank row, in average documents."""
_CREATE = """CREATE VIRTUAL TABLE memories USING fts5(
    title, description, body, content='', tokenize="porter unicode61 remove_diacritics 2")"""
_INSERT = "INSERT INTO memories (rowid, title, description, body) VALUES (?, ?, ?, ?)"
_SELECT = "SELECT rowid, bm25(memories) FROM memories WHERE memories MATCH ?"


def rank_by_bm25(request: RankRequest) -> Scored:
    """Every eligible document with a word of the query, scored from 0 to 1."""
    found = index_of(request.pool, request.body_window_chars).scores(
        query_words(request.query), request.query.added_terms
    )
    return Scored(normalised(request.eligible_only(with_neighbours(request.pool, found))))


def index_of(pool: Pool, body_window_chars: int) -> Index:
    """The index of a pool, built once for each body window.

    Raises:
        RankerUnavailable: this SQLite has no FTS5.

    """
    key = ("bm25", body_window_chars)
    kept = pool.memo.get(key)
    if isinstance(kept, Index) and kept.documents is pool.documents:
        return kept
    index = Index(pool.documents, folded_texts(pool, body_window_chars))
    pool.memo[key] = index
    return index


class Index:
    """A full-text index over documents, by their position. May be used from any thread."""

    def __init__(self, documents: tuple[Document, ...], texts: Sequence[FoldedText]) -> None:
        self.documents = documents
        self._lock = threading.Lock()
        self._sources = _sources(text.title for text in texts)
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            with self._connection:
                self._connection.execute(_CREATE)
                self._fill(texts)
        except sqlite3.Error as error:
            self._connection.close()
            code = "no-fts5" if "fts5" in str(error) else "index-failed"
            detail = "this SQLite has no FTS5" if code == "no-fts5" else "no index could be built"
            raise RankerUnavailable(code, detail) from None

    def _fill(self, texts: Sequence[FoldedText]) -> None:
        length = 0
        rows = []
        for place, text in enumerate(texts):
            row = tuple(
                encodable(spaced(field)) for field in (text.title, text.description, text.body)
            )
            length += sum(map(_rough_length, row))
            rows.append((place, *row))
        self._connection.executemany(_INSERT, rows)
        filler = " ".join([_FILLER] * (_FILLER_LENGTH * max(1, length // max(1, len(texts)))))
        blank = ((place, "", filler, "") for place in range(len(texts), 2 * len(texts)))
        self._connection.executemany(_INSERT, blank)

    def scores(self, words: Sequence[str], added: Sequence[str] = ()) -> dict[int, float]:
        """Score by position for folded words of a query and terms that were added to them."""
        asked = _sort(words, added, self._sources)
        total: dict[int, float] = {}

        def add(weight: float, terms: Sequence[str], column: str = "", most: int = -1) -> None:
            for place, score in self._matches(terms, column, most):
                total[place] = total.get(place, 0.0) + weight * score

        with self._lock:
            add(1.0, asked.telling)
            few = len(total) < ENOUGH
            add(SOURCE_WEIGHT, asked.named, "title : ")
            add(ADDED_WEIGHT, asked.added)
            if not total:
                add(1.0, asked.functions)
            elif few:
                add(FUNCTION_WEIGHT, asked.functions, most=MOST_FILLING)
        return total

    def _matches(self, words: Sequence[str], column: str, most: int) -> Iterable[tuple[int, float]]:
        terms = _distinct_stems(words)
        if not terms:
            return
        match = f"{column}({' OR '.join(map(_quoted, terms))})"
        select = _SELECT if most < 0 else f"{_SELECT} ORDER BY bm25(memories) LIMIT {most}"
        for place, rank in self._connection.execute(select, (match,)):
            if place < len(self.documents):
                yield place, -rank


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of a query by what they count."""

    telling: Sequence[str]
    named: Sequence[str]
    added: Sequence[str]
    functions: Sequence[str]
    """Function words, and sources where somebody else mentions them."""


def _sort(words: Sequence[str], added: Sequence[str], sources: Collection[str]) -> _Asked:
    named = [word for word in words if word in sources]
    weak = FUNCTION_WORDS.union(named)
    stems = set(map(stem, words))
    return _Asked(
        telling=[word for word in words if word not in weak],
        named=named,
        added=[each for term in added for each in words_of(term) if stem(each) not in stems],
        functions=[word for word in words if word in weak],
    )


def _sources(titles: Iterable[str]) -> frozenset[str]:
    """Titles of one word that name a source."""
    counts = Counter(titles)
    least = max(2, -(-counts.total() // SOURCE_SHARE))
    return frozenset(title for title, count in counts.items() if count >= least and title.isalnum())


def _rough_length(text: str) -> int:
    """About as many words as SQLite will count."""
    return text.count(" ") + 1 if text else 0


def _distinct_stems(words: Iterable[str]) -> list[str]:
    """The words without those whose stem another one has: SQLite would count it twice."""
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(stem(word), word)
    return list(found.values())


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a folded word as SQLite's `porter` makes it."""
    global _porter
    if _porter is None:
        import snowballstemmer

        _porter = snowballstemmer.stemmer("porter")
    return str(_porter.stemWord(word))


_porter: BaseStemmer | None = None
