"""The smallest limits that suffice, computed from a recall before they are verified."""

from __future__ import annotations

from memtui.memory.document import Document
from memtui.recall.candidates import by_age
from memtui.recall.pipeline import Recall
from memtui.recall.rank import fold_document
from memtui.text import chars


def manifest_bytes_for(result: Recall, document: Document) -> int | None:
    """The smallest ``manifest_bytes`` above the present one with which its line is packed.

    A larger ceiling lets earlier lines in too, so the answer is found by replaying the packing from
    one ceiling at which something changes to the next.
    """
    verdicts = result.manifest.verdicts
    place = next((each.position for each in verdicts if each.document.id == document.id), None)
    if place is None:
        return None
    raw = _line_sizes(result, place)
    if result.options.ablations.packing == "prefix":
        return sum(raw) + place - 1
    ceiling = result.options.limits.manifest_bytes
    while True:
        needed = _needed_at(raw, ceiling)
        if needed <= ceiling:
            return ceiling
        ceiling = _next_event(raw, ceiling, needed)


def _line_sizes(result: Recall, count: int) -> list[int]:
    """UTF-8 bytes of the first candidates' lines, without any newline."""
    sizes = []
    lines_before = 0
    for verdict in result.manifest.verdicts[:count]:
        sizes.append(verdict.bytes - (1 if lines_before else 0))
        lines_before += verdict.packed
    return sizes


def _needed_at(raw: list[int], ceiling: int) -> int:
    """What the ceiling must be at least for the last line, if it decides nothing else anew."""
    used, lines = 0, 0
    for size in raw[:-1]:
        joined = size + (1 if lines else 0)
        if used + joined <= ceiling:
            used += joined
            lines += 1
    return used + raw[-1] + (1 if lines else 0)


def _next_event(raw: list[int], ceiling: int, needed: int) -> int:
    """The next larger ceiling at which a line that is skipped now would fit."""
    used, lines = 0, 0
    nearest = needed
    for size in raw[:-1]:
        joined = size + (1 if lines else 0)
        if used + joined <= ceiling:
            used += joined
            lines += 1
        else:
            nearest = min(nearest, used + joined)
    return nearest


def candidate_limits_for(result: Recall, document: Document) -> tuple[int | None, int | None]:
    """The smallest ``candidate_docs`` and the smallest ``recent_reserve`` that offer a document."""
    limits = result.options.limits
    ranks = {hit.document.id: hit.rank for hit in result.hits}
    order = [each.id for each in by_age(result.eligible)]
    place = order.index(document.id)
    newer = set(order[:place])
    newer_hits = [0]
    for hit in result.hits:
        newer_hits.append(newer_hits[-1] + (hit.document.id in newer))
    rank = ranks.get(document.id)

    def offered(candidate_docs: int, reserve: int) -> bool:
        lexical = min(len(result.hits), candidate_docs - reserve)
        if rank is not None and rank <= lexical:
            return True
        return place - newer_hits[lexical] < candidate_docs - lexical

    most = len(result.eligible) + limits.recent_reserve
    docs = next(
        (
            count
            for count in range(limits.candidate_docs, most + 1)
            if offered(count, limits.recent_reserve)
        ),
        None,
    )
    reserve = next(
        (
            count
            for count in range(limits.recent_reserve, limits.candidate_docs + 1)
            if offered(limits.candidate_docs, count)
        ),
        None,
    )
    return docs, reserve


def window_for(document: Document, token: str, window: int) -> int | None:
    """The smallest body window, in chars, in which ``token`` stands; None if it never does."""
    low, high = window, chars(document.scored_body)
    if token not in fold_document(document, high).body:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if token in fold_document(document, middle).body:
            high = middle
        else:
            low = middle
    return high
