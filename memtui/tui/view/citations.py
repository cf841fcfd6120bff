"""What is said about the citations of an answer, as data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from memtui.citations import Citations, Kind, Span
from memtui.text import plural
from memtui.tui.view.catalogue import Entry
from memtui.tui.view.pieces import Line, Piece, Tone, line
from memtui.tui.view.traces import kept_line

SHOWN_CHARS = 8_000
"""Most of an answer that is drawn; all of it is checked."""
MOST_FINDINGS = 50
"""Ids of one kind that are listed."""

MARKS: Mapping[Kind, Piece] = {
    "valid": Piece("✓", "success"),
    "partial": Piece("✗", "error"),
    "rejected": Piece("✗", "error"),
    "suspect": Piece("?", "warning"),
}
"""The mark behind a reference; a reference with one id that may not be cited is not well."""


@dataclass(frozen=True)
class Allowlist:
    """What an answer may cite, and by which trace."""

    ids: tuple[str, ...] | None = None
    """None is an unknown trace, which allows nothing."""
    name: str = ""
    """What to call the trace."""
    entries: Mapping[str, Entry] = field(default_factory=dict, compare=False)
    """The pool, for titles; it changes no verdict."""

    @property
    def against(self) -> tuple[Line, ...]:
        """What is checked against, from the richest form to the shortest."""
        if self.ids is None:
            unknown = Piece(f"{self.name} is unknown: nothing may be cited", "warning")
            return (line(unknown), line(Piece("unknown trace: nothing may be cited", "warning")))
        may = f"{plural(len(self.ids), 'id')} may be cited"
        return (
            line(Piece(f"against {self.name} · {may}", "muted")),
            line(Piece(f"against {self.name}", "muted")),
        )


def counts(found: Citations) -> tuple[Line, ...]:
    """How many ids are valid, rejected and suspect, each with the mark it has in the text."""
    numbers = (
        ("valid", len(found.valid), MARKS["valid"]),
        ("rejected", len(found.rejected), MARKS["rejected"]),
        ("suspect", len(found.suspect), MARKS["suspect"]),
    )
    tones: list[Tone] = [mark.tone if count else "muted" for _, count, mark in numbers]
    full: list[Piece] = []
    short: list[Piece] = []
    for (word, count, mark), tone in zip(numbers, tones, strict=True):
        dot = " · " if full else ""
        full += [Piece(dot, "muted"), Piece(f"{count:,} {word}", tone)]
        short += [Piece("  " if short else ""), Piece(f"{mark.text}{count:,}", tone)]
    return (tuple(full), tuple(short))


def checked(found: Citations, text: str, allowlist: Allowlist) -> tuple[Line, ...]:
    """The answer with a mark behind every reference, then every id with what is said about it."""
    return (*_annotated(found.spans, text), (), *_findings(found, allowlist))


def invitation(allowlist: Allowlist) -> tuple[Line, ...]:
    """What is said while there is no answer."""
    entries = allowlist.entries
    ids = allowlist.ids or ()
    said = "Paste an answer above: every [id:…] in it is checked as you type."
    lines: list[Line] = [line(Piece(said, "muted"))]
    if ids:
        lines += [(), line(Piece("may be cited", "primary"))]
        lines += [kept_line(each, entries) for each in ids[:MOST_FINDINGS]]
    return tuple(lines)


def _annotated(spans: Iterable[Span], text: str) -> list[Line]:
    pieces: list[Piece] = []
    done = 0
    for span in spans:
        if span.end > SHOWN_CHARS:
            break
        mark = MARKS[span.kind]
        pieces += [Piece(text[done : span.start]), Piece(text[span.start : span.end], mark.tone)]
        pieces.append(mark)
        done = span.end
    pieces.append(Piece(text[done : max(done, SHOWN_CHARS)]))
    lines = _split(pieces)
    if len(text) > max(done, SHOWN_CHARS):
        more = plural(len(text) - max(done, SHOWN_CHARS), "more character")
        lines.append(line(Piece(f"… {more}, checked but not drawn", "warning")))
    return lines


def _split(pieces: Iterable[Piece]) -> list[Line]:
    """The pieces as lines, split where the text has line ends."""
    lines: list[list[Piece]] = [[]]
    for text, tone in pieces:
        first, *others = text.split("\n")
        lines[-1].append(Piece(first, tone))
        lines += [[Piece(other, tone)] for other in others]
    return [tuple(each) for each in lines]


def _findings(found: Citations, allowlist: Allowlist) -> list[Line]:
    allowed = frozenset(allowlist.ids or ())
    entries = allowlist.entries
    if not found.spans:
        return [line(Piece("no reference in this text", "muted"))]
    lines = [line(MARKS["valid"], " ", *kept_line(each, entries)) for each in _head(found.valid)]
    for each in _head(found.rejected):
        why = "allowed, but not spelled [id:…]" if each in allowed else "may not be cited"
        why = "the trace is unknown" if allowlist.ids is None else why
        lines.append(line(MARKS["rejected"], " ", _id(each), Piece(f"  {why}", "muted")))
    for each in _head(found.suspect):
        why = "looks like a citation and is none"
        lines.append(line(MARKS["suspect"], " ", _id(each), Piece(f"  {why}", "muted")))
    return lines


def _head(ids: Collection[str]) -> tuple[str, ...]:
    return tuple(ids)[:MOST_FINDINGS]


def _id(document_id: str) -> Piece:
    shown = document_id if len(document_id) <= 60 else f"{document_id[:59]}…"
    return Piece(shown, "accent")


def in_rows(hidden: str, marks: Iterable[tuple[int, int, Kind]]) -> dict[int, list[RowMark]]:
    """Marks of an editor's text by the row they are in, a mark of several rows in each of them.

    Args:
        hidden: the text of the editor.
        marks: start, end and kind, by offset.

    """
    starts = [0]
    for text in hidden.split("\n"):
        starts.append(starts[-1] + len(text) + 1)
    rows: dict[int, list[RowMark]] = {}
    row = 0
    for start, end, kind in marks:
        while row + 1 < len(starts) and starts[row + 1] <= start:
            row += 1
        last = row
        while last < len(starts) - 1 and starts[last] < end:
            begin, limit = starts[last], starts[last + 1] - 1
            rows.setdefault(last, []).append((max(0, start - begin), min(end, limit) - begin, kind))
            last += 1
    return rows


RowMark = tuple[int, int, Kind]
"""First column, column behind the last, kind."""


def placed(
    spans: Iterable[Span], stretches: Iterable[tuple[int, int]]
) -> Iterable[tuple[int, int, Kind]]:
    """The spans of a text as marks of the editor, in which a stretch is one character.

    A span that reaches into a stretch is not drawn.

    Args:
        spans: spans of the text, by offset.
        stretches: place in the editor and length of each stretch, by place.

    """
    waiting = list(stretches)[::-1]
    shift = 0
    for start, end, kind, *_ in spans:
        while waiting and start >= waiting[-1][0] + shift + waiting[-1][1]:
            shift += waiting.pop()[1] - 1
        if waiting and end > waiting[-1][0] + shift:
            continue
        yield start - shift, end - shift, kind
