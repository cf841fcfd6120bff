"""``eval``: labelled cases against the memories, as a table, as JSON, and as a gate."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import Options, common_options, setup_from, versus
from memtui.cli.output import CommandError, Exit, narrate, write_json, write_line
from memtui.cli.progress import progress
from memtui.config import load_config
from memtui.engine import Engine, Setup
from memtui.limits import Limits
from memtui.memory.document import Pool

if TYPE_CHECKING:
    from memtui.evaluate import (
        Asked,
        Configuration,
        Evaluation,
        Pools,
        Threshold,
    )
    from memtui.evaluate.cases import CaseError
    from memtui.evaluate.deltas import Baseline
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


@click.command("eval")
@click.argument("cases", required=False)
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
@click.option("--baseline", metavar="FILE", help="Compare with what eval --json printed before.")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit code 1 if the first configuration does not reach this; repeatable.",
)
@click.option("--junit", metavar="FILE", help="Also write JUnit XML to this file.")
@click.option(
    "--longmemeval", metavar="FILE", help="Take the questions of this LongMemEval file as cases."
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
    thresholds = _thresholds(asking.fail_under)
    baseline = _baseline(asking.baseline)
    with ExitStack() as stack:
        run = _prepared(asking, options, stack)
        evaluation = run.evaluation
        if baseline is not None:
            evaluation.baseline = baseline.sides
            evaluation.baseline_source = baseline.source
            _warn_of_baseline(baseline, evaluation)
        interrupted = _collect(run)
    if asking.junit is not None:
        _write_junit(asking.junit, evaluation, thresholds)
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
        asked, planned, source = _benchmark(asking, len(chosen))
        return Run(Evaluation(columns, planned, source), asked, chosen)
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
    return Run(evaluation, resolved, chosen)


def _warn_of_ages(asked: Sequence[Asked]) -> None:
    """Says where the times of a pool look like those of a checkout."""
    from memtui.memory.recency import clustered_notice

    pools = {id(where): where for each in asked for where in each.pools}
    for where in pools.values():
        notice = clustered_notice(where.pool) if where.recency == "mtime" else None
        if notice:
            narrate(f"warning: {notice}")


def _case_error(error: CaseError, name: str) -> CommandError:
    for problem in error.problems[:MOST_PROBLEMS]:
        narrate(f"{name}: {problem}")
    count = len(error.problems)
    more = f", the first {MOST_PROBLEMS} above" if count > MOST_PROBLEMS else ""
    what = "1 problem" if count == 1 else f"{count:,} problems"
    return CommandError(f"{what} with the cases{more}; none was run")


def _configurations(asking: Asking, setup: Setup) -> list[Configuration]:
    from memtui.evaluate import Configuration
    from memtui.recall.expansion import Expansion
    from memtui.recall.rankers import RANKERS

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
    return None if options.dialect in (None, "auto") else options.dialect


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


def _benchmark(
    asking: Asking, configurations: int
) -> tuple[Iterable[Asked], int, dict[str, object]]:
    """The questions of a LongMemEval file, how many, and what is written down about them."""
    from memtui.evaluate import longmemeval

    path, granularity = asking.longmemeval or "", asking.granularity
    narrate(f"reading {path} once to check and count it")
    try:
        found = longmemeval.survey(path, granularity)
    except longmemeval.LongMemEvalError as error:
        raise CommandError(f"--longmemeval: {error}") from None
    chosen = found.sample(asking.per_category, asking.seed)
    if not chosen:
        raise CommandError(f"--longmemeval: {path} holds no question that can be judged")
    source: dict[str, object] = {
        "longmemeval": found.name,
        "sha256": found.sha256,
        "granularity": granularity,
        "questions": found.questions,
        "abstention_left_out": found.abstention,
        "unmarked_left_out": found.unmarked,
        "per_category": asking.per_category,
        "seed": asking.seed,
    }
    asked = longmemeval.ask(path, granularity, chosen, configurations)
    return _told(asked), len(chosen), source


def _told(asked: Iterable[Asked]) -> Iterator[Asked]:
    """The questions; a file that changed since it was checked ends the command."""
    from memtui.evaluate.longmemeval import LongMemEvalError

    try:
        yield from asked
    except LongMemEvalError as error:
        raise CommandError(f"--longmemeval: {error}") from None


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


def _write_junit(path: str, evaluation: Evaluation, thresholds: Sequence[Threshold]) -> None:
    from memtui.evaluate.junit import junit_xml

    try:
        Path(path).expanduser().write_bytes(junit_xml(evaluation, thresholds))
    except OSError as error:
        raise CommandError(f"--junit {path} can not be written: {error.strerror}") from None


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
    from memtui.evaluate.deltas import BaselineError, read_baseline

    if path is None:
        return None
    try:
        return read_baseline(path)
    except BaselineError as error:
        raise CommandError(f"--baseline: {error}") from None


def _warn_of_baseline(baseline: Baseline, evaluation: Evaluation) -> None:
    if baseline.partial:
        narrate("warning: the baseline was interrupted; only its cases are compared")
    if baseline.source.get("sha256") != evaluation.source.get("sha256"):
        narrate("warning: the baseline is of another case file; cases are matched by their id")
