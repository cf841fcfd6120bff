"""Which file a case is appended to."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from memtui.evaluate import Case
from memtui.tui.case_files import CaseFileError, Saved, append_case
from memtui.tui.paint import content, paragraphs
from memtui.tui.screens.dialog import Dialog
from memtui.tui.session import remember_case_file
from memtui.tui.view.pieces import Piece, line
from memtui.tui.widgets.safe_input import SafeInput

FIRST_NAME = "memtui-cases.jsonl"


class SaveCaseScreen(Dialog[Saved]):
    """Enter appends the case; answers with what was saved, and where."""

    def __init__(self, case: Case, typed: str, roots: Sequence[str]) -> None:
        super().__init__()
        self._case = case
        self._typed = typed or FIRST_NAME
        self._roots = tuple(roots)

    def compose(self) -> ComposeResult:
        """The case, and the path."""
        with Vertical(id="frame"):
            yield Static(content(()), markup=False, id="case")
            yield SafeInput(self._typed, placeholder="path of a file with JSON lines")
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows what is saved."""
        self.label("save as a case", "accept")
        case = self._case
        self.query_one("#case", Static).update(
            paragraphs(
                (
                    line(Piece("query    ", "muted"), Piece(case.query or "(blank)", "strong")),
                    line(Piece("wants    ", "muted"), ", ".join(case.relevant)),
                    line(Piece("from     ", "muted"), case.pool or "the roots of the command"),
                    (),
                    line(Piece("Appended to this file, which is remembered:", "muted")),
                )
            )
        )
        self.query_one(SafeInput).focus()

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        try:
            saved = append_case(event.value, self._case, self._roots)
        except CaseFileError as error:
            self.query_one("#said", Static).update(content(line(Piece(f"! {error}", "error"))))
            return
        remember_case_file(saved.path)
        self.dismiss(saved)
