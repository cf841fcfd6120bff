"""Notices what changes in memory trees and databases while somebody looks at them.

It only lists folders and asks for the state of files: nothing is opened, nothing is written. With
the extra ``watch`` the system says when to look; without it, or where the system can not, it looks
again every few seconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import NamedTuple

from memtui.memory.document import Document, Pool, SkippedFile
from memtui.memory.files import walk
from memtui.memory.scan import INDEX_NAME

SLOW_LOOK = 5
"""Where the system gives notice, it is still looked again after so many intervals: notices miss
network drives, and folders that come and go."""

_JOIN_S = 2.0
"""Longest wait for the thread to end, seconds; it ends at once but for a file system that hangs."""
_GATHER_MS = 400
"""Changes within this time are told together, milliseconds."""
_STEP_MS = 100
_DATABASE_FILES = ("", "-wal")


class Stamp(NamedTuple):
    """The state of a file; a file is changed when this is."""

    mtime_ns: int
    """Modification time."""
    size: int
    """Bytes."""
    mode: int
    """Kind and permissions: a file that becomes readable is another one."""


Seen = dict[str, Stamp]
"""Path to state: memory files, indexes, databases, and folders that can not be listed."""

_FOLDER = Stamp(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different from one look to the next."""

    changed: tuple[str, ...] = ()
    """Absolute paths of what was written to, or became another kind of file."""
    new: tuple[str, ...] = ()
    """Paths that were not there."""
    gone: tuple[str, ...] = ()
    """Paths that are not there any more."""

    def __bool__(self) -> bool:
        return bool(self.changed or self.new or self.gone)

    @property
    def summary(self) -> str:
        """In a few words: ``2 changed, 1 new, 1 gone``."""
        groups = (("changed", self.changed), ("new", self.new), ("gone", self.gone))
        memories = [
            f"{count:,} {name}"
            for name, paths in groups
            if (count := sum(1 for path in paths if _is_memory(path)))
        ]
        every = [path for _, paths in groups for path in paths]
        if any(os.path.basename(path) == INDEX_NAME for path in every):
            memories.append("index changed")
        if not memories and every:
            memories.append("a database changed" if any(map(_is_file, every)) else "a root changed")
        return ", ".join(memories)


def _is_memory(path: str) -> bool:
    return path.endswith(".md") and os.path.basename(path) != INDEX_NAME


def _is_file(path: str) -> bool:
    return not os.path.isdir(path)


class Look(NamedTuple):
    """What one look found."""

    seen: Seen
    """The state of everything that a scan would meet."""
    folders: tuple[str, ...]
    """The folders that were listed."""


def look(roots: Iterable[str], databases: Iterable[str] = ()) -> Look:
    """The state of every file that a scan of the roots and the databases depends on."""
    seen: Seen = {}
    folders: list[str] = []
    for root in map(os.path.abspath, roots):
        unlisted: list[str] = []
        listed: list[str] = []
        for entry in walk(root, unlisted, listed):
            if (stamp := _stamp(entry.path)) is not None:
                seen[entry.path] = stamp
        seen.update((path, _FOLDER) for path in unlisted if os.path.lexists(path))
        if root in listed:
            seen[root] = _FOLDER._replace(mode=1)
        folders += listed
    for database in map(os.path.abspath, databases):
        for end in _DATABASE_FILES:
            if (stamp := _stamp(database + end)) is not None:
                seen[database + end] = stamp
    return Look(seen, tuple(folders))


def _stamp(path: str) -> Stamp | None:
    """The state of what a path leads to; of a link that leads nowhere its own."""
    try:
        status = os.stat(path)
    except OSError:
        try:
            status = os.lstat(path)
        except OSError:
            return None
    return Stamp(status.st_mtime_ns, status.st_size, status.st_mode)


def differences(before: Seen, after: Seen) -> Changes:
    """What changed between two looks, in the order of the paths."""
    return Changes(
        changed=tuple(
            sorted(path for path in after if before.get(path, after[path]) != after[path])
        ),
        new=tuple(sorted(path for path in after if path not in before)),
        gone=tuple(sorted(path for path in before if path not in after)),
    )


