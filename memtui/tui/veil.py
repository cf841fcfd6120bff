"""Text that can be drawn and edited safely, and taken back exactly as it was.

A control or invisible character can not be drawn, and must not be lost either: what a citation is
worth depends on it. So each stands in an editor as a placeholder of one cell, and so does a stretch
that is too long to be drawn. Placeholders are private-use characters of the last two planes, and a
private-use character of a text gets one too, so that no text can forge a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.text import UNSEEN, display_text

STRETCH = "⋯"
"""What is drawn for a stretch that is not."""
UNKNOWN = "\ufffd"
"""What is drawn for a character that has no picture of one cell."""

_PRIVATE = "\U000f0000-\U0010ffff"
_HIDDEN = re.compile(f"{UNSEEN}|[{_PRIVATE}]")
_PLACEHOLDER = re.compile(f"[{_PRIVATE}]")
_FIRST, _LAST = 0xF0000, 0x10FFFD


class Veil:
    r"""Gives each thing that can not be drawn a placeholder, and takes it back.

    ``reveal(hide(text))`` is ``text`` with every line end as ``\n``: a terminal pastes line ends
    as it likes, so what they were is not known anyway.
    """

    def __init__(self) -> None:
        self._placeholder_of: dict[str, str] = {}
        self._stands_for: dict[str, str] = {}
        self._pictures: dict[int, str] = {}

    def hide(self, text: str) -> str:
        """The text with a placeholder for every character that can not be drawn."""
        return _HIDDEN.sub(lambda found: self._placeholder(found[0]), _with_plain_ends(text))

    def fold(self, text: str, shown: int) -> str:
        """As ``hide``, with one placeholder for all that follows ``shown`` characters."""
        text = _with_plain_ends(text)
        if len(text) <= shown:
            return self.hide(text)
        head, rest = text[:shown], text[shown:]
        return self.hide(head) + (self._placeholder(rest) if len(rest) > 1 else self.hide(rest))

    def reveal(self, hidden: str) -> str:
        """What ``hidden`` stands for."""
        return _PLACEHOLDER.sub(lambda found: self._stands_for.get(found[0], found[0]), hidden)

    def drawn(self, hidden: str) -> str:
        """``hidden`` as it may be drawn: one character for each, of the same width."""
        return hidden.translate(self._pictures)

    def stretches(self, hidden: str) -> Iterator[tuple[int, int]]:
        """Where placeholders of long stretches are in ``hidden``, and how long each stretch is."""
        for found in _PLACEHOLDER.finditer(hidden):
            length = len(self._stands_for.get(found[0], ""))
            if length > 1:
                yield found.start(), length

    def undrawn(self, hidden: str) -> int:
        """How many characters stand in stretches."""
        return sum(length for _, length in self.stretches(hidden))

    def _placeholder(self, text: str) -> str:
        placeholder = self._placeholder_of.get(text)
        if placeholder is None:
            code = _FIRST + len(self._stands_for)
            if code > _LAST:
                return UNKNOWN
            placeholder = chr(code)
            self._stands_for[placeholder] = text
            self._placeholder_of[text] = placeholder
            self._pictures[code] = _picture(text)
        return placeholder


def _picture(text: str) -> str:
    """What is drawn for a text, in one cell."""
    shown = STRETCH if len(text) > 1 else display_text(text)
    return shown if len(shown) == 1 and shown != text else UNKNOWN


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
