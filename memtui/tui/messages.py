"""What the threads and widgets of the app tell each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from memtui.memory.document import Pool
    from memtui.memory.stores import Discovery, Store, Summary
    from memtui.memory.watch import Changes
    from memtui.recall.trace import Trace
    from memtui.setup import Setup
    from memtui.tui.view.health import Health, Readings
    from memtui.tui.view.uses import Uses
    from memtui.tui.view.view import View


class FirstFrameDrawn(Message):
    """Something is on the screen, and the rest of the app can be loaded."""


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


@dataclass
class LiveScanFailed(Message):
    """A root could not be read again after a change; what was read before is kept."""

    reason: str


@dataclass
class DiskChanged(Message):
    """Files of the stores have changed."""

    changes: Changes


@dataclass
class HealthReady(Message):
    """What is wrong with the memories of a pool is known, or the first part of it."""

    pool: Pool
    health: Health


@dataclass
class ReadingsReady(Message):
    """What each dialect reads of a file is known."""

    pool: Pool
    key: str
    readings: Readings


@dataclass
class StoresFound(Message):
    """Every store on this machine, not yet counted."""

    discovery: Discovery
    problem: str = ""
    """Why some are missing; empty if none is."""


@dataclass
class StoreCounted(Message):
    """One store has been counted."""

    store: Store
    summary: Summary


@dataclass
class SetupChosen(Message):
    """The user wants to see other stores."""

    setup: Setup


@dataclass
class DemoChosen(Message):
    """The user wants to see a demo."""

    name: str


@dataclass
class PoolChosen(Message):
    """A case is to be opened in the pool that it names."""

    setup: Setup
    """The roots, the query and the options; those of a demo are its own."""
    demo: str = ""
    """The name of a demo; empty for the roots of the setup."""
