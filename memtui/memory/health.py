"""Findings: what is wrong with documents that are in the pool, each with a remedy.

A document has at most one finding of each kind, so the number of findings of a kind is the number
of documents that have it. The kinds, worst first, and when exactly a document has one:

======================  ==========================================================================
``yaml-invalid``        the YAML reader raises on the frontmatter (its text between the fences)
``comment-cut``         the frontmatter is valid, and on the line where the plain value of ``name``,
                        ``title``, ``description`` or ``type`` ends (``type`` under ``metadata``
                        too), a ``#`` with white space before it follows
``invalid-utf8``        a byte of it had to be replaced by U+FFFD
``control-characters``  the file holds a character of :data:`CONTROL_CHARACTERS`
``type-differs``        ``qwen`` and ``claude`` see another type, or one of them sees no memory
``description-missing`` the description is empty
``not-managed``         it lies beyond the capped scan
``body-beyond-window``  the scored body is longer than ``body_window_chars``
``description-cut``     the description is longer than ``manifest_description_chars``
``duplicate-title``     another document of the pool has the same folded title
``near-duplicate``      another one is alike, as :mod:`memtui.memory.duplicates` defines it
``broken-wikilink``     a wikilink of the body, outside code, leads to no file of the pool
======================  ==========================================================================

The first five tell of text that is lost, hidden or seen otherwise by another agent; then come a
document that can hardly be picked or is not managed, then text that no stage sees, then what only
confuses. A row of a database is no file: the dialects have nothing to say about it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Literal

from memtui.limits import Limits
from memtui.memory.dialects import DIALECTS, Dialect, Reading
from memtui.memory.document import MEMORY_TYPES, Document, Pool
from memtui.memory.duplicates import near_duplicates
from memtui.memory.frontmatter import comment_cuts, yaml_error
from memtui.memory.links import Names, names_of, wikilink_names, wikilinks, without_code
from memtui.memory.readings import (
    DialectView,
    SourceReader,
    SourceText,
    dialect_readings,
    read_source,
    source_text,
    view_of,
)
from memtui.text import chars, display_line, fold, plural

__all__ = [
    "CONTROL_CHARACTERS",
    "FINDINGS",
    "DialectView",
    "Finding",
    "FindingName",
    "dialect_readings",
    "find_problems",
    "read_source",
]

FindingName = Literal[
    "yaml-invalid",
    "comment-cut",
    "invalid-utf8",
    "control-characters",
    "type-differs",
    "description-missing",
    "not-managed",
    "body-beyond-window",
    "description-cut",
    "duplicate-title",
    "near-duplicate",
    "broken-wikilink",
]

FINDINGS: Mapping[FindingName, str] = {
    "yaml-invalid": "the frontmatter is invalid YAML; its fields were recovered line by line",
    "comment-cut": "a # after white space cuts a value when the frontmatter is read as YAML",
    "invalid-utf8": "bytes that are no UTF-8 were replaced",
    "control-characters": "it holds control characters, or characters that reorder or hide text",
    "type-differs": "the two dialects see another type, or one of them sees no memory",
    "description-missing": "it has no description to be found or picked by",
    "not-managed": "it is recallable, but beyond what status, index and forget see",
    "body-beyond-window": "the end of its body is never scored",
    "description-cut": "its description is cut in the manifest",
    "duplicate-title": "another memory has the same title",
    "near-duplicate": "another memory says nearly the same",
    "broken-wikilink": "a wikilink leads to no file of the pool",
}
"""Every kind of finding, worst first, with what it means."""

CONTROL_CHARACTERS = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 but tab and line ends, DEL, C1
    r"\u202a-\u202e\u2066-\u2069"  # bidirectional embeddings, overrides and isolates
    r"\U000e0000-\U000e007f"  # tags: letters that are not shown
)
"""What ``control-characters`` looks for, as the inside of a regex character class.

Tags inside an emoji flag do not count.
"""

_CONTROL = re.compile(rf"(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f)|[{CONTROL_CHARACTERS}]")
_SHOWN = 3
_NAMED = 80
"""Most code points of a name in a detail."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a document of the pool."""

    document: Document
    """The document."""
    finding: FindingName
    """What kind of thing, from the closed list."""
    detail: str
    """What was found, in one line that is safe to show."""
    remedy: str
    """What to do, in one line."""


