"""Reads memory trees into a pool. Never blocks, never follows a link out, never writes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from memtui.limits import Limits
from memtui.memory.collation import collation_key
from memtui.memory.dialects import Dialect, dialect_of_root
from memtui.memory.document import (
    Document,
    Pool,
    PoolParts,
    RootNotFound,
    Scope,
    ScopeFailed,
    ScopeReport,
    ScopeStatus,
    SkippedFile,
    with_unique_ids,
)
from memtui.memory.files import FileReader, Recency, ScanCache, walk

INDEX_NAME = "MEMORY.md"
"""The index that an agent keeps in any folder of a tree; it is no document."""

Progress = Callable[[int], None]
"""Called now and then with the number of files read so far; may raise to cancel the scan."""


@dataclass(frozen=True, slots=True)
class Source:
    """One root to scan."""

    scope: Scope
    """The scope that it is the root of."""
    root: str
    """The folder; made absolute, links in it are kept as written."""
    dialect: Dialect | None = None
    """How to read it; None decides by the path (`.qwen` above it)."""
    typed: bool = True
    """Whether the user typed it: a typed root that is not there is an error."""
    recency: Recency = "mtime"
    """What tells the age of a memory; files without ``modified:`` keep their time."""


class _ScopeScan(NamedTuple):
    report: ScopeReport
    documents: list[Document]
    skipped: list[SkippedFile]
    indexes: list[str]
    unlisted: list[str]


def scan_all(
    source: Source,
    limits: Limits | None = None,
    *,
    cache: ScanCache | None = None,
    progress: Progress | None = None,
) -> Pool:
    """Every document of one root, newest first. Recall uses this scan alone.

    Raises:
        RootNotFound: the root was typed and is not there.
        ScopeFailed: it is the project's and can not be listed.

    """
    return scan_pool([source], limits, cache=cache, progress=progress)


def scan_capped(source: Source, limits: Limits | None = None) -> Pool:
    """The newest ``capped_scan_docs`` documents of one root, as the management flows see it."""
    pool = scan_all(source, limits)
    return capped(pool)


def capped(pool: Pool) -> Pool:
    """The part of a pool that the management flows see; the same one each time it is asked for."""
    known = pool.memo.get(capped)
    if isinstance(known, Pool):
        return known
    documents = tuple(document for document in pool.documents if pool.managed(document.id))
    seen = Counter(document.scope for document in documents)
    window = Pool(
        documents=documents,
        beyond=tuple(each for each in pool.documents if not pool.managed(each.id)),
        skipped=pool.skipped,
        scopes=tuple(replace(each, documents=seen[each.scope]) for each in pool.scopes),
        excluded=pool.excluded,
        indexes=pool.indexes,
        unlisted=pool.unlisted,
    )
    pool.memo[capped] = window
    return window


def scan_pool(
    sources: Iterable[Source],
    limits: Limits | None = None,
    *,
    exclude: Iterable[str] = (),
    cache: ScanCache | None = None,
    progress: Progress | None = None,
) -> Pool:
    """Reads every source once and puts the pool together, scopes in their fixed order.

    Args:
        sources: at most one root a scope.
        limits: ``capped_scan_docs`` and ``file_bytes`` are used; the defaults without.
        exclude: paths of files that the agent has already surfaced.
        cache: filled and used; files that are gone are dropped from it.
        progress: called with the number of files read.

    Raises:
        RootNotFound: a typed root is not there.
        ScopeFailed: the project's root exists but can not be listed.

    """
    limits = limits or Limits()
    order = list(Scope)
    parts = PoolParts()
    left_out = {os.path.abspath(path) for path in exclude}
    met: set[str] = set()
    for source in sorted(sources, key=lambda each: order.index(each.scope)):
        scan = _scan_scope(source, limits, cache, progress, len(met), met)
        _add(parts, scan, limits, left_out)
    if cache is not None:
        for path in cache.keys() - met:
            del cache[path]
    return _assemble(parts)


def _add(parts: PoolParts, scan: _ScopeScan, limits: Limits, left_out: set[str]) -> None:
    window = limits.capped_scan_docs
    parts.unmanaged.update(document.path for document in scan.documents[window:])
    excluded = [each for each in scan.documents if each.path in left_out]
    kept = [each for each in scan.documents if each.path not in left_out] if excluded else None
    parts.excluded.extend(excluded)
    parts.documents.extend(scan.documents if kept is None else kept)
    parts.skipped.extend(scan.skipped)
    remaining = len(scan.documents) - len(excluded)
    parts.scopes.append(replace(scan.report, documents=remaining))
    parts.indexes.extend(scan.indexes)
    parts.unlisted.extend(scan.unlisted)


def _assemble(parts: PoolParts) -> Pool:
    documents = with_unique_ids(parts.documents + parts.excluded)
    kept = documents[: len(parts.documents)]
    return Pool(
        documents=tuple(kept),
        skipped=tuple(parts.skipped),
        scopes=tuple(parts.scopes),
        unmanaged=frozenset(each.id for each in kept if each.path in parts.unmanaged),
        excluded=tuple(documents[len(parts.documents) :]),
        indexes=tuple(parts.indexes),
        unlisted=tuple(parts.unlisted),
    )


def _scan_scope(
    source: Source,
    limits: Limits,
    cache: ScanCache | None,
    progress: Progress | None,
    already_read: int,
    met: set[str],
) -> _ScopeScan:
    root = os.path.abspath(source.root)
    dialect = source.dialect or dialect_of_root(root)
    status, error = _root_status(source, root)
    if status != "ok":
        return _ScopeScan(
            ScopeReport(source.scope, root, dialect, status, error=error), [], [], [], []
        )
    reader = FileReader(source.scope, root, dialect, limits, cache, source.recency)
    documents: list[Document] = []
    skipped: list[SkippedFile] = []
    indexes: list[str] = []
    unlisted: list[str] = []
    for entry in walk(root, unlisted):
        if entry.path.endswith(INDEX_NAME) and os.path.basename(entry.path) == INDEX_NAME:
            indexes.append(entry.path)
            continue
        met.add(entry.path)
        found = reader.read(entry)
        if isinstance(found, Document):
            documents.append(found)
        else:
            skipped.append(found)
        if progress is not None and not (len(documents) + len(skipped)) % 100:
            progress(already_read + len(documents) + len(skipped))
    skipped.sort(key=lambda each: each.relative_path)
    report = ScopeReport(source.scope, root, dialect, "ok", len(documents), len(skipped))
    return _ScopeScan(report, in_scan_order(documents), skipped, sorted(indexes), sorted(unlisted))


def _root_status(source: Source, root: str) -> tuple[ScopeStatus, str | None]:
    """Whether a root can be listed, is absent or failed.

    Raises:
        RootNotFound: it was typed and is not there.
        ScopeFailed: it is the project's and can not be listed.

    """
    try:
        with os.scandir(root):
            return "ok", None
    except FileNotFoundError:
        if source.typed:
            raise RootNotFound(f"the {source.scope} root {root} does not exist") from None
        return "absent", None
    except OSError as error:
        reason = error.strerror or str(error)
        if source.scope is Scope.PROJECT:
            raise ScopeFailed(f"the project root {root} can not be listed: {reason}") from None
        return "failed", reason


def in_scan_order(documents: list[Document]) -> list[Document]:
    """Newest first; equal times by base name as ICU collates it, then by relative path."""
    documents.sort(key=lambda each: each.mtime_ms, reverse=True)
    ordered: list[Document] = []
    for _, group in groupby(documents, key=lambda each: each.mtime_ms):
        tied = list(group)
        if len(tied) > 1:
            tied.sort(key=lambda each: (collation_key(_base_name(each)), each.relative_path))
        ordered.extend(tied)
    return ordered


def _base_name(document: Document) -> str:
    return document.relative_path.rpartition("/")[2]
