"""Memories in a database: every program's tables with invented rows, read from a copy."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtui.limits import Limits
from memtui.memory import snapshot
from memtui.memory.database import DatabaseError, UnknownSchema, merge_pools, read_database
from memtui.memory.document import MemoryRootError, Pool, Scope
from memtui.memory.scan import Source, capped, scan_pool
from memtui.memory.schemas import SCHEMAS, schema_of
from memtui.recall.pipeline import recall
from tests.helpers import DAY_MS, NOW_MS, make_document, write_memory

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

MNEME = """
CREATE TABLE memories (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, summary TEXT,
  memory_type TEXT DEFAULT 'working', category TEXT DEFAULT 'general',
  importance INTEGER DEFAULT 5, tags TEXT DEFAULT '[]', created_at INTEGER, updated_at INTEGER,
  deleted_at INTEGER, superseded_by TEXT, content_hash TEXT);
CREATE TABLE conversations (id TEXT PRIMARY KEY, content TEXT);
"""
CLAUDE_MEM = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, memory_session_id TEXT UNIQUE, project TEXT);
CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
  title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, created_at TEXT,
  created_at_epoch INTEGER);
"""
ENGRAM = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT);
CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, type TEXT, title TEXT, content TEXT,
  project TEXT, scope TEXT DEFAULT 'project', topic_key TEXT, created_at TEXT, updated_at TEXT,
  deleted_at TEXT);
"""
MCP_MEMORY_SERVICE = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
  tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL,
  created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL DEFAULT NULL);
"""
BASIC_MEMORY = """
CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT, path TEXT);
CREATE TABLE entity (
  id INTEGER PRIMARY KEY, title TEXT, note_type TEXT, content_type TEXT, project_id INTEGER,
  permalink TEXT, file_path TEXT, mtime REAL, created_at TEXT, updated_at TEXT);
CREATE TABLE observation (
  id INTEGER PRIMARY KEY, entity_id INTEGER, content TEXT, category TEXT, context TEXT, tags TEXT);
"""


