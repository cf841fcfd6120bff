"""memtui's own database: the traces of recalls and how often each document was shown.

One SQLite file, ``state.db``, in the folder that ``MEMTUI_STATE`` names or else in the platform's
folder for state. It holds hashes, counts, ids and times, never the text of a query or a memory.
Nothing is created before the first write.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

from memtui.recall.trace import Trace, WallClock, wall_clock
from memtui.recall.trace_rows import decoded, row_of_trace
from memtui.text import display_line
from memtui.traces import StateError, TraceReader, columns_of

SWEEP_WRITES = 200
"""Writes, by any process, after which old traces are swept."""
SWEEP_MS = 3_600_000
"""Milliseconds after which they are swept in any case."""
TIMEOUT_S = 5.0
"""How long a write waits for another program, seconds."""

_RETRY_S = 0.005
_DAY_MS = 86_400_000
_TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_BROKEN = "is not a usable database ({}); move it away, and memtui starts a new one"
_PLAIN_WORDS = {
    sqlite3.SQLITE_BUSY: "is locked by another program",
    sqlite3.SQLITE_LOCKED: "is locked by another program",
    sqlite3.SQLITE_READONLY: "is read-only",
    sqlite3.SQLITE_FULL: "can not grow, the disk is full",
    sqlite3.SQLITE_CANTOPEN: "can not be opened",
    sqlite3.SQLITE_CORRUPT: _BROKEN,
    sqlite3.SQLITE_NOTADB: _BROKEN,
}

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS recall_traces (
        trace_id TEXT PRIMARY KEY, source TEXT, mode TEXT, query_hash TEXT, query_chars INTEGER,
        requested_limit INTEGER, effective_limit INTEGER, candidate_limit INTEGER,
        kept_ids TEXT, steps TEXT, started_at INTEGER, ended_at INTEGER, duration_ms REAL)""",
    "CREATE INDEX IF NOT EXISTS recall_traces_started_at ON recall_traces (started_at)",
    """CREATE TABLE IF NOT EXISTS memtui_uses (
        pool_key TEXT, document_id TEXT, count INTEGER NOT NULL, last_used_at INTEGER NOT NULL,
        PRIMARY KEY (pool_key, document_id)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS memtui_sweeps (
        id INTEGER PRIMARY KEY CHECK (id = 1), writes INTEGER NOT NULL,
        since_sweep INTEGER NOT NULL, swept_at INTEGER NOT NULL)""",
)
# The table of traces is shared ground; the other two carry memtui's name, so that they meet no
# table of the program whose database this once was.

_INSERT = """INSERT OR REPLACE INTO recall_traces (
    trace_id, source, mode, query_hash, query_chars, requested_limit, effective_limit,
    candidate_limit, kept_ids, steps, started_at, ended_at, duration_ms
    ) VALUES (
    :trace_id, :source, :mode, :query_hash, :query_chars, :requested_limit, :effective_limit,
    :candidate_limit, :kept_ids, :steps, :started_at, :ended_at, :duration_ms)"""
_USE = """INSERT INTO memtui_uses VALUES (?, ?, 1, ?) ON CONFLICT (pool_key, document_id)
    DO UPDATE SET count = count + 1, last_used_at = excluded.last_used_at"""
_COUNT = """INSERT INTO memtui_sweeps VALUES (1, 1, 1, ?) ON CONFLICT (id)
    DO UPDATE SET writes = writes + 1, since_sweep = since_sweep + 1"""
_SWEEP_OLD = "DELETE FROM recall_traces WHERE started_at < ? AND trace_id <> ?"
_SWEEP_MANY = """DELETE FROM recall_traces WHERE rowid <=
    (SELECT rowid FROM recall_traces ORDER BY rowid DESC LIMIT 1 OFFSET ?)"""


@dataclass(frozen=True, slots=True)
class Use:
    """How often a document was shown in a context."""

    count: int
    """Recalls that showed it."""
    last_used_ms: int
    """The last of them, epoch milliseconds."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How much of the past is kept."""

    days: int = 7
    """Age at which a trace may be swept, days."""
    max_rows: int = 10_000
    """Traces left after a sweep."""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        """What the environment asks for: clamped to its range, the default if it is no number."""
        return cls(
            _setting(environ, "MEMTUI_TRACE_RETENTION_DAYS", cls().days, 1, 365),
            _setting(environ, "MEMTUI_TRACE_MAX_ROWS", cls().max_rows, 100, 100_000),
        )


def state_path(environ: Mapping[str, str] | None = None) -> Path:
    """Where memtui's database is: ``state.db`` in the folder ``MEMTUI_STATE``, if that is set."""
    folder = (os.environ if environ is None else environ).get("MEMTUI_STATE")
    path = Path(folder or platformdirs.user_state_dir("memtui", appauthor=False))
    with suppress(RuntimeError):  # ~ of a user who is not known stays as written
        path = path.expanduser()
    return path.absolute() / "state.db"


def pool_key(roots: Iterable[str]) -> str:
    """What tells the documents of these roots from others with the same ids: a SHA-256.

    Neither the order of the roots nor the way their paths are written matters.
    """
    real = sorted({os.path.normcase(os.path.realpath(root)) for root in roots})
    return hashlib.sha256(b"\0".join(os.fsencode(root) for root in real)).hexdigest()


