"""How the commands write: safe text, JSON that no terminal obeys, and the exit codes."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import TextIO

from memtui.text import UNSEEN, display_text

_UNSEEN = re.compile(UNSEEN)


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


def prepare_streams() -> None:
    """Lets any text be written to stdout and stderr, and nothing fail where a stream is closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def silence_stdout() -> None:
    """Lets the interpreter end without a second complaint about the closed pipe."""
    _silence(sys.stdout)


def _silence(stream: TextIO) -> None:
    """Gives up what could not be written; else the interpreter ends with a code of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def silence_stdout_if_stuck() -> None:
    """Does so only if what was written so far can not leave."""
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()


def write_line(text: str = "") -> None:
    """One line of data on stdout; text of files must have gone through :func:`shown` before."""
    sys.stdout.write(text + "\n")


def write_json(record: Mapping[str, object]) -> None:
    """One object on stdout, as UTF-8; characters that a terminal would obey are escaped."""
    text = json.dumps(record, ensure_ascii=False, indent=2)
    safe = _UNSEEN.sub(lambda match: json.dumps(match.group())[1:-1], text)
    sys.stdout.flush()
    sys.stdout.buffer.write(safe.encode() + b"\n")


def narrate(message: str) -> None:
    """One line on stderr, if anybody reads it."""
    try:
        sys.stderr.write(f"memtui: {display_text(message)}\n")
    except OSError:
        _silence(sys.stderr)


def narrate_warnings(warnings: Iterable[str]) -> None:
    """One line on stderr for each thing that was not as asked for."""
    for warning in warnings:
        narrate(f"warning: {warning}")


def clipped(text: str, width: int = 80) -> str:
    """Text that was typed, as a message may repeat it."""
    return text if len(text) <= width else text[: width - 1] + "…"


def shown(text: str, width: int | None = None) -> str:
    """Text from outside as it may be printed, clipped to a number of characters."""
    safe = display_text(text if width is None else text[: 4 * width])
    if width is not None and len(safe) > width:
        return safe[: max(0, width - 1)] + "…"
    return safe
