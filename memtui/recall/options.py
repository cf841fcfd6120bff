"""What a recall is asked to do, apart from the query and the pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memtui.limits import Limits

if TYPE_CHECKING:  # an option names its type; what it does is imported where it is done
    from memtui.recall.candidates import ReserveOrder
    from memtui.recall.manifest import Packing
    from memtui.recall.query import Expand
    from memtui.recall.rankers.base import Embedder
    from memtui.recall.selectors.base import Selector

Design = Literal["bounded", "capped"]
ScanWindow = Literal["all", "capped"]

ABLATIONS: Mapping[str, tuple[str, str]] = {
    "reserve": ("interleaved", "appended"),
    "packing": ("pack", "prefix"),
    "scan": ("all", "capped"),
}
"""What can be switched off to see what it is good for; the first value is the real design."""

RANKER_NAMES = ("lexical", "bm25", "vector", "fuzzy", "hybrid")
"""The rankers that can be asked for, the default first; ``rankers.registry`` holds them."""


class OptionError(ValueError):
    """An option of a recall is not valid. ``str()`` is one clear line."""


@dataclass(frozen=True, slots=True)
class Ablations:
    """Departures from the real design, for teaching and for debugging."""

    reserve: ReserveOrder = "interleaved"
    """Where the recent documents stand among the candidates."""
    packing: Packing = "pack"
    """Whether a line that does not fit is skipped, or ends the manifest."""
    scan: ScanWindow = "all"
    """Whether recall sees every document or the capped window."""

    @classmethod
    def parse(cls, values: Mapping[str, str]) -> Ablations:
        """From names and values as typed.

        Raises:
            OptionError: no such ablation or value.

        """
        for name, value in values.items():
            if name not in ABLATIONS:
                raise OptionError(
                    f"no ablation is called {name!r}; there are: {', '.join(ABLATIONS)}"
                )
            if value not in ABLATIONS[name]:
                choices = " or ".join(ABLATIONS[name])
                raise OptionError(f"ablation {name} must be {choices}, not {value!r}")
        return cls(**values)  # type: ignore[arg-type]

    def changed(self) -> dict[str, str]:
        """The departures by name; empty for the real design."""
        return {
            name: str(getattr(self, name))
            for name, (real, _) in ABLATIONS.items()
            if getattr(self, name) != real
        }


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """Everything a recall depends on, apart from the query and the pool."""

    limits: Limits = field(default_factory=Limits)
    """The ceilings."""
    requested_limit: object = None
    """How many results are asked for; None asks for ``limits.selected_docs``."""
    recent_tools: tuple[str, ...] = ()
    """Tools that the agent is using right now."""
    ablations: Ablations = Ablations()
    """Departures from the real design."""
    design: Design = "bounded"
    """``capped`` is the design before: every document to the selector, newest first, no ceiling."""
    ranker: str = "lexical"
    """The name of the ranker that is asked for; the recall says which one ranked."""
    now_ms: float | None = None
    """The clock, epoch milliseconds; None reads the real one when the recall starts."""
    source: str = "api"
    """The face that asks: ``tui``, ``cli``, ``mcp`` or ``api``."""
    expand: Expand | None = None
    """The expansion hook; None leaves the query alone."""
    embedder: Embedder | None = None
    """Makes embeddings for the rankers; None where no endpoint is configured."""
    selector: Selector | None = None
    """Who is asked what to select; None takes the best hits, without a model."""
