"""The main screen as it is used: messages and state first, then what stands on the screen."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.tui.messages import RecallReady
from memtui.tui.widgets.row_list import RowList
from tests.tui.driving import board, drive, make_app, screen_text, settle, toasts, type_query

LISTS = ("pool", "hits", "reserve", "manifest")


def cursor_keys(pilot: Pilot[Any]) -> dict[str, str | None]:
    screen = board(pilot)
    return {name: screen.query_one(f"#{name}").list.key for name in LISTS}  # type: ignore[attr-defined]


def test_it_starts_in_the_query_with_a_recall_of_it() -> None:
    messages: list[Any] = []

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        assert screen.focused is screen.query_bar.input
        assert screen.view is not None
        assert screen.view.recall.query.text == "roll back a release"
        assert "Release rollback runbook" in screen_text(pilot.app)

    drive(make_app(), script, messages=messages)
    assert any(isinstance(message, RecallReady) for message in messages)


def test_typing_recomputes_every_pane() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "")
        assert board(pilot).view.recall.hits == ()
        assert "the reserve alone fills the manifest" in screen_text(pilot.app)
        await pilot.press(*"backup")
        await settle(pilot)
        titles = [hit.document.title for hit in board(pilot).view.recall.hits]
        assert titles == ["Where backups are"]

    drive(make_app(), script)


def test_letters_are_text_in_the_query() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        board(pilot).query_bar.input.value = ""
        await pilot.press("q", "question_mark", "slash", "j", "1")
        await settle(pilot)
        assert board(pilot).query_bar.input.value == "q?/j1"
        assert pilot.app.is_running

    drive(make_app(), script)


def test_one_memory_is_highlighted_everywhere() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "4", "j", "j")
        await settle(pilot)
        screen = board(pilot)
        key = screen.highlighted
        assert key == screen.view.recall.manifest.verdicts[2].document.id
        keys = cursor_keys(pilot)
        assert keys["manifest"] == keys["pool"] == keys["reserve"] == key
        title = screen.view.entry(key).title
        assert title in screen.inspector.border_title

    drive(make_app(), script, size=(160, 46))


def test_the_highlight_stays_on_its_memory_while_the_query_changes() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "j", "j")
        key = board(pilot).highlighted
        await type_query(pilot, "backup")
        assert board(pilot).highlighted == key
        assert cursor_keys(pilot)["pool"] == key

    drive(make_app(), script)


def test_until_the_user_moves_the_best_memory_is_highlighted() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "backup")
        screen = board(pilot)
        assert screen.view.entry(screen.highlighted).title == "Where backups are"

    drive(make_app(), script)


def test_lists_move_like_a_pager() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        rows = board(pilot).pool.list
        last = len(rows.rows) - 1
        await pilot.press("G")
        assert rows.cursor == last
        await pilot.press("g")
        assert rows.cursor == 0
        await pilot.press("j", "down", "k")
        assert rows.cursor == 1
        await pilot.press("ctrl+d")
        half = rows.cursor
        assert half > 2
        await pilot.press("ctrl+u")
        assert rows.cursor == 1
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown", "end")
        assert rows.cursor == last
        await pilot.press("home", "pageup")
        assert rows.cursor == 0

    drive(make_app(), script, size=(80, 24))


def test_numbers_and_tab_move_between_panes() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        screen = board(pilot)
        for key, pane in zip(
            "12345", ("pool", "hits", "reserve", "manifest", "trace"), strict=True
        ):
            await pilot.press(key)
            assert screen.current == pane
            assert isinstance(screen.focused, RowList)
        await pilot.press("tab")
        assert screen.current == "inspector"
        await pilot.press("tab")
        assert screen.current == "pool"
        await pilot.press("shift+tab", "shift+tab")
        assert screen.current == "trace"

    drive(make_app(), script)


def test_tab_leaves_the_query() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("tab")
        assert board(pilot).focused is board(pilot).pool.list

    drive(make_app(), script)


def test_enter_inspects_and_esc_goes_back() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "2", "enter")
        await settle(pilot)
        screen = board(pilot)
        assert screen.focused is screen.inspector
        assert "scored up to here" in screen_text(pilot.app) or "score" in screen_text(pilot.app)
        await pilot.press("G", "g", "j", "k", "ctrl+d", "ctrl+u", "pagedown", "pageup")
        await pilot.press("escape")
        assert screen.current == "hits"

    drive(make_app(), script, size=(80, 24))


def test_zoom_gives_a_pane_the_screen_and_esc_takes_it_back() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "4", "z")
        await settle(pilot)
        screen = board(pilot)
        assert screen.query_one("#manifest").size.width > 150
        assert not screen.query_one("#hits").display
        await pilot.press("escape")
        await settle(pilot)
        assert screen.query_one("#hits").display

    drive(make_app(), script, size=(160, 46))


def test_the_order_of_the_pool_changes() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "S")
        assert "by score" in board(pilot).pool.border_subtitle
        await pilot.press("S")
        assert "by age" in board(pilot).pool.border_subtitle
        await pilot.press("S", "S")
        assert "by fate" in board(pilot).pool.border_subtitle

    drive(make_app(), script)


def test_a_click_on_a_stage_of_the_funnel_leads_to_its_pane() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app).splitlines()
        y = next(index for index, row in enumerate(text) if "▸ lexical" in row)
        await pilot.click(offset=(text[y].index("lexical") + 2, y))
        await settle(pilot)
        assert board(pilot).current == "hits"
        await pilot.click(offset=(text[y].index("reserve") + 2, y))
        await settle(pilot)
        assert board(pilot).current == "reserve"

    drive(make_app(), script, size=(160, 46))


def test_a_click_on_a_tab_shows_its_pane() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = screen_text(pilot.app).splitlines()
        y = next(index for index, row in enumerate(text) if "4 Manifest" in row)
        await pilot.click(offset=(text[y].index("4 Manifest"), y))
        await settle(pilot)
        assert board(pilot).current == "manifest"

    drive(make_app(), script, size=(80, 24))


def test_a_click_selects_a_row_and_a_second_one_inspects_it() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        rows = board(pilot).pool.list
        await pilot.click(rows, offset=(8, 4))
        await settle(pilot)
        assert rows.cursor == 3
        assert board(pilot).highlighted == rows.rows.key(3)
        await pilot.click(rows, offset=(8, 4), times=2)
        await settle(pilot)
        assert board(pilot).current == "inspector"

    drive(make_app(), script, size=(80, 24))


def test_a_click_on_a_hint_runs_it() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        text = screen_text(pilot.app).splitlines()
        await pilot.click(offset=(text[-1].index("query"), len(text) - 1))
        await settle(pilot)
        assert board(pilot).focused is board(pilot).query_bar.input

    drive(make_app(), script)


def test_the_wheel_scrolls_without_moving_the_cursor() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        rows = board(pilot).pool.list
        rows.scroll_relative(y=3, animate=False)
        await settle(pilot)
        assert rows.cursor == 0
        assert rows.scroll_y == 3

    drive(make_app(), script, size=(80, 24))


def test_the_filter_is_fuzzy_and_counts() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "f")
        screen = board(pilot)
        assert screen.focused is screen.pool.filter
        await pilot.press(*"rolback")
        await settle(pilot)
        assert "1 pool 1 of 32" in screen_text(pilot.app)
        await pilot.press("enter")
        assert screen.focused is screen.pool.list
        await pilot.press("escape")
        await settle(pilot)
        assert len(screen.pool.list.rows) == 32

    drive(make_app(), script, size=(80, 24))


def test_esc_clears_the_filter_before_it_closes_it() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "f", "n", "o", "t", "e")
        await settle(pilot)
        screen = board(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert screen.focused is screen.pool.filter
        assert screen.pool.filter.value == ""
        assert len(screen.pool.list.rows) == 32
        await pilot.press("escape")
        assert screen.focused is screen.pool.list

    drive(make_app(), script)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
def test_esc_leads_back_from_a_memory_to_the_filtered_pool(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await pilot.press("escape", "f", *"rolback", "enter", "enter")
        await settle(pilot)
        assert screen.current == "inspector"
        await pilot.press("escape")
        await settle(pilot)
        assert screen.current == "pool"
        assert len(screen.pool.list.rows) == 1
        await pilot.press("escape")
        await settle(pilot)
        assert len(screen.pool.list.rows) == 32

    drive(make_app(), script, size=size)


def test_the_filter_stays_while_the_query_changes() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "f", *"friday", "enter")
        await settle(pilot)
        await type_query(pilot, "backup")
        assert len(board(pilot).pool.list.rows) == 1

    drive(make_app(), script)


def test_pasted_lines_are_joined_and_said() -> None:
    from textual.events import Paste

    async def script(pilot: Pilot[Any]) -> None:
        board(pilot).query_bar.input.value = ""
        pilot.app.post_message(Paste("roll back\n  a release\n\x1b[2J"))
        await settle(pilot)
        assert board(pilot).query_bar.input.value == "roll back a release  [2J"
        assert "3 pasted lines were joined with spaces" in toasts(pilot.app)

    drive(make_app(), script)


def test_copy_says_what_was_done() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "y")
        await settle(pilot)
        path = board(pilot).view.entry(board(pilot).highlighted).path
        assert pilot.app.clipboard == path
        assert toasts(pilot.app) == [f"path sent to the clipboard of the terminal: {path}"]

    drive(make_app(), script)


def test_rescan_reads_again() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        engine = board(pilot).recalls._recaller.engine
        before = engine.scans  # type: ignore[attr-defined]
        await pilot.press("escape", "r")
        await settle(pilot)
        assert engine.scans == before + 1  # type: ignore[attr-defined]

    drive(make_app(), script)


def test_q_quits_outside_the_query_and_ctrl_q_anywhere() -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "q")

    app = make_app()
    drive(app, leave)
    assert app.return_value == 0

    async def leave_at_once(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+q")

    drive(make_app(), leave_at_once)


def test_a_keymap_changes_a_key_its_hint_and_the_help() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pilot.app.set_keymap({"zoom": "Z", "query": "ctrl+f"})
        await pilot.press("escape", "Z")
        assert board(pilot).zoomed
        await settle(pilot)
        assert "ctrl+f query" in screen_text(pilot.app)
        await pilot.press("ctrl+f")
        assert board(pilot).focused is board(pilot).query_bar.input

    drive(make_app(), script)


def test_a_resize_while_working_loses_nothing() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "4", "j", "j")
        key = board(pilot).highlighted
        for size in ((60, 15), (200, 50), (20, 5), (110, 24), (1, 1), (160, 46)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert board(pilot).highlighted == key
        assert board(pilot).current == "manifest"
        assert cursor_keys(pilot)["manifest"] == key

    drive(make_app(), script)
