"""The recall equals the strict scanner and ranker, stage by stage, on the measured pools."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from memtui.memory.document import Pool, Scope
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.query import parse_query
from memtui.recall.rank import folded_texts, score
from memtui.recall.selection import select_heuristically
from tests.helpers import load, make_document, make_pool

CASES = load("rank.json")


def pool_of(case: dict[str, Any]) -> Pool:
    documents = []
    for place, values in enumerate(case["docs"]):
        scope = (
            Scope.USER if values["path"].startswith("/home/dev/.qwen/memories") else Scope.PROJECT
        )
        documents.append(make_document(**values, id=f"{place:08x}", scope=scope))
    return make_pool(*documents)


@pytest.fixture(params=CASES, ids=[case["name"] for case in CASES])
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def result(case: dict[str, Any]) -> Recall:
    options = RecallOptions(recent_tools=tuple(case["recent_tools"]))
    return recall(case["query"], pool_of(case), options)


def paths(documents: Any) -> list[str]:
    return [document.path for document in documents]


def test_tokens(case: dict[str, Any], result: Recall) -> None:
    assert list(result.query.tokens) == case["expect"]["tokens"]


def test_noise(case: dict[str, Any], result: Recall) -> None:
    assert paths(noise.document for noise in result.noise) == case["expect"]["noise"]


def test_scores(case: dict[str, Any], result: Recall) -> None:
    texts = folded_texts(result.pool, result.options.limits.body_window_chars)
    scores = [
        score(text, each.type, result.query.tokens).total
        for text, each in zip(texts, result.pool.documents, strict=True)
    ]
    assert scores == case["expect"]["scores"]


def test_lexical_order(case: dict[str, Any], result: Recall) -> None:
    assert paths(hit.document for hit in result.hits)[:180] == case["expect"]["lexical"]


def test_candidates(case: dict[str, Any], result: Recall) -> None:
    assert paths(each.document for each in result.candidates) == case["expect"]["candidates"]


def test_manifest(case: dict[str, Any], result: Recall) -> None:
    expect = case["expect"]
    text = result.manifest.text
    assert paths(each.document for each in result.manifest.packed) == expect["manifest_paths"]
    assert text.split("\n")[0] == expect["first_line"]
    assert result.manifest.bytes == len(text.encode()) == expect["manifest_bytes"]
    assert hashlib.sha256(text.encode()).hexdigest() == expect["manifest_sha256"]


def test_fallback(case: dict[str, Any], result: Recall) -> None:
    assert (
        paths(select_heuristically(result.hits, case["limit"]).documents)
        == case["expect"]["fallback"]
    )


@pytest.mark.parametrize("case", load("tokenize.json"), ids=lambda case: case["query"][:20])
def test_tokenize(case: dict[str, Any]) -> None:
    assert list(parse_query(case["query"]).tokens) == case["tokens"]
