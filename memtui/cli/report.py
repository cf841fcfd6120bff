"""The readable output of the commands, when no JSON is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.cli.output import shown
from memtui.memory.document import Pool
from memtui.recall.context import age_days
from memtui.recall.funnel import funnel
from memtui.recall.manifest import Verdict
from memtui.recall.pipeline import REPRODUCES, Recall
from memtui.text import plural

TITLE_WIDTH = 60


def recall_lines(result: Recall) -> Iterator[str]:
    """The funnel, the manifest candidate by candidate, and the selection."""
    read_as = sorted({report.dialect for report in result.pool.scopes})
    yield f"ranked as {REPRODUCES}, read as {' and '.join(read_as) or 'nothing'}"
    yield " → ".join(stage.text for stage in funnel(result))
    yield from _notes(result)
    yield ""
    lines, offered = result.manifest.lines, len(result.candidates)
    yield f"manifest: {plural(lines, 'line')} of {plural(offered, 'candidate')}"
    yield from (_candidate_line(verdict) for verdict in result.manifest.verdicts)
    yield ""
    yield from _selection_lines(result)


def _notes(result: Recall) -> Iterator[str]:
    if not result.query.tokens:
        yield "no token in the query: the reserve alone fills the manifest, nothing is selected"
    elif not result.hits:
        yield "no memory contains a token of the query: nothing is selected"
    for warning in result.warnings:
        yield f"warning: {shown(warning)}"


def _candidate_line(verdict: Verdict) -> str:
    origin = "L" if verdict.origin == "lexical" else "R"
    title = shown(verdict.document.title, TITLE_WIDTH)
    if verdict.packed:
        place, running = f"{verdict.line:>4}", f"{verdict.cumulative:>15,}"
    else:
        place, running = "   ✗", f"{f'needs {verdict.bytes_missing:,} more':>15}"
    return f"{place} {origin} {verdict.bytes:>6,} {running}  {verdict.document.id}  {title}"


def _selection_lines(result: Recall) -> Iterator[str]:
    chosen = result.selection
    count, most = len(chosen.documents), result.budget.effective
    yield f"selected {count} of at most {most} ({chosen.strategy})"
    scores = {hit.document.id: hit for hit in result.hits}
    for place, document in enumerate(chosen.documents, start=1):
        hit = scores.get(document.id)
        points = f"{hit.score:>3g}" if hit else "  ·"
        age = f"{age_days(document.mtime_ms, result.now_ms)}d"
        kept = "" if document.id in result.context.kept else "  (not in the context: max-chars)"
        kind = f"{document.scope:<7} {shown(document.type, 10):<9}"
        title = shown(document.title, TITLE_WIDTH)
        yield f"{place:>4} {points}  {document.id}  {kind} {age:>5}  {title}{kept}"


def scan_lines(pool: Pool) -> Iterator[str]:
    """Every scope with its counts, and every skipped file with its reason and remedy."""
    for report in pool.scopes:
        if report.status == "ok":
            state = f"{plural(report.documents, 'document')}, {report.skipped:,} skipped"
        else:
            state = report.status + (f": {report.error}" if report.error else "")
        yield f"{report.scope:<8} {report.dialect:<7} {state}  {shown(report.root)}"
    if pool.excluded:
        yield f"{plural(len(pool.excluded), 'document')} left out by --exclude"
    for warning in pool.warnings:
        yield f"warning: {shown(warning)}"
    for skipped in pool.skipped:
        yield f"✗ {skipped.reason:<20} {skipped.scope}/{shown(skipped.relative_path)}"
        yield f"    {shown(skipped.detail)}; {shown(skipped.remedy)}"
