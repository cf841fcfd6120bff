"""Where the tokens of a query stand in a text, although they are looked for in its folded form."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from memtui.text import fold
from memtui.tui.view.pieces import Piece, Tone

Span = tuple[int, int]
"""Start and end of a match, in code points of the text as written."""


def match_spans(text: str, tokens: Iterable[str]) -> list[Span]:
    """The stretches of ``text`` that a token matches once both are folded, merged and in order."""
    folded, origin = _folded_with_origins(text)
    found: list[Span] = []
    for token in dict.fromkeys(tokens):
        place = folded.find(token) if token else -1
        while place >= 0:
            found.append((origin[place][0], origin[place + len(token) - 1][1]))
            place = folded.find(token, place + 1)
    return _merged(found)


def marked(text: str, spans: Sequence[Span], tone: Tone = "plain") -> list[Piece]:
    """The text in pieces, with the tone ``match`` inside the spans."""
    pieces: list[Piece] = []
    done = 0
    for start, end in spans:
        pieces += [Piece(text[done:start], tone), Piece(text[start:end], "match")]
        done = end
    pieces.append(Piece(text[done:], tone))
    return [piece for piece in pieces if piece.text]


def _folded_with_origins(text: str) -> tuple[str, Sequence[Span]]:
    """The folded text, and for each of its code points the stretch that it came from."""
    if text.isascii():
        return text.lower(), [(place, place + 1) for place in range(len(text))]
    folded: list[str] = []
    origin: list[Span] = []
    start = 0
    for end in _cluster_ends(text):
        piece = fold(text[start:end])
        folded.append(piece)
        origin.extend([(start, end)] * len(piece))
        start = end
    return "".join(folded), origin


def _cluster_ends(text: str) -> Iterable[int]:
    """Ends of the stretches that normalisation may join: a character and its combining marks."""
    for place in range(1, len(text)):
        if not unicodedata.combining(text[place]):
            yield place
    if text:
        yield len(text)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
