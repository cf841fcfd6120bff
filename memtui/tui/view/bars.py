"""Bars of a given number of cells."""

from __future__ import annotations

from memtui.tui.view.pieces import Line, Piece


def byte_bar(used: int, ceiling: int, cells: int) -> Line:
    """How much of a ceiling is used; full and empty differ in shape too."""
    share = min(1.0, used / ceiling) if ceiling else 1.0
    filled = min(cells, int(share * cells + 0.5))
    if used and not filled:
        filled = 1
    return (Piece("━" * filled, "success"), Piece("┄" * (cells - filled), "muted"))
