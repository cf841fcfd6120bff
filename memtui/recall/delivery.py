"""Delivery: a recall that runs beside an agent's turn, and the same turn simulated."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from memtui.recall.pipeline import Prepared, Recall, settle
from memtui.recall.selectors.base import ask
from memtui.recall.turn import Delivery, Event, Turn, TurnPlan

Sleep = Callable[[float], Awaitable[object]]
"""Waits for a number of seconds."""


@dataclass(frozen=True)
class Delivered:
    """How a turn went."""

    delivery: Delivery
    """What reached the model, and when."""
    recall: Recall | None
    """The recall, with the same delivery; None if it had not settled when it was cancelled."""


async def deliver(
    prepare: Callable[[], Awaitable[Prepared]],
    *,
    elapsed_ms: Callable[[], float],
    ceiling_ms: float,
    plan: TurnPlan | None = None,
    sleep: Sleep = asyncio.sleep,
    on_prepared: Callable[[Prepared], None] | None = None,
    on_event: Callable[[Event], None] | None = None,
    cancel: asyncio.Event | None = None,
) -> Delivered:
    """Runs a recall beside a turn; every stage runs once, and the selector is asked last.

    Cancelling the task that awaits this cancels the selector's call too.

    Args:
        prepare: gives the first half of the recall.
        elapsed_ms: milliseconds since the recall began.
        ceiling_ms: most milliseconds of the first wait.
        plan: what the turn is like.
        sleep: waits; another one makes time virtual.
        on_prepared: called once, when candidates and the early result exist.
        on_event: called with every event of the timeline as it happens.
        cancel: ends the turn when it is set.

    Raises:
        MemoryRootError: from ``prepare``.

    """
    plan = plan or TurnPlan()
    turn = Turn(plan, on_event)

    async def recall() -> Recall:
        prepared = await prepare()
        _tell_prepared(turn, prepared, elapsed_ms())
        if on_prepared is not None:
            on_prepared(prepared)
        selector, request = prepared.options.selector, prepared.request
        answer = None
        if selector is not None and request is not None:
            answer = await ask(selector, request, prepared.options.limits.selector_timeout_s)
        result = settle(prepared, answer)
        turn.settled(elapsed_ms(), result.context.kept)
        return result

    async def alarm(at_ms: float, ring: Callable[[float], None]) -> None:
        await sleep(max(0.0, at_ms - elapsed_ms()) / 1000)
        ring(elapsed_ms())

    recalling = asyncio.ensure_future(recall())
    cancelling = asyncio.ensure_future((cancel or asyncio.Event()).wait())
    readying = asyncio.ensure_future(alarm(plan.request_ms, turn.ready))
    limiting = asyncio.ensure_future(alarm(ceiling_ms, turn.ceiling))
    try:
        for awaited in (recalling, readying):
            await asyncio.wait((awaited, cancelling), return_when=asyncio.FIRST_COMPLETED)
            if cancelling.done():
                turn.cancel(elapsed_ms())
                break
        result = await recalling if recalling.done() else None
        delivery = turn.delivery
        return Delivered(delivery, result and replace(result, delivery=delivery))
    finally:
        tasks = (recalling, cancelling, readying, limiting)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def simulate(
    recall: Recall,
    latency_ms: float,
    *,
    later_point: bool = True,
    delivered: frozenset[str] = frozenset(),
    request_ms: float | None = None,
    cancel_ms: float | None = None,
) -> Delivery:
    """The turn that follows if the selector of a recall takes ``latency_ms``, in virtual time.

    The times of the other stages are those that the recall's trace measured. What the selector
    picks is what the recall has selected.

    Args:
        recall: a recall that was made.
        latency_ms: how long the selector takes.
        later_point: whether a later request of the turn can carry what came too late.
        delivered: ids that earlier turns delivered.
        request_ms: when the first request is ready but for the memory; an ordinary time without.
        cancel_ms: when the turn is cancelled, if it is.

    """
    plan = TurnPlan(later_point=later_point, delivered=delivered)
    plan = plan if request_ms is None else replace(plan, request_ms=request_ms)
    at = {step.name: step.elapsed_ms for step in recall.trace.steps}
    fast_ms = at["select.fast"]
    settled_ms = fast_ms + latency_ms + (at["recall.final"] - at["select.final"])
    turn = Turn(plan)
    happenings: list[tuple[float, int, Callable[[float], None]]] = [
        (fast_ms, 1, lambda now: _tell_prepared(turn, recall, now)),
        (settled_ms, 2, lambda now: turn.settled(now, recall.context.kept)),
        (recall.options.limits.initial_wait_ms, 3, turn.ceiling),
        (plan.request_ms, 4, turn.ready),
    ]
    if cancel_ms is not None:
        happenings.append((cancel_ms, 0, turn.cancel))
    for now, _, happen in sorted(happenings, key=lambda each: each[:2]):
        happen(now)
    return turn.delivery


def _tell_prepared(turn: Turn, half: Prepared | Recall, at_ms: float) -> None:
    """Tells a turn what the first half of a recall has found, with the times it measured."""
    steps = half.tracer.steps if isinstance(half, Prepared) else half.trace.steps
    at = {step.name: step.elapsed_ms for step in steps}
    turn.scanned(min(at["scan.pool"], at_ms))
    turn.prepared(
        at_ms,
        tuple(each.document.id for each in half.candidates),
        tuple(document.id for document in half.fast),
    )
