"""``recall()``: runs the stages in order and returns everything that happened, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.limits import RANGES
from memtui.memory.document import Document, Pool
from memtui.memory.scan import capped
from memtui.recall.budget import Budget, plan_budget
from memtui.recall.candidates import Candidate, choose_candidates, every_document
from memtui.recall.context import Context, build_context
from memtui.recall.manifest import Manifest, pack_manifest
from memtui.recall.noise import Noise, find_noise
from memtui.recall.options import RecallOptions
from memtui.recall.query import Query, expand_query, parse_query
from memtui.recall.rank import Hit, rank_lexically
from memtui.recall.selection import Selection, select_heuristically
from memtui.recall.trace import Trace, Tracer, wall_clock

REPRODUCES = "qwen-code 0.24"
"""The system whose ranking, packing and fallback are reproduced exactly."""


@dataclass(frozen=True)
class Recall:
    """Everything that happened in one recall, stage by stage: the value that every face shows."""

    query: Query
    """What was asked, and its tokens."""
    options: RecallOptions
    """What the recall was asked to do."""
    now_ms: float
    """The clock of this recall, epoch milliseconds."""
    budget: Budget
    """How many results were asked for and granted."""
    pool: Pool
    """Every document and every skipped file."""
    noise: tuple[Noise, ...]
    """Documents left out because they only document a tool in use."""
    eligible: tuple[Document, ...]
    """Documents that could be recalled, in pool order."""
    hits: tuple[Hit, ...]
    """Every document with a score above 0, best first."""
    candidates: tuple[Candidate, ...]
    """What was offered to the manifest, in order."""
    manifest: Manifest
    """What was packed, with a verdict for every candidate."""
    fast: tuple[Document, ...]
    """The early result: the head of the ranking."""
    selection: Selection
    """What was picked."""
    context: Context
    """What would be put in front of the model."""
    trace: Trace
    """The content-free record."""
    warnings: tuple[str, ...]
    """One line for each thing that was not as asked for."""


def recall(
    query: str,
    pool: Pool,
    options: RecallOptions | None = None,
    *,
    tracer: Tracer | None = None,
) -> Recall:
    """Runs one recall over a pool that has been scanned.

    Args:
        query: any text; blank is a recall too, filled by the reserve alone.
        pool: what :func:`memtui.memory.scan.scan_pool` returned.
        options: limits, recent tools, ablations and clock; the contract's defaults without.
        tracer: one that has been running since before the scan; a new one without.

    """
    options = options or RecallOptions()
    limits = options.limits
    tracer = tracer or Tracer()
    now_ms = wall_clock() if options.now_ms is None else options.now_ms

    asked = options.requested_limit
    budget = plan_budget(limits.selected_docs if asked is None else asked, limits)
    tracer.step(
        "recall.plan",
        requested=budget.requested,
        effective=budget.effective,
        candidates=budget.candidates,
        capped=budget.capped,
    )
    if options.ablations.scan == "capped":
        pool = capped(pool)
    tracer.step(
        "scan.pool",
        documents=len(pool.documents),
        skipped=len(pool.skipped),
        complete=pool.complete,
        unmanaged=len(pool.unmanaged),
    )
    parsed = expand_query(parse_query(query, limits.query_tokens), pool, options.expand)
    if parsed.added_terms:
        tracer.step("query.expand", added=len(parsed.added_terms))

    noise = find_noise(pool.documents, options.recent_tools)
    eligible = _without(pool.documents, noise)
    tracer.step("filter.tools", tools=len(options.recent_tools), left_out=len(noise))

    hits = rank_lexically(pool, eligible, parsed.terms, limits.body_window_chars)
    tracer.step(f"rank.{options.ranker}", tokens=len(parsed.terms), hits=len(hits))

    if options.design == "capped":
        candidates = every_document(eligible)
        ceilings = limits.with_values({"manifest_bytes": RANGES["manifest_bytes"][1]})
    else:
        candidates = choose_candidates(hits, eligible, limits, options.ablations.reserve)
        ceilings = limits
    recent = sum(1 for candidate in candidates if candidate.origin == "recent")
    tracer.step(
        "rank.reserve",
        candidates=len(candidates),
        lexical=len(candidates) - recent,
        recent=recent,
    )
    manifest = pack_manifest(candidates, len(eligible), ceilings, options.ablations.packing)
    tracer.step(
        "manifest.pack",
        lines=manifest.lines,
        bytes=manifest.bytes,
        skipped=len(candidates) - manifest.lines,
        binds=manifest.binds,
    )
    fast = tuple(hit.document for hit in hits[: min(limits.fast_docs, budget.effective)])
    tracer.step("select.fast", selected=len(fast))
    selection = select_heuristically(hits, budget.effective)
    tracer.step("select.final", strategy=selection.strategy, selected=len(selection.documents))

    context = build_context(selection.documents, tracer.trace_id, now_ms, limits)
    tracer.step(
        "context.pack",
        kept=len(context.kept),
        dropped=len(context.dropped),
        chars=context.chars,
        reason=context.reason,
    )
    tracer.step("ids.allowed", ids=context.kept)
    tracer.step("recall.final", kept=len(context.kept))
    return Recall(
        query=parsed,
        options=options,
        now_ms=now_ms,
        budget=budget,
        pool=pool,
        noise=noise,
        eligible=eligible,
        hits=hits,
        candidates=candidates,
        manifest=manifest,
        fast=fast,
        selection=selection,
        context=context,
        trace=_finish(tracer, parsed, options, budget, selection, context),
        warnings=_warnings(pool, budget),
    )


def _without(documents: Sequence[Document], noise: Sequence[Noise]) -> tuple[Document, ...]:
    if not noise:
        return tuple(documents)
    muted = {each.document.id for each in noise}
    return tuple(document for document in documents if document.id not in muted)


def _warnings(pool: Pool, budget: Budget) -> tuple[str, ...]:
    warnings = list(pool.warnings)
    if budget.capped:
        warnings.append(
            f"{budget.requested:,} results were asked for; "
            f"a recall gives {budget.effective} at most"
        )
    return tuple(warnings)


def _finish(
    tracer: Tracer,
    query: Query,
    options: RecallOptions,
    budget: Budget,
    selection: Selection,
    context: Context,
) -> Trace:
    duration = tracer.elapsed_ms()
    return Trace(
        trace_id=tracer.trace_id,
        source=options.source,
        mode=f"{options.ranker}/{selection.strategy}",
        query_hash=query.sha256,
        query_chars=query.chars,
        requested_limit=budget.requested,
        effective_limit=budget.effective,
        candidate_limit=budget.candidates,
        kept_ids=context.kept,
        steps=tracer.steps,
        started_at=tracer.started_at,
        ended_at=tracer.started_at + int(duration),
        duration_ms=duration,
    )
