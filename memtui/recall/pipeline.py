"""``recall()``: runs the stages in order and returns everything that happened, as one value.

It has two halves. ``prepare()`` ends where candidates and the early result exist, before anybody is
asked to select; ``settle()`` takes the answer. Whoever does not want to wait calls them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from memtui.limits import RANGES
from memtui.memory.document import Document, Pool
from memtui.memory.scan import capped
from memtui.recall.budget import Budget, plan_budget
from memtui.recall.candidates import Candidate, choose_candidates, every_document
from memtui.recall.context import Context, build_context
from memtui.recall.manifest import Manifest, pack_manifest
from memtui.recall.noise import Noise, find_noise
from memtui.recall.options import OptionError, RecallOptions
from memtui.recall.query import Query, expand_query, parse_query
from memtui.recall.rank import Hit
from memtui.recall.rankers.base import Ranking
from memtui.recall.rankers.registry import RANKERS, rank_all
from memtui.recall.selection import (
    Answer,
    Selection,
    select_by_answer,
    select_heuristically,
)
from memtui.recall.selectors.base import SelectorRequest, ask_and_wait
from memtui.recall.trace import Trace, Tracer, wall_clock
from memtui.recall.turn import Delivery

REPRODUCES = "qwen-code 0.24"
"""The system whose ranking, packing and fallback are reproduced exactly."""


@dataclass(frozen=True)
class FirstHalf:
    """The stages that do not depend on the selection."""

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
    """Documents with a score above 0, best first; the lexical ranking is not cut."""
    ranking: Ranking
    """Who ranked, what else was found beyond the cut, and which ranker could not run."""
    candidates: tuple[Candidate, ...]
    """What was offered to the manifest, in order."""
    manifest: Manifest
    """What was packed, with a verdict for every candidate."""
    fast: tuple[Document, ...]
    """The early result: the head of the ranking."""

    @property
    def request(self) -> SelectorRequest | None:
        """What a selector is asked; None where nobody is: a blank query, or an empty manifest."""
        if not self.query.text.strip() or not self.manifest.lines:
            return None
        tools, most = self.options.recent_tools, self.budget.effective
        return SelectorRequest(self.query.text, self.manifest, tools, most)


@dataclass(frozen=True)
class Prepared(FirstHalf):
    """A recall whose selection is still to come. It is settled once."""

    tracer: Tracer
    """Goes on with the second half."""


@dataclass(frozen=True)
class Recall(FirstHalf):
    """Everything that happened in one recall, stage by stage: the value that every face shows."""

    selection: Selection
    """What was picked."""
    context: Context
    """What would be put in front of the model."""
    trace: Trace
    """The content-free record."""
    warnings: tuple[str, ...]
    """One line for each thing that was not as asked for."""
    delivery: Delivery | None = None
    """What of it reached the model in a turn, where that was run or simulated."""

    @property
    def ranker(self) -> str:
        """The ranker that really ranked."""
        return self.ranking.ranker


def recall(
    query: str,
    pool: Pool,
    options: RecallOptions | None = None,
    *,
    tracer: Tracer | None = None,
) -> Recall:
    """Runs one recall over a pool that has been scanned; waits for the selector, if there is one.

    Args:
        query: any text; blank is a recall too, filled by the reserve alone.
        pool: what :func:`memtui.memory.scan.scan_pool` returned.
        options: limits, recent tools, ablations and clock; the contract's defaults without.
        tracer: one that has been running since before the scan; a new one without.

    """
    prepared = prepare(query, pool, options, tracer=tracer)
    selector, request = prepared.options.selector, prepared.request
    if selector is None or request is None:
        return settle(prepared)
    timeout = prepared.options.limits.selector_timeout_s
    return settle(prepared, ask_and_wait(selector, request, timeout))


def prepare(
    query: str,
    pool: Pool,
    options: RecallOptions | None = None,
    *,
    tracer: Tracer | None = None,
) -> Prepared:
    """The stages up to the early result; arguments are those of :func:`recall`."""
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

    if options.ranker not in RANKERS:
        raise OptionError(
            f"no ranker is called {options.ranker!r}; there are: {', '.join(RANKERS)}"
        )
    ranking = rank_all(
        options.ranker,
        pool,
        eligible,
        parsed,
        limits,
        expanded=options.expand is not None,
        embedder=options.embedder,
        most=budget.candidates,
    )
    hits = ranking.hits
    tracer.step(f"rank.{ranking.ranker}", tokens=len(parsed.terms), hits=len(hits), **ranking.meta)

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
    return Prepared(
        query=parsed,
        options=options,
        now_ms=now_ms,
        budget=budget,
        pool=pool,
        noise=noise,
        eligible=eligible,
        hits=hits,
        ranking=ranking,
        candidates=candidates,
        manifest=manifest,
        fast=fast,
        tracer=tracer,
    )


def settle(prepared: Prepared, answer: Answer | None = None) -> Recall:
    """The stages from the selection on.

    Args:
        prepared: the first half, which is not used again.
        answer: what the selector of the options gave; None where nobody was asked.

    """
    tracer, options = prepared.tracer, prepared.options
    selection = _select(prepared, answer)
    asked = {} if selection.selector is None else {"selector": selection.selector}
    refused = {} if selection.reason is None else {"refused": str(selection.reason)}
    tracer.step(
        "select.final",
        strategy=selection.strategy,
        selected=len(selection.documents),
        **asked,
        **refused,
    )
    context = build_context(selection.documents, tracer.trace_id, prepared.now_ms, options.limits)
    tracer.step(
        "context.pack",
        kept=len(context.kept),
        dropped=len(context.dropped),
        chars=context.chars,
        reason=context.reason,
    )
    tracer.step("ids.allowed", ids=context.kept)
    tracer.step("recall.final", kept=len(context.kept))
    first = {each.name: getattr(prepared, each.name) for each in fields(FirstHalf)}
    return Recall(
        **first,
        selection=selection,
        context=context,
        trace=_finish(prepared, selection, context),
        warnings=_warnings(prepared, selection),
    )


def settle_early(prepared: Prepared) -> Recall:
    """The recall as it stands while its selector is asked: the early result alone is selected.

    Its budget is that of the early result. The first half is left as it is, and is settled later
    with the selector's answer.
    """
    most = len(prepared.fast)
    early = replace(
        prepared,
        options=replace(prepared.options, selector=None),
        budget=replace(prepared.budget, requested=most, effective=most),
        tracer=prepared.tracer.fork(),
    )
    return replace(settle(early), options=prepared.options)


def _select(prepared: Prepared, answer: Answer | None) -> Selection:
    selector = prepared.options.selector
    if selector is None:
        return select_heuristically(prepared.hits, prepared.budget.effective)
    if answer is None:
        return Selection("none", ())
    return select_by_answer(
        answer, selector.name, prepared.manifest, prepared.hits, prepared.budget.effective
    )


def _without(documents: Sequence[Document], noise: Sequence[Noise]) -> tuple[Document, ...]:
    if not noise:
        return tuple(documents)
    muted = {each.document.id for each in noise}
    return tuple(document for document in documents if document.id not in muted)


def _warnings(prepared: Prepared, selection: Selection) -> tuple[str, ...]:
    budget = prepared.budget
    warnings = [*prepared.pool.warnings, *prepared.ranking.warnings]
    if budget.capped:
        warnings.append(
            f"{budget.requested:,} results were asked for; "
            f"a recall gives {budget.effective} at most"
        )
    if selection.refused is not None:
        warnings.append(
            f"the selector's answer was refused ({selection.refused}); the heuristic's pick stands"
        )
    return tuple(warnings)


def _finish(prepared: Prepared, selection: Selection, context: Context) -> Trace:
    tracer, query, budget = prepared.tracer, prepared.query, prepared.budget
    duration = tracer.elapsed_ms()
    return Trace(
        trace_id=tracer.trace_id,
        source=prepared.options.source,
        mode=f"{prepared.ranking.ranker}/{selection.strategy}",
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
