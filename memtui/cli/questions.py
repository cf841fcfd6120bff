"""``why`` and ``compare``: the questions asked of a recall."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import click

from memtui.cli import report
from memtui.cli.completion import files
from memtui.cli.options import Options, common_options
from memtui.cli.output import (
    CommandError,
    Exit,
    narrate,
    narrate_warnings,
    shown,
    write_json,
    write_line,
)
from memtui.cli.setups import need_roots, setup_from, versus
from memtui.cli.teaching import epilog
from memtui.cli.values import as_query, parse_time
from memtui.engine import Engine
from memtui.memory.document import Pool
from memtui.memory.edit import pool_as_of
from memtui.recall.compare import (
    PRESETS,
    Comparison,
    compare,
    compare_record,
    preset_options,
)
from memtui.recall.pipeline import Recall
from memtui.recall.why.explain import Why, explain, why_record
from memtui.recall.why.target import AmbiguousDocument, Target, find_target
from memtui.setup import Setup


@click.command(
    epilog=epilog(
        "memtui why 'how do we roll back a release' project_undo_bad_deploy.md --demo small",
        "memtui why 'roll back a release' notes/deploy.md --report     # for a bug report",
        "memtui why --queries questions.txt notes/deploy.md            # which phrasings find it?",
    )
)
@click.argument(
    "arguments", nargs=-1, required=True, metavar="QUERY DOCUMENT", shell_complete=files
)
@click.option(
    "--queries",
    type=click.Path(),
    metavar="FILE",
    help="Ask with every line of this file instead of QUERY: which phrasings find the document?",
)
@click.option("--as-of", metavar="TIME", help="Leave out files modified later than this.")
@click.option("--report", "as_report", is_flag=True, help="Print Markdown for a bug report.")
@click.option("--with-text", is_flag=True, help="Let the report hold the query and memory text.")
@common_options
def why(
    arguments: tuple[str, ...],
    queries: str | None,
    as_of: str | None,
    as_report: bool,
    with_text: bool,
    options: Options,
) -> int:
    """Tell where a memory was lost, by how much, and which change would bring it back.

    DOCUMENT is a path, an id or a relative path. Exit code 1: it was not recalled.
    """
    query, name = _question(arguments, queries)
    with setup_from(options) as setup:
        need_roots(setup)
        engine = Engine(setup)
        pool = engine.scan()
        if as_of is not None:
            moment = parse_time(as_of, "--as-of")
            pool = pool_as_of(pool, moment, setup.options.limits)
            if options.now is None:
                engine.with_options(now_ms=moment)
            narrate(
                "--as-of leaves out files modified later; it can not bring back files that were "
                "deleted since, nor the earlier text of files that were edited"
            )
        target = resolve(pool, name)
        if queries is not None:
            return _ask_each(engine, pool, target, queries, options)
        result = engine.recall(query, pool)
        answer = explain(result, target)
        traced = engine.record(result, shown=False)
    narrate_warnings(result.warnings)
    if not traced:
        narrate("this recall could not be traced")
    if options.json:
        write_json(why_record(answer, result))
    elif as_report:
        for line in report.markdown_report(answer, result, with_text=with_text):
            write_line(line)
    else:
        for line in report.why_lines(answer):
            write_line(line)
    return Exit.DONE if answer.recalled else Exit.NO


def _question(arguments: tuple[str, ...], queries: str | None) -> tuple[str, str]:
    wanted = 1 if queries is not None else 2
    if len(arguments) != wanted:
        form = "why --queries FILE DOCUMENT" if queries is not None else "why QUERY DOCUMENT"
        raise CommandError(f"wants: memtui {form}")
    return ("", arguments[0]) if queries is not None else (as_query(arguments[0]), arguments[1])


def resolve(pool: Pool, name: str) -> Target:
    """What a typed document means.

    Raises:
        CommandError: it fits several.

    """
    try:
        return find_target(pool, name)
    except AmbiguousDocument as error:
        raise CommandError(str(error)) from None


def _ask_each(engine: Engine, pool: Pool, target: Target, file: str, options: Options) -> int:
    answers: list[tuple[str, Why]] = []
    for query in _lines_of(file):
        result = engine.recall(query, pool)
        engine.record(result, shown=False)
        if not answers:
            narrate_warnings(result.warnings)
        answers.append((query, explain(result, target, search=False)))
    if options.json:
        found = [
            {"query": query, "recalled": each.recalled, "lost_at": each.lost_at}
            for query, each in answers
        ]
        write_json({"schema": "memtui.why-queries/1", "queries": found})
    else:
        for query, each in answers:
            mark = "✓ recalled" if each.recalled else f"✗ lost at {each.lost_at}"
            write_line(f"{mark:<22} {shown(query)}")
    return Exit.DONE if any(each.recalled for _, each in answers) else Exit.NO


def _lines_of(file: str) -> Iterator[str]:
    try:
        text = Path(file).read_text("utf-8", "replace")
    except OSError as error:
        raise CommandError(f"{file} can not be read: {error.strerror}") from None
    yield from (line.strip() for line in text.splitlines() if line.strip())


@click.command(
    "compare",
    epilog=epilog(
        "memtui compare 'customs declaration Norway' --demo overflow --preset capped",
        "memtui compare 'roll back a release' --demo small --vs '--ranker bm25 --expand'",
    ),
)
@click.argument("query")
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="Compare with the capped design before, an appended reserve, or prefix packing.",
)
@click.option(
    "--vs", metavar="OPTIONS", help='Compare with other options: "--set manifest_bytes=9000".'
)
@common_options
def compare_command(query: str, preset: str | None, vs: str | None, options: Options) -> int:
    """Show what the manifest gains, loses and moves between two recalls of one query."""
    if (preset is None) == (vs is None):
        raise CommandError("compare wants one of --preset NAME and --vs OPTIONS")
    query = as_query(query)
    with setup_from(options) as setup:
        need_roots(setup)
        engine = Engine(setup)
        pool = engine.scan()
        after = engine.recall(query, pool)
        if preset is not None:
            engine.with_options(**_changed(setup, preset))
            before, after = engine.recall(query, pool), after
        else:
            before, after = after, _other(query, vs or "", options, setup, pool)
        for result in (before, after):
            engine.record(result, shown=False)
        comparison = compare(before, after)
    narrate_warnings(dict.fromkeys((*before.warnings, *after.warnings)))
    if options.json:
        write_json(compare_record(comparison))
    else:
        _write_comparison(comparison)
    return Exit.DONE


def _changed(setup: Setup, preset: str) -> dict[str, object]:
    other = preset_options(setup.options, preset)
    return {"design": other.design, "ablations": other.ablations}


def _other(query: str, text: str, options: Options, setup: Setup, pool: Pool) -> Recall:
    """The recall with the options of ``--vs``; the pool is used again where it is the same."""
    with ExitStack() as stack:
        _, other = versus(text, options, setup, stack)
        same_roots = (other.sources, other.databases, other.exclude) == (
            setup.sources,
            setup.databases,
            setup.exclude,
        )
        same_scan = all(
            getattr(other.options.limits, name) == getattr(setup.options.limits, name)
            for name in ("file_bytes", "capped_scan_docs")
        )
        return Engine(other).recall(query, pool if same_roots and same_scan else None)


def _write_comparison(comparison: Comparison) -> None:
    for line in report.comparison_lines(comparison):
        write_line(line)
