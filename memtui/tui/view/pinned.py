"""The line about the memory that one expected: its fate and its margin, whatever is typed."""

from __future__ import annotations

from memtui.memory.document import SkippedFile
from memtui.recall.why import climb
from memtui.tui.view.ages import ordinal
from memtui.tui.view.ladder import counted, lacking
from memtui.tui.view.pieces import Line, Piece, clip, line, safe, width_of
from memtui.tui.view.view import View

LEAST_NAME = 12
"""Cells that the name of the memory keeps where the verdict is long."""


def key_of_path(view: View, path: str) -> str | None:
    """The key of the memory at a path; a skipped file and the document it becomes share one."""
    return next((key for key, each in view.catalogue.entries.items() if each.path == path), None)


def pin_line(view: View | None, path: str, width: int) -> Line:
    """The pinned memory in one line of ``width`` cells."""
    head = line(Piece(" pinned ", "primary"))
    key = None if view is None else key_of_path(view, path)
    if view is None or key is None:
        gone = line(Piece("? ", "warning"), path, Piece(" is not among the files read", "warning"))
        return clip((*head, *safe(gone)), width)
    entry = view.catalogue.entries[key]
    name = entry.relative_path if isinstance(entry, SkippedFile) else entry.title
    title = safe((view.fate_of[key].glyph, Piece(f" {name or entry.relative_path}", "strong")))
    said = safe(pin_verdict(view, key))
    room = max(LEAST_NAME, width - width_of(head) - width_of(said))
    return clip((*head, *clip(title, room), *said), width)


def pin_verdict(view: View, key: str) -> Line:
    """Where the memory was lost and what it lacks, or by what it stayed."""
    ladder = climb(view.recall, view.catalogue.entries[key])
    lost = next((rung for rung in ladder if rung.verdict == "lost"), None)
    if lost is not None:
        rank = next((rung for rung in ladder if rung.verdict == "missed"), None)
        missed = f" · {rung_words(rank.reason)}" if rank is not None else ""
        return line(
            Piece(f"  ✗ lost at {lost.stage}", "error"),
            Piece(f": {lost.reason}", "error"),
            *lacking(lost),
            Piece(missed, "muted"),
        )
    kept = view.recall.context.kept
    place = kept.index(key) + 1 if key in kept else len(kept)
    spare = next((r for r in ladder if r.stage == "selection" and r.margin is not None), None)
    ahead = f" · {counted(spare.margin, spare.unit)} ahead" if spare and spare.margin else ""
    return line(Piece(f"  ✓ {ordinal(place)} of {len(kept)} in the context", "success"), ahead)


def rung_words(reason: str | None) -> str:
    """A reason as it stands at the end of the line."""
    return f"rank: {reason}" if reason else ""
