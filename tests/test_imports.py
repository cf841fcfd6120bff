"""What is loaded when: nothing heavy before it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("textual", "rich", "mcp", "pydantic", "openai", "httpx", "yaml", "frontmatter", "aiohttp")


def modules_after(code: str) -> tuple[set[str], str]:
    """The top-level modules that running ``code`` leaves loaded, and what it printed."""
    report = "import atexit, json, sys\n"
    report += "atexit.register(lambda: sys.stderr.write(json.dumps(sorted(sys.modules))))\n"
    done = subprocess.run([sys.executable, "-c", report + code], capture_output=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stderr)}, done.stdout.decode()


def test_version_answers_before_anything_is_imported() -> None:
    code = "sys.argv = ['memtui', '--version']\nfrom memtui.__main__ import main\nmain()"
    loaded, printed = modules_after(code)
    assert printed.startswith("memtui ")
    assert loaded.isdisjoint({*HEAVY, "click", "regex", "sqlite3", "platformdirs"})


@pytest.mark.parametrize("module", ["memtui.cli", "memtui.cli.main"])
def test_the_command_line_loads_no_face_and_no_parser(module: str) -> None:
    loaded, _ = modules_after(f"import {module}")
    assert loaded.isdisjoint(HEAVY)


def test_a_recall_loads_neither_textual_nor_mcp() -> None:
    code = "from memtui.cli import run\nrun(['recall', 'customs', '--demo', 'overflow'])"
    loaded, printed = modules_after(code)
    assert "manifest" in printed
    assert loaded.isdisjoint({"textual", "rich", "mcp", "pydantic", "openai"})


def test_the_first_frame_loads_nothing_that_recalls() -> None:
    code = "import memtui.tui.app, memtui.tui.run, memtui.setup, sys\n"
    code += "print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"import json\n{code}"], capture_output=True, check=True
    )
    loaded = set(json.loads(done.stdout))
    assert "textual.app" in loaded
    assert loaded.isdisjoint({"memtui.engine", "memtui.recall.pipeline", "memtui.tui.screens.main"})
