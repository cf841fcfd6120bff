"""``MEMORY.md`` in the app: the meter in the pool, and the view with its cut line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.tui.screens.index import IndexScreen
from memtui.tui.view.health import health_of
from memtui.tui.view.index import index_head, meter
from memtui.tui.view.pieces import text_of, width_of
from tests.helpers import write_file, write_memory
from tests.tui.driving import board, drive, make_app, screen_text, settle
from tests.tui.trees import HOSTILE, app_on, shown_path


def write_index(root: Path, *lines: str) -> None:
    write_file(root, "MEMORY.md", ("\n".join(lines) + "\n").encode())


def indexed_tree(root: Path) -> None:
    """Three memories, and an index that leads to one of them and to one that is gone."""
    for name in ("a", "b", "c"):
        write_memory(root, f"{name}.md", title=f"Memory {name}", description="d")
    write_index(root, "# Index", "- [A](a.md)", "- [gone](gone.md)", "plain words")


def rows(pilot: Pilot[Any]) -> list[str]:
    """The rows of the view, as text."""
    screen = pilot.app.screen
    assert isinstance(screen, IndexScreen)
    return [f"{row.problem} {row.line or ''} {text_of(row.text)}".strip() for row in screen._rows]


def test_the_meter_stands_above_the_pool(tmp_path: Path) -> None:
    indexed_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "4/200 lines" in text
        assert "49/25,000 B" in text
        assert "✗ 1 dangling" in text

    drive(app_on(tmp_path), script, size=(80, 24))


def test_without_an_index_there_is_no_meter() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert board(pilot).pool.list.view.head is None

    drive(make_app(), script)


def test_in_a_low_pool_the_memories_have_the_meters_line(tmp_path: Path) -> None:
    indexed_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        assert "index" not in screen_text(pilot.app)
        assert "Memory a" in screen_text(pilot.app)

    drive(app_on(tmp_path), script, size=(60, 15))


@pytest.mark.parametrize(
    ("lines", "size", "binds", "last"),
    [(250, 20, "lines", 200), (250, 132, "bytes", 187), (150, 20, "none", None)],
)
def test_the_limit_that_binds_and_the_cut_line(
    tmp_path: Path, lines: int, size: int, binds: str, last: int | None
) -> None:
    write_memory(tmp_path, "a.md")
    write_index(tmp_path, *(f"{number:03} ".ljust(size, "x") for number in range(1, lines + 1)))

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        (report,) = health_of(screen.view).indexes
        assert (report.binds, report.cut_at_line) == (binds, last)
        assert text_of(meter(report)).count("! ") == (last is not None)
        await pilot.press("escape", "i")
        await settle(pilot)
        found = rows(pilot)
        assert any(f"{binds} bind: loaded up to line {last}" in row for row in found) is bool(last)
        cuts = [place for place, row in enumerate(found) if "loading stops here" in row]
        if last is None:
            assert cuts == []
        else:
            assert found[cuts[0] - 1].startswith(f"{last} {last:03}")
            assert found[cuts[0] + 1].startswith(f"{last + 1} {last + 1:03}")

    drive(app_on(tmp_path), script)


def test_the_meters_fit_every_width(tmp_path: Path) -> None:
    for scope in ("one", "two"):
        indexed_tree(tmp_path / scope)

    async def script(pilot: Pilot[Any]) -> None:
        head = index_head(board(pilot).view)
        assert head is not None
        for width in range(10, 170):
            assert width_of(head(width)) <= width
        assert text_of(head(160)).count("lines") == 2
        assert "project" in text_of(head(50)) and "user" in text_of(head(50))

    drive(app_on(tmp_path / "one", tmp_path / "two"), script)


@pytest.mark.parametrize("size", [(160, 45), (80, 24), (60, 15)], ids=lambda each: f"{each[0]}")
def test_the_view_names_what_is_wrong_and_opens_memories(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    indexed_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "i")
        await settle(pilot)
        found = rows(pilot)
        assert "2 links · 1 dangling · 2 not in the index" in found
        assert "✗ 3 - [gone](gone.md)" in found
        assert "○  b.md  Memory b" in [row.replace("   ", "  ") for row in found]
        await pilot.press("n")
        assert "gone.md leads to nothing that is there" in screen_text(pilot.app)
        await pilot.press("n", "n", "N", "enter")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)
        assert shown_path(pilot) == "b.md"
        await pilot.press("i", "escape")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)

    drive(app_on(tmp_path), script, size=size)


def test_a_line_opens_the_memory_it_leads_to_by_mouse(tmp_path: Path) -> None:
    indexed_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "i")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, IndexScreen)
        place = next(row.number for row in screen._rows if row.line == 2)
        offset = (10, place + screen.list._head_lines)
        await pilot.click(screen.list, offset=offset, times=2)
        await settle(pilot)
        assert shown_path(pilot) == "a.md"

    drive(app_on(tmp_path), script)


def test_scopes_without_an_index_say_so(tmp_path: Path) -> None:
    indexed_tree(tmp_path / "one")
    write_memory(tmp_path / "two", "u.md")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "i")
        await settle(pilot)
        assert "user  no MEMORY.md" in rows(pilot)

    drive(app_on(tmp_path / "one", tmp_path / "two"), script)


def test_an_index_that_can_not_be_read_says_why(tmp_path: Path) -> None:
    write_memory(tmp_path / "memory", "a.md")
    (tmp_path / "outside.md").write_text("x")
    (tmp_path / "memory" / "MEMORY.md").symlink_to(tmp_path / "outside.md")

    async def script(pilot: Pilot[Any]) -> None:
        assert "✗ not read" in screen_text(pilot.app)
        await pilot.press("escape", "i")
        await settle(pilot)
        assert any("outside the root" in row for row in rows(pilot))

    drive(app_on(tmp_path / "memory"), script)


def test_a_hostile_index_is_shown_as_text(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    write_index(tmp_path, f"- [{HOSTILE}](a.md)", f"- [b]({HOSTILE})", "x" * 100_000, "[[/]]")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "i")
        for _ in range(6):
            await pilot.press("j")
            text = screen_text(pilot.app)
            assert "\x1b" not in text and "‮" not in text

    drive(app_on(tmp_path), script)


def test_a_view_that_is_not_drawn_yet_follows_too(tmp_path: Path) -> None:
    indexed_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        view = board(pilot).view
        screen = IndexScreen(view)
        pilot.app.push_screen(screen)
        screen.show(view)
        await settle(pilot)
        assert "2 links · 1 dangling" in " ".join(rows(pilot))

    drive(app_on(tmp_path), script)


def test_an_open_view_follows_changes(tmp_path: Path) -> None:
    indexed_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "i")
        await settle(pilot)
        write_index(tmp_path, "- [A](a.md)", "- [B](b.md)", "- [C](c.md)")
        board(pilot).watcher.check()
        await settle(pilot)
        assert "3 links, nothing is wrong" in rows(pilot)

    app = app_on(tmp_path)

    async def prepared(pilot: Pilot[Any]) -> None:
        board(pilot).watcher.check()
        await script(pilot)

    drive(app, prepared)
