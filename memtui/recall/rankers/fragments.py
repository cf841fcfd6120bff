"""Fragments: memories without a body, such as the turns of a talk, which lean on their neighbours.

A memory with a body stands for itself. One that is a single line often does not say what it is
about: the answer `three of them, last week` stands beside the turn that asks about the cats. So a
ranker may lend a fragment that matches something of the scores of the fragments next to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from memtui.memory.document import Document, Pool

NEIGHBOUR_SHARE = 0.3
"""What a fragment gets of the score of the fragment before it, and of the one after it."""

_DIGITS = re.compile(r"(\d+)")


def with_neighbours(pool: Pool, scores: Mapping[int, float]) -> dict[int, float]:
    """The scores by position, those of fragments raised by their neighbours' share.

    A fragment that has no score of its own gets none.
    """
    raised = dict(scores)
    for place, others in _neighbours(pool).items():
        if place in scores:
            lent = sum(scores.get(other, 0.0) for other in others)
            raised[place] = scores[place] + NEIGHBOUR_SHARE * lent
    return raised


def _neighbours(pool: Pool) -> dict[int, list[int]]:
    """Fragment to the fragments next to it, by position in the pool; computed once a pool."""
    kept = pool.memo.get("fragments")
    if isinstance(kept, _Neighbours) and kept.documents is pool.documents:
        return kept.places
    order = sorted(
        (place for place, each in enumerate(pool.documents) if not each.scored_body),
        key=lambda place: _in_time(pool.documents[place]),
    )
    places: dict[int, list[int]] = {place: [] for place in order}
    for before, after in pairwise(order):
        if pool.documents[before].scope is pool.documents[after].scope:
            places[before].append(after)
            places[after].append(before)
    pool.memo["fragments"] = _Neighbours(pool.documents, places)
    return places


class _Neighbours:
    def __init__(self, documents: tuple[Document, ...], places: dict[int, list[int]]) -> None:
        self.documents = documents
        self.places = places


def _in_time(document: Document) -> tuple[str, float, list[tuple[int, str]]]:
    """Scope by scope in order of time, then of the path, where `t10` comes after `t9`."""
    parts = _DIGITS.split(document.relative_path)
    path = [(int(part[:18]), "") if part.isdigit() else (0, part) for part in parts]
    return (document.scope, document.mtime_ms, path)
