"""What a memory, a file or a pool would be after a change. Works in memory; writes nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace

from memtui.limits import Limits
from memtui.memory.dialects import DIALECTS, Dialect, Reading, read
from memtui.memory.document import (
    MEMORY_TYPES,
    Document,
    Pool,
    ScopeReport,
    SkippedFile,
    document_id,
)
from memtui.memory.scan import in_scan_order

ReadBytes = Callable[[str], bytes]
"""Gives the bytes of a file by its path; raises ``OSError``."""

_FENCE = re.compile(r"^-{3,}\s*$")
_KEY_LINE = re.compile(r"^[A-Za-z_][\w-]*[ \t]*:")


def read_bytes(path: str) -> bytes:
    """The bytes of a regular file; never waits for a pipe.

    Raises:
        OSError: it can not be opened or read.

    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return file.read()


def source_text(document: Document, read_file: ReadBytes = read_bytes) -> str:
    """The text of a document's file; put together from its parts where it can not be read."""
    try:
        return read_file(document.path).decode("utf-8", "replace")
    except OSError:
        return rebuilt_text(document)


def rebuilt_text(document: Document) -> str:
    """A file that reads as this document does."""
    block = document.frontmatter.strip("\n")
    if not block and (document.dialect == "qwen" or document.description or document.type):
        block = (
            f"name: {document.title}\ndescription: {document.description}\ntype: {document.type}"
        )
    return f"---\n{block}\n---\n\n{document.body}\n" if block else f"{document.body}\n"


def with_key(text: str, key: str, value: str) -> str | None:
    """``text`` with ``key: value`` in its frontmatter; None if it has no frontmatter.

    The first line of the key in column 0 is replaced, with the indented lines that continue it;
    further lines of the key are dropped; a key that is not there is added at the end.
    """
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    start = 1 if lines[0].startswith("\ufeff") or _FENCE.match(lines[0]) else 0
    if not start:
        return None
    end = next((at for at in range(1, len(lines)) if lines[at].startswith("---")), None)
    if end is None:
        return None
    block: list[str] = []
    written = dropping = False
    for line in lines[1:end]:
        if dropping and (line[:1] in (" ", "\t") or not line.strip()):
            continue
        dropping = line.startswith(f"{key}:")
        if not dropping:
            block.append(line)
        elif not written:
            block.append(f"{key}: {value}")
            written = True
    if not written:
        block.append(f"{key}: {value}")
    return "\n".join([lines[0], *block, *lines[end:]])


def key_of(document: Document, field: str, text: str) -> str:
    """The frontmatter key that the dialect reads ``title``, ``description`` or ``type`` from."""
    if field != "title":
        return field
    named = re.search(r"^name[ \t]*:[ \t]*\S", document.frontmatter or text, re.MULTILINE)
    titled = re.search(r"^title[ \t]*:[ \t]*\S", document.frontmatter or text, re.MULTILINE)
    return "title" if titled and not named else "name"


def reread(document: Document, text: str) -> Document | None:
    """The document that its dialect reads in ``text``; None if it reads no document there."""
    if document.dialect not in DIALECTS:
        return None
    reading = read(document.dialect, text.encode("utf-8", "replace"), document.relative_path)
    if not isinstance(reading, Reading):
        return None
    return replace(
        document,
        type=reading.type,
        title=reading.title,
        description=reading.description,
        body=reading.body,
        frontmatter=reading.frontmatter,
        flags=reading.flags,
        size=len(text.encode("utf-8", "replace")),
    )


def document_from(skipped: SkippedFile, text: str, dialect: Dialect) -> Document | None:
    """The document that a skipped file would be with ``text`` as its content."""
    mtime_ms = skipped.mtime_ms if skipped.mtime_ms is not None else 0.0
    blank = Document(
        document_id(skipped.scope, skipped.relative_path),
        skipped.scope,
        skipped.path,
        skipped.relative_path,
        "",
        "",
        "",
        "",
        mtime_ms,
        0,
        dialect,
        "",
    )
    return reread(blank, text)


