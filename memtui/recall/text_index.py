"""The folded text of a whole pool in three columns, so that a token is looked for in one sweep.

A column is the UTF-8 of one field of every document in pool order, joined by a line end. A token
never holds a line end, and UTF-8 finds exactly the substrings that the text has, so the sweep is
exact; it replaces a test of every document, field and token in Python.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from memtui.memory.document import Document, Pool
from memtui.text import cut, fold

MOST_TOKENS_KEPT = 256
"""Tokens whose matches an index keeps."""

_SEPARATOR = b"\n"


@dataclass(frozen=True, slots=True)
class FoldedText:
    """The fields of a document in the form in which tokens are looked for."""

    title: str
    """The folded title."""
    description: str
    """The folded description."""
    body: str
    """Only the window that is scored; cut before it is folded."""


def fold_document(document: Document, body_window_chars: int) -> FoldedText:
    """The folded fields of one document."""
    return FoldedText(
        fold(document.title),
        fold(document.description),
        fold(cut(document.scored_body, body_window_chars)),
    )


class Matches(NamedTuple):
    """The documents that contain a token, by their places in pool order."""

    title: list[int]
    """Those that have it in the title."""
    description: list[int]
    """Those that have it in the description."""
    body: list[int]
    """Those that have it in the body window."""


class Column:
    """One field of every document of a pool."""

    __slots__ = ("data", "starts")

    def __init__(self, data: bytes, starts: list[int]) -> None:
        self.data = data
        """The texts as UTF-8, each followed by the separator."""
        self.starts = starts
        """Where each text begins, and one past the last separator."""

    @classmethod
    def of(cls, texts: Iterator[str]) -> Column:
        """The column of some texts."""
        pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
        starts = [0]
        end = 0
        for piece in pieces:
            end += len(piece) + 1
            starts.append(end)
        return cls(_SEPARATOR.join([*pieces, b""]), starts)

    def containing(self, token: bytes) -> Iterator[int]:
        """The places of the texts that contain a token, in order."""
        find, starts = self.data.find, self.starts
        place, end = -1, 0
        found = find(token)
        while found >= 0:
            place += 1
            end = starts[place + 1]
            if found >= end:
                place = bisect_right(starts, found, place) - 1
                end = starts[place + 1]
            yield place
            found = find(token, end)

    def text(self, place: int) -> str:
        """One text."""
        piece = self.data[self.starts[place] : self.starts[place + 1] - 1]
        return piece.decode("utf-8", "surrogatepass")

    def spliced(self, runs: Sequence[tuple[int, int] | str]) -> Column:
        """A column of runs of this one's texts, from a place up to another, and of new texts."""
        pieces: list[bytes] = []
        starts = [0]
        for run in runs:
            end = starts[-1]
            if isinstance(run, str):
                pieces.append(run.encode("utf-8", "surrogatepass") + _SEPARATOR)
                starts.append(end + len(pieces[-1]))
            else:
                first, last = run
                offset = end - self.starts[first]
                pieces.append(self.data[self.starts[first] : self.starts[last]])
                starts.extend(start + offset for start in self.starts[first + 1 : last + 1])
        return Column(b"".join(pieces), starts)


@dataclass(frozen=True, slots=True)
class TextIndex:
    """The three columns of a pool for one body window."""

    documents: tuple[Document, ...]
    """The pool's documents, in order."""
    title: Column
    """Folded titles."""
    description: Column
    """Folded descriptions."""
    body: Column
    """Folded body windows."""
    found: dict[str, Matches] = field(default_factory=dict)
    """The matches of the tokens that were looked for last."""

    def matches(self, token: str) -> Matches:
        """Where a token stands; kept for the queries to come."""
        kept = self.found.pop(token, None)
        if kept is None:
            encoded = token.encode("utf-8", "surrogatepass")
            kept = Matches(
                list(self.title.containing(encoded)),
                list(self.description.containing(encoded)),
                list(self.body.containing(encoded)),
            )
            if len(self.found) >= MOST_TOKENS_KEPT:
                del self.found[next(iter(self.found))]
        self.found[token] = kept
        return kept

    def text(self, place: int) -> FoldedText:
        """The folded fields of the document at a place in pool order."""
        columns = (self.title, self.description, self.body)
        return FoldedText(*(column.text(place) for column in columns))


def text_index(pool: Pool, body_window_chars: int) -> TextIndex:
    """The index of a pool, computed once for each window.

    A pool that was made from another by a change takes over what did not change.
    """
    key = ("text index", body_window_chars)
    kept = pool.memo.get(key)
    if isinstance(kept, TextIndex):
        if kept.documents is pool.documents:
            return kept
        index = _spliced(kept, pool.documents, body_window_chars)
    else:
        index = _built(pool.documents, body_window_chars)
    pool.memo[key] = index
    return index


def _built(documents: tuple[Document, ...], window: int) -> TextIndex:
    return TextIndex(
        documents,
        Column.of(fold(each.title) for each in documents),
        Column.of(fold(each.description) for each in documents),
        Column.of(fold(cut(each.scored_body, window)) for each in documents),
    )


def _spliced(kept: TextIndex, documents: tuple[Document, ...], window: int) -> TextIndex:
    known = {id(each): place for place, each in enumerate(kept.documents)}
    runs: list[tuple[int, int] | Document] = []
    for document in documents:
        place = known.get(id(document))
        if place is None:
            runs.append(document)
        elif runs and isinstance(runs[-1], tuple) and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    new = [run if isinstance(run, tuple) else fold_document(run, window) for run in runs]
    return TextIndex(
        documents,
        kept.title.spliced([run if isinstance(run, tuple) else run.title for run in new]),
        kept.description.spliced(
            [run if isinstance(run, tuple) else run.description for run in new]
        ),
        kept.body.spliced([run if isinstance(run, tuple) else run.body for run in new]),
    )


def starts_are_consistent(column: Column) -> bool:
    """Whether every text of a column ends in a separator; for the tests."""
    return all(column.data[end - 1 : end] == _SEPARATOR for _, end in pairwise(column.starts))
