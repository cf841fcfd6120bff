"""A widget that draws its own lines and scrolls through them."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


class LineView(ScrollView, can_focus=True):
    """Knows how many lines there are; what they are is its subclasses' business."""

    def measure(self, lines: int) -> None:
        """Takes note of the number of lines; lays the screen out only if a bar comes or goes.

        A layout draws every scrollbar of the screen again, which is what a key in the query would
        wait for. The width stays one cell: lines follow the width of the widget.
        """
        room = self.scrollable_content_region.height
        before = self.virtual_size.height
        if not before or not room or (lines > room) is not (before > room):
            self.virtual_size = Size(1, lines)
            return
        self.set_reactive(Widget.virtual_size, Size(1, lines))
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = lines
        self.scroll_y = self.validate_scroll_y(self.scroll_y)
