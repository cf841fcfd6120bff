"""Where Claude Code keeps memories.

Auto memory: ``<config>/projects/<slug>/memory``, the slug made of the main worktree of the
repository, or of the directory itself outside one (code.claude.com/docs/en/memory;
anthropics/claude-code#24382, #30667; sessions under some versions used the worktree's own path,
#44130, so that is looked at too). ``<config>`` is ``~/.claude`` or ``CLAUDE_CONFIG_DIR``. The
setting ``autoMemoryDirectory`` puts it elsewhere: ``.claude/settings.local.json`` before
``.claude/settings.json`` (of a trusted project, newer versions) before the user's settings; an
absolute path or one that begins with ``~/``, a relative one is ignored (#36636). Settings managed
by an administrator are not read here.

A sub-agent's own memory: ``<config>/agent-memory/<name>``, ``.claude/agent-memory/<name>``,
``.claude/agent-memory-local/<name>`` (code.claude.com/docs/en/sub-agents). ``.claude/memory`` is a
common value of the setting, so it is shown even when the setting is gone.
"""

from __future__ import annotations

import os

from memtui.memory.document import Scope
from memtui.memory.probe import identity, is_folder
from memtui.memory.search import Search, Store, StoreKind, read_settings, resolve_projects
from memtui.memory.slugs import MAX_SLUG_CHARS, claude_slug, is_claude_slug

_MEMORY = "memory"


def find_claude_stores(search: Search) -> None:
    """Adds every store that ``<config>`` and the current directory lead to."""
    config = _config(search)
    _add_configured_here(search, config)
    _add_auto_memory(search, config, here=not any(each.here for each in search.stores))
    for project in search.place.here:
        _add_in_project(search, project, config, here=True)
    for root in _sub_agents(search, os.path.join(config, "agent-memory")):
        search.add(_store(root, None, False, "agent-memory", Scope.USER))


def find_claude_stores_elsewhere(search: Search) -> None:
    """Adds what the other projects found keep inside themselves."""
    config = _config(search)
    for project in search.elsewhere:
        configured = _configured_in(search, project)
        if configured and is_folder(configured):
            search.add(_store(configured, project, False))
        _add_in_project(search, project, config, here=False)


def _config(search: Search) -> str:
    place = search.place
    return place.variable("CLAUDE_CONFIG_DIR") or os.path.join(place.home, ".claude")


def _store(
    root: str,
    project: str | None,
    here: bool,
    kind: StoreKind = "auto-memory",
    scope: Scope = Scope.PROJECT,
) -> Store:
    return Store("claude", scope, root, project, here, "claude", kind)


# -- auto memory ----------------------------------------------------------------------------------


def _add_auto_memory(search: Search, config: str, *, here: bool) -> None:
    """Adds the folders named by slugs; ``here`` is whether one of them can be read here."""
    projects = os.path.join(config, "projects")
    folders = search.folders(projects) if search.look(projects) else ()
    resolved = resolve_projects(folders, ".", search.place, is_claude_slug)
    for directory in search.place.here:
        expected = os.path.join(projects, claude_slug(directory))
        if search.look(os.path.join(expected, _MEMORY)):
            resolved.setdefault(expected, directory)
        for folder, project in resolved.items():
            if _belongs(folder, directory, project, search.place.here):
                _add_memory_of(search, folder, project or directory, here=here)
    for folder, project in resolved.items():
        _add_memory_of(search, folder, project, here=False)


def _belongs(folder: str, directory: str, project: str | None, here: tuple[str, ...]) -> bool:
    """Whether Claude Code reads this folder in a directory: a cut name needs no other owner."""
    name = os.path.basename(folder)
    if not is_claude_slug(name, directory):
        return False
    return len(name) <= MAX_SLUG_CHARS or project is None or project in here


def _add_memory_of(search: Search, folder: str, project: str | None, *, here: bool) -> None:
    root = os.path.join(folder, _MEMORY)
    if is_folder(root):
        search.add(_store(root, project, here))
    elif project:
        search.projects[project] = None


# -- autoMemoryDirectory --------------------------------------------------------------------------


def _add_configured_here(search: Search, config: str) -> None:
    """The folder that the settings name: of the project, else of the user for every project."""
    for project in search.place.here:
        root = _configured_in(search, project)
        if root and search.look(root):
            search.add(_store(root, project, True))
    by_project = any(_configured_in(search, project) for project in search.place.here)
    root = _configured(search, os.path.join(config, "settings.json"))
    if root and search.look(root):
        search.add(_store(root, None, not by_project))


def _configured_in(search: Search, project: str) -> str | None:
    folder = os.path.join(project, ".claude")
    local = _configured(search, os.path.join(folder, "settings.local.json"))
    return local or _configured(search, os.path.join(folder, "settings.json"))


def _configured(search: Search, settings: str) -> str | None:
    value = read_settings(settings).get("autoMemoryDirectory")
    if not isinstance(value, str) or "\0" in value:
        return None
    if value.startswith(("~/", "~\\")):
        below = os.path.normpath(value[2:] or ".")
        return None if below.split(os.sep)[0] in (".", "..") else search.place.path(value)
    return os.path.normpath(value) if os.path.isabs(value) else None


# -- inside a project -----------------------------------------------------------------------------


def _add_in_project(search: Search, project: str, config: str, *, here: bool) -> None:
    folder = os.path.join(project, ".claude")
    if identity(folder) == identity(config):
        return
    look = search.look if here else is_folder
    if look(os.path.join(folder, _MEMORY)):
        search.add(_store(os.path.join(folder, _MEMORY), project, here, "local-memory"))
    for name in ("agent-memory", "agent-memory-local"):
        parent = os.path.join(folder, name)
        for root in search.folders(parent) if look(parent) else ():
            search.add(_store(root, project, here, "agent-memory"))


def _sub_agents(search: Search, parent: str) -> tuple[str, ...]:
    return search.folders(parent) if search.look(parent) else ()
