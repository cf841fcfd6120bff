"""memtui's database: what is kept, for how long, and what happens when it can not be written."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memtui.recall.trace import Step, Trace
from memtui.state import Retention, TraceStore, Use, pool_key, state_path, try_record
from memtui.traces import StateError, open_foreign

NOW = 1_772_442_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
COLUMNS = [field.name for field in fields(Trace)]


def make_trace(started_at: int = NOW, **fields: Any) -> Trace:
    values: dict[str, Any] = {
        "trace_id": str(uuid.uuid4()),
        "source": "cli",
        "mode": "lexical/heuristic",
        "query_hash": "ab" * 32,
        "query_chars": 24,
        "requested_limit": 50,
        "effective_limit": 20,
        "candidate_limit": 60,
        "kept_ids": ("0a1b2c3d", "db-7"),
        "steps": (
            Step("scan.pool", started_at, 1.25, {"documents": 251, "complete": True}),
            Step("ids.allowed", started_at + 2, 2.5, {"ids": ("0a1b2c3d", "db-7"), "why": None}),
        ),
        "started_at": started_at,
        "ended_at": started_at + 3,
        "duration_ms": 3.125,
    }
    return Trace(**{**values, **fields})


class Clock:
    def __init__(self) -> None:
        self.now = float(NOW)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


@pytest.fixture
def store(path: Path) -> Iterator[TraceStore]:
    with TraceStore(path, clock=Clock(), environ={}, timeout_s=0.05) as store:
        yield store


def clocked(path: Path, **environ: str) -> tuple[TraceStore, Clock]:
    clock = Clock()
    return TraceStore(path, clock=clock, environ=environ), clock


def query(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(sql).fetchall()


def row_count(path: Path) -> int:
    count: int = query(path, "SELECT count(*) FROM recall_traces")[0][0]
    return count


# --- a trace and its columns


def test_a_trace_reads_back_equal_and_newest_first(store: TraceStore) -> None:
    traces = [make_trace(NOW + n) for n in (2, 1, 3)]
    for trace in traces:
        store.record(trace)
    assert store.get(traces[0].trace_id) == traces[0]
    assert store.list() == (traces[2], traces[0], traces[1])
    assert store.list(2) == (traces[2], traces[0])
    assert store.list(0) == store.list(-1) == ()
    assert len(store.list(10**30)) == 3
    assert store.newest() == traces[2]


def test_of_traces_that_started_together_the_last_written_is_first(store: TraceStore) -> None:
    traces = [make_trace() for _ in range(5)]
    for trace in traces:
        store.record(trace)
    assert store.list() == tuple(reversed(traces))


@pytest.mark.parametrize("unknown", ["", "nope", "\udc80", "a\0b", "' OR 1=1 --"])
def test_an_unknown_id_has_no_trace(store: TraceStore, unknown: str) -> None:
    store.record(make_trace())
    assert store.get(unknown) is None


def test_the_table_has_the_columns_of_the_contract_and_wal(store: TraceStore, path: Path) -> None:
    store.record(make_trace())
    columns = [row[1] for row in query(path, "PRAGMA table_info(recall_traces)")]
    assert columns == [
        *("trace_id", "source", "mode", "query_hash", "query_chars"),
        *("requested_limit", "effective_limit", "candidate_limit"),
        *("kept_ids", "steps", "started_at", "ended_at", "duration_ms"),
    ]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]
    stored = query(path, "SELECT kept_ids, steps FROM recall_traces")[0]
    assert json.loads(stored[0]) == ["0a1b2c3d", "db-7"]
    assert json.loads(stored[1])[0] == {
        "name": "scan.pool",
        "at": NOW,
        "elapsedMs": 1.25,
        "meta": {"documents": 251, "complete": True},
    }


def test_a_trace_recorded_twice_is_one_row(store: TraceStore, path: Path) -> None:
    trace = make_trace()
    store.record(trace)
    store.record(replace(trace, mode="bm25/heuristic"))
    assert store.list() == (replace(trace, mode="bm25/heuristic"),)


def test_reading_creates_nothing(store: TraceStore, path: Path, tmp_path: Path) -> None:
    assert store.get("x") is None
    assert store.list() == ()
    assert store.newest() is None
    assert store.use_counts("") == {}
    assert store.revision() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_folder_and_the_file_are_private(store: TraceStore, path: Path) -> None:
    store.record(make_trace())
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_database_holds_no_text(path: Path, tmp_path: Path) -> None:
    from memtui.engine import Engine
    from memtui.memory.document import Scope
    from memtui.setup import Setup, sources_for
    from tests.helpers import write_memory

    secret = "zanzibar"
    root = tmp_path / "memory"
    write_memory(root, "a.md", title=f"The {secret} plan", description=secret, body=secret)
    engine = Engine(Setup(sources_for([(Scope.PROJECT, str(root))], None)))
    result = engine.recall(f"what is the {secret} plan")
    assert result.trace.kept_ids
    with TraceStore(path, environ={}) as store:
        key = pool_key([str(root)])
        store.record(result.trace, pool_key=key, used_ids=result.trace.kept_ids)
        files = [file for file in path.parent.iterdir() if file.is_file()]
        assert {file.name for file in files} >= {"state.db", "state.db-wal"}
        assert not any(secret.encode() in file.read_bytes().lower() for file in files)
        assert store.get(result.trace.trace_id) == result.trace


# --- where it is


def test_the_folder_comes_from_the_environment(tmp_path: Path) -> None:
    assert state_path({"MEMTUI_STATE": str(tmp_path)}) == tmp_path / "state.db"
    assert TraceStore(environ={"MEMTUI_STATE": str(tmp_path)}).path == tmp_path / "state.db"
    assert state_path({"MEMTUI_STATE": "~/x"}) == Path.home() / "x" / "state.db"
    assert state_path({"MEMTUI_STATE": "~no-such-user/x"}).parts[-2:] == ("x", "state.db")
    for unset in ({}, {"MEMTUI_STATE": ""}):
        assert state_path(unset).name == "state.db"
        assert state_path(unset).is_absolute()


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    with TraceStore(tmp_path / "a?b#c%20d é" / "state.db", environ={}) as store:
        store.record(make_trace())
        assert store.path.is_file()
        assert len(store.list()) == 1


def test_a_database_that_was_moved_away_starts_again(store: TraceStore, path: Path) -> None:
    store.record(make_trace())
    before = store.revision()
    path.parent.rename(path.parent.with_name("away"))
    assert store.list() == ()
    store.record(make_trace())
    assert len(store.list()) == 1
    assert store.revision() != before
    assert row_count(path.parent.with_name("away") / "state.db") == 1


# --- use counts


def test_uses_are_counted_per_pool(store: TraceStore) -> None:
    clock = store._clock
    assert isinstance(clock, Clock)
    store.record(make_trace(), pool_key="one", used_ids=["a", "b", "a"])
    clock.now += 5
    store.record(make_trace(), pool_key="one", used_ids=["a"])
    store.record(make_trace(), pool_key="two", used_ids=["a"])
    store.record(make_trace(), pool_key="one")
    assert store.use_counts("one") == {"a": Use(2, NOW + 5), "b": Use(1, NOW)}
    assert store.use_counts("two") == {"a": Use(1, NOW + 5)}
    assert store.use_counts("three") == {}


def test_a_pool_key_is_a_hash_of_the_set_of_roots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    key = pool_key([str(tmp_path / "a"), str(tmp_path / "b")])
    assert key == pool_key(["b", "./a/", "a"])
    assert key != pool_key(["a"])
    assert key != pool_key([str(tmp_path / "a b")])
    assert len(key) == 64
    assert pool_key([]) != pool_key(["\udc80"])


# --- retention


@pytest.mark.parametrize(
    ("days", "rows", "expected"),
    [
        (None, None, Retention(7, 10_000)),
        ("30", "500", Retention(30, 500)),
        ("0", "99", Retention(1, 100)),
        ("-5", "-5", Retention(1, 100)),
        ("366", "100001", Retention(365, 100_000)),
        ("9" * 40, "9" * 40, Retention(365, 100_000)),
        ("soon", "many", Retention(7, 10_000)),
        ("", " ", Retention(7, 10_000)),
        ("1.5", "1e3", Retention(7, 10_000)),
        ("9" * 9000, "nan", Retention(7, 10_000)),
    ],
)
def test_retention_is_clamped(days: str | None, rows: str | None, expected: Retention) -> None:
    asked = {"MEMTUI_TRACE_RETENTION_DAYS": days, "MEMTUI_TRACE_MAX_ROWS": rows}
    environ = {name: value for name, value in asked.items() if value is not None}
    assert Retention.from_environ(environ) == expected


def test_a_burst_never_overshoots_the_rows_by_more_than_a_sweep(path: Path) -> None:
    store, clock = clocked(path, MEMTUI_TRACE_MAX_ROWS="100")
    counts = []
    with store:
        for n in range(1_000):
            clock.now += 1
            store.record(make_trace(NOW + n))
            counts.append(row_count(path))
        kept = store.list(1_000)
    assert max(counts) == 299
    assert counts[199::200] == [100] * 5
    assert [trace.started_at for trace in kept] == [NOW + n for n in range(999, 899, -1)]


def test_short_processes_count_together(path: Path) -> None:
    for _ in range(200):
        store, _clock = clocked(path, MEMTUI_TRACE_MAX_ROWS="100")
        store.record(make_trace())
        kept = store  # the next store opens before this one closes: no wait for the disk
        del store
    assert len(kept.list(1_000)) == 100


def test_old_traces_go_within_the_hour(path: Path) -> None:
    store, clock = clocked(path, MEMTUI_TRACE_RETENTION_DAYS="2")
    with store:
        old, young = make_trace(NOW - 2 * DAY - 1), make_trace(NOW - DAY)
        for trace in (old, young):
            store.record(trace)
        clock.now += HOUR - 1
        store.record(make_trace())
        assert store.get(old.trace_id) == old
        clock.now += 1
        store.record(make_trace())
        assert store.get(old.trace_id) is None
        assert store.get(young.trace_id) == young
        assert len(store.list()) == 3


def test_a_clock_that_was_ahead_does_not_stop_the_sweeps(path: Path) -> None:
    store, clock = clocked(path)
    with store:
        clock.now += 1000 * DAY
        store.record(make_trace())
        clock.now = NOW
        old = make_trace(NOW - 8 * DAY)
        store.record(old)
        store.record(make_trace())
        assert store.get(old.trace_id) == old, "the trace just written stays"
        clock.now += HOUR
        store.record(make_trace())
        assert store.get(old.trace_id) is None


# --- change detection


def test_the_revision_changes_with_every_write_of_anyone(store: TraceStore, path: Path) -> None:
    seen = {store.revision()}
    with TraceStore(path, environ={}) as other:
        for writer in (store, other, store, other):
            writer.record(make_trace())
            assert store.revision() not in seen
            seen.add(store.revision())
    assert store.revision() in seen


# --- an older database


def older(path: Path, extra: str = "") -> Trace:
    path.parent.mkdir(parents=True, exist_ok=True)
    trace = make_trace(NOW - 100 * DAY)
    row = trace.as_json()
    values = [json.dumps(v) if isinstance(v, list) else v for v in row.values()]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE recall_traces ({', '.join(COLUMNS)}{extra})")
        connection.execute("CREATE TABLE memories (body)")
        connection.execute("INSERT INTO memories VALUES ('kept')")
        places = ", ".join("?" * len(COLUMNS))
        names = ", ".join(COLUMNS)
        connection.execute(f"INSERT INTO recall_traces ({names}) VALUES ({places})", values)
    return trace


def test_an_older_database_is_read_unchanged(store: TraceStore, path: Path) -> None:
    trace = older(path, ", note TEXT DEFAULT 'mine'")
    before = path.read_bytes()
    assert store.list() == (trace,)
    assert store.use_counts("") == {}
    assert store.revision() is None
    store.close()
    assert path.read_bytes() == before


def test_an_older_database_loses_nothing_when_it_is_written(store: TraceStore, path: Path) -> None:
    trace = older(path, ", note TEXT DEFAULT 'mine'")
    added = make_trace()
    store.record(added, used_ids=["a"])
    assert store.list() == (added, trace)
    assert query(path, "SELECT note FROM recall_traces") == [("mine",), ("mine",)]
    assert query(path, "SELECT * FROM memories") == [("kept",)]
    assert store.use_counts("") == {"a": Use(1, NOW)}


def test_an_empty_file_is_a_new_database(store: TraceStore, path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert store.list() == ()
    store.record(make_trace())
    assert len(store.list()) == 1


# --- when it can not be written


def refused(store: TraceStore, *words: str) -> None:
    with pytest.raises(StateError) as caught:
        store.record(make_trace(), used_ids=["a"])
    line = str(caught.value)
    assert "\n" not in line
    assert all(word in line for word in (str(store.path), *words)), line
    assert try_record(store, make_trace()) is False


def test_a_written_trace_is_reported_as_written(store: TraceStore) -> None:
    assert try_record(store, make_trace(), pool_key="k", used_ids=["a"]) is True
    assert store.use_counts("k")["a"].count == 1


@pytest.mark.parametrize(
    "damage", [b"not a database at all\n" * 400, b"SQLite format 3\0" + b"\xff" * 4080]
)
def test_a_broken_database_is_named_and_left_alone(
    store: TraceStore, path: Path, damage: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(damage)
    refused(store, "is not a usable database", "move it away")
    with pytest.raises(StateError, match="is not a usable database"):
        store.list()
    assert path.read_bytes() == damage
    path.rename(path.with_name("away"))
    store.record(make_trace())
    assert len(store.list()) == 1


def test_a_database_broken_in_the_middle_is_named(store: TraceStore, path: Path) -> None:
    for n in range(60):
        store.record(make_trace(NOW + n))
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    refused(store, "is not a usable database", "move it away")


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_locked_database_is_waited_for_and_then_named(
    store: TraceStore, path: Path, mode: str
) -> None:
    older(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute(f"PRAGMA journal_mode = {mode}")
        owner.execute("BEGIN EXCLUSIVE")
        refused(store, "is locked by another program")
        owner.execute("ROLLBACK")
    store.record(make_trace())
    assert len(store.list()) == 2


def test_a_lock_that_ends_in_time_is_outlasted(path: Path) -> None:
    older(path)
    with (
        closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as owner,
        TraceStore(path, environ={}, timeout_s=30) as store,
    ):
        owner.execute("BEGIN EXCLUSIVE")
        ending = threading.Timer(0.1, owner.execute, ["ROLLBACK"])
        ending.start()
        store.record(make_trace())
        ending.join()


def test_a_lock_that_is_not_waited_for_is_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses a change to WAL at once when another process is changing to it too."""
    refusals = 3

    class Refusing(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            nonlocal refusals
            if "journal_mode" in sql and refusals:
                refusals -= 1
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().execute(sql, *values)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Refusing))
        with TraceStore(path, environ={}, timeout_s=30) as store:
            store.record(make_trace())
    assert refusals == 0
    assert row_count(path) == 1


