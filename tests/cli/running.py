"""Runs memtui: in this process, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from memtui.cli import run


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


def memtui(*arguments: object, stdin: bytes = b"") -> Result:
    """Runs a command in this process, with streams of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    streams = {"stdin": given, "stdout": out, "stderr": err}
    with mock.patch.multiple(sys, **streams):
        code = run([str(each) for each in arguments])
    for stream in (out, err):
        stream.flush()
    return Result(code, out.buffer.getvalue(), err.buffer.getvalue())  # type: ignore[attr-defined]


def command(*arguments: object) -> list[str]:
    """The words that start memtui as a process."""
    return [sys.executable, "-m", "memtui", *(str(each) for each in arguments)]


def spawn(*arguments: object, stdin: bytes = b"", **environ: str) -> Result:
    """Runs a command as a process of its own, without a terminal."""
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        env={**os.environ, **environ},
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def assert_one_line(result: Result) -> None:
    """An error is one line on stderr, no traceback, and nothing on stdout."""
    assert result.stdout == b""
    assert result.err.startswith("memtui: ")
    assert result.err.count("\n") == 1
    assert result.err.endswith("\n")
    assert "Traceback" not in result.err
    assert "internal error" not in result.err


def obeyed_by_terminals(text: str) -> list[str]:
    """Characters of an output that a terminal would act on, line ends aside."""
    return [
        each
        for each in text
        if each not in "\n\u200d" and unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]


def tree_state(root: Path) -> dict[str, tuple[object, ...]]:
    """Every entry below a folder, itself included, with its bytes and times."""
    state: dict[str, tuple[object, ...]] = {}
    for path in (root, *sorted(root.rglob("*"))):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        state[str(path)] = (
            status.st_mode,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            content,
        )
    return state
