"""Pipes, closed streams, locales, help: stdout is data, stderr is narration."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import command, memtui, spawn


def shell(script: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"],
        capture_output=True,
        env={**os.environ, **environ},
        timeout=60,
        check=False,
    )


def quoted(*arguments: object) -> str:
    return shlex.join(command(*arguments))


@pytest.fixture(params=["", "1"], ids=["buffered", "unbuffered"], autouse=True)
def buffering(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written may leave at once, or when the process ends."""
    monkeypatch.setenv("PYTHONUNBUFFERED", request.param)


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_broken_pipe_ends_quietly(overflow: Path, flags: list[str]) -> None:
    words = quoted("recall", "customs", "--project", overflow, *flags)
    done = shell(f"{words} | head -c 1")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_is_gone_is_no_error() -> None:
    done = shell(f"{quoted('recall', '-h')} | true; {quoted('nonsense')} 2>&1 | true")
    assert b"Traceback" not in done.stderr
    assert b"rror" not in done.stderr


def test_closed_streams_end_in_no_traceback(small: Path) -> None:
    recall = quoted("recall", "apples", "--project", small)
    for script, code in (
        (f"{recall} >&-", 0),
        (f"{recall} --json >&-", 0),
        (f"{recall} 2>&-", 0),
        (f"{quoted('nonsense')} 2>&-", 2),
        (f"{quoted('validate', '--allow', 'a')} <&-", 0),
    ):
        done = shell(script)
        assert (done.returncode, done.stderr) == (code, b""), script


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize(
    "words", [["recall", "apples"], ["recall", "apples", "--json"], ["scan"], ["--version"], ["-h"]]
)
def test_a_full_disk_is_one_line(small: Path, words: list[str]) -> None:
    root = [] if words[0].startswith("-") else ["--project", small]
    done = shell(f"{quoted(*words, *root)} >/dev/full")
    assert done.returncode == 3
    assert done.stderr == b"memtui: No space left on device\n"
    assert shell(f"{quoted(*words, *root)} >/dev/full 2>&1").returncode == 3


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


def test_a_locale_without_utf8_loses_no_data(overflow: Path) -> None:
    words = ["部署窗口", "--project", overflow, "--now", "1772442000000"]
    text = spawn("recall", *words, **ASCII)
    assert (text.code, text.stderr) == (0, b"")
    assert text.stdout.isascii()
    assert b"\\u2192" in text.stdout
    as_json = spawn("recall", *words, "--json", **ASCII)
    assert (as_json.code, as_json.stderr) == (0, b"")
    assert as_json.json["query"]["tokens"] == ["部署", "署窗", "窗口"]
    assert (
        as_json.json["manifest"]["text"]
        == memtui("recall", *words, "--json").json["manifest"]["text"]
    )


def test_help_is_there_in_a_locale_without_utf8() -> None:
    result = spawn("recall", "-h", **ASCII)
    assert (result.code, result.stderr) == (0, b"")


def test_messages_go_to_stderr_and_data_to_stdout(small: Path) -> None:
    result = memtui("recall", "apples", "--project", small, "--limit", "30", "--json")
    assert result.json["capped"] is True
    assert result.err.startswith("memtui: warning: ")


@pytest.mark.parametrize(
    "words",
    [
        [],
        *([name] for name in ("demo", "recall", "why", "compare", "scan", "trace", "validate")),
        ["mcp"],
        ["paths"],
        ["trace", "list"],
        ["trace", "show"],
    ],
    ids=" ".join,
)
def test_help_is_everywhere(words: list[str]) -> None:
    for flag in ("-h", "--help"):
        result = memtui(*words, flag)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("Usage: memtui")
        assert max(map(len, result.out.splitlines())) <= 100


def test_no_colour_is_ever_written_without_a_terminal(small: Path) -> None:
    for environ in ({"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {}):
        result = spawn("recall", "apples", "--project", small, **environ)
        assert b"\x1b" not in result.stdout + result.stderr


def test_version_is_one_line() -> None:
    for words in (["--version"], ["-V"]):
        result = spawn(*words)
        assert (result.code, result.stderr) == (0, b"")
        assert result.out == memtui("--version").out
        assert result.out.count("\n") == 1


def test_a_folder_that_is_gone_ends_in_no_traceback(small: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for words in (
        ["recall", "apples", "--project", small],
        ["why", "apples", "pie", "--project", small],
        ["recall", "apples"],
        ["paths"],
    ):
        gone.mkdir(exist_ok=True)
        code = "import os, sys; os.rmdir(os.getcwd()); from memtui.cli import run\n"
        code += "sys.exit(run(sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, words)],
            cwd=gone,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        assert b"internal error" not in done.stderr
