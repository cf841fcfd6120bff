"""The options that commands share, and how they become a setup."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from memtui.cli.output import CommandError, clipped
from memtui.config import Config, load_config
from memtui.engine import Setup
from memtui.limits import LimitError, Limits
from memtui.memory.dialects import DIALECTS
from memtui.memory.document import Scope
from memtui.memory.files import Recency
from memtui.memory.scan import Source
from memtui.recall.expansion import Expansion
from memtui.recall.options import Ablations, OptionError, RecallOptions
from memtui.recall.rankers import RANKERS, choose_embedder
from memtui.recall.selectors.choose import choose_selector
from memtui.state import state_path

Function = TypeVar("Function", bound=Callable[..., Any])

LATEST_MS = 8_640_000_000_000_000
"""The latest time of JavaScript's clock, and with a minus the earliest: epoch milliseconds."""
_MOST_DIGITS = 20
"""Digits of a number that are read; more of them are out of every range anyway."""


@dataclass(slots=True)
class Options:
    """The common options as they were typed."""

    project: str | None = None
    user: str | None = None
    team: str | None = None
    db: tuple[str, ...] = ()
    agent: str | None = None
    demo: str | None = None
    dialect: str | None = None
    recency: str = "mtime"
    tool: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limit: int | None = None
    ranker: str = "lexical"
    expand: bool = False
    selector: str = "heuristic"
    set_: tuple[str, ...] = ()
    ablate: tuple[str, ...] = ()
    now: str | None = None
    json: bool = False

    @property
    def names_roots(self) -> bool:
        """Whether a root was typed."""
        return any((self.project, self.user, self.team, self.db))

    def overlaid(self, other: Options) -> Options:
        """These options with those of ``other`` that were typed; limits and ablations add up.

        Roots go together: naming one replaces them all.
        """
        typed = {
            each.name: getattr(other, each.name)
            for each in fields(Options)
            if getattr(other, each.name) != each.default
        }
        typed["set_"] = self.set_ + other.set_
        typed["ablate"] = self.ablate + other.ablate
        if other.names_roots or other.demo is not None:
            roots = ("project", "user", "team", "db", "demo")
            typed |= {name: getattr(other, name) for name in roots}
        return replace(self, **typed)


_DECORATORS = (
    click.option(
        "--project", metavar="DIR", help="Root of the project's memories (required scope)."
    ),
    click.option("--user", metavar="DIR", help="Root of the user's memories (best effort)."),
    click.option("--team", metavar="DIR", help="Root of the team's memories (best effort)."),
    click.option(
        "--db",
        multiple=True,
        metavar="FILE",
        help="A memory database; it is copied and never touched. Repeatable.",
    ),
    click.option(
        "--agent",
        type=click.Choice(["claude", "qwen"]),
        help="Whose stores to take when no root is named.",
    ),
    click.option("--demo", metavar="NAME", help="Use the sample memories of this demo."),
    click.option(
        "--dialect",
        type=click.Choice(["auto", *DIALECTS]),
        help="How files are read; auto decides by the path.",
    ),
    click.option(
        "--recency",
        type=click.Choice(["mtime", "modified"]),
        default="mtime",
        show_default=True,
        help="What tells the age of a memory: the file's time, or modified: in its frontmatter.",
    ),
    click.option(
        "--tool",
        multiple=True,
        metavar="NAME",
        help="A tool that the agent is using right now; repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATH",
        help="A file that the agent has already surfaced; repeatable.",
    ),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Results asked for."),
    click.option(
        "--ranker",
        type=click.Choice(list(RANKERS)),
        default="lexical",
        show_default=True,
        help="How memories are ranked.",
    ),
    click.option(
        "--expand",
        is_flag=True,
        help="Look for word forms, identifiers, synonyms and names of the query's words too.",
    ),
    click.option(
        "--selector",
        default="heuristic",
        show_default=True,
        metavar="NAME",
        help="Who selects: heuristic, model, replay:FILE or manual:FILE.",
    ),
    click.option(
        "--set",
        "set_",
        multiple=True,
        metavar="NAME=VALUE",
        help="Change a limit; repeatable.",
    ),
    click.option(
        "--ablate",
        multiple=True,
        metavar="NAME=VALUE",
        help="Depart from the real design: reserve=appended, packing=prefix, scan=capped.",
    ),
    click.option(
        "--now",
        metavar="TIME",
        help="The clock for ages: ISO-8601 or epoch milliseconds.",
    ),
    click.option("--json", is_flag=True, help="Print one JSON object."),
)


