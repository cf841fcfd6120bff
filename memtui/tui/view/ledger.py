"""Pane 4: the manifest with its bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection

from memtui.recall.funnel import BINDS_PHRASES
from memtui.recall.manifest import Manifest, Verdict
from memtui.tui.view.bars import byte_bar
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, line, richest
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View


def manifest_pane(view: View, picked: Collection[str] = frozenset()) -> PaneView:
    """Pane 4: every candidate in order, packed or not, with its bytes and the running total.

    Args:
        view: what is shown.
        picked: the paths of the lines that were picked by hand.

    """
    manifest = view.recall.manifest
    ceiling = view.recall.options.limits.manifest_bytes
    verdicts = manifest.verdicts
    missed = next((verdict for verdict in verdicts if not verdict.packed), None)
    name = Piece("4 manifest", "strong")
    count = Piece(f" {manifest.lines:,} of {len(verdicts):,}")
    left = Piece(f"{ceiling - manifest.bytes:,} B left", "muted")
    subtitle = [line(left, Piece(" · every line fits", "muted")), line(left)]
    if missed is not None:
        first = f" · first miss #{missed.position:,}"
        subtitle = [
            line(left, Piece(f"{first} needs {missed.bytes_missing:,} more", "warning"))
            if missed.bytes_missing
            else line(left, Piece(f"{first}: the prefix ends here", "warning")),
            line(left, Piece(first, "warning")),
            line(left),
        ]
    rows = Rows[object](
        _columns(len(verdicts)),
        verdicts,
        _verdict_key,
        _verdict_cells(view, picked),
        _nothing_packed(view),
    )
    return PaneView(((name, count), (name,)), tuple(subtitle), rows, _counter(manifest, ceiling))


def _columns(candidates: int) -> tuple[Column, ...]:
    return (
        Column("#", max(2, len(str(candidates))), right=True),
        Column("", 1, drop=2),
        Column("", 1),
        Column("bytes", 5, right=True, drop=1),
        Column("running", 10, right=True),
        Column("memory", 8, flexible=True),
    )


def _nothing_packed(view: View) -> str:
    if not view.recall.eligible:
        return "no document could be a candidate: an empty manifest asks no selector"
    return "no candidate slot: candidate_docs is 0"


def _counter(manifest: Manifest, ceiling: int) -> Callable[[int], Line]:
    """The live byte counter for a width."""

    def counter(width: int) -> Line:
        used = Piece(f" {manifest.bytes:,}", "strong")
        total = Piece(f"/{ceiling:,} B", "plain")
        binds = Piece(f" {BINDS_PHRASES[manifest.binds]}", "muted")
        options: list[Line] = []
        for tail in ((used, total, binds), (used, total)):
            room = width - sum(len(piece.text) for piece in tail)
            if room >= 4:
                options.append((*byte_bar(manifest.bytes, ceiling, room), *tail))
        return richest([*options, (used, total)], width)

    return counter


def _verdict_key(item: object) -> str:
    assert isinstance(item, Verdict)
    return item.document.id


def _verdict_cells(view: View, picked: Collection[str]) -> Callable[[object], tuple[Line, ...]]:
    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, Verdict)
        fate = view.fate_of[item.document.id]
        title = Piece(item.document.title or item.document.relative_path, fate.title_tone)
        if item.packed:
            mark, total = Piece("✓", "success"), Piece(f"{item.cumulative:,}")
        else:
            missing = item.bytes_missing
            needs = f"needs {missing:,}" if missing else "closed"
            mark, total = Piece("✗", "error"), Piece(needs, "error")
        origin = Piece("L", "accent") if item.origin == "lexical" else Piece("R", "primary")
        return (
            line(Piece(f"{item.position}", "muted")),
            (origin,),
            (mark,),
            line(f"{item.bytes:,}"),
            (total,),
            (Piece("▣ ", "success"), title) if item.document.path in picked else (title,),
        )

    return cells
