"""A case file, run in the background: where memories are lost, and every case, worst first."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label, Static

from memtui.memory.dialects import DIALECTS
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.text import plural
from memtui.tui.bindings import bindings_of
from memtui.tui.evaluating import CasesEnded, CasesRefused, CasesRun, Evaluating
from memtui.tui.paint import content
from memtui.tui.screens.dialog import TRIAL_STYLES, Dialog
from memtui.tui.session import Session, remembered_case_file
from memtui.tui.view.evaluation import (
    Evaluated,
    about_case,
    cases_pane,
    problems_pane,
    progress,
    summary,
    waterfall_pane,
)
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.widgets.line_bar import LineBar
from memtui.tui.widgets.row_list import HEADINGS_FROM, RowList
from memtui.tui.widgets.safe_input import SafeInput

BUILT_IN = "demo"
"""The case file that comes with memtui."""


@dataclass(frozen=True, slots=True)
class OpenCase:
    """A case to open in the main screen."""

    evaluated: Evaluated
    place: int
    """Its place in the file, from 0."""


class EvaluationScreen(Dialog[OpenCase]):
    """Enter in the path runs the file; enter on a case answers with it."""

    CSS_PATH = TRIAL_STYLES
    BINDINGS = bindings_of("run-again")

    def __init__(self, session: Session, setup: Setup, options: RecallOptions) -> None:
        super().__init__()
        self._session = session
        dialect = next((each for each in DIALECTS if each == session.config.dialect), None)
        self._evaluating = Evaluating(self, setup, options, dialect)
        self._only: str | None = None
        self._said: Line | None = None
        self._done = (0, 0)

    def compose(self) -> ComposeResult:
        """The path, the numbers, the waterfall, and the cases."""
        shown = self._session.evaluated
        with Vertical(id="frame", classes="tall"):
            with Horizontal(classes="fields"):
                yield Label("case file ", markup=False)
                name = shown.name if shown else remembered_case_file() or BUILT_IN
                yield SafeInput(name, placeholder="path of a file with cases, or demo", id="file")
            yield LineBar(self._numbers, id="numbers")
            yield RowList(id="waterfall")
            yield RowList(id="cases")
            yield Static("", markup=False, id="said")

    def on_mount(self) -> None:
        """Shows the last evaluation, if there was one."""
        self.label("evaluation", "accept", "next-field", "run-again")
        if self._session.evaluated is not None:
            self._show()
            self._cases.focus()
        else:
            self._tell(line(Piece("enter runs the cases, in the background", "muted")))
            self.query_one("#file", SafeInput).focus()

    def on_unmount(self) -> None:
        """Nobody waits for the rest."""
        self._evaluating.stop()

    @property
    def _cases(self) -> RowList:
        return self.query_one("#cases", RowList)

    @property
    def _waterfall(self) -> RowList:
        return self.query_one("#waterfall", RowList)

    def _numbers(self, width: int, _height: int) -> list[Line]:
        if self._evaluating.running:
            return [progress(*self._done, width)]
        if self._said is not None:
            return [self._said]
        shown = self._session.evaluated
        return [] if shown is None else [summary(shown, width)]

    def _tell(self, said: Line | None) -> None:
        """Says something in place of the numbers; None shows the numbers."""
        self._said = said
        self.query_one("#numbers", LineBar).refresh()

    def _show(self) -> None:
        """Shows the evaluation as it is."""
        shown = self._session.evaluated
        if shown is None:
            return
        waterfall = waterfall_pane(shown, self._only)
        self._waterfall.styles.height = max(HEADINGS_FROM, len(waterfall.rows) + 1)
        self._waterfall.show(waterfall, self._waterfall.key)
        self._cases.show(cases_pane(shown, self._only), self._cases.key)
        self._tell(None)
        self._describe()

    def _describe(self) -> None:
        shown, key = self._session.evaluated, self._cases.key
        said: Line = ()
        if shown is not None and key is not None and self._said is None:
            said = about_case(shown, int(key))
        self.query_one("#said", Static).update(content(said))

    def _run(self) -> None:
        name = self.query_one("#file", SafeInput).value.strip()
        if not name:
            self._tell(line(Piece("! type the path of a file, or demo", "error")))
            return
        self._only, self._done = None, (0, 0)
        self._evaluating.begin(name)
        self._tell(None)

    # What the thread reports

    @on(CasesRun)
    def _cases_run(self, event: CasesRun) -> None:
        if self._evaluating.is_newest(event.number):
            self._done = (event.done, event.planned)
            self.query_one("#numbers", LineBar).refresh()

    @on(CasesEnded)
    def _cases_ended(self, event: CasesEnded) -> None:
        if self._evaluating.ended(event.number):
            self._session.evaluated = event.evaluated
            self._show()
            self._cases.focus()

    @on(CasesRefused)
    def _cases_refused(self, event: CasesRefused) -> None:
        if self._evaluating.ended(event.number):
            count = plural(len(event.problems), "problem")
            self._tell(line(Piece(f"! {count} with the cases; none was run", "error")))
            self._session.evaluated = None
            self._waterfall.show(problems_pane(()), None)
            self._cases.show(problems_pane(event.problems), None)
            self._describe()

    # What the user does

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self._run()

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._describe()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        shown = self._session.evaluated
        if shown is None:
            return
        if event.key in self._waterfall.rows.places:
            self._only = None if self._only == event.key else event.key
            self._show()
        elif event.key in self._cases.rows.places:
            self.dismiss(OpenCase(shown, int(event.key)))

    def action_run_again(self) -> None:
        """Runs the file again, with the options of the main screen as they are now."""
        if not self._evaluating.running:
            self._run()

    def action_close(self) -> None:
        """Stops the run, takes a filter away, or closes the dialog."""
        if self._evaluating.running:
            self._evaluating.stop()
        elif self._only is not None:
            self._only = None
            self._show()
        else:
            self.dismiss(None)
