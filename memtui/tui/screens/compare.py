"""The comparison: the recall beside other designs, and beside what it was before a change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from memtui.memory.document import Pool
from memtui.recall.compare import PRESETS, Comparison, compare, preset_options
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from memtui.tui.bindings import bindings_of
from memtui.tui.newest import Newest
from memtui.tui.paint import content, paragraphs
from memtui.tui.screens.dialog import Dialog
from memtui.tui.stopping import Stale
from memtui.tui.view.comparison import (
    MEANINGS,
    Difference,
    comparison_pane,
    differences,
    regime_line,
    sides,
)
from memtui.tui.view.pieces import Line, Piece, line, width_of
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View
from memtui.tui.view.what_if import Asked
from memtui.tui.widgets.row_list import RowList

PoolUnder = Callable[[RecallOptions], Pool]
"""The pool as it was read, under the limits of some options."""


@dataclass(frozen=True)
class Side:
    """One recall to compare with."""

    name: str
    """What to call it."""
    asked: Asked
    """What it asks for."""
    pool: PoolUnder
    """What it sees."""
    meaning: str = "the query, limits, tools and memories as they were"
    """In a few words."""


class CompareScreen(Dialog[str | None]):
    """Gained, lost and moved documents, each with its reason; answers with the one to look into."""

    BINDINGS = bindings_of("other-comparison", "comparison-before")

    @dataclass
    class Compared(Message):
        """A comparison has been made."""

        place: int
        comparison: Comparison
        rows: tuple[Difference, ...]

    def __init__(self, view: View, others: tuple[Side, ...]) -> None:
        super().__init__()
        self._view = view
        asked = Asked(view.recall.query.text, view.recall.options)
        presets = tuple(
            Side(
                name,
                replace(asked, options=preset_options(asked.options, name)),
                lambda _: view.scanned,
                MEANINGS[name],
            )
            for name in PRESETS
        )
        self.sides = (*others, *presets)
        self.place = 0
        self._work = Newest[int](self, "compare", self._compare)

    def compose(self) -> ComposeResult:
        """What is compared, the regime, and the differences."""
        with Vertical(id="frame"):
            yield Static("", markup=False, id="sides")
            yield Static("", markup=False, id="said")
            yield RowList()

    def on_mount(self) -> None:
        """Compares with the first."""
        self.label("compare", "accept", "other-comparison")
        self._list.focus()
        self._turn(0)

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    def _tabs(self) -> list[Line]:
        """The names of all sides; the one shown in brackets."""
        return [
            line(Piece(f"[{side.name}]", "primary"))
            if place == self.place
            else line(f" {side.name} ")
            for place, side in enumerate(self.sides)
        ]

    def _turn(self, place: int) -> None:
        self.place = place % len(self.sides)
        tabs = [piece for tab in self._tabs() for piece in tab]
        self.query_one("#sides", Static).update(content(tuple(tabs)))
        self._say(None)
        nothing = Rows[object](nothing="comparing…")
        self._list.show(PaneView((), (), nothing), None)
        self._work.put(self.place)

    def _say(self, comparison: Comparison | None) -> None:
        side = self.sides[self.place]
        lines = [line(Piece(f"{side.name}: {side.meaning}", "muted"))]
        if comparison is not None:
            if side.name == "capped":
                cap = comparison.after.options.limits.capped_scan_docs
                lines.append(regime_line(self._view.scanned, cap))
            lines.append(sides(comparison))
        self.query_one("#said", Static).update(paragraphs(lines))

    def _compare(self, place: int, stale: Stale) -> None:
        side, after = self.sides[place], self._view.recall
        options = replace(side.asked.options, selector=None, now_ms=after.now_ms)
        before = recall(side.asked.query, side.pool(options), options)
        if stale():
            return
        comparison = compare(before, after)
        rows = differences(comparison)
        if not stale():
            self.post_message(self.Compared(place, comparison, rows))

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        if event.place != self.place:
            return
        side = self.sides[self.place]
        pane = comparison_pane(side.name, event.comparison, event.rows)
        self.frame.border_title = content(pane.title[0])
        self._say(event.comparison)
        self._list.show(pane, None)

    def action_other_comparison(self) -> None:
        """Compares with the next."""
        self._turn(self.place + 1)

    def action_comparison_before(self) -> None:
        """Compares with the one before."""
        self._turn(self.place - 1)

    @on(events.Click, "#sides")
    def _side_clicked(self, event: events.Click) -> None:
        left = 0
        for place, tab in enumerate(self._tabs()):
            if left <= event.x < left + width_of(tab):
                self._turn(place)
                return
            left += width_of(tab)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.dismiss(event.key)

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
