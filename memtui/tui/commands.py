"""Every command of the app, once. Keys, footer, palette, help and the README are derived from it.

No Textual here: the tables can be made without starting the app.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum


class Place(StrEnum):
    """Where the focus is."""

    QUERY = "query"
    FILTER = "filter"
    LIST = "list"
    INSPECTOR = "inspector"
    NOTICE = "notice"
    DIALOG = "dialog"


class Fact(StrEnum):
    """What holds right now; a command may need some of them."""

    RECALL = "a recall is shown"
    MEMORY = "a memory is highlighted"
    STORE = "there is a store"
    NO_STORE = "no store was found"


class Target(Enum):
    """Who carries a command out."""

    APP = "app"
    SCREEN = "screen"
    LIST = "list"
    DIALOG = "dialog"


INPUTS = frozenset({Place.QUERY, Place.FILTER})
"""Where letters are text."""
EVERYWHERE = frozenset(Place) - {Place.DIALOG}
IN_DIALOGS = frozenset({Place.DIALOG})
OUTSIDE_INPUTS = EVERYWHERE - INPUTS
IN_LISTS = frozenset({Place.LIST, Place.INSPECTOR})


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


_SHOWN = frozenset({Fact.RECALL})
_MEMORY = frozenset({Fact.RECALL, Fact.MEMORY})
_STORE = frozenset({Fact.STORE})

ASK, LOOK, CHANGE, TAKE, APP, DIALOG = ("Ask", "Look", "Change", "Take along", "App", "In a dialog")

# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("query", ("slash",), "focus_query", "Edit the query",
            "Puts the cursor into the query; the panes follow as you type.", ASK, "query", 1,
            needs=_STORE),
    Command("filter", ("f",), "filter", "Filter the pool",
            "Keeps the memories whose title, description or path is like what you type.", ASK,
            "filter", 3, needs=_SHOWN),
    Command("inspect", ("enter",), "inspect", "Inspect the memory",
            "Opens the score, the frontmatter and the body of the highlighted memory.", LOOK,
            "inspect", 2, where=frozenset({Place.LIST}), needs=_SHOWN, target=Target.LIST),
    Command("down", ("j", "down"), "cursor_down", "Next row", "Moves down one row.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("up", ("k", "up"), "cursor_up", "Previous row", "Moves up one row.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("first", ("g", "home"), "first", "First row", "Moves to the first row.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("last", ("G", "end"), "last", "Last row", "Moves to the last row.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("half-down", ("ctrl+d",), "half_down", "Half a page down", "Moves down half a page.",
            LOOK, where=IN_LISTS, target=Target.LIST),
    Command("half-up", ("ctrl+u",), "half_up", "Half a page up", "Moves up half a page.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("page-down", ("pagedown",), "page_down", "A page down", "Moves down one page.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("page-up", ("pageup",), "page_up", "A page up", "Moves up one page.", LOOK,
            where=IN_LISTS, target=Target.LIST),
    Command("pane-pool", ("1",), "show_pane('pool')", "Pane 1: the pool",
            "Every document and every skipped file, with its fate.", LOOK, needs=_SHOWN),
    Command("pane-hits", ("2",), "show_pane('hits')", "Pane 2: lexical hits",
            "Rank, score, and where the points come from.", LOOK, needs=_SHOWN),
    Command("pane-reserve", ("3",), "show_pane('reserve')", "Pane 3: recency reserve",
            "Every document by age, and which slot it fills.", LOOK, needs=_SHOWN),
    Command("pane-manifest", ("4",), "show_pane('manifest')", "Pane 4: the manifest",
            "Every candidate with its bytes and the running total, packed or not.", LOOK,
            needs=_SHOWN),
    Command("pane-trace", ("5",), "show_pane('trace')", "Pane 5: the trace",
            "The steps of the recall with counts and times.", LOOK, needs=_SHOWN),
    Command("next-pane", ("tab",), "next_pane", "Next pane", "Moves the focus to the next pane.",
            LOOK, where=EVERYWHERE, needs=_SHOWN),
    Command("previous-pane", ("shift+tab",), "previous_pane", "Previous pane",
            "Moves the focus to the pane before.", LOOK, where=EVERYWHERE, needs=_SHOWN),
    Command("zoom", ("z",), "zoom", "Zoom the pane", "Gives the pane the whole screen, and back.",
            LOOK, "zoom", 6, needs=_SHOWN),
    Command("order", ("S",), "next_order", "Order of the pool",
            "Lists the pool by fate, score, age or scope, one after the other.", LOOK,
            needs=_SHOWN),
    Command("tools", ("t",), "tools", "Recent tools",
            "Names the tools in use; notes that only document them become noise.", CHANGE,
            "tools", 5, needs=_STORE),
    Command("limits", ("l",), "limits", "Limits and ablations",
            "Changes any number of the recall, or switches a part of its design off.", CHANGE,
            "limits", 4, needs=_STORE),
    Command("rescan", ("r",), "rescan", "Scan again",
            "Reads the stores again; a file that did not change is not reread.", CHANGE, "rescan",
            8, needs=_STORE, front=frozenset({Place.NOTICE})),
    Command("edit", ("e",), "edit", "Open in an editor",
            "Opens the file in $VISUAL or $EDITOR, then scans again. memtui itself never writes.",
            TAKE, "edit", 7, where=IN_LISTS, needs=_MEMORY, front=frozenset({Place.INSPECTOR})),
    Command("copy", ("y",), "copy", "Copy the path",
            "Sends the path of the memory to the clipboard of the terminal.", TAKE, "copy", 9,
            where=IN_LISTS, needs=_MEMORY, front=frozenset({Place.INSPECTOR})),
    Command("export", ("x",), "export", "Export the recall",
            "Writes JSON, the manifest, the context or a picture to a file outside the stores.",
            TAKE, "export", 10, needs=_SHOWN),
    Command("demo", ("d",), "demo", "Open the demo",
            "Lays out invented memories in a temporary folder and opens them.", APP, "demo", 1,
            needs=frozenset({Fact.NO_STORE}), target=Target.APP, front=frozenset({Place.NOTICE})),
    Command("back", ("escape",), "back", "One step back",
            "Clears a filter, leaves an input, closes what is open, ends a zoom; never quits.",
            APP, "back", 5, where=EVERYWHERE, front=INPUTS | {Place.INSPECTOR}),
    Command("palette", ("ctrl+p",), "command_palette", "Command palette",
            "Every command by name.", APP, where=EVERYWHERE, target=Target.APP),
    Command("theme", (), "change_theme", "Choose a theme",
            "Light, dark, or the terminal's own colours.", APP, where=EVERYWHERE,
            target=Target.APP),
    Command("help", ("question_mark", "f1"), "help", "Help",
            "The keys, first those that work here and now.", APP, "help", 20, where=EVERYWHERE,
            fixed=True, target=Target.APP),
    Command("quit", ("q", "ctrl+q"), "quit", "Quit", "Leaves the app.", APP, "quit", 21,
            where=EVERYWHERE, fixed=True, target=Target.APP),
    Command("close", ("escape",), "close", "Close the dialog",
            "Closes it; the recent tools are put back as they were.", DIALOG, "close", 30,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("close-help", ("question_mark", "f1", "q"), "close", "Close the help", "Closes it.",
            DIALOG, "close", 31, where=IN_DIALOGS, target=Target.DIALOG),
    Command("accept", ("enter",), "accept", "Accept", "Changes the value, or does what is asked.",
            DIALOG, "accept", 1, where=IN_DIALOGS, target=Target.DIALOG),
    Command("reset", ("backspace", "delete"), "reset", "Reset the row",
            "Gives the row its default back.", DIALOG, "reset", 2, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("reset-all", ("R",), "reset_all", "Reset everything",
            "Gives every row its default back.", DIALOG, "reset all", 3, where=IN_DIALOGS,
            target=Target.DIALOG),
)
# fmt: on
"""The registry."""

BY_ID: Mapping[str, Command] = {command.id: command for command in COMMANDS}
"""Every command by its id."""

_KEY_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "escape": "esc",
    "f1": "F1",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": "↓",
    "up": "↑",
}


def shown_key(key: str) -> str:
    """A key as people write it: ``/``, ``esc``, ``ctrl+p``."""
    return _KEY_NAMES.get(key, key)


def shown_keys(command: Command) -> str:
    """All keys of a command as people write them."""
    return " ".join(shown_key(key) for key in command.keys)


def is_letter(key: str) -> bool:
    """Whether an input would take the key as text."""
    return len(key) == 1 or key in ("slash", "question_mark")


def key_at(command: Command, place: Place, keys: Iterable[str] | None = None) -> str:
    """The key to show for a command at a place; in an input it is one that is not text.

    Args:
        command: the command.
        place: where the focus is.
        keys: the keys in force, where a keymap has changed them.

    """
    usable = list(command.keys if keys is None else keys)
    if place in INPUTS:
        usable = [key for key in usable if not is_letter(key)] or usable
    return shown_key(usable[0]) if usable else ""


def named(action: str) -> tuple[Command, ...]:
    """The commands that run an action of this name, whatever its arguments."""
    return tuple(each for each in COMMANDS if each.action.partition("(")[0] == action)


def hints(context: Context, most: int = 6) -> tuple[Command, ...]:
    """What the footer shows: at most ``most`` commands that work here; help and quit come last."""
    working = [command for command in COMMANDS if command.footer and command.works(context)]
    fixed = [command for command in working if command.fixed]
    free = [command for command in working if not command.fixed]
    if context.place in INPUTS:
        free = [command for command in free if context.place in command.front]
    free.sort(key=lambda command: (context.place not in command.front, command.footer))
    return (*free[: max(0, most - len(fixed))], *fixed)


def keys_table() -> str:
    """The keys as a Markdown table, for the README."""
    rows = ["| key | command | what it does |", "| --- | --- | --- |"]
    for command in COMMANDS:
        keys = " ".join(f"`{shown_key(key)}`" for key in command.keys) or "in the palette"
        rows.append(f"| {keys} | {command.title} | {command.help} |")
    return "\n".join(rows) + "\n"
