"""The board with the questions that are asked of its recall: why, what if, where, and compared."""

from __future__ import annotations

from textual import events, on

from memtui.engine import Engine
from memtui.setup import Setup
from memtui.tui.commands import Context, Fact, Place
from memtui.tui.messages import ScanStopped
from memtui.tui.screens.board import Board
from memtui.tui.screens.compare import CompareScreen, Side
from memtui.tui.screens.find import FindScreen
from memtui.tui.searches import MoreFound, NearlyFound, Searches, Tried
from memtui.tui.view.nearly import nearly_pane
from memtui.tui.view.pieces import Line
from memtui.tui.view.pinned import key_of_path, pin_line
from memtui.tui.view.view import View
from memtui.tui.view.what_if import Asked, WhatIf, banner, taken_back
from memtui.tui.widgets.inspector import Face, Inspector
from memtui.tui.widgets.line_bar import LineBar


class Questions(Board):
    """Explains the highlighted memory, tries remedies, and keeps the expected one in sight."""

    def __init__(self, setup: Setup, engine: Engine) -> None:
        super().__init__(setup, engine)
        self.searches = Searches(self, self.precedence)
        self.what_ifs: tuple[WhatIf, ...] = ()
        self.pinned: str | None = None
        self._path: str | None = None

    # What is shown

    def ask(self, *, rescan: bool = False) -> None:
        """Asks for the recall of what is typed now; what was looked for is not wanted any more."""
        self.searches.drop()
        self._keep_in_force()
        super().ask(rescan=rescan)

    def watch_view(self, view: View | None) -> None:
        """Draws another recall everywhere, the same memory highlighted under whatever key."""
        if view is not None and self._path is not None and self._user_moved:
            key = self.highlighted
            entry = None if key is None else view.entry(key)
            if entry is None or entry.path != self._path:
                self.set_reactive(Board.highlighted, key_of_path(view, self._path) or key)
        super().watch_view(view)
        self._remember()
        self._draw_bars()
        if view is None:
            return
        if not view.recall.hits and view.recall.query.text.strip():
            self.searches.look_around(view)
        self.call_after_refresh(self._explain)

    def watch_highlighted(self, key: str | None) -> None:
        """Moves every cursor to the highlighted memory, and looks into it."""
        super().watch_highlighted(key)
        self._remember()
        self.call_after_refresh(self._explain)

    def watch_current(self, before: str, pane: str) -> None:
        """Brings another pane to the front; the inspector may have come into sight."""
        super().watch_current(before, pane)
        if self.is_mounted:
            self.call_after_refresh(self._explain)

    def watch_zoomed(self, zoomed: bool) -> None:
        """Gives the pane in front the whole screen, or takes it away."""
        super().watch_zoomed(zoomed)
        self.call_after_refresh(self._explain)

    def on_resize(self) -> None:
        """Looks into the highlighted memory where the inspector has come into sight."""
        self.call_after_refresh(self._explain)

    def _remember(self) -> None:
        entry = None
        if self.view is not None and self.highlighted is not None:
            entry = self.view.entry(self.highlighted)
        self._path = entry.path if entry is not None else None

    def _explain(self, *, at_once: bool = False) -> None:
        """Looks for near misses and remedies, where they can be seen."""
        if not self.query(Inspector):  # another screen is there by now
            return
        found = self.inspector.found
        if found is not None and self.inspector.display and found.view is self.view:
            self.searches.explain(found, at_once=at_once)

    @on(MoreFound)
    def _more_found(self, event: MoreFound) -> None:
        had_remedies = bool(self.inspector.why.remedies)
        self.inspector.tell(event.found)
        if had_remedies is not bool(self.inspector.why.remedies):
            self.show_hints()

    @on(ScanStopped)
    def _scan_given_up(self) -> None:
        """The recall stays as it is, so what was looked for is wanted after all."""
        self._explain()

    @on(NearlyFound)
    def _nearly_found(self, event: NearlyFound) -> None:
        if event.view is self.view and event.found:
            self._pane("hits").show(nearly_pane(event.view, event.found), self.highlighted)

    # Where the user is

    @property
    def context(self) -> Context:
        """Where the focus is, and what holds there."""
        context = super().context
        facts = set(context.facts)
        if self.what_ifs:
            facts.add(Fact.WHAT_IF)
        if self.inspector.found is not None and self.inspector.why.remedies:
            facts.add(Fact.REMEDY)
        return Context(context.place, frozenset(facts))

    def _place(self) -> Place:
        place = super()._place()
        if place is Place.INSPECTOR and self.inspector.face is Face.WHY:
            return Place.WHY
        return place

    # Why

    def action_why(self) -> None:
        """Opens the ladder of the highlighted memory; from there, the memory itself."""
        if self._place() is Place.WHY:
            self.inspector.turn(Face.MEMORY)
        else:
            self.inspector.turn(Face.WHY)
            self.focus_pane("inspector")
            self.call_after_refresh(self._explain, at_once=True)
        self.show_hints()

    def look_into(self, key: str) -> None:
        """Highlights a memory and opens its ladder."""
        if self.view is None or self.view.entry(key) is None:
            return
        self._user_moved = True
        self.highlighted = key
        self.inspector.turn(Face.WHY)
        self.focus_pane("inspector")

    # What if

    @property
    def asked(self) -> Asked:
        """The query and the options as they are now."""
        return Asked(self.query_bar.input.value, self.options)

    @property
    def hypothetical(self) -> bool:
        """Whether the recall that is shown is only tried out."""
        return bool(self.what_ifs)

    @on(Inspector.Chosen)
    def _remedy_chosen(self, event: Inspector.Chosen) -> None:
        self.searches.apply(event.found, event.remedy, self.asked)

    @on(Tried)
    def _tried(self, event: Tried) -> None:
        if event.view is not self.view:
            return
        if event.what_if is None:
            self.notify("this can not be applied any more", severity="warning", markup=False)
            return
        self._user_moved = True
        self.what_ifs = (*self.what_ifs, event.what_if)
        self._set(event.what_if.after)

    def action_take_back(self) -> None:
        """Takes the last what-if back."""
        if self.what_ifs:
            *rest, last = self.what_ifs
            self.what_ifs = tuple(rest)
            self._set(taken_back(last, self.asked))

    def _set(self, asked: Asked) -> None:
        """Asks for something else, the query box included."""
        self.options = asked.options
        self._asked = asked.query
        self.query_bar.input.value = asked.query
        self.ask()
        self._draw_bars()
        self.show_hints()

    def _keep_in_force(self) -> None:
        """Forgets the what-ifs of which nothing is left, and puts memories as they would be."""
        now = self.asked
        kept = tuple(each for each in self.what_ifs if each.in_force(now))
        if kept != self.what_ifs:
            self.what_ifs = kept
            self._draw_bars()
        self.changed = tuple(each.document for each in self.what_ifs if each.document is not None)

    # The lines under the query

    def _draw_bars(self) -> None:
        self.set_class(bool(self.what_ifs), "-what-if")
        self.set_class(self.pinned is not None, "-pinned")
        for name in ("what-if", "pin"):
            self.query_one(f"#{name}", LineBar).refresh()

    def what_if_bar(self, width: int, _height: int) -> list[Line]:
        """The line about the what-ifs in force."""
        return list(banner(self.what_ifs, self.view, width))

    def pin_bar(self, width: int, _height: int) -> list[Line]:
        """The line about the pinned memory."""
        return [] if self.pinned is None else [pin_line(self.view, self.pinned, width)]

    @on(events.Click, "#what-if")
    def _banner_clicked(self) -> None:
        self.action_take_back()

    @on(events.Click, "#pin")
    def _pin_clicked(self) -> None:
        if self.view is not None and self.pinned is not None:
            key = key_of_path(self.view, self.pinned)
            if key is not None:
                self.look_into(key)

    def action_pin(self) -> None:
        """Pins the highlighted memory, or takes its pin away."""
        self.pinned = None if self.pinned == self._path else self._path
        self._draw_bars()

    # Find and compare

    def action_find(self) -> None:
        """Looks for a memory by what it says, in the whole tree."""
        if self.view is not None:
            self.app.push_screen(FindScreen(self.view), self._open_found)

    def action_compare(self) -> None:
        """Holds the recall beside another one."""
        if self.view is not None:
            self.app.push_screen(CompareScreen(self.view, self._sides()), self._open_found)

    def _open_found(self, key: str | None) -> None:
        if key is not None:
            self.look_into(key)

    def _sides(self) -> tuple[Side, ...]:
        """What the recall can be compared with, apart from the presets."""
        sides: list[Side] = []
        now = self.asked
        if self.what_ifs:
            before = now
            for what_if in reversed(self.what_ifs):
                before = taken_back(what_if, before)
            sides.append(Side("before the what-if", before, self.recalls.pool_under))
        if self.setup.options != self.options:
            started = Asked(now.query, self.setup.options)
            if not any(side.asked == started for side in sides):
                sides.append(Side("as started", started, self.recalls.pool_under))
        return tuple(sides)
