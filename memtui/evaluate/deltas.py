"""What changed between two runs of the same cases: metrics, and cases, best and worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.evaluate.metrics import METRICS, averages, rank_scores, rounded

Json = dict[str, object]

JUDGED_BY = ("context_recall", "ndcg@10", "mrr", "manifest_recall", "silent")
"""What makes a case better or worse: the first of these that changed decides."""


@dataclass(frozen=True, slots=True)
class Side:
    """One configuration of a run, read back from its record."""

    name: str
    """Its name."""
    results: Mapping[str, Mapping[str, Any]]
    """Case id to what became of it."""
    scores: Mapping[str, Mapping[str, float]]
    """Case id to its metrics."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Side:
        """The side that a configuration's record describes."""
        results = {str(each["id"]): each for each in record["results"]}
        scores = {name: _scores(each) for name, each in results.items()}
        return cls(str(record["name"]), results, scores)


def _scores(result: Mapping[str, Any]) -> dict[str, float]:
    if not result["ranks"]:
        return {"silent": float(result["silent"])}
    recalls = ("manifest_recall", "context_recall")
    ranks = [*result["ranks"].values()]
    return {**rank_scores(ranks), **{name: float(result[name]) for name in recalls}}


def compare_sides(before: Side, after: Side) -> Json:
    """The deltas over the cases that both have; the others are named."""
    common = [name for name in after.results if name in before.results]
    common = [name for name in common if _same_kind(before, after, name)]
    changes = [_change(before, after, name) for name in common]
    changed = [change for change in changes if change is not None]
    shared = frozenset(common)
    return {
        "cases": len(common),
        "only_before": [name for name in before.results if name not in shared],
        "only_after": [name for name in after.results if name not in shared],
        "metrics": _metrics(before, after, common),
        "by_category": {
            category: _metrics(before, after, names)
            for category, names in _categories(after, common).items()
        },
        "better": _ordered(changed, 1),
        "worse": _ordered(changed, -1),
        "otherwise": _ordered(changed, 0),
    }


def _same_kind(before: Side, after: Side, name: str) -> bool:
    """Whether the same is relevant in both."""
    return set(before.results[name]["ranks"]) == set(after.results[name]["ranks"])


def _categories(side: Side, names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(str(side.results[name].get("category", "")), []).append(name)
    return found


def _metrics(before: Side, after: Side, names: Sequence[str]) -> Json:
    old = averages(before.scores[name] for name in names)
    new = averages(after.scores[name] for name in names)
    found: Json = {}
    for metric in METRICS:
        first, second = old[metric], new[metric]
        if first is not None and second is not None:
            found[metric] = {
                "before": first,
                "after": second,
                "change": rounded(second - first),
            }
    return found


def _change(before: Side, after: Side, name: str) -> Json | None:
    """What changed for one case; None if nothing did."""
    old, new = before.results[name], after.results[name]
    seen = ("first_rank", "ranks", "lost", "shown")
    differences = {
        metric: rounded(after.scores[name][metric] - before.scores[name][metric])
        for metric in JUDGED_BY
        if metric in after.scores[name]
    }
    differences = {metric: value for metric, value in differences.items() if value}
    if not differences and all(old.get(key) == new.get(key) for key in seen):
        return None
    return {
        "id": name,
        "category": new.get("category", ""),
        "change": differences,
        "before": {key: old.get(key) for key in seen},
        "after": {key: new.get(key) for key in seen},
    }


def _weight(change: Json) -> tuple[float, ...]:
    differences = change["change"]
    assert isinstance(differences, dict)
    return tuple(differences.get(metric, 0.0) for metric in JUDGED_BY)


def _ordered(changes: Sequence[Json], sign: int) -> list[Json]:
    """Those that became better (1), worse (-1) or neither (0), the largest change first."""
    nothing = (0.0,) * len(JUDGED_BY)
    chosen = [
        each for each in changes if (_weight(each) > nothing) - (_weight(each) < nothing) == sign
    ]
    return sorted(
        chosen, key=lambda each: (*(-sign * value for value in _weight(each)), str(each["id"]))
    )
