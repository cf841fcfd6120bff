"""Turns the rows of a memory database into documents."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memtui.memory.dialects import Reading, read_claude
from memtui.memory.document import Document, Scope, SkippedFile, SkipReason
from memtui.memory.schemas import DELETED, SCOPE, SUPERSEDED, USER_SCOPES, Schema
from memtui.text import cut, display_line, plural, single_spaced

DATABASE_DIALECT = "database"
"""The dialect of a document that is a row."""
NOTE = "note"
"""The column of a row that holds a whole note, joined from other tables."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TITLE_CHARS = 120

Row = dict[str, object]
"""The values of a row by column; text comes as bytes, since it may be no UTF-8."""


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads the rows of one database, one at a time."""

    root: str
    """The database, as it is shown."""
    schema: Schema
    """What its columns mean."""
    id_prefix: str
    """Put before a row's id."""
    body_bytes: int
    """A longer body is not read, UTF-8 bytes."""

    def read(self, row: Row) -> Document | SkippedFile:
        """The document in a row, or why it is none."""
        time_ms = _first_time(row, self.schema.times)
        if _is_set(row.get(DELETED)):
            return self._deleted(row, time_ms)
        if _is_set(row.get(SUPERSEDED)):
            return self._superseded(row, time_ms)
        reading = self._reading(row)
        size = len(reading.body.encode("utf-8", "surrogatepass"))
        if size > self.body_bytes:
            return self._too_large(row, time_ms, size)
        return self._document(row, reading, time_ms, size)

    def _reading(self, row: Row) -> Reading:
        """The fields of a row, with the flags that reading them earned."""
        schema, flags = self.schema, []
        texts = [text_of(value) for value in row.values() if isinstance(value, bytes)]
        if not all(valid for _, valid in texts):
            flags.append("invalid-utf8")
        body, frontmatter = self._body(row), ""
        description = single_spaced(_first_text(row, schema.description))
        note = read_claude(body, "") if NOTE in row else None
        if isinstance(note, Reading):
            body, frontmatter, description = note.body, note.frontmatter, note.description
        title = _first_line(_first_text(row, schema.title))
        title = title or cut(_first_line(body), _TITLE_CHARS) or self._name(row)
        kind = single_spaced(_first_text(row, schema.type))
        return Reading(kind, title, description, body, frontmatter, tuple(flags))

    def _body(self, row: Row) -> str:
        parts = [_listed(row, name, self.schema.lists) for name in self.schema.body]
        parts.append(text_of(row.get(NOTE))[0])
        return "\n\n".join(part for part in map(str.strip, parts) if part)

    def _document(self, row: Row, reading: Reading, time_ms: float | None, size: int) -> Document:
        flags = reading.flags if time_ms is not None else (*reading.flags, "time-unknown")
        return Document(
            id=f"{self.id_prefix}{row['rowid']}",
            scope=_scope(row),
            path=self._path(row),
            relative_path=self._name(row),
            type=reading.type,
            title=reading.title,
            description=reading.description,
            body=reading.body,
            mtime_ms=time_ms or 0.0,
            size=size,
            dialect=DATABASE_DIALECT,
            frontmatter=reading.frontmatter,
            flags=flags,
        )

    def _deleted(self, row: Row, time_ms: float | None) -> SkippedFile:
        when = _as_date(_time_ms(row[DELETED]))
        detail = f"it was deleted at {when}" if when else "it is marked as deleted"
        remedy = f"restore it in {self.schema.name} if it is still true"
        return self._skip(row, "deleted", detail, remedy, time_ms)

    def _superseded(self, row: Row, time_ms: float | None) -> SkippedFile:
        successor = display_line(text_of(row[SUPERSEDED])[0], 80)
        detail = f"it was superseded by {successor}"
        return self._skip(row, "superseded", detail, "read the memory that replaced it", time_ms)

    def _too_large(self, row: Row, time_ms: float | None, size: int) -> SkippedFile:
        detail = f"{plural(size, 'byte')}, {self.body_bytes:,} are read"
        remedy = "split it into smaller memories, or raise the limit file_bytes"
        return self._skip(row, "too-large", detail, remedy, time_ms)

    def _skip(
        self, row: Row, reason: SkipReason, detail: str, remedy: str, time_ms: float | None
    ) -> SkippedFile:
        return SkippedFile(
            self._path(row), _scope(row), self._name(row), reason, detail, remedy, time_ms
        )

    def _path(self, row: Row) -> str:
        return f"{self.root}#{row['rowid']}"

    def _name(self, row: Row) -> str:
        return f"{self.schema.table}/{row['rowid']}"


# -- values ---------------------------------------------------------------------------------------


def text_of(value: object) -> tuple[str, bool]:
    """A value as text, and whether it was valid UTF-8; nothing is empty text."""
    if value is None:
        return "", True
    if not isinstance(value, bytes):
        return str(value), True
    try:
        return value.decode(), True
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace"), False


def _first_text(row: Row, columns: Iterable[str]) -> str:
    texts = (text_of(row.get(name))[0].strip() for name in columns)
    return next((text for text in texts if text), "")


def _first_line(text: str) -> str:
    lines = (single_spaced(line) for line in text.splitlines())
    return next((line for line in lines if line), "")


def _listed(row: Row, column: str, lists: tuple[str, ...]) -> str:
    """The text of a column; a JSON list becomes one line an item."""
    text = text_of(row.get(column))[0]
    if column not in lists:
        return text
    try:
        items = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return text
    if not isinstance(items, list):
        return text
    return "\n".join(f"- {_paired(item)}" for item in items if isinstance(item, str) and item)


def _paired(text: str) -> str:
    """``text`` with U+FFFD for half of a surrogate pair, which JSON can spell."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_set(value: object) -> bool:
    return text_of(value)[0].strip() not in ("", "0", "0.0")


def _scope(row: Row) -> Scope:
    return (
        Scope.USER if text_of(row.get(SCOPE))[0].strip().lower() in USER_SCOPES else Scope.PROJECT
    )


def _first_time(row: Row, columns: Iterable[str]) -> float | None:
    times = (_time_ms(row.get(name)) for name in columns)
    return next((each for each in times if each is not None), None)


def _time_ms(value: object) -> float | None:
    """A time in epoch milliseconds: from a number by its size, or from ISO text, UTC if unsaid."""
    if isinstance(value, bytes):
        text = text_of(value)[0].strip()
        try:
            value = float(text)
        except ValueError:
            return _iso_ms(text)
    if not isinstance(value, int | float) or not math.isfinite(value) or not value:
        return None
    number = abs(value)
    for bound, scale in ((1e11, 1e3), (1e14, 1.0), (1e17, 1e-3)):
        if number < bound:
            return value * scale
    return value * 1e-6


def _iso_ms(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return (moment - _EPOCH) / timedelta(milliseconds=1)
    except OverflowError:
        return None


def _as_date(time_ms: float | None) -> str:
    if time_ms is None:
        return ""
    try:
        moment = _EPOCH + timedelta(milliseconds=time_ms)
    except OverflowError:
        return ""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