_Told = tuple[FindingName, str, str]
"""A finding on the document at hand: name, detail, remedy."""


def find_problems(
    pool: Pool,
    limits: Limits,
    source: SourceReader | None = None,
    step: Callable[[], None] = lambda: None,
) -> tuple[Finding, ...]:
    """Every finding on every document of a pool: worst first, then in pool order.

    Args:
        pool: what was scanned.
        limits: the windows that text may lie beyond.
        source: gives the bytes of a document's file, None where it can not; by default the file is
            read once more, if it is still the one that was scanned.
        step: called again and again; it may wait for something more urgent, or raise to end this.

    """
    source = source or partial(read_source, file_bytes=limits.file_bytes)
    neighbours = _Neighbours(pool, limits, step)
    found: dict[FindingName, list[Finding]] = {name: [] for name in FINDINGS}
    for place, document in enumerate(pool.documents):
        step()
        told = chain(
            _of_text(document, source_text(document, source)),
            _of_fields(document, pool, limits),
            neighbours.told(place),
        )
        for name, detail, remedy in told:
            found[name].append(Finding(document, name, detail, remedy))
    return tuple(finding for name in FINDINGS for finding in found[name])


# -- the text of the file -------------------------------------------------------------------------


def _of_text(document: Document, source: SourceText) -> Iterator[_Told]:
    """Findings on the file as it is written."""
    if "invalid-utf8" in document.flags:
        yield "invalid-utf8", _bad_bytes(source), "save the file as UTF-8"
    yield from _control_characters(source)
    if document.dialect not in DIALECTS:
        return
    other: Dialect = "qwen" if document.dialect == "claude" else "claude"
    view = view_of(source, other, document)
    yield from _types(document, view)
    if other == "qwen":
        yield from _yaml(document.frontmatter, "yaml-invalid" in document.flags)
    elif isinstance(view.result, Reading):
        yield from _yaml(view.result.frontmatter, "yaml-invalid" in view.result.flags)


def _bad_bytes(source: SourceText) -> str:
    try:
        (source.content or b"").decode()
    except UnicodeDecodeError as error:
        return f"the first byte that is no UTF-8 is number {error.start + 1:,} of the file"
    return "bytes that are no UTF-8 were read as U+FFFD"


def _control_characters(source: SourceText) -> Iterator[_Told]:
    if source.text.replace("\n", "").isprintable():
        return
    places = [match.start() for match in _CONTROL.finditer(source.text) if not match.group(1)]
    if not places:
        return
    first = source.text[places[0]]
    name = unicodedata.name(first, "")
    line = source.text.count("\n", 0, places[0]) + 1
    where = f" in line {line:,}" if source.exact else ""
    yield (
        "control-characters",
        f"{plural(len(places), 'control character')}, the first is U+{ord(first):04X}"
        f"{f' {name}' if name else ''}{where}",
        "delete them; read what they hide before you trust the memory",
    )


def _types(document: Document, other: DialectView) -> Iterator[_Told]:
    if other.type == document.type:
        return
    own = f"reads type {display_line(document.type, 60)}" if document.type else "reads no type"
    remedy = (
        f"write type: in column 0, without quotes or comment, with one of {', '.join(MEMORY_TYPES)}"
        if isinstance(other.result, Reading)
        else other.result.remedy
    )
    yield (
        "type-differs",
        f"{document.dialect} {own}; {other.dialect} {display_line(other.summary)}",
        remedy,
    )


def _yaml(block: str, invalid: bool) -> Iterator[_Told]:
    if invalid:
        said = yaml_error(block) or "invalid YAML"
        yield (
            "yaml-invalid",
            display_line(said),
            "delete the control characters"
            if "character #" in said
            else "put quotes around the value, or write it without a colon and a space",
        )
        return
    cuts = comment_cuts(block)
    if cuts:
        yield (
            "comment-cut",
            _listed([f"{cut.key} loses {display_line(cut.lost, _NAMED)}" for cut in cuts]),
            "put quotes around the value, or write it without a # after white space",
        )


