"""Pane 5: every recall is stored once it rests, and those of other processes appear."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.memory.document import Pool
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall
from memtui.recall.trace import Step, Trace
from memtui.setup import Setup
from memtui.state import TraceStore, Use, state_path
from memtui.tui.screens.main import MainScreen
from memtui.tui.view.traces import CURRENT, Log, log_rows, moment, took, trace_lines
from memtui.tui.view.uses import Uses, ago
from memtui.tui.widgets.inspector import Face
from memtui.tui.widgets.trace_pane import TracePane
from tests.tui.driving import (
    DAY_MS,
    NOW_MS,
    FixedEngine,
    board,
    drive,
    make_app,
    screen_text,
    settle,
    small_pool,
    toasts,
    type_query,
)
from tests.tui.test_hostile import HOSTILE, check
from tests.tui.test_view import view_of

QUERY = "roll back a release"


class NumberedEngine(FixedEngine):
    """Gives each recall a trace id of its own."""

    def recall(self, query: str, pool: Pool | None = None) -> Recall:
        result = super().recall(query, pool)
        name = f"{len(self.queries):08d}-2222-4333-8444-555555555555"
        return replace(result, trace=replace(result.trace, trace_id=name))


def a_trace(number: int = 1, query: str = QUERY, **fields: Any) -> Trace:
    values: dict[str, Any] = {
        "trace_id": f"{number:08x}-aaaa-4bbb-8ccc-dddddddddddd",
        "source": "mcp",
        "mode": "lexical/heuristic",
        "query_hash": hashlib.sha256(query.encode()).hexdigest(),
        "query_chars": len(query),
        "requested_limit": 50,
        "effective_limit": 20,
        "candidate_limit": 60,
        "kept_ids": ("a1b2c3d4",),
        "steps": (
            Step("recall.plan", 1, 1.0, {"requested": 50}),
            Step("scan.pool", 2, 31.0, {"documents": 3, "ids": ("a", "b")}),
        ),
        "started_at": int(time.time() * 1000) + number,
        "ended_at": int(time.time() * 1000) + number,
        "duration_ms": 31.5,
    }
    return Trace(**{**values, **fields})


def app_with(**fields: Any) -> Any:
    return make_app(engine=NumberedEngine, **fields)


def pane(pilot: Pilot[Any]) -> TracePane:
    return board(pilot).trace


async def until(pilot: Pilot[Any], holds: Any, seconds: float = 2.0) -> None:
    """Waits until something holds, as long as the app may take for it."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, screen_text(pilot.app)
        await pilot.pause(0.02)
    await settle(pilot)


async def look(pilot: Pilot[Any]) -> None:
    board(pilot).tracing.look()
    await settle(pilot)


def stored() -> tuple[Trace, ...]:
    return TraceStore().list()


# Storing


def test_a_recall_that_rests_is_stored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.tracing.REST_S", 0.05)

    async def script(pilot: Pilot[Any]) -> None:
        await until(pilot, stored)
        await pilot.press("escape", "enter", "j", "5")
        await settle(pilot)
        (trace,) = stored()
        assert trace.source == "tui"
        assert trace.kept_ids == board(pilot).view.recall.context.kept
        assert "this recall · stored" in screen_text(pilot.app)
        assert "now ✓" in screen_text(pilot.app)

    drive(app_with(), script)


def test_not_every_key_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        for length in range(1, 7):
            await type_query(pilot, "release"[:length])
        assert stored() == ()
        monkeypatch.setattr("memtui.tui.tracing.REST_S", 0.05)
        await type_query(pilot, "release")
        await until(pilot, stored)
        (trace,) = stored()
        assert trace.query_hash == hashlib.sha256(b"release").hexdigest()

    drive(app_with(query=""), script)


def test_enter_stores_at_once_even_before_the_recall_is_there() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert stored() == ()
        await pilot.press("enter")
        await settle(pilot)
        assert len(stored()) == 1
        board(pilot).query_bar.input.focus()
        board(pilot).query_bar.input.value = "friday"
        await pilot.press("enter")
        await settle(pilot)
        assert {each.query_chars for each in stored()} == {len(QUERY), len("friday")}
        await pilot.press("slash", "enter")
        await settle(pilot)
        assert len(stored()) == 2

    drive(app_with(), script)


