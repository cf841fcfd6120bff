"""The smallest limits that suffice, computed from a recall before they are verified."""

from __future__ import annotations

from memtui.memory.document import Document
from memtui.recall.candidates import by_age
from memtui.recall.pipeline import Recall
from memtui.recall.rank import fold_document
from memtui.text import chars


def manifest_bytes_for(result: Recall, document: Document) -> int | None:
    """The smallest ``manifest_bytes`` above the present one with which its line is packed.

    A larger ceiling lets earlier lines in too, so that more bytes are not always better. The answer
    is looked for between the ceilings at which something changes, first for ceilings that shut out
    an early line, then for later ones. A line no longer than this one must never be shut out: what
    it did not find room for, this one does not either.
    """
    verdicts = result.manifest.verdicts
    place = next((each.position for each in verdicts if each.document.id == document.id), None)
    if place is None:
        return None
    sizes = _joined_sizes(result, place)
    present = result.options.limits.manifest_bytes + 1
    if result.options.ablations.packing == "prefix":
        return max(present, sum(sizes) - 1)
    own = sizes.pop()
    shorter_after = [0] * (len(sizes) + 1)
    for at in range(len(sizes) - 1, -1, -1):
        shorter_after[at] = shorter_after[at + 1] + (sizes[at] if sizes[at] <= own else 0)
    used = 0
    for at, size in enumerate(sizes):
        low = max(present + 1, used + shorter_after[at + 1] + own)
        if size > own and low < used + size:
            found = _smallest_room(sizes[at:], own, used, low, used + size)
            if found is not None:
                return found - 1
        used += size
    return max(present + 1, used + own) - 1


def _joined_sizes(result: Recall, count: int) -> list[int]:
    """UTF-8 bytes of the first candidates' lines, a newline with each.

    With one byte more of room than the ceiling has, all of them can be counted with a newline.
    """
    sizes = []
    lines_before = 0
    for verdict in result.manifest.verdicts[:count]:
        sizes.append(verdict.bytes + (0 if lines_before else 1))
        lines_before += verdict.packed
    return sizes


def _smallest_room(sizes: list[int], own: int, used: int, low: int, high: int) -> int | None:
    """The smallest room from ``low`` to below ``high`` that packs a line after others."""
    room = low
    while room < high:
        total, nearest = used, high
        for size in sizes:
            if total + size <= room:
                total += size
            else:
                nearest = min(nearest, total + size)
        if total + own <= room:
            return room
        room = min(nearest, total + own)
    return None


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
