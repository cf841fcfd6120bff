"""Labelled cases: a query, and the memories that it should bring into the context."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memtui.samples.written import sample_folder

MOST_FILE_BYTES = 256 * 1024 * 1024
BUILT_IN = ("demo",)
"""Names of case files that come with memtui."""

_TEXTS = ("pool", "category", "note")
_LISTS = ("relevant", "recent_tools")
_KEYS = ("id", "query", *_LISTS, *_TEXTS)
_SHOWN = 60
_MOST_KEYS = 5
"""Unknown keys of one case that are named."""


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled query."""

    id: str
    """Unique in its file."""
    query: str
    """What is asked; may be blank."""
    relevant: tuple[str, ...]
    """Ids or relative paths of what should be recalled, none twice; empty if nothing should be."""
    pool: str = ""
    """A demo or a folder to ask in; empty for the roots of the command."""
    recent_tools: tuple[str, ...] = ()
    """Tools in use, beside those of the command."""
    category: str = ""
    """What it is a case of."""
    note: str = ""
    """A remark for people."""
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file, from 1; None where it is of no file."""

    def as_json(self) -> dict[str, object]:
        """The case as it stands in a file, without what is empty."""
        record: dict[str, object] = {
            "id": self.id,
            "query": self.query,
            "relevant": list(self.relevant),
            "pool": self.pool,
            "recent_tools": list(self.recent_tools),
            "category": self.category,
            "note": self.note,
        }
        needed = ("id", "query", "relevant")
        return {key: value for key, value in record.items() if value or key in needed}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with a case file, at a place in it."""

    text: str
    """What, in one line."""
    line: int | None = None
    """Where, from 1; None where it belongs to no line."""

    def __str__(self) -> str:
        return self.text if self.line is None else f"line {self.line:,}: {self.text}"


class CaseError(ValueError):
    """The cases can not be used. ``problems`` holds everything that is wrong, in order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def problem_of(case: Case, text: str) -> Problem:
    """What is wrong with a case that can be read: it is named, beside its line."""
    name = case.id if len(case.id) <= _SHOWN else case.id[: _SHOWN - 1] + "…"
    return Problem(f"case {name}: {text}", case.line)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of one file."""

    name: str
    """Its base name."""
    folder: str
    """Absolute path of the folder that relative pools start from."""
    sha256: str
    """Of its bytes, in hex."""
    cases: tuple[Case, ...]
    """In the order of the file."""


def read_cases(name: str) -> CaseFile:
    """Reads a case file: a path, or the name of one that comes with memtui (``demo``).

    Raises:
        CaseError: it can not be read, or a case in it is malformed; every problem with its line.

    """
    path = built_in_path(name) if name in BUILT_IN else Path(os.path.expanduser(name))
    try:
        content = read_at_most(path)
    except UnusableFile as error:
        raise CaseError([Problem(f"it can not be read: {error}")]) from None
    if name in BUILT_IN:  # a checkout on another system may have other line ends
        content = content.replace(b"\r\n", b"\n")
    return CaseFile(
        name=path.name,
        folder=os.path.dirname(os.path.abspath(path)),
        sha256=hashlib.sha256(content).hexdigest(),
        cases=parse_cases(content),
    )


class UnusableFile(Exception):
    """A file can not be read. ``str()`` says why, in a few words."""


