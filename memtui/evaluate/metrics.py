"""The metrics of one case and of many: plain functions of the ranks of what is relevant.

A ranking is a total order (score, then newest, then the order of the pool), so that there are no
ties here and no metric depends on how an implementation would break or average them. A document
that the ranker did not find has no rank: it is at no cut, and adds nothing to a gain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite, log2

CUTS = (1, 3, 5, 10, 20)
"""Ranks up to which recall is counted."""
NDCG_CUT = 10

RANK_METRICS = (
    *(f"recall_any@{cut}" for cut in CUTS),
    *(f"recall_all@{cut}" for cut in CUTS),
    "mrr",
    f"ndcg@{NDCG_CUT}",
)
"""Metrics of the full ranking."""
METRICS = (*RANK_METRICS, "manifest_recall", "context_recall", "silent")
"""Every metric, in the order of the reports."""
DIGITS = 6
"""Decimals that are reported, so that the last bit of a logarithm does not show."""

Rank = int | None
"""From 1; None for a document that the ranker did not find."""
Scores = Mapping[str, float]
"""Metric to value, for those that a case has."""


def recall_any(ranks: Sequence[Rank], cut: int) -> float:
    """1 if any relevant document is among the first ``cut``, else 0."""
    return float(any(rank is not None and rank <= cut for rank in ranks))


def recall_all(ranks: Sequence[Rank], cut: int) -> float:
    """1 if every relevant document is among the first ``cut``, else 0."""
    return float(all(rank is not None and rank <= cut for rank in ranks))


def reciprocal_rank(ranks: Sequence[Rank]) -> float:
    """1 by the rank of the first relevant document; 0 if none was found."""
    first = first_rank(ranks)
    return 0.0 if first is None else 1 / first


def first_rank(ranks: Sequence[Rank]) -> Rank:
    """The rank of the first relevant document."""
    return min((rank for rank in ranks if rank is not None), default=None)


def ndcg(ranks: Sequence[Rank], cut: int = NDCG_CUT) -> float:
    """Normalised discounted cumulative gain: gain 1, discount log2(rank + 1).

    The ideal ranking begins with the relevant documents, as many of them as the cut allows.
    """
    gain = fsum(1 / log2(rank + 1) for rank in ranks if rank is not None and rank <= cut)
    ideal = fsum(1 / log2(rank + 1) for rank in range(1, min(len(ranks), cut) + 1))
    return gain / ideal


def rank_scores(ranks: Sequence[Rank]) -> dict[str, float]:
    """Every metric of the full ranking for one case; ``ranks`` has one item for each relevant."""
    scores = {f"recall_any@{cut}": recall_any(ranks, cut) for cut in CUTS}
    scores |= {f"recall_all@{cut}": recall_all(ranks, cut) for cut in CUTS}
    scores["mrr"] = reciprocal_rank(ranks)
    scores[f"ndcg@{NDCG_CUT}"] = ndcg(ranks)
    return scores


def averages(scores: Iterable[Scores]) -> dict[str, float | None]:
    """The mean of every metric over the cases that have it; None where none has.

    Cases with something relevant have all but ``silent``, the others have ``silent`` alone.
    """
    columns: dict[str, list[float]] = {name: [] for name in METRICS}
    for each in scores:
        for name, value in each.items():
            columns[name].append(value)
    return {
        name: rounded(fsum(values) / len(values)) if values else None
        for name, values in columns.items()
    }


def rounded(value: float) -> float:
    """A value as it is reported; never minus zero."""
    return round(value, DIGITS) + 0.0


class Threshold:
    """What a metric must reach: ``recall_any@5=0.8``.

    Raises:
        ValueError: no such metric, or no number from 0 to 1. One clear line.

    """

    def __init__(self, text: str) -> None:
        name, equals, typed = (part.strip() for part in text.partition("="))
        if not equals:
            raise ValueError(f"wants METRIC=VALUE, not {text[:60]!r}")
        if name not in METRICS:
            raise ValueError(f"no metric is called {name[:60]!r}; there are: {', '.join(METRICS)}")
        try:
            value = float(typed)
        except ValueError:
            value = -1.0
        if not isfinite(value) or not 0 <= value <= 1:
            raise ValueError(f"{name} is compared with a number from 0 to 1, not {typed[:60]!r}")
        self.metric = name
        self.value = value

    def failure(self, metrics: Mapping[str, float | None]) -> str | None:
        """Why the metrics do not reach it, in one line; None if they do."""
        reached = metrics[self.metric]
        if reached is None:
            return f"{self.metric} has no value, since no case counts for it"
        if reached >= self.value:
            return None
        return f"{self.metric} is {reached:.6g}, below {self.value:.6g}"
