"""The funnel: the whole recall at a glance, one count a stage."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.recall.pipeline import REPRODUCES, Recall

BINDS_PHRASES = {
    "bytes": "bytes bind",
    "candidates": "candidates bind",
    "pool": "nothing binds",
}
"""What binds, in words."""


AGENT_NAMES = {"claude": "Claude Code", "qwen": "Qwen Code"}
"""Agents whose stores are known; only the ranking of ``qwen`` is reproduced."""


def reproduction(result: Recall) -> str:
    """What is reproduced and what is not: ``ranked as qwen-code 0.24, read as claude``."""
    dialects = list(dict.fromkeys(report.dialect for report in result.pool.scopes))
    line = f"ranked as {REPRODUCES}, read as {' and '.join(dialects) or 'nothing'}"
    if result.ranker != "lexical":
        line = line.replace("ranked as", f"ranked by {result.ranker}, packed as")
    others = [name for name in dialects if name != "qwen"]
    if others:
        names = " and ".join(AGENT_NAMES.get(name, name) for name in others)
        line += f" ({names}'s own ranking is not reproduced)"
    return line


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """One stage of the funnel."""

    name: str
    """``pool``, ``eligible``, ``lexical``, …"""
    count: int
    """What passed it."""
    ceiling: int | None = None
    """What could have passed at most, where a limit says so."""
    note: str = ""
    """What else is worth a word: files skipped, what binds."""

    @property
    def text(self) -> str:
        """``lexical 12/180``."""
        ceiling = "" if self.ceiling is None else f"/{self.ceiling:,}"
        note = f" {self.note}" if self.note else ""
        return f"{self.name} {self.count:,}{ceiling}{note}"


def funnel(result: Recall) -> tuple[FunnelStage, ...]:
    """The stages in order, from ``pool`` to ``context``.

    Counts are documents, but for ``context``, which counts UTF-16 chars; the bytes of the manifest
    stand in its note. The capped design reserves nothing and has no ceiling before the selection.
    """
    limits = result.options.limits
    pool, manifest = result.pool, result.manifest
    bounded = result.options.design == "bounded"
    reserved = len(result.candidates) - min(len(result.hits), limits.lexical_docs)
    skipped = f"· {len(pool.skipped):,} skipped" if pool.skipped else ""
    packed = f"{manifest.bytes:,} B (no ceiling)"
    if bounded:
        binds = BINDS_PHRASES[manifest.binds]
        packed = f"{manifest.bytes:,} / {limits.manifest_bytes:,} B ({binds})"
    return (
        FunnelStage("pool", len(pool.documents), note=skipped),
        FunnelStage("eligible", len(result.eligible)),
        FunnelStage("lexical", len(result.hits), limits.lexical_docs if bounded else None),
        FunnelStage("reserve", reserved if bounded else 0),
        FunnelStage(
            "candidates", len(result.candidates), limits.candidate_docs if bounded else None
        ),
        FunnelStage("manifest", manifest.lines, note=packed),
        FunnelStage("selected", len(result.selection.documents)),
        FunnelStage("context", result.context.chars, limits.context_chars),
    )
