"""The lines around the panes: the title bar, the funnel and the strip of tabs."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.limits import Limits
from memtui.recall.funnel import BINDS_PHRASES, FunnelStage, funnel
from memtui.recall.pipeline import REPRODUCES
from memtui.text import plural
from memtui.tui.view.bars import byte_bar
from memtui.tui.view.pieces import Line, Piece, Tone, line, safe, width_of
from memtui.tui.view.view import View

ARROW = Piece(" ▸ ", "muted")


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the funnel: a text that leads to a pane."""

    pieces: Line
    """What stands there, safe to show."""
    pane: str
    """The id of the pane that shows it."""


FunnelLine = tuple[Stage, ...]
"""Stages from left to right, with arrows between them."""


def stage_at(stages: FunnelLine, x: int) -> Stage | None:
    """The stage under a cell of its line."""
    left = 0
    for stage in stages:
        right = left + width_of(stage.pieces)
        if left <= x < right:
            return stage
        left = right + len(ARROW.text)
    return None


def drawn(stages: FunnelLine) -> Line:
    """The stages as one line."""
    pieces: list[Piece] = []
    for stage in stages:
        if pieces:
            pieces.append(ARROW)
        pieces.extend(stage.pieces)
    return tuple(pieces)


def funnel_line(view: View, width: int) -> FunnelLine:
    """The funnel on one line: the richest form that fits, the bar taking what is left."""
    for level in range(_LEVELS):
        stages = _stages(view, level, bar=0)
        spare = width - width_of(drawn(stages)) - 1
        if spare >= _LEAST_BAR or (spare >= 0 and level == _LEVELS - 1):
            return _stages(view, level, bar=_bar_cells(spare))
    return stages


def funnel_two_lines(view: View, width: int) -> tuple[FunnelLine, FunnelLine]:
    """The funnel on two lines: the counts, and below them the bytes."""
    for level in range(_LEVELS):
        first = _counts(view, level)
        if width_of(drawn(first)) <= width:
            break
    for tail in _byte_tails(view):
        room = width - width_of(tail) - 1
        if room >= 4:
            bar = byte_bar(view.recall.manifest.bytes, _ceiling(view), room)
            return first, (Stage((*bar, Piece(" "), *tail), "manifest"),)
    return first, (Stage(tail, "manifest"),)


_LEVELS = 8
_BINDS_BELOW = 2
_UNIT_BELOW = 4
_CEILINGS_BELOW = 6
_LEAST_BAR = 6
_NAMES: dict[str, tuple[str | None, ...]] = {
    "pool": ("pool", "pool", "pool", "pool", "pool", "", "pool", ""),
    "eligible": ("eligible", "eligible", "eligible", None, None, None, None, None),
    "lexical": ("lexical", "lexical", "lexical", "hits", "hits", "hits", "hits", ""),
    "reserve": ("reserve", "reserve", "reserve", "recent", "recent", "recent", None, None),
    "candidates": ("candidates", "candidates", "cand", "cand", None, None, None, None),
    "manifest": ("manifest", "manifest", "manifest", "packed", "packed", "packed", "packed", ""),
    "selected": ("selected", "selected", "selected", "selected", "sel", "sel", "sel", ""),
    "context": ("context", "context", "context", "context", "ctx", "", None, None),
}
"""The names of the stages, level by level; None leaves a stage out."""
_PANES = {
    "pool": "pool",
    "eligible": "pool",
    "lexical": "hits",
    "reserve": "reserve",
    "candidates": "manifest",
    "manifest": "manifest",
    "selected": "pool",
    "context": "trace",
}
_TONES: dict[str, Tone] = {"lexical": "accent", "reserve": "primary", "selected": "success"}
_WITH_CEILING = frozenset({"lexical", "context"})


def _stages(view: View, level: int, bar: int) -> FunnelLine:
    manifest = view.recall.manifest
    tail: Line = (
        Piece(f" {manifest.bytes:,}", "success"),
        Piece(f"/{_ceiling(view):,} B" if level < _UNIT_BELOW else f"/{_ceiling(view):,}"),
    )
    if level < _BINDS_BELOW:
        tail = (*tail, Piece(f" {BINDS_PHRASES[manifest.binds]}", "muted"))
    if bar:
        tail = (Piece(" "), *byte_bar(manifest.bytes, _ceiling(view), bar), *tail)
    return tuple(
        Stage((*stage.pieces, *tail), stage.pane) if name == "manifest" else stage
        for name, stage in _named(view, level)
    )


def _counts(view: View, level: int) -> FunnelLine:
    return tuple(stage for _, stage in _named(view, level))


