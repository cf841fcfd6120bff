"""The last stage of the ladder, where a turn is simulated: every reason can be reached."""

from __future__ import annotations

import pytest

from memtui.memory.document import Document
from memtui.recall.delivery import simulate
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall, prepare, settle
from memtui.recall.selectors.given import ManualSelector
from memtui.recall.turn import Delivery
from memtui.recall.why.delivered import REASON_OF, climb_turn
from memtui.recall.why.ladder import REASONS, STAGES, Rung, lost_at
from memtui.recall.why.target import Missing
from tests.helpers import make_document, make_pool

POOL = make_pool(*(make_document(f"n{n}.md", title=f"Deploy {n}", mtime_ms=n) for n in range(8)))
SLOW_MS = 2_000


def made(answer: str | None = None) -> Recall:
    """A recall in which five are selected, the first two of them early."""
    selector = None if answer is None else ManualSelector(answer)
    return settle(prepare("deploy", POOL, RecallOptions(selector=selector)), answer)


def last_selected(result: Recall) -> Document:
    document = result.selection.documents[-1]
    assert document.id not in [each.id for each in result.fast]
    return document


def delivery_of(result: Recall, document: Document, turn: Delivery) -> Rung:
    rungs = climb_turn(result, document, turn)
    assert [rung.stage for rung in rungs] == [*STAGES, "delivery"]
    return rungs[-1]


def test_what_is_delivered_passes() -> None:
    result = made()
    for latency_ms in (20, SLOW_MS):
        for document in result.selection.documents:
            rung = delivery_of(result, document, simulate(result, latency_ms))
            assert (rung.verdict, rung.reason) == ("passed", None)


def test_without_a_later_point_the_rest_is_lost_at_delivery() -> None:
    result = made()
    turn = simulate(result, SLOW_MS, later_point=False)
    rungs = climb_turn(result, last_selected(result), turn)
    assert (rungs[-1].verdict, rungs[-1].reason) == ("lost", "no-safe-delivery-point")
    assert lost_at(rungs) == "delivery"
    assert delivery_of(result, result.fast[0], turn).verdict == "passed"


@pytest.mark.parametrize("latency_ms", [20, SLOW_MS])
def test_what_an_earlier_turn_delivered_is_not_lost(latency_ms: int) -> None:
    result = made()
    before = frozenset(result.selection.ids)
    rungs = climb_turn(
        result, last_selected(result), simulate(result, latency_ms, delivered=before)
    )
    assert (rungs[-1].verdict, rungs[-1].reason) == ("missed", "already-delivered")
    assert lost_at(rungs) is None


@pytest.mark.parametrize("cancel_ms", [0, 500])
def test_what_a_cancelled_turn_has_not_delivered_is_lost(cancel_ms: int) -> None:
    result = made()
    turn = simulate(result, SLOW_MS, cancel_ms=cancel_ms)
    rung = delivery_of(result, last_selected(result), turn)
    assert (rung.verdict, rung.reason) == ("lost", "cancelled")


def test_what_an_earlier_turn_delivered_is_not_lost_to_a_cancellation() -> None:
    result = made()
    document = last_selected(result)
    turn = simulate(result, SLOW_MS, delivered=frozenset({document.id}), cancel_ms=500)
    rung = delivery_of(result, document, turn)
    assert (rung.verdict, rung.reason) == ("missed", "already-delivered")


def test_a_memory_of_earlier_turns_beside_new_ones_is_already_delivered() -> None:
    result = made()
    document = last_selected(result)
    turn = simulate(result, 20, delivered=frozenset({document.id}))
    assert turn.outcomes == ("delivered_initial",)
    assert turn.outcome_of(document.id) == "already_delivered"
    rung = delivery_of(result, document, turn)
    assert (rung.verdict, rung.reason) == ("missed", "already-delivered")


def test_what_is_lost_before_does_not_come_to_delivery() -> None:
    result = made()
    other = next(each for each in result.eligible if each.id not in result.selection.ids)
    rungs = climb_turn(result, other, simulate(result, 20))
    assert lost_at(rungs) == "selection"
    assert (rungs[-1].stage, rungs[-1].verdict) == ("delivery", "not-reached")
    missing = Missing("no.md", "/memory/no.md", "no-such-file", "it is not there", "look again")
    assert climb_turn(result, missing, simulate(result, 20))[-1].verdict == "not-reached"


def test_what_the_early_result_delivered_is_not_lost_where_a_model_picked_others() -> None:
    result = made('["/memory/n0.md"]')
    early = result.fast[0]
    assert early.id not in result.selection.ids
    rungs = climb_turn(result, early, simulate(result, SLOW_MS))
    assert lost_at(rungs) is None
    verdicts = {rung.stage: (rung.verdict, rung.reason) for rung in rungs}
    assert verdicts["selection"] == ("missed", "model-did-not-pick")
    assert verdicts["context"] == ("not-reached", None)
    assert verdicts["delivery"] == ("passed", None)


def test_every_reason_of_the_stage_has_words() -> None:
    assert set(REASON_OF.values()) <= set(REASONS)
