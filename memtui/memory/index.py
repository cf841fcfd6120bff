"""``MEMORY.md``: how much of it is loaded, what it leads to, and what it does not lead to."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from memtui.limits import Limits
from memtui.memory.dialects import decode
from memtui.memory.document import Pool, Scope
from memtui.memory.index_window import (
    INDEX_BYTES,
    INDEX_LINES,
    Binds,
    Cut,
    counted_lines,
    find_cut,
)
from memtui.memory.links import (
    Link,
    Names,
    linked_path,
    markdown_links,
    names_of,
    wikilink_names,
    wikilinks,
    without_code,
)
from memtui.memory.readings import OPEN_FLAGS
from memtui.text import utf8_bytes

__all__ = ["INDEX_BYTES", "INDEX_LINES", "IndexEntry", "IndexReport", "measure_index"]

Leads = Literal["document", "file", "missing", "outside"]
_Place = tuple[Leads, tuple[str, ...]]

_FILE_BYTES = Limits().file_bytes
_PATH_CHARS = 4_096
"""No file system takes a longer path."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A link of an index to a file: a markdown link or a wikilink, outside code and comments."""

    line: int
    """Its line in the file, from 1."""
    label: str
    """The words that are shown for it."""
    target: str
    """Where it leads, as written."""
    leads: Leads
    """To a memory, to another file, to none that is there, or out of the root."""
    paths: tuple[str, ...]
    """Relative paths of what it leads to: one, or every memory that a wikilink may mean."""
    loaded: bool
    """Whether it stands before the cut."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How an index is loaded, and what it leads to."""

    path: str
    """Absolute path of the index."""
    scope: Scope
    """The scope it belongs to."""
    lines: int
    """Lines that count."""
    bytes: int
    """UTF-8 bytes that count."""
    binds: Binds
    """The limit at which loading stops: ``bytes`` also where there are too many lines, if the bytes
    are used up before; ``none`` if all is loaded."""
    cut_at_line: int | None
    """The last line that is loaded, in the file as it is, from 1; None if all is loaded."""
    dangling: tuple[str, ...]
    """Targets, as written and each once, that are not there or lie outside the root."""
    orphans: tuple[str, ...]
    """Relative paths of the memories below the index's folder that no entry leads to."""
    unreachable: tuple[IndexEntry, ...]
    """Entries behind the cut."""
    entries: tuple[IndexEntry, ...]
    """Every link to a file, in order."""
    text: str
    """The file as it is, decoded."""
    error: str | None = None
    """Why it could not be read, or not to its end, in one line."""


def measure_index(
    path: str, pool: Pool, scope: Scope, root: str, file_bytes: int = _FILE_BYTES
) -> IndexReport:
    """Measures one index. A file that can not be read gives a report with an ``error``.

    Args:
        path: absolute path of the index.
        pool: the documents of the scope; every one of them below the index is looked for in it.
        scope: the scope it belongs to.
        root: the root of the scope; nothing outside it is looked at.
        file_bytes: no more of the file is read.

    """
    content, error = _read(path, root, file_bytes)
    if content is None:
        return IndexReport(path, scope, 0, 0, "none", None, (), (), (), (), "", error)
    text = decode(content)[0]
    counted, shown = counted_lines(text)
    found = find_cut(counted)
    targets = _Targets(pool, scope, root, _folder_below(root, path))
    entries = tuple(_entries(without_code(shown), targets, found))
    mentioned = {each for entry in entries for each in entry.paths}
    return IndexReport(
        path=path,
        scope=scope,
        lines=len(counted),
        bytes=sum(utf8_bytes(line.text) + 1 for line in counted) - bool(counted),
        binds=found.binds,
        cut_at_line=found.line,
        dangling=tuple(
            dict.fromkeys(each.target for each in entries if each.leads in ("missing", "outside"))
        ),
        orphans=tuple(each for each in targets.expected if each not in mentioned),
        unreachable=tuple(each for each in entries if not each.loaded),
        entries=entries,
        text=text,
        error=error,
    )


