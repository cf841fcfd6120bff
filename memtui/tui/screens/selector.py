"""Who selects: the heuristic, a model, an answer given by hand, or a replay."""

from __future__ import annotations

from collections.abc import Callable
from os.path import expanduser

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static, TextArea

from memtui.recall.selectors.base import Selector, SelectorRequest
from memtui.recall.selectors.endpoint import ModelSelector
from memtui.recall.selectors.given import AnswerFileError, ManualSelector, ReplaySelector
from memtui.tui.bindings import bindings_of
from memtui.tui.paint import content
from memtui.tui.screens.dialog import TRIAL_STYLES, Dialog
from memtui.tui.screens.prompt import PromptScreen
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.selecting import (
    HEURISTIC,
    MANUAL,
    MODEL,
    REPLAY,
    Choice,
    about,
    checked,
    choices,
    choices_pane,
    name_of,
)
from memtui.tui.widgets.answer_editor import AnswerEditor
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput

Apply = Callable[[Selector | None], None]
"""Takes a selector into the recalls; None for the heuristic."""


class SelectorScreen(Dialog[None]):
    """Enter takes the highlighted selector, or goes on to what it wants."""

    CSS_PATH = TRIAL_STYLES
    BINDINGS = bindings_of("show-prompt", "use-answer")

    def __init__(
        self,
        model: ModelSelector,
        current: Selector | None,
        request: SelectorRequest | None,
        apply: Apply,
    ) -> None:
        super().__init__()
        self._model = model
        self._current = current
        self._request = request
        self._apply = apply
        self._choices = choices(model, current)

    def compose(self) -> ComposeResult:
        """The choices, what the highlighted one means, and what it wants."""
        with Vertical(id="frame"):
            yield RowList()
            yield Static("", markup=False, id="about")
            yield AnswerEditor(id="answer")
            yield SafeInput(placeholder="path of a JSON file with answers", id="file")
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows the choices, with the cursor on the one in force."""
        self.label("who selects", "accept", "show-prompt", "use-answer")
        current = name_of(self._current)
        self._list.show(choices_pane(self._choices, current), current)
        if isinstance(self._current, ManualSelector):
            self._answer.load_text(self._current.text)
        self._describe()
        self._list.focus()

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    @property
    def _answer(self) -> AnswerEditor:
        return self.query_one(AnswerEditor)

    @property
    def _file(self) -> SafeInput:
        return self.query_one("#file", SafeInput)

    @property
    def _choice(self) -> Choice:
        return self._choices[self._list.cursor]

    @property
    def _text(self) -> str:
        """The answer exactly as it was pasted."""
        return self._answer.veil.reveal(self._answer.text)

    def _describe(self) -> None:
        """Shows what the highlighted choice means and wants."""
        choice = self._choice
        self._answer.display = choice.name == MANUAL
        self.query_one("#frame").set_class(choice.name == MANUAL, "-manual")
        self._file.display = choice.name == REPLAY
        self.query_one("#about", Static).update(content(about(choice)))
        self._say(checked(self._text, self._request) if choice.name == MANUAL else ())

    def _say(self, said: Line) -> None:
        self.query_one("#said", Static).update(content(said))

    def _take(self, selector: Selector | None) -> None:
        self._apply(selector)
        self.dismiss(None)

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._describe()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.key == HEURISTIC:
            self._take(None)
        elif event.key == MODEL and self._choice.ready:
            self._take(self._model)
        elif event.key == MANUAL:
            self._answer.focus()
        elif event.key == REPLAY:
            self._file.focus()

    @on(TextArea.Changed)
    def _answer_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._choice.name == MANUAL:
            self._say(checked(self._text, self._request))

    @on(SafeInput.Submitted)
    def _file_named(self, event: SafeInput.Submitted) -> None:
        event.stop()
        path = event.value.strip()
        try:
            selector = ReplaySelector.from_file(expanduser(path))
        except AnswerFileError as error:
            self._say(line(Piece(f"! {error}" if path else "! type the path of a file", "error")))
            return
        self._take(selector)

    def action_use_answer(self) -> None:
        """Takes the pasted answer; one that will be refused too, which is then shown."""
        if self._choice.name == MANUAL and self._text.strip():
            self._take(ManualSelector(self._text))

    def action_show_prompt(self) -> None:
        """Shows what a selector is told."""
        if self._request is None:
            self._say(checked("", None))
        else:
            self.app.push_screen(PromptScreen(self._request))

    def action_close(self) -> None:
        """Goes back to the choices, or closes the dialog."""
        if self.focused is self._list:
            self.dismiss(None)
        else:
            self._list.focus()
