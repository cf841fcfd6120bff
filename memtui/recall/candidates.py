"""The candidates: lexical hits and a reserve of recent documents, interleaved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from memtui.limits import Limits
from memtui.memory.document import Document
from memtui.recall.rank import Hit

Origin = Literal["lexical", "recent"]
ReserveOrder = Literal["interleaved", "appended"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that is offered to the manifest."""

    document: Document
    """The document."""
    origin: Origin
    """Why it is here: by its score, or by its age."""
    position: int
    """Place in the order of candidates, from 1."""


def choose_candidates(
    hits: Sequence[Hit],
    eligible: Sequence[Document],
    limits: Limits,
    reserve: ReserveOrder = "interleaved",
) -> tuple[Candidate, ...]:
    """At most ``candidate_docs`` documents: hit 1, recent 1, hit 2, recent 2, …

    When either list ends the other goes on. With ``appended`` all recent ones follow all hits.
    """
    lexical = [hit.document for hit in hits[: limits.lexical_docs]]
    chosen = {document.id for document in lexical}
    slots = limits.candidate_docs - len(lexical)
    recent = [each for each in by_age(eligible) if each.id not in chosen][:slots]
    tagged: list[tuple[Document, Origin]] = []
    if reserve == "appended":
        tagged += [(document, "lexical") for document in lexical]
        tagged += [(document, "recent") for document in recent]
    else:
        for hit, newcomer in zip_longest(lexical, recent):
            if hit is not None:
                tagged.append((hit, "lexical"))
            if newcomer is not None:
                tagged.append((newcomer, "recent"))
    return tuple(
        Candidate(document, origin, position)
        for position, (document, origin) in enumerate(tagged, start=1)
    )


def every_document(eligible: Sequence[Document]) -> tuple[Candidate, ...]:
    """Every document in pool order, scope by scope: the candidates of the capped design."""
    return tuple(
        Candidate(document, "recent", position)
        for position, document in enumerate(eligible, start=1)
    )


def by_age(documents: Sequence[Document]) -> list[Document]:
    """Newest first; documents of one age stay in pool order."""
    return sorted(documents, key=lambda each: -each.mtime_ms)
