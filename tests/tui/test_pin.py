"""The memory that one expected stays in sight while the query is edited."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from memtui.recall.options import RecallOptions
from tests.tui.driving import (
    NOW_MS,
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
    skipped,
    small_pool,
    type_query,
)

SIZES = [(160, 45), (120, 40), (80, 24), (60, 15)]


def pin_line(pilot: Pilot[Any]) -> str:
    rows = screen_text(pilot.app).splitlines()
    return next((row for row in rows if row.startswith(" pinned ")), "")


async def highlight(pilot: Pilot[Any], name: str) -> None:
    screen = board(pilot)
    entries = screen.view.catalogue.entries.items()
    screen.look_into(next(key for key, each in entries if each.path.endswith(name)))
    await settle(pilot)


@pytest.mark.parametrize("size", SIZES)
def test_fate_and_margin_follow_the_query(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/answers.md")
        await pilot.press("p")
        assert screen.pinned == screen.view.entry(screen.highlighted).path
        assert "◐ Prefers short answers" in pin_line(pilot)
        assert "✗ lost at selection" in pin_line(pilot)
        await type_query(pilot, "short answers")
        assert "● Prefers short answers" in pin_line(pilot)
        assert "✓ 1st of 1 in the context" in pin_line(pilot)
        await type_query(pilot, "zzzz")
        assert "✗ lost at selection" in pin_line(pilot)
        assert all(cell_len(row) == size[0] for row in screen_text(pilot.app).splitlines())

    drive(make_app(), script, size=size)


def test_the_pin_stays_while_the_query_is_typed_key_by_key() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "/answers.md")
        await pilot.press("p", "slash")
        board(pilot).query_bar.input.value = ""
        for key in "pin":
            await pilot.press(key)
            assert "Prefers short answers" in pin_line(pilot)
        assert board(pilot).query_bar.input.value == "pin"

    drive(make_app(), script, size=(80, 24))


def test_again_unpins_and_elsewhere_moves_the_pin() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await pilot.press("escape", "j", "p")
        await settle(pilot)
        first = screen.pinned
        assert first is not None
        await pilot.press("j", "p")
        await settle(pilot)
        assert screen.pinned not in (None, first)
        await pilot.press("p")
        await settle(pilot)
        assert screen.pinned is None
        assert pin_line(pilot) == ""

    drive(make_app(), script)


def test_points_that_are_lacking_are_said() -> None:
    rivals = [
        document(f"{number}.md", "Release roll back", description="roll back a release")
        for number in range(6)
    ]
    pool = pool_of(*rivals, document("own.md", "On the release"))

    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "/own.md")
        await pilot.press("p")
        await settle(pilot)
        assert "rank-below-limit" in pin_line(pilot)
        assert "points too few" in pin_line(pilot)

    drive(make_app(pool), script, size=(120, 40))


@pytest.mark.parametrize("ranker", ["bm25", "fuzzy", "hybrid"])
def test_a_score_that_is_lacking_is_said(ranker: str) -> None:
    rivals = [
        document(f"{number}.md", "Release roll back", description="roll back a release")
        for number in range(6)
    ]
    pool = pool_of(*rivals, document("own.md", "On the release"))
    options = RecallOptions(now_ms=NOW_MS, ranker=ranker)

    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "/own.md")
        await pilot.press("p")
        await settle(pilot)
        assert re.search(r"rank-below-limit · 0\.[0-9]*[1-9][0-9]* score too low", pin_line(pilot))

    drive(make_app(pool, options=options), script, size=(120, 40))


def test_a_click_on_the_line_opens_the_ladder_of_the_pinned_memory() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/answers.md")
        mine = screen.highlighted
        await pilot.press("p", "escape", "g")
        await settle(pilot)
        assert screen.highlighted != mine
        await pilot.click("#pin")
        await settle(pilot)
        assert screen.highlighted == mine
        assert "Prefers short answers · why" in screen_text(pilot.app)

    drive(make_app(), script, size=(80, 24))


def test_a_skipped_file_can_be_pinned() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "/old.md")
        await pilot.press("p")
        await settle(pilot)
        assert "✗ old.md" in pin_line(pilot)
        assert "lost at scan: too-large" in pin_line(pilot)
        await type_query(pilot, "anything")
        assert "lost at scan: too-large" in pin_line(pilot)

    drive(make_app(), script, size=(80, 24))


def test_a_pinned_file_that_is_gone_is_said_to_be() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/answers.md")
        await pilot.press("p")
        engine: Any = screen.recalls._recaller.engine
        kept = [each for each in small_pool().documents if "answers" not in each.path]
        engine.pool = pool_of(*kept)
        screen.action_rescan()
        await settle(pilot)
        assert "? " in pin_line(pilot)
        assert "is not among the files read" in " ".join(
            row.strip() for row in screen_text(pilot.app).splitlines()
        )

    drive(make_app(), script, size=(160, 45))


def test_a_hostile_title_is_pinned_as_text() -> None:
    pool = pool_of(
        document("evil.md", "[/] [@click=app.quit]x[/] \x1b[2J \u202egnp" + "A" * 5_000),
        skip=(skipped("[/]\x1b.md"),),
    )

    async def script(pilot: Pilot[Any]) -> None:
        for name in ("/evil.md", "\x1b.md"):
            await highlight(pilot, name)
            await pilot.press("p")
            await settle(pilot)
            assert "[/]" in pin_line(pilot)
            assert "\x1b" not in screen_text(pilot.app)
            await pilot.click("#pin", offset=(14, 0))
            assert pilot.app.is_running

    drive(make_app(pool), script, size=(80, 24))
