"""The fate of a memory: the furthest stage of one recall that it reached."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from memtui.tui.view.pieces import Piece, Tone


@dataclass(frozen=True, slots=True)
class Look:
    """How a fate is shown; the glyphs differ, so that colour is never needed."""

    glyph: str
    """One cell."""
    word: str
    """One word, as in a legend."""
    meaning: str
    """One line, as in the help."""
    tone: Tone


class Fate(Enum):
    """The fates in the order in which the pool lists them."""

    SELECTED = Look("●", "selected", "put in front of the model", "success")
    CUT = Look("◌", "cut", "selected, but the context had no room left", "warning")
    PACKED = Look("◐", "packed", "a line of the manifest, not selected", "primary")
    CANDIDATE = Look("○", "candidate", "a candidate whose line did not fit", "warning")
    NOISE = Look("⊘", "noise", "only documents a tool in use", "muted")
    SKIPPED = Look("✗", "skipped", "a file that is no document", "error")
    LEFT_OUT = Look("–", "left out", "excluded, or outside the capped scan", "muted")
    POOL = Look("·", "no candidate", "neither a hit within the cut nor recent enough", "muted")

    @property
    def glyph(self) -> Piece:
        """Its mark."""
        return Piece(self.value.glyph, self.value.tone)

    @property
    def word(self) -> str:
        """Its word."""
        return self.value.word

    @property
    def title_tone(self) -> Tone:
        """How a title stands out in a list, by weight more than by colour."""
        if self in (Fate.SELECTED, Fate.CUT):
            return "strong"
        return "plain" if self in (Fate.PACKED, Fate.CANDIDATE, Fate.SKIPPED) else "muted"