@contextmanager
def every_connection(monkeypatch: pytest.MonkeyPatch, *pragmas: str) -> Iterator[None]:
    connect = sqlite3.connect

    def limited(*args: Any, **keywords: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **keywords)
        for pragma in pragmas:
            connection.execute(pragma)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", limited)
        yield


def test_a_full_disk_loses_that_trace_and_no_other(
    store: TraceStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_trace()
    store.record(first, used_ids=["a"])
    store.close()
    huge = make_trace(kept_ids=tuple(f"{n:08x}" for n in range(9_000)))
    with every_connection(monkeypatch, "PRAGMA max_page_count = 12"):
        with pytest.raises(StateError, match="the disk is full"):
            store.record(huge, used_ids=["a"])
        assert store.use_counts("")["a"].count == 1, "one transaction"
        assert store.list() == (first,)
    store.close()
    store.record(huge)
    assert store.get(huge.trace_id) == huge


def test_a_read_only_database_is_named(
    store: TraceStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_trace()
    store.record(first)
    store.close()
    with every_connection(monkeypatch, "PRAGMA query_only = ON"):
        refused(store, "is read-only")
        assert store.list() == (first,)


def test_a_folder_where_the_database_should_be_is_named(store: TraceStore, path: Path) -> None:
    path.mkdir(parents=True)
    refused(store, "can not be opened")
    with pytest.raises(StateError, match="can not be opened"):
        store.list()


def test_a_file_where_the_folder_should_be_is_named(store: TraceStore, path: Path) -> None:
    path.parent.write_text("a file")
    refused(store, "can not be used")
    assert store.list() == ()


def test_a_table_without_our_columns_is_named(store: TraceStore, path: Path) -> None:
    path.parent.mkdir()
    query(path, "CREATE TABLE recall_traces (trace_id TEXT PRIMARY KEY, started_at)")
    refused(store, "can not be used", "source")
    assert store.list() == ()


def test_a_number_beyond_the_database_is_refused(store: TraceStore) -> None:
    with pytest.raises(StateError):
        store.record(make_trace(requested_limit=10**30))
    store.record(make_trace())
    assert len(store.list()) == 1


def test_an_interrupted_write_holds_no_lock(store: TraceStore, path: Path) -> None:
    class Interrupting(Clock):
        def __call__(self) -> float:
            raise KeyboardInterrupt

    store.record(make_trace())
    with TraceStore(path, clock=Interrupting(), environ={}) as interrupted:
        with pytest.raises(KeyboardInterrupt):
            interrupted.record(make_trace())
        store.record(make_trace())
    assert row_count(path) == 2


# --- many at once, and sudden ends

CHILD = """
import sys, time, uuid
from pathlib import Path
from memtui.recall.trace import Trace
from memtui.state import TraceStore

def say(line):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()

environ = {"MEMTUI_TRACE_MAX_ROWS": "100000"}
stores = [TraceStore(Path(each), environ=environ, timeout_s=60) for each in sys.argv[2:]]
say("ready")
sys.stdin.readline()
for n in range(int(sys.argv[1])):
    for store in stores:
        now = int(time.time() * 1000)
        kept = ("0a1b2c3d", "db-7")
        trace = Trace(str(uuid.uuid4()), "cli", "m", "h", 1, 5, 5, 15, kept, (), now, now, 0.5)
        store.record(trace, pool_key="k", used_ids=["a"])
        say(trace.trace_id)
"""


def child(count: int, *paths: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(count), *map(str, paths)],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def start_together(children: list[subprocess.Popen[str]]) -> None:
    for each in children:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in children:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def test_eight_processes_write_two_thousand_traces(path: Path) -> None:
    children = [child(250, path) for _ in range(8)]
    start_together(children)
    printed = [line.strip() for each in children if each.stdout for line in each.stdout]
    for each in children:
        each.communicate()
    assert [each.returncode for each in children] == [0] * 8
    assert len(set(printed)) == 2_000
    assert {row[0] for row in query(path, "SELECT trace_id FROM recall_traces")} == set(printed)
    with TraceStore(path, environ={}) as store:
        assert store.use_counts("k")["a"].count == 2_000
        revision = store.revision()
    assert isinstance(revision, tuple)
    assert revision[1] == 2_000


def test_processes_may_create_a_database_at_the_same_moment(tmp_path: Path) -> None:
    paths = [tmp_path / str(n) / "state.db" for n in range(12)]
    children = [child(1, *paths) for _ in range(4)]
    start_together(children)
    for each in children:
        each.communicate()
    assert [each.returncode for each in children] == [0] * 4
    assert [row_count(path) for path in paths] == [4] * 12


def test_threads_share_a_store(store: TraceStore) -> None:
    def work() -> None:
        for _ in range(25):
            store.record(make_trace())
            store.list(3)
            store.revision()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.list(1_000)) == 200


def test_every_answered_trace_survives_a_kill(path: Path) -> None:
    chance = random.Random(11)
    answered: set[str] = set()
    for _ in range(10):
        children = [child(100_000, path) for _ in range(5)]
        start_together(children)
        for each in chance.sample(children, len(children)):
            assert each.stdout is not None
            for _ in range(chance.randrange(1, 12)):
                answered.add(each.stdout.readline().strip())
            time.sleep(chance.random() * 0.003)
            each.kill()
            lines = each.stdout.readlines()
            each.communicate()
            answered.update(line.strip() for line in lines if line.endswith("\n"))
        with TraceStore(path, environ={}) as store:
            assert store.newest() is not None
    assert "" not in answered
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    stored = {row[0] for row in query(path, "SELECT trace_id FROM recall_traces")}
    assert answered <= stored


# --- another program's database


def snapshot(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        file.name: (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino)
        for file in folder.iterdir()
    }


@contextmanager
def foreign(tmp_path: Path, *statements: str, mode: str = "WAL") -> Iterator[Path]:
    """A database whose owner still has it open, with its last rows in the log."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = folder / "memory.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute(f"PRAGMA journal_mode = {mode}")
        for statement in statements:
            owner.execute(statement)
        yield path


def test_a_foreign_database_is_read_and_not_touched(tmp_path: Path) -> None:
    with foreign(
        tmp_path,
        "CREATE TABLE recall_traces (trace_id TEXT PRIMARY KEY, source, kept_ids, steps, "
        "started_at INTEGER, extra)",
        """INSERT INTO recall_traces VALUES ('t1', 'mcp', '[12, 7, "x"]',
           '[{"name": "fts", "at": 5.0, "elapsedMs": 1, "meta": {"n": 3, "ids": [1, 2],
              "deep": {"a": 1}}}, {"step": "other"}, 4]', 1772442000000, x'00')""",
        "INSERT INTO recall_traces VALUES ('t2', NULL, 'no json', '{}', 1772442000001, NULL)",
    ) as path:
        before = snapshot(path.parent)
        assert set(before) == {"memory.sqlite", "memory.sqlite-wal", "memory.sqlite-shm"}
        traces = open_foreign(path)
        revision = traces.revision()
        assert [trace.trace_id for trace in traces.list()] == ["t2", "t1"]
        found = traces.get("t1")
        assert traces.get("t3") is None
        assert traces.revision() == revision
        assert snapshot(path.parent) == before
        assert found is not None
        assert found.kept_ids == ("12", "7", "x")
        assert found.started_at == NOW
        assert (found.mode, found.query_chars, found.duration_ms) == ("", 0, 0)
        assert found.steps == (
            Step("fts", 5, 1, {"n": 3, "ids": ("1", "2"), "deep": '{"a": 1}'}),
            Step("", 0, 0, {}),
        )
        newest = traces.newest()
        assert newest is not None
        assert (newest.source, newest.kept_ids, newest.steps) == ("", (), ())
        query(path, "INSERT INTO recall_traces (trace_id, started_at) VALUES ('t4', 0)")
        assert traces.revision() != revision


