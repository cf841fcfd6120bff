"""How long the health of a pool takes, as a multiple of one recall over the same pool.

Run as ``python tests/bench/bench_health.py [DOCUMENTS]``; prints one JSON object. The memories are
generated from a fixed seed and written to a temporary folder, one in fifty a near duplicate of an
earlier one. A recall is timed on a scanned pool, the first of its pool; every time is the median.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from memtui.limits import Limits
from memtui.memory.document import Pool, Scope
from memtui.memory.duplicates import near_duplicates
from memtui.memory.health import find_problems
from memtui.memory.scan import Source, scan_pool
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall

ROUNDS = 3
QUERY = "how do we roll back the checkout deployment after word17 failed on friday"
SYLLABLES = ("ba", "ko", "mi", "ter", "lan", "su", "dor", "fe", "gra", "nu", "vi", "pol")


def write_pool(root: Path, count: int) -> None:
    """Writes ``count`` memories; word frequencies fall as they do in text."""
    chance = random.Random(20_260)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    texts: list[list[str]] = []
    for number in range(count):
        if number % 50 == 49:
            text = list(chance.choice(texts))
            for at in chance.sample(range(len(text)), len(text) // 40):
                text[at] = chance.choice(words)
        else:
            text = chance.choices(words, weights, k=chance.randint(60, 250))
        texts.append(text)
        title, description, body = (" ".join(part) for part in (text[:4], text[4:18], text[18:]))
        kind = chance.choice(("user", "feedback", "project", "reference"))
        (root / f"{number:05}.md").write_text(
            f"---\nname: {title} {number}\ndescription: {description}\ntype: {kind}\n---\n\n"
            f"{body}\n\nSee [[{chance.randrange(count):05}]].\n",
            encoding="utf-8",
        )


def seconds(run: Callable[[], object]) -> float:
    """How long one run takes."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def main(count: int) -> dict[str, float]:
    """Writes, scans and measures."""
    limits = Limits()
    options = RecallOptions(now_ms=1_800_000_000_000)
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="memtui-bench-") as folder:
        write_pool(Path(folder), count)
        for _ in range(ROUNDS):
            pools: list[Pool] = []
            source = Source(Scope.PROJECT, folder, "claude")
            measured: dict[str, Callable[[], object]] = {
                "scan": lambda source=source, pools=pools: pools.append(scan_pool([source])),
                "recall": lambda pools=pools: recall(QUERY, pools[0], options),
                "near_duplicates": lambda pools=pools: near_duplicates(pools[0].documents, limits),
                "health": lambda pools=pools: find_problems(pools[0], limits),
            }
            for name, run in measured.items():
                times.setdefault(name, []).append(seconds(run))
    taken = {name: median(values) for name, values in times.items()}
    return {
        "documents": count,
        **{f"{name}_s": round(value, 4) for name, value in taken.items()},
        "near_duplicates_per_recall": round(taken["near_duplicates"] / taken["recall"], 2),
        "health_per_recall": round(taken["health"] / taken["recall"], 2),
        "health_per_scan_and_recall": round(taken["health"] / (taken["scan"] + taken["recall"]), 2),
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
