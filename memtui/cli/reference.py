"""The tables of the README, made from the code that they describe."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import click

from memtui import limits
from memtui.config import CONFIG_KEYS, ENVIRONMENT
from memtui.recall.why.ladder import REASONS


def sections() -> Mapping[str, Callable[[], str]]:
    """Every generated part of the README by the name of its marker."""
    from memtui.tui.commands import keys_table

    return {
        "commands": commands_reference,
        "options": options_table,
        "keys": lambda: keys_table().strip(),
        "limits": limits_table,
        "reasons": reasons_table,
        "config": config_table,
        "environment": environment_table,
        "findings": findings_table,
        "tour": tour,
    }


def commands_reference() -> str:
    """Every command with its own options, as a Markdown table."""
    common = {option.name for option in _common_options()}
    rows = ["| command | what it does |", "| --- | --- |"]
    for usage, command in _commands():
        names = {each.name for each in command.params}
        shared = common if common <= names else {"as_json"}
        options = [
            each
            for each in command.params
            if isinstance(each, click.Option) and each.name not in shared
        ]
        extra = "".join(f"<br>`{_form(each)}` {_cell(each.help)}" for each in options)
        rows.append(f"| `{usage}` | {_cell(command.help)}{extra} |")
    return "\n".join(rows)


def options_table() -> str:
    """The options that commands share."""
    rows = ["| option | meaning |", "| --- | --- |"]
    rows += [f"| `{_form(each)}` | {_cell(each.help)} |" for each in _common_options()]
    return "\n".join(rows)


def limits_table() -> str:
    """Every limit with its default, its range and its meaning."""
    rows = ["| limit | default | range | meaning |", "| --- | --- | --- | --- |"]
    meanings = _field_docstrings(limits.Limits)
    for name, value in limits.Limits().as_dict().items():
        low, high = limits.RANGES[name]
        rows.append(f"| `{name}` | {value:,} | {low:,} to {high:,} | {_cell(meanings[name])} |")
    return "\n".join(rows)


def reasons_table() -> str:
    """Every reason for which a memory can be lost."""
    rows = ["| reason | in words |", "| --- | --- |"]
    rows += [f"| `{name}` | {text} |" for name, text in REASONS.items()]
    return "\n".join(rows)


def findings_table() -> str:
    """Every finding on the health of a memory, worst first."""
    from memtui.memory.health import FINDINGS

    rows = ["| finding | in words |", "| --- | --- |"]
    rows += [f"| `{name}` | {_cell(text)} |" for name, text in FINDINGS.items()]
    return "\n".join(rows)


def config_table() -> str:
    """Every key of the configuration file."""
    rows = ["| key | meaning |", "| --- | --- |"]
    rows += [f"| `{name}` | {text} |" for name, text in CONFIG_KEYS.items()]
    return "\n".join(rows)


def environment_table() -> str:
    """Every environment variable that is read."""
    rows = ["| variable | meaning |", "| --- | --- |"]
    rows += [f"| `{name}` | {text} |" for name, text in ENVIRONMENT.items()]
    return "\n".join(rows)


TOUR_QUERY = "how do we roll back a release"
TOUR_DOCUMENT = "project_undo_bad_deploy.md"


def tour() -> str:
    """The answer of ``memtui why`` that the README walks through, as a block of text.

    The demo's folder is given one name for every machine, since a path counts in a manifest line.
    """
    from memtui.cli.report import why_lines
    from memtui.memory.document import Scope
    from memtui.memory.edit import read_bytes
    from memtui.memory.scan import Source, scan_pool
    from memtui.recall.options import RecallOptions
    from memtui.recall.pipeline import recall
    from memtui.recall.why.explain import explain
    from memtui.recall.why.target import find_target
    from memtui.samples import temporary_demo

    with temporary_demo("small") as demo:
        folder, named = str(demo.folder), "/home/mira/demo"
        pool = scan_pool(
            [Source(Scope.PROJECT, str(demo.project)), Source(Scope.USER, str(demo.user))]
        )
        documents = (
            replace(each, path=each.path.replace(folder, named)) for each in pool.documents
        )
        pool = replace(pool, documents=tuple(documents))
        result = recall(TOUR_QUERY, pool, RecallOptions(now_ms=demo.now_ms))
        target = find_target(pool, TOUR_DOCUMENT)
        answer = explain(
            result, target, read_file=lambda path: read_bytes(path.replace(named, folder))
        )
    return "\n".join(["```", *why_lines(answer), "```"])


def updated(text: str) -> str:
    """``text`` with every part between ``<!-- name -->`` and ``<!-- /name -->`` made anew.

    Raises:
        ValueError: a part has no markers.

    """
    for name, make in sections().items():
        opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, found, rest = text.partition(opening)
        _, ended, after = rest.partition(closing)
        if not found or not ended:
            raise ValueError(f"no markers {opening} … {closing}")
        text = f"{before}{opening}\n{make()}\n{closing}{after}"
    return text


def _commands() -> Iterator[tuple[str, click.Command]]:
    from memtui.cli.main import memtui

    yield "memtui", memtui
    for name, command in sorted(memtui.commands.items()):
        if isinstance(command, click.Group):
            for inner, each in sorted(command.commands.items()):
                yield f"memtui {name} {inner}{_arguments(each)}", each
        else:
            yield f"memtui {name}{_arguments(command)}", command


def _arguments(command: click.Command) -> str:
    found = [each for each in command.params if isinstance(each, click.Argument)]
    return "".join(f" {_argument(each)}" for each in found)


def _argument(argument: click.Argument) -> str:
    if argument.metavar or argument.required:
        return argument.metavar or argument.human_readable_name
    return f"[{argument.human_readable_name}]"


def _common_options() -> list[click.Option]:
    from memtui.cli.main import memtui

    return [
        each for each in memtui.params if isinstance(each, click.Option) and each.name != "version"
    ]


def _form(option: click.Option) -> str:
    name = max(option.opts, key=len)
    if option.is_flag:
        return name
    kind = option.type
    metavar = option.metavar or (
        "\\|".join(kind.choices) if isinstance(kind, click.Choice) else "N"
    )
    return f"{name} {metavar}"


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|").replace("``", "`")


def _field_docstrings(cls: type) -> dict[str, str]:
    """The docstring that follows each field of a dataclass in its source."""
    (tree,) = ast.parse(inspect.getsource(cls)).body
    found: dict[str, str] = {}
    body = getattr(tree, "body", [])
    for statement, following in pairwise(body):
        if isinstance(statement, ast.AnnAssign) and isinstance(following, ast.Expr):
            name = getattr(statement.target, "id", "")
            found[name] = str(getattr(following.value, "value", ""))
    return found
