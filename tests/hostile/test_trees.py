"""Trees that nobody means to write: deep, in motion, with names that look like options."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.memory import files
from memtui.memory.document import Scope
from memtui.memory.scan import Source, scan_all
from tests.cli.running import spawn
from tests.helpers import write_memory

LEVELS = 10_000


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A root with one memory, and folders in folders far beyond the longest path."""
    root = tmp_path / "deep"
    write_memory(root, "shallow.md", title="Shallow one")
    handle = os.open(root, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    yield root
    while (root / "d" / "d").is_dir():  # from the top: no path to the bottom can be written
        (root / "d" / "d").rename(root / "next")
        (root / "d").rmdir()
        (root / "next").rename(root / "d")
    (root / "d").rmdir()


def test_ten_thousand_levels_end_in_a_warning_and_a_pool_that_is_not_complete(deep: Path) -> None:
    pool = scan_all(Source(Scope.USER, str(deep), "claude"))
    assert [document.title for document in pool.documents] == ["Shallow one"]
    assert not pool.complete
    (warning,) = pool.warnings
    assert "\n" not in warning


@pytest.mark.parametrize("command", [["recall", "shallow"], ["scan"], ["status"]])
def test_the_commands_say_so_in_one_line(deep: Path, command: list[str]) -> None:
    result = spawn(*command, "--user", deep)
    assert result.code == 0
    assert "Traceback" not in result.err
    assert len(result.err.splitlines()) == 1


def test_a_file_that_is_rewritten_while_it_is_read_is_one_of_its_two_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moving.md"
    write_memory(tmp_path, "moving.md", title="Before", description="as it was")
    opened = os.open

    def rewriting(name: object, *rest: object, **named: object) -> int:
        handle = opened(name, *rest, **named)  # type: ignore[arg-type]
        if str(name).endswith("moving.md"):
            fresh = tmp_path / "fresh"
            write_memory(tmp_path, "fresh", title="After", description="as it is")
            os.replace(fresh, path)
        return handle

    monkeypatch.setattr(files.os, "open", rewriting)
    (document,) = scan_all(Source(Scope.PROJECT, str(tmp_path), "qwen")).documents
    monkeypatch.undo()
    assert (document.title, document.description) in (
        ("Before", "as it was"),
        ("After", "as it is"),
    )
    (later,) = scan_all(Source(Scope.PROJECT, str(tmp_path), "qwen")).documents
    assert later.title == "After"


@pytest.mark.parametrize("name", ["-rf.md", "--json.md", "-.md", "--.md"])
def test_a_name_like_an_option_is_a_name(tmp_path: Path, name: str) -> None:
    write_memory(tmp_path, name, title="Dashed one", description="about dashes")
    result = spawn("recall", "dashes", "--project", tmp_path, "--json")
    assert [each["relative_path"] for each in result.json["documents"].values()] == [name]
    asked = spawn("why", "--project", tmp_path, "--", "dashes", name)
    assert asked.code == 0
    assert "recalled" in asked.out
