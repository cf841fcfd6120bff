"""Files that change while they are shown: the pool follows, calmly."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.memory import files
from memtui.memory.document import Pool
from memtui.memory.scan import Progress
from memtui.memory.watch import Changes
from memtui.tui.messages import DiskChanged
from memtui.tui.screens import upkeep
from memtui.tui.widgets.inspector import Face
from tests.helpers import DAY_MS, NOW_MS, write_memory
from tests.tui.driving import FixedEngine, board, drive, make_app, screen_text, settle, toasts
from tests.tui.trees import HOSTILE, app_on, highlight, pool_paths, shown_path


def small_tree(root: Path) -> None:
    for number, name in enumerate(("a", "b", "c")):
        write_memory(root, f"{name}.md", title=name * 3, mtime_ms=NOW_MS - number * DAY_MS)


async def look(pilot: Pilot[Any]) -> None:
    """Looks for changes once, as the thread does every two seconds."""
    watcher = board(pilot).watcher
    assert watcher is not None
    watcher.check()
    await settle(pilot)


def test_changes_are_read_and_said_in_the_title(tmp_path: Path) -> None:
    small_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        assert toasts(pilot.app) == []
        write_memory(tmp_path, "a.md", title="Changed", mtime_ms=NOW_MS - 1)
        write_memory(tmp_path, "new.md", title="Brand new")
        (tmp_path / "c.md").unlink()
        await look(pilot)
        text = screen_text(pilot.app)
        assert "1 changed, 1 new, 1 gone" in text.splitlines()[0]
        assert "Changed" in text and "Brand new" in text
        assert sorted(pool_paths(pilot)) == ["a.md", "b.md", "new.md"]
        assert board(pilot).focused is board(pilot).query_bar.input
        board(pilot)._tell_news("")
        await settle(pilot)
        assert "1 changed" not in screen_text(pilot.app)

    drive(app_on(tmp_path), script)


@pytest.mark.parametrize("size", [(160, 45), (80, 24), (60, 15)], ids=lambda each: f"{each[0]}")
def test_the_news_fits_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    small_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        write_memory(tmp_path, "new.md", title="Brand new")
        await look(pilot)
        assert screen_text(pilot.app).splitlines()[0].rstrip().endswith("1 new")

    drive(app_on(tmp_path), script, size=size)


def test_what_changed_before_the_first_look_is_read(tmp_path: Path) -> None:
    small_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        write_memory(tmp_path, "new.md", title="Brand new")
        await look(pilot)
        assert "new.md" in pool_paths(pilot)

    drive(app_on(tmp_path), script)


def test_the_highlighted_memory_stays_highlighted(tmp_path: Path) -> None:
    small_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        await highlight(pilot, "b.md")
        board(pilot).inspector.turn(Face.MEMORY)
        write_memory(tmp_path, "b.md", title="bbb", body="what is new here", mtime_ms=NOW_MS)
        await look(pilot)
        assert shown_path(pilot) == "b.md"
        assert "what is new here" in str(board(pilot).inspector.text)

    drive(app_on(tmp_path), script)


def test_untouched_the_first_row_stays_highlighted_too(tmp_path: Path) -> None:
    small_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        assert shown_path(pilot) == "a.md"
        write_memory(tmp_path, "z.md", title="Newest", mtime_ms=NOW_MS + DAY_MS)
        await look(pilot)
        assert pool_paths(pilot)[0] == "z.md"
        assert shown_path(pilot) == "a.md"
        board(pilot).query_bar.input.value = "newest"
        await settle(pilot)
        assert shown_path(pilot) == "z.md"

    drive(app_on(tmp_path), script)


def test_a_highlighted_memory_that_vanishes_says_so(tmp_path: Path) -> None:
    small_tree(tmp_path)
    name = "b [] \x1b[2J.md"
    (tmp_path / "b.md").rename(tmp_path / name)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        await highlight(pilot, name)
        (tmp_path / name).unlink()
        await look(pilot)
        assert toasts(pilot.app) == ["the highlighted memory is gone: b [] ␛[2J.md"]
        assert shown_path(pilot) == "c.md"
        (tmp_path / "c.md").unlink()
        (tmp_path / "a.md").unlink()
        await look(pilot)
        assert "the store is empty" in screen_text(pilot.app)
        assert board(pilot).highlighted is None

    drive(app_on(tmp_path), script)


def test_a_scan_that_fails_keeps_what_was_read(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    small_tree(root)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        root.rename(tmp_path / "away")
        await look(pilot)
        text = screen_text(pilot.app)
        assert "does not exist; shown is what was read before" in toasts(pilot.app)[-1]
        assert "not read again" in text.splitlines()[0]
        assert len(pool_paths(pilot)) == 3
        board(pilot).query_bar.input.value = "bbb"
        await settle(pilot)
        assert len(board(pilot).view.recall.hits) == 1
        (tmp_path / "away").rename(root)
        write_memory(root, "d.md", title="ddd")
        await look(pilot)
        assert "not read again" not in screen_text(pilot.app)
        assert len(pool_paths(pilot)) == 4

    drive(app_on(root), script)


def test_a_store_that_could_not_be_read_at_first_is_read_once_it_is_there(tmp_path: Path) -> None:
    root = tmp_path / "memory"

    async def script(pilot: Pilot[Any]) -> None:
        assert "This store can not be read" in screen_text(pilot.app)
        await look(pilot)
        small_tree(root)
        await look(pilot)
        assert len(pool_paths(pilot)) == 3

    drive(app_on(root), script)


def test_a_scan_that_the_user_asked_for_still_fails_loudly(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    small_tree(root)

    async def script(pilot: Pilot[Any]) -> None:
        root.rename(tmp_path / "away")
        await pilot.press("escape", "r")
        await settle(pilot)
        assert "This store can not be read" in screen_text(pilot.app)

    drive(app_on(root), script)


def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_tree(tmp_path)
    read: list[str] = []
    plain = files.read

    def counted(dialect: Any, content: bytes, path: str) -> Any:
        read.append(path)
        return plain(dialect, content, path)

    monkeypatch.setattr(files, "read", counted)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        read.clear()
        write_memory(tmp_path, "a.md", title="Changed", mtime_ms=NOW_MS - 1)
        await look(pilot)
        assert read == ["a.md"]

    drive(app_on(tmp_path), script)


def test_the_thread_watches_until_the_app_ends(tmp_path: Path) -> None:
    small_tree(tmp_path)
    app = app_on(tmp_path, watch_every_s=0.02)

    async def main() -> None:
        async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            await settle(pilot)
            write_memory(tmp_path, "new.md", title="Brand new")
            for _ in range(300):
                await pilot.pause(0.02)
                if "Brand new" in screen_text(app):
                    break
            assert "Brand new" in screen_text(app)
            await pilot.press("ctrl+q")

    asyncio.run(main())
    assert not [each for each in threading.enumerate() if each.name == "memtui-watch"]


def test_other_stores_are_watched_by_another_thread(tmp_path: Path) -> None:
    small_tree(tmp_path)
    app = app_on(tmp_path, watch_every_s=60.0)

    async def main() -> None:
        async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            await settle(pilot)
            first = board(pilot).watcher
            app._switch(board(pilot).setup)
            await settle(pilot)
            assert board(pilot).watcher is not first
            assert first is not None and first._thread is None

    asyncio.run(main())


def test_nothing_is_looked_for_on_the_thread_of_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_tree(tmp_path)
    threads: set[str] = set()
    plain = upkeep.Watcher.check

    def check(self: Any) -> Any:
        threads.add(threading.current_thread().name)
        return plain(self)

    monkeypatch.setattr(upkeep.Watcher, "check", check)
    app = app_on(tmp_path, watch_every_s=0.01)

    async def script(pilot: Pilot[Any]) -> None:
        while not threads:
            await pilot.pause(0.01)
        assert threads == {"memtui-watch"}

    drive(app, script)


def test_typing_goes_on_while_a_change_is_read(tmp_path: Path) -> None:
    gate = threading.Event()

    class SlowAgain(FixedEngine):
        def scan(self, progress: Progress | None = None) -> Pool:
            self.scans += 1
            if self.scans > 1:
                gate.wait(20)
            return self.pool

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        screen.post_message(DiskChanged(Changes(new=("/x/a.md",))))
        await pilot.pause()
        await pilot.press(*"q")
        assert screen.query_bar.input.value.endswith("q")
        assert not screen.scanning
        assert "1 new" in screen_text(pilot.app).splitlines()[0]
        gate.set()
        await settle(pilot)
        assert screen.view.recall.query.text.endswith("q")

    drive(make_app(engine=SlowAgain), script)


def test_a_hostile_name_is_shown_as_text(tmp_path: Path) -> None:
    small_tree(tmp_path)

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        write_memory(tmp_path, f"{HOSTILE.replace('/', ' ')}.md", title=HOSTILE)
        await look(pilot)
        assert "\x1b" not in screen_text(pilot.app)
        assert "1 new" in screen_text(pilot.app)

    drive(app_on(tmp_path), script)