def read_at_most(path: Path) -> bytes:
    """The bytes of a file of any kind; one without an end, as a device, is refused.

    Raises:
        UnusableFile: it can not be read, or holds more than ``MOST_FILE_BYTES``.

    """
    if not can_be_a_path(str(path)):
        raise UnusableFile("no file can have this name")
    try:
        with path.open("rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise UnusableFile(str(error.strerror)) from None
    if len(content) > MOST_FILE_BYTES:
        raise UnusableFile(f"it holds more than {MOST_FILE_BYTES:,} bytes")
    return content


def can_be_a_path(text: str) -> bool:
    """Whether the system could have a file of this name."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def built_in_path(name: str) -> Path:
    """Where a case file that comes with memtui lies."""
    return sample_folder() / "cases" / f"{name}.jsonl"


def case_line(case: Case) -> str:
    """The case as one line of a JSONL file, with its line end."""
    return json.dumps(case.as_json(), ensure_ascii=False) + "\n"


def parse_cases(content: bytes) -> tuple[Case, ...]:
    """The cases in the bytes of a JSON array or of JSON lines.

    Raises:
        CaseError: with every problem.

    """
    text = _decoded(content)
    problems: list[Problem] = []
    cases: list[Case] = []
    lines: dict[str, int] = {}
    for line, value in _values(text, problems):
        found = _problems_of(value)
        if found:
            problems += (Problem(each, line) for each in found)
            continue
        case = _case(value, line)
        if case.id in lines:
            problems.append(Problem(f"id {case.id!r} is taken by line {lines[case.id]:,}", line))
        lines.setdefault(case.id, line)
        cases.append(case)
    if not cases and not problems:
        problems.append(Problem("there is no case in it"))
    if problems:
        raise CaseError(problems)
    return tuple(cases)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise CaseError([Problem("no UTF-8", line)]) from None


def _values(text: str, problems: list[Problem]) -> Iterator[tuple[int, object]]:
    """Every value with its line; what can not be read goes to ``problems``."""
    if text.lstrip().startswith("["):
        yield from _values_of_array(text, problems)
        return
    yield from _values_of_lines(text, problems)


def _values_of_lines(text: str, problems: list[Problem]) -> Iterator[tuple[int, object]]:
    """The values of JSON lines, each with its line."""
    place, number = 0, 1
    while place < len(text):
        end = _line_end(text, place)
        line = text[place:end].strip()
        try:
            if line:
                yield number, _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            last = _end_of_value(text, place)
            if last > end:
                end = _line_end(text, last)
                what = "one case over several lines: give it one line, or make the file an array"
            else:
                what = f"no JSON: {_complaint(error)}"
            problems.append(Problem(what, number))
        number += text.count("\n", place, end) + 1
        place = end + 1


def _line_end(text: str, place: int) -> int:
    found = text.find("\n", place)
    return len(text) if found < 0 else found


def _end_of_value(text: str, place: int) -> int:
    """Where the value that begins here ends, whatever follows; ``place`` if there is none."""
    try:
        return _DECODER.raw_decode(text, _after_space(text, place))[1]
    except (ValueError, RecursionError):
        return place


_SPACE = re.compile(r"[ \t\r\n]*")


def _values_of_array(text: str, problems: list[Problem]) -> Iterator[tuple[int, object]]:
    """The elements of a JSON array, each with the line where it begins."""
    place = _after_space(text, text.index("[") + 1)
    empty = text[place : place + 1] == "]"
    line, counted = 1, 0
    while not empty:
        line += text.count("\n", counted, place)
        counted = place
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "lineno", line)
            problems.append(Problem(f"no JSON: {_complaint(error)}", at))
            return
        yield line, value
        place = _after_space(text, end)
        if text[place : place + 1] != ",":
            break
        place = _after_space(text, place + 1)
    line = text.count("\n", 0, place) + 1
    if text[place : place + 1] != "]":
        problems.append(Problem("no JSON: the array wants , or ] here", line))
    elif text[place + 1 :].strip():
        problems.append(Problem("no JSON: something follows the array", line))


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _complaint(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        more = "; a line holds one case" if error.msg == "Extra data" else ""
        return f"{error.msg} (column {error.colno:,}){more}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {_clipped(key)} stands twice in one object")
        found[key] = value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def _problems_of(value: object) -> list[str]:
    """Everything that is wrong with the value of one case."""
    if not isinstance(value, dict):
        return [f"a case is an object, not {_kind(value)}"]
    found = [f"{key} is missing" for key in ("id", "query", "relevant") if key not in value]
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        names = ", ".join(map(_clipped, unknown[:_MOST_KEYS]))
        names += ", …" if len(unknown) > _MOST_KEYS else ""
        found.append(f"no such key: {names}; there are: {', '.join(_KEYS)}")
    for key in ("id", "query", *_TEXTS):
        given = value.get(key)
        optional = key in _TEXTS and given is None
        if key in value and not isinstance(given, str) and not optional:
            found.append(f"{key} is a text, not {_kind(given)}")
    if value.get("id") == "":
        found.append("id is empty")
    for key in _LISTS:
        given = value.get(key, [])
        if not isinstance(given, list):
            found.append(f"{key} is a list of texts, not {_kind(given)}")
        elif not all(isinstance(each, str) and each for each in given):
            wrong = next(each for each in given if not isinstance(each, str) or not each)
            found.append(f"{key} is a list of texts that are not empty, and holds {_kind(wrong)}")
    return found


def _case(value: object, line: int) -> Case:
    assert isinstance(value, dict)
    fields: Mapping[str, object] = {key: each for key, each in value.items() if each is not None}
    unique = {key: tuple(dict.fromkeys(value.get(key, ()))) for key in _LISTS}
    return Case(**{**fields, **unique}, line=line)  # type: ignore[arg-type]


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return "a text" if value else "an empty one"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else "a number"


def _clipped(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
