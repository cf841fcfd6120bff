"""How fast traces are stored, beside the least that SQLite needs for it: one line of JSON.

Run it with ``python -m tests.bench.bench_state [WRITES]``.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memtui.recall.trace import Step, Trace, Tracer
from memtui.state import TraceStore
from memtui.traces import open_foreign

PROCESSES = 8
STAGES = 11


def trace() -> Trace:
    """A trace with as many steps as a real one."""
    tracer = Tracer()
    now = tracer.started_at
    ids = tuple(f"{n:08x}" for n in range(5))
    steps = tuple(Step(f"stage.{n}", now, 1.5, {"hits": n, "ids": ids}) for n in range(STAGES))
    mode = "lexical/heuristic"
    return Trace(tracer.trace_id, "api", mode, "ab" * 32, 24, 5, 5, 15, ids, steps, now, now, 3.5)


def per_second(count: int, work: Callable[[], object]) -> float:
    """Calls of ``work`` in a second."""
    started = time.perf_counter()
    for _ in range(count):
        work()
    return count / (time.perf_counter() - started)


def bare(path: Path, count: int) -> float:
    """Rows of the same size in a transaction each, over one connection, and nothing else."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE rows (id TEXT PRIMARY KEY, row TEXT)")

        def write() -> None:
            one = trace()
            row = json.dumps(one.as_json())
            connection.execute("INSERT INTO rows VALUES (?, ?)", (one.trace_id, row))

        return per_second(count, write)


def stored(path: Path, count: int) -> dict[str, float]:
    """The same through the store, kept open and opened anew each time; and reading."""

    def reopened() -> None:
        with TraceStore(path, environ={}) as each:
            record(each)

    with TraceStore(path, environ={}) as store:
        numbers = {"store_writes_per_s": per_second(count, lambda: record(store))}
        numbers["polls_per_s"] = per_second(count, store.revision)
        numbers["lists_of_50_per_s"] = per_second(max(1, count // 20), store.list)
        foreign = open_foreign(path)
        numbers["foreign_lists_of_50_per_s"] = per_second(max(1, count // 40), foreign.list)
    numbers["reopened_writes_per_s"] = per_second(max(1, count // 20), reopened)
    return numbers


def record(store: TraceStore) -> None:
    """One recall's worth of writing."""
    one = trace()
    store.record(one, pool_key="bench", used_ids=one.kept_ids)


def together(path: Path, count: int) -> float:
    """Writes in a second of several processes at once, their start included."""
    command = [sys.executable, "-m", "tests.bench.bench_state", "--child", str(path), str(count)]
    started = time.perf_counter()
    children = [subprocess.Popen(command) for _ in range(PROCESSES)]
    if sum(child.wait() for child in children):
        raise SystemExit("a process could not write")
    return PROCESSES * count / (time.perf_counter() - started)


def main(arguments: list[str]) -> None:
    """Measures and prints."""
    if arguments[:1] == ["--child"]:
        with TraceStore(Path(arguments[1]), environ={}) as store:
            for _ in range(int(arguments[2])):
                record(store)
        return
    count = int(arguments[0]) if arguments else 2_000
    with tempfile.TemporaryDirectory() as folder:
        floor = bare(Path(folder) / "bare.db", count)
        numbers = stored(Path(folder) / "state.db", count)
        numbers["together_writes_per_s"] = together(
            Path(folder) / "together.db", max(1, count // PROCESSES)
        )
    numbers["bare_writes_per_s"] = floor
    rounded: dict[str, float] = {name: round(value, 1) for name, value in numbers.items()}
    rounded["store_to_bare"] = round(numbers["store_writes_per_s"] / floor, 3)
    print(json.dumps({"writes": count, "processes": PROCESSES, **rounded}))


if __name__ == "__main__":
    main(sys.argv[1:])
