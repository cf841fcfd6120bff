"""The footer as data: hints that work here and now, help and quit always among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memtui.tui.commands import Command, Context, hints, key_at
from memtui.tui.view.pieces import Line, Piece, width_of

MOST_HINTS = 6


@dataclass(frozen=True, slots=True)
class Hint:
    """One command in the footer."""

    command: Command
    """What a click runs."""
    pieces: Line
    """Key and word."""
    left: int
    """The cell at which it begins."""

    @property
    def right(self) -> int:
        """The cell after its last one."""
        return self.left + width_of(self.pieces)


def footer(context: Context, width: int, keys: Mapping[str, Sequence[str]]) -> tuple[Hint, ...]:
    """The hints with their places: as many as fit, those of help and quit at the right.

    Args:
        context: where the user is.
        width: cells.
        keys: the keys in force by command, where they differ from the registry's.

    """
    placed: tuple[Hint, ...] = ()
    for most, words in _forms():
        placed = _placed(hints(context, most), context, keys, width, words)
        if placed and placed[-1].right <= width and not _overlap(placed):
            break
    return placed


def drawn_hints(placed: Sequence[Hint]) -> Line:
    """The footer as one line."""
    pieces: list[Piece] = []
    done = 0
    for hint in placed:
        pieces += [Piece(" " * (hint.left - done)), *hint.pieces]
        done = hint.right
    return tuple(pieces)


def _forms() -> Iterator[tuple[int, bool]]:
    """How many hints, and whether with words, from the richest to the shortest."""
    for most in range(MOST_HINTS, 1, -1):
        yield most, True
    yield 2, False


def _placed(
    commands: Sequence[Command],
    context: Context,
    keys: Mapping[str, Sequence[str]],
    width: int,
    words: bool,
) -> tuple[Hint, ...]:
    shown = [
        (command, _pieces(command, key_at(command, context.place, keys.get(command.id)), words))
        for command in commands
    ]
    placed: list[Hint] = []
    left = 1 if words else 0
    for command, pieces in shown:
        if not command.fixed:
            placed.append(Hint(command, pieces, left))
            left += width_of(pieces) + 2
    fixed = [(command, pieces) for command, pieces in shown if command.fixed]
    gap = 2 if words else 1
    needed = sum(width_of(pieces) for _, pieces in fixed) + gap * (len(fixed) - 1)
    left = max(left, width - needed - (1 if words else 0))
    for command, pieces in fixed:
        placed.append(Hint(command, pieces, left))
        left += width_of(pieces) + gap
    return tuple(placed)


def _pieces(command: Command, key: str, words: bool) -> Line:
    if not words:
        return (Piece(key, "accent"),)
    return (Piece(key, "accent"), Piece(f" {command.hint}"))


def _overlap(placed: Sequence[Hint]) -> bool:
    return any(one.right > other.left for one, other in pairwise(placed))
