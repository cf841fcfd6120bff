"""The odd files of the demo `broken`: what a repository can not or should not hold is made when the demo is laid out.

Invisible and dangerous characters are written as escapes here, so that this source shows what it contains.
"""

import os
from pathlib import Path
from typing import Final

from memtui.samples.composed import sheet
from memtui.samples.written import SampleFile, microseconds

TOO_LARGE_BYTES: Final = 1_048_576 + 512
"""Size of the file that is too large to be read, in bytes; the limit is 1,048,576."""
OUTSIDE: Final = "outside/private-notes.md"
"""A readable memory outside of every root, relative to the demo's folder; a symlink points at it."""

_INDEX_LINES: Final = 240
_LATE_LINKS: Final = 4


def odd_files() -> list[SampleFile]:
    """Regular files of the project scope with bytes that make trouble, each with an age of its own."""
    return [
        SampleFile("project/byte-order-mark.md", b"\xef\xbb\xbf" + _text(
            "Order numbers begin with the year",
            "Order numbers begin with two digits of the year since 2024",
            "project",
            "Saved by an editor on Windows that puts a byte-order mark in front of everything.",
        ), microseconds("30d 2h 5m")),
        SampleFile("reference/pasted-log.md", _too_large(), microseconds("24d 19h 50m")),
        SampleFile("reference/latin-1.md", _text(
            "Caf\xe9 in the old export",
            "The old export is Latin-1, its names come out as caf\xe9 and G\xf6teborg",
            "reference",
            "Convert it with iconv before anything else reads it: Malm\xf6, \xc5rhus, cr\xe8me.",
            encoding="latin-1",
        ), microseconds("77d 21h 46m")),
        SampleFile("project/windows-lines.md", _text(
            "Lines that end in two characters",
            "Written on Windows, every line ends with CR and LF",
            "project",
            "The reader turns CRLF into LF.\n\nIt is a valid memory otherwise.",
        ).replace(b"\n", b"\r\n"), microseconds("55d 17h 24m")),
        SampleFile("feedback/terminal-escapes.md", _text(
            "\x1b[31mRed title\x1b[0m \x1b]0;owned\x07 and a bell \x07",
            "Escapes: \x1b[2J clears, \x9b31m is C1, \x1b]52;c;b3duZWQ=\x07 copies, \x1b]8;;https://shop.example\x1b\\link\x1b]8;;\x1b\\",
            "feedback",
            "A screen wiped \x1b[2J\x1b[H here, a cursor hidden \x1b[?25l there, C1 \x9b2J and \x9d0;owned\x9c, a NUL \x00, "
            "a backspace \x08\x08\x08, a lone CR \rover it, a delete \x7f.\n\n"
            "**Why:** a log was pasted as it came from the terminal.\n**How to apply:** show controls, never send them.",
        ), microseconds("2d 20h 18m")),
        SampleFile("project/turned-around.md", _text(
            "Invoice \u202efdp.exe\u202c is turned around",
            "Bidi overrides: \u202eright to left\u202c, isolates \u2067abc\u2069, marks \u200f and \u200e",
            "project",
            "A file named invoice\u202efdp.exe came with a mail on 2026-02-20. \u0627\u0644\u0637\u0644\u0628 \u05d4\u05d6\u05de\u05e0\u05d4 are honest "
            "right-to-left words and stay readable.",
        ), microseconds("7d 18h 39m")),
        SampleFile("reference/invisible.md", _text(
            "Zero\u200bwidth\u200c and soft\u00adhyphen names",
            "Names with U+200B, U+2060, U+FEFF inside: re\u200blease, ro\u2060ll, ba\ufeffck",
            "reference",
            "Copied from a chat: the word re\u200blease does not match release. Line\u2028separator, next\u0085line, "
            "no-break\u00a0space, ideographic\u3000space, tag \U000e0041\U000e0042.",
        ), microseconds("36d 22h 55m")),
        SampleFile("user/combining.md", _text(
            "Wide: \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f3f3\ufe0f\u200d\U0001f308 \U0001f44d\U0001f3fd e\u0301 \u1112\u1161\u11ab",
            "Combining Z\u0335\u0321\u030d\u0301a\u0315\u034f\u0318l\u0337\u0322g\u0334\u0310o\u0321\u0344 and keycaps 1\ufe0f\u20e3, flags \U0001f1f1\U0001f1fb, decomposed cafe\u0301",
            "user",
            "Width is cells and not characters: \uff46\uff55\uff4c\uff4c, \u534a\u89d2 \uff76\uff80\uff76\uff85, \U0001d4d5\U0001d4ea\U0001d4f7\U0001d4ec\U0001d4ee, " + "o\u0308" * 12 + ".",
        ), microseconds("110d 23h 42m")),
        SampleFile("project/one-long-line.md", _text(
            "A line that does not end",
            "The body is one line of sixty thousand characters, a pasted JSON answer",
            "project",
            '{"rows":[' + ",".join(f'{{"sku":"C-{number:05d}","left":{number % 97}}}' for number in range(2_000)) + "]}",
        ), microseconds("13d 16h 27m")),
    ]  # fmt: skip


def broken_index(existing: list[str]) -> SampleFile:
    """An index that is too long: links to memories that are gone, some to real ones after the line where loading stops.

    `existing` are relative paths of documents, sorted; most of them get no link and are orphans.
    """
    linked = existing[: _LATE_LINKS * 2]
    facts = sheet().facts
    gone = [
        f"- [{_short(facts[number % len(facts)].lead)}](archive/{facts[number % len(facts)].slug}-{2019 + number // len(facts)}.md)"
        f" — {facts[number % len(facts)].topic}, as of {2019 + number // len(facts)}"
        for number in range(_INDEX_LINES - len(linked))
    ]
    early, late = linked[:_LATE_LINKS], linked[_LATE_LINKS:]
    lines = ["# Shop memory, grown over the years", "", *map(_link, early), *gone, *map(_link, late)]
    return SampleFile("MEMORY.md", ("\n".join(lines) + "\n").encode(), microseconds("1d 1h 1m"))


def make_special_files(root: Path, outside: Path) -> None:
    """Below `root`: a loop of symlinks, one that leads nowhere, one that leads out, a linked folder, and a FIFO.

    A system that can not make one of them, or does not permit it, goes without, in silence.
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


def private_notes() -> bytes:
    """The memory outside of the root."""
    return _text("Private notes", "Not part of any memory root", "user", "A symlink must not bring this into a recall.")


def _text(title: str, description: str, type_: str, body: str, encoding: str = "utf-8") -> bytes:
    """A flat memory file."""
    return f"---\nname: {title}\ndescription: {description}\ntype: {type_}\n---\n\n{body}\n".encode(encoding)


def _too_large() -> bytes:
    """A valid memory with a pasted log, a little over the limit."""
    head = _text("Log of the night of 11 February", "The whole log of search-2, pasted", "reference", "```")
    rows, size, number = [head], len(head), 0
    while size < TOO_LARGE_BYTES:
        row = f"2026-02-11T02:{number // 60 % 60:02d}:{number % 60:02d}Z search-2 slow query {number * 37 % 9_000} ms\n".encode()
        rows.append(row)
        size += len(row)
        number += 1
    return b"".join(rows)[:TOO_LARGE_BYTES]


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


def _short(lead: str) -> str:
    """A fact's first sentence as the title of something old: details left out."""
    return lead.split("{", 1)[0].strip(" .,") or "Old note"
