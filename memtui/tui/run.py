"""Starts the app, if there is a terminal to start it in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TextIO

from memtui.config import Config, ConfigError, config_path
from memtui.setup import Setup

NO_TERMINAL = 2
CRASHED = 1
WEB_DRIVER = "textual.drivers.web_driver:WebDriver"
"""What a server of Textual apps names as the driver."""
SERVED_DRIVER = "memtui.tui.served:ServedDriver"
"""The same, and it ends with the server. Textual reads the name when it is imported."""
WATCH_EVERY_S = 2.0
"""Seconds between two looks at the files that are shown."""


def run_app(setup: Setup, config: Config | None = None) -> int:
    """Runs the app until the user leaves it; returns the exit code of the process.

    0 is a normal end, 1 a crash, 2 no usable terminal, 143, 129 and 130 the signals
    TERM, HUP and INT.
    """
    refusal = why_not(sys.__stdin__, sys.__stderr__, os.environ)
    if refusal:
        sys.stderr.write(f'memtui: {refusal}; for plain text try: memtui recall "QUERY"\n')
        return NO_TERMINAL

    if is_served(os.environ):
        os.environ["TEXTUAL_DRIVER"] = SERVED_DRIVER
    if config is not None:
        check_config(config)
    from memtui.tui.app import MemtuiApp
    from memtui.tui.crash import crash_line
    from memtui.tui.hangup import ended_by_hangup
    from memtui.tui.signals import signals_wait

    try:
        app = MemtuiApp(setup, ansi_color=_ansi_color(), config=config, watch_every_s=WATCH_EVERY_S)
        signals_wait(True)  # also in the threads that are started from here on
        with ended_by_hangup(sys.__stdin__):
            answer = app.run()
    except Exception as error:  # the top of this face: nothing of a memory may be printed
        sys.stderr.write(crash_line(error) + "\n")
        return CRASHED
    finally:
        signals_wait(False)
    return answer if answer is not None else app.return_code or 0


def check_config(config: Config) -> None:
    """Refuses a theme or a keymap that the app does not know.

    Raises:
        ConfigError: one clear line.

    """
    from memtui.tui.commands import COMMANDS

    known = [command.id for command in COMMANDS]
    for name in config.keys:
        if name not in known:
            raise ConfigError(f"{config_path()}: keys: no command is called {_meant(name, known)}")
    if config.theme is not None:
        from memtui.tui.themes import theme_names

        names = theme_names()
        if config.theme not in names:
            raise ConfigError(f"{config_path()}: theme: there is no {_meant(config.theme, names)}")


def _meant(typed: str, known: Sequence[str]) -> str:
    """A name that is not known, and those that are like it; all of them where none is."""
    like = get_close_matches(typed, known)
    said = f"did you mean {' or '.join(like)}?" if like else f"there are: {', '.join(known)}"
    return f"{typed[:60]!r}; {said}"


def why_not(stdin: TextIO | None, stderr: TextIO | None, environ: Mapping[str, str]) -> str:
    """Why the app can not run here, empty if it can. It reads stdin and draws on stderr."""
    if is_served(environ):
        return ""
    for name, stream in (("stdin", stdin), ("stderr", stderr)):
        if stream is None or not stream.isatty():
            return f"the app needs a terminal, and {name} is none"
    if environ.get("TERM") == "dumb":
        return "the app needs a terminal that can do more than TERM=dumb"
    return ""


def is_served(environ: Mapping[str, str]) -> bool:
    """Whether a browser shows the app: a server reads what it draws, and sends it the keys."""
    return environ.get("TEXTUAL_DRIVER") == WEB_DRIVER


def _ansi_color() -> bool | None:
    """True for no colours at all; Textual also obeys an empty ``NO_COLOR``, which says nothing."""
    wish = os.environ.get("NO_COLOR")
    if wish == "":
        del os.environ["NO_COLOR"]
    return True if wish else None
