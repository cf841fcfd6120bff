"""Every store on this machine and every demo, to choose from; counted as they are found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from textual import on
from textual.worker import get_current_worker

from memtui.config import Config, ConfigError, load_config
from memtui.memory.stores import Discovery, Store, Summary, discover, summarise
from memtui.recall.trace import wall_clock
from memtui.setup import Setup
from memtui.text import plural
from memtui.tui.messages import StoreCounted, StoresFound
from memtui.tui.screens.list_dialog import ListDialog
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.stores import StoreRow, about_row, read_with, store_rows, stores_pane

SHOWN_PLACES = 3
"""Most places that are named where no store was found."""

Found = tuple[Discovery, str]
"""The stores, and why some may be missing."""
Finder = Callable[[], Found]
"""Looks for stores; may take long."""


def on_this_machine() -> Found:
    """Every store that agents have here, and the folders that the user configured."""
    problem = ""
    try:
        config = load_config()
    except ConfigError as error:
        config, problem = Config(), str(error)
    try:
        cwd = Path.cwd()
    except OSError:  # it was removed
        cwd = Path.home()
    found = discover(home=Path.home(), cwd=cwd, environ=os.environ, extra_roots=config.roots)
    if found.unlisted:
        count = plural(len(found.unlisted), "folder")
        problem = problem or f"{count} could not be listed, {found.unlisted[0]} first"
    return found, problem


class StoresScreen(ListDialog[tuple[Store, ...] | Setup | str]):
    """Answers with the stores to read, at most one a scope, or with a demo's name, or a setup."""

    def __init__(
        self,
        shown: frozenset[str],
        find: Finder = on_this_machine,
        started: Setup | None = None,
    ) -> None:
        """Prepares the list.

        Args:
            shown: the roots that the app shows now.
            find: looks for stores, in a thread.
            started: what the app was started with.

        """
        super().__init__()
        self._shown_roots = shown
        self._started = started
        self._find = find
        self._stores: tuple[Store, ...] = ()
        self._rows: tuple[StoreRow, ...] = store_rows(())
        self._counts: dict[str, Summary] = {}
        self._problem = ""
        self._looked_at: tuple[str, ...] = ()
        self._looking = True

    def on_mount(self) -> None:
        """Starts to look."""
        self.label("stores on this machine", "open-linked")
        self._draw(None)
        self.list.focus()
        self.run_worker(self._search, group="stores", thread=True, exit_on_error=True)

    def _search(self) -> None:
        worker = get_current_worker()
        found, problem = self._find()
        self.post_message(StoresFound(found, problem))
        for store in found.stores:
            if worker.is_cancelled:
                return
            self.post_message(StoreCounted(store, summarise(store)))

    @on(StoresFound)
    def _stores_found(self, event: StoresFound) -> None:
        event.stop()
        self._stores, self._problem = event.discovery.stores, event.problem
        self._looked_at = event.discovery.looked_at
        self._rows, self._looking = store_rows(self._stores, self._started), False
        self._draw(self._rows[0].key)

    @on(StoreCounted)
    def _store_counted(self, event: StoreCounted) -> None:
        event.stop()
        self._counts[event.store.root] = event.summary
        self._draw(self.list.key)

    def _draw(self, key: str | None) -> None:
        pane = stores_pane(
            self._rows, self._counts, self._shown_roots, wall_clock(), looking=self._looking
        )
        self.list.show(pane, key)
        self.describe()

    def _row(self) -> StoreRow | None:
        key = self.list.key
        return next((each for each in self._rows if each.key == key), None)

    def about(self) -> Iterable[Line]:
        """What is known about the highlighted store, and what is not yet."""
        row = self._row()
        if row is not None:
            yield from about_row(row, self._stores, self._counts)
        if self._looking:
            yield line(Piece("looking for stores …", "primary"))
        elif not self._stores:
            places = ", ".join(self._looked_at[:SHOWN_PLACES])
            yield line(Piece(f"no store was found; looked at {places} …", "warning"))
        if self._problem:
            yield line(Piece(f"! {self._problem}", "warning"))

    def choose(self, key: str) -> None:  # noqa: ARG002 - the row says what it stands for
        """Answers with what the row stands for."""
        row = self._row()
        if row is None:
            return
        if row.setup is not None:
            self.dismiss(row.setup)
        elif row.store is not None:
            self.dismiss(read_with(row.store, self._stores))
        elif row.demo is not None:
            self.dismiss(row.demo)
