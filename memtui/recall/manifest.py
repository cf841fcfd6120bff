"""The manifest: one line a candidate, packed under a ceiling of UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from memtui.limits import Limits
from memtui.memory.document import Document
from memtui.recall.candidates import Candidate, Origin
from memtui.text import cut, utf8_bytes

Packing = Literal["pack", "prefix"]
Binds = Literal["bytes", "candidates", "pool"]

_CYCLE_MS = 146_097 * 86_400_000
_CYCLE_YEARS = 400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one candidate: packed as a line, or skipped for want of bytes."""

    document: Document
    """The candidate's document."""
    origin: Origin
    """``lexical`` or ``recent``."""
    position: int
    """Its place among the candidates, from 1."""
    packed: bool
    """Whether its line stands in the manifest."""
    line: int | None
    """Its line number, from 1, if packed."""
    bytes: int
    """What its line takes or would take, the newline that joins it included."""
    cumulative: int
    """Bytes of the manifest after this candidate."""
    bytes_left: int
    """Bytes below the ceiling before it was tried, if skipped; after it, if packed."""

    @property
    def bytes_missing(self) -> int:
        """By how many bytes a skipped line did not fit; 0 if packed."""
        return 0 if self.packed else max(0, self.bytes - self.bytes_left)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The lines that a model selector would be shown, and a verdict for every candidate."""

    text: str
    """The lines, joined by newlines."""
    bytes: int
    """UTF-8 bytes of the text."""
    lines: int
    """Lines packed."""
    binds: Binds
    """What kept further documents out: ``bytes``, ``candidates`` or nothing (``pool``)."""
    verdicts: tuple[Verdict, ...]
    """One for each candidate, in order."""

    @property
    def packed(self) -> tuple[Verdict, ...]:
        """The verdicts of the lines that stand in it, in order."""
        return tuple(verdict for verdict in self.verdicts if verdict.packed)


def manifest_line(document: Document, description_chars: int) -> str:
    """``- [type] <absolute path> (<modified, ISO-8601 UTC>): <description, cut>``."""
    kind = f"[{document.type}] " if document.type else ""
    line = f"- {kind}{document.path} ({iso_time(document.mtime_ms)})"
    description = cut(document.description, description_chars)
    return f"{line}: {description}" if description else line


def pack_manifest(
    candidates: Sequence[Candidate],
    eligible: int,
    limits: Limits,
    packing: Packing = "pack",
) -> Manifest:
    """Packs the candidates' lines in order; one that does not fit is skipped.

    Args:
        candidates: in the order in which they are tried.
        eligible: documents that could have been candidates, for what binds.
        limits: ``manifest_bytes`` and ``manifest_description_chars`` are used.
        packing: ``prefix`` stops at the first line that does not fit.

    """
    lines: list[str] = []
    verdicts: list[Verdict] = []
    total = 0
    closed = False
    for candidate in candidates:
        line = manifest_line(candidate.document, limits.manifest_description_chars)
        size = utf8_bytes(line) + (1 if lines else 0)
        fits = not closed and total + size <= limits.manifest_bytes
        if fits:
            lines.append(line)
            total += size
        elif packing == "prefix":
            closed = True
        verdicts.append(
            Verdict(
                candidate.document,
                candidate.origin,
                candidate.position,
                fits,
                len(lines) if fits else None,
                size,
                total,
                limits.manifest_bytes - total,
            )
        )
    return Manifest(
        "\n".join(lines),
        total,
        len(lines),
        _what_binds(len(lines), len(candidates), eligible),
        tuple(verdicts),
    )


def _what_binds(packed: int, candidates: int, eligible: int) -> Binds:
    if packed < candidates:
        return "bytes"
    return "candidates" if candidates < eligible else "pool"


def iso_time(epoch_ms: float) -> str:
    """Epoch milliseconds as JavaScript's ``toISOString`` writes them, fractions cut off."""
    cycles, rest = divmod(int(epoch_ms), _CYCLE_MS)
    moment = _EPOCH + timedelta(milliseconds=rest)
    year = moment.year + _CYCLE_YEARS * cycles
    sign = "-" if year < 0 else "+"
    shown = f"{year:04}" if 0 <= year <= 9_999 else f"{sign}{abs(year):06}"
    return f"{shown}{moment:-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
