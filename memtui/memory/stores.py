"""Every agent memory store on the machine, and the one to read in the current directory.

Nothing is guessed and nothing is written: a store is a folder that exists where an agent looks,
and its project is a directory that proves to be the one (:func:`memtui.memory.search`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from memtui.limits import Limits
from memtui.memory.claude_stores import find_claude_stores, find_claude_stores_elsewhere
from memtui.memory.dialects import dialect_of_root
from memtui.memory.document import MemoryRootError, Scope
from memtui.memory.qwen_stores import find_qwen_stores, find_qwen_stores_elsewhere
from memtui.memory.scan import INDEX_NAME, Source, scan_all
from memtui.memory.search import Search, Store, StoreAgent, StoreKind, place_of

__all__ = [
    "AGENTS",
    "Discovery",
    "Here",
    "Store",
    "StoreAgent",
    "StoreKind",
    "Summary",
    "discover",
    "here",
    "summarise",
]

AGENTS: tuple[StoreAgent, ...] = get_args(StoreAgent)
"""Every value of :attr:`Store.agent`."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """Every store found."""

    stores: tuple[Store, ...] = ()
    """Those of the current directory first, in the order in which their agents look."""
    looked_at: tuple[str, ...] = ()
    """Absolute paths that were looked at for the current directory and the whole machine."""
    unlisted: tuple[str, ...] = ()
    """Folders that are there but could not be listed: stores in them are missing."""


@dataclass(frozen=True, slots=True)
class Here:
    """What to read in the current directory: one agent's stores, at most one a scope."""

    sources: tuple[Source, ...] = ()
    """The roots, project first; none is typed, so one that goes away is absent."""
    stores: tuple[Store, ...] = ()
    """The store behind each source."""
    agent: StoreAgent | None = None
    """Whose stores they are; None where there are none."""
    note: str | None = None
    """One line on a choice that the user may want to make differently."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One store in numbers."""

    documents: int = 0
    """Documents found."""
    skipped: int = 0
    """Files that are no document."""
    newest_ms: float | None = None
    """Time of the newest document, epoch milliseconds; None without any."""
    error: str | None = None
    """Why the numbers are not the whole truth, in one line."""


def discover(
    *,
    home: Path,
    cwd: Path,
    environ: Mapping[str, str],
    agent: str | None = None,
    extra_roots: Sequence[str] = (),
) -> Discovery:
    """Every store on the machine, those of the current directory first.

    Args:
        home: the user's home directory.
        cwd: the current directory; ``$PWD`` counts while it leads to the same one.
        environ: the environment.
        agent: the stores of one agent alone; None for all.
        extra_roots: more folders, as typed; ``~`` is home, a relative one starts at ``cwd``.

    Raises:
        ValueError: no agent has this name.

    """
    if agent is not None and agent not in AGENTS:
        raise ValueError(f"no agent is called {agent!r}; there are: {', '.join(AGENTS)}")
    search = Search(place_of(home, cwd, environ))
    if agent in (None, "claude"):
        find_claude_stores(search)
    if agent in (None, "qwen"):
        find_qwen_stores(search)
    if agent in (None, "claude"):
        find_claude_stores_elsewhere(search)
    if agent in (None, "qwen"):
        find_qwen_stores_elsewhere(search)
    if agent in (None, "folder"):
        _add_folders(search, extra_roots)
    return Discovery(_ordered(search.stores), tuple(search.looked_at), tuple(search.unlisted))


def summarise(store: Store, limits: Limits | None = None) -> Summary:
    """Scans one store. A store that can not be read is an error in the answer."""
    source = Source(store.scope, store.root, store.dialect, typed=False)
    try:
        pool = scan_all(source, limits)
    except MemoryRootError as error:
        return Summary(error=str(error))
    report = pool.scopes[0]
    reason = next(iter(pool.warnings), None)
    if report.status == "absent":
        reason = f"{store.root} is no longer there"
    return Summary(
        documents=len(pool.documents),
        skipped=len(pool.skipped),
        newest_ms=max((each.mtime_ms for each in pool.documents), default=None),
        error=reason,
    )


