"""The options that commands share, as they are typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from memtui.cli.completion import ablations, demos, files, folders, limits, selectors
from memtui.cli.output import CommandError
from memtui.memory.dialects import DIALECTS
from memtui.recall.options import RANKER_NAMES

Function = TypeVar("Function", bound=Callable[..., Any])


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

    def words(self) -> list[str]:
        """These options as words that mean the same when they are typed again; not ``--json``."""
        words: list[str] = []
        for each in fields(Options):
            value = getattr(self, each.name)
            if value == each.default or each.name == "json":
                continue
            option = f"--{each.name.rstrip('_')}"
            many = value if isinstance(value, tuple) else (value,)
            words += [option if one is True else f"{option}={one}" for one in many]
        return words

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
        "--project",
        metavar="DIR",
        shell_complete=folders,
        help="Root of the project's memories (required scope).",
    ),
    click.option(
        "--user",
        metavar="DIR",
        shell_complete=folders,
        help="Root of the user's memories (best effort).",
    ),
    click.option(
        "--team",
        metavar="DIR",
        shell_complete=folders,
        help="Root of the team's memories (best effort).",
    ),
    click.option(
        "--db",
        multiple=True,
        metavar="FILE",
        shell_complete=files,
        help="A memory database; it is copied and never touched. Repeatable.",
    ),
    click.option(
        "--agent",
        type=click.Choice(["claude", "qwen"]),
        help="Whose stores to take when no root is named.",
    ),
    click.option(
        "--demo",
        metavar="NAME",
        shell_complete=demos,
        help="Use the sample memories of this demo.",
    ),
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
        shell_complete=files,
        help="A file that the agent has already surfaced; repeatable.",
    ),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Results asked for."),
    click.option(
        "--ranker",
        type=click.Choice(list(RANKER_NAMES)),
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
        shell_complete=selectors,
        help="Who selects: heuristic, model, replay:FILE or manual:FILE.",
    ),
    click.option(
        "--set",
        "set_",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=limits,
        help="Change a limit; repeatable.",
    ),
    click.option(
        "--ablate",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=ablations,
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
