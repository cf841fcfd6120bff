"""The app on large trees. Run by hand: python tests/bench/bench_app.py [DOCUMENTS ...]

Prints JSON. ``key typed`` is the time from a key in the query until the recall of what then stands
there is drawn in every pane, under the test pilot at 160x45, milliseconds. ``first frame`` is a
whole process in a pseudo-terminal, from its start until its first text is drawn, as a multiple of
the same for a Textual app that shows one word; ``all there`` is the time until the whole tree is in
the panes.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from textual.pilot import Pilot

from memtui.engine import Engine
from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from tests.bench.trees import write_tree
from tests.terminal import Terminal
from tests.tui.driving import board, opened

TYPED = ("how do we roll back a release", "the replica lags", "note 77 of checkout", "search login")
REST_S = 0.12
"""Seconds between two keys: a fast typist's."""
STYLES = re.compile(r"\x1b\[[0-9;]*m")
EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("ready")
Empty().run()
"""


async def typing(root: Path) -> list[float]:
    """Milliseconds from each key until every pane shows its recall."""
    setup = Setup(
        (Source(Scope.PROJECT, str(root), "qwen"),), RecallOptions(source="tui"), name="bench"
    )
    app = MemtuiApp(setup, engine=Engine(setup, keep_documents=True))
    took = []
    async with app.run_test(size=(160, 45)) as pilot:
        screen = await opened(pilot)
        while screen.view is None:
            await pilot.pause(0.01)
        for query in TYPED:
            screen.query_bar.input.value = ""
            await pilot.pause(0.5)
            for letter in query:
                await asyncio.sleep(REST_S)
                took.append(await _typed(pilot, letter))
    return took


async def _typed(pilot: Pilot[int], letter: str) -> float:
    screen = board(pilot)
    before = screen.view
    started = time.perf_counter()
    screen.query_bar.input.insert_text_at_cursor(letter)
    while screen.view is before:
        await asyncio.sleep(0.001)
    drawn = asyncio.Event()
    screen.call_after_refresh(drawn.set)
    await drawn.wait()
    return (time.perf_counter() - started) * 1000


def first_frames(root: Path, documents: int) -> dict[str, float]:
    """Whole processes in a pseudo-terminal: milliseconds until a text is drawn."""
    ours = [sys.executable, "-m", "memtui", "--project", str(root)]
    empty = min(_until([sys.executable, "-c", EMPTY], "ready") for _ in range(5))
    first = min(_until(ours, "memtui ▸") for _ in range(5))
    every = min(_until(ours, f"pool {documents:,} ") for _ in range(3))
    return {
        "empty Textual app, ms": round(empty),
        "first frame / empty Textual app": round(first / empty, 2),
        "all there / empty Textual app": round(every / empty, 2),
    }


def _until(command: list[str], text: str) -> float:
    with Terminal(command, columns=160, rows=45) as terminal:
        while text not in STYLES.sub("", terminal.output.decode(errors="replace")):
            terminal.read_some()
            assert terminal.seconds < 30, f"{text!r} is not drawn"
        return terminal.seconds * 1000


def measure(documents: int, folder: Path) -> dict[str, float]:
    """Every figure for a tree of so many documents."""
    root = folder / str(documents)
    write_tree(root, documents)
    took = sorted(asyncio.run(typing(root)))
    return {
        "key typed, median ms": round(statistics.median(took), 1),
        "key typed, p95 ms": round(took[int(len(took) * 0.95)], 1),
        "key typed, worst ms": round(took[-1], 1),
        **first_frames(root, documents),
    }


def main() -> None:
    """Prints everything as JSON; every size in a process of its own."""
    sizes = [int(word) for word in sys.argv[1:]] or [1_000, 10_000]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    if len(sizes) > 1:
        report = {}
        for size in sizes:
            command = [sys.executable, __file__, str(size)]
            report |= json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    else:
        with tempfile.TemporaryDirectory() as name:
            os.environ["MEMTUI_STATE"] = os.path.join(name, "state")
            os.environ["MEMTUI_CONFIG"] = os.path.join(name, "config.toml")
            report = {f"{sizes[0]:,} documents": measure(sizes[0], Path(name))}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
