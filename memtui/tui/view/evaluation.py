"""An evaluation on the screen: how far it is, where memories are lost, and every case."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from memtui.evaluate import Asked, CaseResult, Evaluation
from memtui.evaluate import Column as Results
from memtui.memory.dialects import Dialect
from memtui.memory.document import Document, Scope, SkippedFile
from memtui.recall.why.ladder import REASONS
from memtui.setup import Setup
from memtui.text import plural
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, Tone, line, richest
from memtui.tui.view.rows import PaneView, Rows

RECALLED = "recalled"
"""The row of the waterfall with the memories that the context shows."""
BAR_CELLS = 16
_METRICS = (
    ("context_recall", "context"),
    ("manifest_recall", "manifest"),
    ("recall_any@1", "any@1"),
    ("recall_any@5", "any@5"),
    ("recall_any@10", "any@10"),
    ("mrr", "mrr"),
    ("ndcg@10", "ndcg@10"),
    ("silent", "silent"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A memory in any pool, whatever folder it was read from."""

    scope: Scope
    relative_path: str


@dataclass(frozen=True)
class Evaluated:
    """A case file that was run, or the first part of it."""

    name: str
    """The file as it was typed."""
    setup: Setup
    """The roots of the cases that name no pool."""
    folder: str
    """Where relative pools start."""
    evaluation: Evaluation
    """What came of it."""
    asked: tuple[Asked, ...]
    """The cases in the order of the file, with the pools they were asked in."""
    dialect: Dialect | None = None
    """How the pools that cases name were read; None for that of each pool."""

    @property
    def results(self) -> Results:
        """What the one configuration did."""
        return self.evaluation.columns[0]

    @cached_property
    def worst_first(self) -> tuple[int, ...]:
        """The places of the cases that were run, the worst first."""
        results = self.results.results
        return tuple(sorted(range(len(results)), key=lambda place: _badness(results[place])))

    def lost_by(self, verdict: str | None) -> tuple[int, ...]:
        """Those that lost, or recalled, a memory so; all of them without a verdict."""
        results = self.results.results
        if verdict is None:
            return self.worst_first
        return tuple(
            place
            for place in self.worst_first
            if any((fate.lost or RECALLED) == verdict for fate in results[place].fates.values())
        )

    def worth_seeing(self, place: int) -> Place | None:
        """The memory of a case to highlight: the first that was lost, else the first."""
        fates = self.results.results[place].fates
        targets = self.asked[place].targets[0]
        names = sorted(fates, key=lambda name: fates[name].lost is None)
        for name in names:
            target = targets[name]
            if isinstance(target, Document | SkippedFile):
                return Place(target.scope, target.relative_path)
        return None


def _badness(result: CaseResult) -> tuple[bool, float, float]:
    """Sorts the worst case first: what it lost, then how far down the best memory stands."""
    rank = result.first_rank
    far = -math.inf if rank is None else -rank
    return result.passed, result.scores.get("context_recall", 0.0), far


def summary(evaluated: Evaluated, width: int) -> Line:
    """The numbers of a run in one line of ``width`` cells."""
    evaluation, metrics = evaluated.evaluation, evaluated.results.metrics
    failed = sum(1 for each in evaluated.results.results if not each.passed)
    options: list[Line] = []
    stopped = f"stopped after {evaluation.done:,} of {evaluation.planned:,} · "
    said = line(
        Piece(stopped if evaluation.partial else "", "warning"),
        Piece(f"{evaluated.results.configuration.name}: ", "strong"),
        plural(evaluation.done, "case"),
        Piece(f" · {failed:,} miss", "error" if failed else "success"),
    )
    for count in range(len(_METRICS), 0, -1):
        values = [
            Piece(f" · {label} {metrics[name]:.3f}", "muted")
            for name, label in _METRICS[:count]
            if metrics[name] is not None
        ]
        options.append((*said, *values))
    return richest([*options, said], width)


