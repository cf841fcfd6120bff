"""The ladder as drawn: wrapped to a width, with a cursor on the remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from textual.content import Content

from memtui.recall.why.remedies import Remedy
from memtui.tui.paint import content
from memtui.tui.view.ladder import LEVELS, Block, Findings, blocks
from memtui.tui.view.pieces import Piece, clip, line, safe, width_of

LEAST_TEXT = 14
"""Cells that a text keeps right of its head; where there are fewer it stands below."""
GUTTER = 2
"""Cells left of everything, for the mark of the cursor."""


@dataclass
class WhyFace:
    """What the inspector shows about why a memory was or was not recalled."""

    found: Findings | None = None
    """What is known."""
    cursor: int = 0
    """The index of the marked remedy."""
    chosen: Remedy | None = None
    """The remedy that the user marked; it stays marked when better ones are found."""
    rows: list[int | None] = field(default_factory=list)
    """The remedy of each line as drawn."""

    def show(self, found: Findings | None) -> None:
        """Shows other findings; of the same memory, with the cursor on the same remedy."""
        if found is None or self.found is None or not found.about(self.found.view, self.found.key):
            self.cursor, self.chosen = 0, None
        elif self.chosen in found.remedies:
            self.cursor = found.remedies.index(self.chosen)
        self.found = found

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """The remedies found so far."""
        return () if self.found is None else self.found.remedies

    def remedy(self, number: int | None = None) -> Remedy | None:
        """The remedy of a number from 1; the marked one without."""
        index = self.cursor if number is None else number - 1
        return self.remedies[index] if 0 <= index < len(self.remedies) else None

    def move(self, place: int) -> None:
        """Marks another remedy."""
        if self.remedies:
            self.cursor = max(0, min(place, len(self.remedies) - 1))
            self.chosen = self.remedies[self.cursor]

    def remedy_at(self, row: int) -> int | None:
        """The index of the remedy drawn on a line."""
        return self.rows[row] if 0 <= row < len(self.rows) else None

    def rows_of_cursor(self) -> tuple[int, int]:
        """The first and the last line of the marked remedy."""
        mine = [row for row, index in enumerate(self.rows) if index == self.cursor]
        return (mine[0], mine[-1]) if mine else (0, 0)

    def drawn(self, width: int, height: int, *, focused: bool) -> Content:
        """Everything, wrapped to a width; fewer rows where the height is small."""
        if self.found is None or width <= GUTTER:
            return Content("")
        room = max(8, width - GUTTER)
        lines: list[Content] = []
        self.rows = []
        for block in self._fitting(room, height):
            marked = block.remedy is not None and block.remedy == self.cursor
            mark = ("▌" if focused else "▏").ljust(GUTTER) if marked else " " * GUTTER
            for text in _wrapped(block, room):
                gutter = content(line(Piece(mark, "primary")))
                lines.append(Content.assemble(gutter, text))
                self.rows.append(block.remedy)
        return Content("\n").join(lines)

    def _fitting(self, room: int, height: int) -> Sequence[Block]:
        """The blocks in the fullest form whose lines fit into the height, else in the shortest.

        Where there is room for everything, nothing is cut to one line.
        """
        assert self.found is not None
        shown: tuple[Block, ...] = ()
        whole = tuple(replace(block, short=False) for block in blocks(self.found))
        for level in range(-1, LEVELS):
            shown = whole if level < 0 else blocks(self.found, level)
            if sum(len(_wrapped(block, room)) for block in shown) <= height:
                break
        return shown


def _wrapped(block: Block, width: int) -> list[Content]:
    """A block as lines of at most ``width`` cells, the text right of the head."""
    head = safe(block.head)
    indent = width_of(head)
    if block.short:
        return [content(clip((*head, *safe(block.text)), width))]
    if not block.text:
        return [content(clip(head, width))]
    if width - indent < LEAST_TEXT:
        below = content(safe(block.text)).wrap(max(1, width - 1))
        rows = [Content(" ") + each for each in below]
        return [content(clip(head, width)), *rows] if head else rows
    texts = content(safe(block.text)).wrap(width - indent)
    pad = Content(" " * indent)
    return [(content(head) if place == 0 else pad) + text for place, text in enumerate(texts)]
