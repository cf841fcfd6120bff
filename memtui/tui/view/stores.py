"""The stores of this machine as rows to choose from, and what is read when one is chosen."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.memory.document import Scope
from memtui.memory.scan import Source
from memtui.memory.stores import Store, Summary
from memtui.samples import SCENARIOS
from memtui.setup import Setup
from memtui.text import plural
from memtui.tui.view.ages import short_age
from memtui.tui.view.columns import Column
from memtui.tui.view.pieces import Line, Piece, Tone, line
from memtui.tui.view.rows import PaneView, Rows

COLUMNS = (
    Column("", 1),
    Column("agent", 6, most=7),
    Column("scope", 7),
    Column("project", 10, flexible=True),
    Column("docs", 5, right=True),
    Column("skip", 4, right=True, drop=2),
    Column("newest", 6, right=True, drop=1),
)


@dataclass(frozen=True, slots=True)
class StoreRow:
    """One row of the chooser: a store, or a demo."""

    key: str
    """``store 3``, ``demo small``; never made of a path."""
    store: Store | None = None
    """The store of the row."""
    demo: str | None = None
    """The name of the demo of the row."""
    setup: Setup | None = None
    """What the app was started with, where no store of the machine stands for it."""


def store_rows(stores: Sequence[Store], started: Setup | None = None) -> tuple[StoreRow, ...]:
    """The stores in the order they were found, what the app was started with, then the demos."""
    found = [StoreRow(f"store {number}", store=each) for number, each in enumerate(stores)]
    if started is not None and _is_else(started, stores):
        found.append(StoreRow("started", setup=started))
    return (*found, *(StoreRow(f"demo {name}", demo=name) for name in SCENARIOS))


def _is_else(started: Setup, stores: Sequence[Store]) -> bool:
    """Whether a setup reads something that no store stands for."""
    roots = {os.path.abspath(each.root) for each in started.sources}
    return bool(started.databases or roots - {each.root for each in stores})


def stores_pane(
    rows: Sequence[StoreRow],
    counts: Mapping[str, Summary],
    shown: frozenset[str],
    now_ms: float,
    *,
    looking: bool,
) -> PaneView:
    """The rows as a list.

    Args:
        rows: what there is to choose from.
        counts: what was counted so far, by root.
        shown: the roots that the app shows now.
        now_ms: the moment from which ages count.
        looking: whether stores are still being looked for.

    """

    def cells(item: object) -> tuple[Line, ...]:
        assert isinstance(item, StoreRow)
        if item.setup is not None:
            return _started_cells(item.setup, shown)
        if item.store is None:
            return _demo_cells(item.demo or "")
        return _store_cells(
            item.store, counts.get(item.store.root), item.store.root in shown, now_ms
        )

    nothing = "looking for stores" if looking else "no store was found"
    return PaneView((), (), Rows[object](COLUMNS, rows, _key, cells, nothing))


def _key(item: object) -> str:
    assert isinstance(item, StoreRow)
    return item.key


def _started_cells(started: Setup, shown: frozenset[str]) -> tuple[Line, ...]:
    roots = {os.path.abspath(each.root) for each in started.sources}
    glyph = line(Piece("●" if roots and roots <= shown else "", "success"))
    name = line(Piece(started.name or "memory"), Piece(f"  {_places(started)}", "muted"))
    return glyph, line(Piece("start", "accent")), (), name, (), (), ()


def _places(started: Setup) -> str:
    return ", ".join((*(each.root for each in started.sources), *started.databases))


def _demo_cells(name: str) -> tuple[Line, ...]:
    summary = Piece(f"{name}: {SCENARIOS[name].summary}", "muted")
    return ((), line(Piece("demo", "accent")), (), line(summary), (), (), ())


def _store_cells(
    store: Store, counts: Summary | None, shown: bool, now_ms: float
) -> tuple[Line, ...]:
    glyph = Piece("●", "success") if shown else Piece("▸" if store.here else "", "primary")
    tone: Tone = "strong" if store.here else "plain"
    agent, scope = line(Piece(store.agent, tone)), line(Piece(store.scope, "muted"))
    name = line(Piece(_short_name(store), tone), Piece(f"  {_kind(store)}", "muted"))
    if counts is None:
        return (glyph,), agent, scope, name, line(Piece("…", "muted")), (), ()
    if counts.error:
        failed = line(Piece("✗ ", "error"), *name)
        return (glyph,), agent, scope, failed, line(Piece("!", "error")), (), ()
    skipped = line(Piece(f"{counts.skipped:,}" if counts.skipped else "", "error"))
    newest = line(Piece(short_age(counts.newest_ms, now_ms) if counts.documents else "–", "muted"))
    return (glyph,), agent, scope, name, line(f"{counts.documents:,}"), skipped, newest


def store_name(store: Store) -> str:
    """The project of a store as it is known; the raw slug where that is not proven."""
    if store.kind == "agent-memory":
        owner = os.path.basename(store.project) if store.project else ""
        return f"{os.path.basename(store.root)}{f' of {owner}' if owner else ''}"
    if store.project:
        return store.project
    if store.kind == "auto-memory":
        return os.path.basename(os.path.dirname(store.root)) or store.root
    return store.root


def _short_name(store: Store) -> str:
    name = store_name(store)
    return os.path.basename(name) or name if os.path.isabs(name) else name


def _kind(store: Store) -> str:
    """What it is, or where its project is: what tells stores of one name apart."""
    if store.kind == "agent-memory":
        return "sub-agent"
    if store.kind == "auto-memory" and not store.project:
        return "project unknown"
    where = store.project or store.root
    return f"{where}, local" if store.kind == "local-memory" else where


# -- choosing -------------------------------------------------------------------------------------


def read_with(store: Store, stores: Sequence[Store]) -> tuple[Store, ...]:
    """What is read when a store is chosen, at most one store a scope.

    With a project's memories come those of the user and of the team, of the same agent; a
    sub-agent's, a user's or a team's store is read alone, and so is a folder.
    """
    if store.scope is not Scope.PROJECT or store.kind in ("agent-memory", "folder"):
        return (store,)
    chosen = [store]
    for scope, kind in ((Scope.USER, "user-memory"), (Scope.TEAM, "team-memory")):
        others = (
            each
            for each in stores
            if each.agent == store.agent and each.scope is scope and each.kind == kind
        )
        own = (each for each in others if scope is Scope.USER or each.project == store.project)
        chosen += [each for each in own if scope is Scope.USER or store.project][:1]
    return tuple(chosen)


def setup_for(stores: Sequence[Store], before: Setup, started_with: str = "") -> Setup:
    """The setup that reads these stores; what is asked and how stay as they were.

    Args:
        stores: what to read, the one that was chosen first.
        before: what was read, with what is typed now as its query.
        started_with: the query that it began with; a demo's own is not taken along.

    """
    first = stores[0]
    name = store_name(first).rstrip(os.sep)
    demo = before.pool_name.startswith("demo:")
    recency = before.sources[0].recency if before.sources and not demo else "mtime"
    options = replace(before.options, now_ms=None) if demo else before.options
    return replace(
        before,
        sources=tuple(
            Source(each.scope, each.root, each.dialect, typed=False, recency=recency)
            for each in stores
        ),
        databases=(),
        exclude=(),
        options=options,
        name=os.path.basename(name) or name,
        query="" if demo and before.query == started_with else before.query,
        pool_name="",
        agent=None if first.agent == "folder" else first.agent,
        note=None,
        looked_at=(),
    )


def about_row(row: StoreRow, stores: Sequence[Store], counts: Mapping[str, Summary]) -> list[Line]:
    """What is said about the highlighted row: where it is, and what choosing it reads."""
    if row.setup is not None:
        return [
            line(Piece("as the app was started", "strong")),
            line(Piece(f"enter reads {_places(row.setup)}", "muted")),
        ]
    if row.store is None:
        scenario = SCENARIOS[row.demo or ""]
        return [
            line(Piece(f"demo {scenario.name}", "strong"), Piece(f": {scenario.summary}", "muted")),
            line(Piece("invented memories in a temporary folder; nothing else is read", "muted")),
        ]
    lines = [line(Piece(row.store.root, "strong"))]
    found = counts.get(row.store.root)
    if found is not None and found.error:
        lines.append(line(Piece(f"✗ {found.error}", "error")))
    read = read_with(row.store, stores)
    reads = " + ".join(f"{each.scope} {_amount(each, counts)}" for each in read)
    lines.append(line(Piece(f"enter reads {reads}", "muted")))
    if row.store.kind == "auto-memory" and not row.store.project:
        said = "the project can not be proven: this is the folder's name, not a path"
        lines.append(line(Piece(said, "warning")))
    return lines


def _amount(store: Store, counts: Mapping[str, Summary]) -> str:
    found = counts.get(store.root)
    if found is None:
        return "(not counted yet)"
    return "(not readable)" if found.error else f"({plural(found.documents, 'document')})"
