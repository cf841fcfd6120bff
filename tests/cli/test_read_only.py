"""No command writes into a memory tree, and the database never holds text."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from memtui.engine import Engine
from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.samples import lay_out
from memtui.setup import Setup
from tests.cli.running import memtui, tree_state
from tests.helpers import write_memory

WORDS = ("zanzibar", "quixotic", "marzipan", "flamingo", "obsidian", "kaleidoscope", "秘密情報")


def test_no_command_writes_into_the_trees(tmp_path: Path) -> None:
    demo = lay_out("broken", tmp_path)
    before = tree_state(demo.folder)
    roots = ["--project", demo.project, "--user", demo.user]
    for words in (
        ["recall", "deploy"],
        ["recall", "deploy", "--json"],
        ["recall", "deploy", "--ablate", "scan=capped"],
        ["scan"],
        ["scan", "--json"],
        ["why", "deploy on friday", "no-friday-deploys"],
        ["why", "deploy on friday", "nested", "--json"],
        ["why", "zebra", "no-friday-deploys"],
        ["compare", "deploy", "--preset", "capped"],
        ["compare", "deploy", "--vs", "--limit 2"],
    ):
        assert memtui(*words, *roots).code in (0, 1)
    assert tree_state(demo.folder) == before


def test_a_database_is_read_beside_the_trees_and_nothing_appears_beside_it(
    tmp_path: Path, small: Path
) -> None:
    folder = tmp_path / "db"
    folder.mkdir()
    with sqlite3.connect(folder / "m.db") as connection:
        connection.execute("CREATE TABLE memories (content, category, importance, summary)")
        connection.execute("INSERT INTO memories VALUES ('apples', 'fact', 1, 'apples in a row')")
    connection.close()
    before = tree_state(folder)
    result = memtui("recall", "apples", "--db", folder / "m.db", "--project", small, "--json")
    assert result.code == 0
    assert "db-1" in result.json["documents"]
    assert tree_state(folder) == before


def bytes_of_state(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_database_never_holds_the_text_of_a_query_or_a_memory(
    tmp_path: Path, own_environment: Path
) -> None:
    root = tmp_path / "marzipan" / ".qwen" / "memory"
    for name in ("flamingo", "other"):
        write_memory(
            root,
            f"{name}.md",
            title="zanzibar 秘密情報",
            description="quixotic",
            kind="project",
            body="obsidian",
        )
    (root / "kaleidoscope.md").write_text("obsidian", "utf-8")
    query = "zanzibar quixotic 秘密情報"
    roots = ["--project", root]
    for words in (
        ["recall", query],
        ["recall", query, "--json", "--tool", "mcp__marzipan__flamingo"],
        ["recall", query, "--set", "context_chars=0"],
        ["why", query, "flamingo"],
        ["why", query, "kaleidoscope", "--json"],
        ["compare", query, "--preset", "capped"],
    ):
        assert memtui(*words, *roots).code in (0, 1)
    engine = Engine(Setup(sources=(Source(Scope.PROJECT, str(root)),), options=RecallOptions()))
    assert engine.record(engine.recall(query))

    state = own_environment / "state"
    assert {"state.db", "state.db-wal"} <= {path.name for path in state.iterdir()}
    stored = bytes_of_state(state)
    assert b"rank.lexical" in stored
    for word in WORDS:
        for encoding in ("utf-8", "utf-16-le"):
            assert word.encode(encoding) not in stored
            assert word.upper().encode(encoding) not in stored
        assert word.encode("unicode-escape") not in stored
    engine.store.close()
    shutil.rmtree(state)
