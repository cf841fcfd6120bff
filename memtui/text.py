"""Text primitives shared by every stage: counting, cutting, folding and safe display.

*Chars* are UTF-16 code units, as in the agents that memtui reproduces: ``"🚀"`` is 2.
"""

from __future__ import annotations

import re
import unicodedata

JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript's ``trim`` removes."""

UNSEEN = (
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""A character that moves, reorders or shows nothing, as a class of a regular expression."""

_PICTURE = "[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_INVISIBLE = re.compile(
    f"(\u200d(?={_PICTURE})(?:(?<={_PICTURE}\u200d)|(?<={_PICTURE}\ufe0f\u200d)))|"
    rf"(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]|{UNSEEN}"
)
"""A joiner inside an emoji (group 1), a selector that selects nothing, or what is never seen."""
_NAMED = {
    0x7F: "␡",
    0x85: "␤",
    0xAD: "⟨shy⟩",
    0x061C: "⟨alm⟩",
    0x180E: "⟨mvs⟩",
    0x200B: "⟨zwsp⟩",
    0x200C: "⟨zwnj⟩",
    0x200D: "⟨zwj⟩",
    0x200E: "⟨lrm⟩",
    0x200F: "⟨rlm⟩",
    0x2028: "⟨ls⟩",
    0x2029: "⟨ps⟩",
    0x202A: "⟨lre⟩",
    0x202B: "⟨rle⟩",
    0x202C: "⟨pdf⟩",
    0x202D: "⟨lro⟩",
    0x202E: "⟨rlo⟩",
    0x2060: "⟨wj⟩",
    0x2066: "⟨lri⟩",
    0x2067: "⟨rli⟩",
    0x2068: "⟨fsi⟩",
    0x2069: "⟨pdi⟩",
    0xFEFF: "⟨bom⟩",
}


def chars(text: str) -> int:
    """The length of ``text`` in UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for character in text if character > "\uffff")


def cut(text: str, limit: int) -> str:
    """The longest prefix of at most ``limit`` UTF-16 code units that splits no surrogate pair."""
    if limit <= 0:
        return ""
    if len(text) <= limit // 2:
        return text
    head = text[:limit]
    if head.isascii() or chars(head) <= limit:
        return head
    used = 0
    for position, character in enumerate(head):
        used += 2 if character > "\uffff" else 1
        if used > limit:
            return head[:position]
    return head


def utf8_bytes(text: str) -> int:
    """The length of ``text`` in UTF-8 bytes; a lone surrogate counts as U+FFFD does, 3 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def fold(text: str) -> str:
    """NFKC, then lower case: the form in which queries and documents meet."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).lower()


def js_trim(text: str) -> str:
    """``text`` without the white space that JavaScript's ``trim`` removes at both ends."""
    return text.strip(JS_SPACE)


def single_spaced(text: str) -> str:
    """``text`` with every run of white space folded to one space, and trimmed."""
    return " ".join(text.split())


def plural(count: int, noun: str) -> str:
    """A count with its noun: ``1 document``, ``1,200 documents``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    if number % 100 in (11, 12, 13):
        return f"{number:,}th"
    return f"{number:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def display_text(text: str, *, multiline: bool = False) -> str:
    """``text`` as it may be shown: every control and invisible character made visible.

    No character of the result can move a cursor, change a title, reorder or hide text. Line ends
    become ``␊`` unless ``multiline``; a tab becomes one space. Zero-width joiners inside an emoji
    stay, since they only join pictures.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n") if multiline else text
    text = text.replace("\t", " ")
    if not multiline:
        text = text.replace("\n", "␊")
    return _INVISIBLE.sub(_visible, text)


def display_line(text: str, limit: int = 400) -> str:
    """``text`` as one line for display, clipped to ``limit`` code points with an ellipsis."""
    if len(text) > limit:
        return display_text(text[: limit - 1]) + "…"
    return display_text(text)


def _visible(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    code = ord(match[0])
    if code in _NAMED:
        return _NAMED[code]
    if code < 0x20:
        return chr(0x2400 + code)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨{code:02x}⟩"
