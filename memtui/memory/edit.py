"""What a memory, a file or a pool would be after a change. Works in memory; writes nothing."""

from __future__ import annotations

import json
import os
import re
import stat
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from memtui.limits import Limits
from memtui.memory.collation import collation_key
from memtui.memory.dialects import DIALECTS, Dialect, Reading, Unread, read
from memtui.memory.document import (
    Document,
    Pool,
    Scope,
    ScopeReport,
    SkippedFile,
    document_id,
)
from memtui.memory.rewrite import guessed_type, headed_text, repaired_text, with_key
from memtui.memory.scan import in_scan_order

__all__ = [
    "ReadBytes",
    "admitted",
    "dialect_of",
    "document_from",
    "file_changed",
    "guessed_type",
    "key_of",
    "keyed",
    "pool_as_of",
    "read_bytes",
    "rebuilt_text",
    "repaired_text",
    "reread",
    "source_text",
    "with_document",
    "with_key",
]

ReadBytes = Callable[[str], bytes]
"""Gives the bytes of a file by its path; raises ``OSError``."""

_FIELDS = ("type", "title", "description", "body")


def read_bytes(path: str) -> bytes:
    """The bytes of a regular file; never waits for a pipe.

    Raises:
        OSError: it can not be opened or read, or it is no regular file.

    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except ValueError as error:
        raise OSError(str(error)) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


# -- one document ---------------------------------------------------------------------------------


def source_text(document: Document, read_file: ReadBytes = read_bytes) -> str | None:
    """The text that a document was read from.

    Where its file can not be read or has changed since, it is put together from the parts of the
    document, so that what is computed from it belongs to the scan. None for a row of a database.
    """
    if document.dialect not in DIALECTS:
        return None
    for text in (_file_text(document, read_file), rebuilt_text(document)):
        if text is not None and _reads_alike(document, reread(document, text)):
            return text
    return None


def file_changed(document: Document, read_file: ReadBytes = read_bytes) -> bool:
    """Whether the file of a document is there and reads as something else by now."""
    text = _file_text(document, read_file)
    return text is not None and not _reads_alike(document, reread(document, text))


def _file_text(document: Document, read_file: ReadBytes) -> str | None:
    try:
        return read_file(document.path).decode("utf-8", "replace")
    except OSError:
        return None


def _reads_alike(document: Document, other: Document | None, besides: str = "") -> bool:
    return other is not None and all(
        getattr(document, field) == getattr(other, field) for field in _FIELDS if field != besides
    )


def rebuilt_text(document: Document) -> str:
    """A file that reads as this document does."""
    block = document.frontmatter.strip("\n")
    if not block and (document.dialect == "qwen" or document.description or document.type):
        block = (
            f"name: {document.title}\ndescription: {document.description}\ntype: {document.type}"
        )
    return f"---\n{block}\n---\n\n{document.body}\n" if block else f"{document.body}\n"


def key_of(document: Document, field: str, text: str) -> str:
    """The frontmatter key that the dialect reads ``title``, ``description`` or ``type`` from."""
    if field != "title":
        return field
    named = re.search(r"^name[ \t]*:[ \t]*\S", document.frontmatter or text, re.MULTILINE)
    titled = re.search(r"^title[ \t]*:[ \t]*\S", document.frontmatter or text, re.MULTILINE)
    return "title" if titled and not named else "name"


def keyed(document: Document, text: str, field: str, value: str) -> tuple[str, str] | None:
    """Key and value of the line with which one field reads ``value`` and no other field changes.

    The value is quoted where YAML would read it as something else. None where no line does it, as
    in a text without frontmatter.
    """
    if document.dialect not in DIALECTS:
        return None
    dialect: Dialect = document.dialect
    forms = [value]
    if dialect == "claude":
        forms.append(json.dumps(value, ensure_ascii=False))
    invalid: tuple[str, str] | None = None
    for key in dict.fromkeys((key_of(document, field, text), field)):
        for form in forms:
            edited = with_key(text, key, form, dialect)
            found = None if edited is None else reread(document, edited)
            if found is None or getattr(found, field) != value:
                continue
            if not _reads_alike(document, found, besides=field):
                continue
            if "yaml-invalid" in document.flags or "yaml-invalid" not in found.flags:
                return key, form
            invalid = invalid or (key, form)
    return invalid


def headed(document: Document, text: str, field: str, value: str) -> str | None:
    """A file without frontmatter, with one in which ``field`` reads ``value``; None if it has one.

    Only the tolerant dialect reads files without.
    """
    if document.dialect != "claude" or document.frontmatter or document.type:
        return None
    key = "name" if field == "title" else field
    for form in (value, json.dumps(value, ensure_ascii=False)):
        edited = headed_text(text, key, form)
        found = reread(document, edited)
        if found is None or getattr(found, field) != value or "yaml-invalid" in found.flags:
            continue
        if _reads_alike(document, found, besides=field):
            return edited
    return None


def reread(document: Document, text: str) -> Document | None:
    """The document that its dialect reads in ``text``; None if it reads no document there."""
    if document.dialect not in DIALECTS:
        return None
    content = text.encode("utf-8", "replace")
    reading = read(document.dialect, content, document.relative_path)
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
        size=len(content),
    )


# -- a skipped file -------------------------------------------------------------------------------


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


def dialect_of(pool: Pool, target: Document | SkippedFile) -> Dialect | None:
    """The dialect that the root of a file is read with; None for a row of a database."""
    report = _report_of(pool, target)
    return report.dialect if report is not None and report.dialect in DIALECTS else None


def _report_of(pool: Pool, target: Document | SkippedFile) -> ScopeReport | None:
    own = [report for report in pool.scopes if report.scope is target.scope]
    return next((report for report in own if _holds(report, target.path)), None) or next(
        iter(own), None
    )


def _holds(report: ScopeReport, path: str) -> bool:
    return path.startswith((report.root.rstrip(os.sep) + os.sep, f"{report.root}#"))


# -- a pool ---------------------------------------------------------------------------------------


def with_document(pool: Pool, document: Document, limits: Limits) -> Pool:
    """The pool as a scan would find it with ``document`` in place of what is at its path."""
    others = (*pool.documents, *pool.beyond, *pool.excluded)
    if any(each.id == document.id and each.path != document.path for each in others):
        longer = document_id(document.scope, document.relative_path, 16)
        document = replace(document, id=longer)
    old = next((each for each in pool.documents if each.path == document.path), None)
    if old is not None and old.mtime_ms == document.mtime_ms and not pool.beyond:
        same_order = tuple(document if each is old else each for each in pool.documents)
        return _remembering(replace(pool, documents=same_order), pool)
    everything: list[Document] = []
    unmanaged: set[str] = set()
    for scope in _scopes_of(pool, document):
        members = [
            each
            for each in (*pool.documents, *pool.beyond)
            if each.scope is scope and each.path != document.path
        ]
        if pool.beyond:
            members = in_scan_order(members)
        if document.scope is scope:
            _insert_in_scan_order(members, document)
        everything += members
        unmanaged.update(_beyond_window(pool, scope, members, limits.capped_scan_docs))
    changed = replace(
        pool,
        documents=tuple(everything),
        skipped=tuple(each for each in pool.skipped if each.path != document.path),
        unmanaged=frozenset(unmanaged),
        beyond=(),
        excluded=tuple(each for each in pool.excluded if each.path != document.path),
    )
    return _remembering(_counted(changed), pool)


def _remembering(changed: Pool, pool: Pool) -> Pool:
    """The changed pool with what stages keep about the other, most of which stays true."""
    changed.memo.update(pool.memo)
    return changed


def _scopes_of(pool: Pool, document: Document) -> list[Scope]:
    present = {report.scope for report in pool.scopes} | {document.scope}
    present.update(each.scope for each in pool.documents)
    return [scope for scope in Scope if scope in present]


def _insert_in_scan_order(members: list[Document], document: Document) -> None:
    """Puts a document where a scan lists it among the documents of its scope."""
    age = -document.mtime_ms
    first = bisect_left(members, age, key=lambda each: -each.mtime_ms)
    last = bisect_right(members, age, lo=first, key=lambda each: -each.mtime_ms)
    place = bisect_left(members, _name_key(document), lo=first, hi=last, key=_name_key)
    members.insert(place, document)


def _name_key(document: Document) -> tuple[object, str]:
    base_name = document.relative_path.rpartition("/")[2]
    return collation_key(base_name), document.relative_path


def _beyond_window(pool: Pool, scope: Scope, members: list[Document], window: int) -> Iterator[str]:
    """Ids of a scope that a capped scan does not see; excluded files count in its window too."""
    reports = [report for report in pool.scopes if report.scope is scope]
    excluded = [each for each in pool.excluded if each.scope is scope]
    listed = in_scan_order([*members, *excluded]) if excluded else members
    if len(reports) < 2:
        yield from (each.id for each in listed[window:])
        return
    for report in reports:
        own = [each.id for each in listed if _holds(report, each.path)]
        yield from own[window:]


def _counted(pool: Pool) -> Pool:
    """The pool with the counts of its reports as its documents and skipped files are."""
    if len({report.scope for report in pool.scopes}) == len(pool.scopes):
        documents = Counter(each.scope for each in pool.documents)
        skipped = Counter(each.scope for each in pool.skipped)
        reports = tuple(
            replace(each, documents=documents[each.scope], skipped=skipped[each.scope])
            for each in pool.scopes
        )
    else:
        found = [_report_of(pool, each) for each in pool.documents]
        left = [_report_of(pool, each) for each in pool.skipped]
        reports = tuple(
            replace(
                each,
                documents=sum(own is each for own in found),
                skipped=sum(own is each for own in left),
            )
            for each in pool.scopes
        )
    return replace(pool, scopes=reports)


def pool_as_of(pool: Pool, moment_ms: float, limits: Limits) -> Pool:
    """The pool without the files that were modified after a moment, epoch milliseconds."""

    def existing(documents: Iterable[Document]) -> tuple[Document, ...]:
        return tuple(each for each in documents if each.mtime_ms <= moment_ms)

    skipped = tuple(each for each in pool.skipped if (each.mtime_ms or 0) <= moment_ms)
    earlier = replace(
        pool,
        documents=existing(pool.documents),
        beyond=existing(pool.beyond),
        excluded=existing(pool.excluded),
        skipped=skipped,
    )
    unmanaged: set[str] = set()
    for scope in dict.fromkeys(report.scope for report in pool.scopes):
        members = [each for each in earlier.documents if each.scope is scope]
        unmanaged.update(_beyond_window(earlier, scope, members, limits.capped_scan_docs))
    return replace(_counted(earlier), unmanaged=frozenset(unmanaged))


def admitted(pool: Pool, limits: Limits, read_file: ReadBytes = read_bytes) -> Pool:
    """The pool as these limits admit it: files that were too large and are not any more."""
    for skipped in pool.skipped:
        dialect = dialect_of(pool, skipped)
        if skipped.reason != "too-large" or dialect is None:
            continue
        try:
            content = read_file(skipped.path)
        except OSError:
            continue
        if len(content) > limits.file_bytes:
            continue
        document = document_from(skipped, content.decode("utf-8", "replace"), dialect)
        if document is not None:
            pool = with_document(pool, replace(document, size=len(content)), limits)
            continue
        found = read(dialect, content, skipped.relative_path)
        if isinstance(found, Unread):
            unread = replace(skipped, reason=found.reason, detail=found.detail, remedy=found.remedy)
            left = tuple(unread if each is skipped else each for each in pool.skipped)
            pool = _remembering(replace(pool, skipped=left), pool)
    return pool
