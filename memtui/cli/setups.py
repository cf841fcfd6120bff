"""How the common options become a setup: which stores are read, and how a recall is asked for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli.options import Options, parse_options
from memtui.cli.output import CommandError
from memtui.cli.values import pair, parse_time, whole_numbers
from memtui.config import Config, load_config
from memtui.limits import LimitError, Limits
from memtui.memory.document import Scope
from memtui.memory.files import Recency
from memtui.memory.scan import Source
from memtui.recall.options import Ablations, OptionError, RecallOptions
from memtui.recall.rankers.choose import choose_embedder
from memtui.recall.selectors.choose import choose_selector
from memtui.setup import Setup, setup_of_demo
from memtui.state import state_path

if TYPE_CHECKING:
    from memtui.recall.query import Expand


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
    return setup_of_demo(
        demo,
        recall_options(options, config, source=source, now_ms=demo.now_ms),
        dialect=_dialect(options, config),
        recency=_recency(options),
        exclude=options.exclude,
    )


def _recency(options: Options) -> Recency:
    return "modified" if options.recency == "modified" else "mtime"


def _dialect(options: Options, config: Config) -> Any:
    chosen = options.dialect or config.dialect
    return None if chosen in (None, "auto") else chosen


def _expansion(config: Config) -> Expand:
    from memtui.recall.expansion import Expansion  # reads vocabularies

    return Expansion(config.synonyms)


def recall_options(
    options: Options, config: Config, *, source: str, now_ms: float | None = None
) -> RecallOptions:
    """What a recall is asked to do.

    Raises:
        CommandError: a limit, an ablation, the selector or the clock is not valid.

    """
    try:
        limits = Limits().with_values({**config.limits, **whole_numbers("--set", options.set_)})
        ablations = Ablations.parse(dict(pair("--ablate", text) for text in options.ablate))
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
        expand=_expansion(config) if options.expand else None,
        embedder=choose_embedder(os.environ, config.embeddings, state_path().parent),
    )


def need_roots(setup: Setup) -> None:
    """Ends the command where there is nothing to read.

    Raises:
        CommandError: the setup has no root.

    """
    if not setup.reads_something:
        looked = f"; looked at {', '.join(setup.looked_at)}" if setup.looked_at else ""
        raise CommandError(
            f"no memory store found here: name one with --project DIR, or try memtui demo{looked}"
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
