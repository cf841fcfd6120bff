"""The budget: any request is accepted, and a clamp is visible."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.limits import Limits
from memtui.recall.budget import plan_budget
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from tests.helpers import load, make_document, make_pool


@pytest.mark.parametrize(
    "case", load("contract.json")["budgets"], ids=lambda case: str(case["input"])
)
def test_the_measured_budgets(case: dict[str, Any]) -> None:
    budget = plan_budget(case["input"])
    assert (budget.requested, budget.effective, budget.candidates) == (
        case["requested"],
        case["effective"],
        case["candidates"],
    )


@given(st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans()))
def test_any_request_gives_a_budget_within_the_limits(requested: object) -> None:
    budget = plan_budget(requested)
    assert 1 <= budget.effective <= min(20, budget.requested)
    assert budget.effective <= budget.candidates <= 100
    assert budget.capped == (budget.requested > budget.effective)


@given(st.integers(1, 10**6), st.integers(1, 50), st.integers(1, 200))
def test_the_ceilings_are_limits(requested: int, results: int, candidates: int) -> None:
    limits = Limits(recall_results=results, recall_candidates=candidates)
    budget = plan_budget(requested, limits)
    assert budget.effective == min(requested, results)
    assert budget.candidates == min(candidates, max(requested, 3 * budget.effective))


def test_a_clamp_is_visible_in_the_recall_its_trace_and_its_warnings() -> None:
    result = recall("apple", make_pool(make_document()), RecallOptions(requested_limit="50 please"))
    assert result.budget.capped
    assert (result.trace.requested_limit, result.trace.effective_limit) == (50, 20)
    assert result.trace.steps[0].meta["capped"] is True
    assert result.warnings == ("50 results were asked for; a recall gives 20 at most",)