@pytest.fixture
def database(tmp_path: Path) -> Callable[..., Path]:
    """Makes a database of a schema with rows, closed when it is returned."""

    def make(schema: str, *inserts: tuple[str, dict[str, Any]], name: str = "memory.db") -> Path:
        path = tmp_path / "owner" / name
        path.parent.mkdir(exist_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(schema)
            for table, row in inserts:
                insert(connection, table, row)
            connection.commit()
        return path

    return make


def insert(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    places = ", ".join("?" for _ in row)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", tuple(row.values()))


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        path.name: (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
        for path in folder.iterdir()
    }


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary folders are made here, and none is left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


# -- mneme ----------------------------------------------------------------------------------------


def test_a_row_of_mneme_is_a_document(database: Callable[..., Path]) -> None:
    path = database(
        MNEME,
        (
            "memories",
            {
                "id": "ab12",
                "content": "Blue first, then green.\nRoll back by switching.",
                "summary": "How we deploy\nin two colours",
                "category": "project",
                "created_at": int(NOW_MS - DAY_MS),
                "updated_at": int(NOW_MS),
            },
        ),
    )
    pool = read_database(str(path))
    (document,) = pool.documents
    assert (document.id, document.scope, document.type) == ("1", Scope.PROJECT, "project")
    assert document.path == f"{path}#1"
    assert document.relative_path == "memories/1"
    assert document.title == "How we deploy"
    assert document.description == "How we deploy in two colours"
    assert document.body == "Blue first, then green.\nRoll back by switching."
    assert (document.mtime_ms, document.dialect) == (NOW_MS, "database")
    assert (document.size, document.frontmatter, document.flags) == (len(document.body), "", ())
    (report,) = pool.scopes
    assert (report.root, report.dialect, report.status) == (str(path), "mneme", "ok")
    assert (report.documents, report.skipped) == (1, 0)
    assert pool.complete


def test_deleted_and_superseded_rows_are_skipped_with_the_reason(
    database: Callable[..., Path],
) -> None:
    path = database(
        MNEME,
        ("memories", {"id": "a", "content": "old", "superseded_by": "3", "created_at": 1}),
        ("memories", {"id": "b", "content": "gone", "deleted_at": 1_700_000_000_000}),
        ("memories", {"id": "c", "content": "new", "superseded_by": "", "deleted_at": 0}),
        ("memories", {"id": "d", "content": "both", "superseded_by": "3", "deleted_at": "yes"}),
    )
    pool = read_database(str(path))
    assert [each.id for each in pool.documents] == ["3"]
    assert [(each.relative_path, each.reason) for each in pool.skipped] == [
        ("memories/1", "superseded"),
        ("memories/2", "deleted"),
        ("memories/4", "deleted"),
    ]
    assert [each.detail for each in pool.skipped] == [
        "it was superseded by 3",
        "it was deleted at 2023-11-14T22:13:20Z",
        "it is marked as deleted",
    ]
    assert all(each.remedy and each.path.startswith(f"{path}#") for each in pool.skipped)
    assert pool.scopes[0].skipped == 3


def test_without_a_summary_the_first_line_of_the_content_is_the_title(
    database: Callable[..., Path],
) -> None:
    path = database(
        MNEME,
        ("memories", {"id": "a", "content": "\n  First   line\nsecond", "summary": None}),
        ("memories", {"id": "b", "content": "x" * 500, "summary": "  "}),
        ("memories", {"id": "c", "content": ""}),
    )
    titles = {each.id: each.title for each in read_database(str(path)).documents}
    assert titles == {"1": "First line", "2": "x" * 120, "3": "memories/3"}


def test_the_rows_of_an_early_mneme_have_fewer_columns(database: Callable[..., Path]) -> None:
    path = database(
        "CREATE TABLE memories (content TEXT, category TEXT, importance INTEGER)",
        ("memories", {"content": "a fact", "category": "bug", "importance": 9}),
    )
    (document,) = read_database(str(path)).documents
    assert (document.title, document.description, document.type) == ("a fact", "", "bug")
    assert (document.mtime_ms, document.flags) == (0.0, ("time-unknown",))


# -- the other programs ---------------------------------------------------------------------------


def test_a_row_of_claude_mem_is_a_document(database: Callable[..., Path]) -> None:
    path = database(
        CLAUDE_MEM,
        (
            "observations",
            {
                "project": "app",
                "type": "decision",
                "title": "Queue chosen",
                "subtitle": "One queue\nfor all",
                "narrative": "We compared two.",
                "facts": '["fast", "", 7, "small \\ud800"]',
                "created_at_epoch": int(NOW_MS),
                "created_at": "2020-01-01T00:00:00Z",
            },
        ),
    )
    pool = read_database(str(path))
    (document,) = pool.documents
    assert pool.scopes[0].dialect == "claude-mem"
    assert (document.title, document.type) == ("Queue chosen", "decision")
    assert document.description == "One queue for all"
    assert document.body == "We compared two.\n\n- fast\n- small \ufffd"
    assert document.mtime_ms == NOW_MS


def test_an_early_claude_mem_has_the_text_alone(database: Callable[..., Path]) -> None:
    path = database(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT,"
        " text TEXT, type TEXT, created_at TEXT, created_at_epoch INTEGER)",
        ("observations", {"project": "app", "text": "It works\nnow", "type": "bugfix"}),
    )
    pool = read_database(str(path))
    assert pool.scopes[0].dialect == "claude-mem"
    assert (pool.documents[0].title, pool.documents[0].body) == ("It works", "It works\nnow")


@pytest.mark.parametrize("facts", ["not a list", '{"a": 1}', "[" * 100_000])
def test_facts_that_are_no_list_are_kept_as_they_are(
    database: Callable[..., Path], facts: str
) -> None:
    path = database(CLAUDE_MEM, ("observations", {"project": "p", "type": "t", "facts": facts}))
    assert read_database(str(path)).documents[0].body == facts


def test_engrams_personal_rows_are_the_users(database: Callable[..., Path]) -> None:
    rows: list[dict[str, Any]] = [
        {"title": "Ours", "content": "a", "type": "pattern", "updated_at": "2026-01-02 03:04:05"},
        {"title": "Mine", "content": "b", "type": "user", "scope": "personal"},
        {"title": "Gone", "content": "c", "type": "x", "deleted_at": "2026-01-02 03:04:05"},
    ]
    path = database(ENGRAM, *(("observations", row) for row in rows))
    pool = read_database(str(path))
    assert [(each.title, each.scope) for each in pool.documents] == [
        ("Ours", Scope.PROJECT),
        ("Mine", Scope.USER),
    ]
    assert pool.documents[0].mtime_ms == 1_767_323_045_000
    assert [(each.scope, each.documents, each.skipped) for each in pool.scopes] == [
        (Scope.PROJECT, 1, 1),
        (Scope.USER, 1, 0),
    ]
    assert pool.skipped[0].detail == "it was deleted at 2026-01-02T03:04:05Z"
    assert {each.dialect for each in pool.scopes} == {"engram"}


def test_a_row_of_mcp_memory_service_is_a_document(database: Callable[..., Path]) -> None:
    row = {"content_hash": "h1", "content": "Tabs, not spaces", "memory_type": "feedback"}
    path = database(
        MCP_MEMORY_SERVICE,
        ("memories", {**row, "tags": "style,code", "updated_at": NOW_MS / 1e3}),
        ("memories", {**row, "content_hash": "h2", "deleted_at": NOW_MS / 1e3}),
    )
    pool = read_database(str(path))
    (document,) = pool.documents
    assert pool.scopes[0].dialect == "mcp-memory-service"
    assert (document.title, document.description) == ("Tabs, not spaces", "")
    assert (document.type, document.mtime_ms) == ("feedback", NOW_MS)
    assert [each.reason for each in pool.skipped] == ["deleted"]


def test_a_later_mcp_memory_service_names_the_hash_of_the_successor(
    database: Callable[..., Path],
) -> None:
    path = database(
        MCP_MEMORY_SERVICE + "ALTER TABLE memories ADD COLUMN superseded_by TEXT;",
        ("memories", {"content_hash": "h1", "content": "a", "superseded_by": "h2"}),
    )
    (skipped,) = read_database(str(path)).skipped
    assert (skipped.reason, skipped.detail) == ("superseded", "it was superseded by h2")


def test_an_entity_of_basic_memory_is_a_document_of_its_observations(
    database: Callable[..., Path],
) -> None:
    path = database(
        BASIC_MEMORY,
        ("entity", {"id": 7, "title": "Cache", "note_type": "note", "mtime": NOW_MS / 1e3}),
        ("entity", {"id": 8, "title": "Empty", "note_type": "note", "updated_at": "2026-01-02"}),
        ("observation", {"entity_id": 7, "category": "fact", "content": "holds a day"}),
        ("observation", {"entity_id": 7, "category": "risk", "content": "can be stale"}),
        ("observation", {"entity_id": 99, "category": "lost", "content": "no entity"}),
    )
    pool = read_database(str(path))
    assert pool.scopes[0].dialect == "basic-memory"
    first, second = pool.documents
    assert (first.id, first.relative_path, first.type) == ("7", "entity/7", "note")
    assert first.body == "- [fact] holds a day\n- [risk] can be stale"
    assert (first.mtime_ms, second.mtime_ms) == (NOW_MS, 1_767_312_000_000)
    assert (second.title, second.body) == ("Empty", "")


def test_a_whole_note_of_basic_memory_is_read_as_a_file_would_be(
    database: Callable[..., Path],
) -> None:
    note = "---\ntitle: ignored\ndescription: About caches\n---\n\n# Cache\n\nHolds a day.\n"
    path = database(
        BASIC_MEMORY
        + "CREATE TABLE note_content (entity_id INTEGER PRIMARY KEY, markdown_content TEXT);",
        ("entity", {"id": 1, "title": "Cache", "note_type": "note"}),
        ("entity", {"id": 2, "title": "Broken", "note_type": "note"}),
        ("observation", {"entity_id": 1, "category": "fact", "content": "holds a day"}),
        ("note_content", {"entity_id": 1, "markdown_content": note}),
        ("note_content", {"entity_id": 2, "markdown_content": "---\nnever closed"}),
    )
    documents = read_database(str(path)).by_id
    assert documents["1"].body == "# Cache\n\nHolds a day."
    assert documents["1"].description == "About caches"
    assert documents["1"].frontmatter.split("\n")[1] == "description: About caches"
    assert documents["2"].body == "---\nnever closed"


def test_the_first_basic_memory_called_the_type_entity_type(database: Callable[..., Path]) -> None:
    path = database(
        BASIC_MEMORY.replace("note_type", "entity_type"),
        ("entity", {"title": "Cache", "entity_type": "reference"}),
    )
    assert read_database(str(path)).documents[0].type == "reference"


def test_no_two_schemas_fit_the_same_tables() -> None:
    for schema in SCHEMAS:
        tables = {schema.table: frozenset(group[0] for group in schema.needs)}
        tables |= {name: frozenset({"id"}) for name in schema.other_tables}
        assert [each for each in SCHEMAS if each.fits(tables)] == [schema]
        assert schema_of(tables) is schema


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_772_442_000, NOW_MS),
        (1_772_442_000.5, NOW_MS + 500),
        (1_772_442_000_000, NOW_MS),
        (1_772_442_000_000_000, NOW_MS),
        (1_772_442_000_000_000_000, NOW_MS),
        ("1772442000", NOW_MS),
        ("1772442000000", NOW_MS),
        ("2026-03-02T09:00:00Z", NOW_MS),
        ("2026-03-02 09:00:00", NOW_MS),
        ("2026-03-02T10:00:00+01:00", NOW_MS),
        ("2026-03-02 09:00:00.250000", NOW_MS + 250),
        (b"2026-03-02 09:00:00", NOW_MS),
        ("2026-03-02", NOW_MS - 9 * 3_600_000),
    ],
)
def test_a_time_is_read_from_text_seconds_or_milliseconds(
    database: Callable[..., Path], value: object, expected: float
) -> None:
    path = database(
        MNEME.replace("updated_at INTEGER", "updated_at"),
        ("memories", {"id": "a", "content": "x", "updated_at": value}),
    )
    assert read_database(str(path)).documents[0].mtime_ms == expected


