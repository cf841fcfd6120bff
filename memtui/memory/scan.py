"""Reads memory trees into a pool. Never blocks, never follows a link out, never writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from memtui.limits import Limits
from memtui.memory.collation import collation_key
from memtui.memory.dialects import Dialect, Reading, Unread, dialect_of_root, read
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
    SkipReason,
    document_id,
    with_unique_ids,
)
from memtui.text import plural

INDEX_NAME = "MEMORY.md"
"""The index that an agent keeps in any folder of a tree; it is no document."""

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

Progress = Callable[[int], None]
"""Called now and then with the number of files read so far; may raise to cancel the scan."""
ScanCache = dict[str, tuple[int, int, "Document | SkippedFile"]]
"""Path to (mtime in ns, bytes, what was read): a file with both unchanged is not read again."""


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


class _Entry(NamedTuple):
    path: str
    relative_path: str
    is_link: bool
    is_file: bool


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
    """The part of a pool that the management flows see."""
    documents = tuple(document for document in pool.documents if pool.managed(document.id))
    return Pool(
        documents=documents,
        beyond=tuple(each for each in pool.documents if not pool.managed(each.id)),
        skipped=pool.skipped,
        scopes=pool.scopes,
        excluded=pool.excluded,
        indexes=pool.indexes,
        unlisted=pool.unlisted,
    )


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
    reader = _Reader(source.scope, root, dialect, limits, cache)
    documents: list[Document] = []
    skipped: list[SkippedFile] = []
    indexes: list[str] = []
    unlisted: list[str] = []
    for entry in _walk(root, unlisted):
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


def _walk(root: str, unlisted: list[str]) -> Iterator[_Entry]:
    """Every ``*.md`` entry and every linked folder below ``root``; real folders are entered."""
    pending = [(root, "")]
    while pending:
        folder, prefix = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError:
            unlisted.append(folder)
            continue
        for entry in entries:
            name = entry.name
            is_link = entry.is_symlink()
            if not is_link and entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, f"{prefix}{name}/"))
            elif name.endswith(".md") or (is_link and _links_to_folder(entry)):
                is_file = is_link or entry.is_file(follow_symlinks=False)
                yield _Entry(entry.path, prefix + name, is_link, is_file)


def _links_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


class _Reader:
    """Reads the entries of one scope, one at a time."""

    def __init__(
        self, scope: Scope, root: str, dialect: Dialect, limits: Limits, cache: ScanCache | None
    ) -> None:
        self.scope = scope
        self.root = root
        self.real_root = os.path.realpath(root)
        self.dialect = dialect
        self.file_bytes = limits.file_bytes
        self.cache = cache

    def read(self, entry: _Entry) -> Document | SkippedFile:
        """The document in an entry, or why there is none."""
        try:
            entry.path.encode()
        except UnicodeEncodeError:
            return self._skip(
                entry, "unreadable", "its name is not valid UTF-8", "rename it to valid UTF-8"
            )
        if not entry.is_file:
            return self._skip(
                entry,
                "not-a-regular-file",
                "it is a pipe, socket or device; it is not opened",
                "replace it by a regular file",
            )
        path = entry.path
        if entry.is_link:
            resolved = self._resolve(entry)
            if isinstance(resolved, SkippedFile):
                return resolved
            path = resolved
        try:
            return self._read_file(entry, path)
        except FileNotFoundError:
            return self._skip(entry, "vanished", "it was gone when it was opened", "scan again")
        except OSError as error:
            return self._skip(
                entry,
                "unreadable",
                error.strerror or str(error),
                "make it readable for the user that runs the agent",
            )

    def _resolve(self, entry: _Entry) -> str | SkippedFile:
        """The real path of a link's target inside the root."""
        try:
            real = os.path.realpath(entry.path, strict=True)
        except FileNotFoundError:
            real = os.path.realpath(entry.path)
            if not self._inside(real):
                return self._outside(entry, real)
            return self._skip(
                entry,
                "vanished",
                "it is a symbolic link whose target does not exist",
                "restore the target, or remove the link",
            )
        except OSError as error:
            return self._skip(
                entry,
                "unreadable",
                f"its symbolic link can not be followed: {error.strerror}",
                "point the link at a file, or replace it by one",
            )
        if not self._inside(real):
            return self._outside(entry, real)
        mode = os.stat(real).st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder, which is not entered" if stat.S_ISDIR(mode) else "no regular file"
            return self._skip(
                entry,
                "not-a-regular-file",
                f"it is a symbolic link to {kind}",
                "move the files themselves into the tree",
            )
        return real

    def _inside(self, real: str) -> bool:
        return f"{real}{os.sep}".startswith(self.real_root.rstrip(os.sep) + os.sep)

    def _outside(self, entry: _Entry, real: str) -> SkippedFile:
        return self._skip(
            entry,
            "outside-root",
            f"it is a symbolic link to {real}, outside the root",
            "copy the file into the tree",
        )

    def _read_file(self, entry: _Entry, path: str) -> Document | SkippedFile:
        descriptor = os.open(path, _OPEN_FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return self._skip(
                    entry,
                    "not-a-regular-file",
                    "it is a pipe, socket or device; it is not read",
                    "replace it by a regular file",
                )
            kept = self._from_cache(entry, status)
            if kept is not None:
                return kept
            if status.st_size > self.file_bytes:
                return self._too_large(entry, status)
            content = _read_up_to(descriptor, status.st_size, self.file_bytes)
        finally:
            os.close(descriptor)
        if len(content) > self.file_bytes:
            return self._too_large(entry, status)
        found = self._parsed(entry, content, status)
        if self.cache is not None:
            self.cache[entry.path] = (status.st_mtime_ns, status.st_size, found)
        return found

    def _from_cache(self, entry: _Entry, status: os.stat_result) -> Document | SkippedFile | None:
        kept = self.cache.get(entry.path) if self.cache is not None else None
        if kept and kept[0] == status.st_mtime_ns and kept[1] == status.st_size:
            return kept[2]
        return None

    def _parsed(
        self, entry: _Entry, content: bytes, status: os.stat_result
    ) -> Document | SkippedFile:
        reading = read(self.dialect, content, entry.relative_path)
        mtime_ms = status.st_mtime_ns / 1e6
        if isinstance(reading, Unread):
            return self._skip(entry, reading.reason, reading.detail, reading.remedy, mtime_ms)
        return self._document(entry, reading, mtime_ms, len(content))

    def _document(self, entry: _Entry, reading: Reading, mtime_ms: float, size: int) -> Document:
        relative_path = entry.relative_path
        return Document(
            id=document_id(self.scope, relative_path),
            scope=self.scope,
            path=entry.path,
            relative_path=relative_path,
            type=reading.type,
            title=reading.title,
            description=reading.description,
            body=reading.body,
            mtime_ms=mtime_ms,
            size=size,
            dialect=self.dialect,
            frontmatter=reading.frontmatter,
            flags=reading.flags,
        )

    def _too_large(self, entry: _Entry, status: os.stat_result) -> SkippedFile:
        return self._skip(
            entry,
            "too-large",
            f"{plural(status.st_size, 'byte')}, {self.file_bytes:,} are read",
            "split it into smaller memories, or raise the limit file_bytes",
            status.st_mtime_ns / 1e6,
        )

    def _skip(
        self,
        entry: _Entry,
        reason: SkipReason,
        detail: str,
        remedy: str,
        mtime_ms: float | None = None,
    ) -> SkippedFile:
        path, relative_path = _printable(entry.path), _printable(entry.relative_path)
        return SkippedFile(path, self.scope, relative_path, reason, detail, remedy, mtime_ms)


def _printable(path: str) -> str:
    """A path that can be written as UTF-8: bytes that are no UTF-8 become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _read_up_to(descriptor: int, expected: int, limit: int) -> bytes:
    """The content of an open file, at most one byte more than ``limit``."""
    content = os.read(descriptor, expected + 1)
    if len(content) == expected:
        return content
    pieces = [content]
    total = len(content)
    while pieces[-1] and total <= limit:
        pieces.append(os.read(descriptor, 65_536))
        total += len(pieces[-1])
    return b"".join(pieces)
