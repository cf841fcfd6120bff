"""``eval``: labelled cases against the memories, as a table, as JSON, and as a gate."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.benchmark import check_benchmark_options, questions, record_of, surveyed
from memtui.cli.completion import cases as known_cases
from memtui.cli.completion import files
from memtui.cli.options import Options, common_options
from memtui.cli.output import CommandError, Exit, narrate, write_json, write_line
from memtui.cli.progress import progress
from memtui.cli.report_file import ReportFile
from memtui.cli.setups import setup_from, versus
from memtui.cli.teaching import epilog
from memtui.config import load_config
from memtui.engine import Engine
from memtui.limits import Limits
from memtui.memory.document import Pool
from memtui.setup import Setup

if TYPE_CHECKING:
    from memtui.evaluate import (
        Asked,
        Configuration,
        Evaluation,
        Pools,
        Threshold,
    )
    from memtui.evaluate.baseline import Baseline
    from memtui.evaluate.cases import CaseError
    from memtui.evaluate.longmemeval import Granularity
    from memtui.memory.files import Recency

MOST_PROBLEMS = 20
"""Problems of a case file that are printed."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What the options of the command say."""

    cases: str | None
    rankers: str | None
    expansion: str | None
    vs: str | None
    baseline: str | None
    fail_under: tuple[str, ...]
    junit: str | None
    longmemeval: str | None
    granularity: Granularity
    per_category: int | None
    seed: int


@click.command(
    "eval",
    epilog=epilog(
        "memtui eval demo                                  # the cases that come with memtui",
        "memtui eval cases.jsonl --fail-under context_recall=.9   # a gate for CI",
        "memtui eval demo --rankers lexical,bm25 --expansion both",
    ),
)
@click.argument("cases", required=False, shell_complete=known_cases)
@click.option("--rankers", metavar="A,B,…", help="Run every case with each of these rankers.")
@click.option(
    "--expansion",
    type=click.Choice(["off", "on", "both"]),
    help="Expand queries, or run every case with and without.",
)
@click.option(
    "--vs",
    metavar="OPTIONS",
    help='Run every case with other options too: "--set manifest_bytes=9000".',
)
@click.option(
    "--baseline",
    metavar="FILE",
    shell_complete=files,
    help="Compare with what eval --json printed before.",
)
@click.option(
    "--fail-under",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit code 1 if the first configuration does not reach this; repeatable.",
)
@click.option(
    "--junit", metavar="FILE", shell_complete=files, help="Also write JUnit XML to this file."
)
@click.option(
    "--longmemeval",
    metavar="FILE",
    shell_complete=files,
    help="Take the questions of this LongMemEval file as cases.",
)
@click.option(
    "--granularity",
    type=click.Choice(["session", "turn"]),
    default="session",
    show_default=True,
    help="What is one memory of a LongMemEval haystack.",
)
@click.option(
    "--per-category",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many LongMemEval questions of each type.",
)
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Which ones are taken."
)
@common_options
def evaluate(options: Options, **asked: Any) -> int:
    """Run labelled cases and tell what is recalled, what is lost, and where.

    CASES is a file of JSON or JSON lines, or demo for the cases that come with memtui. Exit code 1:
    a metric is below --fail-under.
    """
    asking = Asking(**asked)
    if (asking.cases is None) == (asking.longmemeval is None):
        raise CommandError("eval wants a file with CASES, or --longmemeval FILE")
    check_benchmark_options(options, is_benchmark=asking.longmemeval is not None)
    thresholds = _thresholds(asking.fail_under)
    baseline = _baseline(asking.baseline)
    with ExitStack() as stack:
        run = _prepared(asking, options, stack)
        evaluation = run.evaluation
        if baseline is not None:
            evaluation.baseline = baseline.sides
            evaluation.baseline_source = baseline.source
            _warn_of_baseline(baseline, evaluation)
        junit = None if asking.junit is None else ReportFile("--junit", asking.junit)
        if junit is not None:
            junit.check(run.roots, _inputs(asking, run))
        interrupted = _collect(run)
    try:
        if junit is not None:
            _write_junit(junit, evaluation, thresholds)
    finally:  # what was measured is told also where the file can not be written
        _write(evaluation, as_json=options.json)
    if interrupted:
        narrate(f"interrupted after {evaluation.done:,} of {evaluation.planned:,} cases")
        return Exit.INTERRUPTED
    return _gate(evaluation, thresholds)