@pytest.mark.parametrize("value", [None, "", 0, "soon", "nan", float("inf"), "2026-13-45"])
def test_a_time_that_can_not_be_read_gives_way_to_the_next_column(
    database: Callable[..., Path], value: object
) -> None:
    row = {"id": "a", "content": "x", "updated_at": value, "created_at": int(NOW_MS)}
    path = database(MNEME.replace("updated_at INTEGER", "updated_at"), ("memories", row))
    assert read_database(str(path)).documents[0].mtime_ms == NOW_MS


def test_text_that_is_no_utf8_is_read_and_flagged(database: Callable[..., Path]) -> None:
    path = database(MNEME, ("memories", {"id": "a", "content": "x"}))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE memories SET content = CAST(x'63616666e9' AS TEXT)")
        connection.commit()
    (document,) = read_database(str(path)).documents
    assert (document.body, document.flags) == ("caff\ufffd", ("invalid-utf8", "time-unknown"))


def test_a_row_longer_than_the_limit_is_skipped(database: Callable[..., Path]) -> None:
    path = database(
        MNEME,
        ("memories", {"id": "a", "content": "é" * 6}),
        ("memories", {"id": "b", "content": "é" * 5}),
    )
    pool = read_database(str(path), limits=Limits(file_bytes=10))
    assert [each.id for each in pool.documents] == ["2"]
    assert [(each.reason, each.detail) for each in pool.skipped] == [
        ("too-large", "12 bytes, 10 are read")
    ]


