"""A screen over another one that is closed once, however many keys ask for it."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

Answer = TypeVar("Answer")


class ClosedOnce(Screen[Answer]):
    """Does nothing if it is asked for something and is not on top.

    Keys and clicks that come faster than they are handled still reach a screen that is closed. In
    Textual 8.2 each of them would close whatever is on top by then: the main screen, in the end.
    It goes last among the bases: Textual takes the style sheet of the first one.
    """

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Lets an action run only while the screen is on top."""
        return self.is_active and super().check_action(action, parameters)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Closes the screen with an answer, if it is on top."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
