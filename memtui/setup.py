"""Which roots to read and what to ask of them: all that the options of a face decide.

It is read before anything is scanned, so it imports none of what scans and recalls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions

if TYPE_CHECKING:
    from memtui.memory.dialects import Dialect
    from memtui.memory.files import Recency
    from memtui.samples import Demo


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that the common options of a command decide."""

    sources: tuple[Source, ...] = ()
    """The roots, at most one a scope."""
    options: RecallOptions = field(default_factory=RecallOptions)
    """What a recall is asked to do."""
    databases: tuple[str, ...] = ()
    """Memory databases whose rows join the pool; they are copied and never touched."""
    exclude: tuple[str, ...] = ()
    """Files that the agent has already surfaced."""
    name: str = ""
    """What to call this set of roots: a project's or a demo's name."""
    query: str = ""
    """A query to begin with."""
    pool_name: str = ""
    """What a case file calls this pool: ``demo:NAME``; empty for roots, which have no name."""
    agent: str | None = None
    """Whose stores these are, where that is known: ``claude`` or ``qwen``."""
    note: str | None = None
    """One line on how the roots were chosen, where the user may want to choose otherwise."""
    looked_at: tuple[str, ...] = ()
    """Where stores were looked for, if none was found."""

    @property
    def reads_something(self) -> bool:
        """Whether there is a root or a database."""
        return bool(self.sources or self.databases)

    def source_of(self, scope: Scope) -> Source | None:
        """The source of a scope, if there is one."""
        return next((each for each in self.sources if each.scope is scope), None)


def sources_for(
    roots: Iterable[tuple[Scope, str | None]], dialect: str | None, *, typed: bool = True
) -> tuple[Source, ...]:
    """A source for each scope that has a root."""
    return tuple(
        Source(scope, root, dialect, typed)  # type: ignore[arg-type]
        for scope, root in roots
        if root
    )


def setup_of_demo(
    demo: Demo,
    options: RecallOptions,
    *,
    dialect: Dialect | None = None,
    recency: Recency = "mtime",
    exclude: tuple[str, ...] = (),
) -> Setup:
    """The setup of sample memories that were laid out; read as their scenario says, by default."""
    scenario = demo.scenario
    roots = ((Scope.PROJECT, demo.project), (Scope.USER, demo.user), (Scope.TEAM, demo.team))
    return Setup(
        sources=tuple(
            Source(scope, str(root), dialect or scenario.dialect, recency=recency)
            for scope, root in roots
            if root is not None
        ),
        options=options,
        exclude=exclude,
        name=f"demo {scenario.name}",
        query=scenario.queries[0],
        pool_name=f"demo:{scenario.name}",
    )
