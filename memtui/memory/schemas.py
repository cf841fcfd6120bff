"""The memory databases that are recognised, and what their columns mean.

Each schema was read in the program's public source; only the columns named here are used, and one
that is missing reads as empty. What tells a schema apart is in ``needs``.

mneme: MXAntian/mneme ``schema.sql``, ``migrations/001-add-superseded-by.sql``. Times are epoch
milliseconds, ``superseded_by`` holds the ``rowid`` of the successor, rows are cited by ``rowid``.

claude-mem: thedotmack/claude-mem ``src/services/sqlite/schema.sql``; early databases have ``text``
and ``sdk_session_id`` alone. ``facts`` is a JSON list of strings. No row is ever retired.

engram: Gentleman-Programming/engram ``internal/store/store.go``. Times are UTC text; the scope
``personal`` is the user's.

mcp-memory-service: doobidoo/mcp-memory-service ``storage/sqlite_vec.py``. Times are epoch seconds;
``deleted_at`` since 8.64, ``superseded_by`` (the ``content_hash`` of the successor) later.

basic-memory: basicmachines-co/basic-memory ``models/knowledge.py``. A memory is an ``entity`` with
its ``observation`` rows; newer databases hold the whole note in ``note_content``. ``note_type`` was
``entity_type``. Text times are local without a zone, so the ``mtime`` of the file goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Columns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """How one program's table reads as memories; of several columns the first value counts."""

    name: str
    """The program."""
    table: str
    """The table whose rows are memories."""
    needs: tuple[Columns, ...]
    """What its table must have: one column of each group."""
    body: Columns
    """The columns that make up the body, in this order."""
    type: Columns
    """The column of the type."""
    times: Columns
    """The columns of the time of the last change."""
    title: Columns = ()
    """The column whose first line is the title; without a value the body's first line is."""
    description: Columns = ()
    """The column of the description."""
    lists: Columns = ()
    """Columns of the body that hold a JSON list of strings."""
    other_tables: Columns = ()
    """Tables that must be there too."""
    unlike: Columns = ()
    """Columns that its table must not have."""

    @property
    def columns(self) -> Columns:
        """Every column that is read where it exists."""
        groups = (self.body, self.type, self.times, self.title, self.description)
        return tuple(dict.fromkeys([*(name for each in groups for name in each), *SHARED]))

    @property
    def expected(self) -> str:
        """What the table must have, for a message."""
        needs = ", ".join("/".join(group) for group in self.needs)
        return f"{self.name} ({self.table} with {needs})"

    def fits(self, tables: Mapping[str, frozenset[str]]) -> bool:
        """Whether a database has what this schema needs."""
        columns = tables.get(self.table, frozenset())
        return (
            all(any(name in columns for name in group) for group in self.needs)
            and all(name in tables for name in self.other_tables)
            and not any(name in columns for name in self.unlike)
        )


DELETED = "deleted_at"
SUPERSEDED = "superseded_by"
SCOPE = "scope"
SHARED = (DELETED, SUPERSEDED, SCOPE)
"""Columns with one meaning wherever they occur."""
USER_SCOPES = frozenset({"personal", "user"})
"""Values of ``scope`` that mean the user's own memories."""

MNEME = Schema(
    name="mneme",
    table="memories",
    needs=(("content",), ("category",), ("importance",)),
    body=("content",),
    type=("category",),
    times=("updated_at", "created_at"),
    title=("summary",),
    description=("summary",),
)
CLAUDE_MEM = Schema(
    name="claude-mem",
    table="observations",
    needs=(("type",), ("project",), ("narrative", "text"), ("memory_session_id", "sdk_session_id")),
    body=("text", "narrative", "facts"),
    type=("type",),
    times=("created_at_epoch", "created_at"),
    title=("title",),
    description=("subtitle",),
    lists=("facts",),
)
ENGRAM = Schema(
    name="engram",
    table="observations",
    needs=(("type",), ("title",), ("content",), ("session_id",)),
    body=("content",),
    type=("type",),
    times=("updated_at", "created_at"),
    title=("title",),
)
MCP_MEMORY_SERVICE = Schema(
    name="mcp-memory-service",
    table="memories",
    needs=(("content_hash",), ("content",), ("memory_type",)),
    body=("content",),
    type=("memory_type",),
    times=("updated_at", "updated_at_iso", "created_at", "created_at_iso"),
    unlike=("category",),
)
BASIC_MEMORY = Schema(
    name="basic-memory",
    table="entity",
    needs=(("title",), ("note_type", "entity_type"), ("file_path", "permalink")),
    body=(),
    type=("note_type", "entity_type"),
    times=("mtime", "updated_at", "created_at"),
    title=("title",),
    other_tables=("observation",),
)
SCHEMAS = (MNEME, CLAUDE_MEM, ENGRAM, MCP_MEMORY_SERVICE, BASIC_MEMORY)
"""Every schema that is recognised; no two fit one table."""


def schema_of(tables: Mapping[str, frozenset[str]]) -> Schema | None:
    """The schema that a database has.

    Args:
        tables: its tables by name with the names of their columns, all in lower case.

    """
    return next((schema for schema in SCHEMAS if schema.fits(tables)), None)
