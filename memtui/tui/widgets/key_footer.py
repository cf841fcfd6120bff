"""The footer: the keys that work here and now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from memtui.tui.commands import Command, Context, Place
from memtui.tui.paint import content
from memtui.tui.view.footer import Hint, drawn_hints, footer


class KeyFooter(Widget):
    """At most six hints; a click on one runs it."""

    @dataclass
    class Pressed(Message):
        """A hint was clicked."""

        command: Command

    def __init__(self) -> None:
        super().__init__()
        self._where = Context(Place.QUERY)
        self._keys: Mapping[str, Sequence[str]] = {}

    def show(self, context: Context, keys: Mapping[str, Sequence[str]]) -> None:
        """Shows the hints of a context."""
        if (context, keys) != (self._where, self._keys):
            self._where, self._keys = context, keys
            self.refresh()

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The hints as they are placed now."""
        return footer(self._where, self.size.width, self._keys)

    def render(self) -> Content:
        """The hints as one line."""
        return content(drawn_hints(self.hints))

    def on_click(self, event: events.Click) -> None:
        """Runs the hint under the pointer."""
        for hint in self.hints:
            if hint.left <= event.x < hint.right:
                self.post_message(self.Pressed(hint.command))
