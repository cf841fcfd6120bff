"""``eval --longmemeval``: the questions of a benchmark file as cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from memtui.cli.options import Options
from memtui.cli.output import CommandError, narrate

if TYPE_CHECKING:
    from memtui.evaluate import Asked
    from memtui.evaluate.longmemeval import Granularity, Survey

_ONLY_HERE = ("granularity", "per_category", "seed")


def check_benchmark_options(options: Options, *, is_benchmark: bool) -> None:
    """Ends the command where an option was typed that would be without effect.

    Raises:
        CommandError: the option, and what to do.

    """
    context = click.get_current_context()
    for parameter in context.command.params:
        typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if typed and parameter.name in _ONLY_HERE and not is_benchmark:
            raise CommandError(f"{parameter.opts[0]} is for --longmemeval FILE alone; leave it out")
    if is_benchmark and (options.names_roots or options.demo is not None):
        raise CommandError(
            "--longmemeval brings its own memories; "
            "leave out --project, --user, --team, --db, --demo"
        )


def surveyed(
    path: str, granularity: Granularity, per_category: int | None, seed: int
) -> tuple[Survey, frozenset[str]]:
    """What a file holds, and the ids of the questions to ask.

    Raises:
        CommandError: the file can not be used.

    """
    from memtui.evaluate import longmemeval

    narrate(f"reading {path} once to check and count it")
    try:
        found = longmemeval.survey(path, granularity)
    except longmemeval.LongMemEvalError as error:
        raise CommandError(f"--longmemeval: {error}") from None
    chosen = found.sample(per_category, seed)
    if not chosen:
        raise CommandError(f"--longmemeval: {path} holds no question that can be judged")
    told = f"{found.questions:,} questions, {len(chosen):,} are asked; left out: "
    told += f"{found.abstention:,} that no session answers"
    if found.unmarked:
        told += f", {found.unmarked:,} whose answer is not marked"
    narrate(told)
    return found, chosen


def questions(
    path: str, found: Survey, granularity: Granularity, chosen: frozenset[str], configurations: int
) -> Iterator[Asked]:
    """The chosen questions; a file that is no longer the one surveyed ends the command.

    Raises:
        CommandError: it changed.

    """
    from memtui.evaluate import longmemeval

    asked = 0
    try:
        for each in longmemeval.ask(path, granularity, chosen, configurations):
            asked += 1
            yield each
    except longmemeval.LongMemEvalError as error:
        raise CommandError(f"--longmemeval: {error}") from None
    if asked != len(chosen):
        raise CommandError(f"--longmemeval: {found.name} changed while it was read; run it again")


def record_of(
    found: Survey, granularity: Granularity, per_category: int | None, seed: int
) -> dict[str, object]:
    """What is written down about the file and the sample."""
    return {
        "longmemeval": found.name,
        "sha256": found.sha256,
        "granularity": granularity,
        "questions": found.questions,
        "abstention_left_out": found.abstention,
        "unmarked_left_out": found.unmarked,
        "per_category": per_category,
        "seed": seed,
    }
