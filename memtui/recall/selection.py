"""The selection: which of the documents are put in front of the model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui.memory.document import Document
from memtui.recall.manifest import Manifest
from memtui.recall.rank import Hit
from memtui.text import chars, display_text

Strategy = Literal["none", "heuristic", "model"]
RefusalReason = Literal[
    "timed-out",
    "http-status",
    "connection-closed",
    "invalid-json",
    "too-many-paths",
    "unknown-path",
    "too-large",
    "not-configured",
    "extra-missing",
]

REFUSALS: Mapping[RefusalReason, str] = {
    "timed-out": "timed out",
    "http-status": "HTTP status",
    "connection-closed": "connection closed",
    "invalid-json": "no valid JSON",
    "too-many-paths": "too many paths",
    "unknown-path": "unknown path",
    "too-large": "too large",
    "not-configured": "not configured",
    "extra-missing": "extra missing",
}
"""The closed list of reasons for which a selector's answer is refused, each in words."""

ANSWER_KEY = "selected_memories"
MOST_ANSWER_CHARS = 100_000
"""A longer answer is refused unread, UTF-16 chars."""
SHOWN_PATH_CHARS = 80
HIDDEN = "(secret)"
"""What is shown in place of a secret."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no valid answer of a selector."""

    reason: RefusalReason
    """From the closed list."""
    detail: str = ""
    """The numbers or the path, in one line."""

    @property
    def text(self) -> str:
        """``unknown path: …/notes.md is not in the manifest``."""
        words = REFUSALS[self.reason]
        return f"{words}: {self.detail}" if self.detail else words


Answer = str | Refusal
"""What a selector gives: a text that is still to be validated, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The documents that were picked, best first."""

    strategy: Strategy
    """Who picked them; ``none`` if nothing was picked."""
    documents: tuple[Document, ...]
    """What was picked."""
    refused: str | None = None
    """Why a selector's answer was refused, in one line; None if none was."""
    reason: RefusalReason | None = None
    """The same as one of the closed list."""
    selector: str | None = None
    """The selector that was asked: ``model``, ``manual`` or ``replay``; None if nobody was."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents picked."""
        return tuple(document.id for document in self.documents)

    @property
    def answered(self) -> bool:
        """Whether a selector picked these, which may be none, rather than the heuristic."""
        return self.selector is not None and self.refused is None


def select_heuristically(hits: Sequence[Hit], limit: int) -> Selection:
    """The best hits of the complete eligible pool; the manifest is not looked at."""
    documents = tuple(hit.document for hit in hits[: max(0, limit)])
    return Selection("heuristic" if documents else "none", documents)


def select_by_answer(
    answer: Answer, selector: str, manifest: Manifest, hits: Sequence[Hit], limit: int
) -> Selection:
    """What a selector picked; what the heuristic picks if its answer is refused.

    Args:
        answer: what the selector gave.
        selector: its name.
        manifest: what it was shown.
        hits: for the heuristic.
        limit: most documents.

    """
    found = answer if isinstance(answer, Refusal) else validate_answer(answer, manifest, limit)
    if isinstance(found, Refusal):
        fallback = select_heuristically(hits, limit)
        return Selection(fallback.strategy, fallback.documents, found.text, found.reason, selector)
    return Selection("model" if found else "none", found, selector=selector)


def validate_answer(
    answer: str, manifest: Manifest, limit: int, *, secret: str = ""
) -> tuple[Document, ...] | Refusal:
    """The documents that an answer names, in its order, or why it is refused: all or nothing.

    An answer is ``{"selected_memories": ["/absolute/path.md"]}`` or the list alone, with nothing
    around it. A path counts once, however often it is repeated.

    Args:
        answer: the text as the selector gave it.
        manifest: only what is packed in it may be named.
        limit: most distinct paths.
        secret: a text that no refusal shows, though the answer may hold it.

    """
    length = chars(answer)
    if length > MOST_ANSWER_CHARS:
        return Refusal("too-large", f"{length:,} chars of at most {MOST_ANSWER_CHARS:,}")
    paths = _paths_in(answer)
    if isinstance(paths, Refusal):
        return paths
    if len(paths) > limit:
        return Refusal("too-many-paths", f"{len(paths):,} of at most {limit:,}")
    known: dict[str, Document] = {}
    for verdict in manifest.packed:
        known.setdefault(encodable(verdict.document.path), verdict.document)
    for path in paths:
        if path not in known:
            shown = _shortened(path.replace(secret, HIDDEN) if secret else path)
            return Refusal("unknown-path", f"{shown} is not in the manifest")
    return tuple(known[path] for path in paths)


def _paths_in(answer: str) -> list[str] | Refusal:
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return Refusal("invalid-json", "the answer is not JSON alone")
    if isinstance(value, dict):
        if ANSWER_KEY not in value:
            return Refusal("invalid-json", f"the answer has no {ANSWER_KEY}")
        value = value[ANSWER_KEY]
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return Refusal("invalid-json", "the answer is no list of paths")
    return list(dict.fromkeys(encodable(each) for each in value))


def encodable(text: str) -> str:
    """``text`` as it can be sent: a lone surrogate, which UTF-8 has not, becomes U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _shortened(path: str) -> str:
    tail = path if len(path) <= SHOWN_PATH_CHARS else f"…{path[1 - SHOWN_PATH_CHARS :]}"
    return display_text(tail) or "an empty path"
