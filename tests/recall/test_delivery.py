"""What of a recall reaches the model in a turn, and when; all of it in virtual time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import threading
from collections.abc import Awaitable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from memtui import engine as engine_module
from memtui.engine import Engine
from memtui.limits import Limits
from memtui.memory.document import MemoryRootError, Pool, Scope
from memtui.memory.scan import Source
from memtui.recall.delivery import Delivered, deliver, simulate
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Prepared, Recall, prepare, recall, settle, settle_early
from memtui.recall.record import recall_record
from memtui.recall.selectors.base import SelectorRequest
from memtui.recall.trace import Tracer
from memtui.recall.turn import OUTCOMES, Delivery, Event, TurnPlan
from memtui.setup import Setup
from tests.helpers import make_document, make_pool, write_memory

Result = TypeVar("Result")

POOL = make_pool(
    *(make_document(f"n{n}.md", title=f"Deploy note {n}", mtime_ms=1e12 - n) for n in range(8)),
    make_document("other.md", title="Something else"),
)
IDS = [document.id for document in POOL.documents]
FAST = tuple(IDS[:2])
BEST = tuple(IDS[:5])


class VirtualTime:
    """A clock that jumps to the next alarm as soon as nobody has anything else to do."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self._alarms: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = itertools.count()

    def watch(self) -> float:
        return self.now_ms

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        at = self.now_ms + seconds * 1000
        heapq.heappush(self._alarms, (at, next(self._count), future))
        await future

    async def run(self, scene: Coroutine[Any, Any, Result]) -> Result:
        task = asyncio.ensure_future(scene)
        while True:
            for _ in range(30):
                await asyncio.sleep(0)
            if task.done():
                return task.result()
            at, _, future = heapq.heappop(self._alarms)
            if not future.done():
                self.now_ms = max(self.now_ms, at)
                future.set_result(None)


class SlowSelector:
    """Answers after a while of virtual time."""

    name = "model"
    replayable = False

    def __init__(self, time: VirtualTime, latency_ms: float, picks: tuple[str, ...]) -> None:
        self.time, self.latency_ms, self.picks = time, latency_ms, picks
        self.asked = 0
        self.cancelled = False

    async def warm_up(self) -> None:
        """Nothing to load."""

    async def answer(self, request: SelectorRequest, /) -> str:
        self.asked += 1
        try:
            await self.time.sleep(self.latency_ms / 1000)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        paths = [each.path for each in POOL.documents if each.id in self.picks]
        return json.dumps(paths)


class Scene:
    """A turn over the pool of this file, and what was seen of it while it went on."""

    def __init__(
        self,
        latency_ms: float,
        *,
        picks: tuple[str, ...] = BEST,
        query: str = "deploy",
        scan_ms: float = 3.0,
        cancel_ms: float | None = None,
        limits: Limits | None = None,
        **plan: Any,
    ) -> None:
        self.time = VirtualTime()
        self.selector = SlowSelector(self.time, latency_ms, picks)
        self.options = RecallOptions(selector=self.selector, limits=limits or Limits())
        self.query, self.scan_ms, self.cancel_ms = query, scan_ms, cancel_ms
        self.plan = TurnPlan(**plan)
        self.seen: list[Event] = []
        self.prepared: list[Prepared] = []
        self.ranked = 0
        self.delivered = asyncio.run(self._run())

    async def _run(self) -> Delivered:
        tracer = Tracer(lambda: 0.0, self.time.watch)
        cancel = asyncio.Event()

        async def first_half() -> Prepared:
            self.ranked += 1
            await self.time.sleep(self.scan_ms / 1000)
            return prepare(self.query, POOL, self.options, tracer=tracer)

        async def canceller(at_ms: float) -> None:
            await self.time.sleep(at_ms / 1000)
            cancel.set()

        if self.cancel_ms is not None:
            self.canceller = asyncio.ensure_future(canceller(self.cancel_ms))
        delivered = await self.time.run(
            deliver(
                first_half,
                elapsed_ms=tracer.elapsed_ms,
                ceiling_ms=self.options.limits.initial_wait_ms,
                plan=self.plan,
                sleep=self.time.sleep,
                on_prepared=self.prepared.append,
                on_event=self.seen.append,
                cancel=cancel,
            )
        )
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if self.cancel_ms is not None:
            left -= {self.canceller}
        assert left == set()
        return delivered

    @property
    def delivery(self) -> Delivery:
        return self.delivered.delivery


