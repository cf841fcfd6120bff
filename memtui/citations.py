"""Which memories a text cites, and which of them it may cite.

A model was shown an allowlist of ids and answers with `[id:…]` references. `validate_citations`
keeps what may be cited byte for byte, replaces the rest, and reports both. Detection is generous
(any bracket, any spelling of `id`, invisible characters between), acceptance is strict (ASCII,
closed, byte-equal to an allowed id). Source: section 11 of the recall contract.

One pass is enough, and final. Whether an opener starts a reference depends only on the text up to
the next opener, and a reference holds no opener but its first character. A replacement begins with
an opener too, is no reference or an entirely valid one, and is closed: nothing before it sees other
text than it saw, nothing behind it gains an opener. The same holds for suspects; where `strict`
turns a parenthesis into `[`, neither of the two could have continued an `id:` before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from unicodedata import category, normalize

Kind = Literal["valid", "rejected", "partial", "suspect"]

_Verdict = tuple[Kind, tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""A span without its place: kind, items, valid, rejected."""

COLONS: Final = ":\uff1a\ufe55\ufe13\ufe30\u2236\u02d0\ua789"
SEPARATORS: Final = ",;\uff0c\uff1b\u3001"
INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u3164\uffa0\u180b\u180c\u180d\u180f"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Ignorable though not of category Cf: the combining grapheme joiner, the Hangul fillers and the
variation selectors, Mongolian ones included."""

IGNORABLE: Final = "\u00ad"
"""What every ignorable is in an outline."""

LETTERS: Final = frozenset("defimorsy")
"""All letters of `id`, `ids`, `memory`, `mem` and `ref`."""


class _Outline(dict[int, str | int]):
    """A `str.translate` table that reduces a text to the roles the grammar knows.

    Each role is written as its plainest member: `[` any opener, `]` any closer, `(` and `)` any
    parenthesis or brace, `:`, `=`, `,` any separator, a blank for any white space, U+00AD for any
    ignorable, and a lower-case letter for each of its spellings. Other characters stay, so an
    offset in the outline is the offset in the text. A character is looked up once per process,
    but for the million behind U+FFFF that have no role, so that no text can fill the memory.
    """

    def __missing__(self, codepoint: int) -> str | int:
        role = _role(chr(codepoint)) or codepoint
        if role != codepoint or codepoint <= 0xFFFF:
            self[codepoint] = role
        return role


def _role(character: str) -> str | None:
    """The role of a character, None for one that can only be part of an item."""
    if character in COLONS:
        return ":"
    if character in SEPARATORS:
        return ","
    if character.isspace():
        return " "
    kind = category(character)
    if kind == "Cf" or character in INVISIBLE:
        return IGNORABLE
    plain = normalize("NFKC", character)
    if kind == "Ps":
        return "(" if plain in ("(", "{") else "["
    if kind == "Pe":
        return ")" if plain in (")", "}") else "]"
    if plain.lower() in LETTERS or plain in ("=", "\u0131"):
        return plain.lower()
    return None


_OUTLINE: Final = _Outline()

# Patterns over an outline. Every repetition is possessive: no character is tried twice.
_GAP: Final = rf"[ {IGNORABLE}]*+"
_LEAD: Final = rf"[ ,{IGNORABLE}]*+"
_HEAD: Final = rf"\[({_GAP}i{_GAP}d{_GAP}:)"
_WORDS: Final = "|".join(map(_GAP.join, ("ids", "id", "\u0131d", "memory", "mem", "ref")))
_ITEM: Final = r"[^][ ,{0}{1}][^][ ,{0}]*+"
_REFERENCE: Final = rf"{_HEAD}{_LEAD}({_ITEM.format('', IGNORABLE)})(?:[^][]*+(\]))?"
_SUSPECT: Final = (
    rf"[(\[]{_GAP}(?:{_WORDS}){_GAP}[:=]{_LEAD}({_ITEM.format(')', IGNORABLE)})(?:{_GAP}[)\]])?"
)
_FINDING: Final = re.compile(f"{_REFERENCE}|{_SUSPECT}")
_BEGINNING: Final = re.compile(_HEAD + _LEAD)
_RUN: Final = re.compile(r"[^][ ,]++")
_MARKUP: Final = re.compile("[&<]")


class Span(NamedTuple):
    """One reference or suspect, as found in the text.

    A tuple because 1 MB can hold 200 000 of them, and a frozen dataclass takes twice as long to
    build.
    """

    start: int
    """Offset of its first character, in code points."""
    end: int
    """Offset behind its last character, in code points."""
    kind: Kind
    """How many items may be cited, `valid` all, `partial` some, `rejected` none; or `suspect`."""
    items: tuple[str, ...]
    """Its ids in the order written, without ignorables; a suspect has one."""
    valid: tuple[str, ...]
    """Those of `items` that may be cited."""
    rejected: tuple[str, ...]
    """Those of `items` that may not; empty for a suspect."""

    def replacement(self, *, strict: bool = False) -> str | None:
        """What the clean text has in its place, None where it stays byte for byte."""
        if self.kind == "valid" or (self.kind == "suspect" and not strict):
            return None
        return f"[id:{', '.join(self.valid)}]" if self.valid else "[]"


@dataclass(frozen=True, slots=True)
class Citations:
    """The verdict on one text. Ids are in order of first appearance, each once."""

    clean: str
    """The text with every rejected reference replaced (`strict`: every suspect too)."""
    valid: tuple[str, ...]
    """Cited and allowed. An id can be here and in `rejected`: cited well once, badly once."""
    rejected: tuple[str, ...]
    """Cited and not allowed, or not spelled as a citation must be."""
    suspect: tuple[str, ...]
    """What looks like a citation and is none."""
    spans: tuple[Span, ...]
    """Every reference and suspect, by offset; none overlaps another."""
    strict: bool = False
    """Whether suspects were replaced and count as a finding."""

    @property
    def accepted(self) -> bool:
        """True if nothing was rejected and, where `strict`, nothing is suspect."""
        return not self.rejected and not (self.strict and self.suspect)


def validate_citations(
    text: str, allowed: Collection[str] | None, *, strict: bool = False
) -> Citations:
    """Checks every reference of `text` against the ids that may be cited.

    `allowed` is the allowlist of the trace, compared byte for byte; None is an unknown trace and
    allows nothing. Takes linear time, raises nothing, and is final: validating `clean` with the
    same arguments returns it unchanged and rejects nothing.
    """
    allowlist = frozenset(allowed or ())
    spans = tuple(_spans(text, allowlist))
    return Citations(
        clean=_rewrite(text, spans, strict=strict),
        valid=_distinct(span.valid for span in spans),
        rejected=_distinct(span.rejected for span in spans),
        suspect=_distinct(span.items for span in spans if span.kind == "suspect"),
        spans=spans,
        strict=strict,
    )


def find_references(text: str) -> tuple[Span, ...]:
    """The references of `text`, suspects left out, judged as if nothing were allowed."""
    return tuple(span for span in _spans(text, frozenset()) if span.kind != "suspect")


def neutralise(text: str) -> str:
    """`text` as it may stand inside a context: nothing in it is a reference or opens a tag.

    `&` becomes `&amp;`, `<` becomes `&lt;`, and the opener of each reference its decimal entity
    (`&#91;`). References are those of the finished text: `[id: [id:9]` is one reference until its
    `[` is an entity, which is then an item of the outer `[id:`, so both openers are replaced. An
    `[id:` that runs into the end is replaced too, whatever the caller puts behind it. Suspects
    stay: `f(id=9)` is code far more often than a citation. Pass an entry as a whole, since two
    harmless fields may join into a reference. The result is not meant to be neutralised again.
    """
    openers = _openers_to_escape(text.translate(_OUTLINE))
    parts: list[str] = []
    copied = 0
    for offset in sorted(openers.union(found.start() for found in _MARKUP.finditer(text))):
        parts += text[copied:offset], _entity(text[offset])
        copied = offset + 1
    return "".join(parts) + text[copied:]


def _spans(text: str, allowlist: frozenset[str]) -> Iterator[Span]:
    """Every reference and suspect. A text repeats its citations: each spelling is judged once."""
    verdicts: dict[str, _Verdict] = {}
    for found in _FINDING.finditer(text.translate(_OUTLINE)):
        start, end = found.span()
        written = text[start:end]
        verdict = verdicts.get(written)
        if verdict is None:
            verdict = verdicts[written] = _judge(written, found, allowlist)
        yield Span(start, end, *verdict)


def _judge(written: str, found: re.Match[str], allowlist: frozenset[str]) -> _Verdict:
    items = _items(written, found)
    if found[1] is None:
        return "suspect", items, (), ()
    valid = tuple([item for item in items if item in allowlist])
    if not valid or not _is_plain(written, found):
        return "rejected", items, (), items
    if len(valid) == len(items):
        return "valid", items, items, ()
    return "partial", items, valid, tuple([item for item in items if item not in allowlist])


def _items(written: str, found: re.Match[str]) -> tuple[str, ...]:
    """The one item of a suspect, all of a reference, the first of one that is not closed."""
    roles, start = found[0], found.start()
    first, behind = found.span(4 if found[1] is None else 2)
    first, behind = first - start, behind - start
    if found[3] is None:
        return (_visible(written[first:behind], roles[first:behind]),)
    runs = [run.span() for run in _RUN.finditer(roles, first, len(roles) - 1)]
    items = [_visible(written[begin:end], roles[begin:end]) for begin, end in runs]
    return tuple([item for item in items if item])


def _is_plain(written: str, found: re.Match[str]) -> bool:
    """Whether it is spelled as a citation must be: ASCII `[`, `id:`, `]`, nothing invisible."""
    colon = len(found[1])
    return (
        found[3] is not None
        and written[0] == "["
        and written[-1] == "]"
        and found[1].endswith("id:")
        and written[colon - 2 : colon + 1].isascii()
        and IGNORABLE not in found[0]
    )


def _visible(item: str, roles: str) -> str:
    """An item as it is reported: as written, without its ignorables."""
    if IGNORABLE not in roles:
        return item
    return "".join([char for char, role in zip(item, roles, strict=True) if role != IGNORABLE])


def _rewrite(text: str, spans: Iterable[Span], *, strict: bool) -> str:
    parts: list[str] = []
    copied = 0
    for span in spans:
        replacement = span.replacement(strict=strict)
        if replacement is not None:
            parts += text[copied : span.start], replacement
            copied = span.end
    return "".join(parts) + text[copied:]


def _openers_to_escape(outline: str) -> frozenset[int]:
    """Offsets of the openers that start a reference once all of them are entities.

    Read from the end: an opener that will be an entity is an item for the one before it.
    """
    escaped: set[int] = set()
    for start, end in reversed([found.span() for found in _BEGINNING.finditer(outline)]):
        if end in escaped or outline[end : end + 1] not in ("[", "]"):
            escaped.add(start)
    return frozenset(escaped)


def _entity(character: str) -> str:
    return {"&": "&amp;", "<": "&lt;"}.get(character) or f"&#{ord(character)};"


def _distinct(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
