"""What a command is: where it works, what it needs, and who carries it out. No Textual here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum


class Place(StrEnum):
    """Where the focus is."""

    QUERY = "query"
    FILTER = "filter"
    LIST = "list"
    INSPECTOR = "inspector"
    WHY = "why"
    TRACES = "traces"
    TRACE = "trace"
    ANSWER = "answer"
    CITATIONS = "citations"
    NOTICE = "notice"
    DIALOG = "dialog"


class Fact(StrEnum):
    """What holds right now; a command may need some of them."""

    RECALL = "a recall is shown"
    MEMORY = "a memory is highlighted"
    MANIFEST = "the manifest is in front"
    STORE = "there is a store"
    NO_STORE = "no store was found"
    REMEDY = "a remedy is marked"
    WHAT_IF = "a what-if is in force"


class Target(Enum):
    """Who carries a command out."""

    APP = "app"
    SCREEN = "screen"
    LIST = "list"
    TRACES = "traces"
    WHY = "why"
    DIALOG = "dialog"


INPUTS = frozenset({Place.QUERY, Place.FILTER, Place.ANSWER})
"""Where letters are text."""
EVERYWHERE = frozenset(Place) - {Place.DIALOG}
IN_DIALOGS = frozenset({Place.DIALOG})
OUTSIDE_INPUTS = EVERYWHERE - INPUTS
OUTSIDE_WHY = OUTSIDE_INPUTS - {Place.WHY}
"""Where the digits are panes."""
IN_WHY = frozenset({Place.WHY})
IN_MEMORIES = frozenset({Place.LIST, Place.INSPECTOR, Place.WHY})
IN_LISTS = IN_MEMORIES | {Place.TRACES, Place.TRACE, Place.CITATIONS}
OPENED = IN_WHY | {Place.INSPECTOR, Place.TRACE, Place.CITATIONS}
"""What is opened from a list, to which esc leads back."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where the user is, and what holds there."""

    place: Place
    facts: frozenset[Fact] = frozenset()


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that the app can do."""

    id: str
    """Names it in a user's keymap."""
    keys: tuple[str, ...]
    """Its keys, as the terminal library names them."""
    action: str
    """What is run."""
    title: str
    """In the palette and in the help."""
    help: str
    """One sentence."""
    group: str
    """The heading it stands under in the help."""
    hint: str = ""
    """One word for the footer."""
    footer: int = 0
    """The lowest number above 0 stands first in the footer; 0 never does."""
    where: frozenset[Place] = OUTSIDE_INPUTS
    """Where its keys work."""
    needs: frozenset[Fact] = frozenset()
    """What must hold."""
    target: Target = Target.SCREEN
    """Who carries it out."""
    front: frozenset[Place] = frozenset()
    """Where its hint goes before all others."""
    fixed: bool = False
    """Whether its hint is always in the footer, at the right."""

    def works(self, context: Context) -> bool:
        """Whether its keys do something here and now."""
        return context.place in self.where and self.needs <= context.facts

    def allowed(self, context: Context) -> bool:
        """Whether it makes sense now, wherever the focus is."""
        return self.needs <= context.facts

    @property
    def offered(self) -> bool:
        """Whether the palette offers it; what a dialog does is for the dialog alone."""
        return self.target is not Target.DIALOG