def outcomes(delivery: Delivery) -> list[tuple[float, str, tuple[str, ...]]]:
    return [(e.at_ms, e.outcome, e.ids) for e in delivery.events if e.outcome]


def times(delivery: Delivery) -> dict[str, float]:
    return {event.name: event.at_ms for event in delivery.events}


# The outcomes


def test_a_selector_of_20_ms_is_delivered_initially() -> None:
    scene = Scene(20)
    assert outcomes(scene.delivery) == [(80.0, "delivered_initial", BEST)]
    assert times(scene.delivery)["selector"] == 23.0
    assert scene.delivery.phase_of(BEST[0]) == "refined"


def test_a_selector_of_2_s_gives_the_fast_result_within_the_ceiling_then_the_rest() -> None:
    scene = Scene(2000)
    fast, later = outcomes(scene.delivery)
    assert fast == (80.0, "delivered_fast", FAST)
    assert fast[0] <= Limits().initial_wait_ms
    assert later == (2003.0, "delivered_later", BEST[2:])
    assert scene.delivery.delivered == BEST
    assert scene.delivery.outcome == "delivered_later"
    assert scene.delivery.phase_of(FAST[0]) == "fast"
    assert scene.delivery.phase_of(BEST[2]) == "refined"


def test_an_agent_that_sends_at_once_waits_only_for_the_fast_result() -> None:
    scene = Scene(20, request_ms=0)
    assert outcomes(scene.delivery)[0] == (3.0, "delivered_fast", FAST)
    assert scene.delivery.ended == "fast"


def test_without_a_later_point_the_rest_has_no_safe_delivery_point() -> None:
    scene = Scene(2000, later_point=False)
    assert outcomes(scene.delivery)[1] == (2003.0, "no_safe_delivery_point", BEST[2:])
    assert scene.delivery.delivered == FAST
    assert scene.delivery.outcome_of(BEST[4]) == "no_safe_delivery_point"
    assert scene.delivery.phase_of(BEST[4]) is None


@pytest.mark.parametrize("later_point", [True, False])
def test_a_result_that_the_fast_one_covers_is_already_delivered(later_point: bool) -> None:
    scene = Scene(2000, picks=FAST, later_point=later_point)
    assert scene.delivery.outcomes == ("delivered_fast", "already_delivered")


@pytest.mark.parametrize("latency_ms", [20, 2000])
def test_everything_delivered_by_earlier_turns_is_already_delivered(latency_ms: float) -> None:
    scene = Scene(latency_ms, delivered=frozenset(BEST))
    assert scene.delivery.outcomes == ("already_delivered",)
    assert scene.delivery.delivered == ()
    assert "fast" not in times(scene.delivery)


def test_what_an_earlier_turn_delivered_is_left_out() -> None:
    scene = Scene(2000, delivered=frozenset(BEST[:1]))
    assert outcomes(scene.delivery)[0][2] == BEST[1:2]
    assert scene.delivery.delivered == BEST[1:]


@pytest.mark.parametrize("later_point", [True, False])
@pytest.mark.parametrize("latency_ms", [20, 2000])
def test_nothing_selected_is_no_relevant_result(latency_ms: float, later_point: bool) -> None:
    scene = Scene(latency_ms, picks=(), query="zebra", later_point=later_point)
    assert scene.delivery.outcomes == ("no_relevant_results",)


def test_a_turn_with_nothing_fast_waits_to_the_ceiling_and_goes_on_without() -> None:
    scene = Scene(2000, picks=(IDS[8],), query="zebra")
    assert scene.delivery.ended == "ceiling"
    assert times(scene.delivery)["request"] == 100.0
    assert outcomes(scene.delivery) == [(2003.0, "delivered_later", (IDS[8],))]


def test_a_selector_within_the_ceiling_is_delivered_initially_where_nothing_is_fast() -> None:
    scene = Scene(90, picks=(IDS[8],), query="zebra", request_ms=0)
    assert scene.delivery.ended == "settled"
    assert outcomes(scene.delivery) == [(93.0, "delivered_initial", (IDS[8],))]


def test_a_scan_slower_than_the_ceiling_delivers_nothing_at_first() -> None:
    scene = Scene(2000, scan_ms=500)
    assert (scene.delivery.ended, times(scene.delivery)["request"]) == ("ceiling", 100.0)
    assert outcomes(scene.delivery) == [(2500.0, "delivered_later", BEST)]


