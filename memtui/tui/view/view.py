"""One recall with its indexes: the value that every pane of the main screen draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from memtui.memory.document import Pool
from memtui.recall.manifest import Verdict
from memtui.recall.noise import Noise
from memtui.recall.pipeline import Recall
from memtui.recall.rank import Hit
from memtui.tui.view.catalogue import Catalogue, Entry, catalogue_of
from memtui.tui.view.fates import Fate


class PoolOrder(Enum):
    """The orders in which the pool can be listed; the value is its name on the screen."""

    FATE = "fate"
    SCORE = "score"
    AGE = "age"
    SCOPE = "scope"

    @property
    def following(self) -> PoolOrder:
        """The order after this one, round and round."""
        orders = list(PoolOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


@dataclass(frozen=True, eq=False)
class View:
    """A recall, and for every memory what became of it. Made away from the screen.

    No two are equal: one that says the same as before is drawn too, and asked about.
    """

    recall: Recall
    """What happened."""
    scanned: Pool
    """The whole pool as scanned; an ablated recall may see less of it."""
    scan_ms: float
    """How long the last scan took, milliseconds."""
    catalogue: Catalogue
    """Every entry of the scanned pool."""
    hit_of: dict[str, Hit]
    """The hit of each document that has one."""
    verdict_of: dict[str, Verdict]
    """The verdict on each candidate."""
    noise_of: dict[str, Noise]
    """What mutes each document that is noise."""
    fate_of: dict[str, Fate]
    """The fate of every entry."""
    provisional: bool = False
    """Whether a selector is still being asked: only the early result is selected."""

    @classmethod
    def of(
        cls, recall: Recall, scanned: Pool, scan_ms: float, *, provisional: bool = False
    ) -> View:
        """The view of a recall over a scanned pool."""
        catalogue = catalogue_of(scanned)
        hit_of = {hit.document.id: hit for hit in recall.hits}
        verdict_of = {verdict.document.id: verdict for verdict in recall.manifest.verdicts}
        noise_of = {noise.document.id: noise for noise in recall.noise}
        fate_of = dict(catalogue.fates)
        if recall.pool is not scanned:
            seen = recall.pool.by_id
            fate_of.update(
                (key, Fate.LEFT_OUT)
                for key, fate in catalogue.fates.items()
                if fate is Fate.POOL and key not in seen
            )
        fate_of.update((key, Fate.NOISE) for key in noise_of)
        fate_of.update(
            (key, Fate.PACKED if verdict.packed else Fate.CANDIDATE)
            for key, verdict in verdict_of.items()
        )
        kept = set(recall.context.kept)
        fate_of.update(
            (key, Fate.SELECTED if key in kept else Fate.CUT) for key in recall.selection.ids
        )
        return cls(
            recall,
            scanned,
            scan_ms,
            catalogue,
            hit_of,
            verdict_of,
            noise_of,
            fate_of,
            provisional,
        )

    def entry(self, key: str) -> Entry | None:
        """The document or skipped file of a key."""
        return self.catalogue.entries.get(key)

    def score(self, key: str) -> float | None:
        """The score of a document, if it is a hit."""
        hit = self.hit_of.get(key)
        return hit.score if hit else None

    def ordered(self, order: PoolOrder) -> tuple[str, ...]:
        """The keys of every entry in one of the orders."""
        by_order: dict[PoolOrder, Callable[[], tuple[str, ...]]] = {
            PoolOrder.FATE: lambda: self.by_fate,
            PoolOrder.SCORE: lambda: self.by_score,
            PoolOrder.AGE: lambda: self.catalogue.by_age,
            PoolOrder.SCOPE: lambda: self.catalogue.by_scope,
        }
        return by_order[order]()

    @cached_property
    def by_score(self) -> tuple[str, ...]:
        """Keys of the hits by rank, then everything else by age."""
        hits = tuple(self.hit_of)
        return hits + tuple(key for key in self.catalogue.by_age if key not in self.hit_of)

    @cached_property
    def by_fate(self) -> tuple[str, ...]:
        """Keys by fate; within one the best score first, then the newest."""
        groups: dict[Fate, list[str]] = {fate: [] for fate in Fate}
        for key in self.by_score:
            groups[self.fate_of[key]].append(key)
        return tuple(key for group in groups.values() for key in group)

    @cached_property
    def counts(self) -> dict[Fate, int]:
        """How many entries met each fate."""
        counts = dict.fromkeys(Fate, 0)
        for fate in self.fate_of.values():
            counts[fate] += 1
        return counts
