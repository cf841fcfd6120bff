"""Opens one of the built-in demos."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.setup import Setup

DEMO = "small"
"""The demo that is offered where no store is found."""


@contextmanager
def demo_setup(name: str = DEMO) -> Iterator[Setup]:
    """The setup of a demo that is laid out in a temporary folder and removed in the end."""
    from memtui.samples import temporary_demo

    with temporary_demo(name) as demo:
        dialect = demo.scenario.dialect
        roots = ((Scope.PROJECT, demo.project), (Scope.USER, demo.user), (Scope.TEAM, demo.team))
        sources = tuple(
            Source(scope, str(root), dialect)  # type: ignore[arg-type]
            for scope, root in roots
            if root is not None
        )
        yield Setup(
            sources,
            RecallOptions(now_ms=demo.now_ms),
            name=f"demo {name}",
            query=demo.scenario.queries[0],
            pool_name=f"demo:{name}",
        )