def test_the_ceiling_is_a_limit() -> None:
    scene = Scene(2000, scan_ms=30, limits=Limits(initial_wait_ms=10), request_ms=0)
    assert times(scene.delivery)["ceiling"] == 10.0
    assert scene.delivery.outcomes == ("delivered_later",)


def test_a_settled_recall_is_preferred_whatever_ended_the_wait() -> None:
    by_fast = Scene(76)  # settles just before the request is ready
    assert (by_fast.delivery.ended, by_fast.delivery.outcome) == ("fast", "delivered_initial")
    by_ceiling = Scene(2000, picks=(IDS[8],), query="zebra", request_ms=3000)
    assert by_ceiling.delivery.ended == "ceiling"
    assert by_ceiling.delivery.outcome == "delivered_initial"


# Cancelling


@pytest.mark.parametrize("latency_ms", [20, 2000])
@pytest.mark.parametrize("cancel_ms", [0, 1, 10, 50])
def test_a_cancelled_turn_delivers_nothing(cancel_ms: float, latency_ms: float) -> None:
    scene = Scene(latency_ms, cancel_ms=cancel_ms)
    settled = cancel_ms > latency_ms
    assert scene.delivery.outcomes == ("cancelled",)
    assert scene.delivery.delivered == ()
    assert (scene.delivered.recall is not None) == settled
    assert scene.selector.cancelled == (bool(scene.selector.asked) and not settled)


def test_a_turn_cancelled_after_the_fast_result_delivers_nothing_more() -> None:
    scene = Scene(2000, cancel_ms=1000)
    assert scene.delivery.outcomes == ("delivered_fast", "cancelled")
    assert scene.delivery.delivered == FAST
    assert scene.selector.cancelled


def test_cancelling_the_task_leaves_nothing_behind() -> None:
    async def scene() -> SlowSelector:
        time = VirtualTime()
        selector = SlowSelector(time, 2000, BEST)

        async def first_half() -> Prepared:
            return prepare("deploy", POOL, RecallOptions(selector=selector))

        turn = deliver(first_half, elapsed_ms=time.watch, ceiling_ms=100, sleep=time.sleep)
        task = asyncio.ensure_future(turn)
        for _ in range(30):
            await asyncio.sleep(0)
        assert selector.asked == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return selector

    assert asyncio.run(scene()).cancelled


# Once only


@pytest.mark.parametrize("latency_ms", [20, 2000])
def test_every_stage_runs_once_and_the_fast_result_is_published_once(latency_ms: float) -> None:
    scene = Scene(latency_ms)
    result = scene.delivered.recall
    assert result is not None
    (prepared,) = scene.prepared
    assert scene.ranked == scene.selector.asked == 1
    assert result.hits is prepared.hits
    assert prepared.fast == tuple(hit.document for hit in prepared.hits[:2])
    names = [step.name for step in result.trace.steps]
    assert len(names) == len(set(names))
    assert [event.name for event in scene.seen].count("fast") == 1


def test_the_fast_result_is_seen_before_the_selector_answers() -> None:
    scene = Scene(2000)
    assert [event.name for event in scene.seen] == [
        "scan",
        "candidates",
        "fast",
        "waited",
        "request",
        "outcome",
        "ceiling",
        "selector",
        "outcome",
    ]
    assert list(scene.delivery.events) == scene.seen


def test_the_recall_is_the_one_that_is_made_without_a_turn() -> None:
    scene = Scene(2000)
    result = scene.delivered.recall
    assert result is not None
    assert result.delivery == scene.delivery
    alone = recall("deploy", POOL)
    for name in ("query", "hits", "candidates", "manifest", "fast"):
        assert getattr(result, name) == getattr(alone, name)
    assert (result.selection.strategy, result.selection.ids) == ("model", alone.selection.ids)


# Simulated


def simulated(latency_ms: float, **turn: Any) -> Delivery:
    tracer = Tracer(lambda: 0.0, lambda: 0.0)
    return simulate(recall("deploy", POOL, tracer=tracer), latency_ms, **turn)


def test_the_simulated_turn_is_the_one_that_runs() -> None:
    for latency_ms in (0, 20, 75, 90, 150, 2000):
        for later_point in (True, False):
            for delivered in (frozenset[str](), frozenset(BEST[:1]), frozenset(BEST)):
                turn: dict[str, Any] = {"later_point": later_point, "delivered": delivered}
                ran = Scene(latency_ms, scan_ms=0, **turn).delivery
                assert simulated(latency_ms, **turn) == ran


