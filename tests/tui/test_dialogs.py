"""Tools, limits, export and help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.tui.screens.help import HelpScreen
from memtui.tui.screens.limits import LimitsScreen
from memtui.tui.screens.tools import ToolsScreen, split_tools
from memtui.tui.view.fates import Fate
from memtui.tui.widgets.safe_input import SafeInput
from tests.tui.driving import board, drive, make_app, screen_text, settle, toasts


def test_tools_apply_as_they_are_typed_and_esc_puts_them_back() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "t")
        await pilot.press(*"fetch_page")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ToolsScreen)
        assert board(pilot).view.counts[Fate.NOISE] == 1
        await pilot.press("escape")
        await settle(pilot)
        assert board(pilot).view.counts[Fate.NOISE] == 0
        await pilot.press("t", *"fetch_page", "enter")
        await settle(pilot)
        assert board(pilot).view.counts[Fate.NOISE] == 1
        assert "tools fetch_page" in screen_text(pilot.app)

    drive(make_app(), script)


@pytest.mark.parametrize("key", ["t", "l", "s", "x", "question_mark", "F", "ctrl+p"])
def test_keys_that_still_wait_when_a_dialog_closes_close_nothing_else(key: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        main = board(pilot)
        await pilot.press("escape", key)
        await settle(pilot)
        dialog = pilot.app.screen
        assert dialog is not main
        for _ in range(3):
            dialog.dismiss(None)
        await settle(pilot)
        assert pilot.app.screen is main

    drive(make_app(), script)


@pytest.mark.parametrize("key", ["l", "question_mark"])
def test_a_dialog_that_is_closed_while_it_is_resized_is_just_closed(key: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", key)
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, LimitsScreen | HelpScreen)
        await dialog.query("#frame").remove()
        dialog.on_resize()
        dialog.dismiss(None)
        await settle(pilot)
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


def test_a_main_screen_that_is_replaced_while_it_is_resized_is_just_replaced() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        main = board(pilot)
        pilot.app.push_screen(HelpScreen(main.context, {}))
        await settle(pilot)
        await main.query("Inspector").remove()
        main.on_resize()
        await settle(pilot)
        assert isinstance(pilot.app.screen, HelpScreen)

    drive(make_app(), script)


def test_a_closed_dialog_carries_no_command_out() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "t", *"fetch_page")
        await settle(pilot)
        dialog = pilot.app.screen
        dialog.dismiss(None)
        await pilot.app.run_action("close", default_namespace=dialog)
        await settle(pilot)
        assert board(pilot).options.recent_tools == ("fetch_page",)

    drive(make_app(), script)


@pytest.mark.parametrize("height", [1, 3, 5])
def test_pages_of_the_palette_can_be_turned_where_it_has_no_room(height: int) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "ctrl+p")
        await settle(pilot)
        await pilot.press("down")
        await pilot.resize_terminal(20, height)
        await pilot.press("pagedown", "pageup", "escape")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


def test_tools_are_split_at_commas_and_lines() -> None:
    assert split_tools("grep, fetch_page\n grep,,") == ("grep", "fetch_page")


def test_pasted_tools_are_joined_with_commas() -> None:
    from textual.events import Paste

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "t")
        pilot.app.post_message(Paste("grep\nfetch_page"))
        await settle(pilot)
        assert board(pilot).options.recent_tools == ("grep", "fetch_page")

    drive(make_app(), script)


async def go_to(pilot: Pilot[Any], name: str) -> None:
    rows = pilot.app.screen.query_one("RowList")
    await pilot.press("g", *["j"] * rows.rows.places[name])  # type: ignore[attr-defined]


def test_a_limit_is_changed_marked_and_reset() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "l")
        await go_to(pilot, "manifest_bytes")
        await pilot.press("enter")
        pilot.app.screen.query_one(SafeInput).value = "1000"
        await pilot.press("enter")
        await settle(pilot)
        assert board(pilot).view.recall.options.limits.manifest_bytes == 1000
        assert "* manifest_bytes" in screen_text(pilot.app)
        await pilot.press("backspace")
        await settle(pilot)
        assert board(pilot).view.recall.options.limits.manifest_bytes == 25_000

    drive(make_app(), script)


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("manifest_bytes", "many", "must be a whole number"),
        ("selected_docs", "0", "must be from 1 to"),
        ("recent_reserve", "900", "must be at most candidate_docs"),
    ],
)
def test_a_wrong_limit_is_refused_where_it_is_typed(name: str, typed: str, said: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        before = board(pilot).options
        await pilot.press("escape", "l")
        await go_to(pilot, name)
        await pilot.press("enter")
        pilot.app.screen.query_one(SafeInput).value = typed
        await pilot.press("enter")
        await settle(pilot)
        assert said in screen_text(pilot.app)
        assert board(pilot).options == before
        await pilot.press("escape", "escape")
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


def test_an_ablation_is_switched_and_everything_is_reset() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "l")
        await go_to(pilot, "reserve")
        await pilot.press("enter")
        await settle(pilot)
        assert board(pilot).view.recall.options.ablations.reserve == "appended"
        await pilot.press("escape")
        await settle(pilot)
        assert "reserve appended" in screen_text(pilot.app)
        await pilot.press("l", "R")
        await settle(pilot)
        assert board(pilot).view.recall.options.ablations.reserve == "interleaved"

    drive(make_app(), script)


def test_a_limit_of_the_scan_reads_the_stores_again() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        engine: Any = board(pilot).recalls._recaller.engine
        await pilot.press("escape", "l")
        await go_to(pilot, "file_bytes")
        await pilot.press("enter")
        pilot.app.screen.query_one(SafeInput).value = "2,000"
        scans = engine.scans
        await pilot.press("enter")
        await settle(pilot)
        assert engine.scans == scans + 1

    drive(make_app(), script)


def test_export_writes_what_was_chosen(tmp_path: Path) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        for downs, name in enumerate(
            ("out.json", "out.manifest.txt", "out.context.txt", "out.svg")
        ):
            await pilot.press("escape", "x", *["j"] * downs, "enter")
            path = pilot.app.screen.query_one(SafeInput)
            assert path.value.endswith(name.removeprefix("out"))
            path.value = str(tmp_path / name)
            await pilot.press("enter")
            await settle(pilot)
            assert pilot.app.screen is board(pilot)
        recall = board(pilot).view.recall
        written = json.loads((tmp_path / "out.json").read_text("utf-8"))
        assert written["schema"] == "memtui.recall/1"
        assert (tmp_path / "out.manifest.txt").read_text("utf-8") == recall.manifest.text + "\n"
        assert (tmp_path / "out.context.txt").read_text("utf-8") == recall.context.text + "\n"
        assert (tmp_path / "out.svg").read_text("utf-8").startswith("<svg")
        assert f"written: {tmp_path / 'out.svg'}" in toasts(pilot.app)

    drive(make_app(), script)


def test_export_asks_before_it_replaces_a_file(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "x", "enter")
        pilot.app.screen.query_one(SafeInput).value = str(target)
        await pilot.press("enter")
        await settle(pilot)
        assert "enter again replaces it" in screen_text(pilot.app)
        assert target.read_text() == "mine"
        await pilot.press("enter")
        await settle(pilot)
        assert target.read_text() != "mine"

    drive(make_app(), script, size=(200, 40))


def test_help_shows_first_what_works_here() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("f1")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "Here and now: typing a query" in text
        assert text.index("esc") < text.index("elsewhere")
        await pilot.press("escape", "escape", "question_mark")
        await settle(pilot)
        assert "Here and now: in a list" in screen_text(pilot.app)
        await pilot.press("question_mark")
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


@pytest.mark.parametrize("key", ["question_mark", "t", "l", "x", "f", "slash", "ctrl+p", "r", "z"])
def test_a_key_pressed_twice_does_no_harm(key: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        await pilot.press(key, key, key)
        await settle(pilot)
        for _ in range(5):
            await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


@pytest.mark.parametrize("typed", ["limits", "zoom", "copy the", "next row", "theme"])
def test_the_palette_runs_commands(typed: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "ctrl+p")
        await pilot.press(*typed)
        await pilot.pause(0.3)
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        if typed == "limits":
            assert isinstance(pilot.app.screen, LimitsScreen)
        elif typed == "zoom":
            assert board(pilot).zoomed
        elif typed == "copy the":
            assert pilot.app.clipboard
        elif typed == "next row":
            assert board(pilot).pool.list.cursor == 1

    drive(make_app(), script)


def test_help_from_the_palette() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "ctrl+p", *"help")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, HelpScreen)

    drive(make_app(), script)


@pytest.mark.parametrize("keys", [*"l?soxtFcTbEi", "ctrl+p", "slash", "f"])
def test_ctrl_q_quits_from_everywhere(keys: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", keys)
        await pilot.pause()
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert pilot.app.return_code == 0

    drive(make_app(), script)
