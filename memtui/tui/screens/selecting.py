"""The board with the selectors: who is asked, on enter alone, and what of it arrives in time."""

from __future__ import annotations

import os
from dataclasses import replace

from textual import on
from textual.timer import Timer

from memtui.engine import Engine
from memtui.memory.document import Document
from memtui.recall.options import RecallOptions
from memtui.recall.selectors.base import Selector, SelectorRequest
from memtui.recall.selectors.choose import choose_selector
from memtui.recall.selectors.endpoint import ModelSelector
from memtui.recall.selectors.given import ManualSelector
from memtui.setup import Setup
from memtui.tui.asking import (
    Asking,
    AskingEnded,
    EarlyReady,
    Question,
    TurnMoved,
    while_typing,
    who_is_asked,
)
from memtui.tui.commands import Context, Fact
from memtui.tui.screens.board import Board
from memtui.tui.screens.prompt import PromptScreen
from memtui.tui.screens.selector import SelectorScreen
from memtui.tui.screens.timeline import Now, TimelineScreen
from memtui.tui.session import Session
from memtui.tui.view import selecting
from memtui.tui.view.ledger import manifest_pane
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.queries import about_query
from memtui.tui.view.view import View

BORDERED = 3
"""Lines of a query bar that says something in its border."""
TICK_S = 0.5
"""How often it is said for how long a selector has been asked, seconds."""


