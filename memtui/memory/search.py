"""What one search for stores works with: the place it starts from, and what it has found."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from memtui.memory.dialects import Dialect
from memtui.memory.document import Scope
from memtui.memory.probe import Identity, folders_in, identity, is_folder, read_beginning
from memtui.memory.slugs import recorded_directories, with_ancestors
from memtui.memory.worktrees import git_root, linked_worktrees, main_root, spellings

StoreAgent = Literal["claude", "qwen", "folder"]
StoreKind = Literal[
    "auto-memory", "local-memory", "user-memory", "team-memory", "agent-memory", "folder"
]

_SETTINGS_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Store:
    """One folder of memories of one agent."""

    agent: StoreAgent
    """Whose it is: ``folder`` for one that was named by path."""
    scope: Scope
    """The scope that it is the root of."""
    root: str
    """Absolute path of the folder, spelled as it was found."""
    project: str | None
    """Absolute path of the directory that it belongs to; None for none, or if it is not proven."""
    here: bool
    """Whether the agent reads it in the current directory."""
    dialect: Dialect
    """How its agent reads it."""
    kind: StoreKind
    """What the agent keeps in it; ``agent-memory`` is a sub-agent's own."""


@dataclass(frozen=True)
class Place:
    """Where a search starts. All of it is given, so a search depends on nothing else."""

    home: str
    """The user's home directory."""
    cwd: str
    """The current directory."""
    environ: Mapping[str, str]
    """The environment."""

    @cached_property
    def directories(self) -> tuple[str, ...]:
        """The current directory by its logical and its physical path."""
        return spellings(self.cwd, self.environ.get("PWD"))

    @cached_property
    def git_roots(self) -> tuple[str, ...]:
        """The nearest git root of each spelling; the directory itself outside a repository."""
        return _once(git_root(each) or each for each in self.directories)

    @cached_property
    def main_roots(self) -> tuple[str, ...]:
        """The main worktree of each git root, logical and physical."""
        found = [main_root(each) for each in self.git_roots]
        return _once([*found, *map(os.path.realpath, found)])

    @cached_property
    def here(self) -> tuple[str, ...]:
        """Every directory whose memories may be meant here."""
        return _once([*self.main_roots, *self.git_roots, *self.directories])

    @cached_property
    def known(self) -> tuple[str, ...]:
        """Directories that may explain a slug: these, their worktrees, and what is above them."""
        linked = [path for root in self.main_roots for path in linked_worktrees(root)]
        return with_ancestors([*self.here, *linked])

    def path(self, text: str, base: str | None = None) -> str:
        """An absolute path from a setting: ``~`` is home, a relative one starts at ``base``."""
        if text == "~" or text.startswith(("~/", "~\\")):
            return os.path.normpath(os.path.join(self.home, text[2:]))
        return os.path.normpath(os.path.join(base or self.cwd, text))

    def variable(self, name: str) -> str | None:
        """The path that an environment variable holds, if it is set and not empty."""
        text = self.environ.get(name, "").replace("\0", "")
        return self.path(text) if text else None


class Search:
    """Collects stores, each once however many paths lead to it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.looked_at: dict[str, None] = {}
        self.unlisted: dict[str, None] = {}
        self.projects: dict[str, None] = dict.fromkeys(place.here)
        self._stores: dict[Identity, Store] = {}

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores in the order in which they were found."""
        return tuple(self._stores.values())

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Every project found that is not the one of the current directory."""
        here = {identity(each) for each in self.place.here}
        return tuple(each for each in self.projects if identity(each) not in here)

    def look(self, path: str) -> bool:
        """Whether a folder is there; it is remembered as looked at."""
        self.looked_at[path] = None
        return is_folder(path)

    def folders(self, path: str) -> tuple[str, ...]:
        """The folders in a folder; one that can not be listed is remembered."""
        listing = folders_in(path)
        if listing.failed:
            self.unlisted[path] = None
        return listing.folders

    def add(self, store: Store) -> None:
        """Adds a store; what a second path to it proves is joined to what the first one did."""
        key = identity(store.root)
        known = self._stores.setdefault(key, store)
        if known is not store:
            self._stores[key] = replace(
                known, here=known.here or store.here, project=known.project or store.project
            )
        if store.project:
            self.projects[store.project] = None


def resolve_projects(
    folders: Iterable[str], sessions: str, place: Place, is_slug: Callable[[str, str], bool]
) -> dict[str, str | None]:
    """The directory that each folder belongs to, or None where that is not proven.

    A directory is proven if it exists and makes exactly the folder's name. The directories that
    the sessions in the folder name are asked first, then those above them, then what is known from
    the current directory, then the sessions of every other folder. Two different directories of
    one witness that make one name prove nothing.

    Args:
        folders: folders whose names are slugs.
        sessions: where a folder keeps its session files, relative to it.
        place: where the search starts.
        is_slug: whether a name is the slug of a path.

    """
    recorded = {each: recorded_directories(os.path.join(each, sessions)) for each in folders}
    elsewhere = _directories_of(recorded.values())
    found: dict[str, str | None] = {}
    for path, own in recorded.items():
        name = os.path.basename(path)
        witnesses = (own, with_ancestors(own), place.known, elsewhere)
        proven = (_proven(name, each, is_slug) for each in witnesses)
        found[path] = next((each[0] if len(each) == 1 else None for each in proven if each), None)
    return found


def read_settings(path: str) -> dict[str, Any]:
    """The settings in a JSON file; empty if there are none that can be read."""
    text = read_beginning(path, _SETTINGS_BYTES)
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def place_of(home: Path, cwd: Path, environ: Mapping[str, str]) -> Place:
    """The place of a search."""
    return Place(os.path.abspath(home), os.path.abspath(cwd), environ)


def _directories_of(recorded: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    directories = _once(each for found in recorded for each in found)
    roots = (git_root(each) for each in directories)
    return with_ancestors([*directories, *(main_root(each) for each in roots if each)])


def _proven(
    name: str, directories: Iterable[str], is_slug: Callable[[str, str], bool]
) -> list[str]:
    """The existing directories that make a name; one directory with two spellings counts once."""
    found: dict[Identity, str] = {}
    for each in directories:
        if is_slug(name, each) and is_folder(each):
            found.setdefault(identity(each), each)
    return list(found.values())


def _once(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