def _named(view: View, level: int) -> list[tuple[str, Stage]]:
    """The stages that this level shows, by name."""
    stages: list[tuple[str, Stage]] = []
    for stage in funnel(view.recall):
        label = _NAMES[stage.name][level]
        if label == "lexical":
            label = view.recall.ranker
        if label is not None:
            pieces = [Piece(f"{label} "), *_count(stage, level), *_pool_note(view, stage, level)]
            shown = safe(piece for piece in pieces if piece.text.strip())
            stages.append((stage.name, Stage(shown, _PANES[stage.name])))
    return stages


def _count(stage: FunnelStage, level: int) -> Line:
    ceiling = stage.ceiling if stage.name in _WITH_CEILING and level < _CEILINGS_BELOW else None
    tone = _TONES.get(stage.name, "strong")
    return line(
        Piece(f"{stage.count:,}", tone),
        Piece("" if ceiling is None else f"/{ceiling:,}", "muted"),
    )


def _pool_note(view: View, stage: FunnelStage, level: int) -> Line:
    """What is wrong with the pool: files skipped, a scope that could not be read."""
    if stage.name != "pool":
        return ()
    skipped = len(view.recall.pool.skipped)
    said = f" · {skipped:,} skipped" if level == 0 else f" {skipped:,}✗"
    return line(
        Piece(said if skipped and level < _LEVELS - 1 else "", "error"),
        Piece("" if view.scanned.complete else " incomplete" if level == 0 else " !", "warning"),
    )


def _byte_tails(view: View) -> list[Line]:
    manifest = view.recall.manifest
    used = Piece(f"{manifest.bytes:,}", "success")
    total = Piece(f"/{_ceiling(view):,} B")
    left = Piece(f" · {_ceiling(view) - manifest.bytes:,} left", "muted")
    binds = Piece(f" · {BINDS_PHRASES[manifest.binds]}", "muted")
    return [line(used, total, left, binds), line(used, total, left), line(used, total), line(used)]


def _ceiling(view: View) -> int:
    return view.recall.options.limits.manifest_bytes


def _bar_cells(spare: int) -> int:
    return min(spare, 40) if spare >= _LEAST_BAR else 0


def title_lines(
    name: str, view: View | None, source_note: str = "", notes: Line = ()
) -> list[Line]:
    """The title bar from the richest form to the shortest; ``notes`` go last."""
    head = line(
        Piece(" memtui", "accent"), Piece(" ▸ ", "muted"), Piece(name or "memory", "strong")
    )
    if view is None:
        return [(*head, Piece(f"   {source_note}", "muted")), head]
    scopes = [report for report in view.scanned.scopes if report.status != "absent"]
    dialects = "/".join(dict.fromkeys(report.dialect for report in scopes)) or "nothing"
    counts = " · ".join(
        f"{report.scope} {report.documents:,}"
        if report.status == "ok"
        else f"{report.scope} failed"
        for report in scopes
    )
    numbers = "+".join(f"{report.documents:,}" for report in scopes)
    tools = view.recall.options.recent_tools
    named = Piece(f"   tools {', '.join(tools)}" if tools else "   no tools in use")
    counted = Piece(f"   tools {len(tools)}" if tools else "")
    ablations, limits = view.recall.options.ablations.changed(), _changed_limits(view)
    departures = {**ablations, **limits}
    ablated = Piece("".join(f"   ! {key} {value}" for key, value in departures.items()), "warning")
    counted_limits = f"   ! {plural(len(limits), 'limit')} changed" if limits else ""
    changed = Piece("   ! ablated" if ablations else counted_limits, "warning")
    ranker = view.recall.ranker
    own = "" if ranker == "lexical" else f"ranked by {ranker}, packed "
    ranked = Piece(f"   {own or 'ranked '}as {REPRODUCES}, read as {dialects}", "muted")
    reproduced = Piece(f"   {f'by {ranker}, ' if own else ''}as {REPRODUCES}, {dialects}", "muted")
    return [
        (*head, Piece(f"   {dialects} · {counts}"), named, ablated, *notes, ranked),
        (*head, Piece(f"   {counts}"), named, ablated, *notes, ranked),
        (*head, Piece(f"   {counts}"), counted, changed, *notes, ranked),
        (*head, Piece(f"  {numbers}"), counted, changed, *notes, reproduced),
        (*head, counted, changed, *notes, reproduced),
        (*head, changed, *notes),
        (*head, *notes),
        head,
    ]


def _changed_limits(view: View) -> dict[str, str]:
    """The limits that depart from the contract's."""
    defaults = Limits().as_dict()
    now = view.recall.options.limits.as_dict()
    return {name: f"{value:,}" for name, value in now.items() if value != defaults[name]}