def test_the_store_holds_no_text_of_the_query() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "zebrastripes on friday")
        await pilot.press("enter")
        await settle(pilot)
        assert len(stored()) == 1
        data = b"".join(path.read_bytes() for path in state_path().parent.iterdir())
        assert b"zebrastripes" not in data

    drive(app_with(), script)


def unwritable(path: Path) -> None:
    path.parent.parent.mkdir(exist_ok=True)
    path.parent.write_text("a file where the folder should be")


def broken(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database " * 100)


@pytest.mark.parametrize("spoil", [unwritable, broken])
@pytest.mark.parametrize("size", [(160, 45), (80, 24), (60, 15)])
def test_a_store_that_can_not_be_written_fails_no_recall(spoil: Any, size: Any) -> None:
    spoil(state_path())

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "5")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "this recall · not traced" in text
        assert "now ✗" in text
        assert [each for each in toasts(pilot.app) if each.startswith("not traced: ")]
        assert board(pilot).view.recall.context.kept
        await type_query(pilot, "friday")
        await pilot.press("slash", "enter", "5", "enter")
        await settle(pilot)
        assert len(toasts(pilot.app)) == 1
        assert board(pilot).view.recall.query.text == "friday"
        await pilot.press("G")
        await settle(pilot)
        assert "store " in screen_text(pilot.app)

    drive(app_with(), script, size=size)


def test_a_locked_store_delays_nobody() -> None:
    engine: list[NumberedEngine] = []

    def make(setup: Setup, pool: Pool) -> NumberedEngine:
        engine.append(NumberedEngine(setup, pool))
        engine[0].store = TraceStore(timeout_s=0.5)
        return engine[0]

    TraceStore().record(a_trace())
    lock = sqlite3.connect(state_path(), isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        before = len(engine[0].queries)
        board(pilot).query_bar.input.value = "friday"
        await until(pilot, lambda: len(engine[0].queries) > before, 0.4)
        await until(pilot, lambda: toasts(pilot.app), 3)
        assert "is locked by another program" in toasts(pilot.app)[0]
        lock.execute("ROLLBACK")
        await pilot.press("slash", "enter", "5")
        await settle(pilot)
        assert "this recall · stored" in screen_text(pilot.app)
        assert len(stored()) == 2

    drive(make_app(engine=make), script)
    lock.close()


# The list


SCRIPT = """
import sys
sys.path.insert(0, {root!r})
from tests.tui.test_traces import a_trace
from memtui.state import TraceStore
TraceStore().record(a_trace(7))
"""


def test_a_recall_of_another_process_appears_within_two_seconds() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "5")
        assert "mcp" not in screen_text(pilot.app)
        code = SCRIPT.format(root=str(Path(__file__).parents[2]))
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
        await until(pilot, lambda: len(pane(pilot).list.rows) == 2)
        rows = [row for row in screen_text(pilot.app).splitlines() if " mcp " in row]
        assert len(rows) == 1
        assert " 1 " in rows[0]
        assert "31.5 ms" in rows[0]
        assert "same" in rows[0]
        assert pane(pilot).list.key == CURRENT

    drive(app_with(), script, size=(80, 24))


def test_the_list_says_what_is_known_of_each_recall() -> None:
    for number, source in enumerate(("cli", "mcp", "api"), start=1):
        other = QUERY if source == "mcp" else "another"
        TraceStore().record(a_trace(number, other, source=source))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "5", "z")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "5 traces 3 stored" in text
        assert text.count("same query as now") == 1
        order = [text.index(f" {source} ") for source in ("api", "mcp", "cli")]
        assert order == sorted(order)
        assert text.index("now …") < order[0]

    drive(app_with(), script, size=(160, 45))


