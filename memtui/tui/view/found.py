"""The results of a search by what a memory says, as a list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memtui.memory.document import SkippedFile
from memtui.text import fold
from memtui.tui.view.columns import Column
from memtui.tui.view.finding import Found, text_of, tree_index
from memtui.tui.view.marks import marked, match_spans
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View

COLUMNS = (
    Column("", 1),
    Column("from", 4, most=7, plain_cut=True, drop=2),
    Column("memory", 16, most=30),
    Column("what it says", 12, flexible=True, drop=1),
)
BEFORE = 16
"""Characters that are shown before the first match."""
SHOWN = 200
"""Characters of a text that are shown at most."""
_LINE_ENDS = re.compile(r"[\r\n\t]")


def found_pane(view: View, wanted: str, found: Sequence[Found]) -> PaneView:
    """The results for what was typed."""
    documents, skipped = len(view.catalogue.fates), len(view.scanned.skipped)
    nothing = f"looks through all {documents:,} files, the {skipped:,} skipped ones too"
    if wanted.strip():
        nothing = "no file says anything like it"
    return PaneView((), (), Rows[object](COLUMNS, found, _key, _cells(view), nothing))


def _key(item: object) -> str:
    assert isinstance(item, Found)
    return item.key


def _cells(view: View) -> Callable[[object], tuple[Line, ...]]:
    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, Found)
        entry = view.catalogue.entries[item.key]
        fate = view.fate_of[item.key]
        said = _snippet(view, item)
        if isinstance(entry, SkippedFile):
            name = line(entry.relative_path)
            said = (Piece(f"{entry.reason}  ", "error"), *said)
        else:
            name = line(Piece(entry.title or entry.relative_path, fate.title_tone))
        return (fate.glyph,), line(Piece(entry.scope, "muted")), name, said

    return cells


def _snippet(view: View, found: Found) -> Line:
    """The text around the rarest word that was found, the matches marked."""
    entry = view.catalogue.entries[found.key]
    text = text_of(tree_index(view.scanned), found.key, entry)
    if not isinstance(entry, SkippedFile):
        text = f"{entry.body}\n{entry.description}" if entry.body else entry.description
    place = _first(text, found.words)
    start = max(0, place - BEFORE)
    shown = _LINE_ENDS.sub(" ", text[start : start + SHOWN])
    pieces = marked(shown, match_spans(shown, found.words), "muted")
    return (*((Piece("…", "muted"),) if start else ()), *pieces)


def _first(text: str, words: Sequence[str]) -> int:
    """Where the first of the words stands that is there at all."""
    lowered = fold(text)
    if len(lowered) != len(text):
        lowered = text.lower()
    places = (lowered.find(word) for word in words)
    return next((place for place in places if place >= 0), 0)
