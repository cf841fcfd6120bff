"""Nothing of a memory reaches a terminal as a command from what the command line prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.hostile.stage import QUERY, Stage, attack, obeyed, set_up
from tests.terminal import Terminal

COMMANDS = {
    "recall": (["recall", QUERY], {"ttl"}),
    "recall of an attack": (["recall", attack("qury")], {"ttl"}),
    "a refused answer": (["recall", QUERY, "--selector", "replay:{replay}"], {"ttl"}),
    "few bytes": (["recall", QUERY, "--set", "manifest_bytes=900"], {"ttl"}),
    "scan": (["scan"], {"skip", "file", "fold"}),
    "why": (["why", QUERY, "invalid.md"], {"yaml"}),
    "why of a skipped file": (["why", QUERY, "{skipped}"], {"skip"}),
    "why of nothing": (["why", QUERY, attack("none")], {"none"}),
    "a report": (["why", QUERY, "plain.md", "--report", "--with-text"], {"ttl"}),
    "compare": (["compare", QUERY, "--vs", "--set manifest_bytes=900"], {"ttl"}),
    "compare with the design before": (["compare", QUERY, "--preset", "capped"], set()),
    "status": (["status"], {"file"}),
    "eval": (["eval", "{cases}"], {"case", "catg"}),
}
BARE = {
    "traces": (["trace", "list", "--db", "{traces}"], {"trid", "mode"}),
    "a trace": (["trace", "show", attack("trid"), "--db", "{traces}"], {"trid", "step", "kept"}),
    "citations": (["validate", "--allow", "a", "{answer}"], {"answ"}),
    "an option": ([f"--{attack('optn')}"], set()),
    "a command": ([attack("cmnd")], set()),
    "a demo": (["demo", attack("demo"), "--into", "/nowhere"], set()),
}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    (tmp_path / "answer.md").write_text(f"{attack('answ')} [id:b]", "utf-8")
    return set_up(tmp_path)


def printed(stage: Stage, words: list[str], options: list[str]) -> bytes:
    """All that a command writes where both of its streams are a terminal."""
    skipped = next(path for path in stage.root.iterdir() if path.name.startswith("skip"))
    places = {
        "{replay}": str(stage.replay),
        "{cases}": str(stage.cases),
        "{traces}": str(stage.traces),
        "{answer}": str(stage.root.parent / "answer.md"),
        "{skipped}": str(skipped),
    }
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    command = [sys.executable, "-m", "memtui", *words, *options]
    with Terminal(command, columns=200, rows=50) as terminal:
        assert terminal.end() in (0, 1, 2)
        return terminal.output


@pytest.mark.parametrize("what", [*COMMANDS, *BARE])
def test_what_a_command_prints_is_text(stage: Stage, what: str) -> None:
    words, fields = COMMANDS.get(what) or BARE[what]
    output = printed(stage, words, stage.options if what in COMMANDS else [])
    assert obeyed(output) == []
    text = output.decode()
    assert "Traceback" not in text
    assert "internal error" not in text
    assert fields <= set(re.findall(r"(\w+)␛\]0;\1", text))
