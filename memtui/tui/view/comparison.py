"""Two recalls side by side as a list: what the manifest gained, lost and moved, and why."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.memory.document import Document, Pool
from memtui.recall.compare import Comparison, regime_of
from memtui.recall.pipeline import Recall
from memtui.recall.why.ladder import climb
from memtui.text import plural
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.rows import PaneView, Rows

COLUMNS = (
    Column("", 1),
    Column("line", 9, right=True),
    Column("memory", 12, flexible=True),
    Column("why", 27, most=44, drop=1),
)

MEANINGS = {
    "capped": "the design before: capped scans, every document, no byte ceiling",
    "appended": "the recent documents at the end, not in between",
    "prefix": "the manifest ends at the first line that does not fit",
}
"""What each preset is, in a few words."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One document that is picked in one recall only, or has another line in the manifest."""

    key: str
    """The document."""
    document: Document
    """The document, as the recall has it that shows it."""
    sign: Piece
    """``●`` picked, ``○`` dropped, ``+`` gained, ``−`` lost, ``↑`` or ``↓`` moved."""
    lines: str
    """The line before and the line after, or what became of it."""
    why: str
    """The reason."""


def differences(comparison: Comparison) -> tuple[Difference, ...]:
    """Picked, gained, lost, moved, each with its reason; takes long where many were lost."""
    before, after = comparison.before, comparison.after
    old, new = _places(before), _places(after)
    gained = [
        Difference(
            document.id,
            document,
            Piece("+", "success"),
            f"→ {new[document.id][0]:,}",
            f"before: {_stage_of(before, document)}",
        )
        for document in comparison.gained
    ]
    lost = [
        Difference(
            each.document.id,
            each.document,
            Piece("−", "error"),
            f"{old[each.document.id][0]:,} →",
            f"{each.stage}: {each.reason}" if each.reason else each.stage,
        )
        for each in comparison.lost
    ]
    moved = [
        Difference(
            each.document.id,
            each.document,
            Piece("↑" if each.after < each.before else "↓", "primary"),
            f"{each.before:,} → {each.after:,}",
            _why_moved(old[each.document.id], new[each.document.id]),
        )
        for each in comparison.moved
    ]
    return (*_picked(before, after), *gained, *lost, *moved)


def _picked(before: Recall, after: Recall) -> list[Difference]:
    """The documents that are selected in one recall and not in the other, by the same selector."""
    if before.selection.selector != after.selection.selector:
        return []
    old, new = set(before.selection.ids), set(after.selection.ids)
    now = [
        Difference(
            each.id, each, Piece("●", "success"), "picked", f"before: {_stage_of(before, each)}"
        )
        for each in after.selection.documents
        if each.id not in old
    ]
    gone = [
        Difference(each.id, each, Piece("○", "warning"), "dropped", _stage_of(after, each))
        for each in before.selection.documents
        if each.id not in new
    ]
    return now + gone


def _stage_of(result: Recall, document: Document) -> str:
    """The stage where a recall lost a document, and the reason."""
    pool = result.pool
    known = next((each for each in (*pool.documents, *pool.beyond) if each.id == document.id), None)
    if known is None:
        skipped = next((each for each in pool.skipped if each.path == document.path), None)
        return f"scan: {skipped.reason}" if skipped else "found: not in the pool"
    lost = next((rung for rung in climb(result, known) if rung.verdict == "lost"), None)
    return f"{lost.stage}: {lost.reason}" if lost is not None else "recalled"


_ORIGINS = {"lexical": "by its score", "recent": "by its age"}


def _places(result: Recall) -> dict[str, tuple[int, str]]:
    """Line and origin of every packed document."""
    return {
        each.document.id: (each.line or 0, _ORIGINS.get(each.origin, each.origin))
        for each in result.manifest.packed
    }


def _why_moved(old: tuple[int, str], new: tuple[int, str]) -> str:
    if old[1] != new[1]:
        return f"{old[1]}, now {new[1]}"
    fewer = new[0] < old[0]
    return f"{new[1]}; {'fewer' if fewer else 'more'} lines stand before it"


def comparison_pane(name: str, comparison: Comparison, rows: tuple[Difference, ...]) -> PaneView:
    """The differences as a list with the counts in its title."""
    counts = line(
        Piece(f"{name} → now", "strong"),
        Piece(f"  +{len(comparison.gained):,} gained", "success"),
        Piece(f"  −{len(comparison.lost):,} lost", "error"),
        Piece(f"  {len(comparison.moved):,} moved", "primary"),
    )
    nothing = "the two manifests have the same documents on the same lines"
    return PaneView((counts,), (), Rows[object](COLUMNS, rows, _key, _cells, nothing))


def sides(comparison: Comparison) -> Line:
    """Both manifests in numbers."""
    before, after = comparison.before, comparison.after
    return line(
        Piece("manifest ", "muted"),
        f"{plural(before.manifest.lines, 'line')}, {before.manifest.bytes:,} B",
        Piece(" → ", "muted"),
        f"{plural(after.manifest.lines, 'line')}, {after.manifest.bytes:,} B",
        Piece(f" · selected {len(before.selection.ids)} → {len(after.selection.ids)}", "muted"),
        Piece(f" · query {after.query.text!r}" if before.query.text != after.query.text else ""),
    )


def regime_line(pool: Pool, cap: int) -> Line:
    """Which effect the bounded design has on a pool of this size."""
    regime, said = regime_of(pool, cap)
    return line(Piece(f"regime {regime}", "accent"), Piece(f": {said}", "muted"))


def _key(item: object) -> str:
    assert isinstance(item, Difference)
    return item.key


def _cells(item: object) -> tuple[Line, ...]:
    assert isinstance(item, Difference)
    return (
        (item.sign,),
        line(Piece(item.lines, "muted")),
        line(item.document.title or item.document.relative_path),
        line(Piece(item.why, "muted")),
    )
