"""``explain()``: the whole answer to why one memory was or was not recalled."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.memory.document import Document, SkippedFile
from memtui.memory.edit import ReadBytes, read_bytes
from memtui.recall.pipeline import Recall
from memtui.recall.query import tokens
from memtui.recall.record import document_record, number
from memtui.recall.why.ladder import Rung, Stage, climb, lost_at
from memtui.recall.why.near import NearMiss, near_misses
from memtui.recall.why.proposals import FILE_REASONS, unchanged_content
from memtui.recall.why.remedies import Remedy, find_remedies, in_order
from memtui.recall.why.target import Missing, Target

Json = dict[str, object]

ADVICE = {
    "excluded": "the agent shows it already; leave out --exclude to recall it again",
    "unreadable": "make the file readable for the user that runs the agent, then scan again",
    "vanished": "restore the file, or remove the link to it, then scan again",
    "not-a-regular-file": "replace it by a regular file with the same text",
    "outside-root": "copy the file itself into the tree: links that lead out are not followed",
    "deleted": "the row is deleted; store the fact again",
    "superseded": "ask for the row that replaced it",
}
"""What to do where no change of the recall can help."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why one memory was or was not recalled."""

    target: Target
    """The memory."""
    recalled: bool
    """Whether the context shows it."""
    lost_at: Stage | None
    """The stage where it was lost."""
    ladder: tuple[Rung, ...]
    """The verdict of every stage."""
    near_misses: tuple[NearMiss, ...]
    """Words of the document that nearly match a token."""
    remedies: tuple[Remedy, ...]
    """Verified changes that bring it further, the natural one first."""
    advice: str | None
    """What to do instead, where no change helps."""


def explain(
    result: Recall,
    target: Target,
    *,
    read_file: ReadBytes = read_bytes,
    search: bool = True,
) -> Why:
    """Walks the ladder for one memory and looks for remedies.

    Args:
        result: the recall that is asked about.
        target: what :func:`find_target` found.
        read_file: gives the bytes of a file.
        search: whether to look for remedies, which runs the pipeline many times.

    """
    ladder = climb(result, target)
    stage = lost_at(ladder)
    misses = near_misses(result, target) if isinstance(target, Document) else ()
    remedies: tuple[Remedy, ...] = ()
    if search and stage is not None and not isinstance(target, Missing):
        remedies = in_order(list(find_remedies(result, target, read_file)))
    return Why(
        target=target,
        recalled=stage is None,
        lost_at=stage,
        ladder=ladder,
        near_misses=misses,
        remedies=remedies,
        advice=_advice(result, target, ladder, remedies, read_file) if search else None,
    )


def _advice(
    result: Recall,
    target: Target,
    ladder: tuple[Rung, ...],
    remedies: tuple[Remedy, ...],
    read_file: ReadBytes,
) -> str | None:
    if isinstance(target, Missing):
        return target.advice
    lost = next((rung for rung in ladder if rung.verdict == "lost"), None)
    if lost is None or any(remedy.leads_to == "context" for remedy in remedies):
        return None
    if lost.reason in ADVICE:
        return ADVICE[lost.reason]
    if isinstance(target, SkippedFile):
        if remedies:
            return "once it is in the pool, ask again: its words must meet those of the query"
        if target.reason in FILE_REASONS and unchanged_content(result, target, read_file) is None:
            return f"its file can not be read as the scan found it: scan again; {target.remedy}"
        return target.remedy
    if result.selection.selector is not None and (remedies or lost.stage == "selection"):
        return f"what {result.selection.selector} picks next time is not known; {lost.detail}"
    if not any(tokens(f"{target.title} {target.description} {target.scored_body}")):
        return "no word of it has three letters or two CJK characters: write down what it is about"
    if not result.query.terms:
        return (
            "the query has no token: use words of at least three letters that the memory contains"
        )
    best = result.hits[0] if result.hits else None
    rival = f"; the best hit has {best.score:g} points" if best else ""
    return f"no two changes bring it into the context: {lost.detail}{rival}"


def why_record(why: Why, result: Recall) -> Json:
    """The answer as ``memtui.why/1``."""
    return {
        "schema": "memtui.why/1",
        "document": _target_record(why.target, result),
        "recalled": why.recalled,
        "lost_at": why.lost_at,
        "ladder": [
            {
                "stage": rung.stage,
                "verdict": rung.verdict,
                "reason": rung.reason,
                "detail": rung.detail,
                "margin": None if rung.margin is None else number(rung.margin),
                "unit": rung.unit,
            }
            for rung in why.ladder
        ],
        "near_misses": [
            {"token": miss.token, "word": miss.word, "field": miss.field, "kind": miss.kind}
            for miss in why.near_misses
        ],
        "remedies": [remedy.as_json() for remedy in why.remedies],
        "advice": why.advice,
    }


def _target_record(target: Target, result: Recall) -> Json:
    if isinstance(target, Document):
        managed = result.pool.managed(target.id)
        return {"id": target.id, **document_record(target, managed=managed)}
    if isinstance(target, SkippedFile):
        return {
            "id": None,
            "scope": str(target.scope),
            "path": target.path,
            "relative_path": target.relative_path,
        }
    return {"id": None, "scope": None, "path": target.path, "relative_path": None}
