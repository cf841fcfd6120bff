"""Metrics: equal to ranx and scikit-learn as measured, and to their definitions on anything."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.evaluate.metrics import (
    CUTS,
    METRICS,
    RANK_METRICS,
    Threshold,
    averages,
    ndcg,
    rank_scores,
)
from tests.helpers import load

MEASURED = load("metrics.json")["rankings"]

Ranking = tuple[list[int], set[int]]


def ranks_of(order: list[str], relevant: list[str]) -> list[int | None]:
    return [order.index(each) + 1 if each in order else None for each in relevant]


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    """A ranking without repeats, empty or not, and what is relevant, ranked or not."""
    documents = draw(st.lists(st.integers(0, 60), unique=True, max_size=40))
    others = draw(st.sets(st.integers(0, 60), max_size=6))
    some = draw(st.sets(st.sampled_from(documents), max_size=12)) if documents else set()
    relevant = some | others or {99}
    return documents, relevant


# From here to the next line, an implementation of its own: it walks the ranking place by place and
# knows no ranks, and uses nothing of the one that it checks.


def by_definition(order: list[int], relevant: set[int]) -> dict[str, float]:
    found = {}
    for cut in (1, 3, 5, 10, 20):
        head = set(order[:cut])
        found[f"recall_any@{cut}"] = 1.0 if head & relevant else 0.0
        found[f"recall_all@{cut}"] = 1.0 if len(head & relevant) == len(relevant) else 0.0
    found["mrr"] = 0.0
    for place in range(len(order)):
        if order[place] in relevant:
            found["mrr"] = 1.0 / (place + 1)
            break
    gains = [1 if document in relevant else 0 for document in order[:10]]
    best = sorted([1] * len(relevant) + [0] * 10, reverse=True)[:10]
    found["ndcg@10"] = discounted(gains) / discounted(best)
    return found


def discounted(gains: list[int]) -> float:
    total = 0.0
    for place, gain in enumerate(gains):
        total += (2**gain - 1) * math.log(2) / math.log(place + 2)
    return total


# ------------------------------------------------------------------------------------------------


def test_metrics_are_those_of_ranx() -> None:
    assert len(MEASURED) > 100
    for each in MEASURED:
        scores = rank_scores(ranks_of(each["order"], each["relevant"]))
        assert scores == pytest.approx(each["ranx"], abs=1e-8), each


def test_ndcg_is_that_of_scikit_learn() -> None:
    for each in MEASURED:
        ranks = ranks_of(each["order"], each["relevant"])
        assert ndcg(ranks) == pytest.approx(each["sklearn_ndcg@10"], abs=1e-8), each


def test_the_measured_rankings_hold_the_odd_ones() -> None:
    assert any(not each["order"] for each in MEASURED)
    assert any(len(each["relevant"]) > 10 for each in MEASURED)
    assert any(set(each["relevant"]) - set(each["order"]) for each in MEASURED if each["order"])


@given(rankings())
def test_metrics_follow_their_definitions(ranking: Ranking) -> None:
    order, relevant = ranking
    ranks = ranks_of([str(each) for each in order], [str(each) for each in relevant])
    assert rank_scores(ranks) == pytest.approx(by_definition(order, relevant))


@given(rankings())
def test_recall_grows_with_the_cut_and_any_is_at_least_all(ranking: Ranking) -> None:
    order, relevant = ranking
    scores = rank_scores(ranks_of([str(each) for each in order], [str(each) for each in relevant]))
    for kind in ("any", "all"):
        values = [scores[f"recall_{kind}@{cut}"] for cut in CUTS]
        assert values == sorted(values)
    assert all(scores[f"recall_any@{cut}"] >= scores[f"recall_all@{cut}"] for cut in CUTS)
    assert all(0 <= value <= 1 + 1e-12 for value in scores.values())


@given(st.permutations([1, 4, None, 12]))
def test_the_order_in_which_a_case_names_its_memories_changes_nothing(
    ranks: list[int | None],
) -> None:
    assert rank_scores(ranks) == rank_scores([1, 4, None, 12])


def test_a_mean_counts_only_the_cases_that_have_the_metric() -> None:
    found = averages([{"mrr": 1.0}, {"mrr": 0.5}, {"silent": 0.0}])
    assert found["mrr"] == 0.75
    assert found["silent"] == 0.0
    assert found["ndcg@10"] is None
    assert list(found) == list(METRICS)


def test_nothing_to_average_gives_no_numbers() -> None:
    assert set(averages([]).values()) == {None}


def test_every_rank_metric_is_reported() -> None:
    assert set(rank_scores([1])) == set(RANK_METRICS)
    assert set(RANK_METRICS) < set(METRICS)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("mrr", "wants METRIC=VALUE"),
        ("=0.5", "no metric is called ''"),
        ("recall=0.5", "no metric is called 'recall'; there are: recall_any@1"),
        ("mrr=", "a number from 0 to 1, not ''"),
        ("mrr=high", "a number from 0 to 1, not 'high'"),
        ("mrr=1.5", "a number from 0 to 1, not '1.5'"),
        ("mrr=-0.1", "a number from 0 to 1"),
        ("mrr=nan", "a number from 0 to 1"),
        ("mrr=inf", "a number from 0 to 1"),
    ],
)
def test_a_threshold_that_makes_no_sense_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        Threshold(text)


def test_a_threshold_says_what_was_reached() -> None:
    assert Threshold("mrr = 0.5").failure({"mrr": 0.5}) is None
    assert Threshold("mrr=0.5").failure({"mrr": 0.25}) == "mrr is 0.25, below 0.5"
    assert "no case counts" in (Threshold("silent=0").failure({"silent": None}) or "")
