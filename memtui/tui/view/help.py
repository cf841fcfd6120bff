"""The help as data: keys that work here and now first, then all others, then the marks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from memtui.tui.commands import COMMANDS, Command, Context, Place, Target, shown_key
from memtui.tui.view.fates import Fate
from memtui.tui.view.health import MARKS
from memtui.tui.view.pieces import Line, Piece, fitted, line

KEY_CELLS = 12
TITLE_CELLS = 33
LEAST_HELP_CELLS = 24


def help_lines(context: Context, keys: Mapping[str, Sequence[str]], width: int) -> tuple[Line, ...]:
    """The whole help.

    Args:
        context: where the user was.
        keys: the keys in force by command, where they differ from the registry's.
        width: cells of a line.

    """
    here = [command for command in COMMANDS if command.works(context)]
    others = [command for command in COMMANDS if not command.works(context)]
    lines: list[Line] = [line(Piece(f"Here and now: {_PLACES[context.place]}", "primary"))]
    for command in here:
        lines += _rows(command, keys, width)
    for group in dict.fromkeys(command.group for command in others):
        lines += [(), line(Piece(group, "primary"), Piece(", elsewhere", "muted"))]
        for command in others:
            if command.group == group:
                lines += _rows(command, keys, width)
    lines += [(), line(Piece("What became of a memory", "primary"))]
    for fate in Fate:
        lines += _wrapped(line(fate.glyph), fate.word, fate.value.meaning, width)
    lines += [(), line(Piece("What is wrong with a memory", "primary"))]
    for piece, word, meaning in MARKS:
        lines += _wrapped(line(piece), word, meaning, width)
    lines += [(), line(Piece("Where a candidate comes from", "primary"))]
    lines += _wrapped(line(Piece("L", "accent")), "lexical", "by its score", width)
    lines += _wrapped(line(Piece("R", "primary")), "recent", "by its age, from the reserve", width)
    return tuple(lines)


_PLACES = {
    Place.QUERY: "typing a query",
    Place.FILTER: "typing a filter",
    Place.LIST: "in a list",
    Place.INSPECTOR: "in the inspector",
    Place.WHY: "in the ladder",
    Place.TRACES: "among the traces",
    Place.TRACE: "reading a trace",
    Place.ANSWER: "typing an answer",
    Place.CITATIONS: "at the citations of an answer",
    Place.NOTICE: "reading a message",
    Place.DIALOG: "in a dialog",
}


def _rows(command: Command, keys: Mapping[str, Sequence[str]], width: int) -> list[Line]:
    shown = " ".join(shown_key(key) for key in keys.get(command.id, command.keys))
    key = line(Piece(shown, "accent")) if shown else line(Piece("in palette", "muted"))
    said = "" if command.target is Target.LIST and not command.footer else command.help
    return _wrapped(key, command.title, said, width)


def _wrapped(key: Line, title: str, said: str, width: int) -> list[Line]:
    """Key and title in columns, and the rest beside them or, where it is narrow, below."""
    head = (*fitted(key, KEY_CELLS), Piece(" "))
    room = width - KEY_CELLS - 1
    beside = room - TITLE_CELLS - 1
    if beside >= LEAST_HELP_CELLS:
        said_lines = textwrap.wrap(said, beside) or [""]
        indent = Piece(" " * (KEY_CELLS + TITLE_CELLS + 2))
        first = (*head, Piece(f"{title:<{TITLE_CELLS}} "), Piece(said_lines[0], "muted"))
        return [first, *((indent, Piece(rest, "muted")) for rest in said_lines[1:])]
    indent = Piece(" " * (KEY_CELLS + 1))
    below = textwrap.wrap(said, max(10, room))
    return [(*head, Piece(title)), *((indent, Piece(rest, "muted")) for rest in below)]
