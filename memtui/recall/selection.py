"""The selection: which of the documents are put in front of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memtui.memory.document import Document
from memtui.recall.rank import Hit

Strategy = Literal["none", "heuristic", "model"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The documents that were picked, best first."""

    strategy: Strategy
    """Who picked them; ``none`` if nothing was picked."""
    documents: tuple[Document, ...]
    """What was picked."""
    refused: str | None = None
    """Why a model's answer was refused, if one was."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents picked."""
        return tuple(document.id for document in self.documents)


def select_heuristically(hits: Sequence[Hit], limit: int) -> Selection:
    """The best hits of the complete eligible pool; the manifest is not looked at."""
    documents = tuple(hit.document for hit in hits[: max(0, limit)])
    return Selection("heuristic" if documents else "none", documents)
