"""Finding a memory by what it says: every document and every skipped file of the tree."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from memtui.memory.document import Document, Pool, SkippedFile
from memtui.memory.edit import ReadBytes, read_bytes
from memtui.recall.query import parse_query
from memtui.text import fold
from memtui.tui.stopping import Stale, Stopped, never
from memtui.tui.view.catalogue import Entry, catalogue_of

MOST_RESULTS = 200
"""Results that are listed."""
RERANKED = 60
"""Of them, those that are ordered by how much of the text stands together, too."""
MOST_CHARS = 100_000
"""Of one text, code points that are looked through."""
LEAST_LIKENESS = 78
"""Percent of likeness below which a word is no misspelling of another."""
MOST_FILE_BYTES = 8_388_608
"""A skipped file that is larger is known by its path alone."""
HEAD_WEIGHT = 2.0
"""How much more a word of the title, description or path weighs than one of the body."""
LEAST_PART = 3
"""Letters from which a word is looked for inside others, too."""
LEAST_SHARE = 0.25
"""Of the best score, below which a result is not worth listing."""
POLL_EVERY = 64

_MEMO = "tui.finding"
_WORD = re.compile(r"[^\W_]+")
_WITH_TEXT = frozenset(
    {
        "no-frontmatter",
        "unclosed-frontmatter",
        "byte-order-mark",
        "type-missing",
        "type-unknown",
        "type-nested",
        "too-large",
    }
)
"""The reasons to skip a file whose text can be read all the same."""

Postings = dict[str, list[int]]


@dataclass
class TreeIndex:
    """The words of every entry of a pool."""

    keys: tuple[str, ...]
    """The key of each entry, by its number."""
    heads: Postings = field(default_factory=dict)
    """The entries whose title, description or path has a word."""
    bodies: Postings = field(default_factory=dict)
    """The entries whose body has a word."""
    texts: dict[str, str] = field(default_factory=dict)
    """The text of the skipped files, by key."""


@dataclass(frozen=True, slots=True)
class Found:
    """One result."""

    key: str
    """The entry."""
    score: float
    """How well it fits; for the order alone."""
    words: tuple[str, ...]
    """The words that were found, the rarest first."""


def tree_index(pool: Pool, stale: Stale = never, read_file: ReadBytes = read_bytes) -> TreeIndex:
    """The index of a pool, made once; skipped files are read for it.

    Args:
        pool: the pool as scanned.
        stale: asked now and then.
        read_file: gives the bytes of a skipped file.

    Raises:
        Stopped: it is not wanted any more.

    """
    kept = pool.memo.get(_MEMO)
    if isinstance(kept, TreeIndex):
        return kept
    entries = catalogue_of(pool).entries
    index = TreeIndex(tuple(entries))
    for number, (key, entry) in enumerate(entries.items()):
        if number % POLL_EVERY == 0 and stale():
            raise Stopped
        if isinstance(entry, SkippedFile):
            head, body = entry.relative_path, _text_of(entry, read_file)
            index.texts[key] = body
        else:
            head = f"{entry.title} {entry.description} {entry.relative_path}"
            body = entry.body
        _post(index.heads, head, number)
        _post(index.bodies, body, number)
    pool.memo[_MEMO] = index
    return index


def _post(postings: Postings, text: str, number: int) -> None:
    for word in set(_WORD.findall(fold(text[:MOST_CHARS]))):
        postings.setdefault(word, []).append(number)


def _text_of(skipped: SkippedFile, read_file: ReadBytes) -> str:
    """The text of a skipped file, where there is one to read."""
    if skipped.reason not in _WITH_TEXT:
        return ""
    try:
        if skipped.reason == "too-large" and os.path.getsize(skipped.path) > MOST_FILE_BYTES:
            return ""
        return read_file(skipped.path).decode("utf-8", "replace")
    except OSError:
        return ""


def find(
    pool: Pool,
    wanted: str,
    stale: Stale = never,
    read_file: ReadBytes = read_bytes,
) -> tuple[Found, ...]:
    """The entries that say what is wanted, the best first; words may be cut short or misspelt."""
    index = tree_index(pool, stale, read_file)
    words = needles(wanted)
    scores: dict[int, float] = {}
    hit_words: dict[int, list[tuple[float, str]]] = {}
    for word in words:
        if stale():
            raise Stopped
        best = _best_of(index, word)
        rarity = math.log(1 + len(index.keys) / (1 + len(best)))
        for number, (likeness, as_written) in best.items():
            scores[number] = scores.get(number, 0.0) + likeness * rarity
            hit_words.setdefault(number, []).append((-rarity * likeness, as_written))
    ordered = sorted(scores, key=lambda number: -scores[number])[:MOST_RESULTS]
    entries = catalogue_of(pool).entries
    phrase = fold(wanted)
    for number in ordered[:RERANKED]:
        key = index.keys[number]
        text = fold(text_of(index, key, entries[key])[:MOST_CHARS])
        scores[number] *= 1 + fuzz.partial_ratio(phrase, text) / 100
    ordered.sort(key=lambda number: -scores[number])
    least = LEAST_SHARE * scores[ordered[0]] if ordered else 0.0
    ordered = [number for number in ordered if scores[number] >= least]
    return tuple(
        Found(
            index.keys[number],
            scores[number],
            tuple(dict.fromkeys(word for _, word in sorted(hit_words[number]))),
        )
        for number in ordered
    )


def needles(wanted: str) -> tuple[str, ...]:
    """The words that are looked for; a run of CJK characters in pairs, as queries have them."""
    words: list[str] = []
    for word in _WORD.findall(fold(wanted)):
        tokens = () if word.isascii() else parse_query(word).tokens
        words += tokens or (word,)
    return tuple(dict.fromkeys(words))


def _best_of(index: TreeIndex, word: str) -> dict[int, tuple[float, str]]:
    """The entries that have a word or one like it, with the likeness and the word they have."""
    best: dict[int, tuple[float, str]] = {}
    for postings, weight in ((index.heads, HEAD_WEIGHT), (index.bodies, 1.0)):
        for written, likeness in _like(postings, word):
            value = likeness * weight
            for number in postings[written]:
                if value > best.get(number, (0.0, ""))[0]:
                    best[number] = (value, written)
    return best


def _like(postings: Postings, word: str) -> Iterable[tuple[str, float]]:
    """The words of an index that contain a word, or are like it."""
    whole = len(word) < LEAST_PART and word.isascii()
    exact = [written for written in postings if (written == word if whole else word in written)]
    for written in exact:
        yield written, 1.0 if written == word else 0.9 if written.startswith(word) else 0.7
    if len(word) < 4 or not word.isalpha():
        return
    near = process.extract(
        word, postings.keys(), scorer=fuzz.ratio, score_cutoff=LEAST_LIKENESS, limit=50
    )
    for written, likeness, _ in near:
        if word not in written:
            yield written, 0.7 * likeness / 100


def text_of(index: TreeIndex, key: str, entry: Entry) -> str:
    """Everything that an entry says."""
    if isinstance(entry, SkippedFile):
        return f"{entry.relative_path} {index.texts.get(key, '')}"
    return f"{entry.title} {entry.description} {entry.body} {entry.relative_path}"


def documents_near(
    pool: Pool, words: Iterable[str], wanted: Callable[[Document], bool], most: int
) -> list[Document]:
    """Documents with words that might nearly match some others: candidates for near misses.

    Args:
        pool: the pool as scanned; its index must have been made.
        words: folded words of a query.
        wanted: which documents count.
        most: how many are given at most.

    """
    index = tree_index(pool)
    entries = catalogue_of(pool).entries
    scores: dict[int, float] = {}
    for word in words:
        for postings, weight in ((index.heads, HEAD_WEIGHT), (index.bodies, 1.0)):
            for written in postings:
                likeness = _nearness(word, written)
                if likeness:
                    share = weight * likeness / (1 + math.log(1 + len(postings[written])))
                    for number in postings[written]:
                        scores[number] = scores.get(number, 0.0) + share
    found: list[Document] = []
    for number in sorted(scores, key=lambda number: -scores[number]):
        entry = entries[index.keys[number]]
        if isinstance(entry, Document) and wanted(entry):
            found.append(entry)
            if len(found) == most:
                break
    return found


def _nearness(word: str, written: str) -> float:
    """How nearly two words may match, roughly: 1 the same, 0 not at all."""
    if word == written:
        return 1.0
    shared = min(len(word), len(written))
    if shared >= 3 and word[:4] == written[:4]:
        return 0.8
    if shared >= 3 and (word.startswith(written) or word.endswith(written)):
        return 0.6
    likeness = fuzz.ratio(word, written, score_cutoff=70)
    return 0.7 * float(likeness) / 100
