"""The help as data: keys that work here and now first, then all others, then the marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.tui.commands import COMMANDS, Command, Context, shown_key
from memtui.tui.view.fates import Fate
from memtui.tui.view.pieces import Line, Piece, line

KEY_CELLS = 14


def help_lines(context: Context, keys: Mapping[str, Sequence[str]]) -> tuple[Line, ...]:
    """The whole help.

    Args:
        context: where the user was.
        keys: the keys in force by command, where they differ from the registry's.

    """
    here = [command for command in COMMANDS if command.works(context)]
    others = [command for command in COMMANDS if not command.works(context)]
    lines: list[Line] = [line(Piece(f"Here and now ({context.place})", "primary"))]
    lines += [_row(command, keys) for command in here]
    for group in dict.fromkeys(command.group for command in others):
        lines += [(), line(Piece(group, "primary"), Piece("  elsewhere", "muted"))]
        lines += [_row(command, keys) for command in others if command.group == group]
    lines += [(), line(Piece("What became of a memory", "primary"))]
    lines += [
        line(fate.glyph, f" {fate.word:<{KEY_CELLS - 2}}", Piece(fate.value.meaning, "muted"))
        for fate in Fate
    ]
    lines += [
        (),
        line(
            Piece("L", "accent"), f"{'':<{KEY_CELLS - 1}}", Piece("a candidate by score", "muted")
        ),
        line(Piece("R", "primary"), f"{'':<{KEY_CELLS - 1}}", Piece("a candidate by age", "muted")),
    ]
    return tuple(lines)


def _row(command: Command, keys: Mapping[str, Sequence[str]]) -> Line:
    shown = " ".join(shown_key(key) for key in keys.get(command.id, command.keys))
    return line(
        Piece(f"{shown or 'palette':<{KEY_CELLS}}", "accent"),
        f"{command.title}  ",
        Piece(command.help, "muted"),
    )
