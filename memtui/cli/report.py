"""The readable output of the commands, when no JSON is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from memtui import __version__
from memtui.cli.output import shown
from memtui.limits import Limits
from memtui.memory.document import MEMORY_TYPES, Document, Pool, SkippedFile
from memtui.recall.compare import Comparison, regime_of
from memtui.recall.context import age_days
from memtui.recall.funnel import funnel, reproduction
from memtui.recall.manifest import Verdict
from memtui.recall.pipeline import Recall
from memtui.recall.why.explain import Why
from memtui.recall.why.ladder import REASONS
from memtui.text import plural

TITLE_WIDTH = 60


def recall_lines(result: Recall) -> Iterator[str]:
    """The funnel, the manifest candidate by candidate, and the selection."""
    yield reproduction(result)
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
            state = report.status + (f": {shown(report.error)}" if report.error else "")
        yield f"{report.scope:<8} {report.dialect:<7} {state}  {shown(report.root)}"
    if pool.excluded:
        yield f"{plural(len(pool.excluded), 'document')} left out by --exclude"
    for skipped in pool.skipped:
        yield f"✗ {skipped.reason:<20} {skipped.scope}/{shown(skipped.relative_path)}"
        yield f"    {shown(skipped.detail)}; {shown(skipped.remedy)}"


MARKS = {"passed": "✓", "missed": "~", "lost": "✗", "not-reached": "·"}


def why_lines(answer: Why) -> Iterator[str]:
    """The ladder, the near misses, and what would bring the memory back."""
    yield _heading(answer)
    if answer.recalled:
        yield "recalled: the context shows it"
    else:
        lost = next(rung for rung in answer.ladder if rung.verdict == "lost")
        reason = lost.reason or ""
        yield f"not recalled: lost at {answer.lost_at} ({reason}: {REASONS.get(reason, '')})"
    yield ""
    for rung in answer.ladder:
        reason = f"{rung.reason}: " if rung.reason else ""
        yield f"{MARKS[rung.verdict]} {rung.stage:<11} {shown(reason + rung.detail)}".rstrip()
    if answer.near_misses:
        yield ""
        yield "near misses"
        for miss in answer.near_misses:
            pair = f"{shown(miss.token, 40)} ~ {shown(miss.word, 40)}"
            yield f"  {pair}  ({miss.kind}, in the {miss.field})"
    if answer.remedies:
        yield ""
        yield "what would bring it back, each verified by running the recall again"
        for place, remedy in enumerate(answer.remedies, start=1):
            yield f"  {place}  {shown(remedy.detail, 200)}  → {remedy.leads_to}"
    if answer.advice:
        yield ""
        yield f"advice: {shown(answer.advice)}"


def _heading(answer: Why) -> str:
    target = answer.target
    if isinstance(target, Document):
        title = shown(target.title, TITLE_WIDTH)
        return f"{title}  ({target.scope}/{shown(target.relative_path)}, {target.id})"
    if isinstance(target, SkippedFile):
        return f"{target.scope}/{shown(target.relative_path)}  (skipped)"
    return shown(target.path)


def markdown_report(answer: Why, result: Recall, *, with_text: bool) -> Iterator[str]:
    """A report for a bug tracker; without ``with_text`` it holds no text of query or memory."""
    target, query = answer.target, result.query
    yield "## A memory was not recalled" if not answer.recalled else "## A memory was recalled"
    yield ""
    yield f"- memtui {__version__}, {reproduction(result)}"
    asked = f": `{_code(query.text)}`" if with_text else ""
    counted = f"{plural(query.chars, 'char')}, {plural(len(query.tokens), 'token')}"
    yield f"- query: {counted}, SHA-256 {query.sha256[:16]}{asked}"
    if isinstance(target, Document):
        known = target.type if target.type in MEMORY_TYPES else "another type"
        yield f"- memory: id {target.id}, {target.scope}, {known}, {plural(target.size, 'byte')}"
        if with_text:
            yield f"- title: `{_code(target.title)}`"
    yield f"- funnel: {' → '.join(stage.text for stage in funnel(result))}"
    changed = [
        f"{name} {value:,}"
        for name, value in result.options.limits.as_dict().items()
        if value != getattr(Limits(), name)
    ]
    yield f"- limits changed: {', '.join(changed) or 'none'}"
    ablations = ", ".join(f"{k}={v}" for k, v in result.options.ablations.changed().items())
    yield f"- ablations: {ablations or 'none'}"
    yield f"- tools in use: {len(result.options.recent_tools)}"
    yield ""
    yield "| stage | verdict | reason | margin |"
    yield "| --- | --- | --- | --- |"
    for rung in answer.ladder:
        margin = "" if rung.margin is None else f"{rung.margin:,g} {rung.unit or ''}".strip()
        yield f"| {rung.stage} | {rung.verdict} | {rung.reason or ''} | {margin} |"
    yield ""
    for remedy in answer.remedies:
        kinds = " + ".join(f"{change.kind} {change.name}".strip() for change in remedy.changes)
        words = f": {_code(remedy.detail)}" if with_text else ""
        yield f"- verified remedy: {kinds} → {remedy.leads_to}{words}"


def _code(text: str) -> str:
    return shown(text, 200).replace("`", "'")


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Both funnels, the regime of the pool, and what was gained, lost and moved."""
    before, after = comparison.before, comparison.after
    for name, result in (("before", before), ("after", after)):
        stages = " → ".join(stage.text for stage in funnel(result))
        yield f"{name:<7} {stages}"
    full = after.pool if not after.pool.beyond else before.pool
    yield regime_of(full, after.options.limits.capped_scan_docs)[1]
    yield ""
    yield f"gained {len(comparison.gained)}"
    for document in comparison.gained:
        yield f"  + {document.id}  {shown(document.title, TITLE_WIDTH)}"
    yield f"lost {len(comparison.lost)}"
    for each in comparison.lost:
        title = shown(each.document.title, TITLE_WIDTH)
        yield f"  - {each.document.id}  {each.stage}: {each.reason}  {title}"
    yield f"moved {len(comparison.moved)}"
    for moved in comparison.moved:
        title = shown(moved.document.title, TITLE_WIDTH)
        yield f"  ~ {moved.document.id}  {moved.before:>4} → {moved.after:<4} {title}"