def test_a_closed_foreign_database_gets_no_files_beside_it(tmp_path: Path) -> None:
    with foreign(tmp_path, "CREATE TABLE recall_traces (trace_id, started_at)") as path:
        pass
    before = snapshot(path.parent)
    assert set(before) == {"memory.sqlite"}
    assert open_foreign(path).list() == ()
    assert snapshot(path.parent) == before


def test_a_foreign_write_that_was_cut_off_is_not_seen(tmp_path: Path) -> None:
    with foreign(
        tmp_path,
        "CREATE TABLE recall_traces (trace_id, started_at, steps)",
        "INSERT INTO recall_traces VALUES ('kept', 1, 'x')",
        "PRAGMA cache_size = 1",
        "PRAGMA cache_spill = 1",
        "BEGIN IMMEDIATE",
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
        "INSERT INTO recall_traces SELECT i, 2, hex(randomblob(3000)) FROM n",
        mode="DELETE",
    ) as path:
        before = snapshot(path.parent)
        assert "memory.sqlite-journal" in before
        assert [trace.trace_id for trace in open_foreign(path).list()] == ["kept"]
        assert snapshot(path.parent) == before


@pytest.mark.parametrize(
    ("made", "started"),
    [
        ("CREATE TABLE Recall_Traces (Trace_Id TEXT PRIMARY KEY, Started_At) WITHOUT ROWID", 1),
        (
            "CREATE TABLE t (a, b); "
            "CREATE VIEW recall_traces AS SELECT a trace_id, b started_at FROM t",
            0,
        ),
        (
            "CREATE TABLE recall_traces "
            "(trace_id TEXT, started_at TEXT DEFAULT '1970-01-01 00:00:01')",
            1_000,
        ),
        ("CREATE TABLE recall_traces (trace_id BLOB, started_at DEFAULT '17.5')", 17),
        ("CREATE TABLE recall_traces (trace_id BLOB, started_at DEFAULT 9e999)", 0),
        ("CREATE TABLE recall_traces (trace_id BLOB)", 0),
    ],
)
def test_a_foreign_table_may_be_made_otherwise(tmp_path: Path, made: str, started: int) -> None:
    with foreign(tmp_path, *made.split("; ")) as path:
        if "VIEW" in made:
            query(path, "INSERT INTO t VALUES ('t1', 0)")
        elif "ROWID" in made:
            query(path, "INSERT INTO recall_traces VALUES ('t1', 1)")
        else:
            query(path, "INSERT INTO recall_traces (trace_id) VALUES ('t1')")
        newest = open_foreign(path).newest()
    assert newest is not None
    assert (newest.trace_id, newest.started_at) == ("t1", started)


def test_a_foreign_file_without_the_table_says_what_was_expected(tmp_path: Path) -> None:
    with (
        foreign(tmp_path, "CREATE TABLE memories (body)") as path,
        pytest.raises(StateError, match=r"memory\.sqlite has no table recall_traces"),
    ):
        open_foreign(path)
    (tmp_path / "text.db").write_text("hello " * 1_000)
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4080)
    for name in ("absent.db", ".", "text.db", "broken.db"):
        with pytest.raises(StateError) as caught:
            open_foreign(tmp_path / name)
        line = str(caught.value)
        assert str(tmp_path / name) in line
        assert "\n" not in line
        assert "move it away" not in line


def test_a_foreign_database_may_be_read_while_it_is_written(path: Path) -> None:
    writer = child(100_000, path)
    try:
        start_together([writer])
        assert writer.stdout is not None
        for _ in range(30):
            answered = writer.stdout.readline().strip()
            traces = open_foreign(path)
            assert traces.get(answered) is not None
            listed = traces.list(1_000)
            assert all(trace.kept_ids == ("0a1b2c3d", "db-7") for trace in listed)
    finally:
        writer.kill()
        writer.communicate()
