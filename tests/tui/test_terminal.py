"""The real process in a real terminal: what it writes, how it ends, what it restores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import write_file, write_memory
from tests.terminal import MOUSE_OFF, RESTORED, Terminal

PROGRAM = """
import sys
from memtui.setup import Setup
from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.tui.run import run_app
{prelude}
setup = Setup((Source(Scope.PROJECT, sys.argv[1], "qwen"),), name="pty")
sys.exit(run_app(setup))
"""
CRASHING = """
from memtui.tui.screens.board import Board
def broken(self, view):
    secret = "SECRET-MEMORY"
    raise ValueError(secret + str(view.recall.pool.documents[0].body))
Board.watch_view = broken
"""
SIGNALLED = """
import os, signal
from memtui.tui.app import MemtuiApp
mount = MemtuiApp.on_mount
def signalled(self):
    os.kill(os.getpid(), signal.SIGTERM)
    mount(self)
MemtuiApp.on_mount = signalled
"""


def app_on(root: Path, prelude: str = "", **environ: str) -> Terminal:
    """The app on a store of this root."""
    command = [sys.executable, "-c", PROGRAM.format(prelude=prelude), str(root)]
    return Terminal(command, **environ)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    hostile = "\x1b]0;owned\x07\x1b[2J;MARK\x1b]52;c;b3duZWQ=\x1b\\\x9b5n\u202e\x00"
    write_memory(root, "hostile.md", title=f"Hostile {hostile}", description=hostile, body=hostile)
    write_memory(root, "plain.md", title="Plain one")
    write_file(root, "bad\x1b]0;owned-name\x07.md", b"no frontmatter " + hostile.encode())
    return root


def test_nothing_in_a_memory_reaches_the_terminal_as_a_command(tree: Path) -> None:
    with app_on(tree) as terminal:
        terminal.wait_for(b"Plain one")
        for keys in (b"\x1b", b"j", b"\r", b"G", b"\x1b", b"2", b"3", b"4", b"5", b"1", b"y", b"?"):
            terminal.press(keys)
        for raw in (b"\x1b]0;owned", b"\x1b[2J;MARK", b"b3duZWQ=\x1b\\\xc2\x9b", b"\xc2\x9b5n"):
            assert raw not in terminal.output
        assert "\u202e".encode() not in terminal.output
        assert b"\x00" not in terminal.output
        assert "␛]0;owned".encode() in terminal.output
        terminal.press(b"\x1b")
        terminal.press(b"q")
        assert terminal.end() == 0
        assert RESTORED in terminal.output
        assert MOUSE_OFF in terminal.output


def test_what_is_typed_while_it_opens_is_kept(tree: Path) -> None:
    with app_on(tree) as terminal:
        for letter in b"plain words typed at once":
            os.write(terminal.master, bytes([letter]))
            terminal.read_some(0.03)
        terminal.wait_for_text("looks for plain · words · typed · once")
        terminal.press(b"\x11")
        assert terminal.end() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_restores_the_terminal(tree: Path, number: signal.Signals, code: int) -> None:
    with app_on(tree) as terminal:
        terminal.wait_for(b"Plain one")
        terminal.process.send_signal(number)
        assert terminal.end() == code
        assert RESTORED in terminal.output
        assert MOUSE_OFF in terminal.output


def test_a_signal_restores_the_terminal_also_while_the_app_opens(tree: Path) -> None:
    with app_on(tree, prelude=SIGNALLED) as terminal:
        assert terminal.end() == 143
        assert RESTORED in terminal.output


def test_an_editor_that_can_not_be_run_leaves_the_app_in_the_terminal(tree: Path) -> None:
    with app_on(tree, EDITOR="no-such-editor", VISUAL="") as terminal:
        terminal.wait_for(b"Plain one")
        terminal.press(b"\x1b")
        terminal.press(b"e")
        terminal.wait_for_text("no-such-editor can not be run")
        terminal.press(b"q")
        assert terminal.end() == 0


def test_a_crash_ends_with_one_line_and_no_memory_text(tree: Path) -> None:
    with app_on(tree, prelude=CRASHING) as terminal:
        assert terminal.end() == 1
        after = terminal.output.rpartition(RESTORED)[2].decode()
        assert "memtui: internal error: ValueError" in after
        assert "memtui recall" in after
        assert "SECRET-MEMORY" not in terminal.output.decode(errors="replace")
        assert "owned" not in after
        assert "Traceback" not in after
        assert len(after.strip().splitlines()) == 1


def test_no_color_means_no_colour(tree: Path) -> None:
    with app_on(tree, NO_COLOR="1") as terminal:
        terminal.wait_for(b"Plain one")
        terminal.press(b"\x1b")
        assert b"\x1b[38;2;" not in terminal.output
        assert b"\x1b[48;2;" not in terminal.output
        assert b";38;2;" not in terminal.output
        terminal.press(b"q")
        assert terminal.end() == 0


def test_an_empty_no_color_means_nothing(tree: Path) -> None:
    with app_on(tree, NO_COLOR="") as terminal:
        terminal.wait_for(b"Plain one")
        assert b"38;2;108;178;255" in terminal.output
        terminal.press(b"\x11")
        assert terminal.end() == 0


def run_without_terminal(tree: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(prelude=""), str(tree)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, **environ},
    )


def test_without_a_terminal_it_ends_at_once_with_a_hint(tree: Path) -> None:
    done = run_without_terminal(tree)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert 'memtui recall "QUERY"' in done.stderr


def test_a_dumb_terminal_is_refused(tree: Path) -> None:
    with app_on(tree, TERM="dumb") as terminal:
        assert terminal.end() == 2
        assert b"TERM=dumb" in terminal.output
        assert RESTORED not in terminal.output
