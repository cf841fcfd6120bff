"""How the commands write: safe text, JSON that no terminal obeys, and the exit codes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from enum import IntEnum

from memtui.text import display_text

_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)


class Exit(IntEnum):
    """What the exit code of a command says."""

    DONE = 0
    """Done."""
    NO = 1
    """Done, and the answer is no."""
    USAGE = 2
    """Wrong use or configuration."""
    SOURCE = 3
    """A required source failed."""
    INTERRUPTED = 130
    """Ctrl-C."""


class CommandError(Exception):
    """Ends a command with one line on stderr and an exit code."""

    def __init__(self, message: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.code = code


def write_line(text: str = "") -> None:
    """One line of data on stdout; text of files must have gone through :func:`shown` before."""
    sys.stdout.write(text + "\n")


def write_json(record: Mapping[str, object]) -> None:
    """One object on stdout, as UTF-8; characters that a terminal would obey are escaped."""
    text = json.dumps(record, ensure_ascii=False, indent=2)
    safe = _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    sys.stdout.flush()
    sys.stdout.buffer.write(safe.encode() + b"\n")


def narrate(message: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"memtui: {display_text(message)}\n")


def shown(text: str, width: int | None = None) -> str:
    """Text from outside as it may be printed, clipped to a number of characters."""
    safe = display_text(text if width is None else text[: 4 * width])
    if width is not None and len(safe) > width:
        return safe[: max(0, width - 1)] + "…"
    return safe
