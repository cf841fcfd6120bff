"""``trace`` and ``validate``: what was recalled before, and whether an answer may cite it."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from memtui.cli.completion import files, traces
from memtui.cli.output import CommandError, Exit, narrate, shown, write_json, write_line
from memtui.cli.teaching import epilog
from memtui.recall.trace import Trace
from memtui.state import TraceStore
from memtui.traces import TraceReader, open_foreign

MOST_TEXT_BYTES = 64 * 1024 * 1024


@click.group(
    no_args_is_help=False,
    epilog=epilog("memtui trace list --limit 5", "memtui trace show TRACE_ID"),
)
def trace() -> None:
    """List the traces of past recalls, or show one."""


_DB = click.option(
    "--db",
    metavar="FILE",
    shell_complete=files,
    help="Read the recall_traces table of another program's database; it is never touched.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@trace.command("list", epilog=epilog("memtui trace list --limit 5"))
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Most traces."
)
@_DB
@_JSON
def list_traces(limit: int, db: str | None, as_json: bool) -> int:
    """List stored traces, newest first."""
    with reader(db) as traces:
        found = traces.list(limit)
    if as_json:
        write_json({"schema": "memtui.traces/1", "traces": [each.as_json() for each in found]})
    else:
        for each in found:
            write_line(_summary(each))
        if not found:
            narrate("no trace is stored yet")
    return Exit.DONE


@trace.command("show", epilog=epilog("memtui trace show TRACE_ID --json"))
@click.argument("trace_id", shell_complete=traces)
@_DB
@_JSON
def show_trace(trace_id: str, db: str | None, as_json: bool) -> int:
    """Show one trace with its steps. Exit code 1: no such trace."""
    with reader(db) as traces:
        found = traces.get(trace_id)
    if found is None:
        narrate(f"no trace has the id {trace_id}")
        return Exit.NO
    if as_json:
        write_json({"schema": "memtui.trace/1", "trace": found.as_json()})
        return Exit.DONE
    write_line(_summary(found))
    write_line(f"query   SHA-256 {shown(found.query_hash)}, {found.query_chars:,} chars")
    write_line(
        f"limits  requested {found.requested_limit:,}, effective {found.effective_limit:,}, "
        f"candidates {found.candidate_limit:,}"
    )
    write_line(f"kept    {shown(' '.join(found.kept_ids)) or 'nothing'}")
    for step in found.steps:
        counts = ", ".join(
            f"{name} {' '.join(value) if isinstance(value, tuple) else value}"
            for name, value in step.meta.items()
        )
        write_line(f"{step.elapsed_ms:>10.2f} ms  {shown(step.name):<16} {shown(counts)}")
    return Exit.DONE


def _summary(found: Trace) -> str:
    from datetime import UTC, datetime

    try:
        moment = datetime.fromtimestamp(found.started_at / 1000, UTC)
        when = f"{moment:%Y-%m-%d %H:%M:%S}Z"
    except (ValueError, OverflowError, OSError):
        when = str(found.started_at)
    kept = f"{len(found.kept_ids)} kept"
    return (
        f"{shown(found.trace_id)}  {when}  {shown(found.source):<4} {shown(found.mode):<18} "
        f"{kept:>8}  {found.duration_ms:,.1f} ms"
    )


def reader(db: str | None) -> AbstractContextManager[TraceReader]:
    """The store of traces: memtui's own, or another program's."""
    if db is not None:
        return nullcontext(open_foreign(Path(db)))
    return TraceStore()


@click.command(
    epilog=epilog(
        "memtui validate --trace TRACE_ID answer.txt > clean.txt",
        "echo 'See [id:a1b2c3d4].' | memtui validate --allow a1b2c3d4",
    )
)
@click.option(
    "--trace",
    "trace_id",
    metavar="ID",
    shell_complete=traces,
    help="Allow what this recall has shown.",
)
@click.option("--allow", metavar="ID[,ID…]", help="Allow these ids.")
@click.option("--strict", is_flag=True, help="Clean suspects too, and count them as findings.")
@_JSON
@click.argument("file", default="-", shell_complete=files)
def validate(
    trace_id: str | None, allow: str | None, strict: bool, as_json: bool, file: str
) -> int:
    """Check the citations of an answer and print it clean. Exit code 1: something was rejected.

    FILE is a path, or - for standard input.
    """
    from memtui.citations import validate_citations
    from memtui.recall.record import citations_record

    if (trace_id is None) == (allow is None):
        raise CommandError("validate wants one of --trace ID and --allow ID[,ID…]")
    allowed = None if allow is None else tuple(each.strip() for each in allow.split(","))
    trace_found = None
    if trace_id is not None:
        with reader(None) as traces:
            found_trace = traces.get(trace_id)
        trace_found = found_trace is not None
        allowed = found_trace.kept_ids if found_trace else None
        if not trace_found:
            narrate(f"no trace has the id {trace_id}: every citation is rejected")
    text = _text_of(file)
    if as_json:
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    found = validate_citations(text, allowed, strict=strict)
    if as_json:
        write_json(
            citations_record(found, trace_id, trace_found=trace_found, allowed=allowed or ())
        )
    else:
        _write_clean(found.clean)
        for name in ("valid", "rejected", "suspect"):
            ids = getattr(found, name)
            if ids:
                narrate(f"{name}: {', '.join(ids)}")
    return Exit.NO if found.rejected or (strict and found.suspect) else Exit.DONE


def _write_clean(text: str) -> None:
    """The clean text byte for byte where it goes into a file, safe where it goes to a terminal."""
    from memtui.text import display_text

    if sys.stdout.isatty():
        sys.stdout.write(display_text(text, multiline=True))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


def _text_of(file: str) -> str:
    """The text of a file; bytes that are no UTF-8 are kept as they are."""
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as stream:
            content = stream.read(MOST_TEXT_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{file} can not be read: {error.strerror}") from None
    if len(content) > MOST_TEXT_BYTES:
        raise CommandError(f"{file} is larger than {MOST_TEXT_BYTES:,} bytes")
    return content.decode("utf-8", "surrogateescape")
