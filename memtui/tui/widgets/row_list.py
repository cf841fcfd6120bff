"""A list of any length that draws only the rows on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.style import Style as RichStyle
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style

from memtui.text import display_text
from memtui.tui.bindings import bindings_for
from memtui.tui.commands import Target
from memtui.tui.paint import strip, tone_styles
from memtui.tui.view.columns import Fit, fit_columns, headings, lay_out
from memtui.tui.view.pieces import Line, Piece, Tone, clip
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.widgets.line_view import LineView

GUTTER = 2
"""Cells left of a row for the mark of the cursor."""
MARGIN = 1
"""Cells right of a row, so that it does not touch the scrollbar."""
HEADINGS_FROM = 6
"""Lines a list must have before it gives one to the headings."""

Styles = dict[Tone, RichStyle]


class Drawn(NamedTuple):
    """A line as it is on the screen."""

    line: Line
    """Its text."""
    cursor: bool = False
    """Whether it is that of the cursor."""


class RowList(LineView):
    """Rows with a cursor. The cursor row has a mark, so that it shows without colour."""

    BINDINGS = bindings_for(Target.LIST)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--cursor-blurred"}

    cursor: reactive[int] = reactive(0, repaint=False)
    """The index of the highlighted row."""

    @dataclass
    class Moved(Message):
        """The user has moved the cursor to a row."""

        key: str

    @dataclass
    class Chosen(Message):
        """The user wants to look into a row."""

        key: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = PaneView((), (), Rows())
        self._fitted: tuple[int, Fit] | None = None
        self._styles: dict[str, Styles] = {}
        self._drawn: dict[int, Drawn] = {}

    @property
    def rows(self) -> Rows[object]:
        """The rows shown."""
        return self.view.rows

    def show(self, view: PaneView, key: str | None) -> None:
        """Shows other rows, with the cursor on the row of ``key`` if there is one."""
        self.view = view
        self._fitted = None
        place = view.rows.places.get(key) if key is not None else None
        last = max(0, len(view.rows) - 1)
        self._measure()
        self.set_reactive(RowList.cursor, min(self.cursor, last) if place is None else place)
        self._reveal(center=True)
        self._draw_changes()

    def follow(self, key: str) -> None:
        """Moves the cursor to the row of a key, if the list has it."""
        place = self.rows.places.get(key)
        if place is not None and place != self.cursor:
            self.set_reactive(RowList.cursor, place)
            self._reveal(center=True)
            self._draw_changes()

    def _draw_changes(self) -> None:
        """Draws the lines that are not what they were."""
        lines = range(self.size.height)
        changed = [y for y in lines if self._drawn.get(y) != self._line(y)]
        self.refresh(*(Region(0, y, self.size.width, 1) for y in changed), repaint=bool(changed))

    @property
    def key(self) -> str | None:
        """The key of the row under the cursor."""
        return self.rows.key(self.cursor) if self.cursor < len(self.rows) else None

    # Geometry

    @property
    def _head_lines(self) -> int:
        height = self.size.height
        return int(self._has_head(height)) + int(self._has_headings(height))

    def _has_head(self, height: int) -> bool:
        return self.view.head is not None and height >= self.view.head_from

    def _has_headings(self, height: int) -> bool:
        return len(self.rows) > 0 and height >= HEADINGS_FROM

    @property
    def _page(self) -> int:
        return max(1, self.size.height - self._head_lines)

    @property
    def _row_width(self) -> int:
        return max(0, self.scrollable_content_region.width - GUTTER - MARGIN)

    def _measure(self) -> None:
        self.measure(self._head_lines + len(self.rows))

    @property
    def _fit(self) -> Fit:
        """The columns that fit now; worked out again where the width has changed."""
        width = self._row_width
        if self._fitted is None or self._fitted[0] != width:
            self._fitted = (width, fit_columns(self.rows.columns, width))
        return self._fitted[1]

    def on_resize(self) -> None:
        """Keeps the cursor in sight."""
        self._measure()
        self._reveal()

    def _reveal(self, *, center: bool = False) -> None:
        """Scrolls as little as needed to show the cursor, or brings it to the middle."""
        top, page = round(self.scroll_y), self._page
        if top <= self.cursor < top + page:
            return
        if center:
            top = self.cursor - page // 2
        elif self.cursor < top:
            top = self.cursor
        else:
            top = self.cursor - page + 1
        self.scroll_to(y=max(0, top), animate=False, force=True)

    # Drawing

    def notify_style_update(self) -> None:
        """Forgets the styles that belonged to another theme or focus."""
        super().notify_style_update()
        self._styles = {}

    def _tones(self, cursor: bool) -> Styles:
        name = "" if not cursor else "cursor" if self.has_focus else "cursor-blurred"
        if name not in self._styles:
            base = self.visual_style
            if name:
                background = self.get_component_styles(f"row-list--{name}").background
                base = base + Style(background=background)
            self._styles[name] = tone_styles(base)
        return self._styles[name]

    def render_line(self, y: int) -> Strip:
        """One line of the list: the head, the headings, a row, or nothing."""
        drawn = self._drawn[y] = self._line(y)
        return strip(drawn.line, self._tones(drawn.cursor), self.size.width)

    def _line(self, y: int) -> Drawn:
        height = self.size.height
        if self._has_head(height) and self.view.head is not None:
            if y == 0:
                return Drawn(self._indented(self.view.head(self._row_width)))
            y -= 1
        if not len(self.rows):
            return Drawn(self._indented(self._nothing(y)))
        if self._has_headings(height):
            if y == 0:
                return Drawn(self._indented(headings(self.rows.columns, self._fit)))
            y -= 1
        return self._row(y + round(self.scroll_y))

    def _row(self, index: int) -> Drawn:
        if index >= len(self.rows):
            return Drawn(())
        row = lay_out(self.rows.cells(index), self.rows.columns, self._fit)
        if index != self.cursor:
            return Drawn(self._indented(row))
        mark = "▌" if self.has_focus else "▏"
        return Drawn((Piece(mark.ljust(GUTTER), "primary"), *row), cursor=True)

    def _indented(self, row: Line) -> Line:
        return (Piece(" " * GUTTER), *row)

    def _nothing(self, y: int) -> Line:
        said = Content(display_text(self.rows.nothing)).wrap(max(1, self._row_width))
        return clip((Piece(said[y].plain, "muted"),), self._row_width) if y < len(said) else ()

    # What the user does

    def watch_has_focus(self, focused: bool) -> None:
        """Redraws the cursor, which looks different where the focus is."""
        super().watch_has_focus(focused)
        self.refresh()

    def _move(self, place: int) -> None:
        last = len(self.rows) - 1
        place = max(0, min(place, last))
        if last < 0 or place == self.cursor:
            return
        self.cursor = place
        self._reveal()
        self.refresh()
        self.post_message(self.Moved(self.rows.key(place)))

    def go(self, place: int) -> None:
        """Moves to a row."""
        self._move(place)

    def action_cursor_down(self) -> None:
        """Moves to the next row."""
        self._move(self.cursor + 1)

    def action_cursor_up(self) -> None:
        """Moves to the row before."""
        self._move(self.cursor - 1)

    def action_first(self) -> None:
        """Moves to the first row."""
        self._move(0)

    def action_last(self) -> None:
        """Moves to the last row."""
        self._move(len(self.rows) - 1)

    def action_half_down(self) -> None:
        """Moves down half a page."""
        self._move(self.cursor + max(1, self._page // 2))

    def action_half_up(self) -> None:
        """Moves up half a page."""
        self._move(self.cursor - max(1, self._page // 2))

    def action_page_down(self) -> None:
        """Moves down one page."""
        self._move(self.cursor + self._page)

    def action_page_up(self) -> None:
        """Moves up one page."""
        self._move(self.cursor - self._page)

    def action_inspect(self) -> None:
        """Asks to look into the row under the cursor."""
        key = self.key
        if key is not None:
            self.post_message(self.Chosen(key))

    def on_click(self, event: events.Click) -> None:
        """Moves to the row that was clicked; a second click looks into it."""
        y = event.y - self._head_lines
        index = y + round(self.scroll_y)
        if y < 0 or index >= len(self.rows):
            return
        if event.chain > 1 and index == self.cursor:
            self.action_inspect()
        else:
            self._move(index)
