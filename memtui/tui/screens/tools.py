"""The recent tools: a list that applies as it is typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from memtui.tui.screens.dialog import Dialog
from memtui.tui.widgets.safe_input import SafeInput

Apply = Callable[[tuple[str, ...]], None]
"""Takes the tools into the recall."""


def split_tools(typed: str) -> tuple[str, ...]:
    """The distinct names in a list that commas or line ends separate."""
    names = (name.strip() for name in re.split(r"[,\n]", typed))
    return tuple(dict.fromkeys(name for name in names if name))


class ToolsScreen(Dialog[None]):
    """Enter keeps what was typed, esc puts back what was there before."""

    def __init__(self, tools: Sequence[str], apply: Apply) -> None:
        super().__init__()
        self._before = tuple(tools)
        self._apply = apply

    def compose(self) -> ComposeResult:
        """An input and what it means."""
        with Vertical(id="frame"):
            yield Static(
                "Tools that the agent is using right now, separated by commas. "
                "A memory that only documents one of them is left out as noise.",
                markup=False,
                classes="said",
            )
            yield SafeInput(
                ", ".join(self._before), placeholder="grep, mcp__docs__fetch_page", joint=", "
            )
            yield Static("It applies as you type.", markup=False, classes="said")

    def on_mount(self) -> None:
        """Names the dialog."""
        self.label("recent tools", "accept")
        self.query_one(SafeInput).focus()

    @on(SafeInput.Changed)
    def _changed(self, event: SafeInput.Changed) -> None:
        event.stop()
        self._apply(split_tools(event.value))

    @on(SafeInput.Submitted)
    def _submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self.dismiss(None)

    def action_close(self) -> None:
        """Puts the tools back as they were."""
        self._apply(self._before)
        self.dismiss(None)
