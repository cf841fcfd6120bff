"""Runs a case file in a thread, tells how far it is, and can be stopped at every case."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, replace

from textual.dom import DOMNode
from textual.message import Message

from memtui.engine import Engine
from memtui.evaluate import (
    Asked,
    CaseError,
    Column,
    Configuration,
    Evaluation,
    Pools,
    plan,
    pools_record,
    read_cases,
    run_cases,
)
from memtui.evaluate.cases import Problem
from memtui.limits import Limits
from memtui.memory.dialects import Dialect
from memtui.memory.document import MemoryRootError, Pool
from memtui.recall.options import RecallOptions
from memtui.recall.trace import stopwatch
from memtui.setup import Setup
from memtui.tui.abortable import abortable
from memtui.tui.view.evaluation import Evaluated

TELL_MS = 50.0
"""Least time between two reports, milliseconds."""


@dataclass
class CasesRun(Message):
    """So many cases have been run."""

    number: int
    done: int
    planned: int

    def can_replace(self, message: Message) -> bool:
        """A newer count makes an older one needless."""
        return isinstance(message, CasesRun)


@dataclass
class CasesEnded(Message):
    """Every case has been run, or those before it was stopped."""

    number: int
    evaluated: Evaluated


@dataclass
class CasesRefused(Message):
    """The cases can not be run."""

    number: int
    problems: tuple[str, ...]


def configuration_of(options: RecallOptions) -> Configuration:
    """The recall of the main screen as a configuration; a model is not asked for a whole file."""
    selector = options.selector
    if selector is not None and not selector.replayable:
        options = replace(options, selector=None)
    name = options.ranker + (" + expansion" if options.expand is not None else "")
    return Configuration(name, options)


class Evaluating:
    """What a screen wants evaluated: one file at a time. It is answered with messages."""

    def __init__(
        self, screen: DOMNode, setup: Setup, options: RecallOptions, dialect: Dialect | None
    ) -> None:
        self._screen = screen
        self._dialect = dialect
        self._setup = setup
        self._options = options
        self._number = 0
        self._stop = threading.Event()
        self.running = False
        """Whether cases are being run."""

    def begin(self, name: str) -> None:
        """Runs a case file; one that is still being run is given up."""
        self.stop()
        self._number += 1
        self._stop = threading.Event()
        self.running = True
        number, stop = self._number, self._stop
        self._screen.run_worker(
            lambda: self._run(number, name, stop), group="cases", thread=True, exit_on_error=True
        )

    def stop(self) -> None:
        """Stops behind the case that is being run; what is done is told."""
        self._stop.set()

    def ended(self, number: int) -> bool:
        """Takes note of an end; whether it is that of the newest run."""
        newest = number == self._number
        self.running = self.running and not newest
        return newest

    def is_newest(self, number: int) -> bool:
        """Whether a report is of the newest run."""
        return number == self._number

    # In a thread

    def _run(self, number: int, name: str, stop: threading.Event) -> None:
        try:
            evaluated, asked = self._planned(name)
        except CaseError as error:
            self._screen.post_message(CasesRefused(number, tuple(map(str, error.problems))))
            return
        except MemoryRootError as error:
            self._screen.post_message(CasesRefused(number, (str(error),)))
            return
        evaluation = evaluated.evaluation
        configuration = evaluation.columns[0].configuration
        asking = replace(configuration, options=abortable(configuration.options, stop))
        told = stopwatch()
        self._screen.post_message(CasesRun(number, 0, evaluation.planned))
        for results in run_cases(asked, (asking,)):
            if stop.is_set():
                break
            evaluation.add(results)
            if stopwatch() - told >= TELL_MS:
                told = stopwatch()
                self._screen.post_message(CasesRun(number, evaluation.done, evaluation.planned))
        self._screen.post_message(CasesEnded(number, evaluated))

    def _planned(self, name: str) -> tuple[Evaluated, list[Asked]]:
        configuration = configuration_of(self._options)
        path = os.path.expanduser(name)
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for
            raise CaseError([Problem("it can not be read: it is no regular file")])
        file = read_cases(name)
        recency = self._setup.sources[0].recency if self._setup.sources else "mtime"
        pools = Pools(
            self._scan if self._setup.reads_something else None,
            default=self._setup.pool_name,
            folder=file.folder,
            dialect=self._dialect,
            recency=recency,
        )
        asked = plan(file.cases, (configuration,), (pools,))
        source = {"cases": file.name, "sha256": file.sha256}
        evaluation = Evaluation([Column(configuration)], len(asked), source, pools_record(asked))
        found = Evaluated(name, self._setup, file.folder, evaluation, tuple(asked), self._dialect)
        return found, asked

    def _scan(self, limits: Limits) -> Pool:
        options = replace(self._options, limits=limits)
        return Engine(replace(self._setup, options=options)).scan()
