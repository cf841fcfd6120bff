"""The main screen: the board with the commands that act on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from textual.widgets import Input

from memtui.engine import Engine
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.text import display_line
from memtui.tui.bindings import bindings_for
from memtui.tui.commands import Place, Target, named
from memtui.tui.editor import editor_command
from memtui.tui.screens.board import PANES
from memtui.tui.screens.cases import Cases
from memtui.tui.screens.export import ExportScreen
from memtui.tui.screens.limits import LimitsScreen
from memtui.tui.screens.questions import Questions
from memtui.tui.screens.ranking import Ranking
from memtui.tui.screens.tools import ToolsScreen
from memtui.tui.screens.upkeep import Upkeep
from memtui.tui.session import Session
from memtui.tui.view.catalogue import Entry
from memtui.tui.view.limits import needs_rescan
from memtui.tui.view.pinned import key_of_path

Edit = Callable[[list[str]], int | None]
"""Runs an editor; None where the terminal can not be lent to it."""


class MainScreen(Upkeep, Ranking, Questions, Cases):
    """Carries the commands of the registry out."""

    CSS_PATH = ["opening.tcss", "main.tcss", "traces.tcss"]  # noqa: RUF012 - declared by Screen
    AUTO_FOCUS = ""
    BINDINGS = bindings_for(Target.SCREEN)

    def __init__(
        self, setup: Setup, engine: Engine, edit: Edit, session: Session | None = None
    ) -> None:
        super().__init__(setup, engine)
        self._edit = edit
        self.session = session or Session()

    def go_on_with(self, typed: Input) -> None:
        """Takes over what was typed before this screen was there; more keys may be waiting."""
        if self.setup.reads_something:
            self.query_bar.input.go_on_with(typed)
            self.set_focus(self.query_bar.input)

    def expected_entry(self) -> Entry | None:
        """The pinned memory, else the highlighted one."""
        key = None
        if self.view is not None and self.pinned is not None:
            key = key_of_path(self.view, self.pinned)
        return (
            super().expected_entry() if self.view is None or key is None else self.view.entry(key)
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Lets a command run only while what it needs holds."""
        commands = named(action)
        if not commands or not self.is_mounted:
            return True
        context = self.context
        return any(command.allowed(context) for command in commands)

    def tell(self, message: str, *, problem: bool = False) -> None:
        """Says something for a moment. The text may quote a memory."""
        severity: Literal["warning", "information"] = "warning" if problem else "information"
        self.notify(display_line(message), severity=severity, markup=False)

    # Ask

    def action_focus_query(self) -> None:
        """Moves the focus into the query."""
        self.query_bar.input.focus()

    def action_filter(self) -> None:
        """Opens the filter of the pool."""
        self.current = "pool"
        self.pool.open_filter()

    # Look

    def action_show_pane(self, pane: str) -> None:
        """Brings a pane to the front."""
        self.focus_pane(pane)

    def action_citations(self) -> None:
        """Opens the citation area."""
        self.current = "trace"
        self.trace.focus_answer()

    def action_next_pane(self) -> None:
        """Moves the focus to the next pane."""
        self._step(1)

    def action_previous_pane(self) -> None:
        """Moves the focus to the pane before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self._place() not in (Place.QUERY, Place.FILTER, Place.NOTICE):
            self.focus_pane(PANES[(PANES.index(self.current) + by) % len(PANES)])
        else:
            self.focus_pane(self.list_pane)

    def action_zoom(self) -> None:
        """Gives the pane in front the whole screen, or takes it away."""
        self.zoomed = not self.zoomed

    def action_next_order(self) -> None:
        """Lists the pool in the next order."""
        self.order = self.order.following
        if self.view is not None:
            self.pool.show_pool(self.view, self.order, self.highlighted)

    # Change

    def action_tools(self) -> None:
        """Edits the recent tools."""
        self.app.push_screen(ToolsScreen(self.options.recent_tools, self._take_tools))

    def _take_tools(self, tools: tuple[str, ...]) -> None:
        self.take_options(replace(self.options, recent_tools=tools))

    def action_limits(self) -> None:
        """Edits limits and ablations."""
        self.app.push_screen(LimitsScreen(self.options, self.take_options))

    def take_options(self, options: RecallOptions) -> None:
        """Recalls with other options; scans again if they concern the scan."""
        if options != self.options:
            rescan = needs_rescan(self.options, options)
            self.options = options
            self.ask(rescan=rescan)

    def action_rescan(self) -> None:
        """Reads the stores again."""
        self.ask(rescan=True)

    # Take along

    def _entry(self) -> Entry | None:
        if self.view is None or self.highlighted is None:
            return None
        return self.view.entry(self.highlighted)

    def action_edit(self) -> None:
        """Opens the highlighted file in the user's editor, and scans again afterwards."""
        entry = self._entry()
        if entry is None:
            return
        command = editor_command(entry.path)
        if command is None:
            self.tell("set $VISUAL or $EDITOR to open files", problem=True)
        elif not os.path.lexists(entry.path):
            self.tell(f"the file is gone, it is shown as scanned: {entry.path}", problem=True)
        else:
            self._run(command)

    def _run(self, command: list[str]) -> None:
        try:
            code = self._edit(command)
        except OSError as error:
            self.tell(f"{command[0]} can not be run: {error.strerror}", problem=True)
            return
        if code is None:
            self.tell("this terminal can not be lent to an editor", problem=True)
            return
        if code:
            self.tell(f"{command[0]} ended with exit code {code}", problem=True)
        self.ask(rescan=True)

    def action_copy(self) -> None:
        """Sends the path of the highlighted file to the clipboard."""
        entry = self._entry()
        if entry is not None:
            self.app.copy_to_clipboard(entry.path)
            self.tell(f"path sent to the clipboard of the terminal: {entry.path}")

    def action_export(self) -> None:
        """Asks for a file and writes the recall to it."""
        if self.view is not None:
            picture = self.app.export_screenshot()
            roots = [source.root for source in self.setup.sources]
            dialog = ExportScreen(self.view.recall, picture, roots)
            self.app.push_screen(dialog, self._exported)

    def _exported(self, path: Path | None) -> None:
        if path is not None:
            self.tell(f"written: {path}")

    # One step back

    def action_back(self) -> None:
        """Undoes the innermost thing that is open."""
        if self.scanning:
            self.recalls.stop_scan()
        elif self.stop_asking():
            return
        elif self.focused is self.pool.filter and self.pool.filter.value:
            self.pool.filter.value = ""
        elif self.focused is self.pool.filter:
            self.pool.clear_filter()
            self.focus_pane("pool")
        elif self.focused is self.query_bar.input:
            self._leave_query()
        elif self.trace.step_back():
            return
        elif self.current == "inspector":
            self.focus_pane(self.list_pane)
        elif self.pool.filtered:
            self.pool.clear_filter()
        elif self.widen():
            return
        elif self.zoomed:
            self.zoomed = False

    def _leave_query(self) -> None:
        if self.view is not None:
            self.focus_pane(self.list_pane)
        else:
            self.notice.focus()