class TraceStore(TraceReader):
    """memtui's database. Any number of threads and processes may write at once.

    The connection is kept between calls, because closing the last one folds the log into the file
    and waits for the disk. It is replaced when the file at ``path`` is another one, and closed
    with the store. A store that has been used must not be carried across a fork.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        clock: WallClock = wall_clock,
        environ: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        super().__init__(state_path(environ) if path is None else path.absolute())
        self.retention = Retention.from_environ(os.environ if environ is None else environ)
        self._clock = clock
        self._timeout_s = timeout_s
        self._lock = threading.RLock()
        self._kept: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._closer: Callable[[], object] = _nothing

    def record(self, trace: Trace, *, pool_key: str = "", used_ids: Sequence[str] = ()) -> None:
        """Stores a trace and counts a use of each of ``used_ids``, in one transaction.

        When this returns, the trace outlives the process, however that ends. The write that makes
        a sweep due also sweeps.

        Raises:
            StateError: it could not be written; then nothing was.

        """
        deadline = time.monotonic() + self._timeout_s
        with self._lock, self._reported():
            while True:
                try:
                    self._record_once(trace, pool_key, used_ids)
                    return
                except sqlite3.OperationalError as error:
                    if _code(error) not in _TRANSIENT or time.monotonic() >= deadline:
                        raise
                # Changing to WAL, which several processes may attempt on a new file, is refused
                # at once instead of waited for.
                self.close()
                time.sleep(_RETRY_S)

    def use_counts(self, pool_key: str) -> dict[str, Use]:
        """How often each document of a pool was shown, by id; those never shown are left out."""
        with self._reading() as connection:
            if connection is None or not columns_of(connection, "memtui_uses"):
                return {}
            rows = connection.execute(
                "SELECT document_id, count, last_used_at FROM memtui_uses WHERE pool_key = ?",
                (pool_key,),
            ).fetchall()
        return {row[0]: Use(row[1], row[2]) for row in rows}

    def revision(self) -> object:
        """Which file it is, and the number of writes so far; None before the first write."""
        with self._reading() as connection:
            if connection is None or not columns_of(connection, "memtui_sweeps"):
                return None
            row = connection.execute("SELECT writes FROM memtui_sweeps").fetchone()
            return self._identity, row and row[0]

    def close(self) -> None:
        """Closes the connection; the next call opens another."""
        with self._lock:
            self._closer()
            self._kept, self._identity, self._closer = None, None, _nothing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        with self._lock, self._reported():
            yield self._connection() if self.path.exists() else None

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Turns whatever the disk or SQLite says into one clear line."""
        try:
            yield
        except (sqlite3.Error, OSError, OverflowError, UnicodeEncodeError) as error:
            self.close()
            raise StateError(f"{display_line(str(self.path))} {_plainly(error)}") from error

    def _record_once(self, trace: Trace, pool_key: str, used_ids: Sequence[str]) -> None:
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
        connection = self._connection()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA:
                connection.execute(statement)
            now = int(self._clock())
            connection.execute(_INSERT, row_of_trace(trace))
            uses = [(pool_key, document_id, now) for document_id in dict.fromkeys(used_ids)]
            connection.executemany(_USE, uses)
            self._sweep_if_due(connection, now, trace.trace_id)

    def _sweep_if_due(self, connection: sqlite3.Connection, now: int, written: str) -> None:
        """Counts a write, which starts the first hour, and sweeps when the time has come.

        The trace just written stays, even when its clock was wrong.
        """
        connection.execute(_COUNT, (now,))
        since, swept_at = connection.execute(
            "SELECT since_sweep, swept_at FROM memtui_sweeps"
        ).fetchone()
        if since < SWEEP_WRITES and abs(now - swept_at) < SWEEP_MS:
            return
        connection.execute(_SWEEP_OLD, (now - self.retention.days * _DAY_MS, written))
        connection.execute(_SWEEP_MANY, (self.retention.max_rows,))
        connection.execute("UPDATE memtui_sweeps SET since_sweep = 0, swept_at = ?", (now,))

    def _connection(self) -> sqlite3.Connection:
        status = self.path.stat()
        identity = (status.st_dev, status.st_ino)
        if self._kept is None or identity != self._identity:
            self.close()
            self._kept = _connect(self.path, self._timeout_s)
            self._closer = weakref.finalize(self, self._kept.close)
            self._identity = identity
        return self._kept


def try_record(
    store: TraceStore, trace: Trace, *, pool_key: str = "", used_ids: Sequence[str] = ()
) -> bool:
    """Whether the trace could be stored: what an answer calls ``traced``."""
    try:
        store.record(trace, pool_key=pool_key, used_ids=used_ids)
    except StateError:
        return False
    return True


def _nothing() -> None:
    """Closes no connection."""


def _setting(environ: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    try:
        return min(high, max(low, int(environ.get(name, ""))))
    except ValueError:
        return default


def _connect(path: Path, timeout_s: float) -> sqlite3.Connection:
    """A connection to a file that exists; it is used under a lock, so any thread may."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    connection.text_factory = decoded
    return connection


def _plainly(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"can not be used ({error.strerror})"
    words = _PLAIN_WORDS.get(_code(error) or -1, "can not be used ({})")
    return words.format(display_line(str(error)))


def _code(error: Exception) -> int | None:
    """SQLite's primary result code."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