def since(pool: Pool, now: Seen, *, times: bool = True) -> Changes:
    """What changed after a pool was scanned, as far as the pool can tell.

    Args:
        pool: what was scanned.
        now: the state of the same roots.
        times: whether the times of the documents are those of their files.

    """
    known: dict[str, bool] = dict.fromkeys(pool.indexes, True)
    entries: list[Document | SkippedFile] = [*pool.documents, *pool.excluded, *pool.skipped]
    for entry in entries:
        if os.path.isabs(entry.path) and entry.path.endswith(".md"):
            stamp = now.get(entry.path)
            same = stamp is None or entry.mtime_ms is None or not times
            same = same or (stamp is not None and stamp.mtime_ns / 1e6 == entry.mtime_ms)
            if isinstance(entry, Document) and stamp is not None:
                same = same and stamp.size == entry.size
            known[entry.path] = same
    there = {path for path in now if path.endswith(".md") and _is_utf8(path)}
    return Changes(
        changed=tuple(sorted(path for path in there if not known.get(path, True))),
        new=tuple(sorted(there - known.keys())),
        gone=tuple(sorted(path for path in known if path not in now and "\ufffd" not in path)),
    )


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


Tell = Callable[[Changes], None]
"""Takes what changed; called from the thread of the watcher."""


class Watcher:
    """Looks at the same roots and databases again and again."""

    def __init__(
        self,
        roots: Sequence[str],
        databases: Sequence[str] = (),
        *,
        tell: Tell,
        scanned: Pool | None = None,
        times: bool = True,
    ) -> None:
        """Sees nothing yet.

        Args:
            roots: folders of memories.
            databases: files of memory databases.
            tell: told of every change.
            scanned: what was read last: what changed after it is told at the first look.
            times: whether the times of its documents are those of their files.

        """
        self._roots = tuple(map(os.path.abspath, roots))
        self._databases = tuple(map(os.path.abspath, databases))
        self._tell = tell
        self._scanned = scanned
        self._times = times
        self._last: Look | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    def check(self) -> Changes:
        """Looks once, and tells what changed since the last look."""
        found = look(self._roots, self._databases)
        if self._last is not None:
            changes = differences(self._last.seen, found.seen)
        elif self._scanned is not None:
            changes = since(self._scanned, found.seen, times=self._times)
        else:
            changes = Changes()
        self._last, self._scanned = found, None
        if changes and not self._stop.is_set():
            self._tell(changes)
        return changes

    def start(self, every_s: float) -> None:
        """Looks every so many seconds, in a thread, until it is closed."""
        self._thread = Thread(target=self._run, args=(every_s,), name="memtui-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread; nothing is told afterwards."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_JOIN_S)
            self._thread = None

    def _run(self, every_s: float) -> None:
        self.check()
        for _ in self._wakings(every_s):
            if self._stop.is_set():
                return
            self.check()

    def _wakings(self, every_s: float) -> Iterator[None]:
        """Yields when it is time to look."""
        while not self._stop.is_set():
            yield from self._notices(every_s)
            self._stop.wait(every_s)
            yield

    def _notices(self, every_s: float) -> Iterator[None]:
        """Yields when the system gives notice; ends where it can not, or folders came or went.

        Each folder is watched for itself: watching a tree would follow links out of it.
        """
        try:
            from watchfiles import watch
        except ImportError:
            return
        folders = self._watched()
        if not folders:
            return
        slowly_ms = int(every_s * SLOW_LOOK * 1000)
        try:
            for _ in watch(
                *folders,
                watch_filter=self._concerns,
                debounce=_GATHER_MS,
                step=_STEP_MS,
                stop_event=self._stop,
                rust_timeout=slowly_ms,
                yield_on_timeout=True,
                raise_interrupt=False,
                recursive=False,
                ignore_permission_denied=True,
            ):
                yield
                if self._watched() != folders:
                    return
        except (OSError, RuntimeError):
            return

    def _concerns(self, _change: object, path: str) -> bool:
        """Whether a notice is about a memory, a database or a folder; others are frequent."""
        databases = (each + end for each in self._databases for end in _DATABASE_FILES)
        folders = self._last.folders if self._last is not None else ()
        return path.endswith(".md") or path in databases or path in folders or os.path.isdir(path)

    def _watched(self) -> tuple[str, ...]:
        """The folders in which a change can happen."""
        last = self._last.folders if self._last is not None else ()
        return tuple(sorted({*last, *map(os.path.dirname, self._databases)}))
