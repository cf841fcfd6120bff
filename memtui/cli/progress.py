"""How far a long command is, on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from memtui.cli.output import narrate

QUIET_S = 10.0
"""Where no terminal shows a bar, a line says every so many seconds how far it is."""


@contextmanager
def progress(total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Gives what is to be called after each of ``total`` things, ``noun`` being their plural."""
    if sys.stderr.isatty():
        with click.progressbar(length=total, label=noun, file=sys.stderr) as bar:
            yield lambda: bar.update(1)
        return
    done, spoke = 0, time.monotonic()

    def advance() -> None:
        nonlocal done, spoke
        done += 1
        if time.monotonic() - spoke >= QUIET_S:
            spoke = time.monotonic()
            narrate(f"{done:,} of {total:,} {noun}")

    yield advance
