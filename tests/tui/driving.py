"""Runs the app without a terminal: a fixed pool, a fixed clock, and the screen as text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from memtui.engine import Engine
from memtui.memory.document import Document, Pool, Scope, ScopeReport, SkippedFile, document_id
from memtui.memory.scan import Progress, Source
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.trace import Tracer
from memtui.setup import Setup
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.main import MainScreen
from memtui.tui.screens.opening import OpeningScreen

NOW_MS = 1_772_442_000_000.0
HOUR_MS = 3_600_000.0
DAY_MS = 24 * HOUR_MS
ROOT = "/home/mira/.claude/projects/shop/memory"
USER_ROOT = "/home/mira/.claude/memory"
SOURCES = (Source(Scope.PROJECT, ROOT, "claude"), Source(Scope.USER, USER_ROOT, "claude"))

Script = Callable[[Pilot[Any]], Awaitable[None]]


class FixedEngine(Engine):
    """Scans nothing, and traces with a clock that stands still."""

    def __init__(self, setup: Setup, pool: Pool) -> None:
        super().__init__(setup)
        self.pool = pool
        self.scans = 0
        self.queries: list[str] = []

    def scan(self, progress: Progress | None = None) -> Pool:
        self.scans += 1
        return self.pool

    def recall(self, query: str, pool: Pool | None = None) -> Recall:
        self.queries.append(query)
        tracer = Tracer(clock=lambda: NOW_MS, watch=lambda: 0.0)
        tracer.trace_id = "11111111-2222-4333-8444-555555555555"
        return recall(query, pool or self.pool, self.setup.options, tracer=tracer)


def document(name: str, title: str, **fields: Any) -> Document:
    scope = fields.pop("scope", Scope.PROJECT)
    root = ROOT if scope is Scope.PROJECT else USER_ROOT
    values: dict[str, Any] = {
        "id": document_id(scope, name),
        "scope": scope,
        "path": f"{root}/{name}",
        "relative_path": name,
        "type": "project",
        "title": title,
        "description": "",
        "body": "",
        "mtime_ms": NOW_MS - DAY_MS,
        "size": 420,
        "dialect": "claude",
        "frontmatter": f"name: {title}\ntype: project",
    }
    return Document(**{**values, **fields})


def skipped(name: str, reason: Any = "type-missing") -> SkippedFile:
    return SkippedFile(
        f"{ROOT}/{name}",
        Scope.PROJECT,
        name,
        reason,
        "the frontmatter has no type",
        "add a line: type: project",
        NOW_MS - 2 * DAY_MS,
    )


def pool_of(*documents: Document, skip: tuple[SkippedFile, ...] = ()) -> Pool:
    of_scope = {scope: [each for each in documents if each.scope is scope] for scope in Scope}
    reports = tuple(
        ScopeReport(
            source.scope,
            source.root,
            "claude",
            "ok",
            len(of_scope[source.scope]),
            len(skip) if source.scope is Scope.PROJECT else 0,
        )
        for source in SOURCES
    )
    return Pool(documents=documents, skipped=skip, scopes=reports)


def small_pool() -> Pool:
    """Thirty documents and two skipped files: every fate, wide characters, markup."""
    body = "We roll back with bin/shipit.\n" + "Then look at the graphs. " * 60
    named = [
        document(
            "rollback.md",
            "Release rollback runbook",
            description="How to roll back a release with bin/shipit",
            body=body + "\nThe release is back. Roll it forward later.",
            mtime_ms=NOW_MS - 38 * DAY_MS,
        ),
        document(
            "friday.md",
            "Never deploy a release on Friday",
            description="Feedback of the whole team",
            type="feedback",
            mtime_ms=NOW_MS - 41 * DAY_MS,
        ),
        document(
            "backups.md",
            "Where backups are",
            description="How to get a backup back",
            type="reference",
        ),
        document(
            "fetch.md",
            "fetch_page parameter schema",
            description="tool usage of fetch_page",
            type="reference",
            mtime_ms=NOW_MS - 3 * HOUR_MS,
        ),
        document("cjk.md", "支付回调必须幂等", description="回调", mtime_ms=NOW_MS - 5 * DAY_MS),
        document("emoji.md", "👨‍👩‍👧 家 family [/] [TODO]", mtime_ms=NOW_MS - 6 * DAY_MS),
        document(
            "answers.md",
            "Prefers short answers",
            scope=Scope.USER,
            type="user",
            mtime_ms=NOW_MS - 90 * 60_000,
        ),
    ]
    others = [
        document(f"note-{number:02}.md", f"Note number {number}", mtime_ms=NOW_MS - number * DAY_MS)
        for number in range(10, 33)
    ]
    return pool_of(*named, *others, skip=(skipped("broken.md"), skipped("old.md", "too-large")))


def make_app(
    pool: Pool | None = None,
    query: str = "roll back a release",
    *,
    engine: Callable[[Setup, Pool], Engine] = FixedEngine,
    options: RecallOptions | None = None,
    **fields: Any,
) -> MemtuiApp:
    setup = Setup(
        SOURCES,
        options or RecallOptions(now_ms=NOW_MS),
        name="shop",
        query=query,
    )
    setup = replace(setup, options=replace(setup.options, source="tui"))
    return MemtuiApp(setup, engine=engine(setup, small_pool() if pool is None else pool), **fields)


def drive(
    app: App[Any],
    script: Script,
    size: tuple[int, int] = (120, 40),
    messages: list[Any] | None = None,
) -> None:
    """Runs a script against the app, once it has come to rest."""

    async def main() -> None:
        hook = None if messages is None else messages.append
        async with app.run_test(
            size=size, notifications=True, tooltips=True, message_hook=hook
        ) as pilot:
            await settle(pilot)
            await script(pilot)

    asyncio.run(main())


async def opened(pilot: Pilot[Any]) -> MainScreen:
    """The main screen, which comes once the first frame is drawn."""
    while isinstance(pilot.app.screen, OpeningScreen) or len(pilot.app.screen_stack) < 2:
        await pilot.pause()
    return board(pilot)


async def settle(pilot: Pilot[Any]) -> None:
    """Waits for the threads, and until everything they posted is drawn."""
    if isinstance(pilot.app, MemtuiApp):
        await opened(pilot)
    for _ in range(3):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def type_query(pilot: Pilot[Any], query: str) -> None:
    board(pilot).query_bar.input.value = query
    await settle(pilot)


def board(pilot: Pilot[Any]) -> MainScreen:
    """The main screen, also while a dialog is open."""
    return next(each for each in pilot.app.screen_stack if isinstance(each, MainScreen))


def screen_text(app: App[Any]) -> str:
    """What is on the screen, line by line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


def toasts(app: App[Any]) -> list[str]:
    """What was said in notifications."""
    return [notification.message for notification in app._notifications]
