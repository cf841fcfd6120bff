"""The values a scan yields: documents, skipped files, and the pool they form."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Literal

MEMORY_TYPES = ("user", "feedback", "project", "reference")
"""The closed list of types that the strict dialect accepts and the scorer knows."""

PLACEHOLDER_BODY = "_No entries yet._"
"""A body that agents write into an empty memory; it counts as empty."""

ScopeStatus = Literal["ok", "absent", "failed"]
SkipReason = Literal[
    "no-frontmatter",
    "unclosed-frontmatter",
    "byte-order-mark",
    "type-missing",
    "type-unknown",
    "type-nested",
    "unreadable",
    "vanished",
    "too-large",
    "not-a-regular-file",
    "outside-root",
    "deleted",
    "superseded",
]


class Scope(StrEnum):
    """Whose memory it is, in the order in which scopes are read."""

    PROJECT = "project"
    USER = "user"
    TEAM = "team"


class MemoryRootError(Exception):
    """A root can not be used. ``str()`` is one clear line."""


class RootNotFound(MemoryRootError):
    """A root that the user typed is not there."""


class ScopeFailed(MemoryRootError):
    """The required scope exists but can not be listed."""


@dataclass(frozen=True, slots=True)
class Document:
    """One memory: a markdown file that a dialect could read, or a row of a memory database."""

    id: str
    """As cited, traced and shown everywhere; see :func:`document_id`."""
    scope: Scope
    """The scope whose root it was found under."""
    path: str
    """Absolute path, as it stands in a manifest line."""
    relative_path: str
    """Path below the scope's root, with ``/`` on every system."""
    type: str
    """One of ``MEMORY_TYPES``, any other word in the tolerant dialect, or empty."""
    title: str
    """The title that is scored and shown."""
    description: str
    """The description that is scored and stands in the manifest; may be empty."""
    body: str
    """The whole body, trimmed as its dialect trims."""
    mtime_ms: float
    """Modification time, epoch milliseconds; fractions count."""
    size: int
    """Bytes of the file."""
    dialect: str
    """The dialect that read it."""
    frontmatter: str
    """The raw text between the fences; empty if there is none."""
    flags: tuple[str, ...] = ()
    """What the reader had to do: ``byte-order-mark``, ``yaml-invalid``, ``invalid-utf8``."""

    @property
    def scored_body(self) -> str:
        """The body as the scorer sees it before it is cut: the placeholder counts as empty."""
        return "" if self.body == PLACEHOLDER_BODY else self.body


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is no document, with the reason. Never dropped in silence."""

    path: str
    """Absolute path."""
    scope: Scope
    """The scope whose root it was found under."""
    relative_path: str
    """Path below the scope's root, with ``/`` on every system."""
    reason: SkipReason
    """Why it is no document, from the closed list."""
    detail: str
    """What was found, in one line."""
    remedy: str
    """What to do, in one line."""
    mtime_ms: float | None = None
    """Modification time in epoch milliseconds, where it could be read."""


@dataclass(frozen=True, slots=True)
class ScopeReport:
    """How the scan of one scope went. Empty is never shown as failed, nor failed as empty."""

    scope: Scope
    """The scope."""
    root: str
    """Absolute path of its root."""
    dialect: str
    """The dialect its files were read with."""
    status: ScopeStatus
    """``ok``, ``absent`` (no such root) or ``failed`` (it could not be listed)."""
    documents: int = 0
    """Documents found."""
    skipped: int = 0
    """Files skipped."""
    error: str | None = None
    """What went wrong, in one line, where ``status`` is ``failed``."""


@dataclass(frozen=True)
class Pool:
    """Every document and every skipped file of every scope, in scan order."""

    documents: tuple[Document, ...] = ()
    """Scope by scope; within one, newest first as the scan orders them."""
    skipped: tuple[SkippedFile, ...] = ()
    """Every file that is no document."""
    scopes: tuple[ScopeReport, ...] = ()
    """One report for each scope that was asked for."""
    unmanaged: frozenset[str] = frozenset()
    """Ids beyond the capped scan: recallable but not managed."""
    beyond: tuple[Document, ...] = ()
    """Documents that a capped scan leaves out; empty for the full scan."""
    excluded: tuple[Document, ...] = ()
    """Documents left out because the agent has already surfaced them."""
    indexes: tuple[str, ...] = ()
    """Absolute paths of the ``MEMORY.md`` files met."""
    unlisted: tuple[str, ...] = ()
    """Sub-folders that could not be listed."""

    @property
    def complete(self) -> bool:
        """Whether every scope that exists, and every folder in it, could be listed."""
        return not self.unlisted and all(report.status != "failed" for report in self.scopes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each failure that did not stop the scan."""
        failed = tuple(
            f"the {report.scope} scope could not be read ({report.error}); "
            "its memories are missing from this recall"
            for report in self.scopes
            if report.status == "failed"
        )
        return failed + tuple(f"could not list the folder {path}" for path in self.unlisted)

    @cached_property
    def by_id(self) -> dict[str, Document]:
        """Every document by its id."""
        return {document.id: document for document in self.documents}

    @cached_property
    def position(self) -> dict[str, int]:
        """The place of every document in pool order, by its id, from 0."""
        return {document.id: place for place, document in enumerate(self.documents)}

    @cached_property
    def memo(self) -> dict[object, object]:
        """Derived values that stages keep for as long as this pool lives (folded texts)."""
        return {}

    def managed(self, document_id: str) -> bool:
        """Whether the management flows see this document too."""
        return document_id not in self.unmanaged


@dataclass(slots=True)
class PoolParts:
    """What has been read so far while a pool is put together."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    scopes: list[ScopeReport] = field(default_factory=list)
    unmanaged: set[str] = field(default_factory=set)
    excluded: list[Document] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)


def document_id(scope: str, relative_path: str, digits: int = 8) -> str:
    """The first hex digits of SHA-256 of the UTF-8 bytes of ``scope/relative path``."""
    name = f"{scope}/{relative_path}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(name).hexdigest()[:digits]


def with_unique_ids(documents: list[Document]) -> list[Document]:
    """The documents, each whose 8-digit id collides given 16 digits instead."""
    taken = Counter(document.id for document in documents)
    if len(taken) == len(documents):
        return documents
    return [
        replace(document, id=document_id(document.scope, document.relative_path, 16))
        if taken[document.id] > 1
        else document
        for document in documents
    ]