def test_documents_are_in_scan_order_and_the_window_is_marked(
    database: Callable[..., Path],
) -> None:
    rows = [{"id": f"m{number}", "content": "x", "updated_at": number} for number in (1, 3, 2)]
    path = database(MNEME, *(("memories", row) for row in rows))
    pool = read_database(str(path), limits=Limits(capped_scan_docs=2))
    assert [each.id for each in pool.documents] == ["2", "3", "1"]
    assert pool.unmanaged == {"1"}
    assert [each.id for each in capped(pool).documents] == ["2", "3"]


# -- together with files --------------------------------------------------------------------------


def test_a_database_and_a_tree_make_one_pool(database: Callable[..., Path], tmp_path: Path) -> None:
    path = database(
        ENGRAM,
        ("observations", {"title": "Row", "content": "a", "updated_at": NOW_MS}),
        ("observations", {"title": "Mine", "content": "b", "scope": "personal"}),
    )
    write_memory(tmp_path / "tree", "new.md", mtime_ms=NOW_MS + 1)
    write_memory(tmp_path / "tree", "old.md", mtime_ms=NOW_MS - 1)
    write_memory(tmp_path / "team", "team.md")
    files = scan_pool(
        [
            Source(Scope.PROJECT, str(tmp_path / "tree")),
            Source(Scope.TEAM, str(tmp_path / "team")),
        ]
    )
    pool = merge_pools(files, read_database(str(path), id_prefix="db-"))
    assert [each.relative_path for each in pool.documents] == [
        "new.md",
        "observations/1",
        "old.md",
        "observations/2",
        "team.md",
    ]
    assert {"db-1", "db-2"} < pool.by_id.keys()
    assert [each.dialect for each in pool.scopes] == ["claude", "claude", "engram", "engram"]


def test_two_pools_that_share_an_id_are_not_merged() -> None:
    pool = Pool(documents=(make_document("a.md"),))
    with pytest.raises(ValueError, match="both pools have a document"):
        merge_pools(pool, pool)


