"""Reads stored traces: from any database that has a table ``recall_traces``.

memtui's own is ``state``'s business; another program's is only ever copied, and the copy is read.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from memtui.memory.snapshot import DatabaseError, opened_copy
from memtui.recall.trace import Trace
from memtui.recall.trace_rows import decoded, trace_from_row
from memtui.text import display_line


class StateError(Exception):
    """A database of traces can not be read or written. ``str()`` is one clear line."""


class TraceReader(ABC):
    """Reads traces from a database that has a table ``recall_traces``.

    Every method raises `StateError` when the database can not be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sqlite3.Connection | None]:
        """A connection to read from, or None if there is no database yet."""

    @abstractmethod
    def revision(self) -> object:
        """A value that differs when there may be new traces; cheap enough to poll."""

    def get(self, trace_id: str) -> Trace | None:
        """The trace with this id."""
        try:
            trace_id.encode()
        except UnicodeEncodeError:
            return None
        return next(iter(self._select(1, "WHERE trace_id = ?", trace_id)), None)

    def list(self, limit: int = 50) -> tuple[Trace, ...]:
        """At most ``limit`` traces, newest first."""
        return self._select(limit)

    def newest(self) -> Trace | None:
        """The trace that started last."""
        return next(iter(self._select(1)), None)

    def _select(self, limit: int, where: str = "", *values: str) -> tuple[Trace, ...]:
        with self._reading() as connection:
            if connection is None or "trace_id" not in columns_of(connection):
                return ()
            rows = connection.execute(
                f"SELECT * FROM recall_traces {where} ORDER BY {_order(connection)} LIMIT ?",
                (*values, min(max(limit, 0), sys.maxsize)),
            ).fetchall()
        return tuple(
            trace_from_row(dict(zip(map(str.lower, row.keys()), row, strict=True))) for row in rows
        )


class ForeignTraces(TraceReader):
    """Another program's traces. Each call reads a private copy; beside the file nothing appears."""

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with opened_copy(str(self.path)) as connection:
                connection.execute("PRAGMA synchronous = OFF")
                connection.row_factory, connection.text_factory = sqlite3.Row, decoded
                if "trace_id" not in columns_of(connection):
                    name = display_line(str(self.path))
                    raise StateError(f"{name} has no table recall_traces with a column trace_id")
                yield connection
        except DatabaseError as error:
            raise StateError(str(error)) from error

    def revision(self) -> object:
        """The sizes and times of the database and the files beside it."""
        real = os.path.realpath(self.path)
        return tuple(_stamp(real + suffix) for suffix in ("", "-wal", "-journal"))


def open_foreign(path: Path) -> ForeignTraces:
    """Another program's table ``recall_traces``, to read. Missing columns read as empty.

    Raises:
        StateError: there is no such file, it is no database, or it has no such table.

    """
    traces = ForeignTraces(path.absolute())
    traces.newest()
    return traces


def columns_of(connection: sqlite3.Connection, table: str = "recall_traces") -> set[str]:
    """The names of the columns of a table, in lower case; empty if there is no such table."""
    rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {row["name"].lower() for row in rows}


def _order(connection: sqlite3.Connection) -> str:
    """Newest first, by whatever the table has; among equals the row written last."""
    start = "started_at DESC, " if "started_at" in columns_of(connection) else ""
    try:
        connection.execute("SELECT rowid FROM recall_traces LIMIT 0")
    except sqlite3.OperationalError:
        return start + "trace_id"
    return start + "rowid DESC"


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
