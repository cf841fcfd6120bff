"""Lines of styled text as data: pieces with a tone, measured and cut in terminal cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len, set_cell_size

from memtui.text import display_line

Tone = Literal[
    "plain", "strong", "muted", "primary", "accent", "success", "warning", "error", "match"
]
"""What a piece of text means; a theme gives it a colour, and no meaning rests on colour alone."""

TONES: tuple[Tone, ...] = (
    "plain",
    "strong",
    "muted",
    "primary",
    "accent",
    "success",
    "warning",
    "error",
    "match",
)
"""Every tone."""

ELLIPSIS = "…"


class Piece(NamedTuple):
    """Some text of one tone. The text may be raw: whatever draws it makes it safe first."""

    text: str
    tone: Tone = "plain"


Line = tuple[Piece, ...]
"""One line, from left to right."""


def line(*parts: str | Piece) -> Line:
    """A line of plain strings and pieces."""
    return tuple(part if isinstance(part, Piece) else Piece(part) for part in parts)


def safe(pieces: Iterable[Piece]) -> Line:
    """The pieces as they may be shown: one line, no control character, nothing empty."""
    return tuple(Piece(display_line(text), tone) for text, tone in pieces if text)


def text_of(pieces: Iterable[Piece]) -> str:
    """The bare text of a line."""
    return "".join(piece.text for piece in pieces)


def width_of(pieces: Iterable[Piece]) -> int:
    """The width of a line that is safe to show, in cells."""
    return sum(cell_len(piece.text) for piece in pieces)


def clip(pieces: Sequence[Piece], width: int) -> Line:
    """A safe line cut to ``width`` cells, with an ellipsis where something is missing."""
    if width_of(pieces) <= width:
        return tuple(pieces)
    kept: list[Piece] = []
    room = width - 1
    for text, tone in pieces:
        size = cell_len(text)
        if size > room:
            head = _head(text, room)
            return (*kept, Piece(head + ELLIPSIS, tone)) if width > 0 else ()
        kept.append(Piece(text, tone))
        room -= size
    return tuple(kept)


def fitted(pieces: Sequence[Piece], width: int, *, right: bool = False) -> Line:
    """A safe line cut or padded to exactly ``width`` cells."""
    cut = clip(pieces, width)
    space = width - width_of(cut)
    if space <= 0:
        return cut
    padding = Piece(" " * space)
    return (padding, *cut) if right else (*cut, padding)


def richest(options: Iterable[Line], width: int) -> Line:
    """The first of the options that fits in ``width`` cells; the last one, cut, if none does."""
    shown: Line = ()
    for option in options:
        shown = safe(option)
        if width_of(shown) <= width:
            return shown
    return clip(shown, width)


def _head(text: str, room: int) -> str:
    """The start of a text in at most ``room`` cells, without padding."""
    if room <= 0:
        return ""
    head = set_cell_size(text, room)
    while head and not text.startswith(head):
        head = head[:-1]
    return head