def progress(done: int, planned: int, width: int) -> Line:
    """How far a run is, as a bar with numbers."""
    tail = f" {done:,} of {planned:,} cases · esc stops" if planned else "reading the cases …"
    room = max(0, min(40, width - len(tail)))
    filled = round(room * done / planned) if planned else 0
    if not planned:
        return line(Piece(tail, "primary"))
    return line(Piece("━" * filled, "success"), Piece("┄" * (room - filled), "muted"), tail)


WATERFALL_COLUMNS = (
    Column("where memories are lost", 28, most=36),
    Column("", 5, right=True),
    Column("", BAR_CELLS, drop=2),
    Column("", 10, flexible=True, drop=3),
)


def waterfall_pane(evaluated: Evaluated, only: str | None) -> PaneView:
    """Where relevant memories were lost, in the order of the pipeline, as bars."""
    results = evaluated.results
    lost = results.waterfall
    counts = {RECALLED: results.relevant - sum(lost.values()), **lost}

    def cells(item: object) -> tuple[Line, ...]:
        name = str(item)
        good = name == RECALLED
        tone: Tone = "success" if good else "error"
        filled = round(BAR_CELLS * counts[name] / max(1, results.relevant))
        bar = "█" * max(1 if counts[name] else 0, filled)
        words = "in the context" if good else REASONS.get(name.partition(":")[2], "")
        return (
            line(Piece("▸ " if name == only else "", "accent"), Piece(name, "strong")),
            line(f"{counts[name]:,}"),
            line(Piece(bar, tone)),
            line(Piece(words, "muted")),
        )

    return PaneView((), (), Rows[object](WATERFALL_COLUMNS, tuple(counts), str, cells))


CASE_COLUMNS = (
    Column("", 1),
    Column("rank", 4, right=True),
    Column("query", 16, flexible=True),
    Column("lost at", 20, most=30, drop=1),
    Column("category", 10, drop=2),
)


def cases_pane(evaluated: Evaluated, only: str | None) -> PaneView:
    """The cases, the worst first; those alone that lost something so, if ``only`` says how."""
    rows = Rows[object](
        CASE_COLUMNS, evaluated.lost_by(only), str, _case_cells(evaluated), "no case was run"
    )
    return PaneView((), (), rows)


def _case_cells(evaluated: Evaluated) -> Callable[[object], tuple[Line, ...]]:
    results = evaluated.results.results

    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, int)
        result = results[item]
        mark = Piece("✓", "success") if result.passed else Piece("✗", "error")
        rank = result.first_rank
        return (
            (mark,),
            line(Piece("–" if rank is None else f"{rank:,}", "muted" if rank is None else "plain")),
            line(Piece(result.case.query or "(blank)", "plain" if result.passed else "strong")),
            line(Piece(_lost(result), "muted" if result.passed else "error")),
            line(Piece(result.case.category, "muted")),
        )

    return cells


def _lost(result: CaseResult) -> str:
    if not result.fates:
        return "silent" if result.passed else f"shows {result.shown:,}, none relevant"
    lost = tuple(dict.fromkeys(result.lost.values()))
    more = f" +{len(lost) - 1}" if len(lost) > 1 else ""
    return f"{lost[0]}{more}" if lost else ""


def about_case(evaluated: Evaluated, place: int) -> Line:
    """What became of each relevant memory of a case."""
    result = evaluated.results.results[place]
    head = line(Piece(result.case.id, "strong"), Piece(" · ", "muted"))
    if not result.fates:
        return (*head, Piece("nothing is relevant", "muted"))
    said: list[Piece] = []
    for name, fate in result.fates.items():
        said.append(Piece(", " if said else ""))
        said.append(Piece(f"{name} "))
        verdict = f"✗ {fate.lost}" if fate.lost else "✓"
        said.append(Piece(verdict, "error" if fate.lost else "success"))
    return (*head, *said)


def problems_pane(problems: tuple[str, ...]) -> PaneView:
    """What is wrong with a case file, one problem a row."""
    columns = (Column("", 1), Column("what is wrong", 20, flexible=True))

    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, int)
        return (Piece("✗", "error"),), line(problems[item])

    return PaneView((), (), Rows[object](columns, range(len(problems)), str, cells))
