"""Pane 1 with its filter."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.worker import get_current_worker

from memtui.tui.messages import Filtered
from memtui.tui.view.filtering import matching
from memtui.tui.view.lists import pool_pane
from memtui.tui.view.narrowing import Narrowing
from memtui.tui.view.uses import Uses
from memtui.tui.view.view import PoolOrder, View
from memtui.tui.widgets.list_pane import ListPane
from memtui.tui.widgets.safe_input import SafeInput


class PoolPane(ListPane):
    """The pool. The filter is worked out in a thread, and an old answer is never shown."""

    class FilterLeft(Message):
        """The user has finished the filter and wants the list."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.filter = SafeInput(placeholder="filter: title, description or path", id="filter")
        self._view: View | None = None
        self._order = PoolOrder.FATE
        self._kept: frozenset[str] | None = None
        self._uses: Uses | None = None
        self.narrowing = Narrowing.ALL
        """Which rows are listed at all."""

    def compose(self) -> ComposeResult:
        """The filter above the list."""
        yield self.filter
        yield self.list

    @property
    def filtered(self) -> bool:
        """Whether a filter narrows the list."""
        return bool(self.filter.value.strip())

    def show_pool(self, view: View, order: PoolOrder, key: str | None) -> None:
        """Shows the pool of a recall in an order; a filter stays in force."""
        rescanned = self._view is None or self._view.scanned is not view.scanned
        self._view, self._order = view, order
        if rescanned and self.filtered:
            self._work_out(self.filter.value)
        self._draw(key)

    def show_uses(self, uses: Uses | None) -> None:
        """Shows how often each document was used."""
        self._uses = uses
        self._draw(self.list.key)

    def narrow(self, to: Narrowing) -> None:
        """Lists only some of the rows."""
        self.narrowing = to
        self._draw(self.list.key)

    def open_filter(self) -> None:
        """Shows the filter and moves the focus into it."""
        self.add_class("-filtering")
        self.filter.focus()

    def clear_filter(self) -> None:
        """Shows everything again."""
        self.filter.value = ""
        self.remove_class("-filtering")

    def _draw(self, key: str | None) -> None:
        if self._view is not None:
            kept = self._kept if self.filtered else None
            pane = pool_pane(self._view, self._order, kept, self._uses, self.narrowing)
            self.show(pane, key)

    @on(SafeInput.Changed, "#filter")
    def _filter_changed(self, event: SafeInput.Changed) -> None:
        event.stop()
        if self.filtered:
            self._work_out(event.value)
        else:
            self._kept = None
            self._draw(self.list.key)

    @on(SafeInput.Submitted, "#filter")
    def _filter_submitted(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self.post_message(self.FilterLeft())

    @work(thread=True, exclusive=True, group="filter")
    def _work_out(self, pattern: str) -> None:
        view = self._view
        if view is None:
            return
        keys = matching(view.scanned, pattern)
        if not get_current_worker().is_cancelled:
            self.post_message(Filtered(pattern, keys))

    @on(Filtered)
    def _filter_ready(self, event: Filtered) -> None:
        event.stop()
        if event.pattern == self.filter.value:
            self._kept = event.keys
            self._draw(self.list.key)