def test_the_list_is_read_only_when_something_was_written() -> None:
    lists: list[int] = []

    class Counting(TraceStore):
        def list(self, limit: int = 50) -> tuple[Trace, ...]:
            lists.append(limit)
            return super().list(limit)

    def make(setup: Setup, pool: Pool) -> NumberedEngine:
        engine = NumberedEngine(setup, pool)
        engine.store = Counting()
        return engine

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        before = len(lists)
        for _ in range(5):
            await look(pilot)
        assert len(lists) == before
        TraceStore().record(a_trace())
        await look(pilot)
        assert len(lists) == before + 1

    drive(make_app(engine=make), script)


@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24), (60, 15)])
def test_a_trace_opens_to_its_steps(size: tuple[int, int]) -> None:
    kept = small_pool().documents[0]
    TraceStore().record(a_trace(kept_ids=(kept.id, "feedbeef")))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "5", "j", "enter")
        await settle(pilot)
        assert pane(pilot).detail.has_focus
        shown = text = screen_text(pilot.app)
        for _ in range(12):
            await pilot.press("ctrl+d")
            shown += screen_text(pilot.app)
        assert "5 mcp" in text
        assert "asked 50 · granted 20 ! capped" in text
        assert "candidates 60" in text
        assert "▇▇▇▇▇▇▇▇ " in shown
        assert "documents 3" in shown
        assert f"{kept.id}  {kept.title}" in shown
        assert "feedbeef  not in this pool" in shown
        assert "00000001-aaaa-4bbb-8ccc-dddddddddddd" in shown.replace("│\n", "")
        await pilot.press("escape")
        assert pane(pilot).list.has_focus
        assert pane(pilot).list.key != CURRENT
        await pilot.press("escape")
        assert pane(pilot).list.key == CURRENT
        assert "this recall" in screen_text(pilot.app)

    drive(app_with(), script, size=size)


def test_the_chosen_trace_stays_chosen_while_others_appear() -> None:
    TraceStore().record(a_trace(1))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "5", "j")
        chosen = pane(pilot).list.key
        for number in range(2, 6):
            TraceStore().record(a_trace(number))
        await look(pilot)
        assert pane(pilot).list.key == chosen
        assert pane(pilot).list.cursor == 5
        await type_query(pilot, "friday")
        assert pane(pilot).list.key == chosen
        assert pane(pilot).chosen.trace_id == chosen

    drive(app_with(), script)


def test_a_chosen_trace_that_is_old_stays_as_long_as_it_is_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memtui.tui.tracing.MOST_TRACES", 3)
    TraceStore().record(a_trace(1))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "5", "j")
        for number in range(2, 9):
            TraceStore().record(a_trace(number))
        await look(pilot)
        assert pane(pilot).chosen == TraceStore().get(a_trace(1).trace_id)
        assert len(pane(pilot).list.rows) == 5
        assert "gone" not in screen_text(pilot.app)

    drive(app_with(), script)


def test_citations_are_checked_against_the_chosen_trace_and_fail_closed_without_it() -> None:
    TraceStore().record(a_trace(1))

    async def script(pilot: Pilot[Any]) -> None:
        citations = pane(pilot).citations
        await pilot.press("escape", "5", "j", "v")
        citations.editor.load_text("[id:a1b2c3d4]")
        await settle(pilot)
        assert "against trace 00000001" in screen_text(pilot.app)
        assert citations.found.valid == ("a1b2c3d4",)
        with sqlite3.connect(state_path()) as connection:
            connection.execute("DELETE FROM recall_traces")
        TraceStore().record(a_trace(2))
        await look(pilot)
        assert citations.found.rejected == ("a1b2c3d4",)
        text = screen_text(pilot.app)
        assert "trace 00000001 is unknown: nothing may be cited" in text
        await pilot.press("escape", "5")
        await settle(pilot)
        assert "✗ gone" in screen_text(pilot.app)
        await pilot.press("v")
        pane(pilot).list.action_first()
        await settle(pilot)
        assert "against this recall" in screen_text(pilot.app)

    drive(app_with(), script, size=(80, 24))


def test_the_trace_id_is_copied() -> None:
    TraceStore().record(a_trace(1))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "5", "j", "y")
        await settle(pilot)
        assert pilot.app.clipboard == a_trace(1).trace_id
        assert "trace id sent to the clipboard" in toasts(pilot.app)[-1]

    drive(app_with(), script)


