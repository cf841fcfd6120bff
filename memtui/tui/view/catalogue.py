"""Everything that one scan found, by key: documents and skipped files side by side."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.memory.document import Document, Pool, Scope, SkippedFile
from memtui.tui.view.fates import Fate

Entry = Document | SkippedFile
"""What a row of the pool stands for."""

_MEMO = "tui.catalogue"


@dataclass(frozen=True)
class Catalogue:
    """The entries of a pool. It does not depend on a query, so it is made once for each scan."""

    entries: dict[str, Entry]
    """Every document, excluded ones too, and every skipped file, by key."""
    by_scope: tuple[str, ...]
    """Keys scope by scope: documents in pool order, then what was left out or skipped."""
    by_age: tuple[str, ...]
    """Keys newest first; those without a time last."""
    fates: dict[str, Fate]
    """The fate of each entry before any recall."""


def catalogue_of(pool: Pool) -> Catalogue:
    """The catalogue of a pool, kept for as long as the pool lives."""
    kept = pool.memo.get(_MEMO)
    if not isinstance(kept, Catalogue):
        kept = _make(pool)
        pool.memo[_MEMO] = kept
    return kept


def _make(pool: Pool) -> Catalogue:
    entries: dict[str, Entry] = {}
    fates: dict[str, Fate] = {}
    for document in pool.documents:
        entries[document.id] = document
        fates[document.id] = Fate.POOL
    for document in pool.excluded:
        entries[document.id] = document
        fates[document.id] = Fate.LEFT_OUT
    for skipped in pool.skipped:
        key = _free(f"{skipped.scope}/{skipped.relative_path}", entries)
        entries[key] = skipped
        fates[key] = Fate.SKIPPED
    place = {scope: number for number, scope in enumerate(Scope)}
    by_scope = sorted(entries, key=lambda key: place[entries[key].scope])
    by_age = sorted(by_scope, key=lambda key: -(entries[key].mtime_ms or 0.0))
    return Catalogue(entries, tuple(by_scope), tuple(by_age), fates)


def _free(key: str, taken: dict[str, Entry]) -> str:
    """The key, with a number where two skipped files would share it."""
    number = 2
    free = key
    while free in taken:
        free = f"{key}#{number}"
        number += 1
    return free