def common_options(function: Function) -> Function:
    """Adds every common option to a command, which receives them as one ``options`` argument."""
    names = [each.name for each in fields(Options)]

    @wraps(function)
    def command(**arguments: Any) -> Any:
        values = {name: arguments.pop(name) for name in names}
        return function(options=Options(**values), **arguments)

    for decorator in reversed(_DECORATORS):
        decorator(command)
    return command  # type: ignore[return-value]


def hand_down(context: click.Context, command: click.Command | None) -> None:
    """Makes options that were typed before a command count as if they had been typed behind it.

    Raises:
        CommandError: the command does not take one of them.

    """
    typed = {
        parameter.name: parameter
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }
    if command is None or not typed:
        return
    taken = {parameter.name for parameter in command.params}
    for name, parameter in typed.items():
        if name not in taken:
            raise CommandError(f"{parameter.opts[0]} can not stand before {command.name}")
    values = {name: context.params[str(name)] for name in typed}
    context.default_map = {str(command.name): values}


def as_query(typed: str) -> str:
    """A query as it was typed, in UTF-8 even where the locale says that words are ASCII."""
    return os.fsencode(typed).decode("utf-8", "surrogateescape")


@contextmanager
def setup_from(options: Options, *, source: str = "cli") -> Iterator[Setup]:
    """The setup that the options ask for; a demo's tree lives as long as the context.

    Raises:
        CommandError: an option can not be used.

    """
    config = load_config()
    with ExitStack() as stack:
        if options.demo is not None:
            if options.names_roots:
                raise CommandError(
                    "--demo brings its own roots; leave out --project, --user, --team, --db"
                )
            yield _demo_setup(options, config, source, stack)
        else:
            yield _rooted_setup(options, config, source)


def _rooted_setup(options: Options, config: Config, source: str) -> Setup:
    dialect = _dialect(options, config)
    roots = (
        (Scope.PROJECT, options.project),
        (Scope.USER, options.user),
        (Scope.TEAM, options.team),
    )
    recency = _recency(options)
    sources = tuple(Source(scope, root, dialect, recency=recency) for scope, root in roots if root)
    setup = Setup(
        sources=sources,
        databases=options.db,
        options=recall_options(options, config, source=source),
        exclude=options.exclude,
        name=Path(options.project or options.user or options.team or "").name,
    )
    return setup if options.names_roots else _discovered(setup, options, config, dialect)


def _discovered(setup: Setup, options: Options, config: Config, dialect: Any) -> Setup:
    """The setup with the stores that belong to the current directory."""
    from memtui.memory.stores import discover, here

    agent = options.agent or config.agent
    found = discover(home=Path.home(), cwd=Path.cwd(), environ=os.environ, extra_roots=config.roots)
    chosen = here(found, agent)
    return replace(
        setup,
        sources=tuple(
            replace(source, dialect=dialect or source.dialect, recency=_recency(options))
            for source in chosen.sources
        ),
        name=Path.cwd().name,
        agent=chosen.agent,
        note=chosen.note,
        looked_at=found.looked_at,
    )


def _demo_setup(options: Options, config: Config, source: str, stack: ExitStack) -> Setup:
    from memtui.samples import UnknownScenario, temporary_demo

    try:
        demo = stack.enter_context(temporary_demo(options.demo or ""))
    except UnknownScenario as error:
        raise CommandError(str(error)) from None
    dialect = _dialect(options, config) or demo.scenario.dialect
    roots = ((Scope.PROJECT, demo.project), (Scope.USER, demo.user), (Scope.TEAM, demo.team))
    return Setup(
        sources=tuple(
            Source(scope, str(root), dialect, recency=_recency(options))  # type: ignore[arg-type]
            for scope, root in roots
            if root
        ),
        options=recall_options(options, config, source=source, now_ms=demo.now_ms),
        exclude=options.exclude,
        name=f"demo {demo.scenario.name}",
        query=demo.scenario.queries[0],
        pool_name=f"demo:{demo.scenario.name}",
    )