# -- the fields -----------------------------------------------------------------------------------


def _of_fields(document: Document, pool: Pool, limits: Limits) -> Iterator[_Told]:
    """Findings on what was read."""
    if not document.description:
        yield (
            "description-missing",
            "it has no description",
            "add a line description: that says what it is good for",
        )
    if not pool.managed(document.id):
        yield (
            "not-managed",
            f"{limits.capped_scan_docs:,} newer documents of the {document.scope} scope come first",
            "change it, or merge or delete newer ones, until it is among them",
        )
    yield from _too_long(
        "body-beyond-window", document.scored_body, limits.body_window_chars, "are never scored"
    )
    yield from _too_long(
        "description-cut",
        document.description,
        limits.manifest_description_chars,
        "are not in its manifest line",
    )


def _too_long(name: FindingName, text: str, limit: int, missing: str) -> Iterator[_Told]:
    length = chars(text)
    if length > limit:
        yield (
            name,
            f"the last {length - limit:,} of its {length:,} chars {missing}",
            f"say what matters in the first {limit:,} chars, or make two memories of it",
        )


# -- the other documents --------------------------------------------------------------------------


class _Neighbours:
    """Findings on what a document has in common with the others of its pool."""

    def __init__(self, pool: Pool, limits: Limits, step: Callable[[], None]) -> None:
        self._pool = pool
        self._alike = near_duplicates(pool.documents, limits, step)
        self._titles: dict[str, list[int]] = {}
        for place, document in enumerate(pool.documents):
            self._titles.setdefault(fold(document.title), []).append(place)

    def told(self, place: int) -> Iterator[_Told]:
        """Findings on the document at a place of the pool."""
        document = self._pool.documents[place]
        namesakes = self._titles[fold(document.title)]
        if len(namesakes) > 1:
            yield (
                "duplicate-title",
                f"{display_line(document.title, _NAMED)} is the title of "
                f"{self._others(place, namesakes)} too",
                "give each a title of its own, or merge them",
            )
        likeness = self._alike.get(place)
        if likeness:
            yield (
                "near-duplicate",
                f"{int(likeness.percent)} % of its words are those of "
                f"{_name(likeness.document, document)}, in the same order",
                "merge them into one memory",
            )
        broken = _broken_wikilinks(document, self) if "[[" in document.body else []
        if broken:
            yield (
                "broken-wikilink",
                f"{_listed(broken)} {'leads' if len(broken) == 1 else 'lead'} to no file",
                "write the file name of a memory, its path or its title, or remove the link",
            )

    @cached_property
    def names(self) -> Names:
        """What a wikilink may call a file of the pool."""
        return names_of(self._pool)

    def _others(self, place: int, places: list[int]) -> str:
        """The first other documents at some places, by name."""
        own = self._pool.documents[place]
        few = [each for each in places[: _SHOWN + 1] if each != place][:_SHOWN]
        names = [_name(self._pool.documents[each], own) for each in few]
        return _listed(names, len(places) - 1)


def _broken_wikilinks(document: Document, neighbours: _Neighbours) -> list[str]:
    """The wikilinks of a body that lead to no file, each once."""
    folder = document.relative_path.rpartition("/")[0]
    broken: dict[str, None] = {}
    for link in wikilinks(without_code(document.body)):
        if wikilink_names(link.target) and not neighbours.names.find(link.target, folder):
            broken[f"[[{display_line(link.target, _NAMED)}]]"] = None
    return list(broken)


def _name(document: Document, seen_from: Document) -> str:
    """How to call a document in the detail of another one."""
    scope = "" if document.scope == seen_from.scope else f" ({document.scope} scope)"
    return display_line(document.relative_path, _NAMED) + scope


def _listed(names: list[str], count: int | None = None) -> str:
    """The first names of ``count`` in words."""
    count = len(names) if count is None else count
    shown = names[:_SHOWN]
    if count > len(shown):
        return f"{', '.join(shown)} and {count - len(shown):,} more"
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
