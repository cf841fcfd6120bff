"""What the faces share: which roots to read, how, and one engine that scans and recalls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.memory.document import Pool, Scope
from memtui.memory.files import ScanCache
from memtui.memory.scan import Progress, Source, scan_pool
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Prepared, Recall, prepare, recall
from memtui.recall.trace import Tracer
from memtui.recall.turn import Event, TurnPlan
from memtui.state import StateError, TraceStore, Use, pool_key

if TYPE_CHECKING:
    import asyncio

    from memtui.recall.delivery import Delivered


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that the common options of a command decide."""

    sources: tuple[Source, ...] = ()
    """The roots, at most one a scope."""
    options: RecallOptions = field(default_factory=RecallOptions)
    """What a recall is asked to do."""
    databases: tuple[str, ...] = ()
    """Memory databases whose rows join the pool; they are copied and never touched."""
    exclude: tuple[str, ...] = ()
    """Files that the agent has already surfaced."""
    name: str = ""
    """What to call this set of roots: a project's or a demo's name."""
    query: str = ""
    """A query to begin with."""
    pool_name: str = ""
    """What a case file calls this pool: ``demo:NAME``; empty for roots, which have no name."""
    agent: str | None = None
    """Whose stores these are, where that is known: ``claude`` or ``qwen``."""
    note: str | None = None
    """One line on how the roots were chosen, where the user may want to choose otherwise."""
    looked_at: tuple[str, ...] = ()
    """Where stores were looked for, if none was found."""

    @property
    def reads_something(self) -> bool:
        """Whether there is a root or a database."""
        return bool(self.sources or self.databases)

    def source_of(self, scope: Scope) -> Source | None:
        """The source of a scope, if there is one."""
        return next((each for each in self.sources if each.scope is scope), None)


class Engine:
    """Scans the roots of a setup and runs recalls over the pool.

    Parsed documents are kept between scans, keyed by path, mtime and size. One engine is used from
    one thread at a time.
    """

    def __init__(
        self, setup: Setup, *, keep_documents: bool = False, store: TraceStore | None = None
    ) -> None:
        self.setup = setup
        self.store = store or TraceStore()
        self._cache: ScanCache | None = {} if keep_documents else None

    def read(self, sources: tuple[Source, ...]) -> None:
        """Reads other roots, or the same ones in another way, from the next scan on."""
        self.setup = replace(self.setup, sources=sources)
        if self._cache is not None:
            self._cache = {}

    def scan(self, progress: Progress | None = None) -> Pool:
        """Reads every root once.

        Raises:
            MemoryRootError: a typed root is not there, the project's can not be listed, or a
                database can not be read.

        """
        limits = self.setup.options.limits
        pool = scan_pool(
            self.setup.sources,
            limits,
            exclude=self.setup.exclude,
            cache=self._cache,
            progress=progress,
        )
        several = len(self.setup.databases) > 1
        for number, path in enumerate(self.setup.databases, start=1):
            from memtui.memory.database import merge_pools, read_database

            mixed = bool(self.setup.sources) or several
            prefix = f"db{number if several else ''}-" if mixed else ""
            rows = read_database(path, id_prefix=prefix, limits=limits)
            pool = merge_pools(pool, rows) if mixed else rows
        return pool

    def recall(self, query: str, pool: Pool | None = None) -> Recall:
        """One recall; without a pool the roots are scanned first, inside the trace."""
        tracer = Tracer()
        scanned = self.scan() if pool is None else pool
        return recall(query, scanned, self.setup.options, tracer=tracer)

    async def recall_async(
        self,
        query: str,
        pool: Pool | None = None,
        *,
        plan: TurnPlan | None = None,
        on_prepared: Callable[[Prepared], None] | None = None,
        on_event: Callable[[Event], None] | None = None,
        cancel: asyncio.Event | None = None,
    ) -> Delivered:
        """One recall beside a turn, as :func:`memtui.recall.delivery.deliver` runs it.

        Files are read and memories ranked in a thread; the loop stays free throughout.
        """
        import asyncio

        from memtui.recall.delivery import deliver

        tracer = Tracer()
        options = self.setup.options

        def first_half() -> Prepared:
            scanned = self.scan() if pool is None else pool
            return prepare(query, scanned, options, tracer=tracer)

        return await deliver(
            lambda: asyncio.to_thread(first_half),
            elapsed_ms=tracer.elapsed_ms,
            ceiling_ms=options.limits.initial_wait_ms,
            plan=plan,
            on_prepared=on_prepared,
            on_event=on_event,
            cancel=cancel,
        )

    def record(self, result: Recall, *, shown: bool = True) -> bool:
        """Stores the trace of a recall and raises the use counts; False where it could not.

        Args:
            result: the recall.
            shown: whether its context goes to somebody; a recall that was only asked about raises
                no use counts.

        """
        try:
            self.store_trace(result, shown=shown)
        except StateError:
            return False
        return True

    def store_trace(self, result: Recall, *, shown: bool = True) -> None:
        """As :meth:`record`, for a face that says why a trace was not stored.

        Raises:
            StateError: it could not be stored.

        """
        roots = [report.root for report in result.pool.scopes]
        used = result.context.kept if shown else ()
        self.store.record(result.trace, pool_key=pool_key(roots), used_ids=used)

    def uses(self, pool: Pool) -> dict[str, Use]:
        """How often each document of a pool was shown, by id; empty where that can not be read."""
        try:
            return self.store.use_counts(pool_key(report.root for report in pool.scopes))
        except StateError:
            return {}

    def with_options(self, **changes: object) -> None:
        """Changes some of the options for the recalls to come."""
        options = replace(self.setup.options, **changes)  # type: ignore[arg-type]
        self.setup = replace(self.setup, options=options)


def place_of(error: BaseException) -> str:
    """Where an error was raised, ``file.py:12``: what may be said of it, unlike its message."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def sources_for(
    roots: Iterable[tuple[Scope, str | None]], dialect: str | None, *, typed: bool = True
) -> tuple[Source, ...]:
    """A source for each scope that has a root."""
    return tuple(
        Source(scope, root, dialect, typed)  # type: ignore[arg-type]
        for scope, root in roots
        if root
    )
