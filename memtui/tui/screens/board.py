"""The panes of the main screen and the state they show."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.getters import query_one
from textual.reactive import var
from textual.screen import Screen

from memtui.engine import Engine
from memtui.memory.document import Document
from memtui.recall.options import RecallOptions
from memtui.setup import Setup
from memtui.text import display_line
from memtui.tui.bindings import keys_in_force
from memtui.tui.commands import Command, Context, Fact, Place, Target
from memtui.tui.messages import (
    RecallReady,
    ScanFailed,
    ScanProgress,
    ScanStopped,
    StoreRead,
    TraceKept,
)
from memtui.tui.precedence import Precedence
from memtui.tui.recalls import Recalls
from memtui.tui.tracing import Tracing
from memtui.tui.view import notices
from memtui.tui.view.ledger import manifest_pane
from memtui.tui.view.lists import hits_pane, reserve_pane
from memtui.tui.view.pieces import Line, Piece, line, richest
from memtui.tui.view.queries import about_query
from memtui.tui.view.strips import title_lines
from memtui.tui.view.view import PoolOrder, View
from memtui.tui.widgets.funnel_bar import FunnelBar
from memtui.tui.widgets.inspector import Face, Inspector
from memtui.tui.widgets.key_footer import KeyFooter
from memtui.tui.widgets.line_bar import LineBar
from memtui.tui.widgets.list_pane import ListPane
from memtui.tui.widgets.notice import Notice
from memtui.tui.widgets.pool_pane import PoolPane
from memtui.tui.widgets.query_bar import QueryBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.safe_input import SafeInput
from memtui.tui.widgets.scrolled_text import ScrolledText
from memtui.tui.widgets.tab_strip import TabStrip
from memtui.tui.widgets.trace_pane import TracePane

LIST_PANES = ("pool", "hits", "reserve", "manifest", "trace")
"""The panes with a list, in the order of their keys."""
PANES = (*LIST_PANES, "inspector")
"""Every pane, in the order of the tab key."""


class Board(Screen[None]):
    """One recall in all panes, one memory highlighted in all of them, one pane in front.

    The state is here and nowhere else: widgets are told what to show and report what was done.
    """

    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared by Screen
        (0, "-narrow"),
        (100, "-middle"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - declared by Screen
        (0, "-tiny"),
        (10, "-short"),
        (20, "-medium"),
        (32, "-tall"),
    ]

    view: var[View | None] = var(None, init=False)
    """The recall that is shown."""
    highlighted: var[str | None] = var(None, init=False)
    """The key of the memory that is highlighted in every pane."""
    current: var[str] = var("pool", init=False)
    """The id of the pane in front."""
    zoomed: var[bool] = var(False, init=False)
    """Whether that pane has the screen for itself."""

    query_bar = query_one(QueryBar)
    funnel = query_one(FunnelBar)
    tabs = query_one(TabStrip)
    pool = query_one("#pool", PoolPane)
    trace = query_one(TracePane)
    inspector = query_one(Inspector)
    notice = query_one(Notice)
    key_footer = query_one(KeyFooter)

    def __init__(self, setup: Setup, engine: Engine) -> None:
        super().__init__()
        self.setup = setup
        self.options = setup.options
        self.order = PoolOrder.FATE
        self.precedence = Precedence()
        self.recalls = Recalls(self, engine)
        self.tracing = Tracing(self, engine)
        self.scanning = False
        self.list_pane = "pool"
        self.changed: tuple[Document, ...] = ()
        self._asked: str | None = None
        self._user_moved = False
        self._hinted: Context | None = None

    def compose(self) -> ComposeResult:
        """Everything from top to bottom."""
        yield LineBar(self._title_bar, id="title")
        yield QueryBar(self.setup.query)
        yield LineBar(self.what_if_bar, id="what-if")
        yield LineBar(self.pin_bar, id="pin")
        yield FunnelBar()
        yield TabStrip()
        with Container(id="panes"):
            yield PoolPane(id="pool")
            yield ListPane(id="hits")
            yield ListPane(id="manifest")
            yield ListPane(id="reserve")
            yield TracePane(id="trace")
            yield Inspector(id="inspector")
        yield Notice()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Starts the first scan, or says that there is nothing to scan."""
        self.add_class("-open")
        self.watch_current("", self.current)
        self.bindings_updated_signal.subscribe(self, lambda _: self.show_hints())
        if not self.setup.reads_something:
            self.say(notices.no_store(self.setup.looked_at))
            return
        self.say(notices.scanning(0), focus=False)
        self.query_bar.input.focus()
        self.tracing.start()
        self.ask(rescan=True)

    def ask(self, *, rescan: bool = False) -> None:
        """Asks for the recall of what is typed now."""
        if not self.setup.reads_something:
            return
        self.scanning = self.scanning or rescan
        query = self._asked = self.query_bar.input.value
        self.precedence.take()
        options = self.typing_options
        self.recalls.ask(query, options, self.order, rescan=rescan, changed=self.changed)

    # What the thread reports

    @on(RecallReady)
    def _recall_ready(self, event: RecallReady) -> None:
        self.scanning = False
        if self.recalls.is_newest(event.generation):
            self.remove_class("-notice")
            self.view = event.view
            self.call_after_refresh(self.precedence.release)

    @on(ScanProgress)
    def _scan_progress(self, event: ScanProgress) -> None:
        if not self.scanning:
            return
        if self.view is None:
            self.say(notices.scanning(event.files), focus=False)
        files = f"scanning, {event.files:,} files read · esc stops"
        self.query_bar.say(line(Piece(files, "primary")))

    @on(ScanStopped)
    def _scan_stopped(self) -> None:
        self.scanning = False
        if self.view is None:
            self.say(notices.scan_stopped())
        self.query_bar.say(line(Piece("the scan was stopped · r scans again", "warning")))

    @on(ScanFailed)
    def _scan_failed(self, event: ScanFailed) -> None:
        self.scanning = False
        self.set_reactive(Board.view, None)
        self.say(notices.scan_failed(event.reason))
        self.query_bar.say(line(Piece("no recall", "error")))

    def say(self, lines: tuple[Line, ...], *, focus: bool = True) -> None:
        """Shows a message in place of the panes; a query that is being typed keeps the focus."""
        self.notice.say(lines)
        self.add_class("-notice")
        query = self.query_bar.input
        if focus and (self.focused is not query or query.value == self.setup.query):
            self.notice.focus()
        self.query_one("#title").refresh()
        self.show_hints()

    @on(TraceKept)
    def _trace_kept(self, event: TraceKept) -> None:
        if self.trace.trace_kept(event):
            self.notify(display_line(f"not traced: {event.problem}"), markup=False)

    @on(StoreRead)
    def _store_read(self, event: StoreRead) -> None:
        self.trace.store_read(event)
        self.pool.show_uses(event.uses)
        self.inspector.show_uses(event.uses)

    @on(TracePane.Chosen)
    def _trace_chosen(self, event: TracePane.Chosen) -> None:
        self.tracing.chosen = event.trace_id

    # What is shown

    def watch_view(self, view: View | None) -> None:
        """Draws another recall everywhere."""
        if view is None:
            return
        if self.highlighted not in view.catalogue.entries or not self._user_moved:
            keys = view.ordered(self.order)
            self.set_reactive(Board.highlighted, keys[0] if keys else None)
            self._user_moved = self._user_moved and self.highlighted is not None
        key = self.highlighted
        self.pool.show_pool(view, self.order, key)
        self._pane("hits").show(hits_pane(view), key)
        self._pane("reserve").show(reserve_pane(view), key)
        self.show_manifest(view)
        self.trace.show_recall(view, what_if=self.hypothetical)
        if not self.hypothetical and not view.provisional:
            self.tracing.shown(view.recall)
        self.inspector.show(view, key)
        self.funnel.show(view)
        self.query_one("#title").refresh()
        self.query_bar.say(about_query(view))
        if self.focused is self.notice:
            self.focus_pane(self.list_pane)
        if self.context != self._hinted:
            self.show_hints()

    def watch_highlighted(self, key: str | None) -> None:
        """Moves every cursor to the highlighted memory."""
        if key is None or self.view is None:
            return
        for pane in ("pool", "hits", "reserve", "manifest"):
            self._pane(pane).list.follow(key)
        self.inspector.show(self.view, key)

    def watch_current(self, _: str, pane: str) -> None:
        """Brings another pane to the front."""
        if pane in LIST_PANES:
            self.list_pane = pane
        for name in PANES:
            widget = self.query_one(f"#{name}")
            widget.set_class(name == pane, "-current")
            widget.set_class(name == self.list_pane, "-list")
        self.tabs.current = pane

    def watch_zoomed(self, zoomed: bool) -> None:
        """Gives the pane in front the whole screen, or takes it away."""
        self.set_class(not zoomed, "-open")

    def _pane(self, name: str) -> ListPane:
        return self.query_one(f"#{name}", ListPane)

    def focus_pane(self, name: str) -> None:
        """Brings a pane to the front and moves the focus into it."""
        self.current = name
        pane = self.query_one(f"#{name}", ListPane | Inspector)  # type: ignore[arg-type]
        pane.focus_list()

    @property
    def list_in_front(self) -> RowList | ScrolledText:
        """What a command for a list acts on: the list of the pane in front, or the inspector."""
        if self.current == "inspector":
            return self.inspector
        return self.trace.front if self.current == "trace" else self._pane(self.current).list

    def _title_bar(self, width: int, _height: int) -> list[Line]:
        name = self.setup.name
        note = "" if self.setup.reads_something else "no store"
        return [richest(title_lines(name, self.view, note, self.title_notes()), width)]

    # What a subclass knows

    @property
    def typing_options(self) -> RecallOptions:
        """The options of the recall that follows every key."""
        return self.options

    def entered(self, query: str) -> None:
        """Enter was pressed in the query."""
        self.tracing.entered(query)

    def title_notes(self) -> Line:
        """What else stands in the title bar."""
        return ()

    def show_manifest(self, view: View) -> None:
        """Draws the manifest."""
        self._pane("manifest").show(manifest_pane(view), self.highlighted)

    @property
    def hypothetical(self) -> bool:
        """Whether the recall that is shown is only tried out, and left out of the traces."""
        return False

    def what_if_bar(self, _width: int, _height: int) -> list[Line]:
        """The line about what is tried out."""
        return []

    def pin_bar(self, _width: int, _height: int) -> list[Line]:
        """The line about the memory that was expected."""
        return []

    # Where the user is

    @property
    def context(self) -> Context:
        """Where the focus is, and what holds there."""
        facts = {Fact.STORE if self.setup.reads_something else Fact.NO_STORE}
        if self.view is not None and not self.has_class("-notice"):
            facts.add(Fact.RECALL)
            if self.highlighted is not None:
                facts.add(Fact.MEMORY)
        return Context(self._place(), frozenset(facts))

    def _place(self) -> Place:
        focused = self.focused
        if focused is self.query_bar.input:
            return Place.QUERY
        if focused is self.pool.filter:
            return Place.FILTER
        if focused is self.inspector:
            return Place.INSPECTOR
        if (in_traces := self.trace.place(focused)) is not None:
            return in_traces
        return Place.LIST if isinstance(focused, RowList) else Place.NOTICE

    def show_hints(self) -> None:
        """Shows in the footer what works here and now."""
        if self.is_mounted:
            self._hinted = self.context
            self.key_footer.show(self._hinted, keys_in_force(self))

    def on_descendant_focus(self) -> None:
        """Brings the pane that has the focus to the front."""
        node = self.focused
        while node is not None and node is not self:
            if node.id in PANES:
                self.current = node.id
                break
            node = node.parent  # type: ignore[assignment]
        self.show_hints()

    # What the user does

    @on(SafeInput.Changed, "#query")
    def _query_changed(self, event: SafeInput.Changed) -> None:
        if event.value != self._asked:
            self.ask()

    @on(SafeInput.Submitted, "#query")
    def _query_submitted(self, event: SafeInput.Submitted) -> None:
        self.entered(event.value)
        if self.view is not None:
            self.focus_pane(self.list_pane)

    @on(SafeInput.Joined)
    def _lines_joined(self, event: SafeInput.Joined) -> None:
        self.notify(f"{event.lines} pasted lines were joined with spaces", markup=False)

    @on(RowList.Moved)
    @on(RowList.Chosen)
    def _row_moved(self, event: RowList.Moved | RowList.Chosen) -> None:
        if self.view is not None and self.view.entry(event.key) is not None:
            self._user_moved = True
            self.highlighted = event.key
            if isinstance(event, RowList.Chosen):
                self.inspector.turn(Face.MEMORY)
                self.focus_pane("inspector")

    @on(PoolPane.FilterLeft)
    def _filter_left(self) -> None:
        self.focus_pane("pool")
        if (key := self.pool.list.key) is not None:  # an only row can not be moved to
            self._row_moved(RowList.Moved(key))

    @on(FunnelBar.Chosen)
    @on(TabStrip.Chosen)
    def _pane_chosen(self, event: FunnelBar.Chosen | TabStrip.Chosen) -> None:
        self.focus_pane(event.pane)

    @on(KeyFooter.Pressed)
    async def _hint_pressed(self, event: KeyFooter.Pressed) -> None:
        await self.run_command(event.command)

    async def run_command(self, command: Command) -> None:
        """Runs a command as if its key had been pressed here."""
        namespaces = {
            Target.APP: self.app,
            Target.LIST: self.list_in_front,
            Target.TRACES: self.trace,
            Target.WHY: self.inspector,
        }
        namespace = namespaces.get(command.target, self)
        await self.app.run_action(command.action, default_namespace=namespace)
