"""How a document would stand among the others with other words, before the recall is run again."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence

from memtui.memory.document import Document
from memtui.recall.pipeline import Recall
from memtui.recall.rank import (
    BODY_POINTS,
    DESCRIPTION_POINTS,
    TITLE_POINTS,
    FoldedText,
    fold_document,
    score,
)
from memtui.recall.text_index import text_index

NEVER_AHEAD = -1_000_000_000

Terms = tuple[tuple[str, ...], tuple[str, ...]]
"""Terms that a query gains, and terms that it loses."""


class Standing:
    """One document of a recall against all others that may be recalled.

    Every other document has a key: twice its points, and one more if it is ahead at equal points.
    Those whose key is over twice the document's own points are ahead of it.
    """

    def __init__(self, result: Recall, document: Document) -> None:
        window = result.options.limits.body_window_chars
        self.document = document
        self.terms = result.query.terms
        self.text = fold_document(document, window)
        self._index = text_index(result.pool, window)
        points = {hit.document.id: int(hit.points.total) for hit in result.hits}
        self._own_place = result.pool.position[document.id]
        outside = {each.document.id for each in result.noise} | {document.id}
        self._keys = [
            NEVER_AHEAD
            if each.id in outside
            else 2 * points.get(each.id, 0)
            + (
                each.mtime_ms > document.mtime_ms
                or (each.mtime_ms == document.mtime_ms and place < self._own_place)
            )
            for place, each in enumerate(result.pool.documents)
        ]
        self._ahead: dict[Terms, list[int]] = {}
        self._gains: dict[str, list[int]] = {}

    def points(self, terms: Iterable[str], text: FoldedText | None = None) -> int:
        """The points of the document for some terms, with other fields if they are given."""
        return int(score(text or self.text, self.document.type, terms).total)

    def rank(
        self,
        points: int,
        added: Sequence[str] = (),
        dropped: Sequence[str] = (),
        *,
        newest: bool = False,
    ) -> int:
        """The rank that ``points`` would give, from 1.

        Args:
            points: of the document, with whatever is changed.
            added: terms that the query gains.
            dropped: terms that it loses.
            newest: whether the document is ahead of all that have as many points.

        """
        if points <= 0:
            return len(self._keys) + 1
        ahead = self._ahead_of((tuple(added), tuple(dropped)))
        bar = 2 * points + newest + 1
        return 1 + (ahead[bar] if bar < len(ahead) else 0)

    def spread(self, term: str) -> int:
        """How many documents contain a term."""
        found = self._index.matches(term)
        return len({*found.title, *found.description, *found.body})

    def _ahead_of(self, changed: Terms) -> list[int]:
        """How many documents have at least a key, by that key, after a change of terms."""
        kept = self._ahead.get(changed)
        if kept is None:
            added, dropped = changed
            keys: Sequence[int] = self._keys
            for term in added:
                keys = list(map(operator.add, keys, self._gain(term)))
            for term in dropped:
                keys = list(map(operator.sub, keys, self._gain(term)))
            counts = Counter(keys)
            kept = [0] * (max(counts) + 2 if counts else 1)
            for key in range(len(kept) - 2, -1, -1):
                kept[key] = kept[key + 1] + counts[key]
            self._ahead[changed] = kept
        return kept

    def _gain(self, term: str) -> list[int]:
        """What a term adds to the keys of the documents, in pool order."""
        kept = self._gains.get(term)
        if kept is None:
            found = self._index.matches(term)
            kept = [0] * len(self._keys)
            for places, points in (
                (found.title, TITLE_POINTS),
                (found.description, DESCRIPTION_POINTS),
                (found.body, BODY_POINTS),
            ):
                for place in places:
                    kept[place] += 2 * points
            self._gains[term] = kept
        return kept
