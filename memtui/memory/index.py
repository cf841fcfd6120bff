"""``MEMORY.md`` measured as Claude Code loads it: how much counts, where loading stops, what is lost.

What counts is the text without frontmatter and without block-level HTML comments, trimmed. Of it the
first ``INDEX_LINES`` lines are loaded, and of these as many whole lines as fit in ``INDEX_BYTES``; a
first line that does not fit alone is loaded in part.

- Frontmatter: a first line ``---`` up to the next line ``---``; without the second there is none. A
  byte-order mark does not count.
- A block-level comment begins a line, after at most three spaces and outside fenced code. It ends
  with the line that holds ``-->``; other text on that line counts, and where there is none the blank
  lines behind the comment go with it. A comment that is never closed counts, as does one in a line.
- Lines end at LF alone. A carriage return counts as a byte, a byte that is no UTF-8 as U+FFFD.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memtui.limits import Limits
from memtui.memory.dialects import decode
from memtui.memory.document import Pool, Scope
from memtui.memory.links import (
    Fences,
    Link,
    Names,
    blanked,
    linked_path,
    markdown_links,
    names_of,
    wikilink_names,
    wikilinks,
    without_code,
)
from memtui.text import JS_SPACE, cut, js_trim, utf8_bytes

INDEX_LINES = 200
"""Most lines of an index that are loaded."""
INDEX_BYTES = 25_000
"""Most UTF-8 bytes of an index that are loaded."""

Binds = Literal["bytes", "lines", "none"]
Leads = Literal["document", "file", "missing", "outside"]

_FILE_BYTES = Limits().file_bytes
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A link of an index to a file: a markdown link or a wikilink, outside code and comments."""

    line: int
    """Its line in the file, from 1."""
    label: str
    """The words that are shown for it."""
    target: str
    """Where it leads, as written."""
    leads: Leads
    """To a memory, to another file, to none that is there, or out of the root."""
    paths: tuple[str, ...]
    """Relative paths of what it leads to: one, or every memory that a wikilink may mean."""
    loaded: bool
    """Whether it stands before the cut."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How an index is loaded, and what it leads to."""

    path: str
    """Absolute path of the index."""
    scope: Scope
    """The scope it belongs to."""
    lines: int
    """Lines that count."""
    bytes: int
    """UTF-8 bytes that count."""
    binds: Binds
    """The limit at which loading stops: ``bytes`` also where there are too many lines, if the bytes
    are used up before; ``none`` if all is loaded."""
    cut_at_line: int | None
    """The last line that is loaded, in the file as it is, from 1; None if all is loaded."""
    dangling: tuple[str, ...]
    """Targets, as written and each once, that are not there or lie outside the root."""
    orphans: tuple[str, ...]
    """Relative paths of the memories below the index's folder that no entry leads to."""
    unreachable: tuple[IndexEntry, ...]
    """Entries behind the cut."""
    entries: tuple[IndexEntry, ...]
    """Every link to a file, in order."""
    text: str
    """The file as it is, decoded."""
    error: str | None = None
    """Why it could not be read, or not to its end, in one line."""


class _Line(NamedTuple):
    number: int
    text: str


class _Cut(NamedTuple):
    binds: Binds
    line: int | None
    chars: int | None
    """Code points of the line that are loaded, if not all."""


def measure_index(
    path: str, pool: Pool, scope: Scope, root: str, file_bytes: int = _FILE_BYTES
) -> IndexReport:
    """Measures one index. A file that can not be read gives a report with an ``error``.

    Args:
        path: absolute path of the index.
        pool: the documents of the scope; for orphans every one of them is expected to have an entry.
        scope: the scope it belongs to.
        root: the root of the scope; no link out of it is followed.
        file_bytes: no more of the file is read.

    """
    content, error = _read(path, root, file_bytes)
    if content is None:
        return IndexReport(path, scope, 0, 0, "none", None, (), (), (), (), "", error)
    text = decode(content)[0]
    counted, shown = _counted(text)
    found = _cut(counted)
    folder = _relative(os.path.dirname(path), root)
    tree = _Tree.of(pool, scope, root, folder)
    entries = tuple(_entries(shown, tree, found))
    mentioned = {each for entry in entries for each in entry.paths}
    return IndexReport(
        path=path,
        scope=scope,
        lines=len(counted),
        bytes=sum(utf8_bytes(line.text) + 1 for line in counted) - bool(counted),
        binds=found.binds,
        cut_at_line=found.line,
        dangling=_once(each.target for each in entries if each.leads in ("missing", "outside")),
        orphans=tuple(each for each in tree.below if each not in mentioned),
        unreachable=tuple(each for each in entries if not each.loaded),
        entries=entries,
        text=text,
        error=error,
    )


# -- what counts ----------------------------------------------------------------------------------


def _counted(text: str) -> tuple[list[_Line], str]:
    """The lines that count, and the whole text with spaces for what does not."""
    mark = text.startswith("\ufeff")
    lines = text[mark:].split("\n")
    start = _after_frontmatter(lines)
    counted: list[_Line] = []
    shown = [" " * len(line) for line in lines[:start]]
    fences = Fences()
    closes = _comment_ends(lines)
    number = start
    while number < len(lines):
        line = lines[number]
        end = None if fences.hold(line) else closes.get(number)
        if end is None:
            counted.append(_Line(number + 1, line))
            shown.append(line)
            number += 1
            continue
        rest, shape = _without_comments(lines[end], skip_first=end > number)
        shown += (" " * len(each) for each in lines[number:end])
        shown.append(shape)
        number = end + 1
        if js_trim(rest):
            counted.append(_Line(end + 1, rest))
            continue
        while number < len(lines) and not lines[number]:
            shown.append("")
            number += 1
    return _trimmed(counted), " " * mark + "\n".join(shown)
