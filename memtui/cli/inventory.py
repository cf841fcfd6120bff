"""``scan`` and ``status``: what the stores hold, what is wrong with them, and every store found."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.completion import problems
from memtui.cli.options import Options, common_options
from memtui.cli.output import (
    CommandError,
    Exit,
    narrate,
    narrate_warnings,
    shown,
    write_json,
    write_line,
)
from memtui.cli.report import TITLE_WIDTH, scan_lines
from memtui.cli.setups import need_roots, setup_from
from memtui.cli.teaching import epilog
from memtui.config import load_config
from memtui.engine import Engine
from memtui.memory.document import Pool, ScopeReport
from memtui.memory.health import FINDINGS, Finding, find_problems
from memtui.memory.index import IndexReport, measure_index
from memtui.memory.recency import clustered_notice
from memtui.memory.scan import INDEX_NAME, capped
from memtui.recall.context import age_days, age_phrase
from memtui.recall.record import document_records, number, pool_record, skipped_records
from memtui.recall.trace import wall_clock
from memtui.setup import Setup
from memtui.text import plural

Json = dict[str, object]


@click.command(
    epilog=epilog(
        "memtui scan --demo broken       # a file for every reason to be skipped",
        "memtui scan --all               # every store on this machine",
        "memtui scan --project .claude/memory --fail-on type-missing --fail-on broken-wikilink",
    )
)
@click.option("--all", "every_store", is_flag=True, help="List every store on this machine.")
@click.option(
    "--fail-on",
    multiple=True,
    metavar="FINDING",
    shell_complete=problems,
    help="Exit 1 if there is such a finding, or such a reason to skip a file; `any` for every "
    "one. Repeatable.",
)
@common_options
def scan(every_store: bool, fail_on: tuple[str, ...], options: Options) -> int:
    """List what is in the pool, what was skipped and why, and the findings on its health.

    Exit code 1: something named by --fail-on was found.
    """
    if every_store:
        return _list_stores(options)
    with setup_from(options) as setup:
        need_roots(setup)
        pool = Engine(setup).scan()
        findings = find_problems(pool, setup.options.limits)
    _check_names(fail_on)
    if options.json:
        write_json(
            {
                "schema": "memtui.scan/1",
                "pool": pool_record(pool),
                "skipped": skipped_records(pool.skipped),
                "documents": document_records(pool),
                "findings": [
                    {
                        "id": each.document.id,
                        "finding": each.finding,
                        "detail": each.detail,
                        "remedy": each.remedy,
                    }
                    for each in findings
                ],
            }
        )
    else:
        for line in (*scan_lines(pool), *_finding_lines(findings)):
            write_line(line)
    narrate_warnings(pool.warnings)
    notice = clustered_notice(pool) if options.recency == "mtime" else None
    if notice:
        narrate(notice)
    met = {each.finding for each in findings} | {each.reason for each in pool.skipped}
    return Exit.NO if met & set(fail_on) or (met and "any" in fail_on) else Exit.DONE


def _check_names(names: tuple[str, ...]) -> None:
    from memtui.recall.why.ladder import REASONS

    for name in names:
        if name not in FINDINGS and name not in REASONS and name != "any":
            raise CommandError(
                f"--fail-on knows no {name!r}; findings are: {', '.join(FINDINGS)}; "
                "a reason to skip a file, or any, is possible too"
            )


def _finding_lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    if findings:
        counts = Counter(each.finding for each in findings)
        yield f"{plural(len(findings), 'finding')}: " + ", ".join(
            f"{name} {count}" for name, count in counts.items()
        )
    for each in findings:
        where = f"{each.document.scope}/{shown(each.document.relative_path)}"
        yield f"! {each.finding:<20} {where}"
        yield f"    {shown(each.detail)}; {shown(each.remedy)}"


def _list_stores(options: Options) -> int:
    from memtui.memory.stores import discover, summarise

    config = load_config()
    found = discover(
        home=Path.home(),
        cwd=Path.cwd(),
        environ=os.environ,
        agent=options.agent,
        extra_roots=config.roots,
    )
    counted = [(store, summarise(store)) for store in found.stores]
    if options.json:
        write_json(
            {
                "schema": "memtui.stores/1",
                "stores": [
                    {
                        "agent": store.agent,
                        "kind": store.kind,
                        "scope": str(store.scope),
                        "root": store.root,
                        "project": store.project,
                        "documents": counts.documents,
                        "skipped": counts.skipped,
                        "newest_ms": None if counts.newest_ms is None else number(counts.newest_ms),
                        "here": store.here,
                        "error": counts.error,
                    }
                    for store, counts in counted
                ],
                "looked_at": list(found.looked_at),
            }
        )
        return Exit.DONE
    if not counted:
        raise CommandError(
            f"no memory store found: try memtui demo; looked at {', '.join(found.looked_at)}"
        )
    now = wall_clock()
    for store, counts in counted:
        mark = "▸" if store.here else " "
        newest = (
            "never" if counts.newest_ms is None else age_phrase(age_days(counts.newest_ms, now))
        )
        numbers = f"{plural(counts.documents, 'document')}, {counts.skipped:,} skipped"
        project = store.project or "project unknown"
        write_line(f"{mark} {store.agent:<7} {store.scope:<8} {numbers}, newest {newest}")
        write_line(f"    {shown(store.root)}  ({shown(project)})")
        if counts.error:
            write_line(f"    {shown(counts.error)}")
    return Exit.DONE


@click.command(epilog=epilog("memtui status --demo overflow", "memtui status --agent qwen"))
@common_options
def status(options: Options) -> int:
    """Show what the management flows see: the capped scan, the types, and the index."""
    with setup_from(options) as setup:
        need_roots(setup)
        pool = Engine(setup).scan()
        if options.json:
            write_json({"schema": "memtui.status/1", "scopes": list(_status_records(setup, pool))})
        else:
            for line in _status_lines(setup, pool):
                write_line(line)
    narrate_warnings(pool.warnings)
    return Exit.DONE


def index_of(report: ScopeReport, pool: Pool, setup: Setup) -> IndexReport | None:
    """The index at the root of a scope, measured as an agent loads it; None without one."""
    path = os.path.join(report.root, INDEX_NAME)
    if path not in pool.indexes:
        return None
    return measure_index(path, pool, report.scope, report.root, setup.options.limits.file_bytes)


def _status_records(setup: Setup, pool: Pool) -> Iterator[Json]:
    window = capped(pool)
    for report in pool.scopes:
        managed = [each for each in window.documents if each.scope is report.scope]
        everything = [each for each in pool.documents if each.scope is report.scope]
        index = index_of(report, pool, setup)
        yield {
            "scope": str(report.scope),
            "root": report.root,
            "status": report.status,
            "managed": len(managed),
            "documents": len(everything),
            "unmanaged": [each.id for each in everything if not pool.managed(each.id)],
            "by_type": dict(Counter(each.type for each in managed)),
            "index": None
            if index is None
            else {
                "path": index.path,
                "lines": index.lines,
                "bytes": index.bytes,
                "binds": index.binds,
                "cut_at_line": index.cut_at_line,
                "dangling": list(index.dangling),
                "orphans": list(index.orphans),
                "unreachable": [entry.target for entry in index.unreachable],
                "error": index.error,
            },
        }


def _status_lines(setup: Setup, pool: Pool) -> Iterator[str]:
    window = capped(pool)
    for report in pool.scopes:
        yield f"{report.scope}  {shown(report.root)}"
        if report.status != "ok":
            yield f"  {report.status}" + (f": {shown(report.error)}" if report.error else "")
            continue
        managed = [each for each in window.documents if each.scope is report.scope]
        kinds = Counter(each.type or "no type" for each in managed)
        listed = ", ".join(f"{shown(name, 20)} {count}" for name, count in kinds.most_common())
        yield f"  managed {len(managed):,} of {report.documents:,} ({listed or 'none'})"
        for document in pool.documents:
            if document.scope is report.scope and not pool.managed(document.id):
                title = shown(document.title, TITLE_WIDTH)
                yield f"    recallable but not managed: {document.id}  {title}"
        yield from _index_lines(index_of(report, pool, setup))


def _index_lines(index: IndexReport | None) -> Iterator[str]:
    if index is None:
        yield f"  no {INDEX_NAME}"
        return
    if index.error:
        yield f"  {INDEX_NAME}: {shown(index.error)}"
        return
    binds = "nothing binds" if index.binds == "none" else f"{index.binds} bind"
    cut = "" if index.cut_at_line is None else f", loading stops at line {index.cut_at_line:,}"
    yield f"  {INDEX_NAME} {index.lines:,}/200 lines, {index.bytes:,}/25,000 B ({binds}{cut})"
    for name, items in (
        ("dangling link", index.dangling),
        ("not in the index", index.orphans),
        ("after the cut", tuple(entry.target for entry in index.unreachable)),
    ):
        for item in items:
            yield f"    {name}: {shown(item)}"