def with_document(pool: Pool, document: Document, limits: Limits) -> Pool:
    """The pool as a scan would find it with ``document`` in place of what is at its path."""
    scope_order = [report.scope for report in pool.scopes] or list(
        dict.fromkeys(each.scope for each in pool.documents)
    )
    if document.scope not in scope_order:
        scope_order.append(document.scope)
    known = {each.id for each in (*pool.documents, *pool.beyond) if each.path != document.path}
    if document.id in known:
        longer = document_id(document.scope, document.relative_path, 16)
        document = replace(document, id=longer)
    everything: list[Document] = []
    unmanaged: set[str] = set()
    for scope in scope_order:
        members = [
            each
            for each in (*pool.documents, *pool.beyond)
            if each.scope is scope and each.path != document.path
        ]
        if document.scope is scope:
            members = in_scan_order([*members, document])
        everything += members
        unmanaged.update(each.id for each in members[limits.capped_scan_docs :])
    changed = Pool(
        documents=tuple(everything),
        skipped=tuple(each for each in pool.skipped if each.path != document.path),
        scopes=tuple(_recounted(report, document, pool) for report in pool.scopes),
        unmanaged=frozenset(unmanaged),
        excluded=tuple(each for each in pool.excluded if each.path != document.path),
        indexes=pool.indexes,
        unlisted=pool.unlisted,
    )
    changed.memo.update(pool.memo)
    return changed


def pool_as_of(pool: Pool, moment_ms: float, limits: Limits) -> Pool:
    """The pool without the files that were modified after a moment, epoch milliseconds."""
    documents = tuple(each for each in pool.documents if each.mtime_ms <= moment_ms)
    skipped = tuple(each for each in pool.skipped if (each.mtime_ms or 0) <= moment_ms)
    unmanaged: set[str] = set()
    reports = []
    for report in pool.scopes:
        members = [each.id for each in documents if each.scope is report.scope]
        unmanaged.update(members[limits.capped_scan_docs :])
        left = sum(1 for each in skipped if each.scope is report.scope)
        reports.append(replace(report, documents=len(members), skipped=left))
    return replace(
        pool,
        documents=documents,
        skipped=skipped,
        scopes=tuple(reports),
        unmanaged=frozenset(unmanaged),
    )


def admitted(pool: Pool, limits: Limits, read_file: ReadBytes = read_bytes) -> Pool:
    """The pool with every file that was too large and is not under these limits."""
    for skipped in pool.skipped:
        report = next((each for each in pool.scopes if each.scope is skipped.scope), None)
        if skipped.reason != "too-large" or report is None or report.dialect not in DIALECTS:
            continue
        try:
            content = read_file(skipped.path)
        except OSError:
            continue
        if len(content) > limits.file_bytes:
            continue
        text = content.decode("utf-8", "replace")
        document = document_from(skipped, text, report.dialect)
        if document is not None:
            pool = with_document(pool, document, limits)
    return pool


def _recounted(report: ScopeReport, document: Document, pool: Pool) -> ScopeReport:
    was_skipped = any(each.path == document.path for each in pool.skipped)
    if report.scope is not document.scope or not was_skipped:
        return report
    return replace(report, documents=report.documents + 1, skipped=report.skipped - 1)


def guessed_type(relative_path: str, found: str = "") -> str:
    """The likeliest type: what was found once cleaned, else a folder or prefix that names one."""
    cleaned = found.split("#")[0].strip().strip("\"'").lower()
    if cleaned in MEMORY_TYPES:
        return cleaned
    parts = re.split(r"[/_\-. ]", relative_path.lower())
    return next((part for part in parts if part in MEMORY_TYPES), "project")


def repaired_text(text: str, relative_path: str) -> str:
    """``text`` with a frontmatter that every dialect reads; its own words are kept."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").lstrip("\n")
    lines = text.split("\n")
    kind = guessed_type(relative_path)
    if not _FENCE.match(lines[0].rstrip()):
        return f"---\ntype: {kind}\n---\n\n{text}"
    lines[0] = "---"
    closing = next((at for at in range(1, len(lines)) if _FENCE.match(lines[at])), None)
    if closing is None:
        closing = 1
        while closing < len(lines) and (
            _KEY_LINE.match(lines[closing]) or lines[closing][:1] in (" ", "\t")
        ):
            closing += 1
        lines.insert(closing, "---")
    block = "\n".join(lines[1:closing])
    nested = re.search(r"^[ \t]*type[ \t]*:[ \t]*(.*)$", block, re.MULTILINE)
    if not re.search(rf"^type:[ \t]*({'|'.join(MEMORY_TYPES)})[ \t]*$", block, re.MULTILINE):
        found = nested.group(1) if nested else ""
        rest = [line for line in lines[1:closing] if not line.startswith("type:")]
        lines[1:closing] = [*rest, f"type: {guessed_type(relative_path, found)}"]
    return "\n".join(lines)