@pytest.mark.parametrize("size", [(160, 45), (60, 15)])
def test_hostile_rows_of_the_store_do_no_harm(size: tuple[int, int]) -> None:
    TraceStore().record(a_trace(0))
    with sqlite3.connect(state_path()) as connection:
        for number, text in enumerate(HOSTILE):
            connection.execute(
                "INSERT INTO recall_traces (trace_id, source, mode, query_hash, kept_ids, steps,"
                " started_at, duration_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    f"{number} {text}".encode("utf-8", "replace"),
                    text.encode("utf-8", "replace"),
                    text.encode("utf-8", "replace"),
                    text.encode("utf-8", "replace"),
                    '["[/] \\u001b[2J"]' if number % 2 else "nonsense",
                    '[{"name": "[/] \\u001b", "meta": {"\\u202e[@click=x]": "\\u009b"}}]',
                    (1 << 62) if number % 3 else -(1 << 62),
                    float("1e300"),
                ),
            )

    async def script(pilot: Pilot[Any]) -> None:
        await look(pilot)
        await pilot.press("escape", "5")
        check(pilot)
        for _ in range(len(HOSTILE) + 1):
            await pilot.press("j", "enter", "G")
            check(pilot)
            await pilot.press("y", "escape")
        await settle(pilot)
        check(pilot)
        assert pilot.app.is_running

    drive(app_with(), script, size=size)


# Use counts


def test_use_counts_are_shown_and_follow_each_stored_recall() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        key = screen.view.recall.context.kept[0]
        screen.highlighted = key
        screen.inspector.turn(Face.MEMORY)
        await settle(pilot)
        assert "never used" in screen_text(pilot.app)
        await pilot.press("enter")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "used once, just now" in text
        assert " 1× " in text
        await type_query(pilot, QUERY + "s")
        await pilot.press("slash", "enter")
        await settle(pilot)
        assert "used 2 times, last just now" in screen_text(pilot.app)

    drive(app_with(), script, size=(160, 45))


def test_use_counts_in_words() -> None:
    counts = {
        "a": Use(3, int(NOW_MS - 2 * DAY_MS)),
        "b": Use(1, int(NOW_MS - 60_000)),
        "c": Use(1_200, int(NOW_MS + 5)),
    }
    uses = Uses(counts, NOW_MS)
    assert uses.words("a") == "used 3 times, last 2 days ago"
    assert uses.words("b") == "used once, 1 minute ago"
    assert uses.words("c") == "used 1,200 times, last just now"
    assert uses.words("d") == "never used"
    assert [uses.cell(key) for key in "abcd"] == ["3× 2d", "1× 1m", "1200× now", "–"]
    assert ago(25 * 3_600_000) == "1 day ago"


# The parts


def test_every_step_is_listed_with_what_came_out() -> None:
    view = view_of(QUERY)
    log = Log(view)
    text = "\n".join(
        "".join(piece.text for piece in each) for each in trace_lines(log, log.current, 60)
    )
    for step in view.recall.trace.steps:
        assert f"{step.name[:12]}" in text
        for name in step.meta:
            assert f"{name} " in text


def test_the_recall_on_the_screen_is_listed_once() -> None:
    view = view_of(QUERY)
    log = Log(view, (view.recall.trace, a_trace(1)), kept=True)
    assert len(cells_of(log)) == 2
    assert log.find("nonsense") is log.current


def cells_of(log: Log) -> Any:
    rows = log_rows(log)
    return [rows.cells(index) for index in range(len(rows))]


def test_times_fit_their_columns() -> None:
    for duration in (0.0, 0.04, 3.14, 99.96, 212.4, 999.4, 1_000.0, 12_345.0, 900_000.0):
        assert len(took(duration)) <= 7, duration
    for at_ms in (0, NOW_MS, time.time() * 1000, 1 << 62, -(1 << 62)):
        assert len(moment(int(at_ms))) <= 8


def test_the_options_say_that_the_app_asked() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert isinstance(board(pilot), MainScreen)
        assert board(pilot).view.recall.trace.source == "tui"

    drive(make_app(options=RecallOptions(now_ms=NOW_MS)), script)
