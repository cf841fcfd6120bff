"""A recall as JSON: ``memtui.recall/1``, and the parts that other answers share with it."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.citations import Citations
from memtui.memory.document import Document, Pool, SkippedFile
from memtui.recall.context import age_days
from memtui.recall.manifest import Manifest, Verdict
from memtui.recall.pipeline import REPRODUCES, Recall
from memtui.recall.rank import Hit

Json = dict[str, object]


def recall_record(result: Recall, *, traced: bool) -> Json:
    """Everything that happened in a recall, with the keys of the contract."""
    options = result.options
    return {
        "schema": "memtui.recall/1",
        "reproduces": REPRODUCES,
        "ranker": result.ranker,
        "recent_tools": list(options.recent_tools),
        "ablations": options.ablations.changed(),
        "now_ms": number(result.now_ms),
        "trace_id": result.trace.trace_id,
        "traced": traced,
        "requested_limit": result.budget.requested,
        "effective_limit": result.budget.effective,
        "candidate_limit": result.budget.candidates,
        "capped": result.budget.capped,
        "query": {
            "sha256": result.query.sha256,
            "chars": result.query.chars,
            "tokens": list(result.query.tokens),
            "added_terms": list(result.query.added_terms),
        },
        "limits": options.limits.as_dict(),
        "warnings": list(result.warnings),
        "pool": pool_record(result.pool),
        "skipped": skipped_records(result.pool.skipped),
        "noise": [noise.document.id for noise in result.noise],
        "lexical": [_hit(hit) for hit in result.hits],
        "candidates": [_verdict(verdict) for verdict in result.manifest.verdicts],
        "manifest": _manifest(result.manifest),
        "selection": {
            "strategy": result.selection.strategy,
            "ids": list(result.selection.ids),
            "refused": result.selection.refused,
            "refused_reason": result.selection.reason,
            "selector": result.selection.selector,
        },
        "context": {
            "text": result.context.text,
            "chars": result.context.chars,
            "kept": list(result.context.kept),
            "dropped": list(result.context.dropped),
            "reason": result.context.reason,
        },
        "delivery": None if result.delivery is None else result.delivery.as_json(),
        "trace": result.trace.as_json(),
        "documents": document_records(result.pool),
    }


def pool_record(pool: Pool) -> Json:
    """The counts of a pool, in all and by scope."""
    return {
        "documents": len(pool.documents),
        "skipped": len(pool.skipped),
        "complete": pool.complete,
        "scopes": [
            {
                "scope": str(report.scope),
                "root": report.root,
                "dialect": report.dialect,
                "status": report.status,
                "documents": report.documents,
                "skipped": report.skipped,
                "error": report.error,
            }
            for report in pool.scopes
        ],
    }


def skipped_records(skipped: Sequence[SkippedFile]) -> list[Json]:
    """Every skipped file with its reason."""
    return [
        {
            "path": each.path,
            "scope": str(each.scope),
            "reason": each.reason,
            "detail": each.detail,
            "remedy": each.remedy,
        }
        for each in skipped
    ]


def document_records(pool: Pool) -> Json:
    """Every document of a pool by its id, without its body."""
    return {
        each.id: document_record(each, managed=pool.managed(each.id)) for each in pool.documents
    }


def document_record(document: Document, *, managed: bool) -> Json:
    """One document without its body."""
    return {
        "scope": str(document.scope),
        "path": document.path,
        "relative_path": document.relative_path,
        "type": document.type,
        "title": document.title,
        "description": document.description,
        "mtime_ms": number(document.mtime_ms),
        "managed": managed,
    }


def number(value: float) -> int | float:
    """A whole number without a fraction, as JavaScript writes it."""
    return int(value) if float(value).is_integer() else value


def _hit(hit: Hit) -> Json:
    points = hit.points
    return {
        "id": hit.document.id,
        "score": number(hit.score),
        "rank": hit.rank,
        "points": {
            "title": points.title,
            "description": points.description,
            "body": points.body,
            "type": points.type,
        },
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "id": verdict.document.id,
        "origin": verdict.origin,
        "position": verdict.position,
        "packed": verdict.packed,
        "bytes": verdict.bytes,
        "cumulative_bytes": verdict.cumulative,
        "bytes_left": verdict.bytes_left,
    }


def _manifest(manifest: Manifest) -> Json:
    return {
        "text": manifest.text,
        "bytes": manifest.bytes,
        "lines": manifest.lines,
        "binds": manifest.binds,
    }


def memories_record(result: Recall, *, traced: bool) -> Json:
    """What an agent gets over MCP: the documents that the context shows, and its text."""
    scores = {hit.document.id: hit.score for hit in result.hits}
    shown = [each for each in result.selection.documents if each.id in result.context.kept]
    return {
        "schema": "memtui.memories/1",
        "trace_id": result.trace.trace_id,
        "requested_limit": result.budget.requested,
        "effective_limit": result.budget.effective,
        "candidate_limit": result.budget.candidates,
        "capped": result.budget.capped,
        "traced": traced,
        "warnings": list(result.warnings),
        "memories": [
            {
                "id": each.id,
                "title": each.title,
                "type": each.type,
                "scope": str(each.scope),
                "path": each.path,
                "score": number(scores.get(each.id, 0)),
                "age_days": age_days(each.mtime_ms, result.now_ms),
                "description": each.description,
            }
            for each in shown
        ],
        "context": result.context.text,
    }


def citations_record(
    found: Citations, trace_id: str | None, *, trace_found: bool | None, allowed: Sequence[str]
) -> Json:
    """The validation of a text as ``memtui.citations/1``."""
    return {
        "schema": "memtui.citations/1",
        "trace_id": trace_id,
        "trace_found": trace_found,
        "allowed": list(allowed),
        "clean": found.clean,
        "valid": list(found.valid),
        "rejected": list(found.rejected),
        "suspect": list(found.suspect),
    }
