"""What each dialect reads of the file behind a document, side by side."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass

from memtui.limits import Limits
from memtui.memory.dialects import (
    DIALECTS,
    Dialect,
    Reading,
    Unread,
    decode,
    read_claude,
    read_qwen,
)
from memtui.memory.document import Document, SkippedFile, SkipReason
from memtui.memory.recency import modified_ms

_FILE_BYTES = Limits().file_bytes

_OPENED: frozenset[SkipReason] = frozenset(
    (
        "no-frontmatter",
        "unclosed-frontmatter",
        "byte-order-mark",
        "type-missing",
        "type-unknown",
        "type-nested",
    )
)
"""Reasons to skip a file that was read."""

SourceReader = Callable[[Document], bytes | None]
"""Gives the bytes of a document's file; None where they can not be had."""

OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
"""Opens a file to read it: follows no link, waits for no pipe."""


@dataclass(frozen=True, slots=True)
class DialectView:
    """One dialect's reading of a file."""

    dialect: Dialect
    """Who reads."""
    result: Reading | Unread
    """The fields found, or why the dialect takes the file for no memory."""
    exact: bool
    """Whether the file itself was read; else its text was put together from the document."""

    @property
    def type(self) -> str | None:
        """The type that it sees, empty if there is none; None if it sees no memory."""
        return self.result.type if isinstance(self.result, Reading) else None

    @property
    def summary(self) -> str:
        """What it sees, in a few words."""
        if isinstance(self.result, Unread):
            return f"skips it: {self.result.reason} ({self.result.detail})"
        return f"reads type {self.result.type[:60]!r}" if self.result.type else "reads no type"


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text that the dialects read."""

    text: str
    """Decoded, with U+FFFD for bytes that are no UTF-8, line ends and byte-order mark kept."""
    content: bytes | None
    """The bytes of the file; None where the text was put together from the document."""

    @property
    def exact(self) -> bool:
        """Whether it is the text of the file."""
        return self.content is not None


def dialect_readings(
    document: Document, source: SourceReader | None = None
) -> tuple[DialectView, DialectView]:
    """What ``qwen`` and what ``claude`` read of a document's file, in this order.

    The file is read again, if it is still the one that was scanned. Where it is not, or where the
    document is no file, see :func:`rebuilt_text` for what can not be seen.
    """
    text = source_text(document, source or read_source)
    qwen, claude = (view_of(text, dialect, document) for dialect in DIALECTS)
    return qwen, claude


def skipped_readings(skipped: SkippedFile) -> tuple[DialectView, DialectView] | None:
    """What ``qwen`` and what ``claude`` read of a skipped file, in this order.

    None where the file was not opened, is gone, or can not be read now.
    """
    if skipped.reason not in _OPENED:
        return None
    try:
        status = os.stat(skipped.path)
    except (OSError, ValueError):
        return None
    document = Document(
        id="",
        scope=skipped.scope,
        path=skipped.path,
        relative_path=skipped.relative_path,
        type="",
        title="",
        description="",
        body="",
        mtime_ms=status.st_mtime_ns / 1e6,
        size=status.st_size,
        dialect="",
        frontmatter="",
    )
    content = read_source(document)
    return None if content is None else dialect_readings(document, lambda _: content)


def view_of(source: SourceText, dialect: Dialect, document: Document) -> DialectView:
    """What one dialect reads of a document's file."""
    flags = tuple(flag for flag in document.flags if flag == "invalid-utf8")
    if dialect == "qwen":
        return DialectView(dialect, read_qwen(source.text, flags), source.exact)
    result = read_claude(source.text, document.relative_path, flags)
    return DialectView(dialect, result, source.exact)


def source_text(document: Document, source: SourceReader) -> SourceText:
    """The text of a document's file, or what is known of it."""
    content = source(document)
    if content is None:
        return SourceText(rebuilt_text(document), None)
    return SourceText(decode(content)[0], content)


def rebuilt_text(document: Document) -> str:
    """The text of a file put together from the document that was read of it.

    What a reader drops is not there: blank lines before the first fence, white space behind a
    fence, a fence of more than three dashes, CRLF, and a frontmatter that is empty. So a dialect
    that trips over one of them seems to read the file.
    """
    block = document.frontmatter
    if not block:
        return _encodable(document.body)
    mark = "\ufeff" if "byte-order-mark" in document.flags else ""
    end = "" if block.endswith("\n") else "\n"
    return _encodable(f"{mark}---\n{block}{end}---\n\n{document.body}\n")


def _encodable(text: str) -> str:
    """The text as a file can hold it: U+FFFD for half a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_source(document: Document, file_bytes: int = _FILE_BYTES) -> bytes | None:
    """The bytes of the file that a document was read from.

    None if it is gone, no regular file, larger than ``file_bytes``, a link out of its root, or was
    changed since it was scanned. It is opened to read, is never waited for, and a link is followed
    only inside the root.
    """
    path = document.path
    if not path.endswith(".md") or not os.path.isabs(path):
        return None
    try:
        if os.path.islink(path):
            path = _inside_root(document)
        descriptor = os.open(path, OPEN_FLAGS)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not _is_the_scanned(status, document) or status.st_size > file_bytes:
            return None
        content = os.read(descriptor, document.size + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) == document.size else None


def _is_the_scanned(status: os.stat_result, document: Document) -> bool:
    if not stat.S_ISREG(status.st_mode) or status.st_size != document.size:
        return False
    mtime_ms = status.st_mtime_ns / 1e6
    return document.mtime_ms in (mtime_ms, modified_ms(document.frontmatter))


def _inside_root(document: Document) -> str:
    """Where a document's link leads.

    Raises:
        OSError: nowhere, or out of its root.

    """
    root = os.path.realpath(document.path.removesuffix(document.relative_path))
    real = os.path.realpath(document.path, strict=True)
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        raise OSError(f"{document.path} leads out of {root}")
    return real
