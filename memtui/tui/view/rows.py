"""A list as data: items, their keys, and cells that are made only for the rows on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line

Item = TypeVar("Item")


@dataclass(frozen=True)
class Rows(Generic[Item]):
    """The rows of one list. Items are cheap to hold; formatting is left for ``cells``."""

    columns: tuple[Column, ...] = ()
    """How the cells are drawn."""
    items: Sequence[Item] = ()
    """One for each row, in order."""
    key_of: Callable[[Item], str] = str
    """The key of an item; a document has the same key in every list."""
    cells_of: Callable[[Item], Sequence[Line]] = field(default=lambda _: ())
    """The cells of an item, one for each column."""
    nothing: str = ""
    """What to say where there are no rows."""

    def __len__(self) -> int:
        return len(self.items)

    def key(self, index: int) -> str:
        """The key of a row."""
        return self.key_of(self.items[index])

    def cells(self, index: int) -> Sequence[Line]:
        """The cells of a row."""
        return self.cells_of(self.items[index])

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of every row by its key."""
        return {self.key_of(item): index for index, item in enumerate(self.items)}


@dataclass(frozen=True)
class PaneView:
    """Everything that a pane with a list shows."""

    title: tuple[Line, ...]
    """The title from the richest to the shortest; the first that fits is drawn."""
    subtitle: tuple[Line, ...]
    """The subtitle, likewise."""
    rows: Rows[object]
    """The list."""
    head: Callable[[int], Line] | None = None
    """A line above the rows for a width in cells, if there is one."""
    head_from: int = 3
    """Lines the list must have before it gives one to the head."""
