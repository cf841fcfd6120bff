"""Near misses: words of a document that nearly match a token of the query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from memtui.memory.document import Document
from memtui.recall.pipeline import Recall
from memtui.recall.query import parse_query
from memtui.recall.rank import fold_document
from memtui.text import fold

if TYPE_CHECKING:
    from snowballstemmer.basestemmer import BaseStemmer

Kind = Literal["stem", "misspelling", "split", "joined", "script", "too-short"]
Field = Literal["title", "description", "body"]

MOST_WORDS = 20_000
MOST_TOKENS = 64
MOST_QUERY_CHARS = 20_000
MOST_PER_TOKEN = 3
MOST_SHORT = 2
"""Letters of a word that may be too short to be looked for."""

_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORDS = frozenset(
    [
        "a",
        "am",
        "an",
        "as",
        "at",
        "be",
        "by",
        "do",
        "go",
        "he",
        "i",
        "if",
        "in",
        "is",
        "it",
        "me",
        "my",
        "no",
        "of",
        "oh",
        "ok",
        "on",
        "or",
        "so",
        "to",
        "up",
        "us",
        "we",
    ]
)
_KATAKANA_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_LATIN = str.maketrans(
    {
        **dict(zip("абвгдезийклмнопрстуфхъыьэ", "abvgdeziiklmnoprstufh y e", strict=True)),
        **dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True)),
        "ж": "zh",
        "ц": "ts",
        "ч": "ch",
        "ш": "sh",
        "щ": "shch",
        "ю": "yu",
        "я": "ya",
        "ё": "e",
        "θ": "th",
        "χ": "ch",
        "ψ": "ps",
        "ß": "ss",
        "ı": "i",
        "ł": "l",
        "ø": "o",
        "đ": "d",
    }
)


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A word of the document that nearly matches a token that matched nothing."""

    token: str
    """The token of the query, or a word of it that is too short to be one."""
    word: str
    """The word of the document, folded."""
    field: Field
    """Where the word stands."""
    kind: Kind
    """``stem``, ``misspelling``, ``split`` (the document has two words), ``joined`` (it has one),
    ``script`` (accents or another alphabet) or ``too-short``."""


def near_misses(result: Recall, document: Document) -> tuple[NearMiss, ...]:
    """The near misses of a document, token by token, closest kinds first."""
    text = fold_document(document, result.options.limits.body_window_chars)
    words: Words = {
        "title": _Words(text.title),
        "description": _Words(text.description),
        "body": _Words(text.body),
    }
    unmatched = [
        token
        for token in result.query.terms[:MOST_TOKENS]
        if not (token in text.title or token in text.description or token in text.body)
    ]
    asked = [match.group() for match in islice(_WORD.finditer(_asked(result)), MOST_WORDS)]
    misses = [miss for token in unmatched for miss in islice(_misses(token, words), MOST_PER_TOKEN)]
    misses += _joined(asked, set(unmatched), words)
    misses += _too_short(asked, words)
    return tuple(dict.fromkeys(misses))


def _asked(result: Recall) -> str:
    """The folded query; of a very long one, only as much as people write."""
    return fold(result.query.text[:MOST_QUERY_CHARS])


class _Words:
    """The distinct words of one folded field, in order."""

    def __init__(self, text: str) -> None:
        self.all = [match.group() for match in islice(_WORD.finditer(text), MOST_WORDS)]
        self.distinct = dict.fromkeys(self.all)

    @cached_property
    def by_stem(self) -> dict[str, list[str]]:
        """The words by their stem."""
        found: dict[str, list[str]] = {}
        for word in self.distinct:
            if len(word) > 2:
                found.setdefault(stem_of(word), []).append(word)
        return found

    @cached_property
    def skeletons(self) -> list[tuple[str, str]]:
        """Every word with its skeleton."""
        return [(skeleton(word), word) for word in self.distinct]

    @cached_property
    def pairs(self) -> dict[str, str]:
        """Two neighbouring words by what they give together."""
        return {one + two: f"{one} {two}" for one, two in pairwise(self.all)}


Words = dict[Field, _Words]


def _misses(token: str, words: Words) -> Iterator[NearMiss]:
    seen: set[str] = set()
    for kind in ("stem", "split", "script", "misspelling"):
        for field, found in words.items():
            for word in _fitting(kind, token, found):
                if word not in seen:
                    seen.add(word)
                    yield NearMiss(token, word, field, kind)


def _fitting(kind: Kind, token: str, words: _Words) -> Iterator[str]:
    if kind == "stem":
        yield from words.by_stem.get(stem_of(token), ())
    elif kind == "split":
        if token in words.pairs:
            yield words.pairs[token]
    elif kind == "script":
        plain = skeleton(token)
        yield from (word for bare, word in words.skeletons if plain in bare)
    else:
        allowed = _allowed_edits(token)
        if allowed:
            close = extract_iter(
                token,
                list(words.distinct),
                scorer=OSA.distance,
                processor=None,
                score_cutoff=allowed,
            )
            yield from (word for word, _, _ in close)


def _allowed_edits(token: str) -> int:
    """Edits within which two words count as one misspelled: none below four letters."""
    if not token.isalpha() or len(token) < 4:
        return 0
    return 1 if len(token) < 8 else 2


def _joined(asked: list[str], unmatched: set[str], words: Words) -> list[NearMiss]:
    """Two neighbouring words of the query, too short to match alone, that the document joins."""
    return [
        NearMiss(f"{one} {two}", one + two, field, "joined")
        for one, two in dict.fromkeys(pairwise(asked))
        if all(word in unmatched or len(word) <= MOST_SHORT for word in (one, two))
        for field, present in words.items()
        if one + two in present.distinct
    ]


def _too_short(asked: list[str], words: Words) -> list[NearMiss]:
    """Words of the query that are too short to be looked for, though the document has them."""
    found = []
    for word in dict.fromkeys(asked):
        if len(word) > MOST_SHORT or parse_query(word).tokens or word in _FUNCTION_WORDS:
            continue
        for field, present in words.items():
            inside = not word.isascii() and any(word in each for each in present.distinct)
            if word in present.distinct or inside:
                found.append(NearMiss(word, word, field, "too-short"))
                break
        if len(found) >= MOST_TOKENS:
            break
    return found


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """The stem of a folded word; Russian for Cyrillic, else English."""
    language = "russian" if "а" <= word[:1] <= "я" else "english"
    return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> BaseStemmer:
    import snowballstemmer

    return snowballstemmer.stemmer(language)


@lru_cache(maxsize=50_000)
def skeleton(word: str) -> str:
    """A folded word without accents, in Latin letters or Hiragana, for comparing scripts."""
    bare = "".join(
        character
        for character in unicodedata.normalize("NFD", word)
        if not unicodedata.combining(character) or "\u3099" <= character <= "\u309a"
    )
    composed = unicodedata.normalize("NFC", bare)
    return composed.translate(_LATIN).translate(_KATAKANA_TO_HIRAGANA)
