"""Opens one of the built-in demos."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memtui.recall.options import RecallOptions
from memtui.setup import Setup, setup_of_demo

DEMO = "small"
"""The demo that is offered where no store is found."""


@contextmanager
def demo_setup(name: str = DEMO) -> Iterator[Setup]:
    """The setup of a demo that is laid out in a temporary folder and removed in the end."""
    from memtui.samples import temporary_demo

    with temporary_demo(name) as demo:
        yield setup_of_demo(demo, RecallOptions(now_ms=demo.now_ms))
