"""``--json``: every key of the contract is there; keys are only ever added."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memtui.limits import Limits
from memtui.state import state_path
from tests.cli.running import memtui

NUMBER = (int, float)
OPTIONAL_TEXT = (str, type(None))
DOCUMENT = {
    "scope": str,
    "path": str,
    "relative_path": str,
    "type": str,
    "title": str,
    "description": str,
    "mtime_ms": NUMBER,
    "managed": bool,
}
POOL = {
    "documents": int,
    "skipped": int,
    "complete": bool,
    "scopes": [
        {
            "scope": str,
            "root": str,
            "dialect": str,
            "status": str,
            "documents": int,
            "skipped": int,
            "error": OPTIONAL_TEXT,
        }
    ],
}
SKIPPED = [{"path": str, "scope": str, "reason": str, "detail": str, "remedy": str}]
STEP = {"name": str, "at": int, "elapsedMs": NUMBER, "meta": dict}
TRACE = {
    "trace_id": str,
    "source": str,
    "mode": str,
    "query_hash": str,
    "query_chars": int,
    "requested_limit": int,
    "effective_limit": int,
    "candidate_limit": int,
    "kept_ids": [str],
    "steps": [STEP],
    "started_at": int,
    "ended_at": int,
    "duration_ms": NUMBER,
}
RECALL = {
    "schema": "memtui.recall/1",
    "reproduces": "qwen-code 0.24",
    "ranker": "lexical",
    "recent_tools": [str],
    "ablations": dict,
    "now_ms": NUMBER,
    "trace_id": str,
    "traced": bool,
    "requested_limit": int,
    "effective_limit": int,
    "candidate_limit": int,
    "capped": bool,
    "query": {"sha256": str, "chars": int, "tokens": [str], "added_terms": [str]},
    "limits": dict.fromkeys(Limits().as_dict(), int),
    "warnings": [str],
    "pool": POOL,
    "skipped": SKIPPED,
    "noise": [str],
    "lexical": [
        {
            "id": str,
            "score": NUMBER,
            "rank": int,
            "points": dict.fromkeys(("title", "description", "body", "type"), NUMBER),
        }
    ],
    "candidates": [
        {
            "id": str,
            "origin": str,
            "position": int,
            "packed": bool,
            "bytes": int,
            "cumulative_bytes": int,
            "bytes_left": int,
        }
    ],
    "manifest": {"text": str, "bytes": int, "lines": int, "binds": str},
    "selection": {"strategy": str, "ids": [str], "refused": OPTIONAL_TEXT},
    "context": {"text": str, "chars": int, "kept": [str], "dropped": [str], "reason": str},
    "trace": TRACE,
    "documents": dict,
}
WHY = {
    "schema": "memtui.why/1",
    "document": dict,
    "recalled": bool,
    "lost_at": OPTIONAL_TEXT,
    "ladder": [
        {
            "stage": str,
            "verdict": str,
            "reason": OPTIONAL_TEXT,
            "detail": str,
            "margin": (*NUMBER, type(None)),
        }
    ],
    "near_misses": [{"token": str, "word": str, "field": str, "kind": str}],
    "remedies": [{"changes": [{"kind": str}], "detail": str, "leads_to": str}],
    "advice": OPTIONAL_TEXT,
}
SIDE = {"manifest": {"lines": int, "bytes": int, "binds": str}}
COMPARE = {
    "schema": "memtui.compare/1",
    "before": SIDE,
    "after": SIDE,
    "gained": [str],
    "lost": [{"id": str, "lost_at": str, "reason": str}],
    "moved": [{"id": str, "from": int, "to": int}],
    "documents": dict,
}
SCAN = {
    "schema": "memtui.scan/1",
    "pool": POOL,
    "skipped": SKIPPED,
    "documents": dict,
    "findings": list,
}
CITATIONS = {
    "schema": "memtui.citations/1",
    "trace_id": OPTIONAL_TEXT,
    "trace_found": (bool, type(None)),
    "allowed": [str],
    "clean": str,
    "valid": [str],
    "rejected": [str],
    "suspect": [str],
}
PATHS = {"schema": "memtui.paths/1", "config": str, "state": str}


def assert_shape(value: Any, shape: Any, place: str = "$") -> None:
    """A value has every key of a shape, in its order, and values of its kinds."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), place
        assert [key for key in value if key in shape] == list(shape), place
        for key, part in shape.items():
            assert_shape(value[key], part, f"{place}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), place
        for number, each in enumerate(value):
            assert_shape(each, shape[0], f"{place}[{number}]")
    elif isinstance(shape, str):
        assert value == shape, place
    else:
        assert isinstance(value, shape), (place, value)
        kinds = shape if isinstance(shape, tuple) else (shape,)
        assert bool in kinds or not isinstance(value, bool), place


def test_a_recall_has_every_key(small: Path) -> None:
    query = "how are apples kept"
    answer = memtui("recall", query, "--project", small, "--json", "--tool", "grep").json
    assert_shape(answer, RECALL)
    assert {len(answer[name]) for name in ("lexical", "candidates", "skipped")} == {2, 3, 1}
    for document in answer["documents"].values():
        assert_shape(document, DOCUMENT)
    assert answer["query"]["sha256"] == hashlib.sha256(query.encode()).hexdigest()
    assert answer["query"]["chars"] == len(query)
    assert answer["limits"] == Limits().as_dict()
    assert answer["context"]["chars"] == len(answer["context"]["text"])
    assert answer["manifest"]["bytes"] == len(answer["manifest"]["text"].encode())
    assert answer["traced"] is True
    assert answer["trace"]["trace_id"] == answer["trace_id"]
    assert answer["trace"]["kept_ids"] == answer["context"]["kept"]


def test_a_blank_query_is_a_recall_too(small: Path) -> None:
    for query in ("", " \t\n", "a b"):
        answer = memtui("recall", query, "--project", small, "--json").json
        assert_shape(answer, RECALL)
        assert answer["query"]["tokens"] == []
        assert [each["origin"] for each in answer["candidates"]] == ["recent"] * 3
        assert answer["selection"] == {**answer["selection"], "strategy": "none", "ids": []}
        assert answer["context"]["text"] == ""


def test_ablations_limits_and_clock_stand_in_the_answer(small: Path) -> None:
    words = ["--ablate", "reserve=appended", "--set", "manifest_bytes=9,000", "--now"]
    words += ["2026-03-02T09:00:00Z", "--limit", "3"]
    answer = memtui("recall", "apples", "--project", small, "--json", *words).json
    assert answer["ablations"] == {"reserve": "appended"}
    assert answer["limits"]["manifest_bytes"] == 9_000
    assert answer["now_ms"] == 1_772_442_000_000
    assert (answer["requested_limit"], answer["candidate_limit"]) == (3, 9)


def test_why_has_every_key(small: Path) -> None:
    for query, document in (
        ("apples", "apples.md"),
        ("appels", "apples.md"),
        ("apples", "no-fence.md"),
        ("apples", "nowhere.md"),
    ):
        assert_shape(memtui("why", query, document, "--project", small, "--json").json, WHY)
    lost = memtui("why", "appels", "apples.md", "--project", small, "--json").json
    assert lost["near_misses"]
    assert lost["remedies"]
    assert_shape(lost["document"], {"id": str, **DOCUMENT})


def test_compare_has_every_key(overflow: Path) -> None:
    words = ["customs declaration Norway", "--project", overflow, "--json"]
    answer = memtui("compare", *words, "--preset", "capped").json
    assert_shape(answer, COMPARE)
    assert answer["gained"]
    assert answer["lost"]
    assert answer["moved"]
    for document in answer["documents"].values():
        assert_shape(document, DOCUMENT)
    assert_shape(memtui("compare", *words, "--vs", "--set manifest_bytes=900").json, COMPARE)


def test_scan_has_every_key(small: Path) -> None:
    answer = memtui("scan", "--project", small, "--json").json
    assert_shape(answer, SCAN)
    assert len(answer["documents"]) == 3
    assert len(answer["skipped"]) == 1


def test_traces_have_every_column_under_its_name(small: Path) -> None:
    assert memtui("trace", "list", "--json").json == {"schema": "memtui.traces/1", "traces": []}
    made = [memtui("recall", "apples", "--project", small, "--json").json for _ in range(3)]
    listed = memtui("trace", "list", "--json").json
    assert_shape(listed, {"schema": "memtui.traces/1", "traces": [TRACE]})
    assert [each["trace_id"] for each in listed["traces"]] == [
        each["trace_id"] for each in reversed(made)
    ]
    assert len(memtui("trace", "list", "--limit", 2, "--json").json["traces"]) == 2
    shown = memtui("trace", "show", made[0]["trace_id"], "--json").json
    assert_shape(shown, {"schema": "memtui.trace/1", "trace": TRACE})
    assert shown["trace"] == made[0]["trace"]
    with sqlite3.connect(state_path()) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(recall_traces)")]
    assert columns == list(TRACE)


def test_the_steps_of_a_trace_are_in_order_and_hold_counts(small: Path) -> None:
    steps = memtui("recall", "apples", "--project", small, "--json").json["trace"]["steps"]
    assert [step["name"] for step in steps] == [
        "recall.plan",
        "scan.pool",
        "filter.tools",
        "rank.lexical",
        "rank.reserve",
        "manifest.pack",
        "select.fast",
        "select.final",
        "context.pack",
        "ids.allowed",
        "recall.final",
    ]
    elapsed = [step["elapsedMs"] for step in steps]
    assert elapsed == sorted(elapsed)
    for step in steps:
        for value in step["meta"].values():
            assert isinstance(value, int | float | str | list)


def test_citations_have_every_key(small: Path) -> None:
    kept = memtui("recall", "apples", "--project", small, "--json").json
    first, trace_id = kept["context"]["kept"][0], kept["trace_id"]
    text = f"[id:{first}] and [id:ffffffff] and (id:x)".encode()
    answer = memtui("validate", "--trace", trace_id, "--json", stdin=text)
    assert_shape(answer.json, CITATIONS)
    assert answer.code == 1
    assert answer.json["valid"] == [first]
    assert answer.json["rejected"] == ["ffffffff"]
    assert answer.json["suspect"] == ["x"]
    assert answer.json["trace_found"] is True
    assert answer.json["allowed"] == kept["context"]["kept"]
    listed = memtui("validate", "--allow", first, "--json", stdin=text).json
    assert_shape(listed, CITATIONS)
    assert (listed["trace_id"], listed["trace_found"]) == (None, None)
    unknown = memtui("validate", "--trace", "nowhere", "--json", stdin=text).json
    assert_shape(unknown, CITATIONS)
    assert (unknown["trace_found"], unknown["valid"], unknown["allowed"]) == (False, [], [])


def test_paths_has_every_key() -> None:
    answer = memtui("paths", "--json").json
    assert_shape(answer, PATHS)
    assert answer["state"] == str(state_path())


@pytest.mark.parametrize("name", ["small", "broken", "multibyte", "two-scopes"])
def test_every_demo_answers_with_valid_json(name: str) -> None:
    for words in (["recall", "deploy"], ["scan"]):
        result = memtui(*words, "--demo", name, "--json")
        assert result.code == 0
        assert_shape(result.json, RECALL if words[0] == "recall" else SCAN)
        text = json.dumps(result.json, allow_nan=False)
        assert json.loads(text) == result.json
