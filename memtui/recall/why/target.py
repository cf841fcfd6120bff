"""The memory that is asked about: in the pool, skipped, left out, or nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from memtui.memory.document import Document, Pool, SkippedFile
from memtui.memory.scan import INDEX_NAME

FoundReason = Literal["no-such-file", "outside-roots", "not-markdown", "index-file", "scope-failed"]


class AmbiguousDocument(LookupError):
    """A name fits several documents. ``matches`` holds their paths."""

    def __init__(self, name: str, matches: tuple[str, ...]) -> None:
        super().__init__(f"{name} fits {len(matches)} memories: {', '.join(matches)}")
        self.matches = matches


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that leads to no file of any scope, with the reason."""

    name: str
    """As it was given."""
    path: str
    """The absolute path it was taken for."""
    reason: FoundReason
    """Why no scan can yield it."""
    detail: str
    """What was found instead, in one line."""
    advice: str
    """What to do."""


Target = Document | SkippedFile | Missing


def find_target(pool: Pool, name: str, *, folder: str | None = None) -> Target:
    """What ``name`` means: an id, a path (absolute or from ``folder``), or a relative path.

    Args:
        pool: the pool of the recall.
        name: as typed.
        folder: where relative paths start; the working directory without.

    Raises:
        AmbiguousDocument: several documents fit.

    """
    everything: list[Document | SkippedFile] = [
        *pool.documents,
        *pool.beyond,
        *pool.excluded,
        *pool.skipped,
    ]
    path = os.path.abspath(os.path.join(folder or os.getcwd(), os.path.expanduser(name)))
    real = os.path.realpath(path)
    tests: tuple[Callable[[Document | SkippedFile], bool], ...] = (
        lambda each: getattr(each, "id", None) == name,
        lambda each: each.path == path,
        lambda each: each.path == real,
        lambda each: each.relative_path == name,
        lambda each: f"{each.scope}/{each.relative_path}" == name,
        lambda each: PurePath(each.relative_path).name == name,
        lambda each: PurePath(each.relative_path).stem == name,
    )
    for fits in tests:
        matches = [each for each in everything if fits(each)]
        if len(matches) > 1:
            raise AmbiguousDocument(name, tuple(each.path for each in matches))
        if matches:
            return matches[0]
    return _missing(pool, name, path)


def _missing(pool: Pool, name: str, path: str) -> Missing:
    root = next((each for each in pool.scopes if _below(path, each.root)), None)
    if root is None:
        for report in pool.scopes:
            inside = os.path.join(report.root, name)
            if os.path.lexists(inside):
                path, root = inside, report
                break
    if root is not None and root.status == "failed":
        detail = f"it belongs to the {root.scope} scope, which failed: {root.error}"
        return Missing(name, path, "scope-failed", detail, f"make {root.root} readable")
    if os.path.basename(path) == INDEX_NAME and os.path.lexists(path):
        return Missing(
            name,
            path,
            "index-file",
            f"{INDEX_NAME} is the index of its folder and no memory",
            "move the fact into a file of its own and link it from the index",
        )
    if not os.path.lexists(path):
        return Missing(
            name,
            path,
            "no-such-file",
            f"there is no file {path}",
            "check the path, or search the pool for what the memory says",
        )
    if root is None:
        roots = ", ".join(each.root for each in pool.scopes) or "none"
        return Missing(
            name,
            path,
            "outside-roots",
            f"{path} lies below no root of this recall ({roots})",
            "move it below a root, or name its folder as a root",
        )
    if os.path.isdir(path) or not path.endswith(".md"):
        what = "a folder" if os.path.isdir(path) else "not named *.md"
        return Missing(
            name,
            path,
            "not-markdown",
            f"{path} is {what}; only *.md files are memories",
            "give the file a name that ends in .md",
        )
    return Missing(
        name,
        path,
        "no-such-file",
        f"{path} was not there when the trees were read",
        "scan again",
    )


def _below(path: str, root: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)
