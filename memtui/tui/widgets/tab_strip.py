"""The strip of tabs, where there is room for one pane only."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.paint import content
from memtui.tui.view.pieces import Line, Piece, width_of

TABS = (
    ("pool", "1", "Pool"),
    ("hits", "2", "Hits"),
    ("reserve", "3", "Reserve"),
    ("manifest", "4", "Manifest"),
    ("trace", "5", "Trace"),
    ("inspector", "⏎", "Memory"),
)
"""Id of the pane, its key, its name."""


class TabStrip(Widget):
    """Names every pane; the one that is shown stands in brackets."""

    current: reactive[str] = reactive("pool")
    """The id of the pane that is shown."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        pane: str

    def render(self) -> Content:
        """The tabs, with shorter names where they do not fit."""
        return content(tuple(piece for _, tab in self._tabs() for piece in tab))

    def _tabs(self) -> list[tuple[str, Line]]:
        long = [(pane, self._tab(pane, f"{key} {name}")) for pane, key, name in TABS]
        if sum(width_of(tab) for _, tab in long) <= self.size.width:
            return long
        short = [(pane, self._tab(pane, f"{key} {name[:4]}")) for pane, key, name in TABS]
        if sum(width_of(tab) for _, tab in short) <= self.size.width:
            return short
        return [(pane, self._tab(pane, key)) for pane, key, _ in TABS]

    def _tab(self, pane: str, text: str) -> Line:
        if pane == self.current:
            return (Piece(f"[{text}]", "primary"),)
        return (Piece(f" {text} "),)

    def on_click(self, event: events.Click) -> None:
        """Shows the pane whose tab is under the pointer."""
        left = 0
        for pane, tab in self._tabs():
            if left <= event.x < left + width_of(tab):
                self.post_message(self.Chosen(pane))
            left += width_of(tab)
