"""The inspector: why the highlighted memory was or was not recalled, and everything about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from textual import events
from textual.message import Message

from memtui.recall.why.remedies import Remedy
from memtui.text import plural
from memtui.tui.bindings import bindings_for
from memtui.tui.commands import Target
from memtui.tui.paint import content, paragraphs
from memtui.tui.view.health import findings_of
from memtui.tui.view.inspection import inspect, inspection_title
from memtui.tui.view.ladder import Findings
from memtui.tui.view.pieces import Piece, clip, line, richest, safe
from memtui.tui.view.uses import Uses
from memtui.tui.view.view import View
from memtui.tui.widgets.scrolled_text import ScrolledText
from memtui.tui.widgets.titled import NOTHING, Titled
from memtui.tui.widgets.why_face import WhyFace

BORDER_CELLS = 6


class Face(StrEnum):
    """What the inspector shows of a memory."""

    WHY = "why"
    MEMORY = "memory"


class Inspector(ScrolledText, Titled):
    """Two faces: the ladder with its remedies, and the memory as it was scanned."""

    BINDINGS = bindings_for(Target.WHY)

    @dataclass
    class Chosen(Message):
        """The user wants a remedy to be tried."""

        found: Findings
        remedy: Remedy

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.face = Face.WHY
        self.why = WhyFace()
        self._shown: tuple[View, str] | None = None
        self._uses: Uses | None = None

    # What is shown

    def show(self, view: View, key: str | None) -> None:
        """Shows a memory of a recall; a new one from its top."""
        if key is None or view.entry(key) is None:
            self._shown = None
            self.why.show(None)
            self.entitle(content(line(Piece("memory", "strong"))))
            self.update(content(line(Piece("no memory is highlighted", "muted"))))
            return
        same = self._shown is not None and self._shown[1] == key
        self._shown = (view, key)
        self._draw()
        if not same:
            self.scroll_home(animate=False)

    def show_uses(self, uses: Uses | None) -> None:
        """Shows how often the memory was used."""
        self._uses = uses
        if self.face is Face.MEMORY:
            self._draw()

    def turn(self, face: Face) -> None:
        """Shows the other face."""
        if face is not self.face:
            self.face = face
            self._draw()
            self.scroll_home(animate=False)

    def tell(self, found: Findings) -> None:
        """Shows what was found about the memory; findings about another one are not wanted."""
        if self._shown is not None and found.about(*self._shown):
            self.why.show(found)
            self._draw()

    @property
    def found(self) -> Findings | None:
        """What is known about the memory that is shown, if its ladder is."""
        return self.why.found if self.face is Face.WHY else None

    def _draw(self) -> None:
        if self._shown is None:
            return
        self._label()
        if self.face is Face.MEMORY:
            width = self.scrollable_content_region.width
            self.update(paragraphs(inspect(*self._shown, self._uses, width)))
            return
        if self.why.found is None or not self.why.found.about(*self._shown):
            self.why.show(Findings.of(*self._shown))
        size = self.scrollable_content_region.size
        self.update(self.why.drawn(size.width, size.height, focused=self.has_focus))

    def _label(self) -> None:
        if self._shown is None:
            return
        room = max(0, self.outer_size.width - BORDER_CELLS)
        name = line(Piece(f" · {self.face}", "muted")) if self.face is Face.WHY else ()
        title = safe(inspection_title(*self._shown))
        heading = content((*clip(title, max(0, room - len(" · why"))), *name))
        why = self.face is Face.WHY and bool(self.why.remedies)
        hints = ["enter applies it here, nothing is written"] if why else []
        found = len(findings_of(*self._shown)) if self.face is Face.WHY else 0
        if found:
            said = f"{plural(found, 'finding')}: w"
            hints = [f"{said} · {hints[0]}" if why else f"{said} shows the memory", said]
        options = [line(Piece(hint, "muted")) for hint in hints]
        self.entitle(heading, content(richest(options, room)) if options else NOTHING)

    def on_resize(self) -> None:
        """Draws everything for the new width."""
        self._draw()

    # Where the focus is

    def focus_list(self) -> None:
        """Moves the focus here."""
        self.focus()

    def watch_has_focus(self, focused: bool) -> None:
        """Redraws the cursor, which looks different where the focus is."""
        super().watch_has_focus(focused)
        if self.face is Face.WHY:
            self._draw()

    # What the user does

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leaves the keys of remedies to others while none is listed."""
        if action == "apply":
            return self.face is Face.WHY and bool(self.why.remedies)
        return super().check_action(action, parameters)

    def action_apply(self, number: int = 0) -> None:
        """Asks to try a remedy: of a number, or the marked one."""
        remedy = self.why.remedy(number or None)
        if remedy is not None and self.found is not None:
            self.post_message(self.Chosen(self.found, remedy))

    def _mark(self, place: int) -> bool:
        """Marks another remedy and brings it into sight; false if none is listed."""
        if self.face is not Face.WHY or not self.why.remedies:
            return False
        self.why.move(place)
        self._draw()
        first, last = self.why.rows_of_cursor()
        top, page = round(self.scroll_y), max(1, self.size.height)
        if last >= top + page:
            self.scroll_to(y=last - page + 1, animate=False)
        elif first < top:
            self.scroll_to(y=first if self.why.cursor else 0, animate=False)
        return True

    def action_cursor_down(self) -> None:
        """Marks the next remedy, or scrolls."""
        last = len(self.why.remedies) - 1
        if self.why.cursor >= last or not self._mark(self.why.cursor + 1):
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """Marks the remedy before, or scrolls."""
        if self.why.cursor == 0 or not self._mark(self.why.cursor - 1):
            super().action_cursor_up()

    def action_first(self) -> None:
        """Marks the first remedy and scrolls to the top."""
        self._mark(0)
        super().action_first()

    def action_last(self) -> None:
        """Marks the last remedy and scrolls to the end."""
        self._mark(len(self.why.remedies) - 1)
        super().action_last()

    def on_click(self, event: events.Click) -> None:
        """Marks the remedy that was clicked; a second click tries it."""
        if self.face is not Face.WHY or not self.content_region.contains_point(event.screen_offset):
            return
        row = event.screen_y - self.content_region.y + round(self.scroll_y)
        index = self.why.remedy_at(row)
        if index is None:
            return
        if event.chain > 1 and index == self.why.cursor:
            self.action_apply()
        else:
            self._mark(index)