class Selecting(Board):
    """Asks a selector beside the board; until it answers, the early result is shown."""

    def __init__(self, setup: Setup, engine: Engine) -> None:
        super().__init__(setup, engine)
        self.session = Session()
        self.asking = Asking(self)
        self.picks: tuple[str, ...] = ()
        """Paths of the manifest lines that were picked by hand, in order."""
        self._wanted: str | None = None
        self._before: View | None = None
        self._stopped = ""
        self._clock: Timer | None = None

    # What is asked, and when

    @property
    def typing_options(self) -> RecallOptions:
        """The options without whoever is asked on enter alone."""
        return while_typing(self.options)

    def ask(self, *, rescan: bool = False) -> None:
        """Asks for the recall of what is typed now; a selector's answer to before is not wanted."""
        self.asking.drop()
        self._wanted, self._stopped = None, ""
        super().ask(rescan=rescan)

    def entered(self, query: str) -> None:
        """Enter was pressed: whoever is asked on enter is asked, as soon as there is a recall."""
        if not who_is_asked(self.options):
            super().entered(query)
        elif not self._asks(query):
            self._wanted = query
            self._begin_if_wanted()

    def _asks(self, query: str) -> bool:
        question = self.asking.question
        return question is not None and (question.query, question.options) == (query, self.options)

    def _begin_if_wanted(self) -> None:
        view = self.view
        if self._wanted is None or view is None or view.provisional or self.scanning:
            return
        if view.recall.query.text == self._wanted:
            self._begin(view)

    def _begin(self, view: View) -> None:
        """Asks about the query of a view."""
        self._wanted, self._stopped = None, ""
        if not view.provisional:
            self._before = view
        self.tracing.wait()
        query = view.recall.query.text
        self.asking.begin(Question(query, self.options, view.scanned, view.scan_ms, self.order))
        if self._clock is None:
            self._clock = self.set_interval(TICK_S, self._tick)
        self._clock.resume()
        self.show_state()

    def stop_asking(self) -> bool:
        """Gives up what is being asked, if anything is."""
        running = self.asking.running
        self.asking.cancel()
        return running

    def _tick(self) -> None:
        if self.asking.running:
            self.show_state()
        elif self._clock is not None:
            self._clock.pause()

    @on(EarlyReady)
    def _early_ready(self, event: EarlyReady) -> None:
        if self.asking.is_newest(event.number):
            self.view = event.view

    @on(AskingEnded)
    def _asking_ended(self, event: AskingEnded) -> None:
        question = self.asking.question
        if question is None or not self.asking.ended(event.number):
            return
        if event.view is not None:
            self.tracing.entered(question.query)
            self.view = event.view
        elif self._before is not None:
            self._stopped = who_is_asked(question.options)
            recall = replace(self._before.recall, delivery=event.delivery)
            self.view = replace(self._before, recall=recall)
        self.show_state()

    # What is shown

    def watch_view(self, view: View | None) -> None:
        """Draws another recall everywhere, and asks a selector about it if that is wanted."""
        super().watch_view(view)
        self._begin_if_wanted()
        self.show_state()

    def show_state(self) -> None:
        """Says under the query who selects, and what came of it."""
        if self.view is None or self.scanning:
            return
        state = self.selector_state()
        self.query_bar.say(about_query(self.view, state))
        self.query_one("#title").refresh()
        self._tell_timeline()

    def selector_state(self) -> Line:
        """Who is asked or would be, and what came of it."""
        view, who = self.view, who_is_asked(self.options)
        if self.asking.running:
            early = view is not None and view.provisional
            return selecting.thinking(who, self.asking.seconds, early=early)
        if view is None:
            return ()
        if self._stopped:
            return selecting.stopped(self._stopped)
        if view.recall.selection.selector is not None:
            return selecting.verdict(view.recall)
        asked = who_is_asked(view.recall.options) == who
        return () if asked or view.recall.request is None else selecting.waiting(who)

    def title_notes(self) -> Line:
        """Who selects, for the title bar; where nothing can stand under the query, also how."""
        view = self.view
        asked = view is not None and view.recall.options.selector is not None
        notes = selecting.title_pieces(self.options, asked)
        if self.query_bar.outer_size.height < BORDERED:
            if self.asking.running:
                said = f"   {who_is_asked(self.options)} … {int(self.asking.seconds)} s"
                notes = line(Piece(said, "primary"))
            elif self._stopped:
                notes = line(Piece(f"   {self._stopped}: stopped", "warning"))
            elif view is not None and view.recall.selection.selector is not None:
                notes = selecting.brief(view.recall)
        return (*super().title_notes(), *notes)

    def show_manifest(self, view: View) -> None:
        """Draws the manifest, what was picked by hand marked."""
        picked = self.picks if isinstance(self.options.selector, ManualSelector) else ()
        self._pane("manifest").show(manifest_pane(view, frozenset(picked)), self.highlighted)

    @property
    def context(self) -> Context:
        """Where the focus is, and what holds there."""
        context = super().context
        if self.current == "manifest" and Fact.RECALL in context.facts:
            return Context(context.place, context.facts | {Fact.MANIFEST})
        return context

    # What the user does

    @property
    def _model(self) -> ModelSelector:
        model = choose_selector("model", os.environ, self.session.config.selector)
        assert isinstance(model, ModelSelector)
        return model

    @property
    def _request(self) -> SelectorRequest | None:
        """What a selector is asked about the recall that is shown."""
        view = self._before if self.view is not None and self.view.provisional else self.view
        return None if view is None else view.recall.request

    def action_selector(self) -> None:
        """Chooses who selects."""
        selector, request = self.options.selector, self._request
        dialog = SelectorScreen(self._model, selector, request, self.take_selector)
        self.app.push_screen(dialog)

    def take_selector(self, selector: Selector | None) -> None:
        """Recalls with another selector; one that is asked on enter is asked now."""
        self.options = replace(self.options, selector=selector)
        self.picks = ()
        self.ask()
        if who_is_asked(self.options):
            self._wanted = self.query_bar.input.value

    def action_prompt(self) -> None:
        """Shows what a selector is told."""
        request = self._request
        if request is not None:
            self.app.push_screen(PromptScreen(request))
        else:
            said = "nobody is asked: the query is blank, or the manifest is empty"
            self.notify(said, severity="warning", markup=False)

    def action_pick(self) -> None:
        """Picks the line under the cursor of the manifest, or drops it, and validates the picks."""
        view = self.view
        entry = self._manifest_entry()
        if view is None or entry is None:
            return
        if not isinstance(self.options.selector, ManualSelector):
            self.picks = ()
        elif not self.picks and view.recall.selection.answered:
            self.picks = tuple(each.path for each in view.recall.selection.documents)
        picks = dict.fromkeys(self.picks)
        if entry.path in picks:
            del picks[entry.path]
        else:
            picks[entry.path] = None
        self.picks = tuple(picks)
        self.options = replace(self.options, selector=ManualSelector.of_paths(self.picks))
        self.show_manifest(view)
        self._begin(view)

    def _manifest_entry(self) -> Document | None:
        key = self._pane("manifest").list.key
        entry = None if self.view is None or key is None else self.view.entry(key)
        return entry if isinstance(entry, Document) else None

    def action_timeline(self) -> None:
        """Shows when what of this recall reaches the model."""
        now = self._turn_now()
        if now is not None:
            self.app.push_screen(TimelineScreen(now))

    def _turn_now(self) -> Now | None:
        """For the timeline: the newest whole recall, and the turn that goes on."""
        view, asking = self.view, self.asking
        if view is not None and view.provisional:
            view = self._before
        if view is None:
            return None
        who = f"{who_is_asked(self.options)} … {int(asking.seconds)} s" if asking.running else ""
        return Now(view, self.highlighted, asking.delivery, who)

    def _tell_timeline(self) -> None:
        """Lets an open timeline follow."""
        now = self._turn_now()
        if now is not None and isinstance(self.app.screen, TimelineScreen):
            self.app.screen.follow(now)

    @on(TurnMoved)
    def _turn_moved(self, event: TurnMoved) -> None:
        if self.asking.is_newest(event.number):
            self._tell_timeline()
