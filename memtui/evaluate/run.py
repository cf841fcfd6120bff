"""Runs cases, one recall for each case and configuration, and keeps the verdict of ``why``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from memtui.evaluate.cases import Case, CaseError, Problem, problem_of
from memtui.evaluate.metrics import Rank, averages, first_rank, rank_scores
from memtui.evaluate.pools import CasePool, Pools, find_relevant
from memtui.memory.document import Document
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.why.ladder import REASONS, STAGES, Rung, climb
from memtui.recall.why.target import Target


@dataclass(frozen=True)
class Configuration:
    """One way to run every case."""

    name: str
    """As it is shown; unique in a run."""
    options: RecallOptions
    """What each recall is asked to do."""


@dataclass(frozen=True)
class Asked:
    """A case, and for each configuration the pool it is asked in."""

    case: Case
    """The case."""
    pools: tuple[CasePool, ...]
    """One for each configuration, in order."""
    targets: tuple[Mapping[str, Target], ...]
    """For each configuration, what the names in the case mean."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one relevant memory."""

    rank: Rank
    """Its rank in the full, uncut ranking."""
    packed: bool
    """Whether its line stands in the manifest."""
    lost: str | None
    """Where it was lost, ``stage:reason`` as ``why`` says it; None if the context shows it."""
    missed: str | None
    """What it missed before that without being lost, ``rank:no-match`` for instance."""


@dataclass(frozen=True)
class CaseResult:
    """What one configuration did with one case."""

    case: Case
    """The case."""
    fates: Mapping[str, Fate]
    """What became of each relevant memory, by its name in the case."""
    shown: int
    """Memories that the context shows, relevant or not."""
    ranker: str
    """The ranker that really ranked."""
    warnings: tuple[str, ...]
    """What was not as asked for."""

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks of what is relevant."""
        return tuple(fate.rank for fate in self.fates.values())

    @property
    def first_rank(self) -> Rank:
        """The rank of the best relevant memory."""
        return first_rank(self.ranks)

    @property
    def lost(self) -> dict[str, str]:
        """The relevant memories that the context does not show, with where they were lost."""
        return {name: fate.lost for name, fate in self.fates.items() if fate.lost}

    @property
    def passed(self) -> bool:
        """Whether the context shows all that is relevant; nothing, where nothing is."""
        return not self.lost if self.fates else not self.shown

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """The metrics of this case: ``silent`` alone where nothing is relevant."""
        if not self.fates:
            return {"silent": float(not self.shown)}
        fates = self.fates.values()
        return {
            **rank_scores(self.ranks),
            "manifest_recall": sum(fate.packed for fate in fates) / len(fates),
            "context_recall": sum(fate.lost is None for fate in fates) / len(fates),
        }


@dataclass
class Column:
    """What one configuration did with every case so far."""

    configuration: Configuration
    """The configuration."""
    results: list[CaseResult] = field(default_factory=list)
    """One for each case, in order."""

    @property
    def metrics(self) -> dict[str, float | None]:
        """The mean of each metric."""
        return averages(result.scores for result in self.results)

    @property
    def by_category(self) -> dict[str, list[CaseResult]]:
        """The results by category, in the order in which categories appear."""
        found: dict[str, list[CaseResult]] = {}
        for result in self.results:
            found.setdefault(result.case.category, []).append(result)
        return found

    @property
    def relevant(self) -> int:
        """Relevant memories in all cases."""
        return sum(len(result.fates) for result in self.results)

    @property
    def waterfall(self) -> dict[str, int]:
        """Where relevant memories were lost, in the order of the pipeline."""
        return _in_order(lost for result in self.results for lost in result.lost.values())

    @property
    def missed(self) -> dict[str, int]:
        """What the lost ones had missed before, in the order of the pipeline."""
        fates = (fate for result in self.results for fate in result.fates.values())
        return _in_order(fate.missed for fate in fates if fate.lost and fate.missed)

    @property
    def rankers(self) -> dict[str, int]:
        """The rankers that really ranked, with the number of cases."""
        return dict(Counter(result.ranker for result in self.results))

    @property
    def warnings(self) -> dict[str, int]:
        """What was not as asked for, with the number of cases."""
        return dict(Counter(text for result in self.results for text in result.warnings))


def _in_order(verdicts: Iterable[str]) -> dict[str, int]:
    counts = Counter(verdicts)
    stages: list[str] = [*STAGES, "delivery"]
    reasons = list(REASONS)

    def place(verdict: str) -> tuple[int, int]:
        stage, _, reason = verdict.partition(":")
        return stages.index(stage), reasons.index(reason)

    return {verdict: counts[verdict] for verdict in sorted(counts, key=place)}


def plan(
    cases: Sequence[Case], configurations: Sequence[Configuration], pools: Sequence[Pools]
) -> list[Asked]:
    """The cases with their pools open and the names in them resolved, before any of them is run.

    Args:
        cases: in the order in which they are run.
        configurations: every one runs every case.
        pools: for each configuration, where its pools come from; often the same.

    Raises:
        CaseError: a pool or a name fits nothing; every problem of every case.
        MemoryRootError: a root of the command can not be read.

    """
    problems: dict[Problem, None] = {}
    planned: list[Asked] = []
    for case in cases:
        opened: list[CasePool] = []
        targets: list[Mapping[str, Target]] = []
        for configuration, source in zip(configurations, pools, strict=True):
            try:
                where = source.open(case.pool, configuration.options.limits)
            except CaseError as error:
                problems |= {problem_of(case, str(each)): None for each in error.problems}
                continue
            try:
                targets.append(find_relevant(case, where))
            except CaseError as error:
                problems |= dict.fromkeys(error.problems)
                continue
            opened.append(where)
        planned.append(Asked(case, tuple(opened), tuple(targets)))
    if problems:
        raise CaseError(list(problems))
    return planned


def run_cases(
    asked: Iterable[Asked], configurations: Sequence[Configuration]
) -> Iterator[tuple[CaseResult, ...]]:
    """The results of one case after the other, each by every configuration.

    Whoever stops asking for more has whole cases, the same for every configuration.
    """
    for each in asked:
        yield tuple(
            run_case(each.case, configuration, where, targets)
            for configuration, where, targets in zip(
                configurations, each.pools, each.targets, strict=True
            )
        )


def run_case(
    case: Case, configuration: Configuration, where: CasePool, targets: Mapping[str, Target]
) -> CaseResult:
    """One recall, and the verdict of ``why`` on each relevant memory. Nothing is traced."""
    options = configuration.options
    tools = dict.fromkeys((*options.recent_tools, *case.recent_tools))
    now_ms = where.now_ms if options.now_ms is None else options.now_ms
    result = recall(
        case.query, where.pool, replace(options, recent_tools=tuple(tools), now_ms=now_ms)
    )
    return CaseResult(
        case=case,
        fates={name: fate_of(result, target) for name, target in targets.items()},
        shown=len(result.context.kept),
        ranker=result.ranker,
        warnings=result.warnings,
    )


def fate_of(result: Recall, target: Target) -> Fate:
    """What became of one memory, read from the ladder of ``why`` and from nothing else."""
    ladder = climb(result, target)
    rank = result.ranking.ranks.get(target.id) if isinstance(target, Document) else None
    packed = any(rung.stage == "manifest" and rung.verdict == "passed" for rung in ladder)
    return Fate(rank, packed, _first(ladder, "lost"), _first(ladder, "missed"))


def _first(ladder: Sequence[Rung], verdict: str) -> str | None:
    return next((f"{rung.stage}:{rung.reason}" for rung in ladder if rung.verdict == verdict), None)
