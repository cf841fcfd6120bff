"""The citation area: an answer, what its references are worth, and the clean text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import TextArea

from memtui.citations import Citations, validate_citations
from memtui.text import plural
from memtui.tui.bindings import bindings_of
from memtui.tui.newest import Newest, Stale
from memtui.tui.paint import paragraphs
from memtui.tui.view.citations import (
    Allowlist,
    RowMark,
    checked,
    counts,
    in_rows,
    invitation,
    placed,
)
from memtui.tui.view.pieces import Line, Piece, line, richest
from memtui.tui.widgets.answer_editor import AnswerEditor, sendable
from memtui.tui.widgets.line_bar import LineBar
from memtui.tui.widgets.scrolled_text import ScrolledText

SMALL_CHARS = 50_000
"""Characters of a text that is checked at every key; a longer one once no key follows."""
PAUSE_S = 0.3
"""Seconds without a key before a long text is checked."""


@dataclass(frozen=True)
class Question:
    """A text to check."""

    hidden: str
    """The text of the editor."""
    allowlist: Allowlist
    """What it may cite."""


@dataclass
class Checked(Message):
    """A text was checked."""

    question: Question
    found: Citations
    lines: tuple[Line, ...]
    marks: Mapping[int, Sequence[RowMark]]

    def can_replace(self, message: Message) -> bool:
        """A newer verdict makes an older one needless."""
        return isinstance(message, Checked)


class CitationArea(Vertical):
    """Checks an answer in a thread while it is typed; only the newest verdict is shown."""

    BINDINGS = bindings_of("copy-clean")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.editor = AnswerEditor(id="answer")
        self.editor.placeholder = "paste an answer of the agent here"
        self.verdict = ScrolledText(id="verdict")
        self.allowlist = Allowlist()
        self._asked = Newest[Question](self, "citations", self._answer, pause_s=PAUSE_S)
        self._found: Citations | None = None
        self._checking = False
        self._copy = False

    def compose(self) -> ComposeResult:
        """The editor, the counts, and the answer with its marks."""
        yield LineBar(self._draw_against, id="against")
        yield self.editor
        yield LineBar(self._draw_counts, id="counts")
        yield self.verdict

    def on_mount(self) -> None:
        """Says what this is for."""
        self._check()

    def check_against(self, allowlist: Allowlist) -> None:
        """Checks against another allowlist, if it is another one."""
        changed = allowlist != self.allowlist
        self.allowlist = allowlist
        if self.is_mounted and (changed or not self.editor.text):
            self.query_one("#against").refresh()
            self._check()

    @property
    def found(self) -> Citations | None:
        """The verdict on the text as it is now; None before there is one."""
        return None if self._checking else self._found

    # Checking

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._check()

    def _check(self) -> None:
        hidden = self.editor.text
        if not hidden:
            self._asked.drop()
            self._checking, self._found = False, None
            self.editor.mark({})
            self.verdict.update(paragraphs(invitation(self.allowlist)))
            self.query_one("#counts").refresh()
            return
        self._checking = True
        small = len(hidden) + self.editor.veil.undrawn(hidden) <= SMALL_CHARS
        self._asked.put(Question(hidden, self.allowlist), at_once=small)

    def _answer(self, question: Question, stale: Stale) -> None:
        veil, hidden = self.editor.veil, question.hidden
        text = veil.reveal(hidden)
        found = validate_citations(text, question.allowlist.ids)
        if stale():
            return
        lines = checked(found, text, question.allowlist)
        marks = in_rows(hidden, placed(found.spans, veil.stretches(hidden)))
        self.post_message(Checked(question, found, lines, marks))

    @on(Checked)
    def _show(self, event: Checked) -> None:
        event.stop()
        if event.question != Question(self.editor.text, self.allowlist):
            return
        self._checking, self._found = False, event.found
        self.editor.mark(event.marks)
        self.verdict.update(paragraphs(event.lines))
        self.query_one("#counts").refresh()
        if self._copy:
            self.copy_clean()

    # Drawing

    def _draw_against(self, width: int, _height: int) -> list[Line]:
        return [richest(self.allowlist.against, width)]

    def _draw_counts(self, width: int, _height: int) -> list[Line]:
        if self._found is None:
            return [line(Piece("checking …" if self._checking else "nothing to check", "muted"))]
        return [richest(counts(self._found), width)]

    # Copying

    def action_copy_clean(self) -> None:
        """Copies the clean text, as soon as it is known."""
        if not self.editor.text:
            self.notify("nothing was pasted, so there is no clean text to copy", markup=False)
            return
        self._copy = True
        self.copy_clean()

    def copy_clean(self) -> None:
        """Copies the clean text if it is known."""
        found = self.found
        if found is None:
            return
        self._copy = False
        self.app.copy_to_clipboard(sendable(found.clean))
        replaced = sum(1 for span in found.spans if span.replacement() is not None)
        what = f"{plural(replaced, 'reference')} replaced" if replaced else "nothing was replaced"
        size = plural(len(found.clean), "character")
        self.notify(
            f"clean text sent to the clipboard of the terminal: {what}, {size}", markup=False
        )
