"""Nothing of a memory, a query or an answer reaches the terminal as a command, on any screen."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.hostile.stage import QUERY, Stage, attack, obeyed, set_up
from tests.terminal import RESTORED, Terminal

ESC, ENTER, TAB, PALETTE, F2, UP = "\x1b", "\r", "\t", "\x10", "\x1bOQ", "\x1b[A"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return set_up(tmp_path)


def app_on(stage: Stage, *options: str, columns: int = 200, rows: int = 60) -> Terminal:
    command = [sys.executable, "-m", "memtui", *stage.options, *options]
    return Terminal(command, columns=columns, rows=rows)


def paste(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


def walk(terminal: Terminal, *steps: tuple[str, str | None]) -> None:
    """Types the keys of each step and waits until what they lead to is drawn."""
    for keys, expected in steps:
        before = len(terminal.output)
        os.write(terminal.master, keys.encode())
        if expected is None:
            terminal.read(0.4 if ESC in keys else 0.2)
        else:
            terminal.wait_for_text(expected, after=before)


def seen(terminal: Terminal) -> set[str]:
    """The names of the fields whose attacks are shown."""
    return set(re.findall(r"(\w+)␛\]0;\1", terminal.drawn()))


def leave(terminal: Terminal) -> None:
    """Ends the app; whatever it has written holds no command of another."""
    os.write(terminal.master, b"\x11")
    assert terminal.end() == 0
    assert RESTORED in terminal.output
    assert obeyed(terminal.output) == []


def to_the_panes(terminal: Terminal) -> None:
    """Types the query and leaves it."""
    terminal.wait_for_text("with a dash")
    walk(terminal, (QUERY, "selected"), (ESC, None))


def test_every_pane_and_the_inspector(stage: Stage) -> None:
    with app_on(stage) as terminal:
        to_the_panes(terminal)
        for pane in "23451":
            walk(terminal, (pane, None), ("G", None))
        walk(terminal, ("g", None), (ENTER, "type␛"), ("z", "body␛"), ("G", None), ("w", None))
        walk(terminal, ("w", None), ("z", None), (ESC, None), ("p", None))
        for _ in range(9):
            walk(terminal, ("j", None))
        walk(terminal, ("f", None), (paste(attack("filt")), None), (ESC, None), (ESC, None))
        walk(terminal, ("h", None), ("h", None), ("h", None), ("S", None), ("m", None))
        fields = {"root", "ttl", "desc", "type", "body", "link", "yaml", "skip"}
        assert fields | {"rowN"} <= seen(terminal)
        leave(terminal)


def test_every_dialog(stage: Stage) -> None:
    with app_on(stage) as terminal:
        to_the_panes(terminal)
        for key, title in (
            ("t", "recent tools"),
            ("l", "limits and ablations"),
            ("s", "who selects"),
            ("b", "ranker"),
            ("B", "side by side"),
            ("T", "delivery"),
            ("c", "compare"),
            ("x", "export"),
            ("o", "stores on this machine"),
            ("?", "help"),
        ):
            walk(terminal, (key, title), ("G", None), (ESC, None))
        walk(terminal, ("F", "what it says"), (QUERY, "open␛"), (ESC, None))
        walk(terminal, ("i", "head␛"), ("G", None), (ESC, None))
        assert {"open", "head", "entr", "targ"} <= seen(terminal)
        leave(terminal)


def test_the_palette_the_prompt_and_toasts(stage: Stage) -> None:
    with app_on(stage) as terminal:
        to_the_panes(terminal)
        walk(terminal, (PALETTE, None), (paste(attack("comm")), None))
        walk(terminal, (ESC, None), (ESC, None))
        walk(terminal, (PALETTE, None), ("prompt", "The selector's prompt"), (ENTER, "prompt, "))
        walk(terminal, ("G", "tool␛"))
        walk(terminal, ("y", "clipboard"), (ESC, None))
        for _ in range(4):
            walk(terminal, ("j", None), ("y", "clipboard"))
        assert {"tool"} <= seen(terminal)
        leave(terminal)


def test_cases_and_their_evaluation(stage: Stage, tmp_path: Path) -> None:
    with app_on(stage) as terminal:
        to_the_panes(terminal)
        walk(terminal, ("E", "case file "), (f"{stage.cases}", None), (ENTER, "case␛"))
        walk(terminal, (ENTER, None), (ESC, None), ("A", "save as a case"))
        walk(terminal, (f"\x15{tmp_path}/{paste(attack('mine'))}.jsonl{ENTER}", None), (ESC, None))
        assert {"case", "ques"} <= seen(terminal)
        leave(terminal)


def test_answers_of_a_model_and_pasted_ones(stage: Stage) -> None:
    with app_on(stage, "--selector", f"replay:{stage.replay}") as terminal:
        to_the_panes(terminal)
        walk(terminal, ("4", None), ("s", "who selects"), (ESC, None), ("T", "delivery"))
        walk(terminal, (ESC, None), ("5", None), ("v", None))
        walk(terminal, (paste(f"[id:1] {attack('answ')}"), "rejected"), ("\x1bOQ", "clean text"))
        leave(terminal)


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (100, 30)])
def test_smaller_screens(stage: Stage, size: tuple[int, int]) -> None:
    with app_on(stage, columns=size[0], rows=size[1]) as terminal:
        terminal.wait_for_text("memtui")
        walk(terminal, (QUERY, None), (ESC, None))
        for keys in ("23451", "\rzGwwz", "\x1bctlisbBTx\x1b", "?\x1bF\x1b"):
            for key in keys:
                walk(terminal, (key, None), (ESC, None) if key in "ctlisbBTxF?" else ("j", None))
        assert "ttl" in seen(terminal)
        leave(terminal)
