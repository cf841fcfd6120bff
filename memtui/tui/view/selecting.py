"""Who selects, what came of it, and who could: lines and rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.recall.manifest import Manifest
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall
from memtui.recall.selection import REFUSALS, Refusal, validate_answer
from memtui.recall.selectors.base import Selector, SelectorRequest
from memtui.recall.selectors.endpoint import ModelSelector
from memtui.text import plural
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.rows import PaneView, Rows

HEURISTIC, MODEL, MANUAL, REPLAY = "heuristic", "model", "manual", "replay"
DOT = Piece(" · ", "muted")

_WHAT: Mapping[str, str] = {
    HEURISTIC: "the best hits of the whole pool, without a model; what agents fall back to",
    MODEL: "an OpenAI-compatible chat endpoint is shown the manifest and picks",
    MANUAL: "an answer that you paste; or pick lines of the manifest with space (pane 4)",
    REPLAY: "answers from a JSON file, for every recall as you type",
}
SET_UP = (
    "set MEMTUI_SELECTOR_URL and MEMTUI_SELECTOR_MODEL (and _API_KEY, if it wants one), "
    "or the table selector of the configuration"
)
"""How a model is configured."""


def name_of(selector: Selector | None) -> str:
    """The word for a selector."""
    return HEURISTIC if selector is None else selector.name


def thinking(who: str, seconds: float, *, early: bool) -> Line:
    """Somebody is being asked."""
    so_far = "the early result is shown" if early else "the recall so far is shown"
    return line(
        Piece(f"{who} … {int(seconds)} s", "primary"),
        Piece(f" · {so_far} · esc stops it", "muted"),
    )


def waiting(who: str) -> Line:
    """Somebody would be asked on enter."""
    if who == MANUAL:
        return line(Piece("the answer given by hand is checked on enter", "muted"))
    return line(Piece(f"enter asks the {who}", "primary"))


def stopped(who: str) -> Line:
    """It was not waited for."""
    return line(Piece(f"{who}: stopped", "warning"), Piece(" · enter asks again", "muted"))


def verdict(recall: Recall) -> Line:
    """What a selector did in a recall; empty where nobody was asked."""
    selection = recall.selection
    if selection.selector is None:
        return ()
    if selection.refused is not None:
        return line(
            Piece(f"! {selection.selector} refused: {selection.refused}", "warning"),
            Piece(" · the heuristic's pick stands", "muted"),
        )
    count = len(selection.documents)
    said = plural(count, "line") if count else "nothing, which is a valid answer"
    return line(Piece(f"{selection.selector} picked {said}", "success"))


def brief(recall: Recall) -> Line:
    """What a selector did, in a few words."""
    selection = recall.selection
    if selection.reason is not None:
        said = f"   ! {selection.selector} refused: {REFUSALS[selection.reason]}"
        return line(Piece(said, "warning"))
    return line(Piece(f"   {selection.selector} picked {len(selection.documents)}", "success"))


def title_pieces(options: RecallOptions, asked: bool) -> Line:
    """Who selects, for the title bar; empty for the heuristic.

    Args:
        options: what is chosen.
        asked: whether the recall that is shown asked it.

    """
    if options.selector is None:
        return ()
    mark = "" if asked else " (on enter)"
    return line(Piece(f"   selects {options.selector.name}{mark}", "primary"))


@dataclass(frozen=True, slots=True)
class Choice:
    """A selector as it can be chosen."""

    name: str
    """Its word."""
    state: str
    """Whether it can be chosen now, and with what; holds no secret."""
    ready: bool
    """Whether it can be asked."""


def choices(model: ModelSelector, current: Selector | None) -> tuple[Choice, ...]:
    """The four selectors."""
    endpoint = model.endpoint
    key = "with a key" if endpoint.key else "without a key"
    missing = endpoint.problem
    return (
        Choice(HEURISTIC, "always", True),
        Choice(
            MODEL,
            f"{endpoint.model}, {key}" if missing is None else f"not configured: {missing}",
            missing is None,
        ),
        Choice(
            MANUAL, "one answer is set" if name_of(current) == MANUAL else "no answer yet", True
        ),
        Choice(REPLAY, "a file is set" if name_of(current) == REPLAY else "no file yet", True),
    )


COLUMNS = (
    Column("", 1),
    Column("selector", 9),
    Column("state", 12, flexible=True),
)


def choices_pane(rows: tuple[Choice, ...], current: str) -> PaneView:
    """The choices as a list; the one in force is marked."""

    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, Choice)
        mark = Piece("●", "success") if item.name == current else Piece("○", "muted")
        state = Piece(item.state, "muted" if item.ready else "warning")
        return (mark,), line(Piece(item.name, "strong")), (state,)

    return PaneView((), (), Rows[object](COLUMNS, rows, _name, cells))


def _name(item: object) -> str:
    assert isinstance(item, Choice)
    return item.name


def about(choice: Choice) -> Line:
    """What a choice means, and what it wants."""
    said = line(Piece(_WHAT[choice.name], "muted"))
    if choice.name == MODEL and not choice.ready:
        return (*said, DOT, Piece(SET_UP, "warning"))
    return said


def checked(text: str, request: SelectorRequest | None) -> Line:
    """What an answer is worth, as a model's would be."""
    if request is None:
        return line(
            Piece("nobody is asked: the query is blank, or the manifest is empty", "warning")
        )
    if not text.strip():
        return line(Piece("paste an answer: a JSON list of absolute paths", "muted"))
    return answer_line(validate_answer(text, request.manifest, request.limit), request.manifest)


def answer_line(found: object, manifest: Manifest) -> Line:
    """A valid or a refused answer in words."""
    if isinstance(found, Refusal):
        return line(Piece(f"✗ refused: {found.text}", "error"))
    assert isinstance(found, tuple)
    if not found:
        return line(Piece("✓ valid: it picks nothing, and nothing is selected", "success"))
    titles = ", ".join(each.title or each.relative_path for each in found)
    return line(Piece(f"✓ valid: {len(found)} of {manifest.lines:,} lines", "success"), DOT, titles)


def prompt_lines(messages: list[dict[str, str]], most: int) -> tuple[Line, ...]:
    """A prompt as it is shown, message by message, cut where it is very long."""
    lines: list[Line] = []
    for message in messages:
        if lines:
            lines.append(())
        lines.append(line(Piece(message["role"], "primary")))
        text = message["content"]
        lines += (line(row) for row in text[:most].split("\n"))
        if len(text) > most:
            more = plural(len(text) - most, "more character")
            lines.append(line(Piece(f"… {more}: y copies all of it", "warning")))
    return tuple(lines)


def prompt_text(messages: list[dict[str, str]]) -> str:
    """A prompt as one text, to be pasted into a chat."""
    return "\n\n".join(message["content"] for message in messages)
