"""One file of a memory tree: found by the walk, opened without waiting, read by its dialect."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memtui.limits import Limits
from memtui.memory.dialects import Dialect, Reading, Unread, read
from memtui.memory.document import Document, Scope, SkippedFile, SkipReason, document_id
from memtui.memory.recency import modified_ms
from memtui.text import plural

Recency = Literal["mtime", "modified"]
"""What tells the age of a memory: the file's time, or `modified:` in its frontmatter."""

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

Stamp = tuple[int, int, Scope, Dialect, Recency]
"""Modification time in ns, bytes, and how the file was read."""
ScanCache = dict[str, tuple[Stamp, "Document | SkippedFile"]]
"""Path to its stamp and what was read: a file whose stamp is the same is not read again."""


class Entry(NamedTuple):
    """An entry of a folder that may be a memory."""

    path: str
    relative_path: str
    is_link: bool
    is_file: bool


def walk(root: str, unlisted: list[str], listed: list[str] | None = None) -> Iterator[Entry]:
    """Every ``*.md`` entry and every linked folder below ``root``; real folders are entered.

    Folders that could not be listed are added to ``unlisted``, all others to ``listed``.
    """
    pending = [(root, "")]
    while pending:
        folder, prefix = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError:
            unlisted.append(folder)
            continue
        if listed is not None:
            listed.append(folder)
        for entry in entries:
            name = entry.name
            is_link = entry.is_symlink()
            if not is_link and entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, f"{prefix}{name}/"))
            elif name.endswith(".md") or (is_link and _links_to_folder(entry)):
                is_file = is_link or entry.is_file(follow_symlinks=False)
                yield Entry(entry.path, prefix + name, is_link, is_file)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _links_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


class FileReader:
    """Reads the entries of one scope, one at a time."""

    def __init__(
        self,
        scope: Scope,
        root: str,
        dialect: Dialect,
        limits: Limits,
        cache: ScanCache | None,
        recency: Recency = "mtime",
    ) -> None:
        self.scope = scope
        self.root = root
        self.real_root = os.path.realpath(root)
        self.dialect = dialect
        self.file_bytes = limits.file_bytes
        self.cache = cache
        self.recency = recency

    def read(self, entry: Entry) -> Document | SkippedFile:
        """The document in an entry, or why there is none."""
        if not entry.path.isascii() and not _is_utf8(entry.path):
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
        try:
            if not entry.is_link:
                return self._kept(entry) or self._read_file(entry, entry.path)
            resolved = self._resolve(entry)
            if isinstance(resolved, SkippedFile):
                return resolved
            return self._read_file(entry, resolved)
        except FileNotFoundError:
            return self._skip(entry, "vanished", "it was gone when it was opened", "scan again")
        except OSError as error:
            return self._skip(
                entry,
                "unreadable",
                error.strerror or str(error),
                "make it readable for the user that runs the agent",
            )

    def _resolve(self, entry: Entry) -> str | SkippedFile:
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

    def _outside(self, entry: Entry, real: str) -> SkippedFile:
        return self._skip(
            entry,
            "outside-root",
            f"it is a symbolic link to {real}, outside the root",
            "copy the file into the tree",
        )

    def _read_file(self, entry: Entry, path: str) -> Document | SkippedFile:
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
            self.cache[entry.path] = (self._stamp(status), found)
        return found

    def _kept(self, entry: Entry) -> Document | SkippedFile | None:
        """What was read before of a file that has not changed, without opening it."""
        if self.cache is None or entry.path not in self.cache:
            return None
        return self._from_cache(entry, os.stat(entry.path, follow_symlinks=False))

    def _from_cache(self, entry: Entry, status: os.stat_result) -> Document | SkippedFile | None:
        kept = self.cache.get(entry.path) if self.cache is not None else None
        return kept[1] if kept and kept[0] == self._stamp(status) else None

    def _stamp(self, status: os.stat_result) -> Stamp:
        return (status.st_mtime_ns, status.st_size, self.scope, self.dialect, self.recency)

    def _parsed(
        self, entry: Entry, content: bytes, status: os.stat_result
    ) -> Document | SkippedFile:
        reading = read(self.dialect, content, entry.relative_path)
        mtime_ms = status.st_mtime_ns / 1e6
        if isinstance(reading, Unread):
            return self._skip(entry, reading.reason, reading.detail, reading.remedy, mtime_ms)
        if self.recency == "modified":
            mtime_ms = modified_ms(reading.frontmatter) or mtime_ms
        return self._document(entry, reading, mtime_ms, len(content))

    def _document(self, entry: Entry, reading: Reading, mtime_ms: float, size: int) -> Document:
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

    def _too_large(self, entry: Entry, status: os.stat_result) -> SkippedFile:
        return self._skip(
            entry,
            "too-large",
            f"{plural(status.st_size, 'byte')}, {self.file_bytes:,} are read",
            "split it into smaller memories, or raise the limit file_bytes",
            status.st_mtime_ns / 1e6,
        )

    def _skip(
        self,
        entry: Entry,
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