def test_a_recall_works_on_rows(database: Callable[..., Path]) -> None:
    path = database(
        MNEME,
        ("memories", {"id": "a", "content": "How to roll back a deployment", "category": "bug"}),
        ("memories", {"id": "b", "content": "Lunch is at noon", "category": "people"}),
    )
    result = recall("roll back deployment", read_database(str(path)))
    assert result.context.kept == ("1",)


# -- the file is left alone -----------------------------------------------------------------------


def test_a_database_in_wal_mode_is_read_with_what_is_still_in_its_log(
    database: Callable[..., Path],
) -> None:
    path = database(MNEME)
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        owner.execute("PRAGMA wal_autocheckpoint = 0")
        insert(owner, "memories", {"id": "a", "content": "only in the log"})
        owner.commit()
        before = state_of(path.parent)
        assert set(before) == {"memory.db", "memory.db-wal", "memory.db-shm"}
        (document,) = read_database(str(path)).documents
        assert document.body == "only in the log"
        assert state_of(path.parent) == before


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_nothing_appears_or_changes_beside_a_closed_database(
    database: Callable[..., Path], mode: str
) -> None:
    path = database(
        MNEME, ("memories", {"id": "a", "content": "x"}), ("memories", {"id": "b", "content": "y"})
    )
    with closing(sqlite3.connect(path)) as owner:
        owner.execute(f"PRAGMA journal_mode = {mode}")
    before = state_of(path.parent)
    times = path.parent.stat().st_mtime_ns
    assert set(before) == {"memory.db"}
    assert len(read_database(str(path)).documents) == 2
    assert state_of(path.parent) == before
    assert path.parent.stat().st_mtime_ns == times


def test_a_folder_that_can_not_be_written_to_is_enough(database: Callable[..., Path]) -> None:
    path = database(MNEME, ("memories", {"id": "a", "content": "x"}))
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert len(read_database(str(path)).documents) == 1
        assert [each.name for each in path.parent.iterdir()] == ["memory.db"]
    finally:
        path.parent.chmod(0o755)


def test_a_transaction_under_way_is_not_seen(database: Callable[..., Path]) -> None:
    path = database(MNEME, ("memories", {"id": "a", "content": "before"}))
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA cache_size = 1")
        owner.execute("PRAGMA cache_spill = 1")
        owner.execute("UPDATE memories SET content = 'during'")
        for number in range(2_000):
            insert(owner, "memories", {"id": f"n{number}", "content": "x" * 200})
        assert path.with_name("memory.db-journal").stat().st_size > 0
        pool = read_database(str(path))
    assert [each.body for each in pool.documents] == ["before"]


def test_a_link_to_a_database_finds_its_log(database: Callable[..., Path], tmp_path: Path) -> None:
    path = database(MNEME)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        insert(owner, "memories", {"id": "a", "content": "in the log"})
        owner.commit()
        (document,) = read_database(str(link)).documents
    assert document.path == f"{link}#1"


