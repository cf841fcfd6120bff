"""Text that scrolls with the keys of a list."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.visual import Visual

from memtui.tui.bindings import bindings_for
from memtui.tui.commands import Target
from memtui.tui.widgets.line_view import LineView


class ScrolledText(LineView):
    """One text, wrapped to the width. It can be selected with the mouse."""

    BINDINGS = bindings_for(Target.LIST)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._content = Content("")
        self._drawn: tuple[int, list[Strip]] | None = None

    @property
    def text(self) -> Content:
        """What is shown."""
        return self._content

    def update(self, text: Content) -> None:
        """Shows another text."""
        if text.is_same(self._content):
            return
        self._content = text
        self._drawn = None
        self.measure(len(self._strips(self._width)))
        self.refresh()

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _strips(self, width: int) -> list[Strip]:
        if self._drawn is None or self._drawn[0] != width:
            strips = Visual.to_strips(self, self._content, width, None, self.visual_style, pad=True)
            self._drawn = (width, strips)
        return self._drawn[1]

    # What Textual asks

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """The lines of the text at a width."""
        return len(self._content.wrap(width)) if width else 0

    def render_line(self, y: int) -> Strip:
        """One line."""
        width = self.size.width
        strips, place = self._strips(self._width), y + round(self.scroll_y)
        style = self.visual_style.rich_style
        if place >= len(strips):
            return Strip.blank(width, style)
        return strips[place].adjust_cell_length(width, style)

    def notify_style_update(self) -> None:
        """Draws everything in the new colours."""
        super().notify_style_update()
        self._drawn = None

    def on_resize(self) -> None:
        """Wraps the text to the new width."""
        self.measure(len(self._strips(self._width)))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The part of the text that is selected."""
        return selection.extract(self._content.plain), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        """Draws the selection."""
        self._drawn = None
        self.refresh()

    # What the user does

    def action_cursor_down(self) -> None:
        """Scrolls down one line."""
        self.scroll_relative(y=1, animate=False)

    def action_cursor_up(self) -> None:
        """Scrolls up one line."""
        self.scroll_relative(y=-1, animate=False)

    def action_first(self) -> None:
        """Scrolls to the top."""
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        """Scrolls to the end."""
        self.scroll_end(animate=False)

    def action_half_down(self) -> None:
        """Scrolls down half a page."""
        self.scroll_relative(y=max(1, self.size.height // 2), animate=False)

    def action_half_up(self) -> None:
        """Scrolls up half a page."""
        self.scroll_relative(y=-max(1, self.size.height // 2), animate=False)

    def action_page_down(self) -> None:
        """Scrolls down one page."""
        self.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        """Scrolls up one page."""
        self.scroll_page_up(animate=False)
