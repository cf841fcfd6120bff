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
    """Cells; the least of a flexible column."""
    right: bool = False
    """Whether its text stands at the right."""
    flexible: bool = False
    """Whether it takes the space that is left."""
    most: int = 0
    """Cells it may grow to where the flexible columns have plenty; 0 does not grow."""
    plain_cut: bool = False
    """Whether its text is cut without an ellipsis, as abbreviations are."""
    drop: int = 0
    """Where space is short the column with the highest number goes first; 0 stays."""


Fit = tuple[tuple[int, int], ...]
"""The columns that are shown: index and cells of each."""

PLENTY = 36
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
    spare = width - _needed(columns, shown)
    flexible = [index for index in shown if columns[index].flexible]
    grown: dict[int, int] = {}
    for index in shown:
        wish = max(0, columns[index].most - columns[index].width)
        if wish and spare - wish >= PLENTY * len(flexible):
            grown[index] = wish
            spare -= wish
    fit: list[tuple[int, int]] = []
    for index in shown:
        size = columns[index].width + grown.get(index, 0)
        if index in flexible:
            share, odd = divmod(spare, len(flexible))
            size += share + (odd if index == flexible[-1] else 0)
        fit.append((index, max(size, 0)))
    return tuple(fit)


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
    return sum(columns[index].width for index in shown) + GAP * max(0, len(shown) - 1)
