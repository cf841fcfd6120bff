"""How the real process ends: the terminal as it was, a true exit code, and no text of a memory."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import assert_one_line, command, spawn
from tests.helpers import write_memory
from tests.terminal import MOUSE_OFF, RESTORED, Terminal

SECRET = "quinces"
BREAKING = """
import sys
from {module} import {name}
def broken(*arguments, **named):
    secret = "{secret}"
    raise ValueError(secret)
{name}.{method} = broken
from memtui.cli import run
sys.exit(run(sys.argv[1:]))
"""
BROKEN = {
    "the thread that recalls": ("memtui.tui.jobs", "Recaller", "view"),
    "the thread that scans": ("memtui.engine", "Engine", "scan"),
    "the screen": ("memtui.tui.widgets.row_list", "RowList", "render_line"),
    "a key": ("memtui.tui.app", "MemtuiApp", "action_help"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    for number in range(20):
        write_memory(root, f"{number}.md", title=f"Plain {number}", body=SECRET)
    return root


def app_on(root: Path) -> Terminal:
    return Terminal(command("--project", root))


def stored() -> int:
    """How many traces the state database holds; it must be whole."""
    path = Path(os.environ["MEMTUI_STATE"]) / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (count,) = connection.execute("SELECT count(*) FROM recall_traces").fetchone()
    return int(count)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_app_with_its_code_and_restores_the_terminal(
    tree: Path, number: signal.Signals, code: int
) -> None:
    with app_on(tree) as terminal:
        terminal.wait_for_text("Plain")
        terminal.process.send_signal(number)
        assert terminal.end() == code
        assert RESTORED in terminal.output
        assert MOUSE_OFF in terminal.output
        assert SECRET not in terminal.drawn(terminal.output.rindex(RESTORED))


def test_the_app_ends_by_itself_when_its_terminal_is_closed(tree: Path) -> None:
    with app_on(tree) as terminal:
        terminal.wait_for_text("Plain")
        terminal.hang_up()
        assert terminal.process.wait(30) == 129


@pytest.mark.parametrize("where", BROKEN)
def test_a_crash_anywhere_is_one_line_without_the_text_of_a_memory(tree: Path, where: str) -> None:
    module, name, method = BROKEN[where]
    program = BREAKING.format(module=module, name=name, method=method, secret=SECRET)
    words = [sys.executable, "-c", program, "--project", str(tree)]
    with Terminal(words) as terminal:
        if where == "a key":
            terminal.wait_for_text("Plain")
            terminal.press(b"\x1b")
            terminal.press(b"?")
        assert terminal.end() == 1
        after = terminal.drawn(terminal.output.rindex(RESTORED))
        assert after.count("internal error: ValueError") == 1
        assert "Traceback" not in after
        assert SECRET not in after
        assert MOUSE_OFF in terminal.output


def test_a_kill_in_the_middle_leaves_the_database_whole(tree: Path) -> None:
    for _ in range(3):
        with app_on(tree) as terminal:
            terminal.wait_for_text("Plain")
            os.write(terminal.master, b"plain apples and")
            terminal.read_some()
            terminal.process.kill()
            terminal.process.wait()
    assert spawn("recall", "plain", "--project", tree).code == 0
    assert stored() >= 1


def no_room(_folder: Path) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def a_file(folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file")


def nothing(_folder: Path) -> None:
    """Leaves everything as it is."""


STATES: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "no room left": (nothing, no_room),
    "a file in place of the folder": (a_file, nothing),
}


@pytest.mark.parametrize("what", STATES)
def test_a_state_that_can_not_be_written_fails_no_recall_and_is_said(
    tree: Path, tmp_path: Path, what: str
) -> None:
    before, in_child = STATES[what]
    folder = tmp_path / "own" / "state"
    before(folder)
    program = (
        "import sys\nfrom pathlib import Path\n"
        f"from tests.hostile.test_processes import {in_child.__name__}\n"
        f"{in_child.__name__}(Path())\nfrom memtui.cli import run\nsys.exit(run(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", program]
    environ = {"MEMTUI_STATE": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal([*words, "recall", "plain", "--project", str(tree)], **environ) as terminal:
        assert terminal.end() == 0
        assert "Plain 0" in terminal.drawn()
        assert "could not be traced" in terminal.drawn()
    with Terminal([*words, "--project", str(tree)], **environ) as terminal:
        terminal.wait_for_text("Plain")
        terminal.wait_for_text("not traced")
        terminal.press(b"\x11")
        assert terminal.end() == 0
        assert RESTORED in terminal.output


@pytest.mark.parametrize("words", [[], ["demo"], ["demo", "broken"]])
def test_without_a_terminal_the_app_refuses_in_one_line(words: list[str]) -> None:
    result = spawn(*words)
    assert result.code == 2
    assert_one_line(result)