def test_a_simulated_turn_can_be_cancelled() -> None:
    assert simulated(2000, cancel_ms=10).outcomes == ("cancelled",)
    assert simulated(20, cancel_ms=50).outcomes == ("cancelled",)
    assert simulated(2000, cancel_ms=500).outcomes == ("delivered_fast", "cancelled")
    assert simulated(20, cancel_ms=500).outcomes == ("delivered_initial",)
    assert simulated(20, cancel_ms=80).outcomes == ("cancelled",)


def test_what_settles_at_the_last_moment_counts() -> None:
    assert simulated(80).outcomes == ("delivered_initial",)


def test_a_recall_without_hits_can_be_simulated() -> None:
    assert simulate(recall("zebra", POOL), 20).outcomes == ("no_relevant_results",)
    assert simulate(recall("", Pool()), 20).outcomes == ("no_relevant_results",)


def test_what_does_not_fit_the_context_is_not_delivered() -> None:
    result = recall("deploy", POOL, RecallOptions(limits=Limits(context_chars=900)))
    assert 0 < len(result.context.kept) < 5
    assert simulate(result, 20).delivered == result.context.kept


def test_the_record_holds_the_timeline_and_no_text() -> None:
    scene = Scene(2000)
    assert scene.delivered.recall is not None
    record: Any = recall_record(scene.delivered.recall, traced=False)
    delivery = record["delivery"]
    assert delivery["outcome"] == "delivered_later"
    assert delivery["outcomes"] == ["delivered_fast", "delivered_later"]
    assert delivery["events"][0] == {"name": "scan", "at_ms": 3.0, "ids": [], "outcome": None}
    assert "Deploy" not in json.dumps(delivery)


def test_every_outcome_has_words() -> None:
    assert all(OUTCOMES.values())


# The engine


def engine_over(root: Path, **options: Any) -> Engine:
    source = Source(Scope.PROJECT, str(root), "qwen", True)
    return Engine(Setup(sources=(source,), options=RecallOptions(**options)))


def test_the_engine_scans_once_and_ranks_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        write_memory(tmp_path, f"{name}.md", title="Deploy")
    counts = {"scan": 0, "rank": 0}
    scan = engine_module.scan_pool  # type: ignore[attr-defined]

    def counting_scan(*arguments: Any, **options: Any) -> Pool:
        counts["scan"] += 1
        assert threading.current_thread() is not threading.main_thread()
        return scan(*arguments, **options)

    def counting_expansion(query: str, pool: Pool) -> list[str]:
        counts["rank"] += 1
        return []

    monkeypatch.setattr(engine_module, "scan_pool", counting_scan)
    engine = engine_over(tmp_path, expand=counting_expansion)
    delivered = asyncio.run(engine.recall_async("deploy"))
    assert counts == {"scan": 1, "rank": 1}
    assert delivered.recall is not None
    assert delivered.recall.selection.strategy == "heuristic"
    assert delivered.delivery.outcome is not None


def test_the_engine_recalls_over_a_pool_that_is_there() -> None:
    delivered = asyncio.run(Engine(Setup()).recall_async("deploy", POOL))
    assert isinstance(delivered.recall, Recall)
    assert delivered.recall.selection.ids == BEST


def test_a_root_that_is_not_there_is_the_same_error_as_without_a_turn(tmp_path: Path) -> None:
    turn: Awaitable[Delivered] = engine_over(tmp_path / "none").recall_async("deploy")
    with pytest.raises(MemoryRootError):
        asyncio.run(turn)  # type: ignore[arg-type]


def test_while_a_selector_is_asked_the_recall_stands_at_its_early_result() -> None:
    prepared = prepare("deploy note", POOL, RecallOptions(), tracer=Tracer())
    before = prepared.tracer.steps
    early = settle_early(prepared)
    assert early.selection.ids == FAST
    assert early.context.kept == FAST
    assert early.warnings == ()
    assert early.trace.trace_id == prepared.tracer.trace_id
    assert prepared.tracer.steps == before
    whole = settle(prepared)
    assert whole.selection.ids == BEST
    assert [step.name for step in whole.trace.steps].count("select.final") == 1


def test_what_a_selector_is_asked_is_the_same_before_and_after() -> None:
    prepared = prepare("deploy note", POOL, RecallOptions(), tracer=Tracer())
    assert settle(prepared).request == prepared.request
    assert recall(" ", POOL).request is None
    assert recall("deploy", Pool()).request is None
