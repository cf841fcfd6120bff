"""The stores of the machine: listed, counted as they are found, and chosen."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.memory.document import Scope
from memtui.memory.slugs import claude_slug, qwen_slug
from memtui.memory.stores import Discovery, Store, Summary
from memtui.recall.options import RecallOptions
from memtui.samples import SCENARIOS
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from memtui.tui.screens import stores as chooser
from memtui.tui.screens.stores import StoresScreen
from memtui.tui.view.pieces import text_of
from memtui.tui.view.stores import (
    StoreRow,
    about_row,
    read_with,
    setup_for,
    store_name,
    store_rows,
    stores_pane,
)
from tests.helpers import DAY_MS, NOW_MS, write_file, write_memory
from tests.tui.driving import board, drive, make_app, screen_text, settle
from tests.tui.trees import HOSTILE, app_on


def store(agent: Any, scope: Scope, root: str, **fields: Any) -> Store:
    values: dict[str, Any] = {
        "project": None,
        "here": False,
        "dialect": "claude" if agent == "folder" else agent,
        "kind": "user-memory" if scope is Scope.USER else "auto-memory",
    }
    return Store(agent, scope, root, **{**values, **fields})


QWEN_SHOP = store("qwen", Scope.PROJECT, "/h/.qwen/projects/-shop/memory", project="/src/shop")
QWEN_USER = store("qwen", Scope.USER, "/h/.qwen/memories")
QWEN_TEAM = store(
    "qwen", Scope.TEAM, "/src/shop/.qwen/team-memory", project="/src/shop", kind="team-memory"
)
OTHER_TEAM = replace(QWEN_TEAM, root="/src/other/.qwen/team-memory", project="/src/other")
CLAUDE_LOST = store("claude", Scope.PROJECT, "/h/.claude/projects/-src-lost/memory")
REVIEWER = store("claude", Scope.USER, "/h/.claude/agent-memory/reviewer", kind="agent-memory")
STORES = (QWEN_SHOP, OTHER_TEAM, QWEN_TEAM, QWEN_USER, CLAUDE_LOST, REVIEWER)


def test_a_project_is_read_with_the_user_and_team_of_its_agent() -> None:
    assert read_with(QWEN_SHOP, STORES) == (QWEN_SHOP, QWEN_USER, QWEN_TEAM)


def test_other_stores_are_read_alone() -> None:
    for each in (QWEN_USER, QWEN_TEAM, CLAUDE_LOST, REVIEWER):
        assert read_with(each, STORES) == (each,)


def test_a_project_that_is_not_proven_takes_no_teams_memories() -> None:
    lost = replace(QWEN_SHOP, project=None)
    unproven = replace(QWEN_TEAM, project=None)
    assert read_with(lost, (*STORES, unproven)) == (lost, QWEN_USER)


def test_a_slug_that_is_not_proven_is_shown_raw() -> None:
    assert store_name(CLAUDE_LOST) == "-src-lost"
    said = about_row(StoreRow("store 0", store=CLAUDE_LOST), STORES, {})
    assert "the project can not be proven" in text_of(said[-1])
    assert "/src/lost" not in str(said)


def test_what_will_be_read_is_said_with_counts() -> None:
    counts = {QWEN_SHOP.root: Summary(3), QWEN_USER.root: Summary(error="Permission denied")}
    said = about_row(StoreRow("store 0", store=QWEN_SHOP), STORES, counts)
    assert text_of(said[-1]) == (
        "enter reads project (3 documents) + user (not readable) + team (not counted yet)"
    )


def test_keys_of_rows_are_never_made_of_paths() -> None:
    rows = store_rows([replace(QWEN_SHOP, root=HOSTILE)] * 2)
    assert len({row.key for row in rows}) == len(rows)
    assert not any(HOSTILE in row.key for row in rows)
    pane = stores_pane(rows, {HOSTILE: Summary(error=HOSTILE)}, frozenset(), NOW_MS, looking=False)
    assert len(pane.rows.cells(0)) == len(pane.rows.columns)


def test_what_is_asked_and_how_is_taken_along() -> None:
    before = Setup(options=RecallOptions(now_ms=7.0, recent_tools=("grep",)), query="deploy")
    after = setup_for((QWEN_SHOP, QWEN_USER), before)
    assert [each.root for each in after.sources] == [QWEN_SHOP.root, QWEN_USER.root]
    assert not any(each.typed for each in after.sources)
    assert (after.name, after.agent, after.query) == ("shop", "qwen", "deploy")
    assert after.options == before.options


def test_the_clock_and_the_query_of_a_demo_stay_in_it() -> None:
    demo = Setup(
        options=RecallOptions(now_ms=7.0),
        query="its own",
        name="demo small",
        pool_name="demo:small",
    )
    after = setup_for((QWEN_SHOP,), demo, "its own")
    assert (after.options.now_ms, after.query, after.pool_name) == (None, "", "")
    assert setup_for((QWEN_SHOP,), replace(demo, query="typed"), "its own").query == "typed"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with stores of two agents, one of a project that is gone, and a configured folder."""
    home, project = tmp_path / "home", tmp_path / "src" / "shop"
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PWD", str(project))
    monkeypatch.chdir(project)
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text(f'roots = ["{tmp_path / "notes"}"]\n')
    claude = home / ".claude" / "projects" / claude_slug(str(project)) / "memory"
    qwen = home / ".qwen" / "projects" / qwen_slug(str(project)) / "memory"
    write_memory(claude, "c.md", title="Of claude", mtime_ms=NOW_MS - 3 * DAY_MS)
    write_file(claude, "open.md", b"---\nname: never closed\n")
    write_memory(qwen, "q.md", title="Of qwen")
    write_memory(home / ".qwen" / "memories", "u.md", title="Of the user")
    write_memory(home / ".claude" / "projects" / "-gone-away" / "memory", "g.md", title="Of gone")
    write_memory(tmp_path / "notes", "n.md", title="A note")
    return tmp_path


