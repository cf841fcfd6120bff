"""What the threads and widgets of the app tell each other."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from memtui.recall.trace import Trace
from memtui.tui.view.uses import Uses
from memtui.tui.view.view import View


@dataclass
class ScanProgress(Message):
    """A scan has read this many files so far."""

    files: int

    def can_replace(self, message: Message) -> bool:
        """A newer count makes an older one needless."""
        return isinstance(message, ScanProgress)


@dataclass
class RecallReady(Message):
    """A job has ended with a view to show."""

    generation: int
    view: View


@dataclass
class ScanFailed(Message):
    """A required root could not be read."""

    generation: int
    reason: str


@dataclass
class ScanStopped(Message):
    """The user stopped a scan."""

    generation: int


@dataclass
class Filtered(Message):
    """A filter has been worked out."""

    pattern: str
    keys: frozenset[str]


@dataclass
class TraceKept(Message):
    """The trace of a recall was stored, or could not be."""

    trace_id: str
    problem: str
    """Why it could not be stored; empty if it was."""


@dataclass
class StoreRead(Message):
    """What the store of traces holds now."""

    traces: tuple[Trace, ...]
    """The newest, and the one that was asked for if it is older."""
    uses: Uses | None
    """The use counts of the pool; None if they can not be read."""
    problem: str = ""
    """Why it could not be read; empty if it was."""
