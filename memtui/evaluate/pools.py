"""The pools that cases are asked in, each read once, and what the names in a case mean there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from memtui.evaluate.cases import Case, CaseError, Problem, can_be_a_path, problem_of
from memtui.limits import Limits
from memtui.memory.dialects import Dialect
from memtui.memory.document import Document, MemoryRootError, Pool, Scope, SkippedFile
from memtui.memory.files import Recency
from memtui.memory.scan import Source, scan_pool
from memtui.recall.why.target import AmbiguousDocument, Missing, Target, find_target
from memtui.samples.layout import temporary_demo
from memtui.samples.scenarios import POOLS

DEMO_PREFIX = "demo:"
DEMO_FOLDER = "/tmp/memtui-demo-00000000"
"""Where the memories of a demo seem to lie, since a path counts in a manifest line: as long as the
temporary folder of a Linux machine, and the same on every other."""

ScanRoots = Callable[[Limits], Pool]
"""Reads the roots of the command."""
Found = Document | SkippedFile


@dataclass(frozen=True)
class CasePool:
    """A pool, the clock to ask it with, and its memories by the names that cases use."""

    pool: Pool
    """The pool."""
    now_ms: float
    """The clock where none was set: a demo's own, or else the time of the newest memory, so that
    the answer depends on the files alone. Epoch milliseconds."""
    recency: Recency = "mtime"
    """What tells the age of a memory."""

    @cached_property
    def named(self) -> dict[str, list[Found]]:
        """Id, relative path and ``scope/relative path`` to what is called so."""
        named: dict[str, list[Found]] = {}
        pool = self.pool
        everything: list[Found] = [
            *pool.documents,
            *pool.beyond,
            *pool.excluded,
            *pool.skipped,
        ]
        for each in everything:
            for name in dict.fromkeys(_names_of(each)):
                named.setdefault(name, []).append(each)
        return named

    def target(self, name: str) -> Target:
        """What a name in a case means.

        Ids and relative paths come first, whatever the working directory is; any other name is
        looked up as ``why`` does, with paths from the first root on.

        Raises:
            AmbiguousDocument: several memories fit.

        """
        found = self.named.get(name, [])
        if len(found) > 1:
            raise AmbiguousDocument(name, tuple(each.path for each in found))
        if found:
            return found[0]
        folder = next((report.root for report in self.pool.scopes), os.sep)
        return find_target(self.pool, name, folder=folder)


def _names_of(found: Found) -> Iterator[str]:
    if isinstance(found, Document):
        yield found.id
    yield found.relative_path
    yield f"{found.scope}/{found.relative_path}"


def newest_ms(pool: Pool) -> float:
    """The time of the newest memory of a pool, epoch milliseconds; 0 for an empty one."""
    return max((each.mtime_ms for each in pool.documents), default=0.0)


class Pools:
    """Opens pools by the names in cases; every one is read once.

    Args:
        scan_roots: reads the roots of the command, for cases without a pool; None for no roots.
        default: the name of a pool to take instead of them.
        folder: where relative folders start: that of the case file.
        dialect: how files are read; None decides by the path.
        recency: what tells the age of a memory.

    """

    def __init__(
        self,
        scan_roots: ScanRoots | None = None,
        *,
        default: str = "",
        folder: str = "",
        dialect: Dialect | None = None,
        recency: Recency = "mtime",
    ) -> None:
        self._scan_roots = scan_roots
        self._default = default
        self._folder = folder
        self._dialect = dialect
        self._recency = recency
        self._open: dict[tuple[str, int, int], CasePool] = {}

    def open(self, name: str, limits: Limits) -> CasePool:
        """The pool of a name, read with these limits.

        Raises:
            CaseError: there is no such pool.
            MemoryRootError: a root of the command can not be read.

        """
        name = name or self._default
        key = (name, limits.file_bytes, limits.capped_scan_docs)
        if key not in self._open:
            self._open[key] = self._read(name, limits)
        return self._open[key]

    def _read(self, name: str, limits: Limits) -> CasePool:
        if not name:
            return self._read_roots(limits)
        demo = name.removeprefix(DEMO_PREFIX)
        if name.startswith(DEMO_PREFIX) and demo not in POOLS:
            raise CaseError([Problem(f"no demo named {demo[:60]!r}; there are {', '.join(POOLS)}")])
        if demo in POOLS:
            return read_demo(demo, limits, self._recency, self._dialect)
        root = os.path.join(self._folder, os.path.expanduser(name))
        if not can_be_a_path(root):
            raise CaseError(
                [Problem(f"the pool {name[:200]!r} has a name that no folder can have")]
            )
        try:
            source = Source(Scope.PROJECT, root, self._dialect, recency=self._recency)
            pool = scan_pool([source], limits)
        except MemoryRootError as error:
            raise CaseError([Problem(f"the pool {name[:200]} can not be read: {error}")]) from None
        return CasePool(pool, newest_ms(pool), self._recency)

    def _read_roots(self, limits: Limits) -> CasePool:
        if self._scan_roots is None:
            raise CaseError(
                [Problem("it names no pool, and there is no root; name one with --project DIR")]
            )
        pool = self._scan_roots(limits)
        return CasePool(pool, newest_ms(pool), self._recency)


def read_demo(
    name: str,
    limits: Limits | None = None,
    recency: Recency = "mtime",
    dialect: Dialect | None = None,
) -> CasePool:
    """The memories of a demo, as if they lay in ``DEMO_FOLDER``."""
    with temporary_demo(name) as demo:
        roots = ((Scope.PROJECT, demo.project), (Scope.USER, demo.user), (Scope.TEAM, demo.team))
        sources = [Source(scope, str(at), dialect, recency=recency) for scope, at in roots if at]
        pool = scan_pool(sources, limits)
        folder = str(demo.folder.parent)
    documents = (
        replace(each, path=DEMO_FOLDER + each.path.removeprefix(folder)) for each in pool.documents
    )
    return CasePool(replace(pool, documents=tuple(documents)), demo.now_ms, recency)


def find_relevant(case: Case, where: CasePool) -> dict[str, Target]:
    """What the names in a case mean, in order; a memory that two of them name counts once.

    Raises:
        CaseError: a name fits nothing, or several memories.

    """
    problems: list[Problem] = []
    targets: dict[str, Target] = {}
    taken: set[str] = set()
    for name in case.relevant:
        try:
            target = where.target(name)
        except AmbiguousDocument as error:
            problems.append(problem_of(case, str(error)))
            continue
        if isinstance(target, Missing):
            pool = f" of the pool {case.pool}" if case.pool else ""
            problems.append(
                problem_of(case, f"{name[:200]} is no memory{pool[:200]} ({target.reason})")
            )
            continue
        identity = target.id if isinstance(target, Document) else target.path
        if identity not in taken:
            taken.add(identity)
            targets[name] = target
    if problems:
        raise CaseError(problems)
    return targets
