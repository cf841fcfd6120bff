"""The app: one setup, one engine, one main screen."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on, work
from textual.app import SuspendNotSupported

from memtui.config import Config
from memtui.setup import Setup
from memtui.text import display_line
from memtui.tui.bindings import QUIT_ANYWHERE, bindings_for, keys_in_force
from memtui.tui.clipboard import copy_in_tmux
from memtui.tui.commands import Target
from memtui.tui.crash import crash_line
from memtui.tui.demo import DEMO, demo_setup
from memtui.tui.garbage import collect_rarely
from memtui.tui.messages import DemoChosen, FirstFrameDrawn, PoolChosen, SetupChosen
from memtui.tui.safe_palette import AppWithPalettes
from memtui.tui.screens.opening import OpeningScreen
from memtui.tui.session import Session
from memtui.tui.signals import SIGNAL_CODES, signals_wait
from memtui.tui.themes import DARK, THEMES, own_variables

if TYPE_CHECKING:
    from textual.command import Provider

    from memtui.engine import Engine
    from memtui.tui.screens.main import MainScreen

RunEditor = Callable[[list[str]], int]
"""Runs the command of an editor until it is closed; returns its exit code."""


def _command_provider() -> type[Provider]:
    from memtui.tui.palette import CommandProvider

    return CommandProvider


class MemtuiApp(AppWithPalettes):
    """Explains which memories an agent recalled, and why others were lost.

    What the first frame does not need is imported after it was drawn.
    """

    TITLE = "memtui"
    CSS_PATH = "app.tcss"
    BINDINGS = [*bindings_for(Target.APP), QUIT_ANYWHERE]  # noqa: RUF012 - declared by App
    COMMANDS = {_command_provider}  # noqa: RUF012 - declared by App

    def __init__(
        self,
        setup: Setup,
        *,
        engine: Engine | None = None,
        run_editor: RunEditor | None = None,
        ansi_color: bool | None = None,
        config: Config | None = None,
        watch_every_s: float | None = None,
    ) -> None:
        super().__init__(ansi_color=ansi_color)
        self._demo = ExitStack()
        self._watch_every_s = watch_every_s
        self._started = setup
        self._run_editor = run_editor or self._suspended
        self._session = Session(config or Config())
        self._engine = engine
        for theme in THEMES:
            self.register_theme(theme)
        if self._session.config.theme is not None:
            self.theme = self._session.config.theme
        elif not os.environ.get("TEXTUAL_THEME"):
            self.theme = DARK.name
        self.set_keymap(dict(self._session.config.keys))

    def on_mount(self) -> None:
        """Shows what is opened, and listens to signals so that the terminal is restored."""
        self._opening = OpeningScreen(self._started.name, self._started.query)
        self.push_screen(self._opening)
        loop = asyncio.get_running_loop()
        for name, code in SIGNAL_CODES.items():
            number = getattr(signal, name, None)
            if number is None or self.is_headless:
                continue
            try:
                loop.add_signal_handler(number, self.exit, None, code)
            except (NotImplementedError, RuntimeError):
                continue
        signals_wait(False)

    def on_ready(self) -> None:
        """Goes on as soon as the first frame is drawn; before this, nothing is."""
        self.call_after_refresh(self.post_message, FirstFrameDrawn())

    @on(FirstFrameDrawn)
    async def _first_frame_drawn(self) -> None:
        """Loads the main screen and goes on with what was typed in the meantime.

        It waits in the app's own queue, so keys that are pressed now come when it is there.
        """
        screen = self._main_screen(self._started, self._engine)
        collect_rarely()
        await self.switch_screen(screen)
        screen.go_on_with(self._opening.query_bar.input)

    def on_unmount(self) -> None:
        """Removes what a demo laid out."""
        self._demo.close()

    def _main_screen(self, setup: Setup, engine: Engine | None = None) -> MainScreen:
        from memtui.engine import Engine
        from memtui.tui.screens.main import MainScreen

        options = replace(setup.options, source="tui")
        setup = replace(setup, options=options)
        engine = engine or Engine(setup, keep_documents=True)
        screen = MainScreen(setup, engine, self.edit, self._session)
        screen.watch_every_s = self._watch_every_s
        screen.started = self._started
        return screen

    def edit(self, command: list[str]) -> int | None:
        """Runs an editor and waits for it; None where the terminal can not be lent to it."""
        try:
            return self._run_editor(command)
        except SuspendNotSupported:
            return None

    def _suspended(self, command: list[str]) -> int:
        """Runs a command while the app is suspended.

        In Textual 8.2 an error within ``suspend`` would leave the app suspended for good.
        """
        with self.suspend():
            try:
                return subprocess.run(command, check=False).returncode
            except OSError as error:
                failed = error
        raise failed

    def copy_to_clipboard(self, text: str) -> None:
        """Sends a text to the clipboard of the terminal, and of tmux where there is one."""
        super().copy_to_clipboard(text)
        if not self.is_headless:
            copy = partial(copy_in_tmux, text, os.environ)
            self.run_worker(copy, group="clipboard", thread=True, exit_on_error=True)

    # Themes

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Variables of the style sheets that not every theme defines."""
        return own_variables(self.current_theme)

    # Commands

    def action_help(self) -> None:
        """Shows the keys."""
        from memtui.tui.screens.board import Board
        from memtui.tui.screens.help import HelpScreen

        screen = self.screen
        if isinstance(screen, Board):
            self.push_screen(HelpScreen(screen.context, keys_in_force(screen)))

    async def action_quit(self) -> None:
        """Leaves the app."""
        self.exit(0)

    def action_demo(self) -> None:
        """Lays a demo out and opens it."""
        self._open_demo(DEMO)

    @on(DemoChosen)
    def _demo_chosen(self, event: DemoChosen) -> None:
        self._session.home = None
        self._open_demo(event.name)

    @on(SetupChosen)
    def _setup_chosen(self, event: SetupChosen) -> None:
        self._session.home = None
        self._switch(event.setup)

    @on(PoolChosen)
    def _pool_chosen(self, event: PoolChosen) -> None:
        if event.demo:
            self._open_demo(event.demo, event.setup)
        else:
            self._switch(event.setup)

    @work(thread=True, exclusive=True, group="demo")
    def _open_demo(self, name: str, asked: Setup | None = None) -> None:
        setup = self._demo.enter_context(demo_setup(name))
        if asked is not None:
            setup = replace(setup, query=asked.query, options=asked.options)
        self.call_from_thread(self._switch, setup)

    def _switch(self, setup: Setup) -> None:
        self.switch_screen(self._main_screen(setup))

    # Crashes

    def _print_error_renderables(self) -> None:
        """Says in one line that there was a crash.

        Textual prints a traceback with local variables here, which are memories and queries. There
        is no public hook for it in 8.2.
        """
        self._exit_renderables.clear()
        if self._exception is not None:
            said = Text(display_line(crash_line(self._exception)))
            self.error_console.print(said, soft_wrap=True)
