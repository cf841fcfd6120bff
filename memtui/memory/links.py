"""Links in the text of a memory: where they stand, and which documents a name leads to."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from memtui.memory.document import Document, Pool, Scope
from memtui.text import fold, single_spaced

_NOT_LINE_END = re.compile(r"[^\n]")
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_BACKTICKS = re.compile(r"`+")
_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_MARKDOWN_LINK = re.compile(
    r"(?<!\\)\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\\\n]*\])*)\]\([ \t]*"
    r"(<[^<>\n]*>|[^\s()<][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
)
_NAME_LINE = re.compile(r"^(?:name|title)[ \t]*:(.*)$", re.MULTILINE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")


class Link(NamedTuple):
    """A link as it is written."""

    start: int
    """Where it begins in the text, code points."""
    end: int
    """Where it ends."""
    label: str
    """The words that are shown for it."""
    target: str
    """Where it leads, as written."""


# -- where links stand ----------------------------------------------------------------------------


class Fences:
    """Tells, line after line, which lines belong to fenced code."""

    def __init__(self) -> None:
        self._open = ""

    def hold(self, line: str) -> bool:
        """Whether the next line is code, or the fence that opens or closes it.

        A fence that is never closed runs to the end, as in CommonMark; unlike there, any
        indentation is allowed, since fences stand in lists.
        """
        if not self._open:
            match = _FENCE.match(line)
            self._open = match.group(1) if match else ""
            return bool(match)
        bare = line.strip()
        if len(bare) >= len(self._open) and not bare.strip(self._open[0]):
            self._open = ""
        return True


def without_code(text: str) -> str:
    """``text`` with spaces for fenced code and code spans, so that every position stays."""
    if "`" not in text and "~~~" not in text:
        return text
    fences = Fences()
    pieces: list[str] = []
    paragraph: list[str] = []
    for line in text.split("\n"):
        fenced = fences.hold(line)
        if not fenced and line.strip():
            paragraph.append(line)
            continue
        if paragraph:
            pieces.append(_without_spans("\n".join(paragraph)))
            paragraph = []
        pieces.append(" " * len(line) if fenced else line)
    if paragraph:
        pieces.append(_without_spans("\n".join(paragraph)))
    return "\n".join(pieces)


def _without_spans(paragraph: str) -> str:
    """A paragraph with spaces for its code spans: a run of backticks to the next one as long."""
    runs = [match.span() for match in _BACKTICKS.finditer(paragraph)]
    closing: dict[int, int] = {}
    later: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = runs[number][1] - runs[number][0]
        if length in later:
            closing[number] = later[length]
        later[length] = number
    pieces: list[str] = []
    done = number = 0
    while number < len(runs):
        start = runs[number][0]
        escaped = start > 0 and paragraph[start - 1] == "\\"
        if number in closing and not escaped:
            number = closing[number]
            end = runs[number][1]
            pieces += (paragraph[done:start], blanked(paragraph[start:end]))
            done = end
        number += 1
    return "".join((*pieces, paragraph[done:]))


def blanked(text: str) -> str:
    """As many spaces, line ends kept."""
    return _NOT_LINE_END.sub(" ", text)


def wikilinks(text: str) -> Iterator[Link]:
    """Every ``[[target]]``, ``[[target|label]]`` and ``[[target#heading]]`` of a text without code.

    The target of the link is all that stands between the brackets; see :func:`wikilink_names`.
    """
    for match in _WIKILINK.finditer(text):
        inner = match.group(1)
        yield Link(match.start(), match.end(), inner.rpartition("|")[2].strip(), inner.strip())


def wikilink_names(inner: str) -> tuple[str, ...]:
    """What a wikilink may name, most literal first; empty for a web address or a heading alone."""
    target = inner.partition("|")[0].rstrip().removesuffix("\\")
    page = target.partition("#")[0].strip()
    if not page or page.lower().startswith(("http://", "https://")):
        return ()
    return tuple(dict.fromkeys((inner.strip(), target.strip(), page)))


def markdown_links(text: str) -> Iterator[Link]:
    """Every ``[label](target)`` of a text without code, images too; a title is left out."""
    for match in _MARKDOWN_LINK.finditer(text):
        target = match.group(2)
        target = target[1:-1] if target.startswith("<") else target
        yield Link(match.start(), match.end(), match.group(1), target)


def linked_path(target: str) -> str | None:
    """The path that a markdown link names; None for an address with a scheme or an anchor alone."""
    if _URL.match(target):
        return None
    return unquote(target.partition("#")[0]) or None


# -- where they lead ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Names:
    """What a wikilink may call a file of a pool, without regard to case."""

    paths: dict[str, str]
    """Folded path below its root, without ``.md``, to the path."""
    stems: dict[str, tuple[str, ...]]
    """Folded file name without ``.md`` to the paths."""
    titles: dict[str, tuple[str, ...]]
    """Folded ``name`` or ``title`` to the paths."""

    def find(self, inner: str, folder: str = "") -> tuple[str, ...]:
        """Relative paths of the files that a wikilink in ``folder`` may mean; none if it is broken.

        A path below the root goes before one below the folder, then a file name, then a title.
        """
        for name in wikilink_names(inner):
            key = fold(single_spaced(name))
            bare = key.removesuffix(".md")
            near = posixpath.normpath(posixpath.join(fold(folder), bare))
            for path in (posixpath.normpath(bare), near):
                if path in self.paths:
                    return (self.paths[path],)
            found = self.stems.get(bare) or self.titles.get(key)
            if found:
                return found
        return ()


def names_of(pool: Pool, scope: Scope | None = None) -> Names:
    """The names of every file of a pool or one scope, skipped files and indexes included."""
    documents = [
        each
        for each in (*pool.documents, *pool.beyond, *pool.excluded)
        if scope is None or each.scope == scope
    ]
    paths = [each.relative_path for each in documents]
    paths += [each.relative_path for each in pool.skipped if scope is None or each.scope == scope]
    paths += _index_paths(pool, scope)
    return Names(
        paths={_bare(path): path for path in reversed(paths)},
        stems=_grouped((posixpath.basename(_bare(path)), path) for path in paths),
        titles=_grouped(
            (fold(single_spaced(title)), each.relative_path)
            for each in documents
            for title in (each.title, *_named(each))
        ),
    )


def _bare(path: str) -> str:
    return fold(path).removesuffix(".md")


def _named(document: Document) -> Iterator[str]:
    """The values of ``name`` and ``title`` lines, whichever of them the dialect made the title."""
    for match in _NAME_LINE.finditer(document.frontmatter):
        yield match.group(1).strip().strip("\"'")


def _index_paths(pool: Pool, scope: Scope | None) -> Iterator[str]:
    for report in pool.scopes:
        prefix = report.root.rstrip(os.sep) + os.sep
        for path in pool.indexes:
            if scope in (None, report.scope) and path.startswith(prefix):
                yield path[len(prefix) :].replace(os.sep, "/")


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, dict[str, None]] = {}
    for key, path in pairs:
        if key:
            groups.setdefault(key, {})[path] = None
    return {key: tuple(paths) for key, paths in groups.items()}
