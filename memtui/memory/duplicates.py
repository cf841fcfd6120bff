"""Memories that say nearly the same, found without comparing every one with every other.

Two documents are near duplicates where ``rapidfuzz.fuzz.ratio`` of their words, as sequences, is
at least ``SIMILARITY``. The words are those of the folded title, of the description as far as it
stands in a manifest line and of the body window, split at white space; a Chinese or Japanese
character is a word of its own.

Only pairs that are likely to be alike are compared. Of every document the ``_ANCHORS`` words are
taken whose CRC-32 is the least, those that few documents share before those that many do, and three
that follow each other in that order make a key. Nearly equal texts have nearly equal anchors,
whatever was inserted, left out or replaced and wherever, so they share most of their keys; other
texts hardly share one. Pairs with two keys in common are compared, those with the most first. What
one document can cost is bounded, so that ten thousand copies of one text take no longer than ten
thousand different ones.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar
from zlib import crc32

from memtui.limits import Limits
from memtui.memory.document import Document
from memtui.text import cut, fold

Item = TypeVar("Item")

SIMILARITY = 90
"""Percent of the words of two documents that are the same and in the same order."""

_ANCHORS = 12
_KEY_WORDS = 3
_KEYS_IN_COMMON = 2
_LISTED = 32
"""Most documents that are listed under one key, the first ones of the pool."""
_COMPARED = 6
"""Most documents that one document is compared with in vain."""
_COMMON = 16
"""A word is common if more than one document in so many has it."""
_PACE = 16
"""Documents between two steps."""
_FEW = 8
"""A word that no more documents have is never common."""

_EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_EAST_ASIAN}]|[^\s{_EAST_ASIAN}]+")


@dataclass(frozen=True, slots=True)
class Likeness:
    """A document that another one nearly repeats."""

    document: Document
    """The other one."""
    percent: float
    """How alike the words of the two are."""


def near_duplicates(
    documents: Sequence[Document], limits: Limits, step: Callable[[], None] = lambda: None
) -> dict[int, Likeness]:
    """Place to its closest likeness, for every document that has one among those compared.

    Args:
        documents: those of a pool.
        limits: how much of each is compared.
        step: called again and again; it may wait for something more urgent, or raise to end this.

    """
    texts = [compared_text(document, limits) for document in _paced(documents, step)]
    found: dict[int, Likeness] = {}
    first_with: dict[str, int] = {}
    different: list[int] = []
    for place, text in enumerate(texts):
        first = first_with.setdefault(text, place)
        if first == place:
            different.append(place)
        elif text:
            found[place] = Likeness(documents[first], 100.0)
            found.setdefault(first, Likeness(documents[place], 100.0))
    numbered = _numbered_words(_paced([texts[place] for place in different], step))
    for one, other, percent in _alike_pairs(*numbered, step):
        for here, there in ((different[one], different[other]), (different[other], different[one])):
            if here not in found or found[here].percent < percent:
                found[here] = Likeness(documents[there], percent)
    return found


def _paced(items: Iterable[Item], step: Callable[[], None]) -> Iterator[Item]:
    for number, item in enumerate(items):
        if not number % _PACE:
            step()
        yield item


def compared_text(document: Document, limits: Limits) -> str:
    """The folded text that is compared: what a manifest line and a context show of a document."""
    line = limits.manifest_description_chars
    parts = (
        cut(document.title, line),
        cut(document.description, line),
        cut(document.scored_body, limits.body_window_chars),
    )
    return fold("\n".join(parts)).strip()


def words_of(text: str) -> list[str]:
    """The words of a folded text."""
    return text.split() if text.isascii() else _WORD.findall(text)


def _numbered_words(texts: Iterable[str]) -> tuple[list[array[int]], list[str]]:
    """The words of every text as numbers, and the word that each number stands for."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    numbered = [array("I", map(numbers.__getitem__, words_of(text))) for text in texts]
    return numbered, list(numbers)


def _alike_pairs(
    texts: Sequence[array[int]], vocabulary: Sequence[str], step: Callable[[], None]
) -> Iterable[tuple[int, int, float]]:
    """Pairs that are alike: all that is needed to know a likeness of every text that has one."""
    from rapidfuzz import fuzz

    keys = _keys(texts, vocabulary, step)
    shared = {key for key, count in Counter(chain.from_iterable(keys)).items() if count > 1}
    listed: defaultdict[int, list[int]] = defaultdict(list)
    paired: set[int] = set()
    spelled = _Spelled(texts, vocabulary)
    for place, own in enumerate(_paced(keys, step)):
        least = min(_KEYS_IN_COMMON, len(own))
        lists = [listed[key] for key in shared.intersection(own)]
        if len(lists) < least or not lists:
            continue
        in_common = Counter(chain.from_iterable(lists))
        for places in lists:
            if len(places) < _LISTED:
                places.append(place)
        likely = [(-count, each) for each, count in in_common.items() if count >= least]
        likely.sort()
        left = _COMPARED
        length = len(texts[place])
        for _, other in likely:
            if other in paired and place in paired:
                continue
            if not _may_be_alike(length, len(texts[other])):
                continue
            percent = fuzz.ratio(spelled[place], spelled[other], score_cutoff=SIMILARITY)
            if percent:
                paired.update((place, other))
                yield place, other, percent
                continue
            left -= 1
            if not left:
                break


class _Spelled(dict[int, "str | array[int]"]):
    """Texts with one character for a word, which are compared faster than numbers are."""

    def __init__(self, texts: Sequence[array[int]], vocabulary: Sequence[str]) -> None:
        super().__init__()
        self._texts = texts
        self._few = len(vocabulary) <= sys.maxunicode

    def __missing__(self, place: int) -> str | array[int]:
        text = self._texts[place]
        self[place] = "".join(map(chr, text)) if self._few else text
        return self[place]


def _may_be_alike(one: int, other: int) -> bool:
    """Whether texts of so many words can reach the similarity at all."""
    return 200 * min(one, other) >= SIMILARITY * (one + other)


def _keys(
    texts: Sequence[array[int]], vocabulary: Sequence[str], step: Callable[[], None]
) -> list[array[int]]:
    """The keys of every text, as numbers; a word that only one text has makes none."""
    words = [array("I", set(text)) for text in _paced(texts, step)]
    frequency = Counter(chain.from_iterable(words))
    common = max(_FEW, len(texts) // _COMMON)
    rank = [0] * len(vocabulary)
    order = sorted(
        (count > common, crc32(vocabulary[number].encode("utf-8", "surrogatepass")), number)
        for number, count in frequency.items()
        if count > 1
    )
    for position, (_, _, number) in enumerate(order, start=1):
        rank[number] = position
    return [_keys_of(sorted(map(rank.__getitem__, distinct))) for distinct in _paced(words, step)]


def _keys_of(ranks: list[int]) -> array[int]:
    """The keys that the ranks of the words of a text make, 0 being a word of no other text."""
    first = bisect_right(ranks, 0)
    anchors = ranks[first : first + _ANCHORS]
    if len(anchors) < _KEY_WORDS:
        return array("q", [hash(tuple(anchors))] if anchors else [])
    return array("q", map(hash, zip(anchors, anchors[1:], anchors[2:], strict=False)))
