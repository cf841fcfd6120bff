"""A private copy of a SQLite database: the file itself is read and never opened by SQLite.

Opening a database in WAL mode leaves ``-wal`` and ``-shm`` files beside it, even read-only
(sqlite.org/wal.html, "Read-Only Databases"). So the file, its ``-wal`` and, for a database in the
older mode, its ``-journal`` are copied, and SQLite opens the copy. The ``-shm`` is an index that
SQLite makes anew (sqlite.org/walformat.html).
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.memory.document import MemoryRootError
from memtui.text import display_line

_MAGIC = b"SQLite format 3\0"
_SIDE_FILES = ("-wal", "-journal")
_LOG_HEADER_BYTES = 32
_TRIES = 5
_PAUSE_S = 0.1

_Stamp = tuple[int, int, int] | None


class DatabaseError(MemoryRootError):
    """A memory database can not be read. ``str()`` is one clear line."""


@contextmanager
def opened_copy(
    path: str, *, pause: Callable[[float], None] = time.sleep
) -> Iterator[sqlite3.Connection]:
    """A connection to a consistent copy of a database; the copy is removed afterwards.

    Args:
        path: the database.
        pause: waits a number of seconds between two tries.

    Raises:
        DatabaseError: it is missing, no database, damaged, or written to without a pause.

    """
    shown = display_line(path)
    if "\0" in path:
        raise DatabaseError(f"{shown} is no path")
    try:
        with tempfile.TemporaryDirectory(prefix="memtui-") as folder:
            copy = _stable_copy(path, Path(folder), pause)
            connection = sqlite3.connect(copy)
            try:
                _prepare(connection)
                yield connection
            finally:
                connection.close()
    except FileNotFoundError:
        raise DatabaseError(f"the database {shown} does not exist") from None
    except sqlite3.Error as error:
        raise DatabaseError(f"the database {shown} can not be read: {error}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DatabaseError(f"the database {shown} can not be read: {reason}") from None


def _prepare(connection: sqlite3.Connection) -> None:
    """Only reads, text as bytes, and no function of the schema runs unless it is harmless."""
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")


def _stable_copy(path: str, folder: Path, pause: Callable[[float], None]) -> Path:
    """Copies until the copy is of one moment."""
    source = os.path.realpath(path)
    copy = folder / "copy.db"
    for attempt in range(_TRIES):
        if attempt:
            pause(_PAUSE_S * attempt)
        before = _generation(source)
        _copy_files(path, source, copy)
        if _generation(source) == before:
            return copy
    raise DatabaseError(
        f"the database {display_line(path)} is being written to all the time; "
        "try again when its program is idle"
    )


def _copy_files(path: str, source: str, copy: Path) -> None:
    _copy_file(path, source, copy)
    for suffix in _SIDE_FILES:
        side = copy.with_name(copy.name + suffix)
        side.unlink(missing_ok=True)
        try:
            _copy_file(path, source + suffix, side)
        except FileNotFoundError:
            side.unlink(missing_ok=True)


def _copy_file(path: str, source: str, target: Path) -> None:
    """Copies one regular file; a pipe is never waited for."""
    with open(_regular(path, source), "rb") as reading, target.open("wb") as writing:
        if target.suffix == ".db":
            _check_kind(path, reading.read(len(_MAGIC)))
            reading.seek(0)
        shutil.copyfileobj(reading, writing, 1_048_576)


def _regular(path: str, source: str) -> int:
    """A descriptor of a regular file."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(source, flags | getattr(os, "O_BINARY", 0))
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise DatabaseError(f"{display_line(path)} is no file, so it is no database")


def _check_kind(path: str, beginning: bytes) -> None:
    if not beginning:
        raise DatabaseError(f"the database {display_line(path)} is empty")
    if beginning != _MAGIC:
        raise DatabaseError(f"{display_line(path)} is no SQLite database, or it is encrypted")


def _generation(source: str) -> tuple[_Stamp, bytes, _Stamp]:
    """What stays the same while a copy, made database first, is of one moment.

    A checkpoint writes to the database, and its log starts again under another header. Frames
    that are only added to the log are harmless: SQLite reads up to the last whole commit.
    """
    return _stamp(source), _log_header(source + "-wal"), _stamp(source + "-journal")


def _log_header(path: str) -> bytes:
    try:
        with open(path, "rb") as log:
            return log.read(_LOG_HEADER_BYTES)
    except FileNotFoundError:
        return b""


def _stamp(path: str) -> _Stamp:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
