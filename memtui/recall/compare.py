"""Two recalls of one query side by side: what the manifest gained, lost and moved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from memtui.memory.document import Document, Pool
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import Recall
from memtui.recall.record import document_record
from memtui.recall.why.ladder import climb

Json = dict[str, object]
Regime = Literal["small", "between", "over"]

PRESETS = ("capped", "appended", "prefix")
"""Designs that the real one can be compared with."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A document that the manifest had before and has no more."""

    document: Document
    """The document."""
    stage: str
    """Where it is lost in the recall after."""
    reason: str
    """Why, from the closed list."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A document whose line stands elsewhere."""

    document: Document
    """The document."""
    before: int
    """Its line before, from 1."""
    after: int
    """Its line after, from 1."""


@dataclass(frozen=True)
class Comparison:
    """Two recalls and the difference of their packed lines."""

    before: Recall
    """The one to compare with."""
    after: Recall
    """The one that is asked about."""
    gained: tuple[Document, ...]
    """Packed after and not before, in the order of the lines."""
    lost: tuple[Lost, ...]
    """Packed before and not after, in the order of the lines."""
    moved: tuple[Moved, ...]
    """Packed in both on another line, in the order of the lines after."""


def compare(before: Recall, after: Recall) -> Comparison:
    """The difference between two recalls; documents are the same if their ids are."""
    old = {each.document.id: each.line or 0 for each in before.manifest.packed}
    new = {each.document.id: each.line or 0 for each in after.manifest.packed}
    gained = tuple(each.document for each in after.manifest.packed if each.document.id not in old)
    lost = tuple(
        _lost(after, each.document)
        for each in before.manifest.packed
        if each.document.id not in new
    )
    moved = tuple(
        Moved(each.document, old[each.document.id], each.line or 0)
        for each in after.manifest.packed
        if each.document.id in old and old[each.document.id] != each.line
    )
    return Comparison(before, after, gained, lost, moved)


def _lost(after: Recall, document: Document) -> Lost:
    present = next(
        (
            each
            for each in (*after.pool.documents, *after.pool.beyond, *after.pool.excluded)
            if each.id == document.id
        ),
        None,
    )
    if present is None:
        skipped = next(
            (
                each
                for each in after.pool.skipped
                if (each.scope, each.relative_path) == (document.scope, document.relative_path)
            ),
            None,
        )
        if skipped is not None:
            return Lost(document, "scan", skipped.reason)
        failed = any(
            report.scope is document.scope and report.status == "failed"
            for report in after.pool.scopes
        )
        return Lost(document, "found", "scope-failed" if failed else "no-such-file")
    rung = next(
        rung
        for rung in climb(after, present)
        if rung.verdict == "lost" or (rung.verdict == "missed" and rung.stage != "rank")
    )
    return Lost(document, rung.stage, rung.reason or "")


def preset_options(options: RecallOptions, preset: str) -> RecallOptions:
    """The options of a design to compare with: ``capped``, ``appended`` or ``prefix``."""
    if preset == "capped":
        return replace(options, design="capped", ablations=Ablations(scan="capped"))
    if preset == "appended":
        return replace(options, ablations=replace(options.ablations, reserve="appended"))
    return replace(options, ablations=replace(options.ablations, packing="prefix"))


def regime_of(pool: Pool, cap: int) -> tuple[Regime, str]:
    """Which effect the bounded design has on a pool of this size, with the words for it.

    Args:
        pool: the full pool.
        cap: ``capped_scan_docs``.

    """
    by_scope = Counter(each.scope for each in (*pool.documents, *pool.beyond))
    total, largest = by_scope.total(), max(by_scope.values(), default=0)
    if largest > cap:
        return "over", (
            f"a scope has {largest:,} documents, over {cap}: the capped scan never sees its older "
            "ones; the bounded design lets the query decide"
        )
    if total > cap:
        return "between", (
            f"{total:,} documents, no scope over {cap}: the capped design shows every one of them "
            "to the selector; the bounded one only its candidates, and fewer where the bytes bind"
        )
    return "small", (
        f"{total:,} documents, at most {cap}: neither design leaves one out by count; only the "
        "byte ceiling of the bounded manifest can"
    )


def compare_record(comparison: Comparison) -> Json:
    """The comparison as ``memtui.compare/1``."""
    before, after = comparison.before, comparison.after
    named = {each.document.id: each.document for each in before.manifest.packed}
    named |= {each.document.id: each.document for each in after.manifest.packed}
    cap = after.options.limits.capped_scan_docs
    full = after.pool if not after.pool.beyond else before.pool
    regime, text = regime_of(full, cap)
    return {
        "schema": "memtui.compare/1",
        "before": _side(before),
        "after": _side(after),
        "regime": {"name": regime, "detail": text},
        "gained": [document.id for document in comparison.gained],
        "lost": [
            {"id": each.document.id, "lost_at": each.stage, "reason": each.reason}
            for each in comparison.lost
        ],
        "moved": [
            {"id": each.document.id, "from": each.before, "to": each.after}
            for each in comparison.moved
        ],
        "documents": {
            name: document_record(
                document,
                managed=before.pool.managed(name) and after.pool.managed(name),
            )
            for name, document in named.items()
        },
    }


def _side(result: Recall) -> Json:
    return {
        "design": result.options.design,
        "ranker": result.ranker,
        "ablations": result.options.ablations.changed(),
        "limits": result.options.limits.as_dict(),
        "pool": {"documents": len(result.pool.documents), "skipped": len(result.pool.skipped)},
        "lexical": len(result.hits),
        "candidates": len(result.candidates),
        "manifest": {
            "lines": result.manifest.lines,
            "bytes": result.manifest.bytes,
            "binds": result.manifest.binds,
        },
        "selection": {
            "strategy": result.selection.strategy,
            "ids": list(result.selection.ids),
        },
        "context": {"chars": result.context.chars, "kept": list(result.context.kept)},
    }
