"""The board with its stores: what is wrong in them, what changes, and which ones are read."""

from __future__ import annotations

import os
from dataclasses import replace

from textual import on
from textual.timer import Timer

from memtui.engine import Engine
from memtui.memory.document import Pool
from memtui.memory.files import Recency
from memtui.memory.stores import Store
from memtui.memory.watch import Changes, Watcher
from memtui.setup import Setup
from memtui.text import display_line
from memtui.tui.checkups import Checkups
from memtui.tui.messages import (
    DemoChosen,
    DiskChanged,
    HealthReady,
    LiveScanFailed,
    ReadingsReady,
    ScanFailed,
    SetupChosen,
)
from memtui.tui.screens.board import Board
from memtui.tui.screens.index import IndexScreen
from memtui.tui.screens.stores import StoresScreen
from memtui.tui.view.health import health_of, keep_health, keep_readings, readings_of
from memtui.tui.view.narrowing import Narrowing
from memtui.tui.view.pieces import Line, Piece, fitted, line, safe, width_of
from memtui.tui.view.pinned import key_of_path
from memtui.tui.view.stores import setup_for
from memtui.tui.view.view import View

NEWS_S = 20.0
"""How long it is said what changed on the disk, seconds."""


class Upkeep(Board):
    """Looks after the stores beside the board. Nothing of it waits, and nothing is written."""

    def __init__(self, setup: Setup, engine: Engine) -> None:
        super().__init__(setup, engine)
        self.checkups = Checkups(self, self.precedence)
        self.watcher: Watcher | None = None
        """Looks for changes; without an interval it only looks when it is asked to."""
        self.watch_every_s: float | None = None
        """Seconds between two looks; None watches nothing."""
        self.started: Setup | None = None
        """What the app was started with."""
        self._news = ""
        self._failing = False
        self._forget_news: Timer | None = None
        self._last: View | None = None
        self._checked: tuple[Pool, object] | None = None

    def on_mount(self) -> None:
        """Says how the stores were chosen, where the user may want to choose otherwise."""
        if self.setup.note:
            self._say(f"{self.setup.note}; o lists every store")

    def on_unmount(self) -> None:
        """Watches no more."""
        if self.watcher is not None:
            self.watcher.close()

    def _say(self, message: str, *, problem: bool = False) -> None:
        severity = "warning" if problem else "information"
        self.notify(display_line(message), severity=severity, markup=False)  # type: ignore[arg-type]

    # What is shown

    def watch_view(self, view: View | None) -> None:
        """Draws another recall everywhere; after a scan the same memory stays highlighted."""
        before, self._last = self._last, view
        if view is None:
            super().watch_view(view)
            return
        rescanned = before is None or before.scanned is not view.scanned
        moved, keep = self._user_moved, False
        if before is not None and rescanned:
            self._failing = False
            keep = before.recall.query.text == view.recall.query.text
            if keep:
                self._keep_highlight(before, view)
        super().watch_view(view)
        if keep:
            self._user_moved = moved and self.highlighted is not None
        self._watch(view.scanned)
        self._check_up(view)
        self._look_into()

    def watch_highlighted(self, key: str | None) -> None:
        """Moves every cursor to the highlighted memory, and reads its file by both dialects."""
        super().watch_highlighted(key)
        self._look_into()

    def _keep_highlight(self, before: View, view: View) -> None:
        """Keeps the memory highlighted; where it is gone, says so and takes its neighbour."""
        key = self.highlighted
        entry = None if key is None else before.entry(key)
        if key is None or entry is None:
            return
        there = key_of_path(view, entry.path)
        if there is not None:
            self._user_moved = True
            self.set_reactive(Board.highlighted, there)
        elif self._user_moved:
            keys = list(self.pool.list.rows.places)
            place = keys.index(key) if key in keys else 0
            near = (*keys[place:], *reversed(keys[:place]))
            next_one = next((each for each in near if view.entry(each) is not None), None)
            self.set_reactive(Board.highlighted, next_one)
            self._say(f"the highlighted memory is gone: {entry.relative_path}", problem=True)

    def _title_bar(self, width: int, height: int) -> list[Line]:
        note = safe(self._note())
        if not note or width_of(note) + 24 > width:
            return super()._title_bar(width, height)
        room = width - width_of(note) - 2
        (title,) = super()._title_bar(room, height)
        return [(*fitted(safe(title), room), Piece(" "), *note, Piece(" "))]

    def _note(self) -> Line:
        """What is said at the right of the title, if anything."""
        if self._failing:
            return line(Piece("! not read again: shown as it was", "warning"))
        if self._news:
            return line(Piece(self._news, "primary"))
        if any(each.recency == "modified" for each in self.recalls.sources):
            return line(Piece("ages from modified:", "muted"))
        health = None if self.view is None else health_of(self.view)
        if health is not None and health.clustered:
            return line(Piece("ages as after a checkout: ", "muted"), Piece("m", "accent"))
        return ()

    # Health

    def _check_up(self, view: View) -> None:
        limits = view.recall.options.limits
        asked = self._checked
        if asked is None or asked[0] is not view.scanned or asked[1] != limits:
            self._checked = (view.scanned, limits)
            self.checkups.ask(view.scanned, limits)

    def _look_into(self) -> None:
        view, key = self.view, self.highlighted
        entry = None if view is None or key is None else view.entry(key)
        if view is None or key is None or entry is None:
            return
        if readings_of(view.scanned, key) is None:
            self.checkups.look_into(view.scanned, key, entry)

    @on(HealthReady)
    def _health_ready(self, event: HealthReady) -> None:
        view = self.view
        if view is None or view.scanned is not event.pool:
            return
        keep_health(event.pool, event.health)
        self.pool.show_pool(view, self.order, self.pool.list.key or self.highlighted)
        self.inspector.show(view, self.highlighted)
        self.query_one("#title").refresh()
        for screen in self.app.screen_stack:
            if isinstance(screen, IndexScreen):
                screen.show(view)

    @on(ReadingsReady)
    def _readings_ready(self, event: ReadingsReady) -> None:
        view = self.view
        if view is not None and view.scanned is event.pool:
            keep_readings(event.pool, event.key, event.readings)
            if event.key == self.highlighted:
                self.inspector.show(view, event.key)

    def action_narrow(self) -> None:
        """Lists only the memories with findings, then only the skipped files, then all."""
        self.pool.narrow(self.pool.narrowing.following)
        self.focus_pane("pool")

    def widen(self) -> bool:
        """Lists everything again; false if nothing was left out."""
        narrowed = self.pool.narrowing is not Narrowing.ALL
        if narrowed:
            self.pool.narrow(Narrowing.ALL)
        return narrowed

    def action_index(self) -> None:
        """Shows the indexes as an agent loads them."""
        if self.view is not None:
            self.app.push_screen(IndexScreen(self.view), self._go_to)

    def _go_to(self, key: str | None) -> None:
        if key is not None and self.view is not None and self.view.entry(key) is not None:
            self._user_moved = True
            self.highlighted = key
            self.focus_pane("inspector")

    # Changes on the disk

    def _watch(self, pool: Pool | None) -> None:
        """Begins to watch what was scanned."""
        if self.watcher is not None or not self.setup.reads_something:
            return
        self.watcher = Watcher(
            [each.root for each in self.setup.sources],
            self.setup.databases,
            tell=self._tell_changes,
            scanned=pool,
            times=not self._reads_modified,
        )
        if self.watch_every_s is not None:
            self.watcher.start(self.watch_every_s)

    def _tell_changes(self, changes: Changes) -> None:
        """Passes changes on, out of the thread of the watcher."""
        try:
            self.post_message(DiskChanged(changes))
        except RuntimeError:  # the app has just ended
            return

    @on(ScanFailed)
    def _watch_what_failed(self) -> None:
        self._last = None
        self._watch(None)

    @on(DiskChanged)
    def _disk_changed(self, event: DiskChanged) -> None:
        self._tell_news(event.changes.summary)
        scanning = self.scanning
        with self.recalls.live():
            self.ask(rescan=True)
        self.scanning = scanning

    def _tell_news(self, news: str) -> None:
        self._news = news
        if self._forget_news is not None:
            self._forget_news.stop()
        self._forget_news = self.set_timer(NEWS_S, lambda: self._tell_news("")) if news else None
        self.query_one("#title").refresh()

    @on(LiveScanFailed)
    def _live_scan_failed(self, event: LiveScanFailed) -> None:
        self._failing = True
        self._say(f"{event.reason}; shown is what was read before", problem=True)
        self.query_one("#title").refresh()

    # Which stores are read, and how

    @property
    def _reads_modified(self) -> bool:
        return any(each.recency == "modified" for each in self.recalls.sources)

    def action_recency(self) -> None:
        """Takes ages from the frontmatter, or from the files again."""
        to: Recency = "mtime" if self._reads_modified else "modified"
        sources = tuple(replace(each, recency=to) for each in self.recalls.sources)
        self.recalls.sources = sources
        self.setup = replace(self.setup, sources=sources)
        self.ask(rescan=True)
        said = "from modified: in the frontmatter" if to == "modified" else "from the files' times"
        self._say(f"ages are taken {said}")
        self.query_one("#title").refresh()

    def action_stores(self) -> None:
        """Lists every store on this machine."""
        shown = frozenset(os.path.abspath(each.root) for each in self.setup.sources)
        self.app.push_screen(StoresScreen(shown, started=self.started), self._stores_chosen)

    def _stores_chosen(self, chosen: tuple[Store, ...] | Setup | str | None) -> None:
        if isinstance(chosen, Setup):
            self.post_message(SetupChosen(chosen))
        elif isinstance(chosen, str):
            self.post_message(DemoChosen(chosen))
        elif chosen:
            asked = replace(self.setup, options=self.options, query=self.query_bar.input.value)
            self.post_message(SetupChosen(setup_for(chosen, asked, self.setup.query)))
