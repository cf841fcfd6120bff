"""The fuzzy filter of the pool: which memories a few typed letters let through."""

from __future__ import annotations

from rapidfuzz import fuzz, process

from memtui.memory.document import Pool, SkippedFile
from memtui.text import fold
from memtui.tui.view.catalogue import Catalogue, Entry, catalogue_of

LEAST_LIKENESS = 82
"""Percent of likeness to a part of the text below which a word does not match."""

_MEMO = "tui.filter"


def matching(pool: Pool, pattern: str) -> frozenset[str]:
    """The keys of the entries whose title, description or path is like every word typed.

    A word of one or two letters must stand there as typed; a longer one may be misspelt.
    """
    texts = _texts(pool)
    for word in fold(pattern).split():
        if len(word) < 3:
            texts = {key: text for key, text in texts.items() if word in text}
            continue
        found = process.extract(
            word,
            texts,
            scorer=fuzz.partial_ratio,
            processor=None,
            score_cutoff=LEAST_LIKENESS,
            limit=None,
        )
        texts = {key: text for text, _, key in found}
    return frozenset(texts)


def _texts(pool: Pool) -> dict[str, str]:
    kept = pool.memo.get(_MEMO)
    if not isinstance(kept, dict):
        kept = _make(catalogue_of(pool))
        pool.memo[_MEMO] = kept
    return kept


def _make(catalogue: Catalogue) -> dict[str, str]:
    return {key: _text(entry) for key, entry in catalogue.entries.items()}


def _text(entry: Entry) -> str:
    if isinstance(entry, SkippedFile):
        return fold(f"{entry.relative_path} {entry.reason}")
    return fold(f"{entry.title[:400]} {entry.description[:1000]} {entry.relative_path}")
