"""Documents from a memory database: rows of the tables in :mod:`memtui.memory.schemas`.

The database is never opened, written to or locked (:mod:`memtui.memory.snapshot`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, ScopeReport, SkippedFile
from memtui.memory.rows import DATABASE_DIALECT, NOTE, Row, RowReader, text_of
from memtui.memory.scan import in_scan_order
from memtui.memory.schemas import BASIC_MEMORY, SCHEMAS, Schema, schema_of
from memtui.memory.snapshot import DatabaseError, opened_copy
from memtui.text import display_line

__all__ = ["DATABASE_DIALECT", "DatabaseError", "UnknownSchema", "merge_pools", "read_database"]

_TABLES_NAMED = 12


class UnknownSchema(DatabaseError):
    """A database is none of those that are recognised."""

    def __init__(self, message: str, tables: tuple[str, ...]) -> None:
        super().__init__(message)
        self.tables = tables
        """The tables that it has."""


def read_database(path: str, *, id_prefix: str = "", limits: Limits | None = None) -> Pool:
    """Every memory of a database, newest first; deleted and superseded rows are skipped.

    Args:
        path: the database.
        id_prefix: put before the row's id, ``db-`` where files are read too.
        limits: a row whose body is longer than ``file_bytes`` is skipped.

    Raises:
        UnknownSchema: it is a database, but of no program that is known.
        DatabaseError: it can not be read.

    """
    limits = limits or Limits()
    root = os.path.abspath(path)
    shown = root.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    with opened_copy(root) as connection:
        tables = _tables(connection)
        schema = schema_of(tables)
        if schema is None:
            raise _unknown(shown, tables)
        reader = RowReader(shown, schema, id_prefix, limits.file_bytes)
        found = [reader.read(row) for row in _rows(connection, schema, tables)]
    return _pool(shown, schema, found, limits.capped_scan_docs)


def merge_pools(first: Pool, second: Pool) -> Pool:
    """One pool of two, scope by scope, newest first within each.

    Raises:
        ValueError: they share an id; read one of them with another ``id_prefix``.

    """
    shared = first.by_id.keys() & second.by_id.keys()
    if shared:
        raise ValueError(f"both pools have a document {min(shared)}")
    return Pool(
        documents=_by_scope([*first.documents, *second.documents]),
        skipped=first.skipped + second.skipped,
        scopes=first.scopes + second.scopes,
        unmanaged=first.unmanaged | second.unmanaged,
        beyond=_by_scope([*first.beyond, *second.beyond]),
        excluded=first.excluded + second.excluded,
        indexes=first.indexes + second.indexes,
        unlisted=first.unlisted + second.unlisted,
    )


def _by_scope(documents: list[Document]) -> tuple[Document, ...]:
    ordered: list[Document] = []
    for scope in Scope:
        ordered.extend(in_scan_order([each for each in documents if each.scope is scope]))
    return tuple(ordered)


# -- tables ---------------------------------------------------------------------------------------


def _tables(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The ordinary tables by name with their columns, all in lower case."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
    names = [text_of(name)[0] for (name,) in connection.execute(query)]
    known = {table for schema in SCHEMAS for table in (schema.table, *schema.other_tables)}
    known.add("note_content")
    return {
        name.lower(): _columns(connection, name) if name.lower() in known else frozenset()
        for name in sorted(names)
    }


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    rows = connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
    return frozenset(text_of(name)[0].lower() for (name,) in rows)


def _unknown(root: str, tables: Mapping[str, frozenset[str]]) -> UnknownSchema:
    expected = "; ".join(schema.expected for schema in SCHEMAS)
    return UnknownSchema(
        f"the database {display_line(root)} has {_named(tables)}; expected one of: {expected}",
        tuple(tables),
    )


def _named(tables: Mapping[str, frozenset[str]]) -> str:
    if not tables:
        return "no tables"
    names = [
        f"{display_line(name, 60)} ({', '.join(sorted(columns))})" if columns else name
        for name, columns in tables.items()
    ]
    more = len(names) - _TABLES_NAMED
    listed = ", ".join(display_line(name, 200) for name in names[:_TABLES_NAMED])
    return f"the tables {listed}" + (f" and {more} more" if more > 0 else "")


# -- rows -----------------------------------------------------------------------------------------


def _rows(
    connection: sqlite3.Connection, schema: Schema, tables: Mapping[str, frozenset[str]]
) -> Iterator[Row]:
    """Every row of the schema's table with the columns that it has."""
    columns = [name for name in schema.columns if name in tables[schema.table]]
    listed = ", ".join(f'"{name}"' for name in columns)
    number = _row_number(tables[schema.table])
    rows = _select(connection, f'SELECT {number}, {listed} FROM "{schema.table}" ORDER BY {number}')
    names = ("rowid", *columns)
    notes = _notes(connection, tables) if schema is BASIC_MEMORY else {}
    for values in rows:
        row: Row = dict(zip(names, values, strict=True))
        note = notes.get(values[0])
        yield row if note is None else {**row, NOTE: note}


def _row_number(columns: frozenset[str]) -> str:
    """SQLite's name for the number of a row that no column of the table hides.

    Raises:
        DatabaseError: the table hides all three.

    """
    for name in ("_rowid_", "oid", "rowid"):
        if name not in columns:
            return name
    raise DatabaseError("its table hides the row numbers behind columns of its own")


def _notes(
    connection: sqlite3.Connection, tables: Mapping[str, frozenset[str]]
) -> dict[object, object]:
    """The text of every entity of basic-memory: the whole note, or its observations as a list."""
    notes: dict[object, object] = {}
    observations = "SELECT entity_id, category, content FROM observation ORDER BY entity_id, id"
    for entity, category, content in _select(connection, observations):
        line = f"- [{text_of(category)[0]}] {text_of(content)[0]}"
        notes[entity] = f"{notes[entity]}\n{line}" if entity in notes else line
    if {"entity_id", "markdown_content"} <= tables.get("note_content", frozenset()):
        whole = "SELECT entity_id, markdown_content FROM note_content"
        notes.update((entity, text) for entity, text in _select(connection, whole) if text)
    return notes


def _select(connection: sqlite3.Connection, query: str) -> Iterator[tuple[object, ...]]:
    yield from connection.execute(query)


def _pool(root: str, schema: Schema, found: Iterable[Document | SkippedFile], window: int) -> Pool:
    found = list(found)
    documents = _by_scope([each for each in found if isinstance(each, Document)])
    skipped = tuple(each for each in found if isinstance(each, SkippedFile))
    reports: list[ScopeReport] = []
    unmanaged: set[str] = set()
    for scope in Scope:
        own = [each.id for each in documents if each.scope is scope]
        others = sum(each.scope is scope for each in skipped)
        unmanaged.update(own[window:])
        if own or others or scope is Scope.PROJECT:
            reports.append(ScopeReport(scope, root, schema.name, "ok", len(own), others))
    return Pool(documents, skipped, tuple(reports), frozenset(unmanaged))