@dataclass
class Run:
    """A run that is about to begin."""

    evaluation: Evaluation
    asked: Iterable[Asked]
    configurations: Sequence[Configuration]
    roots: frozenset[str] = frozenset()
    """Every memory root that is read."""
    databases: tuple[str, ...] = ()
    """Every memory database that is read."""


def _prepared(asking: Asking, options: Options, stack: ExitStack) -> Run:
    """The configurations, and the cases with everything that they name resolved.

    Raises:
        CommandError: something in the options or the cases can not be used.

    """
    from memtui.evaluate import Column, Configuration, Evaluation, plan, pools_record
    from memtui.evaluate.cases import CaseError, CaseFile, read_cases

    setup = stack.enter_context(setup_from(options))
    chosen = _configurations(asking, setup)
    setups = [(options, setup)] * len(chosen)
    if asking.vs is not None:
        other, changed = versus(asking.vs, options, setup, stack)
        name = " ".join(shlex.split(asking.vs)) or "vs"
        chosen.append(Configuration(name, changed.options))
        setups.append((other, changed))
    _check_names(chosen)
    columns = [Column(each) for each in chosen]
    if asking.longmemeval is not None:
        found, sample = surveyed(
            asking.longmemeval, asking.granularity, asking.per_category, asking.seed
        )
        asked = questions(asking.longmemeval, found, asking.granularity, sample, len(chosen))
        source = record_of(found, asking.granularity, asking.per_category, asking.seed)
        return Run(Evaluation(columns, len(sample), source), asked, chosen)
    try:
        file: CaseFile = read_cases(asking.cases or "")
        opened: dict[object, Pools] = {}
        pools = [
            opened.setdefault(_roots_of(typed, each), _pools(typed, each, file.folder))
            for typed, each in setups
        ]
        resolved = plan(file.cases, chosen, pools)
    except CaseError as error:
        raise _case_error(error, asking.cases or "") from None
    source = {"cases": file.name, "sha256": file.sha256}
    _warn_of_ages(resolved)
    evaluation = Evaluation(columns, len(resolved), source, pools_record(resolved))
    read = {id(where): where.pool for each in resolved for where in each.pools}
    roots = frozenset(report.root for pool in read.values() for report in pool.scopes)
    return Run(evaluation, resolved, chosen, roots, (*setup.databases, *setups[-1][1].databases))


def _inputs(asking: Asking, run: Run) -> Iterator[str]:
    """The files that the command reads."""
    yield from (name for name in (asking.cases, asking.longmemeval, asking.baseline) if name)
    yield from run.databases


def _warn_of_ages(asked: Sequence[Asked]) -> None:
    """Says where the times of a pool look like those of a checkout."""
    from memtui.memory.recency import clustered_notice

    pools = {id(where): where for each in asked for where in each.pools}
    for where in pools.values():
        notice = clustered_notice(where.pool) if where.recency == "mtime" else None
        if notice:
            narrate(f"warning: {notice}")


def _case_error(error: CaseError, name: str) -> CommandError:
    count = len(error.problems)
    if count == 1:
        return CommandError(f"{name}: {error}; no case was run")
    for problem in error.problems[:MOST_PROBLEMS]:
        narrate(f"{name}: {problem}")
    more = f", the first {MOST_PROBLEMS} above" if count > MOST_PROBLEMS else ""
    return CommandError(f"{count:,} problems with the cases{more}; none was run")


def _configurations(asking: Asking, setup: Setup) -> list[Configuration]:
    from memtui.evaluate import Configuration
    from memtui.recall.expansion import Expansion
    from memtui.recall.rankers.registry import RANKERS

    typed = asking.rankers.split(",") if asking.rankers is not None else [setup.options.ranker]
    rankers = list(dict.fromkeys(each.strip() for each in typed))
    unknown = next((each for each in rankers if each not in RANKERS), None)
    if unknown is not None:
        raise CommandError(
            f"--rankers: no ranker is called {unknown[:60]!r}; there are: {', '.join(RANKERS)}"
        )
    on = setup.options.expand or Expansion(load_config().synonyms)
    hooks = {"off": (None,), "on": (on,), "both": (None, on)}
    chosen = hooks.get(asking.expansion or "", (setup.options.expand,))
    return [
        Configuration(
            ranker + (" + expansion" if hook is not None else ""),
            replace(setup.options, ranker=ranker, expand=hook),
        )
        for ranker in rankers
        for hook in chosen
    ]


