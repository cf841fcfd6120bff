"""The delivery timeline: as it ran, and simulated with selectors as slow as one likes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.endpoint import Endpoint
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.selection import ANSWER_KEY
from memtui.recall.selectors.endpoint import ModelSelector
from memtui.tui.screens.timeline import Now, TimelineScreen
from memtui.tui.view.pieces import text_of
from memtui.tui.view.timeline import (
    Simulated,
    TimeError,
    Timeline,
    about_moment,
    scanned_first,
    selector_ms,
    timeline,
    whole_ms,
)
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput
from tests.chat_server import ChatServer, chat_server
from tests.tui.driving import NOW_MS, board, drive, make_app, screen_text, settle, small_pool
from tests.tui.test_hostile import check, hostile_pool
from tests.tui.test_selector import BACKUPS, ROLLBACK, until


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.text = json.dumps({ANSWER_KEY: [BACKUPS, ROLLBACK]})
        yield running


def made(query: str = "roll back a release") -> Any:
    return recall(query, small_pool(), RecallOptions(now_ms=NOW_MS))


def outcomes(shown: Timeline, key: str) -> list[str | None]:
    return [
        moment.event.outcome
        for moment in shown.moments
        if moment.event is not None and moment.key.startswith(f"{key}:")
    ]


def test_a_quick_selector_is_delivered_with_the_first_request() -> None:
    shown = timeline(made(), Simulated(20))
    assert outcomes(shown, "with") == ["delivered_initial"]
    assert outcomes(shown, "without") == ["delivered_initial"]


def test_a_slow_one_needs_a_later_request() -> None:
    shown = timeline(made(), Simulated(2_000))
    assert outcomes(shown, "with") == ["delivered_fast", "delivered_later"]
    assert outcomes(shown, "without") == ["delivered_fast", "no_safe_delivery_point"]
    assert shown.longest_ms >= 2_000


def test_nothing_selected_is_said_as_such() -> None:
    assert outcomes(timeline(made("zzzz"), Simulated(20)), "with") == ["no_relevant_results"]


def test_the_turn_after_it_has_everything_already() -> None:
    assert outcomes(timeline(made(), Simulated(2_000)), "again") == ["already_delivered"]


def test_a_turn_is_cancelled_when_it_is_said() -> None:
    assert outcomes(timeline(made(), Simulated(2_000)), "cancelled") == []
    shown = timeline(made(), Simulated(2_000, cancel_ms=500))
    assert outcomes(shown, "cancelled") == ["delivered_fast", "cancelled"]


def fates(shown: Timeline) -> dict[str, str]:
    """Kind of turn to what becomes of the memory in it."""
    return {each.title: each.note for each in shown.moments if each.rung is not None}


def test_the_fate_of_the_highlighted_memory_is_told_for_every_turn() -> None:
    result = made()
    last = result.selection.documents[-1]
    assert last.id not in [each.id for each in result.fast]
    told = fates(timeline(result, Simulated(2_000, cancel_ms=500), entry=last))
    assert told["later point"].startswith("delivered_later at ")
    assert told["no later point"].startswith("no-safe-delivery-point: ")
    assert told["asked again"].startswith("already-delivered: ")
    assert told["cancelled"].startswith("cancelled: ")


def test_a_memory_that_is_lost_before_is_said_to_be_lost_there() -> None:
    result = made()
    other = next(each for each in result.eligible if each.id not in result.context.kept)
    told = fates(timeline(result, Simulated(20), entry=other))
    assert set(told) == {"later point", "no later point", "asked again"}
    assert all(note.startswith("lost at selection, so not delivered: ") for note in told.values())


def test_the_scan_that_was_made_before_counts_in_a_simulated_turn() -> None:
    steps = {step.name: step.elapsed_ms for step in scanned_first(made(), 50.0).trace.steps}
    assert steps["scan.pool"] >= 50
    assert steps["recall.plan"] < 50
    scans = [
        m.event.at_ms for m in timeline(made(), Simulated(20), scan_ms=50.0).moments if m.event
    ]
    assert scans[0] >= 50


@pytest.mark.parametrize(("typed", "value"), [("20", 20), (" 2,000 ms ", 2000), ("0", 0)])
def test_times_are_read_as_people_write_them(typed: str, value: int) -> None:
    assert whole_ms(typed, "selector") == value


@pytest.mark.parametrize("typed", ["", "-1", "1.5", "600001", "9" * 5000, "٣", "x"])
def test_other_times_are_refused(typed: str) -> None:
    with pytest.raises(TimeError, match="selector: a whole number"):
        whole_ms(typed, "selector")


def test_a_moment_names_its_memories() -> None:
    shown = timeline(made(), Simulated(2_000))
    fast = next(m for m in shown.moments if m.event is not None and m.event.name == "fast")
    assert text_of(about_moment(shown.recall, fast)).startswith("fast result: Release rollback")


def test_the_latency_is_typed_and_the_rows_follow() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "T")
        await settle(pilot)
        assert isinstance(pilot.app.screen, TimelineScreen)
        text = screen_text(pilot.app)
        assert "delivered_fast" in text
        assert "no_safe_delivery_point" in text
        pilot.app.screen.query_one("#latency", SafeInput).value = "20"
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "delivered_initial" in text
        assert "no_safe_delivery_point" not in text
        pilot.app.screen.query_one("#latency", SafeInput).value = "soon"
        await settle(pilot)
        assert "! selector: a whole number of milliseconds" in screen_text(pilot.app)
        await pilot.press("tab", "escape", "escape")
        assert pilot.app.screen is board(pilot)

    drive(make_app(), script)


def test_a_model_that_answered_is_shown_as_it_ran(server: ChatServer) -> None:
    server.delay_s = 0.3
    options = RecallOptions(now_ms=NOW_MS, selector=ModelSelector(Endpoint(server.url, "tiny")))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.recall.selection.selector == "model")
        assert selector_ms(board(pilot).view.recall) >= 250
        assert board(pilot).view.recall.delivery.outcomes == ("delivered_fast", "already_delivered")
        await pilot.press("T")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "as it ran" in text
        assert "already_delivered" in text

    drive(make_app(options=options), script)


def test_an_open_timeline_follows_while_a_model_thinks(server: ChatServer) -> None:
    server.behaviour = "held"
    options = RecallOptions(now_ms=NOW_MS, selector=ModelSelector(Endpoint(server.url, "tiny")))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await until(pilot, server.asked.is_set)
        await pilot.press("T")
        await settle_screen(pilot, "first request")
        text = screen_text(pilot.app)
        assert "as it runs" in text
        assert "model … " in text
        assert "2 memories selected" not in text  # the early result is no selection
        server.released.set()
        await settle_screen(pilot, "as it ran")
        text = screen_text(pilot.app)
        assert "as it runs" not in text
        took = selector_ms(board(pilot).view.recall)
        assert pilot.app.screen.query_one("#latency", SafeInput).value == f"{took}"

    drive(make_app(options=options), script)


def test_a_timeline_that_is_not_drawn_yet_follows_too() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        main = board(pilot)
        screen = TimelineScreen(Now(main.view, main.highlighted))
        pilot.app.push_screen(screen)
        screen.follow(Now(main.view, main.highlighted))
        await settle_screen(pilot, "memories selected")

    drive(make_app(), script)


async def settle_screen(pilot: Pilot[Any], text: str) -> None:
    """Waits until the screen shows a text."""
    await until(pilot, lambda: text in screen_text(pilot.app))


@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24), (60, 15)])
def test_it_fits_and_shows_hostile_titles_as_text(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "T")
        await settle(pilot)
        rows = pilot.app.screen.query_one(RowList)
        for _ in range(len(rows.rows)):
            await pilot.press("j")
            check(pilot)
        frame = pilot.app.screen.query_one("#frame")
        assert frame.region.right <= size[0]
        assert frame.region.bottom <= size[1]
        assert "esc close" in screen_text(pilot.app)

    drive(make_app(hostile_pool()), script, size=size)
