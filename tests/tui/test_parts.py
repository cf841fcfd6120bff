"""Parts of the app that need no screen: jobs, the filter, exports, crashes, themes, starting."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from textual.color import Color
from textual.worker import WorkerFailed

from memtui.recall.options import RecallOptions
from memtui.tui.crash import crash_line
from memtui.tui.editor import editor_command
from memtui.tui.exporting import ExportError, write_export
from memtui.tui.jobs import JobQueue
from memtui.tui.run import why_not
from memtui.tui.themes import THEMES
from memtui.tui.view.catalogue import catalogue_of
from memtui.tui.view.filtering import matching
from memtui.tui.view.limits import MEANINGS, needs_rescan, settings
from memtui.tui.view.view import PoolOrder
from memtui.tui.widgets.safe_input import without_controls
from tests.tui.driving import small_pool

OPTIONS = RecallOptions()


def test_only_the_newest_waiting_job_is_done() -> None:
    queue = JobQueue()
    assert queue.put("a", OPTIONS, PoolOrder.FATE)
    assert not queue.put("ab", OPTIONS, PoolOrder.FATE)
    job = queue.take()
    assert job is not None
    assert job.query == "ab"
    assert queue.is_newest(job.generation)
    assert queue.take() is None
    assert queue.put("abc", OPTIONS, PoolOrder.FATE)
    assert not queue.is_newest(job.generation)


def test_a_rescan_is_not_forgotten_when_its_job_is_replaced() -> None:
    queue = JobQueue()
    queue.put("a", OPTIONS, PoolOrder.FATE, rescan=True)
    queue.put("ab", OPTIONS, PoolOrder.FATE)
    job = queue.take()
    assert job is not None
    assert job.rescan


def names(pattern: str) -> set[str]:
    pool = small_pool()
    entries = catalogue_of(pool).entries
    return {entries[key].relative_path for key in matching(pool, pattern)}


def test_the_filter_forgives_a_slip_and_needs_every_word() -> None:
    assert "rollback.md" in names("rolback")
    assert names("release friday") == {"friday.md"}
    assert names("broken") == {"broken.md"}
    assert names("too-large") == {"old.md"}
    assert names("支付") == {"cjk.md"}
    assert names("qqqq") == set()
    assert len(names("")) == 32


@pytest.mark.parametrize(
    "where", ["out.json", "sub/out.json", "../store/out.json", "link/out.json"]
)
def test_nothing_is_written_in_a_memory_store(tmp_path: Path, where: str) -> None:
    root = tmp_path / "store"
    (root / "sub").mkdir(parents=True)
    (root / "link").symlink_to(root / "sub")
    with pytest.raises(ExportError, match="never writes in a memory store"):
        write_export(str(root / where), "text", [str(root)])
    assert not list(root.rglob("*.json"))


def test_a_link_into_a_store_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "store"
    root.mkdir()
    (root / "a.md").write_text("kept")
    (tmp_path / "link.json").symlink_to(root / "a.md")
    with pytest.raises(ExportError, match="never writes"):
        write_export(str(tmp_path / "link.json"), "text", [str(root)], overwrite=True)
    assert (root / "a.md").read_text() == "kept"


def test_an_export_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="can not be written"):
        write_export(str(tmp_path / "no" / "such" / "out.json"), "text", [])
    with pytest.raises(ExportError, match="is a folder"):
        write_export(str(tmp_path), "text", [])
    with pytest.raises(ExportError, match="type the path"):
        write_export("  ", "text", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("typed", ["~nobody-of-this-name/x.json", "x" * 300, "d/" * 3_000])
def test_an_export_to_an_impossible_path_says_so(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExportError, match="can not be written"):
        write_export(typed, "text", [])
    assert list(tmp_path.iterdir()) == []


def test_an_export_is_written_whole(tmp_path: Path) -> None:
    path = write_export(str(tmp_path / "out.txt"), "größe \ud800\n", [])
    assert path.read_bytes() == "größe ?\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["out.txt"]


def test_a_crash_names_the_place_and_quotes_nothing() -> None:
    def crash() -> None:
        secret = "the memory says hunter2"
        raise ValueError(secret)

    try:
        crash()
    except ValueError as error:
        line = crash_line(error)
    assert "ValueError" in line
    assert "test_parts.py:" in line
    assert "hunter2" not in line


def test_a_crash_in_a_worker_names_the_error_itself() -> None:
    failed = WorkerFailed(KeyError("hunter2"))
    assert "KeyError" in crash_line(failed)
    assert "hunter2" not in crash_line(failed)


def test_the_editor_is_visual_then_editor() -> None:
    assert editor_command("/a b", {"EDITOR": "vi"}) == ["vi", "/a b"]
    assert editor_command("/a", {"EDITOR": "vi", "VISUAL": "code -w"}) == ["code", "-w", "/a"]
    assert editor_command("/a", {"EDITOR": "it's"}) == ["it's", "/a"]
    assert editor_command("/a", {"EDITOR": " "}) is None
    assert editor_command("/a", {}) is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_the_app_does_not_start() -> None:
    assert why_not(Terminal(), Terminal(), {}) == ""
    assert "stdin" in why_not(io.StringIO(), Terminal(), {})
    assert "stderr" in why_not(Terminal(), io.StringIO(), {})
    assert "stdin" in why_not(None, Terminal(), {})
    assert "dumb" in why_not(Terminal(), Terminal(), {"TERM": "dumb"})


def test_an_input_holds_no_control_character() -> None:
    assert without_controls("a\x1b[2J\x9b\r\n\u202eb\ud800") == "a [2J b "
    assert without_controls("नमस्ते 👨‍👩‍👧") == "नमस्ते 👨‍👩‍👧"


def test_every_setting_has_a_meaning() -> None:
    rows = settings(OPTIONS)
    assert {row.name for row in rows} == set(MEANINGS)
    assert not any(row.changed for row in rows)


def test_only_limits_of_the_scan_need_a_rescan() -> None:
    from dataclasses import replace

    def changed(**values: int) -> RecallOptions:
        return replace(OPTIONS, limits=OPTIONS.limits.with_values(values))

    assert needs_rescan(OPTIONS, changed(file_bytes=5))
    assert needs_rescan(OPTIONS, changed(capped_scan_docs=5))
    assert not needs_rescan(OPTIONS, changed(manifest_bytes=5))


TEXT_COLOURS = ("foreground", "primary", "accent", "success", "warning", "error", "text-muted")
BACKGROUNDS = ("background", "surface", "panel", "cursor", "cursor-blurred")


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(color: Color) -> float:
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in color.normalized
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    lights = sorted((luminance(one), luminance(other)), reverse=True)
    return (lights[0] + 0.05) / (lights[1] + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("text", TEXT_COLOURS)
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_every_text_colour_has_enough_contrast(theme: Any, text: str, background: str) -> None:
    colours = {**theme.to_color_system().generate(), **theme.variables}
    ratio = contrast(Color.parse(colours[text]), Color.parse(colours[background]))
    assert ratio >= 4.5, f"{text} on {background}: {ratio:.2f}"


def test_importing_the_package_loads_no_textual() -> None:
    import subprocess
    import sys

    code = "import sys, memtui.tui, memtui.tui.run; print('textual' in sys.modules)"
    environ = {**os.environ}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout.strip() == "False"
