"""Every kind of terminal: any size, while it changes; few colours, none, and any theme."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.running import command
from tests.helpers import write_memory
from tests.terminal import RESTORED, Terminal

SIZES = ((60, 15), (80, 24), (100, 30), (160, 45), (250, 70))
TINY = ((1, 1), (2, 1), (1, 2), (5, 3), (10, 2), (20, 5), (40, 10), (3, 60), (250, 1))
KINDS = {
    "truecolor": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    "256 colours": {"TERM": "xterm-256color", "COLORTERM": ""},
    "16 colours": {"TERM": "screen", "COLORTERM": ""},
    "no colour": {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"},
    "an empty NO_COLOR": {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""},
}
THEMES = ("memtui-dark", "memtui-light", "ansi-dark", "ansi-light")
_PIECE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\[[0-9;?<>=]*[ $]?[a-zA-Z]|\x1b\].*?\x07|([^\x1b]+)")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    for number in range(300):
        title = f"Plain {number} 支付回调 👨‍👩‍👧 ❤️ e\u0301"
        write_memory(root, f"{number}.md", title=title, body="apples are kept cool\n" * 40)
    (root / "broken.md").write_text("no frontmatter", "utf-8")
    return root


def colours_of(codes: str, now: tuple[str, str]) -> tuple[str, str]:
    """Foreground and background after an SGR sequence."""
    front, back = now
    parts = [part or "0" for part in codes.split(";")]
    while parts:
        code = parts.pop(0)
        if code == "0":
            front, back = "", ""
        elif code in ("38", "48"):
            taken = 1 + {"5": 1, "2": 3}[parts[0]]
            colour = ";".join(parts[:taken])
            parts = parts[taken:]
            front, back = (colour, back) if code == "38" else (front, colour)
        elif re.fullmatch("3[0-79]|9[0-7]", code):
            front = "" if code == "39" else code
        elif re.fullmatch("4[0-79]|10[0-7]", code):
            back = "" if code == "49" else str(int(code) - 10)
    return front, back


def invisible(output: bytes) -> list[str]:
    """Texts that were drawn in the colour of what is behind them; bars and blocks aside."""
    found, now = [], ("", "")
    for codes, text in _PIECE.findall(output.decode("utf-8", "replace")):
        if text:
            if now[0] and now[0] == now[1] and re.search(r"\w", text):
                found.append(text)
        else:
            now = colours_of(codes, now) if codes else now
    return found


@pytest.mark.parametrize(
    ("kind", "theme"),
    [*((kind, THEMES[0]) for kind in KINDS), *(("truecolor", theme) for theme in THEMES[1:])],
)
def test_no_text_is_drawn_in_the_colour_behind_it(
    tree: Path, own_environment: Path, kind: str, theme: str
) -> None:
    (own_environment / "config.toml").write_text(f'theme = "{theme}"\n', "utf-8")
    with Terminal(command("--project", tree), **KINDS[kind]) as terminal:
        terminal.wait_for_text("Plain")
        for keys in ("apples", "\x1b", "w", "?", "\x1b"):
            terminal.press(keys.encode())
        terminal.press(b"\x11")
        assert terminal.end() == 0
        assert invisible(terminal.output) == []
        if kind == "16 colours":
            assert b"38;2;" not in terminal.output
            assert b"38;5;" not in terminal.output
        if kind == "256 colours":
            assert b"38;2;" not in terminal.output
        if kind == "no colour":
            assert not re.search(rb"[34]8;[25];[0-9;]*m", terminal.output)


def test_the_size_may_change_all_the_time_while_it_scans_and_recalls(tree: Path) -> None:
    with Terminal(command("--project", tree), columns=80, rows=24) as terminal:
        for number, (columns, rows) in enumerate((*TINY, *SIZES, *TINY[::-1], *SIZES[::-1])):
            terminal.resize(columns, rows)
            os.write(terminal.master, b"a" if number % 3 else b"\x7f")
            terminal.read_some()
        terminal.resize(160, 45)
        terminal.wait_for_text("Plain")
        os.write(terminal.master, b"\x1b")
        terminal.read(0.4)
        for number, (columns, rows) in enumerate((*TINY, *SIZES)):
            terminal.resize(columns, rows)
            os.write(terminal.master, b"rzj2w"[number % 5 : number % 5 + 1])
            terminal.read_some()
        terminal.resize(100, 30)
        terminal.press(b"\x11")
        assert terminal.end() == 0
        assert RESTORED in terminal.output


@pytest.mark.parametrize("size", [*SIZES, *TINY])
def test_it_starts_and_ends_at_any_size(tree: Path, size: tuple[int, int]) -> None:
    with Terminal(command("--project", tree), columns=size[0], rows=size[1]) as terminal:
        terminal.wait_for(b"\x1b[?1049h")
        terminal.read(0.4)
        os.write(terminal.master, b"\x11")
        assert terminal.end() == 0
        assert RESTORED in terminal.output
        if size in SIZES:
            assert "quit" in terminal.drawn()
