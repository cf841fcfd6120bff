"""Copying inside a real tmux, and where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.tui.clipboard import copy_in_tmux

PROGRAM = """
import os
from memtui.tui.clipboard import copy_in_tmux
print("took it" if copy_in_tmux("支付 'quoted' $HOME\\nline two", os.environ) else "refused it")
"""


@pytest.fixture
def socket(tmp_path: Path) -> Iterator[Path]:
    """The socket of a tmux of our own, which is ended afterwards."""
    path = tmp_path / "tmux"
    yield path
    subprocess.run(["tmux", "-S", path, "kill-server"], capture_output=True, check=False)


def tmux(socket: Path, *words: str) -> str:
    command = ["tmux", "-f", os.devnull, "-S", str(socket), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")
def test_tmux_has_what_was_copied_letter_by_letter(socket: Path, tmp_path: Path) -> None:
    program = tmp_path / "copy.py"
    program.write_text(PROGRAM)
    command = f"{sys.executable} {program}; sleep 60"
    tmux(socket, "-u", "new-session", "-d", "-x", "80", "-y", "24", command)
    end = time.monotonic() + 30
    while "took it" not in (shown := tmux(socket, "capture-pane", "-p")):
        assert "refused" not in shown and time.monotonic() < end, shown
    assert tmux(socket, "show-buffer") == "支付 'quoted' $HOME\nline two"


def test_outside_tmux_nothing_is_run() -> None:
    assert not copy_in_tmux("text", {"PATH": os.environ["PATH"]})


def test_a_tmux_that_is_not_there_or_does_not_answer_takes_nothing(tmp_path: Path) -> None:
    gone = {"TMUX": str(tmp_path / "gone"), "PATH": str(tmp_path)}
    assert not copy_in_tmux("text", gone)
    assert not copy_in_tmux("text", {**gone, "PATH": os.environ["PATH"]})