def here(discovery: Discovery, agent: str | None = None) -> Here:
    """What to read in the current directory.

    Of two agents with stores here, the one with the newest memory of this project is taken, and
    the note says so; a folder that the user added comes last.
    """
    by_agent: dict[StoreAgent, tuple[Store, ...]] = {}
    for name in AGENTS:
        found = [each for each in discovery.stores if each.here and each.agent == name]
        if found and agent in (None, name):
            by_agent[name] = _one_a_scope(found)
    if len(by_agent) > 1:
        by_agent.pop("folder", None)
    if not by_agent:
        return Here()
    chosen = next(iter(by_agent))
    if len(by_agent) > 1:
        chosen = max(by_agent, key=lambda name: _newest_of_project(by_agent[name]))
    stores = by_agent[chosen]
    sources = tuple(Source(each.scope, each.root, each.dialect, typed=False) for each in stores)
    return Here(sources, stores, chosen, _note(chosen, by_agent))


def _add_folders(search: Search, roots: Iterable[str]) -> None:
    for text in roots:
        root = search.place.path(text)
        if search.look(root):
            below = any(_is_below(root, each) for each in search.place.here)
            dialect = dialect_of_root(root)
            search.add(Store("folder", Scope.PROJECT, root, None, below, dialect, "folder"))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _ordered(stores: Iterable[Store]) -> tuple[Store, ...]:
    found = list(stores)
    elsewhere = sorted(
        (each for each in found if not each.here),
        key=lambda each: (
            AGENTS.index(each.agent),
            each.project is None,
            each.project or "",
            each.root,
        ),
    )
    return tuple([each for each in found if each.here] + elsewhere)


# -- the choice for the current directory ---------------------------------------------------------


def _one_a_scope(stores: Sequence[Store]) -> tuple[Store, ...]:
    """At most one store a scope: the main agent's own before a sub-agent's, one with memories."""
    chosen = []
    for scope in Scope:
        candidates = [each for each in stores if each.scope is scope]
        candidates.sort(key=lambda each: each.kind == "agent-memory")
        if candidates:
            chosen.append(candidates[0] if len(candidates) == 1 else _with_memories(candidates))
    return tuple(chosen)


def _with_memories(stores: Sequence[Store]) -> Store:
    """The first that holds a memory; of sub-agents' stores the one with the newest."""
    for store in stores:
        if store.kind == "agent-memory":
            break
        if newest_ms(store.root) is not None:
            return store
    rest = [each for each in stores if each.kind == "agent-memory"]
    newest = max(rest, key=lambda each: newest_ms(each.root) or 0.0, default=stores[0])
    return newest if newest_ms(newest.root) is not None else stores[0]


def _newest_of_project(stores: Sequence[Store]) -> tuple[bool, float]:
    """Sorts agents: one with memories of this project first, then by the newest memory."""
    own = [newest_ms(each.root) for each in stores if each.scope is not Scope.USER]
    found = [each for each in own if each is not None]
    if found:
        return True, max(found)
    times = (newest_ms(each.root) for each in stores)
    return False, max((each for each in times if each is not None), default=-1.0)


def newest_ms(root: str) -> float | None:
    """The time of the newest memory file below a folder, epoch milliseconds; none is opened."""
    newest: float | None = None
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md") and name != INDEX_NAME:
                found = _mtime_ms(os.path.join(folder, name))
                newest = found if newest is None or (found or 0.0) > newest else newest
    return newest


def _mtime_ms(path: str) -> float | None:
    try:
        return os.lstat(path).st_mtime_ns / 1e6
    except OSError:
        return None


def _note(chosen: StoreAgent, by_agent: Mapping[StoreAgent, tuple[Store, ...]]) -> str | None:
    return "; ".join(_remarks(chosen, by_agent)) or None


def _remarks(chosen: StoreAgent, by_agent: Mapping[StoreAgent, tuple[Store, ...]]) -> Iterator[str]:
    others = [name for name in by_agent if name != chosen]
    if others:
        why = ", which hold the newest" if _newest_of_project(by_agent[chosen])[0] else ""
        yield (
            f"{' and '.join(by_agent)} both have stores here; shown are the memories of "
            f"{chosen}{why} (--agent {others[0]} shows the others)"
        )
    for store in by_agent[chosen]:
        if store.kind == "agent-memory":
            yield f"only the sub-agent {os.path.basename(store.root)} has {store.scope} memories"
