"""The odd files of the demo `broken`: what a repository can not or should not hold.

They are made when the demo is laid out: bytes that are no UTF-8, control characters, a file that
is too large, symlinks that lead nowhere or outside, a FIFO.
"""

import os
import tomllib
from pathlib import Path
from typing import Final

from memtui.samples.composed import sheet
from memtui.samples.written import SampleFile, microseconds, sample_folder

TOO_LARGE_BYTES: Final = 1_048_576 + 512
"""Size in bytes of the file that is too large to be read; the limit is 1,048,576."""
OUTSIDE: Final = "outside/private-notes.md"
"""A memory outside of every root, relative to the demo's folder; a symlink points at it."""

_INDEX_LINES: Final = 240
_LATE_LINKS: Final = 4


def odd_files() -> list[SampleFile]:
    """Regular files of the project scope that make trouble, each with an age of its own."""
    table = sample_folder() / "broken" / "odd.toml"
    rows: list[dict[str, str]] = tomllib.loads(table.read_text(encoding="utf-8"))["file"]
    files = [SampleFile(row["path"], _content(row), microseconds(row["age"])) for row in rows]
    files.append(SampleFile("reference/pasted-log.md", _too_large(), microseconds("24d 19h 50m")))
    long_line = SampleFile("project/one-long-line.md", _long_line(), microseconds("13d 16h 27m"))
    return [*files, long_line]


def broken_index(existing: list[str]) -> SampleFile:
    """An index that is too long: most links lead to memories that are gone.

    `existing` are relative paths of documents, sorted. Four are linked at the top, four after
    line 200, where loading stops; the others are orphans.
    """
    early, late = existing[:_LATE_LINKS], existing[_LATE_LINKS : 2 * _LATE_LINKS]
    gone = [_gone(number) for number in range(_INDEX_LINES - 2 * _LATE_LINKS)]
    head = "# Shop memory, grown over the years"
    lines = [head, "", *map(_link, early), *gone, *map(_link, late)]
    return SampleFile("MEMORY.md", ("\n".join(lines) + "\n").encode(), microseconds("1d 1h 1m"))


def make_special_files(root: Path, outside: Path) -> None:
    """Make symlinks and a FIFO below `root`.

    A loop of two, one that leads nowhere, one that leads to `outside`, a linked folder. A system
    that can not make one of them, or does not permit it, goes without, in silence.
    """
    _symlink(root / "reference" / "loop-a.md", "loop-b.md")
    _symlink(root / "reference" / "loop-b.md", "loop-a.md")
    _symlink(root / "project" / "renamed-runbook.md", "renamed-runbook-2024.md")
    _symlink(root / "user" / "private-notes.md", os.path.relpath(outside, root / "user"))
    _symlink(root / "linked-folder", os.path.relpath(outside.parent, root), folder=True)
    make_fifo = getattr(os, "mkfifo", None)
    if make_fifo is not None:
        try:
            make_fifo(root / "project" / "agent-pipe.md")
        except OSError:
            return


def private_notes() -> SampleFile:
    """The memory outside of the roots, with its path in the demo's folder."""
    text = _text("Private notes", "Not part of any root", "user", "No recall may bring this in.")
    return SampleFile(OUTSIDE, text.encode(), microseconds("300d"))


def _content(row: dict[str, str]) -> bytes:
    """The bytes of one row of the table."""
    text = _text(row["title"], row["description"], row["type"], row["body"].lstrip("\n"))
    return text.replace("\n", row.get("line_end", "\n")).encode(row.get("encoding", "utf-8"))


def _text(title: str, description: str, type_: str, body: str) -> str:
    """A flat memory file."""
    return f"---\nname: {title}\ndescription: {description}\ntype: {type_}\n---\n\n{body}\n"


def _too_large() -> bytes:
    """A memory with a pasted log, a little over the limit."""
    title, description = "Log of the night of 11 February", "The whole log of search-2, pasted"
    rows = [_text(title, description, "reference", "```").encode()]
    size, second = len(rows[0]), 0
    while size < TOO_LARGE_BYTES:
        time = f"2026-02-11T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
        rows.append(f"{time} search-2 slow query {second * 37 % 9_000} ms\n".encode())
        size += len(rows[-1])
        second += 1
    return b"".join(rows)[:TOO_LARGE_BYTES]


def _long_line() -> bytes:
    """A memory whose body is one line of about sixty thousand characters."""
    rows = (f'{{"sku":"C-{number:05d}","left":{number % 97}}}' for number in range(2_000))
    description = "The body is one line of sixty thousand characters, a pasted JSON answer"
    body = f'{{"rows":[{",".join(rows)}]}}'
    return _text("A line that does not end", description, "project", body).encode()


def _symlink(link: Path, target: str, *, folder: bool = False) -> None:
    """Make a symlink where the system permits it."""
    link.parent.mkdir(parents=True, exist_ok=True)
    try:
        link.symlink_to(target, target_is_directory=folder)
    except (OSError, NotImplementedError):
        return


def _link(path: str) -> str:
    """An index line for a memory that is there."""
    name = path.rsplit("/", 1)[-1].removesuffix(".md").replace("-", " ")
    return f"- [{name}]({path}) — still true"


def _gone(number: int) -> str:
    """An index line for a memory that is not there any more."""
    facts = sheet().facts
    fact, year = facts[number % len(facts)], 2022 + number // len(facts)
    name = fact.slug.replace("-", " ")
    return f"- [{name}, {year}](archive/{fact.slug}-{year}.md) — {fact.topic}"
