"""The memory that is asked about: in the pool, skipped, left out, or nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
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
    path = _absolute(name, folder)
    tests: tuple[Callable[[Document | SkippedFile], bool], ...] = (
        lambda each: getattr(each, "id", None) == name,
        *(partial(_is_at, other) for other in (path, *_below_roots(pool, path))),
        lambda each: name in (each.relative_path, f"{each.scope}/{each.relative_path}"),
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


def _is_at(path: str, each: Document | SkippedFile) -> bool:
    return each.path == path


def _absolute(name: str, folder: str | None) -> str:
    """The path that a name is, seen from a folder."""
    return os.path.abspath(os.path.join(folder or os.getcwd(), os.path.expanduser(name)))


def _below_roots(pool: Pool, path: str) -> Iterator[str]:
    """The path as the scan writes it, where it leads below a root by other links than the root's.

    The links of its folders are followed first, so that a link to a file stays that link.
    """
    folder, base_name = os.path.split(path)
    for real in (os.path.join(_real(folder), base_name), _real(path)):
        for report in pool.scopes:
            root = _real(report.root)
            if _below(real, root):
                yield os.path.join(report.root, os.path.relpath(real, root))


def _real(path: str) -> str:
    """The path without links; itself where it is none that a system can have."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _is_there(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path)
    except ValueError:
        return False


def _missing(pool: Pool, name: str, path: str) -> Missing:
    inside = next(_below_roots(pool, path), path)
    root = next((each for each in pool.scopes if _below(inside, each.root)), None)
    if root is not None:
        path = inside
    else:
        for report in pool.scopes:
            for relative in dict.fromkeys((name, name.removeprefix(f"{report.scope}/"))):
                inside = os.path.normpath(os.path.join(report.root, relative))
                if root is None and _below(inside, report.root) and _is_there(inside):
                    path, root = inside, report
    if root is not None and root.status == "failed":
        detail = f"it belongs to the {root.scope} scope, which failed: {root.error}"
        return Missing(name, path, "scope-failed", detail, f"make {root.root} readable")
    if os.path.basename(path) == INDEX_NAME and _is_there(path):
        return Missing(
            name,
            path,
            "index-file",
            f"{INDEX_NAME} is the index of its folder and no memory",
            "move the fact into a file of its own and link it from the index",
        )
    if not _is_there(path):
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
    if _is_folder(path) or not path.endswith(".md"):
        what = "a folder" if _is_folder(path) else "not named *.md"
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
