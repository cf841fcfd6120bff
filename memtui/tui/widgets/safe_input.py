"""A one-line input that never holds a control character and joins pasted lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+"
)

OPENING_S = 1.0
"""Seconds for which a screen counts as being opened."""


def without_controls(text: str) -> str:
    """The text with every run of control characters, line ends among them, as one space."""
    return _CONTROLS.sub(" ", text)


class SafeInput(Input):
    """An ``Input`` whose value can be drawn as it is."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """The size of the value. It is one line whatever is typed, so no key lays the screen out."""

    @dataclass
    class Joined(Message):
        """Several lines were pasted and joined."""

        lines: int

    def __init__(
        self,
        value: str | None = None,
        *,
        placeholder: str = "",
        joint: str = " ",
        id: str | None = None,
    ) -> None:
        super().__init__(value, placeholder=placeholder, id=id)
        self._joint = joint
        self._going_on = False

    def go_on_with(self, other: Input) -> None:
        """Takes over what was typed into another input, and its caret.

        A screen that opens gives its input the focus more than once, which would select the text
        each time, and the next key would replace it.
        """
        if other.value != self.value:
            self.value, self.selection = other.value, other.selection
            self._going_on = True
            self.set_timer(OPENING_S, self._opened)

    def _opened(self) -> None:
        self._going_on = False

    def on_focus(self, event: events.Focus) -> None:
        """Keeps the caret in a text that is being typed; else all of it is selected."""
        if self._going_on:
            event.prevent_default()

    def validate_value(self, value: str) -> str:
        """Keeps control characters out, whoever sets the value."""
        return without_controls(value)

    def _on_paste(self, event: events.Paste) -> None:
        """Inserts all lines of a paste, where ``Input`` keeps the first one only."""
        event.stop()
        event.prevent_default()
        lines = [text.strip() for text in event.text.splitlines() if text.strip()]
        if not lines:
            return
        text = without_controls(self._joint.join(lines))
        selection = self.selection
        if selection.is_empty:
            self.insert_text_at_cursor(text)
        else:
            self.replace(text, *selection)
        if len(lines) > 1:
            self.post_message(self.Joined(len(lines)))
