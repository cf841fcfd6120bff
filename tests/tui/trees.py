"""Real trees of memories for the tests of the app, and the app that reads them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from tests.helpers import DAY_MS, NOW_MS, write_file, write_memory
from tests.tui.driving import board, settle

HOSTILE = "[/] [@click=app.quit]x[/] \x1b[2J\x1b]0;owned\x07 ‮gpj"


def app_on(
    root: Path,
    user: Path | None = None,
    *,
    dialect: Any = "qwen",
    typed: bool = True,
    query: str = "",
    **arguments: Any,
) -> MemtuiApp:
    """The app on real folders, with a clock that stands still."""
    roots = ((Scope.PROJECT, root), (Scope.USER, user))
    sources = tuple(Source(scope, str(at), dialect, typed) for scope, at in roots if at is not None)
    setup = Setup(sources, RecallOptions(now_ms=NOW_MS), name="real", query=query)
    return MemtuiApp(setup, **arguments)


def unhealthy_tree(root: Path) -> None:
    """One healthy memory, one file for each kind of trouble that the tests look for."""
    write_memory(root, "fine.md", title="All is well", description="fine", body="a body")
    write_memory(root, "bare.md", title="No description", mtime_ms=NOW_MS - DAY_MS)
    write_file(
        root,
        "colon.md",
        b"---\nname: Retry rules: payments\ndescription: d\ntype: project\n---\n\nbody\n",
        NOW_MS - 2 * DAY_MS,
    )
    write_file(root, "plain.md", b"# A heading\n\nno frontmatter\n", NOW_MS - 3 * DAY_MS)
    write_file(
        root,
        "nested.md",
        b"---\nname: Nested type\ndescription: d\nmetadata:\n  type: feedback\n---\n\nbody\n",
        NOW_MS - 4 * DAY_MS,
    )


async def highlight(pilot: Pilot[Any], name: str) -> None:
    """Highlights the entry of a file."""
    screen = board(pilot)
    assert screen.view is not None
    entries = screen.view.catalogue.entries
    key = next(key for key, each in entries.items() if each.relative_path == name)
    screen._user_moved = True
    screen.highlighted = key
    await settle(pilot)


def shown_path(pilot: Pilot[Any]) -> str:
    """The file of the highlighted memory."""
    screen = board(pilot)
    assert screen.view is not None and screen.highlighted is not None
    entry = screen.view.entry(screen.highlighted)
    assert entry is not None
    return entry.relative_path


def pool_paths(pilot: Pilot[Any]) -> list[str]:
    """The files of the rows of the pool, in order."""
    screen = board(pilot)
    assert screen.view is not None
    rows = screen.pool.list.rows
    entries = screen.view.catalogue.entries
    return [entries[rows.key(index)].relative_path for index in range(len(rows))]


def write_database(path: Path) -> None:
    """A small database of the mneme kind."""
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE memories (content TEXT, summary TEXT, category TEXT, importance INTEGER,"
            " tags TEXT, created_at TEXT, deleted_at TEXT, superseded_by INTEGER)"
        )
        database.execute(
            "INSERT INTO memories (content, summary, category, created_at) VALUES (?, ?, ?, ?)",
            ("Roll back with bin/shipit", "Rollback", "project", "2026-01-02T03:04:05Z"),
        )
    database.close()
