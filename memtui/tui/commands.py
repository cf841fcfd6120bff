"""Every command of the app, once. Keys, footer, palette, help and the README are derived from it.

No Textual here: the tables can be made without starting the app.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memtui.tui.command import (
    EVERYWHERE,
    IN_DIALOGS,
    IN_LISTS,
    IN_MEMORIES,
    IN_WHY,
    INPUTS,
    OPENED,
    OUTSIDE_INPUTS,
    OUTSIDE_WHY,
    Command,
    Context,
    Fact,
    Place,
    Target,
)

__all__ = [
    "APP",
    "ASK",
    "BY_ID",
    "CHANGE",
    "COMMANDS",
    "DIALOG",
    "EVERYWHERE",
    "INPUTS",
    "IN_DIALOGS",
    "IN_LISTS",
    "IN_MEMORIES",
    "IN_WHY",
    "LOOK",
    "MOST_DIGITS",
    "OPENED",
    "OUTSIDE_INPUTS",
    "OUTSIDE_WHY",
    "TAKE",
    "Command",
    "Context",
    "Fact",
    "Place",
    "Target",
    "hints",
    "is_letter",
    "key_at",
    "keys_table",
    "named",
    "shown_key",
    "shown_keys",
]

_SHOWN = frozenset({Fact.RECALL})
_MEMORY = frozenset({Fact.RECALL, Fact.MEMORY})
_STORE = frozenset({Fact.STORE})
_REMEDY = frozenset({Fact.REMEDY})
MOST_DIGITS = 6
"""Remedies that have a digit."""
_MANIFEST = frozenset({Fact.RECALL, Fact.MANIFEST})

ASK, LOOK, CHANGE, TAKE, APP, DIALOG = ("Ask", "Look", "Change", "Take along", "App", "In a dialog")

# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("query", ("slash",), "focus_query", "Edit the query",
            "Puts the cursor into the query; the panes follow as you type.", ASK, "query", 1,
            needs=_STORE),
    Command("filter", ("f",), "filter", "Filter the pool",
            "Keeps the memories whose title, description or path is like what you type.", ASK,
            "filter", 3, needs=_SHOWN),
    Command("inspect", ("enter",), "inspect", "Look into the row",
            "Opens score, frontmatter and body of the memory, or steps and ids of the trace.", LOOK,
            "inspect", 5, where=frozenset({Place.LIST, Place.TRACES}), needs=_SHOWN,
            target=Target.LIST, front=frozenset({Place.TRACES})),
    Command("why", ("w",), "why", "Why was it not recalled?",
            "Shows where the memory was lost, by how much, and what would bring it back.", ASK,
            "why", 2, where=OUTSIDE_WHY, needs=_MEMORY),
    Command("memory", ("w",), "show_memory", "Show the memory itself",
            "Shows its score, its frontmatter and its body in place of the ladder.", ASK,
            "memory", 3, where=IN_WHY, needs=_MEMORY, target=Target.WHY, front=IN_WHY),
    Command("apply", ("enter",), "apply", "Try the marked remedy",
            "Applies it to the running recall; every pane follows, and nothing is written.", ASK,
            "try it", 1, where=IN_WHY, needs=_REMEDY, target=Target.WHY, front=IN_WHY),
    *(
        Command(f"apply-{digit}", (f"{digit}",), f"apply({digit})", f"Try remedy {digit}",
                "Applies the remedy of this number to the running recall.", ASK, where=IN_WHY,
                needs=_REMEDY, target=Target.WHY)
        for digit in range(1, MOST_DIGITS + 1)
    ),
    Command("take-back", ("u",), "take_back", "Take the what-if back",
            "Undoes the last remedy that was tried.", ASK, "take back", 1,
            needs=frozenset({Fact.WHAT_IF}), front=OUTSIDE_INPUTS),
    Command("pin", ("p",), "pin", "Pin the memory you expected",
            "Keeps its fate and its margin in sight while the query changes; again unpins it.", ASK,
            "pin", 6, needs=_MEMORY),
    Command("find", ("F",), "find", "Find a memory by what it says",
            "Looks through the whole tree, skipped files included, and opens the ladder.", ASK,
            "find", 7, needs=_SHOWN),
    Command("compare", ("c",), "compare", "Compare",
            "Holds the recall beside other designs, or beside what it was before a change.", ASK,
            "compare", 7, needs=_SHOWN),
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
            "Every document and every skipped file, with its fate.", LOOK, where=OUTSIDE_WHY,
            needs=_SHOWN),
    Command("pane-hits", ("2",), "show_pane('hits')", "Pane 2: lexical hits",
            "Rank, score, and where the points come from.", LOOK, where=OUTSIDE_WHY, needs=_SHOWN),
    Command("pane-reserve", ("3",), "show_pane('reserve')", "Pane 3: recency reserve",
            "Every document by age, and which slot it fills.", LOOK, where=OUTSIDE_WHY,
            needs=_SHOWN),
    Command("pane-manifest", ("4",), "show_pane('manifest')", "Pane 4: the manifest",
            "Every candidate with its bytes and the running total, packed or not.", LOOK,
            where=OUTSIDE_WHY, needs=_SHOWN),
    Command("pane-trace", ("5",), "show_pane('trace')", "Pane 5: traces",
            "Every stored recall of the app and of agents, with its steps, times and limits.", LOOK,
            where=OUTSIDE_WHY, needs=_SHOWN),
    Command("citations", ("v",), "citations", "Check the citations of an answer",
            "Opens a text area: what is pasted is checked against the highlighted trace.", LOOK,
            "check citations", 3, needs=_SHOWN, front=frozenset({Place.TRACES, Place.TRACE})),
    Command("next-pane", ("tab",), "next_pane", "Next pane", "Moves the focus to the next pane.",
            LOOK, where=EVERYWHERE, needs=_SHOWN),
    Command("previous-pane", ("shift+tab",), "previous_pane", "Previous pane",
            "Moves the focus to the pane before.", LOOK, where=EVERYWHERE, needs=_SHOWN),
    Command("zoom", ("z",), "zoom", "Zoom the pane", "Gives the pane the whole screen, and back.",
            LOOK, "zoom", 6, needs=_SHOWN),
    Command("order", ("S",), "next_order", "Order of the pool",
            "Lists the pool by fate, score, age or scope, one after the other.", LOOK,
            needs=_SHOWN),
    Command("health", ("h",), "narrow", "Only what is unhealthy",
            "Lists the memories with findings, then the files that were skipped, then all.", LOOK,
            needs=_SHOWN),
    Command("index", ("i",), "index", "The index as it is loaded",
            "MEMORY.md with the line where loading stops, dangling links and what it leaves out.",
            LOOK, needs=_SHOWN),
    Command("tools", ("t",), "tools", "Recent tools",
            "Names the tools in use; notes that only document them become noise.", CHANGE,
            "tools", 5, needs=_STORE),
    Command("limits", ("l",), "limits", "Limits and ablations",
            "Changes any number of the recall, or switches a part of its design off.", CHANGE,
            "limits", 4, needs=_STORE),
    Command("selector", ("s",), "selector", "Who selects",
            "The heuristic, a model, an answer given by hand, or a replay; shows the prompt too.",
            CHANGE, "selector", 11, needs=_STORE),
    Command("pick", ("space",), "pick", "Pick the line by hand",
            "Picks a line of the manifest, or drops it; the picks are validated as an answer is.",
            CHANGE, "pick", 12, where=frozenset({Place.LIST}), needs=_MANIFEST),
    Command("prompt", (), "prompt", "The selector's prompt",
            "Shows exactly what a model is told about this recall, to be read or copied.", LOOK,
            needs=_SHOWN),
    Command("timeline", ("T",), "timeline", "Delivery timeline",
            "When what reaches the model, and what comes too late; simulates slow selectors.", LOOK,
            needs=_SHOWN),
    Command("ranker", ("b",), "ranker", "Choose a ranker",
            "Ranks by what the agents do, or by another ranker.", CHANGE, "ranker", 13,
            needs=_STORE),
    Command("rankers", ("B",), "rankers", "Rankers side by side",
            "The rank of every memory by every ranker that can run.", LOOK, needs=_SHOWN),
    *(
        Command(f"rank-{name}", (), f"rank_by('{name}')", f"Rank by {name}", f"{what}.", CHANGE,
                needs=_STORE)
        for name, what in (
            ("lexical", "Substring points by field, as the agents do"),
            ("bm25", "Full-text search with stems and rarity"),
            ("vector", "Nearness in meaning, by an embeddings endpoint"),
            ("fuzzy", "Words spelled nearly like those of the query"),
            ("hybrid", "Lexical, bm25 and, where configured, vector fused"),
        )
    ),
    Command("expand", ("plus",), "expand", "Expand the query",
            "Also looks for word forms, identifiers, synonyms and names; again switches it off.",
            CHANGE, "expand", 14, needs=_STORE),
    Command("save-case", ("a",), "save_case", "Save as a case",
            "Appends the query and the highlighted memory to a case file, once one was chosen.",
            TAKE, "save case", 15, where=IN_MEMORIES, needs=_MEMORY),
    Command("case-file", ("A",), "case_file", "Save as a case in a file",
            "Asks for the case file first, and remembers it.", TAKE, where=IN_MEMORIES,
            needs=_MEMORY),
    Command("evaluation", ("E",), "evaluation", "Evaluation",
            "Runs a case file: where relevant memories are lost, and every case, worst first.",
            LOOK, needs=_STORE),
    Command("stores", ("o",), "stores", "Choose a store",
            "Lists every store on this machine, with counts, and the demos; enter opens one.",
            CHANGE, "stores", 9, front=frozenset({Place.NOTICE})),
    Command("recency", ("m",), "recency", "Ages from files or frontmatter",
            "Takes ages from modified: in the frontmatter, as after a checkout, or from the files.",
            CHANGE, needs=_STORE),
    Command("rescan", ("r",), "rescan", "Scan again",
            "Reads the stores again; a file that did not change is not reread.", CHANGE, "rescan",
            8, needs=_STORE, front=frozenset({Place.NOTICE})),
    Command("edit", ("e",), "edit", "Open in an editor",
            "Opens the file in $VISUAL or $EDITOR, then scans again. memtui itself never writes.",
            TAKE, "edit", 7, where=IN_MEMORIES, needs=_MEMORY, front=frozenset({Place.INSPECTOR})),
    Command("copy", ("y",), "copy", "Copy the path",
            "Sends the path of the memory to the clipboard of the terminal.", TAKE, "copy", 9,
            where=IN_MEMORIES, needs=_MEMORY, front=frozenset({Place.INSPECTOR})),
    Command("copy-trace", ("y",), "copy_trace", "Copy the trace id",
            "Sends the id of the highlighted trace to the clipboard of the terminal.", TAKE, "copy",
            9, where=frozenset({Place.TRACES, Place.TRACE}), needs=_SHOWN, target=Target.TRACES,
            front=frozenset({Place.TRACE})),
    Command("copy-clean", ("y", "f2"), "copy_clean", "Copy the clean text",
            "Sends the answer without the references it may not make to the clipboard.", TAKE,
            "copy clean text", 2, where=frozenset({Place.ANSWER, Place.CITATIONS}), needs=_SHOWN,
            target=Target.TRACES, front=frozenset({Place.ANSWER, Place.CITATIONS})),
    Command("export", ("x",), "export", "Export the recall",
            "Writes JSON, the manifest, the context or a picture to a file outside the stores.",
            TAKE, "export", 10, needs=_SHOWN),
    Command("demo", ("d",), "demo", "Open the demo",
            "Lays out invented memories in a temporary folder and opens them.", APP, "demo", 1,
            needs=frozenset({Fact.NO_STORE}), target=Target.APP, front=frozenset({Place.NOTICE})),
    Command("back", ("escape",), "back", "One step back",
            "Clears a filter, leaves an input, closes what is open, ends a zoom; never quits.",
            APP, "back", 5, where=EVERYWHERE, front=INPUTS | OPENED),
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
    Command("open-linked", ("enter",), "inspect", "Open the memory", "Opens what a line leads to.",
            DIALOG, "open", 1, where=IN_DIALOGS, target=Target.DIALOG),
    Command("next-problem", ("n",), "next_problem", "Next problem",
            "Moves to the next line with which something is wrong.", DIALOG, "next problem", 2,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("previous-problem", ("N",), "previous_problem", "Problem before",
            "Moves to the line before with which something is wrong.", DIALOG, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("reset", ("backspace", "delete"), "reset", "Reset the row",
            "Gives the row its default back.", DIALOG, "reset", 2, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("reset-all", ("R",), "reset_all", "Reset everything",
            "Gives every row its default back.", DIALOG, "reset all", 3, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("other-comparison", ("tab", "right"), "other_comparison", "The next comparison",
            "Compares with the next design.", DIALOG, "next", 4, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("comparison-before", ("shift+tab", "left"), "comparison_before",
            "The comparison before", "Compares with the design before.", DIALOG, "before", 5,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("result-down", ("down",), "cursor_down", "Next result", "Marks the next result.",
            DIALOG, where=IN_DIALOGS, target=Target.DIALOG),
    Command("result-up", ("up",), "cursor_up", "Result before", "Marks the result before.",
            DIALOG, where=IN_DIALOGS, target=Target.DIALOG),
    Command("open-found", ("enter",), "accept", "Open the memory",
            "Highlights it in the panes and opens its ladder.", DIALOG, "open", 6,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("show-prompt", ("v",), "show_prompt", "View the prompt",
            "Shows exactly what a selector is told.", DIALOG, "prompt", 4, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("use-answer", ("f2",), "use_answer", "Use the answer",
            "Selects what the pasted answer names, if it is valid.", DIALOG, "use it", 5,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("copy-text", ("y",), "copy_text", "Copy the text",
            "Sends the prompt to the clipboard of the terminal.", DIALOG, "copy", 6,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("copy-json", ("Y",), "copy_json", "Copy as JSON",
            "Sends the prompt as the list of messages that an endpoint takes.", DIALOG,
            "copy JSON", 7, where=IN_DIALOGS, target=Target.DIALOG),
    Command("next-sort", ("S",), "next_sort", "Sort by the next column",
            "Sorts by one ranker after the other.", DIALOG, "sort", 8, where=IN_DIALOGS,
            target=Target.DIALOG),
    Command("use-ranker", ("b",), "use_ranker", "Rank by this ranker",
            "Recalls with the ranker that the list is sorted by.", DIALOG, "rank by it", 9,
            where=IN_DIALOGS, target=Target.DIALOG),
    Command("next-field", ("tab",), "app.focus_next", "Next field", "Moves the focus on.", DIALOG,
            "next", 10, where=IN_DIALOGS, target=Target.DIALOG),
    Command("run-again", ("r",), "run_again", "Run again",
            "Runs every case of the file again, with the options of now.", DIALOG, "run again", 11,
            where=IN_DIALOGS, target=Target.DIALOG),
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
    "plus": "+",
    "f2": "F2",
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
    return len(key) == 1 or key in ("slash", "question_mark", "plus", "space")


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
    """The keys as a Markdown table, for the README, with the names that a keymap uses."""
    rows = ["| key | command | what it does | name |", "| --- | --- | --- | --- |"]
    for command in COMMANDS:
        keys = " ".join(f"`{shown_key(key)}`" for key in command.keys) or "in the palette"
        rows.append(f"| {keys} | {command.title} | {command.help} | `{command.id}` |")
    return "\n".join(rows) + "\n"
