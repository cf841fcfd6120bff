"""Changes, and the recall that follows from them: applied in memory, nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memtui.limits import LimitError
from memtui.memory.document import Document, Pool, SkippedFile
from memtui.memory.edit import (
    ReadBytes,
    admitted,
    dialect_of,
    document_from,
    read_bytes,
    reread,
    source_text,
    with_document,
    with_key,
)
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.text import utf8_bytes

Kind = Literal["tools", "limit", "touch", "frontmatter", "query", "content"]
KINDS: tuple[Kind, ...] = ("tools", "limit", "touch", "frontmatter", "query", "content")
"""From the smallest change to the largest."""

REQUESTED = "limit"
"""The name of the requested limit (`--limit`) among the limits, where one was asked for."""

Reach = Literal["pool", "candidates", "manifest", "selection", "context"]
REACHES: tuple[Reach, ...] = ("pool", "candidates", "manifest", "selection", "context")
"""How far a document came, nearest first."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to do differently."""

    kind: Kind
    """What is changed."""
    name: str = ""
    """Of a limit, or the key of a frontmatter."""
    value: str | int = ""
    """The new value; for ``content`` the whole new file."""
    remove: tuple[str, ...] = ()
    """Tools to leave out."""

    def as_json(self) -> dict[str, object]:
        """The change with the keys of the contract."""
        if self.kind == "limit":
            return {"kind": "limit", "name": self.name, "value": self.value}
        if self.kind == "tools":
            return {"kind": "tools", "remove": list(self.remove)}
        if self.kind == "frontmatter":
            return {"kind": "frontmatter", "key": self.name, "value": self.value}
        if self.kind == "touch":
            return {"kind": "touch"}
        return {"kind": self.kind, "value": self.value}


@dataclass(frozen=True)
class Trial:
    """A recall with some changes applied, and the document in it."""

    changes: tuple[Change, ...]
    """What was changed."""
    result: Recall
    """The recall that follows."""
    document: Document | SkippedFile
    """The memory as it then is."""
    text: str | None
    """The text of its file as it then is, once a change of text was made."""
    asked_model: bool = False
    """Whether somebody was asked who can not be asked again, so that nothing is known beyond the
    manifest."""

    @property
    def furthest(self) -> int:
        """How far any document can come: an index into ``REACHES``."""
        return REACHES.index("manifest" if self.asked_model else "context")

    @property
    def reach(self) -> int:
        """How far the document came: an index into ``REACHES``, or -1."""
        if isinstance(self.document, SkippedFile):
            return -1
        return min(reach_of(self.result, self.document), self.furthest)


def reach_of(result: Recall, document: Document) -> int:
    """How far a document came in a recall: an index into ``REACHES``, or -1."""
    if document.id in result.context.kept:
        return 4
    if document.id in result.selection.ids:
        return 3
    verdict = next((v for v in result.manifest.verdicts if v.document.id == document.id), None)
    if verdict is not None:
        return 2 if verdict.packed else 1
    return 0 if document.id in result.pool.by_id else -1


def start(result: Recall, document: Document | SkippedFile) -> Trial:
    """The recall as it was."""
    selector = result.options.selector
    asked = result.selection.selector is not None
    return Trial((), result, document, None, asked and not (selector and selector.replayable))


def attempt(
    trial: Trial, changes: Sequence[Change], read_file: ReadBytes = read_bytes
) -> Trial | None:
    """The recall with ``changes`` on top of a trial; None where they can not be made."""
    document, text, pool = trial.document, trial.text, trial.result.pool
    options = trial.result.options
    query = trial.result.query.text
    for change in changes:
        if change.kind == "limit":
            limited = _with_limit(options, change)
            if limited is None:
                return None
            options = limited
            if change.name == "file_bytes":
                pool = admitted(pool, options.limits, read_file)
                document = _in_pool(pool, document)
        elif change.kind == "tools":
            left = tuple(tool for tool in options.recent_tools if tool not in change.remove)
            options = replace(options, recent_tools=left)
        elif change.kind == "query":
            query = str(change.value)
        elif change.kind == "touch":
            document = replace(document, mtime_ms=trial.result.now_ms)
        else:
            text = edited_text(document, text, change, pool, read_file)
            edited = None if text is None else _as_document(document, text, pool)
            if text is None or edited is None or utf8_bytes(text) > options.limits.file_bytes:
                return None
            document = edited
    if isinstance(document, Document) and (document is not trial.document or pool.beyond):
        pool = with_document(pool, document, options.limits)
        document = _in_pool(pool, document)
    fixed = replace(options, now_ms=trial.result.now_ms)
    if trial.asked_model:
        fixed = replace(fixed, selector=None)
    return Trial(
        (*trial.changes, *changes), recall(query, pool, fixed), document, text, trial.asked_model
    )


def edited_text(
    document: Document | SkippedFile,
    text: str | None,
    change: Change,
    pool: Pool,
    read_file: ReadBytes = read_bytes,
) -> str | None:
    """The text of a file after a change of text; None where it can not be made.

    Args:
        document: the memory.
        text: its text, where earlier changes have made it differ from the file.
        change: a ``content`` or ``frontmatter``.
        pool: the pool it belongs to.
        read_file: gives the bytes of a file.

    """
    if change.kind == "content":
        return str(change.value)
    dialect = dialect_of(pool, document)
    if isinstance(document, Document):
        dialect = "qwen" if document.dialect == "qwen" else "claude"
    before = text_of(document, read_file) if text is None else text
    if before is None or dialect is None:
        return None
    return with_key(before, change.name, str(change.value), dialect)


def _in_pool(pool: Pool, document: Document | SkippedFile) -> Document | SkippedFile:
    """The memory at the same path as the pool has it."""
    everything: tuple[Document | SkippedFile, ...] = (
        *pool.documents,
        *pool.beyond,
        *pool.skipped,
    )
    return next((each for each in everything if each.path == document.path), document)


def text_of(document: Document | SkippedFile, read_file: ReadBytes) -> str | None:
    """The text of a memory's file; None where it can not be read."""
    if isinstance(document, Document):
        return source_text(document, read_file)
    try:
        return read_file(document.path).decode("utf-8", "replace")
    except OSError:
        return None


def _as_document(document: Document | SkippedFile, text: str, pool: Pool) -> Document | None:
    """The memory that the edited text reads as."""
    if isinstance(document, Document):
        return reread(document, text)
    dialect = dialect_of(pool, document)
    return None if dialect is None else document_from(document, text, dialect)


def _with_limit(options: RecallOptions, change: Change) -> RecallOptions | None:
    value = int(change.value)
    if change.name == REQUESTED:
        return replace(options, requested_limit=value)
    try:
        return replace(options, limits=options.limits.with_values({change.name: value}))
    except LimitError:
        return None
