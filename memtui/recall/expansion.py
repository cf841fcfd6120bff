"""The expansion of a query: words that mean what it asks for, from the pool and the user's list.

Four sources, none of which knows a project or a topic: forms of a word (a stemmer, and the verbs
and plurals that no stemmer knows), identifiers split and joined, synonyms that the user configured,
and what memories call themselves: the aliases, keywords, tags and wikilinks of a memory whose name
the query holds.

Terms come in the order of their source (synonyms, identifiers, names, forms), within one in the
order of the query, and at most ``MOST_TERMS`` of them. Function words are neither expanded nor
added, nor does anything take a word of the query away.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from memtui.limits import Limits
from memtui.memory.document import Document, Pool
from memtui.memory.links import wikilink_names, wikilinks
from memtui.recall.query import parse_query
from memtui.recall.rank import folded_texts
from memtui.recall.rankers.words import FUNCTION_WORDS, MOST_WORDS, words_of
from memtui.recall.word_forms import IRREGULAR
from memtui.text import fold

if TYPE_CHECKING:
    from snowballstemmer.basestemmer import BaseStemmer

MOST_TERMS = 32
"""Most terms that are added to one query."""
MOST_FORMS = 6
"""Most forms of one word of it."""
MOST_NAMES = 12
"""Most terms that memories give by their names and links."""
MOST_LABELS = 100
"""Aliases, keywords and tags of one memory that are read."""
LONGEST_WORD = 64
"""Letters of the longest word that has a stem, or is tried as two at every place of it."""

_LEAST = 3
"""Letters of a word that is added or split off: a shorter one is no token."""
_IDENTIFIER = re.compile(r"[^\W_]+(?:[_\-./:][^\W_]+)*")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_NAMING_KEY = re.compile(r"^(aliases|alias|keywords|keyword|tags|tag)[ \t]*:(.*)$", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")
_OWN_WORDS = Limits().body_window_chars


@dataclass(frozen=True)
class Expansion:
    """The hook ``expand(query, pool)`` of a recall."""

    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """A word or phrase to what else it may be called, as the user wrote it."""

    def __call__(self, query: str, pool: Pool) -> tuple[str, ...]:
        """The terms to add, best source first; none that the query has."""
        vocabulary = _vocabulary(pool)
        words = dict.fromkeys(words_of(query))
        own = tuple(islice(words, MOST_WORDS))
        found: dict[str, None] = {}
        for terms in (
            self._synonyms(query),
            _identifiers(query, own, vocabulary),
            islice(_names(own, vocabulary), MOST_NAMES),
            _forms(own, vocabulary),
        ):
            found |= dict.fromkeys(each for each in terms if each not in words)
        return tuple(islice((each for each in found if each not in FUNCTION_WORDS), MOST_TERMS))

    def _synonyms(self, query: str) -> Iterator[str]:
        """Those of every entry whose words stand in the query, side by side."""
        asked = f" {' '.join(words_of(query))} "
        for entry, others in self.synonyms.items():
            phrase = " ".join(words_of(entry))
            if phrase and f" {phrase} " in asked:
                for other in others:
                    yield from _tokens(other)


# -- forms ----------------------------------------------------------------------------------------


def _forms(own: Sequence[str], vocabulary: _Vocabulary) -> Iterator[str]:
    """Words of the pool that are a form of a word of the query."""
    for word in own:
        if word in FUNCTION_WORDS or len(word) < _LEAST or not word.isalpha():
            continue
        family = (word, *IRREGULAR.get(word, ()))
        forms = dict.fromkeys(each for member in family for each in vocabulary.with_stem(member))
        yield from islice((each for each in forms if each != word), MOST_FORMS)


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """The stem of a folded word; Russian for Cyrillic, else English."""
    if len(word) > LONGEST_WORD:
        return word
    language = "russian" if "а" <= word[:1] <= "я" else "english"
    return str(_stemmer(language).stemWord(word))


@lru_cache
def _stemmer(language: str) -> BaseStemmer:
    import snowballstemmer

    return snowballstemmer.stemmer(language)


# -- identifiers ----------------------------------------------------------------------------------


def _identifiers(query: str, own: Sequence[str], vocabulary: _Vocabulary) -> Iterator[str]:
    """Parts of an identifier in the query, and words of it that the pool writes as one."""
    for match in _IDENTIFIER.finditer(query):
        parts = [fold(part) for part in _HUMPS.findall(match.group())]
        if len(parts) > 1:
            yield from (part for part in parts if len(part) >= _LEAST)
            yield from (each for each in ("".join(parts),) if each in vocabulary.counts)
    for one, two in pairwise(own):
        if one + two in vocabulary.counts and not {one, two} <= FUNCTION_WORDS:
            yield one + two
    for word in own:
        yield from vocabulary.halves(word)


# -- names ----------------------------------------------------------------------------------------


def _names(own: Sequence[str], vocabulary: _Vocabulary) -> Iterator[str]:
    """What memories that the query names are called elsewhere, and link to."""
    asked = frozenset(stem_of(word) for word in own)
    for naming in vocabulary.namings:
        if any(name and name <= asked for name in naming.names):
            yield from naming.terms


@dataclass(frozen=True, slots=True)
class _Naming:
    """What a memory is called and what it links to."""

    names: tuple[frozenset[str], ...]
    """Stems of the telling words of its title and of each alias."""
    terms: tuple[str, ...]
    """Tokens of its title, aliases, keywords, tags and links."""


def _naming(document: Document) -> _Naming | None:
    """None for a memory that has neither another name nor a link."""
    labels = list(islice(_labels(document.frontmatter or ""), MOST_LABELS))
    others = [text for _, text in labels]
    for text in (document.description, document.scored_body):
        if "[[" in text:
            for link in wikilinks(text):
                others += (link.label, *wikilink_names(link.target)[-1:])
    if not others:
        return None
    aliases = [text for key, text in labels if key.startswith("alias")]
    names = (frozenset(map(stem_of, _telling(name))) for name in (document.title, *aliases))
    terms = (term for text in (document.title, *others) for term in _tokens(text))
    return _Naming(tuple(names), tuple(dict.fromkeys(terms)))


def _labels(frontmatter: str) -> Iterator[tuple[str, str]]:
    """Key and value of every alias, keyword and tag in a raw frontmatter, YAML or not."""
    key = ""
    for line in frontmatter.splitlines():
        item, named = _ITEM.match(line), _NAMING_KEY.match(line)
        if named:
            key = named.group(1).lower()
            values = named.group(2).strip().strip("[]").split(",")
        elif key and item:
            values = [item.group(1)]
        else:
            key, values = "", []
        for value in values:
            bare = value.strip().strip("\"'#").strip()
            if bare:
                yield key, bare


def _telling(text: str) -> list[str]:
    return [word for word in words_of(text) if word not in FUNCTION_WORDS]


def _tokens(text: str) -> tuple[str, ...]:
    return parse_query(text).tokens


# -- the words of a pool --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Vocabulary:
    """The words of a pool and its names, gathered once."""

    documents: tuple[Document, ...]
    counts: Counter[str]
    """Word to the documents that hold it."""
    by_head: Mapping[str, Sequence[str]]
    """The first letters of words to them, the most frequent first."""
    namings: tuple[_Naming, ...]
    """The memories that have another name or a link."""
    texts: Sequence[str]
    """The folded text of every document."""

    def with_stem(self, word: str) -> Iterator[str]:
        """Words of the pool with the stem of a word, among those that begin as it does."""
        stem = stem_of(word)
        return (each for each in self.by_head.get(word[:_LEAST], ()) if stem_of(each) == stem)

    def halves(self, word: str) -> Iterator[str]:
        """The two words that the pool writes, side by side, where the query writes one."""
        if len(word) > LONGEST_WORD:
            return
        for place in range(_LEAST, len(word) - _LEAST + 1):
            one, two = word[:place], word[place:]
            if one in self.counts and two in self.counts and self._stand_together(one, two):
                yield from (one, two)

    def _stand_together(self, one: str, two: str) -> bool:
        pattern = re.compile(rf"\b{re.escape(one)}[ _-]{re.escape(two)}\b")
        return any(pattern.search(text) for text in self.texts)


def _vocabulary(pool: Pool) -> _Vocabulary:
    kept = pool.memo.get("vocabulary")
    if isinstance(kept, _Vocabulary) and kept.documents is pool.documents:
        return kept
    folded = folded_texts(pool, _OWN_WORDS)
    texts = ["\n".join((each.title, each.description, each.body)) for each in folded]
    counts = Counter(word for text in texts for word in dict.fromkeys(words_of(text)))
    heads: dict[str, list[str]] = {}
    for word in sorted(counts, key=lambda each: (-counts[each], each)):
        if len(word) >= _LEAST and word.isalpha():
            heads.setdefault(word[:_LEAST], []).append(word)
    namings = tuple(each for each in map(_naming, pool.documents) if each is not None)
    vocabulary = _Vocabulary(pool.documents, counts, heads, namings, texts)
    pool.memo["vocabulary"] = vocabulary
    return vocabulary
