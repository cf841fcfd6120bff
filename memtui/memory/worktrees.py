"""Git roots and linked worktrees, read from the ``.git`` entries themselves: git is not run."""

from __future__ import annotations

import os

from memtui.memory.probe import folders_in, identity, is_folder, read_beginning

_GIT_BYTES = 4_096


def spellings(directory: str, logical: str | None) -> tuple[str, ...]:
    """A directory as written, as the shell names it, and without links; each once.

    Args:
        directory: the directory.
        logical: ``$PWD``; it counts only while it leads to the same directory.

    """
    written = os.path.abspath(directory)
    found = [written]
    if logical and os.path.isabs(logical) and identity(logical) == identity(written):
        found.insert(0, os.path.normpath(logical))
    return tuple(dict.fromkeys([*found, os.path.realpath(written)]))


def git_root(directory: str) -> str | None:
    """The nearest folder at or above with a ``.git`` entry, as both agents look for it.

    A linked worktree and a submodule have a ``.git`` file, so each is its own root.
    """
    current = directory
    while not os.path.exists(os.path.join(current, ".git")):
        above = os.path.dirname(current)
        if above == current:
            return None
        current = above
    return current


def main_root(root: str) -> str:
    """The root of the main worktree that a linked worktree belongs to; else the root itself.

    Claude Code keeps one memory for every worktree of a repository (anthropics/claude-code#24382);
    Qwen Code did until QwenLM/qwen-code#6462. A submodule has no ``commondir`` and keeps its own;
    the worktrees of a bare repository belong to the repository's folder.
    """
    administration = _linked_folder(root)
    if administration is None:
        return root
    common = _pointer(administration, "commondir")
    if common is None:
        return root
    found = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    return found if is_folder(found) else root


def linked_worktrees(root: str) -> tuple[str, ...]:
    """The linked worktrees of a repository, from its main root."""
    listing = folders_in(os.path.join(root, ".git", "worktrees"))
    entries = (_pointer(folder, "gitdir") for folder in listing.folders)
    return tuple(os.path.dirname(entry) for entry in entries if entry)


def _linked_folder(root: str) -> str | None:
    """The folder of a linked worktree inside the main ``.git``, if both point at each other."""
    text = read_beginning(os.path.join(root, ".git"), _GIT_BYTES)
    if text is None or not text.startswith("gitdir:"):
        return None
    folder = _path_from(root, text.removeprefix("gitdir:"))
    back = _pointer(folder, "gitdir")
    if back is not None and identity(os.path.dirname(back)) != identity(root):
        return None
    return folder


def _pointer(folder: str, name: str) -> str | None:
    """The path that a one-line file of git's holds, made absolute."""
    text = read_beginning(os.path.join(folder, name), _GIT_BYTES)
    return _path_from(folder, text) if text and text.strip() else None


def _path_from(folder: str, text: str) -> str:
    line = text.strip().partition("\n")[0].replace("\0", "")
    return os.path.normpath(os.path.join(folder, line))
