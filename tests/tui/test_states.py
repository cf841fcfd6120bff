"""Every state that the app can be in, each with something to say and something to do."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.engine import Engine
from memtui.memory.document import Pool, RootNotFound, Scope, ScopeFailed, ScopeReport
from memtui.memory.scan import Progress, Source
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from tests.helpers import write_memory
from tests.tui.driving import (
    NOW_MS,
    FixedEngine,
    board,
    drive,
    make_app,
    opened,
    pool_of,
    screen_text,
    settle,
    small_pool,
    toasts,
    type_query,
)


def test_no_store_says_where_it_looked_and_opens_the_demo() -> None:
    app = MemtuiApp(Setup(looked_at=("/home/mira/src/shop/.qwen", "/home/mira/.claude/projects")))

    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "No memory store was found" in text
        assert "/home/mira/src/shop/.qwen" in text
        assert "d demo" in text.splitlines()[-1]
        await pilot.press("d")
        await settle(pilot)
        await settle(pilot)
        assert board(pilot).view is not None
        assert "demo small" in screen_text(pilot.app)
        folders.append(Path(board(pilot).setup.sources[0].root))
        assert folders[0].is_dir()

    folders: list[Path] = []
    drive(app, script, size=(80, 24))
    assert not folders[0].exists()


def test_no_store_offers_only_what_works() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("slash", "f", "t", "l", "x", "e", "y", "1", "z", "r", "tab", "S", "enter")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)
        await pilot.press("ctrl+p")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "Open the demo" in text
        assert "Limits" not in text

    drive(MemtuiApp(Setup()), script)


def test_an_empty_store_is_not_a_missing_one() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "the store is empty" in text
        assert "No memory store" not in text
        await pilot.press("escape", "j", "G", "enter", "e", "y", "4", "enter")
        await settle(pilot)

    drive(make_app(pool_of()), script)


def test_an_empty_query_says_that_the_reserve_fills_the_manifest() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert "the reserve alone fills the manifest" in screen_text(pilot.app)
        assert board(pilot).view.recall.manifest.lines == 30

    drive(make_app(query=""), script)


def test_no_hit_names_what_was_looked_for() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "no lexical hit: looks for zebra" in text

    drive(make_app(query="zebra"), script)


def test_a_failed_scope_is_visible() -> None:
    pool = small_pool()
    failed = ScopeReport(Scope.TEAM, "/team", "claude", "failed", error="Permission denied")

    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "! the team scope could not be read (Permission denied)" in text
        assert "! incomplete" in text
        assert "team failed" in text

    drive(make_app(replace(pool, scopes=(*pool.scopes, failed))), script, size=(160, 46))


class BrokenEngine(FixedEngine):
    """Fails for the first scans."""

    failures = 1

    def scan(self, progress: Progress | None = None) -> Pool:
        self.scans += 1
        if self.scans <= self.failures:
            raise ScopeFailed("the project root /[/]\x1b[2J can not be listed: Permission denied")
        return self.pool


def test_a_failed_project_shows_no_recall_and_r_tries_again() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "This store can not be read" in text
        assert "/[/]␛[2J can not be listed: Permission denied" in text
        assert board(pilot).view is None
        await pilot.press("escape", "r")
        await settle(pilot)
        assert board(pilot).view is not None
        assert "This store can not be read" not in screen_text(pilot.app)

    drive(make_app(engine=BrokenEngine), script, size=(80, 24))


def test_a_store_that_fails_later_leaves_no_old_recall_on_the_screen() -> None:
    class Later(BrokenEngine):
        def scan(self, progress: Progress | None = None) -> Pool:
            self.scans += 1
            if self.scans == 2:
                raise RootNotFound("the project root /gone does not exist")
            return self.pool

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "r")
        await settle(pilot)
        assert "/gone does not exist" in screen_text(pilot.app)
        assert "Release rollback" not in screen_text(pilot.app)
        await pilot.press("r")
        await settle(pilot)
        assert "Release rollback" in screen_text(pilot.app)

    drive(make_app(engine=Later), script)


class SlowScan(FixedEngine):
    """Reads files until it is stopped."""

    endless = True

    def scan(self, progress: Progress | None = None) -> Pool:
        self.scans += 1
        files = 0
        while self.scans == 1 and files < 1_000_000:
            files += 100
            assert progress is not None
            progress(files)
            time.sleep(0.002)
        return self.pool


def test_a_scan_shows_progress_and_esc_stops_it() -> None:
    app = make_app(engine=SlowScan)

    async def main() -> None:
        async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            for _ in range(100):
                await pilot.pause(0.02)
                if "files read so far" in screen_text(app):
                    break
            assert "files read so far" in screen_text(app)
            assert "esc stops" in screen_text(app)
            await pilot.press("escape")
            await settle(pilot)
            assert "The scan was stopped" in screen_text(app)
            await pilot.press("r")
            await settle(pilot)
            assert board(pilot).view is not None

    asyncio.run(main())


def test_quitting_ends_a_scan() -> None:
    app = make_app(engine=SlowScan)

    async def main() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause(0.1)
            await pilot.press("ctrl+q")

    started = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - started < 10


class GatedEngine(FixedEngine):
    """Answers slowly, and only when it is told to."""

    def __init__(self, setup: Setup, pool: Pool) -> None:
        super().__init__(setup, pool)
        self.gate = threading.Event()

    def recall(self, query: str, pool: Pool | None = None) -> Recall:
        answer = super().recall(query, pool)
        if len(self.queries) > 1:
            self.gate.wait(10)
        return answer


def test_an_older_result_never_overwrites_a_newer_one() -> None:
    app = make_app(engine=GatedEngine, query="")
    shown: list[str] = []

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        engine: Any = screen.recalls._recaller.engine
        screen.watch(screen, "view", lambda view: shown.append(view.recall.query.text), init=False)
        for query in ("a", "ab", "abc"):
            screen.query_bar.input.value = query
            await pilot.pause(0.05)
        engine.gate.set()
        await settle(pilot)
        assert screen.view.recall.query.text == "abc"
        assert shown == ["abc"]
        assert engine.queries == ["", "a", "abc"]

    drive(app, script)


def real_setup(root: Path) -> Setup:
    source = Source(Scope.PROJECT, str(root), "qwen")
    return Setup((source,), RecallOptions(now_ms=NOW_MS), name="real")


def test_a_file_that_vanished_is_shown_as_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    path = write_memory(tmp_path, "a.md", title="Alpha", body="the body of alpha")
    commands: list[list[str]] = []

    async def script(pilot: Pilot[Any]) -> None:
        path.unlink()
        await pilot.press("escape", "enter", "G")
        await settle(pilot)
        assert "the body of alpha" in screen_text(pilot.app)
        await pilot.press("e")
        await settle(pilot)
        assert commands == []
        assert any("the file is gone" in said for said in toasts(pilot.app))
        await pilot.press("r")
        await settle(pilot)
        assert "the store is empty" in screen_text(pilot.app)

    def editor(command: list[str]) -> int:
        commands.append(command)
        return 0

    drive(MemtuiApp(real_setup(tmp_path), run_editor=editor), script)


def test_the_editor_opens_the_file_and_what_was_changed_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "code --wait")
    monkeypatch.setenv("VISUAL", "")
    path = write_memory(tmp_path, "odd [/] name.md", title="Alpha")

    def editor(command: list[str]) -> int:
        assert command == ["code", "--wait", str(path)]
        write_memory(tmp_path, "odd [/] name.md", title="Changed", mtime_ms=NOW_MS - 1)
        return 0

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "e")
        await settle(pilot)
        assert "Changed" in screen_text(pilot.app)

    drive(MemtuiApp(real_setup(tmp_path), run_editor=editor), script)


def test_editors_that_can_not_run_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_memory(tmp_path, "a.md")

    def missing(command: list[str]) -> int:
        raise FileNotFoundError(2, "No such file or directory")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "e")
        assert toasts(pilot.app)[-1] == "set $VISUAL or $EDITOR to open files"
        os.environ["EDITOR"] = "no-such-editor"
        await pilot.press("e")
        await settle(pilot)
        assert "no-such-editor can not be run" in toasts(pilot.app)[-1]

    monkeypatch.setenv("EDITOR", "")
    drive(MemtuiApp(real_setup(tmp_path), run_editor=missing), script)


def test_a_terminal_that_can_not_be_lent_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    write_memory(tmp_path, "a.md")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "e")
        await settle(pilot)
        assert toasts(pilot.app)[-1] == "this terminal can not be lent to an editor"

    drive(MemtuiApp(real_setup(tmp_path)), script)


def test_an_app_makes_its_own_engine(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="Alpha")

    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "alpha")
        assert isinstance(board(pilot).recalls._recaller.engine, Engine)
        assert board(pilot).view.recall.options.source == "tui"
        assert len(board(pilot).view.recall.hits) == 1

    drive(MemtuiApp(real_setup(tmp_path)), script)


def test_the_query_keeps_the_focus_while_the_first_scan_tells_its_progress() -> None:
    gate = threading.Event()

    class SlowEngine(FixedEngine):
        def scan(self, progress: Progress | None = None) -> Pool:
            assert progress is not None
            progress(100)
            gate.wait(20)
            return super().scan(progress)

    async def run() -> None:
        app = make_app(query="", engine=SlowEngine)
        async with app.run_test(size=(120, 40)) as pilot:
            screen = await opened(pilot)
            while "100 files read so far" not in screen_text(app):
                await pilot.pause(0.01)
            await pilot.press(*"el")
            gate.set()
            await settle(pilot)
            await pilot.press(*"se")
            assert screen.query_bar.input.value == "else"
            assert app.screen is screen

    asyncio.run(run())
