"""Near misses: words of a document that nearly match a token of the query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import OSA

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
MOST_PER_TOKEN = 3

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
    window = result.options.limits.body_window_chars
    text = fold_document(document, window)
    fields = (text.title, text.description, text.body)
    unmatched = [
        token for token in result.query.terms if not any(token in field for field in fields)
    ]
    words = _words_by_field(document)
    misses = [miss for token in unmatched for miss in islice(_misses(token, words), MOST_PER_TOKEN)]
    misses += _joined(result.query.text, set(unmatched), words)
    misses += _too_short(result.query.text, words)
    return tuple(dict.fromkeys(misses))


def _words_by_field(document: Document) -> dict[Field, list[str]]:
    parts: dict[Field, str] = {
        "title": document.title,
        "description": document.description,
        "body": document.scored_body,
    }
    return {
        field: [match.group() for match in islice(_WORD.finditer(fold(text)), MOST_WORDS)]
        for field, text in parts.items()
    }


def _misses(token: str, words: dict[Field, list[str]]) -> Iterator[NearMiss]:
    seen: set[str] = set()
    for kind in ("stem", "split", "script", "misspelling"):
        for field, found in words.items():
            for word in _fitting(kind, token, found):
                if word not in seen:
                    seen.add(word)
                    yield NearMiss(token, word, field, kind)


def _fitting(kind: str, token: str, words: list[str]) -> Iterator[str]:
    if kind == "stem":
        stem = stem_of(token)
        yield from (
            word for word in dict.fromkeys(words) if len(word) > 2 and stem_of(word) == stem
        )
    elif kind == "split":
        yield from (f"{one} {two}" for one, two in pairwise(words) if one + two == token)
    elif kind == "script":
        plain = skeleton(token)
        yield from (word for word in dict.fromkeys(words) if plain in skeleton(word))
    else:
        allowed = _allowed_edits(token)
        if allowed:
            yield from (
                word
                for word in dict.fromkeys(words)
                if abs(len(word) - len(token)) <= allowed
                and OSA.distance(word, token, score_cutoff=allowed) <= allowed
            )


def _allowed_edits(token: str) -> int:
    """Edits within which two words count as one misspelled: none below four letters."""
    if not token.isalpha() or len(token) < 4:
        return 0
    return 1 if len(token) < 8 else 2


def _joined(text: str, unmatched: set[str], words: dict[Field, list[str]]) -> list[NearMiss]:
    """Two neighbouring words of the query that the document writes as one."""
    found = []
    for one, two in pairwise(_WORD.findall(fold(text))):
        if one not in unmatched and two not in unmatched:
            continue
        for field, present in words.items():
            if one + two in present:
                found.append(NearMiss(f"{one} {two}", one + two, field, "joined"))
    return found


def _too_short(text: str, words: dict[Field, list[str]]) -> list[NearMiss]:
    """Words of the query that are too short to be looked for, though the document has them."""
    found = []
    for word in dict.fromkeys(_WORD.findall(fold(text))):
        if parse_query(word).tokens or word in _FUNCTION_WORDS:
            continue
        for field, present in words.items():
            if word in present or (not word.isascii() and any(word in each for each in present)):
                found.append(NearMiss(word, word, field, "too-short"))
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