def _read(path: str, root: str, file_bytes: int) -> tuple[bytes | None, str | None]:
    """The content of an index, as much as is read, and what kept the rest from being read."""
    try:
        real = os.path.realpath(path, strict=True)
        if os.path.islink(path) and not _is_inside(real, os.path.realpath(root)):
            return None, f"it is a symbolic link to {real}, outside the root"
        descriptor = os.open(real, OPEN_FLAGS)
    except FileNotFoundError:
        return None, "it is not there"
    except ValueError:
        return None, "no file has a NUL character in its name"
    except OSError as error:
        return None, error.strerror or str(error)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None, "it is no regular file; it is not read"
        content = os.read(descriptor, file_bytes)
    except OSError as error:
        return None, error.strerror or str(error)
    finally:
        os.close(descriptor)
    if len(content) < status.st_size:
        return content, f"only the first {len(content):,} of its {status.st_size:,} bytes were read"
    return content, None


def _is_inside(real: str, real_root: str) -> bool:
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


# -- where it leads -------------------------------------------------------------------------------


class _Targets:
    """Finds what the links of one index lead to."""

    def __init__(self, pool: Pool, scope: Scope, root: str, folder: str) -> None:
        self._pool = pool
        self._scope = scope
        self._root = root
        self._real_root = os.path.realpath(root)
        self._folder = folder
        self._paths: dict[str, _Place] = {}
        self._wikilinks: dict[str, _Place] = {}
        self._real_folders: dict[str, str] = {}
        recallable = (*pool.documents, *pool.beyond, *pool.excluded)
        self._documents = {each.relative_path for each in recallable if each.scope == scope}
        self._skipped = {each.relative_path for each in pool.skipped if each.scope == scope}
        prefix = f"{folder}/" if folder else ""
        self.expected = [
            each.relative_path
            for each in pool.documents
            if each.scope == scope and each.relative_path.startswith(prefix)
        ]
        """The memories that the index should lead to, in pool order."""

    @cached_property
    def _names(self) -> Names:
        return names_of(self._pool, self._scope)

    def of_path(self, path: str) -> _Place:
        """What a path in the index leads to."""
        if path not in self._paths:
            self._paths[path] = self._find_path(path)
        return self._paths[path]

    def of_wikilink(self, inner: str) -> _Place:
        """What a wikilink in the index leads to."""
        if inner not in self._wikilinks:
            self._wikilinks[inner] = self._find_wikilink(inner)
        return self._wikilinks[inner]

    def _find_path(self, path: str) -> _Place:
        if "\0" in path or len(path) > _PATH_CHARS:
            return "missing", ()
        if path.startswith("/"):
            path = os.path.relpath(path, self._root).replace(os.sep, "/")
            below = posixpath.normpath(path)
        else:
            below = posixpath.normpath(posixpath.join(self._folder, path))
        if below == ".." or below.startswith("../"):
            return "outside", ()
        if below in self._documents:
            return "document", (below,)
        if below in self._skipped:
            return "file", (below,)
        leads = self._on_disk(below)
        return leads, (below,) if leads == "file" else ()

    def _find_wikilink(self, inner: str) -> _Place:
        paths = self._names.find(inner, self._folder)
        if paths:
            return "document" if self._documents.intersection(paths) else "file", paths
        for name in wikilink_names(inner):
            leads, paths = self.of_path(name)
            if paths:
                return leads, paths
        return "missing", ()

    def _on_disk(self, below: str) -> Leads:
        folder, name = posixpath.split(below)
        if folder not in self._real_folders:
            self._real_folders[folder] = os.path.realpath(os.path.join(self._root, folder))
        path = os.path.join(self._real_folders[folder], name)
        if os.path.islink(path):
            path = os.path.realpath(path)
        if not _is_inside(path, self._real_root):
            return "outside"
        return "file" if os.path.exists(path) else "missing"


def _entries(text: str, targets: _Targets, found: Cut) -> Iterator[IndexEntry]:
    """Every link to a file, in order."""
    for number, line in enumerate(text.split("\n"), start=1):
        if "](" not in line and "[[" not in line:
            continue
        entries = [(link, targets.of_wikilink(link.target)) for link in _named_links(line)]
        for link in markdown_links(line):
            path = linked_path(link.target)
            if path is not None:
                entries.append((link, targets.of_path(path)))
        for link, (leads, paths) in sorted(entries):
            loaded = found.keeps(number, link.end)
            yield IndexEntry(number, link.label, link.target, leads, paths, loaded)


def _named_links(line: str) -> Iterator[Link]:
    """The wikilinks of a line that name a file."""
    return (link for link in wikilinks(line) if wikilink_names(link.target))


def _folder_below(root: str, path: str) -> str:
    """The folder of an index below its root, empty for the root itself."""
    folder = os.path.relpath(os.path.dirname(path), root).replace(os.sep, "/")
    return "" if folder == "." else folder
