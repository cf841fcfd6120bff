"""Every tunable number of the recall contract, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self


class LimitError(ValueError):
    """A limit has no such name, or its value is outside its range. One clear line."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The ceilings of one recall. ``chars`` are UTF-16 code units, ``bytes`` are UTF-8 bytes.

    Raises:
        LimitError: a value is no integer, or is outside the range in ``RANGES``.

    """

    capped_scan_docs: int = 200
    """Documents per scope, newest first, that the management flows see."""
    candidate_docs: int = 200
    """Most documents offered to the manifest."""
    recent_reserve: int = 20
    """Candidate slots the lexical hits may not take; at most ``candidate_docs``."""
    manifest_bytes: int = 25_000
    """UTF-8 bytes of the whole manifest, newlines included."""
    manifest_description_chars: int = 512
    """Chars of a description in its manifest line."""
    selected_docs: int = 5
    """Documents selected when no limit is asked for."""
    fast_docs: int = 2
    """Most documents of the early result."""
    initial_wait_ms: int = 100
    """Ceiling of the first wait, milliseconds."""
    selector_timeout_s: int = 30
    """Ceiling of the call of a model selector, seconds."""
    body_window_chars: int = 1_200
    """Chars of a body that are scored and shown."""
    query_tokens: int = 64
    """Most distinct query tokens: the first half, and the last half of the rest."""
    recall_results: int = 20
    """Hard cap of any recall's results."""
    recall_candidates: int = 100
    """Hard cap of ranked retrieval."""
    context_chars: int = 12_000
    """Hard cap of the context, chars."""
    file_bytes: int = 1_048_576
    """A larger file is skipped, bytes."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))
        if self.recent_reserve > self.candidate_docs:
            raise LimitError(
                f"recent_reserve must be at most candidate_docs "
                f"({self.recent_reserve} > {self.candidate_docs})"
            )

    @property
    def lexical_docs(self) -> int:
        """Most lexical hits that may become candidates."""
        return self.candidate_docs - self.recent_reserve

    def with_values(self, values: dict[str, int]) -> Self:
        """These limits with some fields changed.

        Raises:
            LimitError: an unknown name, or a value outside its range.

        """
        for name in values:
            if name not in RANGES:
                raise LimitError(f"no limit is called {name!r}; there are: {', '.join(RANGES)}")
        return replace(self, **values)

    def as_dict(self) -> dict[str, int]:
        """Every field by name, in the order of the contract."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


RANGES: dict[str, tuple[int, int]] = {
    "capped_scan_docs": (0, 1_000_000),
    "candidate_docs": (0, 1_000_000),
    "recent_reserve": (0, 1_000_000),
    "manifest_bytes": (0, 100_000_000),
    "manifest_description_chars": (0, 1_000_000),
    "selected_docs": (1, 1_000_000),
    "fast_docs": (0, 1_000),
    "initial_wait_ms": (0, 600_000),
    "selector_timeout_s": (1, 3_600),
    "body_window_chars": (0, 10_000_000),
    "query_tokens": (1, 10_000),
    "recall_results": (1, 1_000_000),
    "recall_candidates": (1, 1_000_000),
    "context_chars": (0, 100_000_000),
    "file_bytes": (1, 1_000_000_000),
}
"""The least and the greatest valid value of every limit."""


def _check(name: str, value: object) -> None:
    low, high = RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise LimitError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    if not low <= value <= high:
        raise LimitError(f"{name} must be from {low} to {high}, not {value}")
