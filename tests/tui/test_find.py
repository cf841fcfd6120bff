"""Finding a memory by what it says, over the whole tree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from memtui.memory.document import SkippedFile
from memtui.tui.screens.find import FindScreen
from memtui.tui.stopping import Stopped
from memtui.tui.view.fates import Fate
from memtui.tui.view.finding import find, needles
from memtui.tui.widgets.inspector import Face
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput
from tests.tui.driving import (
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
    skipped,
    small_pool,
)
from tests.tui.release_tree import note, tree_app, write_tree

SIZES = [(160, 45), (120, 40), (80, 24), (60, 15)]


async def look_for(pilot: Pilot[Any], wanted: str) -> FindScreen:
    await pilot.press("escape", "F")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, FindScreen)
    screen.query_one(SafeInput).value = wanted
    await settle(pilot)
    return screen


def titles(pool: Any, wanted: str) -> list[str]:
    entries = {each.id: each.title for each in pool.documents}
    return [entries.get(each.key, each.key) for each in find(pool, wanted)]


@pytest.mark.parametrize("size", SIZES)
def test_enter_highlights_the_memory_and_opens_its_ladder(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await look_for(pilot, "look at the graphs")
        assert screen.query_one(RowList).key is not None
        text = screen_text(pilot.app)
        assert "Release" in text
        assert "esc close" in text
        await pilot.press("enter")
        await settle(pilot)
        main = board(pilot)
        assert pilot.app.screen is main
        assert main.view.entry(main.highlighted).title == "Release rollback runbook"
        assert main.inspector.face is Face.WHY
        assert main.focused is main.inspector
        assert "recalled: 1st" in screen_text(pilot.app)

    drive(make_app(), script, size=size)


def test_a_skipped_file_is_found_by_its_text(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "good.md": note("Lunch", "where we eat"),
            "bad.md": "no frontmatter here\n\nThe Zanzibar cluster is drained on Sundays.\n",
            "broken.md": "---\nname: never closed\n\nKafka lives in rack 7.\n",
        },
    )

    async def script(pilot: Pilot[Any]) -> None:
        screen = await look_for(pilot, "zanzibar cluster")
        text = screen_text(pilot.app)
        assert "bad.md" in text
        assert "no-frontmatter" in text
        assert "Zanzibar cluster" in text
        await pilot.press("enter")
        await settle(pilot)
        main = board(pilot)
        assert isinstance(main.view.entry(main.highlighted), SkippedFile)
        assert main.view.fate_of[main.highlighted] is Fate.SKIPPED
        assert "✗ lost at scan" in screen_text(pilot.app)
        assert screen is not pilot.app.screen

    drive(tree_app(tmp_path, "lunch"), script, size=(160, 45))


def test_down_chooses_another_result_and_esc_chooses_none() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        before = board(pilot).highlighted
        screen = await look_for(pilot, "note number")
        rows = screen.query_one(RowList)
        await pilot.press("down", "down", "up")
        assert rows.cursor == 1
        await pilot.press("escape")
        await settle(pilot)
        assert board(pilot).highlighted == before
        await look_for(pilot, "note number")
        await pilot.press("down", "enter")
        await settle(pilot)
        assert board(pilot).view.entry(board(pilot).highlighted).title.startswith("Note number")

    drive(make_app(), script)


def test_a_double_click_opens_a_result() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await look_for(pilot, "short answers")
        await pilot.click("FindScreen RowList", offset=(8, 1), times=2)
        await settle(pilot)
        assert pilot.app.screen is board(pilot)
        assert board(pilot).view.entry(board(pilot).highlighted).title == "Prefers short answers"

    drive(make_app(), script)


def test_what_is_like_nothing_says_so() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await look_for(pilot, "qqqqqqzz")
        assert "no file says anything like it" in screen_text(pilot.app)
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, FindScreen)

    drive(make_app(), script)


def test_an_older_answer_is_not_shown() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = await look_for(pilot, "short answers")
        shown = screen.query_one(RowList).key
        screen.post_message(FindScreen.Ready("something older", ()))
        await settle(pilot)
        assert screen.query_one(RowList).key == shown

    drive(make_app(), script)


def test_hostile_text_is_found_and_shown_as_text() -> None:
    evil = "[/] [@click=app.quit]x[/] needle \x1b[2J\x1b]0;owned\x07 \u202egnp"
    pool = pool_of(
        document("evil.md", evil, body=evil * 3),
        document("plain.md", "A needle"),
        skip=(skipped("needle[/]\x1b[2J.md"),),
    )

    async def script(pilot: Pilot[Any]) -> None:
        await look_for(pilot, "needle [/]")
        text = screen_text(pilot.app)
        assert "needle" in text
        assert "\x1b" not in text
        assert "\u202e" not in text

    drive(make_app(pool), script, size=(80, 24))


# The search itself


def test_words_are_found_misspelt_cut_short_and_in_any_field() -> None:
    pool = pool_of(
        document("a.md", "Release rollback runbook"),
        document("b.md", "Lunch", description="where the kitchen is"),
        document("deep/c.md", "Payments", body="The gateway times out after nine seconds."),
        document("d.md", "支付回调必须幂等", body="订单号重复时忽略"),
    )
    assert titles(pool, "rolback runbok")[0] == "Release rollback runbook"
    assert titles(pool, "kitch")[0] == "Lunch"
    assert titles(pool, "times out gateway")[0] == "Payments"
    assert titles(pool, "deep")[0] == "Payments"
    assert titles(pool, "订单号重复怎么办")[0] == "支付回调必须幂等"
    assert titles(pool, "") == []


def test_words_that_stand_together_come_first() -> None:
    pool = pool_of(
        document("x.md", "One", body="roll the dough. Later, put the meat back. No release."),
        document("y.md", "Two", body="how to roll back a release"),
    )
    assert titles(pool, "roll back a release")[0] == "Two"


@pytest.mark.parametrize("reason", ["unreadable", "outside-root", "not-a-regular-file", "vanished"])
def test_a_file_that_may_not_be_read_is_known_by_its_path(reason: str) -> None:
    def read(path: str) -> bytes:
        raise AssertionError(path)

    pool = pool_of(document("a.md", "A"), skip=(skipped("secret-plans.md", reason),))
    assert [each.key for each in find(pool, "secret plans", read_file=read)] == [
        "project/secret-plans.md"
    ]


def test_a_file_that_is_gone_by_now_is_known_by_its_path(tmp_path: Path) -> None:
    pool = pool_of(skip=(skipped("gone.md"),))
    assert not os.path.exists(pool.skipped[0].path)
    assert [each.key for each in find(pool, "gone")] == ["project/gone.md"]


def test_a_search_that_is_not_wanted_any_more_ends() -> None:
    with pytest.raises(Stopped):
        find(small_pool(), "note", lambda: True)


@given(st.text(max_size=40))
def test_any_text_can_be_looked_for(wanted: str) -> None:
    found = find(POOL, wanted)
    assert len({each.key for each in found}) == len(found)
    assert all(needles(wanted) for _ in found)


POOL = small_pool()
