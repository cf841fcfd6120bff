"""What the threads and widgets of the app tell each other."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

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
