"""The ranks of every memory by every ranker, in rows; and the rankers to choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtui.memory.document import Document
from memtui.recall.options import RecallOptions
from memtui.recall.rankers.base import Missing
from memtui.recall.rankers.registry import RANKERS, SideBySide
from memtui.recall.rankers.vector import NO_ENDPOINT
from memtui.tui.view.columns import Column, Fit
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View

BEST = "best"
"""The order by the best rank that any ranker gives."""
APART = "apart"
"""The order by how far the rankers are apart, the farthest first."""


@dataclass(frozen=True)
class Ranks:
    """What the screen shows."""

    view: View
    """The recall that is compared."""
    found: SideBySide
    """The ranks."""

    @property
    def orders(self) -> tuple[str, ...]:
        """What the rows can be sorted by."""
        return (*self.found.rankers, BEST, APART)

    def sorted_by(self, order: str) -> tuple[str, ...]:
        """The ids of everything that was found."""
        ranks = self.found.ranks
        worst = len(self.view.recall.pool.documents) + 1
        place = self.view.recall.pool.position

        def best(document_id: str) -> int:
            return min(ranks[document_id].values())

        def apart(document_id: str) -> int:
            given = [ranks[document_id].get(name, worst) for name in self.found.rankers]
            return min(given) - max(given)

        def by(document_id: str) -> int:
            if order == BEST:
                return best(document_id)
            if order == APART:
                return apart(document_id)
            return ranks[document_id].get(order, worst)

        return tuple(sorted(ranks, key=lambda each: (by(each), best(each), place[each])))


def ranks_pane(ranks: Ranks, order: str) -> PaneView:
    """The rows in an order."""
    rankers = ranks.found.rankers
    columns = (
        Column("", 1),
        *(
            Column(name + ("↓" if name == order else ""), max(4, len(name) + 1), right=True)
            for name in rankers
        ),
        Column("memory", 12, flexible=True),
    )
    nothing = "no ranker finds anything for this query"
    rows = Rows[object](columns, ranks.sorted_by(order), str, _cells(ranks), nothing)
    return PaneView((), (), rows)


def _cells(ranks: Ranks) -> Callable[[object], tuple[Line, ...]]:
    view, most = ranks.view, ranks.view.recall.budget.effective

    def cells(item: object) -> tuple[Line, ...]:
        key = str(item)
        entry = view.entry(key)
        title = entry.title or entry.relative_path if isinstance(entry, Document) else key
        fate = view.fate_of[key]
        given = ranks.found.ranks[key]
        return (
            (fate.glyph,),
            *(_rank(given.get(name), most) for name in ranks.found.rankers),
            line(Piece(title, fate.title_tone)),
        )

    return cells


def _rank(rank: int | None, most: int) -> Line:
    if rank is None:
        return line(Piece("–", "muted"))
    return line(Piece(f"{rank:,}", "accent" if rank <= most else "plain"))


def order_words(order: str) -> str:
    """An order in words."""
    return {BEST: "the best rank", APART: "how far the rankers are apart"}.get(order, order)


def about_ranks(ranks: Ranks, order: str) -> Line:
    """What is shown, and which ranker could not run."""
    count = len(ranks.found.ranks)
    most = ranks.view.recall.budget.effective
    return line(
        Piece(f"{count:,} found, by {order_words(order)}", "plain"),
        Piece(" · ", "muted"),
        Piece(f"1 to {most}", "accent"),
        Piece(" would be selected · – not found", "muted"),
        *(_missing(each) for each in ranks.found.missing),
    )


def _missing(missing: Missing) -> Piece:
    return Piece(f" · {missing.ranker} can not run: {missing.detail}", "warning")


def ranker_at(ranks: Ranks, fit: Fit, x: int) -> str | None:
    """The ranker whose heading is at a cell of the row."""
    left = 0
    for index, width in fit:
        if left <= x < left + width and 1 <= index <= len(ranks.found.rankers):
            return ranks.found.rankers[index - 1]
        left += width + 1
    return None


# The rankers to choose from

CHOICE_COLUMNS = (
    Column("", 1),
    Column("ranker", 8),
    Column("what it does", 20, flexible=True),
)


def rankers_pane(options: RecallOptions) -> PaneView:
    """Every ranker with what it does, or why it can not run; the one in force is marked."""

    def cells(item: object) -> tuple[Line, ...]:
        name = str(item)
        mark = Piece("●", "success") if name == options.ranker else Piece("○", "muted")
        missing = name == "vector" and options.embedder is None
        said = (
            Piece(f"can not run: {NO_ENDPOINT}", "warning")
            if missing
            else Piece(RANKERS[name].summary, "muted")
        )
        return (mark,), line(Piece(name, "strong")), (said,)

    return PaneView((), (), Rows[object](CHOICE_COLUMNS, tuple(RANKERS), str, cells))


def about_ranker(options: RecallOptions, name: str) -> Line:
    """What a ranker's scores are, and what happens where it can not run."""
    if name == "vector" and options.embedder is None:
        fallback = RANKERS[name].falls_back_to
        return line(Piece(f"{NO_ENDPOINT}; {fallback} ranks instead", "warning"))
    scores = {
        "lexical": "points by field: title 4, description 3, body 1, type up to 2",
        "hybrid": "scores are Σ 1/(60 + rank), so no more than a few hundredths",
    }.get(name, "scores from 0 to 1")
    asked = " · it asks the embeddings endpoint on enter" if _asks(options, name) else ""
    return line(Piece(f"{scores}{asked}", "muted"))


def _asks(options: RecallOptions, name: str) -> bool:
    return options.embedder is not None and name in ("vector", "hybrid")
