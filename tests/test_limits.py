"""Every limit has a range, and a value outside of it is refused."""

from __future__ import annotations

from dataclasses import fields

import pytest

from memtui.limits import RANGES, LimitError, Limits

CONTRACT = {
    "capped_scan_docs": 200,
    "candidate_docs": 200,
    "recent_reserve": 20,
    "manifest_bytes": 25_000,
    "manifest_description_chars": 512,
    "selected_docs": 5,
    "fast_docs": 2,
    "initial_wait_ms": 100,
    "selector_timeout_s": 30,
    "body_window_chars": 1_200,
    "query_tokens": 64,
    "recall_results": 20,
    "recall_candidates": 100,
    "context_chars": 12_000,
    "file_bytes": 1_048_576,
}


def test_the_defaults_are_those_of_the_contract_in_its_order() -> None:
    assert list(Limits().as_dict().items()) == list(CONTRACT.items())


def test_every_limit_has_a_range() -> None:
    assert list(RANGES) == [field.name for field in fields(Limits)]


@pytest.mark.parametrize("name", RANGES)
def test_both_ends_of_a_range_are_valid_and_what_lies_beyond_is_not(name: str) -> None:
    low, high = RANGES[name]
    others = {"recent_reserve": 0} if name == "candidate_docs" else {}
    if name == "recent_reserve":
        others = {"candidate_docs": high}
    for value in (low, high):
        assert getattr(Limits().with_values({**others, name: value}), name) == value
    for value in (low - 1, high + 1, 10**30, -(10**30)):
        with pytest.raises(LimitError, match=name):
            Limits().with_values({**others, name: value})


@pytest.mark.parametrize("value", [True, 1.0, "1", None, float("nan")])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(LimitError, match="whole number"):
        Limits(selected_docs=value)  # type: ignore[arg-type]


def test_the_reserve_is_at_most_the_candidates() -> None:
    with pytest.raises(LimitError, match="recent_reserve must be at most candidate_docs"):
        Limits(candidate_docs=10)
    assert Limits(candidate_docs=20).lexical_docs == 0


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(LimitError, match="there are: capped_scan_docs") as error:
        Limits().with_values({"nonsense": 1})
    assert "\n" not in str(error.value)
