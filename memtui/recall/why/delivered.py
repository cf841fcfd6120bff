"""The ladder of a simulated turn: the stages of its recall, and ``delivery`` as the last one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtui.memory.document import Document
from memtui.recall.pipeline import Recall
from memtui.recall.turn import OUTCOMES, Delivery, Outcome
from memtui.recall.why.ladder import Rung, VerdictName, climb, lost_at
from memtui.recall.why.target import Target

REASON_OF: Mapping[Outcome, str] = {
    "no_safe_delivery_point": "no-safe-delivery-point",
    "already_delivered": "already-delivered",
    "cancelled": "cancelled",
}
"""The outcomes that keep a memory from being delivered, each with its reason."""


def climb_turn(result: Recall, target: Target, delivery: Delivery) -> tuple[Rung, ...]:
    """The verdict of every stage for one memory, and of the turn in which it was recalled.

    What the early result delivered is not lost, even if the selector picked others then.

    Args:
        result: the recall.
        target: the memory.
        delivery: a turn with this recall.

    """
    rungs = climb(result, target)
    if isinstance(target, Document) and delivery.phase_of(target.id) is not None:
        rungs = tuple(map(_not_fatal, rungs))
    if not isinstance(target, Document) or lost_at(rungs) is not None:
        return (*rungs, Rung("delivery", "not-reached"))
    return (*rungs, delivery_rung(delivery, target.id))


def delivery_rung(delivery: Delivery, document_id: str) -> Rung:
    """Whether a turn delivered a selected document; one that was delivered before is not lost."""
    event = next((e for e in delivery.events if e.outcome and document_id in e.ids), None)
    outcome = delivery.outcome_of(document_id)
    if outcome is None and delivery.outcome == "cancelled":  # before the selector answered
        given = document_id in delivery.plan.delivered
        outcome = "already_delivered" if given else "cancelled"
    if outcome is None:
        return Rung("delivery", "not-reached")
    at = "" if event is None else f" at {event.at_ms:,.0f} ms"
    detail = f"{outcome}{at}: {OUTCOMES[outcome]}"
    reason = REASON_OF.get(outcome)
    if reason is None:
        return Rung("delivery", "passed", detail=detail)
    verdict: VerdictName = "missed" if outcome == "already_delivered" else "lost"
    return Rung("delivery", verdict, reason, detail)


def _not_fatal(rung: Rung) -> Rung:
    return replace(rung, verdict="missed") if rung.verdict == "lost" else rung
