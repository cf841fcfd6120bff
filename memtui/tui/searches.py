"""Looks for remedies and near misses in threads, and posts what is found as it is found."""

from __future__ import annotations

from dataclasses import dataclass

from textual.dom import DOMNode
from textual.message import Message

from memtui.memory.document import Document
from memtui.memory.edit import ReadBytes, read_bytes
from memtui.recall.why.changes import attempt, start
from memtui.recall.why.near import near_misses
from memtui.recall.why.remedies import Remedy, find_remedies, in_order
from memtui.tui.newest import Newest
from memtui.tui.precedence import Precedence
from memtui.tui.stopping import Stale, Stopped
from memtui.tui.view.ladder import Findings
from memtui.tui.view.nearly import Nearly, nearly_matching
from memtui.tui.view.view import View
from memtui.tui.view.what_if import Asked, WhatIf

PAUSE_S = 0.15
"""Seconds for which the highlight must rest before remedies are looked for unasked."""


@dataclass
class MoreFound(Message):
    """More is known about why a memory was or was not recalled."""

    found: Findings


@dataclass
class NearlyFound(Message):
    """The memories that nearly match a query without hits."""

    view: View
    found: tuple[Nearly, ...]


@dataclass
class Tried(Message):
    """A remedy was verified once more, to be put in force."""

    view: View
    what_if: WhatIf | None
    """None where it can not be applied any more."""


@dataclass(frozen=True)
class Trying:
    """A remedy to put in force."""

    found: Findings
    remedy: Remedy
    asked: Asked


class Searches:
    """What a screen wants to know about its recall. Only the newest question is answered."""

    def __init__(
        self, screen: DOMNode, precedence: Precedence, read_file: ReadBytes = read_bytes
    ) -> None:
        give_way = precedence.give_way
        self._screen = screen
        self._read_file = read_file
        self._why = Newest[Findings](
            screen, "why", self._explain, pause_s=PAUSE_S, give_way=give_way
        )
        self._nearly = Newest[View](
            screen, "nearly", self._look_around, pause_s=PAUSE_S, give_way=give_way
        )
        self._trying = Newest[Trying](screen, "what-if", self._try)
        self._about: Findings | None = None

    def explain(self, found: Findings, *, at_once: bool = False) -> None:
        """Wants near misses and remedies of a memory; answered by ``MoreFound`` messages."""
        asked = self._about
        if asked is not None and asked.about(found.view, found.key) and not at_once:
            return
        if found.searching:
            self._about = found
            self._why.put(found, at_once=at_once)

    def look_around(self, view: View) -> None:
        """Wants the memories that nearly match; answered by a ``NearlyFound`` message."""
        self._nearly.put(view)

    def apply(self, found: Findings, remedy: Remedy, asked: Asked) -> None:
        """Wants a remedy to be put in force; answered by a ``Tried`` message."""
        self._trying.put(Trying(found, remedy, asked))

    def drop(self) -> None:
        """Wants nothing any more: the recall is about to change."""
        self._about = None
        self._why.drop()
        self._nearly.drop()

    # In a thread

    def _explain(self, found: Findings, stale: Stale) -> None:
        view = found.view
        entry = view.entry(found.key)
        if entry is None:
            return
        if isinstance(entry, Document):
            found = found.with_more(near=near_misses(view.recall, entry))
            self._tell(found, stale)
        remedies: list[Remedy] = []
        if not found.recalled:
            for remedy in find_remedies(view.recall, entry, self._polling(stale)):
                remedies.append(remedy)
                found = found.with_more(remedies=in_order(remedies))
                self._tell(found, stale)
        self._tell(found.with_more(searching=False), stale)

    def _tell(self, found: Findings, stale: Stale) -> None:
        if stale():
            raise Stopped
        self._screen.post_message(MoreFound(found))

    def _polling(self, stale: Stale) -> ReadBytes:
        """Reads files, and ends a search that nobody waits for: it asks for files often."""

        def read(path: str) -> bytes:
            if stale():
                raise Stopped
            return self._read_file(path)

        return read

    def _look_around(self, view: View, stale: Stale) -> None:
        found = nearly_matching(view, stale, self._read_file)
        if not stale():
            self._screen.post_message(NearlyFound(view, found))

    def _try(self, trying: Trying, stale: Stale) -> None:
        found, remedy = trying.found, trying.remedy
        entry = found.view.entry(found.key)
        if entry is None:
            return
        trial = attempt(start(found.view.recall, entry), remedy.changes, self._read_file)
        what_if = None if trial is None else WhatIf.of(trial, remedy.detail, trying.asked, entry)
        if not stale():
            self._screen.post_message(Tried(found.view, what_if))
