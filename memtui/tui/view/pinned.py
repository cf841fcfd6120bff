"""The line about the memory that one expected: its fate and its margin, whatever is typed."""

from __future__ import annotations

from memtui.memory.document import SkippedFile
from memtui.recall.why.ladder import climb
from memtui.text import ordinal
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
    said: Line = ()
    for said in map(safe, pin_verdicts(view, key)):
        if width_of(head) + width_of(title) + width_of(said) <= width:
            break
    room = max(LEAST_NAME, width - width_of(head) - width_of(said))
    return clip((*head, *clip(title, room), *said), width)


def pin_verdicts(view: View, key: str) -> list[Line]:
    """Where the memory was lost and what it lacks, or by what it stayed; the fullest form first."""
    ladder = climb(view.recall, view.catalogue.entries[key])
    lost = next((rung for rung in ladder if rung.verdict == "lost"), None)
    if lost is not None:
        rank = next((rung for rung in ladder if rung.verdict == "missed"), None)
        also = f" · {rank.stage}: {rank.reason}" if rank is not None and rank.reason else ""
        brief = line(Piece(f"  ✗ lost at {lost.stage}", "error"))
        short = (*brief, Piece(f": {lost.reason}", "error"), *lacking(lost))
        return [(*short, Piece(also, "muted")), short, brief]
    kept = view.recall.context.kept
    place = kept.index(key) + 1 if key in kept else len(kept)
    spare = next((r for r in ladder if r.stage == "selection" and r.margin is not None), None)
    ahead = f" · {counted(spare.margin, spare.unit)} ahead" if spare and spare.margin else ""
    brief = line(Piece(f"  ✓ {ordinal(place)} of {len(kept)} in the context", "success"))
    return [(*brief, *line(ahead)), brief]
