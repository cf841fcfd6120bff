"""Where Qwen Code keeps memories (``packages/core/src/memory/paths.ts``, ``config/storage.ts``).

The base is ``QWEN_CODE_MEMORY_BASE_DIR``, else ``QWEN_RUNTIME_DIR``, else the setting
``advanced.runtimeOutputDir``, else ``QWEN_HOME``, else ``~/.qwen``.

Project: ``<base>/projects/<slug>/memory``, the slug made of the nearest git root, where a linked
worktree is its own root; before QwenLM/qwen-code#6462 it was the main worktree's, so that is
looked at next. ``QWEN_CODE_MEMORY_PROJECT_SCOPE=workspace`` takes the exact directory instead.
``QWEN_CODE_MEMORY_LOCAL=1`` takes ``.qwen/memory`` in the directory instead; without it that folder
is read in addition. User: ``<base>/memories``. Team: ``<git root>/.qwen/team-memory``.
"""

from __future__ import annotations

import os

from memtui.memory.document import Scope
from memtui.memory.probe import is_folder
from memtui.memory.search import Place, Search, Store, StoreKind, read_settings, resolve_projects
from memtui.memory.slugs import is_qwen_slug, qwen_slug

_FOLDER = ".qwen"
_LOCAL = "memory"
_TEAM = "team-memory"


def find_qwen_stores(search: Search) -> None:
    """Adds every store that the base and the current directory lead to."""
    place = search.place
    base = _base(place)
    local_alone = place.environ.get("QWEN_CODE_MEMORY_LOCAL") == "1"
    if local_alone:
        _add_in(search, place.directories, _LOCAL)
    _add_project_memory(search, base, here=not (local_alone and search.stores))
    _add_in(search, tuple(dict.fromkeys([*place.directories, *place.git_roots])), _LOCAL)
    _add_in(search, place.git_roots, _TEAM)
    user = os.path.join(base, "memories")
    if search.look(user):
        search.add(_store(user, None, True, "user-memory"))


def find_qwen_stores_elsewhere(search: Search) -> None:
    """Adds what the other projects found keep inside themselves."""
    for project in search.elsewhere:
        for name in (_LOCAL, _TEAM):
            root = os.path.join(project, _FOLDER, name)
            if is_folder(root):
                search.add(_store(root, project, False, _kind(name)))


def _base(place: Place) -> str:
    home = place.variable("QWEN_HOME") or os.path.join(place.home, _FOLDER)
    return (
        place.variable("QWEN_CODE_MEMORY_BASE_DIR")
        or place.variable("QWEN_RUNTIME_DIR")
        or _runtime_directory(place, home)
        or home
    )


def _runtime_directory(place: Place, home: str) -> str | None:
    """The folder that the settings name: the project's before the user's."""
    for folder in (*(os.path.join(each, _FOLDER) for each in place.directories), home):
        advanced = read_settings(os.path.join(folder, "settings.json")).get("advanced")
        value = advanced.get("runtimeOutputDir") if isinstance(advanced, dict) else None
        if isinstance(value, str) and value.strip() and "\0" not in value:
            return place.path(value)
    return None


def _add_project_memory(search: Search, base: str, *, here: bool) -> None:
    """Adds the folders named by slugs; ``here`` is whether one of them can be read here."""
    projects = os.path.join(base, "projects")
    folders = search.folders(projects) if search.look(projects) else ()
    resolved = resolve_projects(folders, "chats", search.place, is_qwen_slug)
    for directory in _keys(search.place):
        root = os.path.join(projects, qwen_slug(directory), "memory")
        if search.look(root):
            project = resolved.get(os.path.dirname(root)) or directory
            search.add(_store(root, project, here, "auto-memory"))
    for folder, owner in resolved.items():
        root = os.path.join(folder, "memory")
        if is_folder(root):
            search.add(_store(root, owner, False, "auto-memory"))
        elif owner:
            search.projects[owner] = None


def _keys(place: Place) -> tuple[str, ...]:
    """The directories whose memory Qwen Code reads here, best first."""
    scope = place.environ.get("QWEN_CODE_MEMORY_PROJECT_SCOPE", "")
    if scope.strip().lower() == "workspace":
        return place.directories
    return tuple(dict.fromkeys([*place.git_roots, *place.main_roots]))


def _add_in(search: Search, projects: tuple[str, ...], name: str) -> None:
    for project in projects:
        root = os.path.join(project, _FOLDER, name)
        if search.look(root):
            search.add(_store(root, project, True, _kind(name)))


def _kind(name: str) -> StoreKind:
    return "local-memory" if name == _LOCAL else "team-memory"


def _store(root: str, project: str | None, here: bool, kind: StoreKind) -> Store:
    scopes = {"user-memory": Scope.USER, "team-memory": Scope.TEAM}
    return Store("qwen", scopes.get(kind, Scope.PROJECT), root, project, here, "qwen", kind)
