"""Columns of a list: which of them fit into a width, and a row laid out in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import set_cell_size

from memtui.tui.view.pieces import Line, Piece, fitted, safe


@dataclass(frozen=True, slots=True)
class Column:
    """How one column of a list is drawn."""

    name: str
    """Its heading; may be empty."""
    width: int
    """Cells; the least of a flexible column; 0 shows it only where it can grow."""
    right: bool = False
    """Whether its text stands at the right."""
    flexible: bool = False
    """Whether it takes the space that is left; one column of a list does."""
    most: int = 0
    """Cells it may grow to where the flexible columns have plenty; 0 does not grow."""
    plain_cut: bool = False
    """Whether its text is cut without an ellipsis, as abbreviations are."""
    drop: int = 0
    """Where space is short the column with the highest number goes first; 0 stays."""


Fit = tuple[tuple[int, int], ...]
"""The columns that are shown: index and cells of each."""

PLENTY = 24
"""Cells that a flexible column keeps before another one grows."""
GAP = 1
"""Cells between two columns."""


def fit_columns(columns: Sequence[Column], width: int) -> Fit:
    """Chooses the columns that fit into ``width`` cells, and shares out what is left."""
    shown = list(range(len(columns)))
    while _needed(columns, shown) > width:
        droppable = [index for index in shown if columns[index].drop]
        if not droppable:
            break
        shown.remove(max(droppable, key=lambda index: columns[index].drop))
    sizes = {index: columns[index].width for index in shown}
    spare = width - _needed(columns, shown)
    flexible = [index for index in shown if columns[index].flexible]
    for index in shown:
        growth = columns[index].most - sizes[index]
        gap = 0 if sizes[index] else GAP
        if growth > 0 and spare - growth - gap >= _reserved(columns, flexible):
            sizes[index] += growth
            spare -= growth + gap
    if flexible:
        sizes[flexible[0]] += spare
    return tuple((index, max(size, 0)) for index, size in sizes.items() if size)


def _reserved(columns: Sequence[Column], flexible: Sequence[int]) -> int:
    """The spare cells that the flexible columns need to have plenty."""
    return sum(max(0, PLENTY - columns[index].width) for index in flexible)


def lay_out(cells: Sequence[Line], columns: Sequence[Column], fit: Fit) -> Line:
    """One row in its columns, every text made safe, cut and padded."""
    row: list[Piece] = []
    for index, width in fit:
        if row:
            row.append(Piece(" " * GAP))
        column = columns[index]
        cell = safe(cells[index])
        if column.plain_cut:
            cell = safe(Piece(set_cell_size(text, width), tone) for text, tone in cell[:1])
        row.extend(fitted(cell, width, right=column.right))
    return tuple(row)


def headings(columns: Sequence[Column], fit: Fit) -> Line:
    """The names of the columns, laid out as the rows are."""
    return lay_out([(Piece(column.name, "muted"),) for column in columns], columns, fit)


def _needed(columns: Sequence[Column], shown: Sequence[int]) -> int:
    sizes = [columns[index].width for index in shown if columns[index].width]
    return sum(sizes) + GAP * max(0, len(sizes) - 1)