def test_the_copy_is_private(
    database: Callable[..., Path], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(MNEME)
    seen: list[tuple[int, list[str]]] = []
    connect = sqlite3.connect

    def note(target: Path) -> sqlite3.Connection:
        folder = Path(target).parent
        seen.append((folder.stat().st_mode & 0o777, [each.name for each in temporary.iterdir()]))
        return connect(target)

    monkeypatch.setattr(sqlite3, "connect", note)
    read_database(str(path))
    assert [mode for mode, _ in seen] == [0o700]
    assert all(name.startswith("memtui-") for _, names in seen for name in names)


def test_a_copy_made_while_the_database_changed_is_made_again(
    database: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(MNEME, ("memories", {"id": "a", "content": "x"}))
    copy_files, made = snapshot._copy_files, []

    def change_once(*arguments: Any) -> None:
        copy_files(*arguments)
        made.append(1)
        if len(made) == 1:
            with closing(sqlite3.connect(path)) as owner:
                insert(owner, "memories", {"id": "b", "content": "y" * 9_000})
                owner.commit()

    monkeypatch.setattr(snapshot, "_copy_files", change_once)
    waits: list[float] = []
    with snapshot.opened_copy(str(path), pause=waits.append) as connection:
        rows = connection.execute("SELECT count(*) FROM memories").fetchone()
    assert (rows[0], len(made), len(waits)) == (2, 2, 1)


def test_a_database_that_never_rests_is_given_up(
    database: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(MNEME)
    copy_files = snapshot._copy_files
    size = path.stat().st_size

    def always_change(*arguments: Any) -> None:
        nonlocal size
        copy_files(*arguments)
        size += 4_096
        os.truncate(path, size)

    monkeypatch.setattr(snapshot, "_copy_files", always_change)
    waits: list[float] = []
    with (
        pytest.raises(DatabaseError, match="is being written to all the time"),
        snapshot.opened_copy(str(path), pause=waits.append),
    ):
        pass
    assert len(waits) == 4


def test_a_log_that_only_grows_does_not_need_another_copy(
    database: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(MNEME)
    copy_files = snapshot._copy_files
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        owner.execute("PRAGMA wal_autocheckpoint = 0")
        insert(owner, "memories", {"id": "a", "content": "x"})
        owner.commit()

        def grow(*arguments: Any) -> None:
            insert(owner, "memories", {"id": "b", "content": "y"})
            owner.commit()
            copy_files(*arguments)

        monkeypatch.setattr(snapshot, "_copy_files", grow)
        assert len(read_database(str(path)).documents) == 2


# -- what can not be read -------------------------------------------------------------------------


def message_of(path: Path | str) -> str:
    with pytest.raises(DatabaseError) as caught:
        read_database(str(path))
    assert isinstance(caught.value, MemoryRootError)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_missing_database_is_one_clear_line(tmp_path: Path) -> None:
    missing = tmp_path / "no.db"
    assert message_of(missing) == f"the database {missing} does not exist"


def test_what_is_no_file_is_never_waited_for(tmp_path: Path) -> None:
    assert message_of(tmp_path) == f"{tmp_path} is no file, so it is no database"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is no file" in message_of(pipe)
    assert "can not be read" in message_of(tmp_path / "pipe" / "below")
    assert "is no path" in message_of("a\0b")


def test_a_file_that_is_no_database_may_be_an_encrypted_one(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(bytes(range(256)) * 32)
    assert message_of(path) == f"{path} is no SQLite database, or it is encrypted"
    path.write_bytes(b"")
    assert message_of(path) == f"the database {path} is empty"


def test_a_damaged_database_is_one_clear_line(database: Callable[..., Path]) -> None:
    rows = [{"id": f"m{number}", "content": "x" * 500} for number in range(200)]
    path = database(MNEME, *(("memories", row) for row in rows))
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * 4_000 + content[4_100:])
    assert "can not be read" in message_of(path)
    path.write_bytes(content[:8_192] + b"\xff" * (len(content) - 8_192))
    assert "malformed" in message_of(path)


@pytest.mark.skipif(AS_ROOT, reason="root may read every file")
def test_a_database_without_permission_is_one_clear_line(database: Callable[..., Path]) -> None:
    path = database(MNEME)
    path.chmod(0)
    assert message_of(path) == f"the database {path} can not be read: Permission denied"


def test_a_full_disk_is_one_clear_line(
    database: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(MNEME)

    def refuse(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshot.shutil, "copyfileobj", refuse)
    assert message_of(path).endswith("can not be read: No space left on device")


def test_an_unknown_schema_is_named_with_what_was_expected(database: Callable[..., Path]) -> None:
    path = database(
        "CREATE TABLE memories (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE tags (x TEXT);"
        ' CREATE TABLE "odd\x1b[31m" (x TEXT); CREATE VIEW observations AS SELECT 1;'
    )
    with pytest.raises(UnknownSchema) as caught:
        read_database(str(path))
    text = str(caught.value)
    assert "has the tables memories (id, value), odd" in text
    assert "\x1b" not in text
    for schema in SCHEMAS:
        assert f"{schema.name} ({schema.table} with " in text
    assert caught.value.tables == ("memories", "odd\x1b[31m", "tags")


def test_many_unknown_tables_are_counted_and_none_is_said(database: Callable[..., Path]) -> None:
    script = "".join(f"CREATE TABLE t{number:02} (x);" for number in range(30))
    text = message_of(database(script))
    assert "t11 and 18 more" in text
    assert "t12" not in text
    path = database("PRAGMA user_version = 1", name="none.db")
    assert "has no tables" in message_of(path)


def test_a_virtual_table_of_an_extension_that_is_not_there_does_no_harm(
    database: Callable[..., Path],
) -> None:
    path = database(MNEME, ("memories", {"id": "a", "content": "x"}))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_master VALUES ('table', 'memories_vec', 'memories_vec', 0,"
            " 'CREATE VIRTUAL TABLE memories_vec USING vec0(embedding FLOAT[3])')"
        )
        connection.commit()
    assert len(read_database(str(path)).documents) == 1
