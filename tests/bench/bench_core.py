"""Scan, recall and start-up against their floors. Run by hand: python tests/bench/bench_core.py

Every figure is a ratio within this run: to a loop that lists and reads the same files (`floor`), or
to bare Python (`python -c pass`).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from memtui.memory.document import Scope
from memtui.memory.files import ScanCache
from memtui.memory.scan import Source, scan_all
from memtui.recall.pipeline import recall
from tests.bench.trees import read_everything, write_tree

QUERIES = ("how do we roll back a release", "the replica lags", "note 77 of checkout", "search")


def best(run: Callable[[], object], times: int = 5) -> float:
    """The shortest of some runs, seconds."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        found.append(time.perf_counter() - started)
    return min(found)


def measure_trees(count: int, root: Path) -> dict[str, float]:
    """The ratios for one size."""
    flat, nested = root / f"flat{count}", root / f"nested{count}"
    write_tree(flat, count)
    write_tree(nested, count, nested=True)
    floor, floor_nested = best(lambda: read_everything(flat)), best(lambda: read_everything(nested))
    ratios = {
        "scan qwen / floor": best(lambda: scan_all(Source(Scope.PROJECT, str(flat), "qwen")))
        / floor,
        "scan claude flat / floor": best(
            lambda: scan_all(Source(Scope.PROJECT, str(flat), "claude"))
        )
        / floor,
        "scan claude nested / floor": best(
            lambda: scan_all(Source(Scope.PROJECT, str(nested), "claude"))
        )
        / floor_nested,
    }
    cache: ScanCache = {}
    source = Source(Scope.PROJECT, str(flat), "qwen")
    cold = best(lambda: scan_all(source))
    pool = scan_all(source, cache=cache)
    started = time.perf_counter()
    recall(QUERIES[0], pool)
    ratios["first recall / floor"] = (time.perf_counter() - started) / floor
    for query in QUERIES:
        recall(query, pool)
        ratios[f"warm recall {query!r} / floor"] = best(lambda: recall(query, pool)) / floor  # noqa: B023
    one = next(flat.rglob("*.md"))

    def rescan() -> None:
        one.write_text(one.read_text() + ".")
        scan_all(source, cache=cache)

    ratios["rescan with one change / cold scan"] = best(rescan) / cold
    return {name: round(value, 2) for name, value in ratios.items()}


def measure_processes(root: Path) -> dict[str, float]:
    """Whole processes against bare Python."""
    tree = root / "flat1000"
    write_tree(tree, 1_000)
    floor = best(lambda: read_everything(tree))

    def process(*words: str) -> float:
        command = [sys.executable, *words]
        return best(lambda: subprocess.run(command, check=True, capture_output=True), 7)

    bare = process("-c", "pass")
    return {
        "bare python, ms": round(bare * 1000, 1),
        "memtui --version / bare": round(process("-m", "memtui", "--version") / bare, 2),
        "memtui recall over 1,000 / (25 bare + 5 floor)": round(
            process("-m", "memtui", "recall", QUERIES[0], "--project", str(tree))
            / (25 * bare + 5 * floor),
            2,
        ),
    }


def measure_memory(count: int, root: Path) -> dict[str, float]:
    """Peak memory of a scan and a recall in a process of its own; whether time grows with size."""
    tree = root / "huge"
    write_tree(tree, count)
    script = (
        "import resource,sys\n"
        "from memtui.memory.document import Scope\n"
        "from memtui.memory.scan import Source, scan_all\n"
        "from memtui.recall.pipeline import recall\n"
        "pool=scan_all(Source(Scope.PROJECT,sys.argv[1],'qwen'))\n"
        "recall('how do we roll back a release',pool)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script, str(tree)], check=True, capture_output=True, text=True
    ).stdout
    source = Source(Scope.PROJECT, str(tree), "qwen")
    each = best(lambda: scan_all(source), 2) / count
    tenth = root / "tenth"
    write_tree(tenth, count // 10)
    source = Source(Scope.PROJECT, str(tenth), "qwen")
    return {
        "documents": count,
        "peak memory, MB": round(float(out)),
        "scan, a document of all / a document of a tenth": round(
            each / (best(lambda: scan_all(source)) / (count // 10)), 2
        ),
    }


def main() -> None:
    """Prints everything as JSON."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    sizes = [int(word) for word in sys.argv[1:]] or [1_000, 10_000, 100_000]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        report: dict[str, object] = {
            f"{count:,} documents": measure_trees(count, root) for count in sizes if count < 50_000
        }
        report["processes"] = measure_processes(root)
        if sizes[-1] >= 50_000:
            report["memory"] = measure_memory(sizes[-1], root)
        report["this process, MB"] = round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        )
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
