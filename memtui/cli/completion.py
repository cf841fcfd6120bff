"""What a shell offers behind the tab key: names that the code knows, files, folders, trace ids.

Click asks these functions with the word that has been begun; nothing here may load the app.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

import click
from click.shell_completion import CompletionItem, get_completion_class

from memtui.cli.output import CommandError

INSTRUCTION = "_MEMTUI_COMPLETE"
"""How a shell asks: ``bash_source`` is for its script, ``bash_complete`` for words."""
SHELLS = ("bash", "zsh", "fish")
MOST_TRACES = 50
"""Trace ids that are offered, newest first."""

Items = list[CompletionItem]


def check_instruction(environ: Mapping[str, str]) -> None:
    """Refuses a misspelled instruction, which click would answer with silence.

    Raises:
        CommandError: no shell or no form has that name.

    """
    instruction = environ.get(INSTRUCTION)
    if not instruction:
        return
    shell, _, form = instruction.partition("_")
    if get_completion_class(shell) is None or form not in ("source", "complete"):
        wanted = " or ".join(f"{each}_source" for each in SHELLS)
        raise CommandError(f"{INSTRUCTION} must be {wanted}, not {instruction!r}")


def files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Leaves it to the shell to offer files."""
    return [CompletionItem(incomplete, type="file")]


def folders(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Leaves it to the shell to offer folders."""
    return [CompletionItem(incomplete, type="dir")]


def demos(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """The names of the demos."""
    from memtui.samples.scenarios import SCENARIOS

    return _begun(incomplete, SCENARIOS)


def cases(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """The cases that come with memtui where their name is begun, else files."""
    from memtui.evaluate.cases import BUILT_IN

    begun = _begun(incomplete, BUILT_IN) if incomplete else []
    return begun or [CompletionItem(incomplete, type="file")]


def limits(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Every limit with its default, to be edited; its range is the help."""
    from memtui.limits import RANGES, Limits

    return [
        CompletionItem(f"{name}={value}", help="{:,} to {:,}".format(*RANGES[name]))
        for name, value in Limits().as_dict().items()
        if f"{name}={value}".startswith(incomplete)
    ]


def ablations(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Every departure from the real design."""
    from memtui.recall.options import ABLATIONS

    return _begun(
        incomplete,
        (f"{name}={value}" for name, (_, *others) in ABLATIONS.items() for value in others),
    )


def selectors(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Who may select; behind ``replay:`` and ``manual:`` a file is typed."""
    from memtui.recall.selectors.choose import SELECTOR_FORMS

    return _begun(incomplete, (form.removesuffix("FILE") for form in SELECTOR_FORMS))


def problems(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Every finding on health, every reason to skip a file, and ``any``."""
    from memtui.memory.document import SkipReason
    from memtui.memory.health import FINDINGS

    return _begun(incomplete, (*FINDINGS, *get_args(SkipReason), "any"))


def traces(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """The ids of the newest traces; none where they can not be read."""
    from memtui.state import TraceStore
    from memtui.traces import StateError

    try:
        with TraceStore() as store:
            found = store.list(MOST_TRACES)
    except StateError:
        return []
    return _begun(incomplete, (each.trace_id for each in found))


def _begun(incomplete: str, names: Iterable[str]) -> Items:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