def _check_names(configurations: Sequence[Configuration]) -> None:
    names = [each.name for each in configurations]
    if len(set(names)) < len(names):
        raise CommandError(f"--vs is called like another configuration: {names[-1][:60]}")


def _dialect(options: Options) -> Any:
    chosen = options.dialect or load_config().dialect
    return None if chosen in (None, "auto") else chosen


def _recency(options: Options) -> Recency:
    return "modified" if options.recency == "modified" else "mtime"


def _roots_of(options: Options, setup: Setup) -> object:
    """What decides which pools a configuration asks; equal for those that share them."""
    return (
        options.demo,
        options.dialect,
        options.recency,
        setup.sources,
        setup.databases,
        setup.exclude,
    )


def _pools(options: Options, setup: Setup, folder: str) -> Pools:
    from memtui.evaluate import Pools

    def scan(limits: Limits) -> Pool:
        changed = replace(setup.options, limits=limits)
        return Engine(replace(setup, options=changed)).scan()

    return Pools(
        scan if setup.reads_something else None,
        default=f"demo:{options.demo}" if options.demo is not None else "",
        folder=folder,
        dialect=_dialect(options),
        recency=_recency(options),
    )


def _collect(run: Run) -> bool:
    """Runs every case; whether it was interrupted. What is done by then is kept."""
    from memtui.evaluate import run_cases

    results = run_cases(run.asked, run.configurations)
    try:
        with progress(run.evaluation.planned, "cases") as advance:
            for each in results:
                run.evaluation.add(each)
                advance()
    except (KeyboardInterrupt, click.Abort):
        run.evaluation.drop_unfinished()
        return True
    return False


def _write(evaluation: Evaluation, *, as_json: bool) -> None:
    from memtui.evaluate import evaluation_record
    from memtui.evaluate.report import evaluation_lines

    if as_json:
        write_json(evaluation_record(evaluation))
    else:
        for line in evaluation_lines(evaluation):
            write_line(line)


def _write_junit(file: ReportFile, evaluation: Evaluation, thresholds: Sequence[Threshold]) -> None:
    from memtui.evaluate.junit import junit_xml

    file.write(junit_xml(evaluation, thresholds))


def _thresholds(texts: Sequence[str]) -> list[Threshold]:
    from memtui.evaluate import Threshold

    try:
        return [Threshold(text) for text in texts]
    except ValueError as error:
        raise CommandError(f"--fail-under: {error}") from None


def _gate(evaluation: Evaluation, thresholds: Sequence[Threshold]) -> int:
    first = evaluation.columns[0]
    failures = [failure for each in thresholds if (failure := each.failure(first.metrics))]
    for failure in failures:
        narrate(f"--fail-under ({first.configuration.name}): {failure}")
    return Exit.NO if failures else Exit.DONE


def _baseline(path: str | None) -> Baseline | None:
    from memtui.evaluate.baseline import BaselineError, read_baseline

    if path is None:
        return None
    try:
        return read_baseline(path)
    except BaselineError as error:
        raise CommandError(f"--baseline: {error}") from None


def _warn_of_baseline(baseline: Baseline, evaluation: Evaluation) -> None:
    from memtui.evaluate.record import BASELINE

    if baseline.partial:
        narrate("warning: the baseline was interrupted; only its cases are compared")
    if baseline.source.get("sha256") != evaluation.source.get("sha256"):
        narrate("warning: the baseline is of another case file; cases are matched by their id")
    against = [str(delta["against"]) for delta in evaluation.deltas.values()]
    if not any(name.startswith(BASELINE) for name in against):
        there = ", ".join(side.name for side in baseline.sides)
        narrate(f"warning: nothing is compared with the baseline, which has only: {there}")
