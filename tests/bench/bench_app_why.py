"""How long the app's ladder takes over 10,000 documents, as multiples of one recall.

Run as ``python tests/bench/bench_app_why.py [DOCUMENTS]``; prints one JSON object. A keystroke is
timed in the app, from the change of the query until its recall is in the panes: with the memory in
the inspector, and while remedies of the oldest document are looked for beside it.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from textual.pilot import Pilot

from memtui.memory.document import Document
from memtui.memory.edit import read_bytes
from memtui.recall.pipeline import recall
from memtui.recall.why.remedies import find_remedies
from memtui.tui.view.finding import find
from memtui.tui.view.ladder import Findings
from memtui.tui.view.pinned import pin_line
from memtui.tui.view.view import View
from memtui.tui.widgets.inspector import Face
from tests.tui.driving import (
    DAY_MS,
    NOW_MS,
    board,
    document,
    make_app,
    pool_of,
    settle,
)

QUERIES = ("roll back a release", "payment retry queue", "cache keys", "vault staging worker")
WORDS = [
    "release",
    "rollback",
    "deploy",
    "cache",
    "keys",
    "payment",
    "retry",
    "queue",
    "worker",
    "vault",
    "staging",
    "index",
    "mail",
    "order",
    "basket",
    "invoice",
    "ledger",
    "shard",
    "replica",
    "backup",
]


def large_pool(count: int) -> Any:
    """Documents with long bodies of invented words."""
    return pool_of(*(_document(number) for number in range(count)))


def _document(number: int) -> Document:
    words = [f"{WORDS[(number * 7 + place) % 20]}{(number + place) % 97}" for place in range(150)]
    return document(
        f"{number}.md",
        f"{WORDS[number % 20]} {WORDS[number // 20 % 20]} {number}",
        description=" ".join(WORDS[number % 13 : number % 13 + 5]),
        body=" ".join(words),
        mtime_ms=NOW_MS - number * DAY_MS / 24,
    )


def timed(work: Callable[[], object], times: int = 3) -> float:
    """The best of some runs, milliseconds."""
    return min(_once(work) for _ in range(times))


def _once(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


async def keystrokes(pilot: Pilot[Any], before_each: Callable[[], None]) -> float:
    """The median time from a change of the query to its panes, milliseconds."""
    screen = board(pilot)
    took = []
    for number in range(8):
        before_each()
        await pilot.pause(0.25)
        shown = screen.view
        started = time.perf_counter()
        screen.query_bar.input.value = f"{QUERIES[number % 4]} {'abcdefgh'[number]}"
        while screen.view is shown:
            await pilot.pause(0.002)
        took.append((time.perf_counter() - started) * 1000)
    return statistics.median(took)


async def in_the_app(pool: Any, script: Any) -> None:
    app = make_app(pool, query=QUERIES[0])
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        await settle(pilot)
        await script(pilot)


def main(count: int) -> dict[str, float]:
    """Times in milliseconds, and as multiples of one recall."""
    pool = large_pool(count)
    one = timed(lambda: recall(QUERIES[0], pool))
    rows = [("recall", one)]
    result = recall(QUERIES[0], pool)
    view = View.of(result, pool, 0.0)
    lost = view.catalogue.by_age[-1]
    rows.append(("ladder", timed(lambda: Findings.of(view, lost))))
    path = view.catalogue.entries[lost].path
    rows.append(("pin", timed(lambda: pin_line(view, path, 160))))
    rows += remedies(view, lost)
    rows.append(("first_find", _once(lambda: find(pool, "basket ledger 17"))))
    rows.append(("find", timed(lambda: find(pool, "rolback stagin shard"))))

    def script(searching: bool) -> Callable[[Pilot[Any]], Awaitable[None]]:
        async def run(pilot: Pilot[Any]) -> None:
            screen = board(pilot)

            def again() -> None:
                screen.look_into(screen.view.catalogue.by_age[-1])
                screen.inspector.turn(Face.WHY if searching else Face.MEMORY)

            name = "keystroke_while_searching" if searching else "keystroke"
            rows.append((name, await keystrokes(pilot, again)))

        return run

    for searching in (False, True):
        asyncio.run(in_the_app(pool, script(searching)))
    return {
        "documents": count,
        **{f"{name}_ms": round(took, 1) for name, took in rows},
        **{f"{name}_per_recall": round(took / one, 2) for name, took in rows[1:]},
    }


def remedies(view: View, key: str) -> list[tuple[str, float]]:
    """When the first remedy was there, and when all were."""
    entry = view.catalogue.entries[key]
    started = time.perf_counter()
    first = 0.0
    for _ in find_remedies(view.recall, entry, read_bytes):
        first = first or (time.perf_counter() - started) * 1000
    every = (time.perf_counter() - started) * 1000
    return [("first_remedy", first), ("remedies", every)]


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