def _recency(options: Options) -> Recency:
    return "modified" if options.recency == "modified" else "mtime"


def _dialect(options: Options, config: Config) -> Any:
    chosen = options.dialect or config.dialect
    return None if chosen in (None, "auto") else chosen


def recall_options(
    options: Options, config: Config, *, source: str, now_ms: float | None = None
) -> RecallOptions:
    """What a recall is asked to do.

    Raises:
        CommandError: a limit, an ablation, the selector or the clock is not valid.

    """
    try:
        limits = Limits().with_values({**config.limits, **_whole_numbers("--set", options.set_)})
        ablations = Ablations.parse(dict(_pair("--ablate", text) for text in options.ablate))
        selector = choose_selector(options.selector, os.environ, config.selector)
    except (LimitError, OptionError) as error:
        raise CommandError(str(error)) from None
    return RecallOptions(
        limits=limits,
        requested_limit=options.limit,
        recent_tools=options.tool,
        ablations=ablations,
        ranker=options.ranker,
        now_ms=now_ms if options.now is None else parse_time(options.now),
        source=source,
        selector=selector,
        expand=Expansion(config.synonyms) if options.expand else None,
        embedder=choose_embedder(os.environ, config.embeddings, state_path().parent),
    )


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"{option} wants NAME=VALUE, not {clipped(text)!r}")
    return name.strip(), value.strip()


def _whole_numbers(option: str, texts: tuple[str, ...]) -> Mapping[str, int]:
    values: dict[str, int] = {}
    for text in texts:
        name, value = _pair(option, text)
        if not (number := re.fullmatch(r"(-?)([0-9][0-9_,]*)", value)):
            raise CommandError(f"{option} {name} must be a whole number, not {clipped(value)!r}")
        digits = re.sub("[,_]", "", number[2]).lstrip("0")
        values[name] = int(number[1] + (digits[:_MOST_DIGITS] or "0"))
    return values


def need_roots(setup: Setup) -> None:
    """Ends the command where there is nothing to read.

    Raises:
        CommandError: the setup has no root.

    """
    if not setup.reads_something:
        looked = f"; looked at {', '.join(setup.looked_at)}" if setup.looked_at else ""
        raise CommandError(
            f"no memory store found here{looked}; name one with --project DIR, or try: memtui demo"
        )


def versus(text: str, options: Options, setup: Setup, stack: ExitStack) -> tuple[Options, Setup]:
    """The options and the setup of ``--vs``; what it does not name stays as it is.

    Raises:
        CommandError: the text can not be read, or an option in it is not valid.

    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"--vs can not be read: {error}") from None
    other = parse_options(words)
    both = options.overlaid(other)
    if other.names_roots or other.demo is not None:
        return both, stack.enter_context(setup_from(both, source=setup.options.source))
    config = load_config()
    changed = recall_options(both, config, source=setup.options.source, now_ms=setup.options.now_ms)
    dialect = _dialect(both, config)
    sources = tuple(
        replace(
            source,
            dialect=source.dialect if other.dialect is None else dialect,
            recency=_recency(both),
        )
        for source in setup.sources
    )
    return both, replace(setup, options=changed, sources=sources, exclude=both.exclude)


def parse_options(words: list[str]) -> Options:
    """The common options in a list of words, as ``--vs`` takes them.

    Raises:
        CommandError: a word is no common option, or its value is not valid.

    """
    found: list[Options] = []

    @click.command(add_help_option=False)
    @common_options
    def only_options(options: Options) -> None:
        found.append(options)

    try:
        only_options.main(words, prog_name="--vs", standalone_mode=False)
    except click.ClickException as error:
        raise CommandError(f"--vs: {error.format_message()}") from None
    return found[0] if found else Options()


def parse_time(text: str, option: str = "--now") -> float:
    """Epoch milliseconds from ISO-8601 (UTC if it names no zone) or a number of milliseconds.

    Raises:
        CommandError: it is neither.

    """
    time_ms = float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else _from_iso(text)
    if not abs(time_ms) <= LATEST_MS:
        raise CommandError(
            f"{option} wants a time like 2026-03-02T09:00:00Z or epoch milliseconds, "
            f"not {clipped(text)!r}"
        )
    return time_ms


def _from_iso(text: str) -> float:
    """Epoch milliseconds, not a number where the text is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.timestamp() * 1000