async def open_chooser(pilot: Pilot[Any]) -> StoresScreen:
    await pilot.press("escape", "o")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, StoresScreen)
    return screen


async def choose(pilot: Pilot[Any], wanted: Any) -> None:
    """Chooses the first row that ``wanted`` is true of."""
    screen = pilot.app.screen
    assert isinstance(screen, StoresScreen)
    screen.list.go(next(place for place, row in enumerate(screen._rows) if wanted(row)))
    await settle(pilot)
    await pilot.press("enter")
    await settle(pilot)
    await settle(pilot)


@pytest.mark.parametrize("size", [(160, 45), (80, 24), (60, 15)], ids=lambda each: f"{each[0]}")
def test_o_lists_every_store_with_counts(machine: Path, size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_chooser(pilot)
        found = [row.store for row in screen._rows if row.store is not None]
        assert [(each.agent, each.here) for each in found] == [
            ("claude", True),
            ("qwen", True),
            ("qwen", True),
            ("claude", False),
            ("folder", False),
        ]
        assert set(screen._counts) == {each.root for each in found}
        assert screen._counts[found[0].root] == Summary(1, 1, NOW_MS - 3 * DAY_MS)
        assert [row.demo for row in screen._rows if row.demo] == list(SCENARIOS)
        text = screen_text(pilot.app)
        assert "-gone-away" in text
        assert "/gone/away" not in text
        assert "shop" in text

    drive(make_app(), script, size=size)


def test_choosing_a_store_shows_it(machine: Path) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        before = board(pilot)
        before.query_bar.input.value = "of"
        await open_chooser(pilot)
        await choose(pilot, lambda row: row.store is not None and row.store.agent == "qwen")
        screen = board(pilot)
        assert screen is not before
        titles = {each.title for each in screen.view.scanned.documents}
        assert titles == {"Of qwen", "Of the user"}
        assert screen.setup.name == "shop"
        assert screen.query_bar.input.value == "of"
        shown = await open_chooser(pilot)
        glyphs = [text_of(shown.list.rows.cells(place)[0]) for place in range(4)]
        assert glyphs == ["▸", "●", "●", ""]

    drive(make_app(), script)


def test_a_demo_is_chosen_and_left_again(machine: Path) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await open_chooser(pilot)
        await choose(pilot, lambda row: row.demo == "multibyte")
        assert board(pilot).setup.name == "demo multibyte"
        await open_chooser(pilot)
        await choose(
            pilot, lambda row: row.store is not None and store_name(row.store) == "-gone-away"
        )
        screen = board(pilot)
        assert [each.title for each in screen.view.scanned.documents] == ["Of gone"]
        assert screen.options.now_ms is None
        assert screen.query_bar.input.value == ""

    drive(make_app(), script)


def test_what_the_app_was_started_with_can_be_chosen_again(machine: Path) -> None:
    root = machine / "elsewhere"
    write_memory(root, "e.md", title="Elsewhere")

    async def script(pilot: Pilot[Any]) -> None:
        await open_chooser(pilot)
        await choose(pilot, lambda row: row.store is not None and row.store.agent == "qwen")
        screen = await open_chooser(pilot)
        place = next(place for place, row in enumerate(screen._rows) if row.setup is not None)
        assert text_of(screen.list.rows.cells(place)[0]) == ""
        await choose(pilot, lambda row: row.setup is not None)
        assert [each.title for each in board(pilot).view.scanned.documents] == ["Elsewhere"]

    drive(app_on(root), script)


def test_the_mouse_chooses_too(machine: Path) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_chooser(pilot)
        offset = (8, 1 + screen.list._head_lines)
        await pilot.click(screen.list, offset=offset, times=2)
        await settle(pilot)
        await settle(pilot)
        assert board(pilot).setup.agent == "qwen"

    drive(make_app(), script)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_store_that_can_not_be_listed_says_why(machine: Path) -> None:
    root = machine / "home" / ".claude" / "projects" / "-gone-away" / "memory"
    root.chmod(0)

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_chooser(pilot)
        assert "Permission denied" in (screen._counts[str(root)].error or "")

    try:
        drive(make_app(), script)
    finally:
        root.chmod(0o700)


def test_a_failing_store_says_why_and_so_does_the_board(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chooser, "summarise", lambda each: Summary(error=f"{HOSTILE} is broken"))

    async def script(pilot: Pilot[Any]) -> None:
        await open_chooser(pilot)
        text = screen_text(pilot.app)
        assert "is broken" in text
        assert "(not readable)" in text
        assert "\x1b" not in text

    drive(make_app(), script)


def test_stores_are_listed_before_they_are_counted(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slow(each: Store) -> Summary:
        gate.wait(20)
        return Summary(5)

    monkeypatch.setattr(chooser, "summarise", slow)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "o")
        screen = pilot.app.screen
        assert isinstance(screen, StoresScreen)
        while len(screen._rows) == len(SCENARIOS):
            await pilot.pause(0.01)
        await pilot.press("j")
        assert "(not counted yet)" in screen_text(pilot.app)
        key = screen.list.key
        gate.set()
        await settle(pilot)
        assert screen.list.key == key
        assert "(5 documents)" in screen_text(pilot.app)
        await pilot.press("escape")
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


def test_a_configuration_that_is_broken_is_said(machine: Path) -> None:
    (machine / "config.toml").write_text("roots = 3\n")

    async def script(pilot: Pilot[Any]) -> None:
        screen = await open_chooser(pilot)
        assert "roots must be a list of texts" in screen._problem
        assert "! " + str(machine)[:20] in screen_text(pilot.app)

    drive(make_app(), script)


def test_a_machine_without_stores_says_where_it_was_looked() -> None:
    found = Discovery((), ("/h/.claude/projects", "/h/.qwen/memories"))

    async def script(pilot: Pilot[Any]) -> None:
        pilot.app.push_screen(StoresScreen(frozenset(), lambda: (found, "")))
        await settle(pilot)
        assert "no store was found; looked at /h/.claude/projects" in screen_text(pilot.app)
        assert "demo" in screen_text(pilot.app)

    drive(make_app(), script)


def test_folders_that_could_not_be_listed_are_said() -> None:
    found = Discovery((QWEN_SHOP,), (), ("/h/.claude/projects",))
    screen = StoresScreen(frozenset(), lambda: (found, "1 folder could not be listed"))

    async def script(pilot: Pilot[Any]) -> None:
        pilot.app.push_screen(screen)
        await settle(pilot)
        assert "1 folder could not be listed" in screen_text(pilot.app)

    drive(make_app(), script)


def test_without_a_store_here_others_and_the_demo_are_one_key_away(machine: Path) -> None:
    app = MemtuiApp(Setup(looked_at=("/home/mira/.claude/projects",)))

    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app)
        assert "/home/mira/.claude/projects" in text
        assert "opens a demo" in text and "lists every store" in text
        assert "d demo" in text.splitlines()[-1]
        assert "o stores" in text.splitlines()[-1]
        await pilot.press("o")
        await settle(pilot)
        await choose(pilot, lambda row: row.store is not None and row.store.agent == "claude")
        assert [each.title for each in board(pilot).view.scanned.documents] == ["Of claude"]

    drive(app, script, size=(80, 24))


def test_how_stores_were_chosen_is_said_at_the_start(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    app = app_on(tmp_path)
    app._started = replace(app._started, note="claude and qwen both have stores [/] here")

    async def script(pilot: Pilot[Any]) -> None:
        assert "both have stores [/] here" in screen_text(pilot.app)

    drive(app, script)
