"""What the faces share: one engine that scans the roots of a setup and recalls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.memory.document import Pool
from memtui.memory.files import ScanCache
from memtui.memory.probe import root_around
from memtui.memory.scan import Progress, Source, scan_pool
from memtui.recall.pipeline import Prepared, Recall, prepare, recall
from memtui.recall.trace import Tracer
from memtui.recall.turn import Event, TurnPlan
from memtui.setup import Setup
from memtui.state import TraceStore, Use, pool_key
from memtui.text import display_line
from memtui.traces import StateError

if TYPE_CHECKING:
    import asyncio

    from memtui.recall.delivery import Delivered


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
            StateError: it could not be stored, or would have been stored among memories.

        """
        roots = [report.root for report in result.pool.scopes]
        if root_around(str(self.store.path), roots) is not None:
            database = display_line(str(self.store.path))
            raise StateError(
                f"{database} lies in a memory store, where memtui never writes; "
                "name another folder with MEMTUI_STATE"
            )
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
