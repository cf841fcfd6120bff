"""Turns pieces of text into what Textual draws. All text of the app passes through here.

Nothing is ever parsed as markup, and every control character is made visible on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.content import Content
from textual.strip import Strip
from textual.style import Style

from memtui.text import display_text
from memtui.tui.view.pieces import TONES, Line, Tone

TONE_STYLES: Mapping[Tone, str] = {
    "plain": "",
    "strong": "bold",
    "muted": "$text-muted",
    "primary": "$primary",
    "accent": "$accent",
    "success": "$success",
    "warning": "$warning",
    "error": "$error",
    "match": "bold underline $accent",
}
"""The style of each tone, in the colours of the theme."""


def content(pieces: Line) -> Content:
    """One line as content."""
    return Content.assemble(
        *((display_text(text), TONE_STYLES[tone]) for text, tone in pieces if text)
    )


def paragraphs(lines: Iterable[Line]) -> Content:
    """Lines, each to be wrapped by whatever draws them."""
    return Content("\n").join([content(pieces) for pieces in lines])


def plain(text: str) -> Content:
    """A text without any style, its line ends kept."""
    return Content(display_text(text, multiline=True))


def tone_styles(base: Style) -> dict[Tone, RichStyle]:
    """The tones on top of a base style. Must be called while an app is running."""
    return {tone: (base + Style.parse(TONE_STYLES[tone])).rich_style for tone in TONES}


def strip(pieces: Line, styles: Mapping[Tone, RichStyle], width: int) -> Strip:
    """One line as a strip of exactly ``width`` cells."""
    segments = [Segment(display_text(text), styles[tone]) for text, tone in pieces if text]
    return Strip(segments).adjust_cell_length(width, styles["plain"])
