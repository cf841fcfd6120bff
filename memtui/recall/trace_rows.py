"""Traces as rows of a table: memtui's own, and as other programs may have written them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from memtui.recall.trace import MetaValue, Step, Trace


def row_of_trace(trace: Trace) -> dict[str, object]:
    """A trace as a row: lists and steps as JSON."""
    row = trace.as_json()
    return {**row, "kept_ids": json.dumps(row["kept_ids"]), "steps": json.dumps(row["steps"])}


def trace_from_row(row: Mapping[str, object]) -> Trace:
    """A trace from a row of any program: what is missing or unreadable reads as empty."""
    kept = _parsed(row.get("kept_ids"))
    steps = _parsed(row.get("steps"))
    return Trace(
        trace_id=_text(row.get("trace_id")),
        source=_text(row.get("source")),
        mode=_text(row.get("mode")),
        query_hash=_text(row.get("query_hash")),
        query_chars=_whole(row.get("query_chars")),
        requested_limit=_whole(row.get("requested_limit")),
        effective_limit=_whole(row.get("effective_limit")),
        candidate_limit=_whole(row.get("candidate_limit")),
        kept_ids=tuple(_text(each) for each in kept),
        steps=tuple(_step(each) for each in steps if isinstance(each, dict)),
        started_at=_whole(row.get("started_at")),
        ended_at=_whole(row.get("ended_at")),
        duration_ms=_number(row.get("duration_ms")),
    )


def _step(step: Mapping[str, object]) -> Step:
    meta = step.get("meta")
    return Step(
        name=_text(step.get("name")),
        at=_whole(step.get("at")),
        elapsed_ms=_number(step.get("elapsedMs")),
        meta={key: _meta(value) for key, value in meta.items()} if isinstance(meta, dict) else {},
    )


def _meta(value: object) -> MetaValue:
    if isinstance(value, list):
        return tuple(_text(each) for each in value)
    return value if isinstance(value, int | float | str | None) else json.dumps(value)


def _parsed(stored: object) -> Sequence[object]:
    try:
        value = json.loads(_text(stored))
    except (ValueError, RecursionError):
        return ()
    return value if isinstance(value, list) else ()


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return decoded(value)
    return "" if value is None else str(value)


def _whole(value: object) -> int:
    return int(_number(value))


def _number(value: object) -> float:
    """A number, from a number, its digits or an ISO time (to epoch milliseconds)."""
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else 0
    with suppress(ValueError):
        return _number(float(_text(value)))
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(_text(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000
    return 0


def decoded(raw: bytes) -> str:
    """Text as a database may hold it; bad bytes become U+FFFD."""
    return raw.decode("utf-8", "replace")
