"""An evaluation as ``memtui.eval/1``: no times and no temporary paths, so that the same input gives
the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtui import __version__
from memtui.evaluate.deltas import Side, compare_sides
from memtui.evaluate.metrics import averages, rounded
from memtui.evaluate.pools import CasePool
from memtui.evaluate.run import Asked, CaseResult, Column
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import REPRODUCES
from memtui.recall.record import number

Json = dict[str, object]
SCHEMA = "memtui.eval/1"
BASELINE = "baseline: "
"""What the name of a configuration of an earlier run begins with, where it is compared with."""


@dataclass
class Evaluation:
    """What was run, and what came of it."""

    columns: list[Column]
    """One for each configuration."""
    planned: int
    """Cases that were to be run."""
    source: Mapping[str, object]
    """Where the cases come from: the name and hash of a file, and how it was sampled."""
    pools: dict[str, Json] = field(default_factory=dict)
    """The pools that were asked, by name; empty where every case has its own."""
    baseline: Sequence[Side] = ()
    """Configurations of an earlier run to compare with."""
    baseline_source: Mapping[str, object] = field(default_factory=dict)
    """Where the cases of that run came from."""

    def add(self, results: Sequence[CaseResult]) -> None:
        """Takes in what every configuration did with one case."""
        for column, result in zip(self.columns, results, strict=True):
            column.results.append(result)

    def drop_unfinished(self) -> None:
        """Drops what only some configurations did, where a run was interrupted."""
        done = self.done
        for column in self.columns:
            del column.results[done:]

    @property
    def done(self) -> int:
        """Cases that were run."""
        return min(len(column.results) for column in self.columns)

    @property
    def partial(self) -> bool:
        """Whether it was interrupted."""
        return self.done < self.planned

    @property
    def nothing_relevant(self) -> int:
        """Cases run for which nothing should be recalled."""
        return sum(1 for result in self.columns[0].results if not result.fates)

    @property
    def deltas(self) -> dict[str, Json]:
        """For each configuration that can be compared, what changed and against what.

        It is compared with the one of its name in the baseline, or with the only one there if both
        have only one; every other one with the first of this run.
        """
        sides = [Side.of(column_record(column)) for column in self.columns]
        earlier = {side.name: side for side in self.baseline}
        found: dict[str, Json] = {}
        for place, side in enumerate(sides):
            against = earlier.get(side.name)
            if against is None and len(sides) == len(earlier) == 1:
                (against,) = earlier.values()
            name = f"{BASELINE}{against.name}" if against else ""
            if against is None and place:
                against, name = sides[0], sides[0].name
            if against is not None:
                found[side.name] = {"against": name, **compare_sides(against, side)}
        return found


def pools_record(asked: Sequence[Asked]) -> dict[str, Json]:
    """The pools of some cases as the first configuration sees them, by name."""
    return {
        each.case.pool: pool_record(each.pools[0])
        for each in reversed(asked)  # the first case of a pool has the last word
    }


def pool_record(where: CasePool) -> Json:
    """What a pool holds; its roots are left out, since they may be temporary."""
    return {
        "documents": len(where.pool.documents),
        "skipped": len(where.pool.skipped),
        "complete": where.pool.complete,
        "recency": where.recency,
        "now_ms": number(where.now_ms),
    }


def evaluation_record(evaluation: Evaluation) -> Json:
    """The whole evaluation."""
    return {
        "schema": SCHEMA,
        "memtui": __version__,
        "reproduces": REPRODUCES,
        "source": dict(evaluation.source),
        "baseline": dict(evaluation.baseline_source) if evaluation.baseline else None,
        "pools": {name: evaluation.pools[name] for name in sorted(evaluation.pools)},
        "cases": evaluation.done,
        "planned": evaluation.planned,
        "partial": evaluation.partial,
        "nothing_relevant": evaluation.nothing_relevant,
        "configurations": [column_record(column) for column in evaluation.columns],
        "deltas": evaluation.deltas,
    }


def column_record(column: Column) -> Json:
    """What one configuration did."""
    return {
        "name": column.configuration.name,
        "options": options_record(column.configuration.options),
        "ranked_by": column.rankers,
        "warnings": column.warnings,
        "metrics": column.metrics,
        "by_category": {
            category: {
                "cases": len(results),
                "nothing_relevant": sum(1 for each in results if not each.fates),
                "metrics": averages(each.scores for each in results),
            }
            for category, results in column.by_category.items()
        },
        "relevant": column.relevant,
        "recalled": column.relevant - sum(column.waterfall.values()),
        "waterfall": column.waterfall,
        "missed": column.missed,
        "results": [result_record(result) for result in column.results],
    }


def options_record(options: RecallOptions) -> Json:
    """What each recall was asked to do."""
    return {
        "ranker": options.ranker,
        "expansion": options.expand is not None,
        "selector": None if options.selector is None else options.selector.name,
        "requested_limit": options.requested_limit,
        "recent_tools": list(options.recent_tools),
        "design": options.design,
        "ablations": options.ablations.changed(),
        "limits": options.limits.as_dict(),
        "now_ms": None if options.now_ms is None else number(options.now_ms),
    }


def result_record(result: CaseResult) -> Json:
    """What became of one case."""
    recalls = ("manifest_recall", "context_recall", "silent")
    return {
        "id": result.case.id,
        "category": result.case.category,
        "first_rank": result.first_rank,
        "ranks": {name: fate.rank for name, fate in result.fates.items()},
        "lost": result.lost,
        "shown": result.shown,
        **{name: rounded(result.scores[name]) for name in recalls if name in result.scores},
    }
