"""Text that scrolls with the keys of a list."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memtui.tui.bindings import bindings_for
from memtui.tui.commands import Target


class ScrolledText(VerticalScroll, can_focus=True):
    """One text, wrapped to the width."""

    BINDINGS = bindings_for(Target.LIST)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._text = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """The text."""
        yield self._text

    def update(self, text: Content) -> None:
        """Shows another text."""
        self._text.update(text)

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
