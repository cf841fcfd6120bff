"""The funnel: the whole recall at a glance, every stage a link to its pane."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from memtui.tui.paint import paragraphs
from memtui.tui.view.strips import FunnelLine, drawn, funnel_line, funnel_two_lines, stage_at
from memtui.tui.view.view import View

MARGIN = 1


class FunnelBar(Widget):
    """One line or two, in the richest form that fits."""

    @dataclass
    class Chosen(Message):
        """A stage was clicked."""

        pane: str

    def __init__(self) -> None:
        super().__init__()
        self._view: View | None = None

    def show(self, view: View) -> None:
        """Shows another recall."""
        self._view = view
        self.refresh()

    @property
    def lines(self) -> tuple[FunnelLine, ...]:
        """The stages, line by line, as they fit now."""
        if self._view is None:
            return ()
        width = self.content_size.width
        if self.content_size.height < 2:
            return (funnel_line(self._view, width),)
        return funnel_two_lines(self._view, width)

    def render(self) -> Content:
        """The stages with arrows between them."""
        return paragraphs(drawn(stages) for stages in self.lines)

    def on_click(self, event: events.Click) -> None:
        """Leads to the pane of the stage under the pointer."""
        lines = self.lines
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(lines):
            return
        stage = stage_at(lines[offset.y], offset.x)
        if stage is not None:
            self.post_message(self.Chosen(stage.pane))
