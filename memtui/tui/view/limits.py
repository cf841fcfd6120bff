"""The limits and the ablations as rows that can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memtui.limits import RANGES, LimitError, Limits
from memtui.recall.options import ABLATIONS, Ablations, RecallOptions
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, Tone, line
from memtui.tui.view.rows import PaneView, Rows

MEANINGS: Mapping[str, str] = {
    "capped_scan_docs": "documents a scope that the management flows see",
    "candidate_docs": "most documents offered to the manifest",
    "recent_reserve": "candidate slots that lexical hits may not take",
    "manifest_bytes": "UTF-8 bytes of the manifest",
    "manifest_description_chars": "chars of a description in its line",
    "selected_docs": "documents selected when no limit is asked for",
    "fast_docs": "most documents of the early result",
    "initial_wait_ms": "ceiling of the first wait, milliseconds",
    "selector_timeout_s": "ceiling of the model call, seconds",
    "body_window_chars": "chars of a body that are scored and shown",
    "query_tokens": "most distinct query tokens",
    "recall_results": "hard cap of the results",
    "recall_candidates": "hard cap of ranked retrieval",
    "context_chars": "hard cap of the context, chars",
    "file_bytes": "a larger file is skipped, bytes",
    "reserve": "where recent documents stand: interleaved or appended",
    "packing": "a line that does not fit: pack on, or end (prefix)",
    "scan": "what a recall sees: all, or the capped window",
}
"""What each row is about, in a few words."""

COLUMNS = (
    Column("", 1),
    Column("name", 26),
    Column("value", 12, right=True),
    Column("default", 12, right=True, drop=1),
    Column("meaning", 12, flexible=True, drop=2),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: a limit or an ablation."""

    name: str
    """Its name, as on the command line."""
    value: str
    """What it is now."""
    default: str
    """What the real design has."""
    ablation: bool
    """Whether it is a switch between two values."""

    @property
    def changed(self) -> bool:
        """Whether it departs from the real design."""
        return self.value != self.default

    @property
    def hint(self) -> str:
        """What may be typed."""
        if self.ablation:
            return " or ".join(ABLATIONS[self.name])
        low, high = RANGES[self.name]
        return f"{low:,} to {high:,}"


def settings(options: RecallOptions) -> tuple[Setting, ...]:
    """A row for every limit, then one for every ablation."""
    defaults = Limits().as_dict()
    limits = [
        Setting(name, f"{value:,}", f"{defaults[name]:,}", False)
        for name, value in options.limits.as_dict().items()
    ]
    switches = [
        Setting(name, str(getattr(options.ablations, name)), real, True)
        for name, (real, _) in ABLATIONS.items()
    ]
    return (*limits, *switches)


def settings_pane(options: RecallOptions) -> PaneView:
    """The rows as a list."""
    rows = settings(options)
    changed = sum(1 for row in rows if row.changed)
    title = line(Piece("limits and ablations", "strong"), f" {changed} changed" if changed else "")
    return PaneView((title,), (), Rows[object](COLUMNS, rows, _name, _cells))


def _name(item: object) -> str:
    assert isinstance(item, Setting)
    return item.name


def _cells(item: object) -> tuple[Line, ...]:
    assert isinstance(item, Setting)
    tone: Tone = "warning" if item.changed else "plain"
    return (
        (Piece("*" if item.changed else "", "warning"),),
        (Piece(item.name, tone),),
        (Piece(item.value, tone),),
        line(Piece(item.default, "muted")),
        line(Piece(MEANINGS[item.name], "muted")),
    )


def changed_options(options: RecallOptions, name: str, typed: str) -> RecallOptions:
    """The options with one row changed to what was typed.

    Raises:
        LimitError: it is no whole number, or out of range.

    """
    if name in ABLATIONS:
        values = {**_ablations(options.ablations), name: typed}
        return replace(options, ablations=Ablations.parse(values))
    try:
        value = int(typed.replace(",", "").replace("_", "").strip())
    except ValueError:
        raise LimitError(f"{name} must be a whole number, not {typed!r}") from None
    return replace(options, limits=options.limits.with_values({name: value}))


def toggled_options(options: RecallOptions, name: str) -> RecallOptions:
    """The options with an ablation switched over."""
    real, other = ABLATIONS[name]
    now = getattr(options.ablations, name)
    return changed_options(options, name, other if now == real else real)


def reset_options(options: RecallOptions, name: str) -> RecallOptions:
    """The options with one row as the real design has it.

    Raises:
        LimitError: another limit does not allow the default.

    """
    default = next(row.default for row in settings(options) if row.name == name)
    return changed_options(options, name, default)


def needs_rescan(before: RecallOptions, after: RecallOptions) -> bool:
    """Whether a change concerns what a scan reads, and not only what a recall makes of it."""
    return any(
        getattr(before.limits, name) != getattr(after.limits, name)
        for name in ("capped_scan_docs", "file_bytes")
    )


def _ablations(ablations: Ablations) -> dict[str, str]:
    return {name: str(getattr(ablations, name)) for name in ABLATIONS}
