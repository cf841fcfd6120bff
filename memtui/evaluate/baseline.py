"""An earlier run, read back from what ``memtui eval --json`` printed, every field of it checked:
a comparison must not stand on a file that somebody cut, merged or edited.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from memtui.evaluate.cases import UnusableFile, read_at_most
from memtui.evaluate.deltas import Side
from memtui.evaluate.record import SCHEMA

_SHOWN = 60


class BaselineError(ValueError):
    """A baseline can not be used. ``str()`` is one clear line."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run."""

    sides: tuple[Side, ...]
    """Its configurations."""
    source: Mapping[str, object]
    """Where its cases came from."""
    partial: bool
    """Whether it was interrupted."""


def read_baseline(path: str) -> Baseline:
    """Reads what ``memtui eval --json`` printed before.

    Raises:
        BaselineError: the file can not be read, or is something else.

    """
    try:
        content = read_at_most(Path(os.path.expanduser(path)))
        record = json.loads(content, parse_constant=_no_number)
    except UnusableFile as error:
        raise BaselineError(f"{path} can not be read: {error}") from None
    except RecursionError:
        raise BaselineError(f"{path} is no JSON: nested too deep") from None
    except ValueError as error:
        raise BaselineError(f"{path} is no JSON: {error}") from None
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        raise BaselineError(
            f"{path} is no output of memtui eval --json: its schema is {str(schema)[:_SHOWN]!r}"
        )
    try:
        source = record.get("source") or {}
        return Baseline(
            _sides(record.get("configurations")),
            _object(source, "source"),
            bool(record.get("partial")),
        )
    except ValueError as error:
        raise BaselineError(
            f"{path} lacks what a baseline needs: {error}; make it again with memtui eval --json"
        ) from None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _sides(value: object) -> tuple[Side, ...]:
    configurations = _list(value, "configurations")
    if not configurations:
        raise ValueError("there is no configuration")
    sides: dict[str, Side] = {}
    for number, each in enumerate(configurations, start=1):
        record = _object(each, f"configuration {number}")
        name = _text(record.get("name"), f"the name of configuration {number}")
        if name in sides:
            raise ValueError(f"the configuration {name[:_SHOWN]!r} stands there twice")
        sides[name] = _side(name, record)
    return tuple(sides.values())


def _side(name: str, record: Mapping[str, object]) -> Side:
    results: dict[str, Mapping[str, object]] = {}
    for place, each in enumerate(_list(record.get("results"), "results"), start=1):
        result = _object(each, f"result {place}")
        case = _text(result.get("id"), f"the id of result {place}")
        if case in results:
            raise ValueError(f"the case {case[:_SHOWN]!r} stands there twice")
        try:
            results[case] = _checked(result)
        except ValueError as error:
            raise ValueError(f"case {case[:_SHOWN]!r}: {error}") from None
    return Side.of({"name": name, "results": list(results.values())})


def _checked(result: Mapping[str, object]) -> dict[str, object]:
    """A result with the fields that a comparison reads, each of its kind.

    Raises:
        ValueError: a field is missing, or of another kind.

    """
    ranks = _object(result.get("ranks"), "ranks")
    lost = _object(result.get("lost"), "lost")
    shown = result.get("shown")
    if not all(rank is None or _is_count(rank, least=1) for rank in ranks.values()):
        raise ValueError("a rank is no whole number from 1")
    if not all(isinstance(each, str) for each in lost.values()) or not lost.keys() <= ranks.keys():
        raise ValueError("lost is no verdict on what is relevant")
    if not _is_count(shown, least=0):
        raise ValueError("shown is no whole number")
    shares = ("manifest_recall", "context_recall") if ranks else ("silent",)
    for name in shares:
        value = result.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ValueError(f"{name} is no number from 0 to 1")
    return {
        "id": result["id"],
        "category": _text(result.get("category", ""), "category"),
        "first_rank": min((each for each in ranks.values() if isinstance(each, int)), default=None),
        "ranks": ranks,
        "lost": lost,
        "shown": shown,
        **{name: result[name] for name in shares},
    }


def _is_count(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{what} is missing, or no list")
    return value


def _object(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is missing, or no object")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} is missing, or no text")
    return value
