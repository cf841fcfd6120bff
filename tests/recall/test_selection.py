"""An answer is validated against the manifest, all or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memtui.limits import Limits
from memtui.recall.manifest import Manifest
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall, prepare, recall, settle
from memtui.recall.selection import (
    MOST_ANSWER_CHARS,
    REFUSALS,
    Refusal,
    select_heuristically,
    validate_answer,
)
from memtui.recall.selectors.given import ManualSelector
from tests.helpers import make_document, make_pool

POOL = make_pool(*(make_document(f"n{n}.md", title=f"Deploy note {n}") for n in range(8)))


def manifest() -> Manifest:
    return recall("deploy", POOL).manifest


def answer(*paths: str) -> str:
    return json.dumps({"selected_memories": list(paths)})


def path(number: int) -> str:
    return f"/memory/n{number}.md"


def selected_with(text: str, **limits: int) -> Recall:
    options = RecallOptions(limits=Limits().with_values(limits), selector=ManualSelector(text))
    return recall("deploy", POOL, options)


def refusal(text: str, limit: int = 5) -> Refusal:
    found = validate_answer(text, manifest(), limit)
    assert isinstance(found, Refusal)
    return found


def test_the_named_documents_are_selected_in_the_order_of_the_answer() -> None:
    result = selected_with(answer(path(5), path(2)))
    assert [each.relative_path for each in result.selection.documents] == ["n5.md", "n2.md"]
    assert result.selection.strategy == "model"
    assert result.selection.answered
    assert result.selection.refused is None
    assert result.trace.mode == "lexical/model"
    assert result.context.kept == result.selection.ids


def test_a_list_alone_is_an_answer_too() -> None:
    assert selected_with(json.dumps([path(1)])).selection.strategy == "model"


def test_white_space_around_the_answer_is_no_prose() -> None:
    assert selected_with(f"\n  {answer(path(1))}\n").selection.strategy == "model"


def test_duplicates_count_once() -> None:
    found = validate_answer(answer(*[path(1), path(2)] * 5), manifest(), 2)
    assert not isinstance(found, Refusal)
    assert [each.path for each in found] == [path(1), path(2)]


def test_an_empty_list_is_valid_and_no_fallback_follows() -> None:
    result = selected_with(answer())
    assert result.selection.strategy == "none"
    assert result.selection.answered
    assert result.selection.documents == ()
    assert result.selection.refused is None
    assert result.context.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I choose the first note.",
        f"Sure! {answer(path(1))}",
        f"```json\n{answer(path(1))}\n```",
        answer(path(1))[:-1],
        "null",
        "7",
        f'"{path(1)}"',
        json.dumps({"selected_memories": path(1)}),
        json.dumps({"selected_memories": [1]}),
        json.dumps({"selected_memories": [[path(1)]]}),
        json.dumps({"memories": [path(1)]}),
        "[" * 50_000,
        "9" * 50_000,
    ],
    ids=lambda text: repr(text[:30]),
)
def test_what_is_not_the_json_asked_for_is_refused(text: str) -> None:
    assert refusal(text).reason == "invalid-json"


def test_more_paths_than_the_limit_are_refused() -> None:
    six = answer(*map(path, range(6)))
    assert refusal(six).text == "too many paths: 6 of at most 5"
    assert not isinstance(validate_answer(six, manifest(), 6), Refusal)


@pytest.mark.parametrize(
    "unknown", ["/memory/other.md", "n1.md", "memory/n1.md", "/memory/./n1.md", "/MEMORY/n1.md", ""]
)
def test_one_path_that_is_not_in_the_manifest_refuses_the_whole_answer(unknown: str) -> None:
    found = refusal(answer(path(1), unknown))
    assert found.reason == "unknown-path"
    assert (unknown or "an empty path") in found.text


def test_a_document_that_was_not_packed_may_not_be_named() -> None:
    everything = manifest()
    two_lines = len("\n".join(everything.text.split("\n")[:2]).encode())
    result = selected_with(answer(path(7)), manifest_bytes=two_lines)
    assert len(result.manifest.packed) == 2
    assert result.selection.reason == "unknown-path"


def test_a_long_unknown_path_is_shortened_to_its_end_and_harmless() -> None:
    found = refusal(answer("/x" * 500 + "/\x1b[31mend.md"))
    assert "end.md is not in the manifest" in found.text
    assert len(found.text) < 140
    assert "\x1b" not in found.text


def test_a_huge_answer_is_refused_unread() -> None:
    assert refusal(" " * (MOST_ANSWER_CHARS + 1)).reason == "too-large"


def test_a_path_that_utf8_can_not_carry_can_still_be_named() -> None:
    odd = make_document("caf\udce9.md", title="Deploy coffee")
    options = RecallOptions(selector=ManualSelector(answer("/memory/caf\ufffd.md")))
    assert recall("deploy", make_pool(odd), options).selection.documents == (odd,)


def test_a_refused_answer_leaves_what_the_heuristic_picks_and_says_so() -> None:
    result, plain = selected_with("no"), recall("deploy", POOL)
    selection = result.selection
    assert selection.documents == plain.selection.documents
    assert (selection.strategy, selection.reason) == ("heuristic", "invalid-json")
    assert selection.selector == "manual"
    assert not selection.answered
    assert selection.refused == "no valid JSON: the answer is not JSON alone"
    assert any("no valid JSON" in warning for warning in result.warnings)


def test_the_trace_holds_the_reason_and_not_the_path() -> None:
    result = selected_with(answer("/secret/plan.md"))
    step = next(step for step in result.trace.steps if step.name == "select.final")
    assert step.meta["refused"] == "unknown-path"
    assert "secret" not in json.dumps(result.trace.as_json())


def test_the_requested_limit_bounds_the_answer() -> None:
    options = RecallOptions(requested_limit=1, selector=ManualSelector(answer(path(1), path(2))))
    assert recall("deploy", POOL, options).selection.reason == "too-many-paths"


class Nobody:
    """A selector that must not be asked."""

    name = "model"
    replayable = False

    async def warm_up(self) -> None:
        raise AssertionError("asked")

    async def answer(self, request: Any, /) -> Any:
        raise AssertionError("asked")


@pytest.mark.parametrize(
    ("query", "limits"), [("deploy", {"manifest_bytes": 0}), ("  ", {}), ("", {})]
)
def test_an_empty_manifest_or_query_asks_nobody(query: str, limits: dict[str, int]) -> None:
    options = RecallOptions(limits=Limits().with_values(limits), selector=Nobody())
    selection = recall(query, POOL, options).selection
    assert (selection.strategy, selection.documents) == ("none", ())
    assert (selection.selector, selection.refused) == (None, None)


def test_a_limit_of_zero_selects_nothing() -> None:
    hits = recall("deploy", POOL).hits
    assert select_heuristically(hits, 0).strategy == "none"
    assert validate_answer(answer(), manifest(), 0) == ()


def test_both_halves_together_are_the_whole_recall() -> None:
    options = RecallOptions(now_ms=1.0)
    whole, halves = recall("deploy", POOL, options), settle(prepare("deploy", POOL, options))
    for name in ("query", "hits", "candidates", "manifest", "fast", "selection", "warnings"):
        assert getattr(whole, name) == getattr(halves, name)
    assert [step.name for step in whole.trace.steps] == [step.name for step in halves.trace.steps]
    assert halves.delivery is None


def test_every_reason_has_words() -> None:
    assert all(REFUSALS.values())
    assert Refusal("timed-out").text == "timed out"
