"""Appends a case to a JSONL file of the user's choice, never into a memory tree."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.evaluate import Case, CaseError, case_line
from memtui.evaluate.cases import BUILT_IN, can_be_a_path, read_cases
from memtui.memory.document import Document, Pool, SkippedFile
from memtui.memory.probe import root_around
from memtui.text import cut, fold

MOST_ID_CHARS = 48


class CaseFileError(Exception):
    """Nothing was written. ``str()`` is one clear line."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A case that is in a file."""

    path: Path
    """The file."""
    case: Case
    """The case with its id in that file."""
    cases: int
    """Cases that the file holds now."""
    new: bool
    """False if the same case was there before."""


def case_of(
    query: str, entry: Document | SkippedFile, pool: Pool, pool_name: str, tools: Sequence[str]
) -> Case:
    """The case that the memory should be recalled for the query."""
    return Case("", query, (name_in(pool, entry),), pool_name, tuple(tools))


def name_in(pool: Pool, entry: Document | SkippedFile) -> str:
    """What a case calls a memory: its relative path, with the scope where two share it."""
    everything: tuple[Document | SkippedFile, ...] = (
        *pool.documents,
        *pool.skipped,
        *pool.excluded,
        *pool.beyond,
    )
    same = [each for each in everything if each.relative_path == entry.relative_path]
    if len(same) > 1:
        return f"{entry.scope}/{entry.relative_path}"
    return entry.relative_path


def append_case(typed: str, case: Case, roots: Sequence[str]) -> Saved:
    """Appends a case to the file that was typed, which may be new; the rest of it stays as it is.

    Args:
        typed: a path; ``~`` is the home directory.
        case: without an id, which is made from the query.
        roots: memory roots, in which nothing is ever written.

    Raises:
        CaseFileError: no path, a path in a memory root, a file that holds no cases or that is no
            list of lines, or one that can not be written.

    """
    path = _checked(typed, roots)
    known = _known(path)
    same = next(
        (each for each in known if replace(each, id="", note="", category="") == case), None
    )
    if same is not None:
        return Saved(path, same, len(known), False)
    case = replace(case, id=_free_id(case.query, {each.id for each in known}))
    try:
        _append(path, case_line(case).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CaseFileError(f"{path} can not be written: {error.strerror}") from None
    return Saved(path, case, len(known) + 1, True)


def _checked(typed: str, roots: Sequence[str]) -> Path:
    if not typed.strip():
        raise CaseFileError("type the path of a file")
    if typed.strip() in BUILT_IN:
        raise CaseFileError(f"{typed.strip()} comes with memtui and is not written to")
    if not can_be_a_path(typed):
        raise CaseFileError("no file can have this name")
    path = Path(os.path.expanduser(typed.strip())).absolute()
    if (root := root_around(str(path), roots)) is not None:
        raise CaseFileError(f"memtui never writes in a memory store: {root}")
    if os.path.isdir(path):
        raise CaseFileError(f"{path} is a folder")
    if os.path.exists(path) and not os.path.isfile(path):
        raise CaseFileError(f"{path} is no regular file")
    return path


def _known(path: Path) -> tuple[Case, ...]:
    """The cases of a file that is there; none of a new or an empty one."""
    try:
        with path.open("rb") as file:
            head = file.read(4_096).lstrip()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise CaseFileError(f"{path} can not be read: {error.strerror}") from None
    if not head and not path.stat().st_size:
        return ()
    if head.removeprefix(b"\xef\xbb\xbf").startswith(b"["):
        raise CaseFileError(f"{path} is a JSON array; a case is appended to JSON lines only")
    try:
        return read_cases(str(path)).cases
    except CaseError as error:
        raise CaseFileError(f"{path} holds no cases: {error.problems[0]}") from None


def _append(path: Path, content: bytes) -> None:
    """One write at the end of the file, on a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                content = b"\n" + content
        file.write(content)


def _free_id(query: str, taken: set[str]) -> str:
    """An id from the words of the query that no case of the file has."""
    words = re.sub(r"[^\w]+", "-", fold(query)).strip("-_")
    stem = cut(words, MOST_ID_CHARS).strip("-_") or "blank"
    free, number = stem, 2
    while free in taken:
        free = f"{stem}-{number}"
        number += 1
    return free
