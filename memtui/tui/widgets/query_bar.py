"""The query, with a word about what is made of it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label

from memtui.tui.paint import content
from memtui.tui.view.pieces import Line, Piece, clip, line, safe
from memtui.tui.widgets.safe_input import SafeInput
from memtui.tui.widgets.titled import Titled

BORDER_CELLS = 6
TITLE = content(line(Piece("query", "strong")))


class QueryBar(Horizontal, Titled):
    """An input in a border; the border says which tokens are looked for."""

    def __init__(self, query: str) -> None:
        super().__init__()
        self.input = SafeInput(
            query, placeholder="what would the agent ask its memory?", id="query"
        )
        self._said: Line = ()

    def compose(self) -> ComposeResult:
        """A prompt and the input."""
        yield Label("❯ ", markup=False)
        yield self.input

    def on_mount(self) -> None:
        """Names the bar."""
        self._label()

    def say(self, said: Line) -> None:
        """Says something in the lower border."""
        self._said = said
        self._label()

    def on_resize(self) -> None:
        """Cuts what is said to the new width."""
        self._label()

    def _label(self) -> None:
        room = max(0, self.outer_size.width - BORDER_CELLS)
        self.entitle(TITLE, content(clip(safe(self._said), room)))
