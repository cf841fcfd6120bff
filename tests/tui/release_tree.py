"""A small tree of real files with a memory that a query just misses, and one that is skipped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtui.engine import Engine
from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from tests.tui.driving import DAY_MS, NOW_MS


def note(title: str, description: str = "", body: str = "", kind: str = "project") -> str:
    return f"---\nname: {title}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n"


def write_tree(root: Path, files: Mapping[str, str]) -> None:
    """Writes the files, each a day older than the one before."""
    for number, (name, text) in enumerate(files.items(), start=1):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        seconds = (NOW_MS - number * DAY_MS) / 1000
        os.utime(path, (seconds, seconds))


def tree_app(root: Path, query: str, **options: Any) -> MemtuiApp:
    setup = Setup(
        (Source(Scope.PROJECT, str(root), "qwen"),),
        RecallOptions(now_ms=NOW_MS, **options),
        name="tree",
        query=query,
    )
    return MemtuiApp(setup, engine=Engine(setup, keep_documents=True))


def release_tree(root: Path) -> None:
    """Six notes that match the query better than another one, and a file that can not be read."""
    files = {
        f"release-{number}.md": note(f"Release roll back {number}", "roll back a release")
        for number in range(6)
    }
    files["undo.md"] = note("Undoing a deploy", "take the broken version away", "Revert the tag.")
    files["nested.md"] = (
        "---\nname: Friday freeze\nmetadata:\n  type: project\n---\n\nNever release on Friday.\n"
    )
    write_tree(root, files)
