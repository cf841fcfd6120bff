"""The inspector: everything about the highlighted memory."""

from __future__ import annotations

from memtui.tui.paint import content, paragraphs
from memtui.tui.view.inspection import inspect, inspection_title
from memtui.tui.view.pieces import Piece, clip, line, safe
from memtui.tui.view.view import View
from memtui.tui.widgets.scrolled_text import ScrolledText

BORDER_CELLS = 6


class Inspector(ScrolledText):
    """Shows a memory as it was scanned, the score and the matches marked."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self._shown: tuple[View, str] | None = None

    def show(self, view: View, key: str | None) -> None:
        """Shows a memory of a recall; a new one from its top."""
        if key is None or view.entry(key) is None:
            self._shown = None
            self.border_title = content(line(Piece("memory", "strong")))
            self.update(content(line(Piece("no memory is highlighted", "muted"))))
            return
        same = self._shown is not None and self._shown[1] == key
        self._shown = (view, key)
        self._label()
        self.update(paragraphs(inspect(view, key)))
        if not same:
            self.scroll_home(animate=False)

    def focus_list(self) -> None:
        """Moves the focus here."""
        self.focus()

    def on_resize(self) -> None:
        """Cuts the title to the new width."""
        self._label()

    def _label(self) -> None:
        if self._shown is not None:
            room = max(0, self.outer_size.width - BORDER_CELLS)
            self.border_title = content(clip(safe(inspection_title(*self._shown)), room))
