"""The editor that an answer is pasted into, with every reference marked where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.style import Style as RichStyle
from rich.text import Text
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.style import Style
from textual.widgets import TextArea

from memtui.citations import Kind
from memtui.tui.veil import Veil
from memtui.tui.view.citations import RowMark

MOST_CHARS = 8_000
"""Characters that are drawn and edited; what is pasted beyond them stands as one character."""

_STYLES: Mapping[Kind, str] = {
    "valid": "underline $success",
    "partial": "strike $error",
    "rejected": "strike $error",
    "suspect": "italic reverse $warning",
}
"""How a reference looks; the shapes differ, so that colour is never needed."""


class AnswerEditor(TextArea):
    """A ``TextArea`` that draws no control character, and whose answer is exactly what was pasted.

    Whatever can not be drawn, or is too long to be, stands in it as one placeholder.
    """

    # Where a scrollbar comes and goes, Textual 8.2.8 looks for the cursor in the middle of an undo,
    # behind the end of the text, and ends with a ValueError.
    DEFAULT_CSS = "AnswerEditor { overflow-y: scroll; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True, highlight_cursor_line=False)
        self.match_cursor_bracket = False
        self.veil = Veil()
        self._marks: Mapping[int, Sequence[RowMark]] = {}

    def edit(self, edit: Edit) -> EditResult:
        """Makes an edit; the text it brings is veiled, and what is too long of it folded."""
        if edit.text:
            edit.text = self.veil.fold(edit.text, max(0, MOST_CHARS - len(self.text)))
        return super().edit(edit)

    def load_text(self, text: str) -> None:
        """Replaces everything, as a paste into an empty editor would."""
        super().load_text(self.veil.fold(text, MOST_CHARS))

    def mark(self, marks: Mapping[int, Sequence[RowMark]]) -> None:
        """Marks the references of the text as it is now."""
        if marks != self._marks:
            self._marks = marks
            self.notify_style_update()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn."""
        line = super().get_line(line_index)
        line.plain = self.veil.drawn(line.plain)
        for start, end, kind in self._marks.get(line_index, ()):
            line.stylize(self._look(kind), start, end)
        return line

    def _look(self, kind: Kind) -> RichStyle:
        return Style.parse(_STYLES[kind]).rich_style

    def action_copy(self) -> None:
        """Copies what the selection stands for."""
        if self.selected_text:
            self._send(self.selected_text)
        else:
            super().action_copy()

    def action_cut(self) -> None:
        """Cuts the selection, or the line, and copies what it stood for."""
        before = self.app.clipboard
        super().action_cut()
        if self.app.clipboard != before:
            self._send(self.app.clipboard)

    def _send(self, hidden: str) -> None:
        self.app.copy_to_clipboard(sendable(self.veil.reveal(hidden)))


def sendable(text: str) -> str:
    """The text without lone surrogates, which no clipboard takes."""
    return text.encode("utf-8", "replace").decode()
