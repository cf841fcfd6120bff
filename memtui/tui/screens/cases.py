"""The board with labelled cases: saved with a key, run in the background, opened again."""

from __future__ import annotations

import os
from dataclasses import replace

from memtui.engine import Engine
from memtui.evaluate import Case
from memtui.evaluate.pools import DEMO_PREFIX
from memtui.memory.document import Document, Scope, SkippedFile
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.samples.scenarios import POOLS
from memtui.setup import Setup
from memtui.text import display_line, plural
from memtui.tui.case_files import CaseFileError, Saved, append_case, case_of
from memtui.tui.messages import PoolChosen
from memtui.tui.screens.board import Board
from memtui.tui.screens.evaluation import EvaluationScreen, OpenCase
from memtui.tui.screens.save_case import SaveCaseScreen
from memtui.tui.session import Session, remembered_case_file
from memtui.tui.view.evaluation import Evaluated, Place
from memtui.tui.view.view import View


class Cases(Board):
    """Keeps what should be recalled, and shows what is lost of it."""

    def __init__(self, setup: Setup, engine: Engine) -> None:
        super().__init__(setup, engine)
        self.session = Session()

    def expected_entry(self) -> Document | SkippedFile | None:
        """The memory that one expects to be recalled."""
        if self.view is None or self.highlighted is None:
            return None
        return self.view.entry(self.highlighted)

    # Save

    def _case(self) -> Case | None:
        view, entry = self.view, self.expected_entry()
        if view is None or entry is None:
            return None
        tools, query = self.options.recent_tools, view.recall.query.text
        return case_of(query, entry, view.scanned, self.setup.pool_name, tools)

    @property
    def _roots(self) -> list[str]:
        return [source.root for source in self.setup.sources]

    def action_save_case(self) -> None:
        """Appends the case to the file that is remembered; without one, asks for it."""
        case, path = self._case(), remembered_case_file()
        if case is None:
            return
        if not path:
            self.action_case_file()
            return
        try:
            self._saved(append_case(path, case, self._roots))
        except CaseFileError as error:
            self.notify(display_line(str(error)), severity="warning", markup=False)
            self.action_case_file()

    def action_case_file(self) -> None:
        """Asks which file the case is appended to."""
        case = self._case()
        if case is not None:
            dialog = SaveCaseScreen(case, remembered_case_file(), self._roots)
            self.app.push_screen(dialog, self._saved)

    def _saved(self, saved: Saved | None) -> None:
        if saved is None:
            return
        wanted = ", ".join(saved.case.relevant)
        count = plural(saved.cases, "case")
        said = f"case {saved.case.id} wants {wanted}: "
        said += f"saved, {count} in" if saved.new else "already in"
        self.notify(display_line(f"{said} {saved.path}"), markup=False)

    # Run and open

    def action_evaluation(self) -> None:
        """Runs a case file, or shows what was run last."""
        setup = self.session.home or self.setup
        dialog = EvaluationScreen(self.session, setup, self.options)
        self.app.push_screen(dialog, self._opened)

    def _opened(self, chosen: OpenCase | None) -> None:
        if chosen is None:
            return
        evaluated, place = chosen.evaluated, chosen.place
        asked = evaluated.asked[place]
        case, where = asked.case, asked.pools[0]
        base = evaluated.results.configuration.options
        tools = tuple(dict.fromkeys((*base.recent_tools, *case.recent_tools)))
        setup, demo = self._setup_for(case.pool, evaluated)
        still = base.now_ms is None and (demo or setup.pool_name)
        now_ms = where.now_ms if still else base.now_ms  # a demo has a clock of its own
        options = replace(base, recent_tools=tools, now_ms=now_ms)
        self.session.opening = evaluated.worth_seeing(place)
        if not demo and setup.sources == self.setup.sources:
            self._ask_case(case.query, options)
            return
        at_home = setup is evaluated.setup and not demo
        self.session.home = None if at_home else evaluated.setup
        self.post_message(PoolChosen(replace(setup, options=options, query=case.query), demo))

    def _ask_case(self, query: str, options: RecallOptions) -> None:
        self.options = options
        self._asked = query
        self.query_bar.input.value = query
        self.ask()

    def _setup_for(self, pool: str, evaluated: Evaluated) -> tuple[Setup, str]:
        """The setup that reads a pool, or the name of a demo that is to be laid out for it."""
        demo = pool.removeprefix(DEMO_PREFIX)
        name = f"{DEMO_PREFIX}{demo}" if demo in POOLS else pool
        for known in (evaluated.setup, self.setup):
            if name == known.pool_name and name:
                return known, ""
        if not pool:
            return evaluated.setup, ""
        if demo in POOLS:
            return evaluated.setup, demo
        root = os.path.join(evaluated.folder, os.path.expanduser(pool))
        sources = evaluated.setup.sources
        recency = sources[0].recency if sources else "mtime"
        source = Source(Scope.PROJECT, root, evaluated.dialect, recency=recency)
        return Setup((source,), name=os.path.basename(root.rstrip(os.sep)) or root), ""

    def watch_view(self, view: View | None) -> None:
        """Draws another recall everywhere; a case that is being opened has its memory found."""
        if view is not None and self.session.opening is not None:
            key = key_of_place(view, self.session.opening)
            self.session.opening = None
            if key is not None:
                self._user_moved = True
                self.set_reactive(Board.highlighted, key)
                self.call_after_refresh(self.focus_pane, "pool")
        super().watch_view(view)


def key_of_place(view: View, place: Place) -> str | None:
    """The key of a memory, if the view has it."""
    return next(
        (
            key
            for key, each in view.catalogue.entries.items()
            if (each.scope, each.relative_path) == (place.scope, place.relative_path)
        ),
        None,
    )
