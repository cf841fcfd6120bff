"""The first frame, drawn before the rest of the app is loaded."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from memtui.tui.paint import content
from memtui.tui.view.pieces import Piece, line, safe
from memtui.tui.widgets.query_bar import QueryBar


class OpeningScreen(Screen[None]):
    """Names what is opened, and takes the query at once; the main screen goes on with it."""

    CSS_PATH = "opening.tcss"
    AUTO_FOCUS = "#query"

    def __init__(self, name: str, query: str) -> None:
        super().__init__()
        self._name = name
        self.query_bar = QueryBar(query)

    def compose(self) -> ComposeResult:
        """The top of the main screen."""
        head = line(
            Piece(" memtui", "accent"),
            Piece(" ▸ ", "muted"),
            Piece(self._name or "memory", "strong"),
        )
        yield Static(content(safe(head)), id="title")
        yield self.query_bar
        yield Static(content(line(Piece("reading the stores", "muted"))), id="opening")
