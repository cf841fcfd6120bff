"""What is shown where no memory is a lexical hit: the memories that nearly were, and why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtui.memory.document import Document, SkippedFile
from memtui.memory.edit import ReadBytes, read_bytes
from memtui.recall.why.ladder import tokens_beyond_window
from memtui.recall.why.near import near_misses
from memtui.text import fold
from memtui.tui.stopping import Stale, Stopped, never
from memtui.tui.view.columns import Column
from memtui.tui.view.fates import Fate
from memtui.tui.view.finding import documents_near, needles, tree_index
from memtui.tui.view.ladder import NEAR_WORDS
from memtui.tui.view.pieces import Line, Piece, clip, line, safe
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View

LOOKED_AT = 60
"""Memories whose words are compared one by one."""
MOST_ROWS = 40
"""Memories that are listed."""

COLUMNS = (
    Column("memory says", 14, flexible=True),
    Column("looked for", 10, most=14),
    Column("which is", 12, most=15, drop=2),
    Column("memory", 8, most=26, drop=1),
)


@dataclass(frozen=True, slots=True)
class Nearly:
    """One memory that nearly matched."""

    key: str
    """The memory."""
    word: str
    """What it says."""
    token: str
    """What was looked for."""
    how: str
    """Why that is no match."""


def nearly_matching(
    view: View, stale: Stale = never, read_file: ReadBytes = read_bytes
) -> tuple[Nearly, ...]:
    """The memories that nearly match the query of a recall without hits.

    Raises:
        Stopped: it is not wanted any more.

    """
    recall = view.recall
    words = dict.fromkeys((*recall.query.terms, *fold(recall.query.text).split()))
    if not words:
        return ()
    tree_index(view.scanned, stale, read_file)
    found = list(_skipped_with(view, needles(recall.query.text)))
    eligible = recall.pool.by_id

    def counts(document: Document) -> bool:
        return document.id in eligible and view.fate_of[document.id] is not Fate.NOISE

    for document in documents_near(view.scanned, words, counts, LOOKED_AT):
        if stale():
            raise Stopped
        misses = near_misses(recall, document)
        beyond = tokens_beyond_window(recall, document)
        if beyond:
            token, place = beyond[0]
            found.append(Nearly(document.id, f"{token} at char {place:,}", token, "not scored"))
        elif misses:
            miss = misses[0]
            found.append(Nearly(document.id, miss.word, miss.token, NEAR_WORDS[miss.kind]))
        if len(found) >= MOST_ROWS:
            break
    return tuple(found)


def _skipped_with(view: View, words: tuple[str, ...]) -> list[Nearly]:
    """Skipped files that say a word of the query: no recall can hit them."""
    index = tree_index(view.scanned)
    found: dict[str, Nearly] = {}
    for word in words:
        if len(word) < 3 and word.isascii():
            continue
        for postings in (index.heads, index.bodies):
            for number in postings.get(word, ()):
                key = index.keys[number]
                entry = view.catalogue.entries[key]
                if isinstance(entry, SkippedFile):
                    found.setdefault(key, Nearly(key, word, word, f"skipped: {entry.reason}"))
    return list(found.values())[: MOST_ROWS // 2]


def nearly_pane(view: View, found: tuple[Nearly, ...]) -> PaneView:
    """Pane 2 with the near misses in place of hits."""
    title = Piece("2 lexical hits", "strong")
    count = Piece(" 0", "warning")
    near = Piece(f" · {len(found):,} nearly", "muted")
    rows = Rows[object](COLUMNS, found, _key, _cells(view))
    subtitle = line(Piece("no hit; w says why", "muted"))
    return PaneView(
        ((title, count, near), (title, count), (Piece("2 hits", "strong"), count)),
        (subtitle,),
        rows,
        _head(view),
    )


def _head(view: View) -> Callable[[int], Line]:
    terms = " · ".join(view.recall.query.terms)
    said = f"no memory has {terms}; these nearly" if terms else "no token; these nearly match"

    def head(width: int) -> Line:
        return clip(safe((Piece(said, "warning"),)), width)

    return head


def _key(item: object) -> str:
    assert isinstance(item, Nearly)
    return item.key


def _cells(view: View) -> Callable[[object], tuple[Line, ...]]:
    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, Nearly)
        entry = view.catalogue.entries[item.key]
        name = entry.relative_path if isinstance(entry, SkippedFile) else entry.title
        fate = view.fate_of[item.key]
        return (
            line(Piece(item.word, "match")),
            line(Piece(item.token)),
            line(Piece(item.how, "muted")),
            line(fate.glyph, " ", Piece(name or entry.relative_path, fate.title_tone)),
        )

    return cells
