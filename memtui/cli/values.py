"""Words of a command line as values: queries, times, and pairs of a name and a number."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from memtui.cli.output import CommandError, clipped

LATEST_MS = 8_640_000_000_000_000
"""The latest time of JavaScript's clock, and with a minus the earliest: epoch milliseconds."""
_MOST_DIGITS = 20


def as_query(typed: str) -> str:
    """A query as it was typed, in UTF-8 even where the locale says that words are ASCII."""
    return os.fsencode(typed).decode("utf-8", "surrogateescape")


def parse_time(text: str, option: str = "--now") -> float:
    """Epoch milliseconds from ISO-8601 (UTC if it names no zone) or a number of milliseconds.

    Raises:
        CommandError: it is neither.

    """
    time_ms = float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else _from_iso(text)
    if not abs(time_ms) <= LATEST_MS:
        raise CommandError(
            f"{option} wants a time like 2026-03-02T09:00:00Z or epoch milliseconds, "
            f"not {clipped(text)!r}"
        )
    return time_ms


def _from_iso(text: str) -> float:
    """Epoch milliseconds, not a number where the text is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.timestamp() * 1000


def pair(option: str, text: str) -> tuple[str, str]:
    """The name and the value of ``NAME=VALUE``.

    Raises:
        CommandError: there is no ``=``.

    """
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"{option} wants NAME=VALUE, not {clipped(text)!r}")
    return name.strip(), value.strip()


def whole_numbers(option: str, texts: tuple[str, ...]) -> Mapping[str, int]:
    """Names with whole numbers from ``NAME=VALUE``, in which ``_`` and ``,`` may group digits.

    Raises:
        CommandError: one is no such pair, or its value no whole number.

    """
    values: dict[str, int] = {}
    for text in texts:
        name, value = pair(option, text)
        if not (number := re.fullmatch(r"(-?)([0-9][0-9_,]*)", value)):
            raise CommandError(f"{option} {name} must be a whole number, not {clipped(value)!r}")
        digits = re.sub("[,_]", "", number[2]).lstrip("0")
        values[name] = int(number[1] + (digits[:_MOST_DIGITS] or "0"))
    return values
