"""``MEMORY.md`` as Claude Code loads it: which lines count, and where loading stops.

What counts is the text without frontmatter and without block-level HTML comments, trimmed. Of it
the first ``INDEX_LINES`` lines are loaded, and of these as many whole lines as fit in
``INDEX_BYTES``; a first line that does not fit alone is loaded in part.

- Frontmatter: a first line ``---`` up to the next line ``---``; without the second there is none.
  A byte-order mark does not count.
- A block-level comment begins a line, after at most three spaces and outside fenced code. It ends
  with the line that holds ``-->``; other text on that line counts, and where there is none the
  blank lines behind the comment go with it. A comment that is never closed counts, as does one
  behind other text.
- Lines end at LF alone. A carriage return counts as a byte, a byte that is no UTF-8 as U+FFFD.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from memtui.memory.links import Fences, blanked
from memtui.text import JS_SPACE, js_trim, utf8_bytes

INDEX_LINES = 200
"""Most lines of an index that are loaded."""
INDEX_BYTES = 25_000
"""Most UTF-8 bytes of an index that are loaded."""

Binds = Literal["bytes", "lines", "none"]

_COMMENT = re.compile(r" {0,3}<!--(?!-?>)")


class Line(NamedTuple):
    """A line that counts."""

    number: int
    """Its line in the file, from 1."""
    text: str
    """What of it counts."""
    column: int
    """Where in the line of the file that begins, from 0."""


class Cut(NamedTuple):
    """Where loading stops."""

    binds: Binds
    line: int | None = None
    """The last line of the file that is loaded, if not all are."""
    column: int | None = None
    """Where in that line, if not all of it is loaded."""

    def keeps(self, line: int, column: int) -> bool:
        """Whether what ends at a place in the file is loaded."""
        if self.line is None or line < self.line:
            return True
        return line == self.line and (self.column is None or column <= self.column)


def counted_lines(text: str) -> tuple[list[Line], str]:
    """The lines that count, and the whole text with spaces for what does not."""
    lines = text.split("\n")
    number = _after_frontmatter(lines)
    if text.startswith("\ufeff"):
        lines[0] = f" {lines[0][1:]}"
    counted: list[Line] = []
    shown = [blanked(line) for line in lines[:number]]
    fences = Fences()
    closing = _closing_lines(lines)
    while number < len(lines):
        line = lines[number]
        end = None if fences.hold(line) else _comment_end(lines, number, closing)
        if end is None:
            counted.append(Line(number + 1, line, 0))
            shown.append(line)
            number += 1
            continue
        rest, shape = _without_comments(lines[end], opened=end > number)
        shown += (*map(blanked, lines[number:end]), shape)
        number = end + 1
        if js_trim(rest):
            counted.append(Line(end + 1, rest, len(shape) - len(rest)))
            continue
        while number < len(lines) and not lines[number]:
            shown.append("")
            number += 1
    return _trimmed(counted), "\n".join(shown)


def _after_frontmatter(lines: list[str]) -> int:
    """How many lines the frontmatter takes."""
    if lines[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    return next((at + 1 for at, line in enumerate(lines) if at and line.rstrip() == "---"), 0)


def _closing_lines(lines: list[str]) -> list[int | None]:
    """For every line, the first one from it on that closes a comment."""
    closing: list[int | None] = [None] * (len(lines) + 1)
    for number in range(len(lines) - 1, -1, -1):
        closing[number] = number if "-->" in lines[number] else closing[number + 1]
    return closing


def _comment_end(lines: list[str], number: int, closing: list[int | None]) -> int | None:
    """The last line of the comment that begins a line; None if none does, or it is not closed."""
    line = lines[number]
    if not _COMMENT.match(line):
        return None
    return number if line.find("-->", line.index("<!--") + 4) >= 0 else closing[number + 1]


def _without_comments(line: str, *, opened: bool) -> tuple[str, str]:
    """A line without its comments, and with spaces for them; the first may have begun before it."""
    kept: list[str] = []
    shape: list[str] = []
    done = 0
    while True:
        start = done if opened else line.find("<!--", done)
        end = line.find("-->", start if opened else start + 4) if start >= 0 else -1
        if end < 0:
            break
        kept.append(line[done:start])
        shape += (line[done:start], " " * (end + 3 - start))
        done, opened = end + 3, False
    return "".join((*kept, line[done:])), "".join((*shape, line[done:]))


def _trimmed(lines: list[Line]) -> list[Line]:
    """The lines without white space at the begin and at the end of them all."""
    full = [at for at, line in enumerate(lines) if js_trim(line.text)]
    if not full:
        return []
    lines = lines[full[0] : full[-1] + 1]
    number, text, column = lines[0]
    lines[0] = Line(number, text.lstrip(JS_SPACE), column + len(text) - len(text.lstrip(JS_SPACE)))
    lines[-1] = lines[-1]._replace(text=lines[-1].text.rstrip(JS_SPACE))
    return lines


def find_cut(lines: list[Line]) -> Cut:
    """Where loading stops. The agent cuts after so many lines, and what is left at its bytes."""
    used = 0
    for count, line in enumerate(lines):
        if count == INDEX_LINES:
            return Cut("lines", lines[count - 1].number)
        used += utf8_bytes(line.text) + (count > 0)
        if used > INDEX_BYTES and count:
            return Cut("bytes", lines[count - 1].number)
        if used > INDEX_BYTES:
            head = line.text.encode("utf-8", "surrogatepass")[:INDEX_BYTES]
            return Cut("bytes", line.number, line.column + len(head.decode("utf-8", "ignore")))
    return Cut("none")
