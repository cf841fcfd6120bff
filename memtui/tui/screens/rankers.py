"""Rankers: one to be chosen, or all of them side by side on the query as it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from memtui.recall.options import RecallOptions
from memtui.recall.rankers.registry import ranks_by_ranker
from memtui.tui.abortable import abortable
from memtui.tui.bindings import bindings_of
from memtui.tui.paint import content
from memtui.tui.screens.dialog import TRIAL_STYLES, Dialog
from memtui.tui.screens.list_dialog import ListDialog
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.side_by_side import (
    APART,
    BEST,
    Ranks,
    about_ranker,
    about_ranks,
    ranker_at,
    rankers_pane,
    ranks_pane,
)
from memtui.tui.view.view import View
from memtui.tui.widgets.row_list import GUTTER, RowList

UseRanker = Callable[[str], None]
"""Recalls with a ranker of this name."""


class RankerScreen(ListDialog[None]):
    """Enter takes the highlighted ranker."""

    CSS_PATH = TRIAL_STYLES

    def __init__(self, options: RecallOptions, use: UseRanker) -> None:
        super().__init__()
        self._options = options
        self._use = use

    def on_mount(self) -> None:
        """Shows the rankers, with the cursor on the one in force."""
        self.label("ranker", "accept")
        self.list.show(rankers_pane(self._options), self._options.ranker)
        self.describe()
        self.list.focus()

    def about(self) -> Iterable[Line]:
        """What the scores of the highlighted ranker are."""
        yield about_ranker(self._options, self.list.key or "lexical")

    def choose(self, key: str) -> None:
        """Takes the ranker."""
        self._use(key)
        self.dismiss(None)


@dataclass
class RanksReady(Message):
    """Every ranker has ranked, or could not."""

    ranks: Ranks


class RankList(RowList):
    """The ranks; a click on a heading sorts by it."""

    @dataclass
    class HeadingClicked(Message):
        """A heading was clicked."""

        x: int

    def on_click(self, event: events.Click) -> None:
        """Sorts by the heading that was clicked; below it, moves to the row."""
        if self._has_headings(self.size.height) and event.y == 0:
            event.prevent_default()
            self.post_message(self.HeadingClicked(event.x - GUTTER))

    @property
    def fit(self) -> tuple[tuple[int, int], ...]:
        """The columns as they are shown."""
        return self._fit


class RankersScreen(Dialog[str]):
    """The rank of every memory by every ranker; enter answers with the memory."""

    CSS_PATH = TRIAL_STYLES
    BINDINGS = bindings_of("next-sort", "use-ranker")

    def __init__(self, view: View, options: RecallOptions, use: UseRanker) -> None:
        super().__init__()
        self._view = view
        self._options = options
        self._use = use
        self._ranks: Ranks | None = None
        self._order = BEST
        self._stop = threading.Event()

    def compose(self) -> ComposeResult:
        """What is shown, and the rows."""
        with Vertical(id="frame", classes="tall"):
            yield Static("", markup=False, id="said")
            yield RankList()

    def on_mount(self) -> None:
        """Begins to rank, in a thread."""
        self.label("rankers side by side", "accept", "next-sort", "use-ranker")
        self._say(line(Piece("ranking …", "primary")))
        self._list.focus()
        self.run_worker(self._work_out, group="ranks", thread=True, exit_on_error=True)

    def on_unmount(self) -> None:
        """Nobody waits for the ranks any more."""
        self._stop.set()

    def _work_out(self) -> None:
        recall, options = self._view.recall, abortable(self._options, self._stop)
        found = ranks_by_ranker(
            recall.pool,
            recall.eligible,
            recall.query,
            options.limits,
            expanded=bool(recall.query.added_terms) or options.expand is not None,
            embedder=options.embedder,
        )
        if not self._stop.is_set():
            self.post_message(RanksReady(Ranks(self._view, found)))

    @property
    def _list(self) -> RankList:
        return self.query_one(RankList)

    def _say(self, said: Line) -> None:
        self.query_one("#said", Static).update(content(said))

    def _show(self, key: str | None) -> None:
        if self._ranks is not None:
            self._list.show(ranks_pane(self._ranks, self._order), key)
            self._say(about_ranks(self._ranks, self._order))

    @on(RanksReady)
    def _ranks_ready(self, event: RanksReady) -> None:
        self._ranks = event.ranks
        ranker = self._view.recall.ranker
        self._order = ranker if ranker in event.ranks.orders else BEST
        self._show(None)

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.dismiss(event.key)

    @on(RankList.HeadingClicked)
    def _heading_clicked(self, event: RankList.HeadingClicked) -> None:
        event.stop()
        if self._ranks is not None:
            ranker = ranker_at(self._ranks, self._list.fit, event.x)
            self._sort(ranker or (BEST if self._order != BEST else APART))

    def _sort(self, order: str) -> None:
        self._order = order
        self._show(self._list.key)

    def action_next_sort(self) -> None:
        """Sorts by the next ranker, by the best rank, or by how far they are apart."""
        if self._ranks is not None:
            orders = self._ranks.orders
            self._sort(orders[(orders.index(self._order) + 1) % len(orders)])

    def action_use_ranker(self) -> None:
        """Recalls with the ranker that the rows are sorted by."""
        if self._ranks is not None and self._order in self._ranks.found.rankers:
            self._use(self._order)
            self.dismiss(None)
        elif self._ranks is not None:
            self._say(line(Piece("S sorts by a ranker first, then b recalls with it", "warning")))
