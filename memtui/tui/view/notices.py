"""What is said where there is no recall to show."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.tui.view.pieces import Line, Piece, line

MOST_PLACES = 12


def no_store(looked_at: Sequence[str]) -> tuple[Line, ...]:
    """No store was found: where it was looked for, and the demo."""
    places = [line(Piece("  · ", "muted"), place) for place in looked_at[:MOST_PLACES]]
    if len(looked_at) > MOST_PLACES:
        places.append(line(Piece(f"  · and {len(looked_at) - MOST_PLACES} more places", "muted")))
    return (
        line(Piece("No memory store was found", "strong")),
        (),
        *([line(Piece("Looked at", "muted")), *places, ()] if places else ()),
        line(Piece("d", "accent"), "  opens a demo with invented memories"),
        line(Piece("o", "accent"), "  lists every store on this machine, of other projects too"),
        line(Piece("q", "accent"), "  quits; name a store with ", Piece("--project DIR", "strong")),
    )


def scanning(files: int) -> tuple[Line, ...]:
    """A first scan is running."""
    read = f"{files:,} files read so far" if files else "reading the stores"
    return (
        line(Piece("Scanning", "strong")),
        (),
        line(read),
        line(Piece("esc", "accent"), "  stops"),
    )


def scan_stopped() -> tuple[Line, ...]:
    """The first scan was stopped."""
    return (
        line(Piece("The scan was stopped", "strong")),
        (),
        line("Nothing has been read, so there is nothing to recall from."),
        (),
        line(Piece("r", "accent"), "  scans again"),
        line(Piece("q", "accent"), "  quits"),
    )


def scan_failed(reason: str) -> tuple[Line, ...]:
    """A required root can not be read."""
    return (
        line(Piece("✗ ", "error"), Piece("This store can not be read", "strong")),
        (),
        line(Piece(reason, "error")),
        (),
        line("Without it a recall would be a wrong answer, so none is shown."),
        (),
        line(Piece("r", "accent"), "  tries again"),
        line(Piece("o", "accent"), "  chooses another store"),
        line(Piece("q", "accent"), "  quits"),
    )
