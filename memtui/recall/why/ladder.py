"""The ladder: a verdict for each stage, read from the fields of a recall and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memtui.memory.document import Document, SkippedFile
from memtui.recall.candidates import by_age
from memtui.recall.pipeline import Recall
from memtui.recall.query import parse_query
from memtui.recall.rank import Hit, fold_document, score
from memtui.recall.rankers.registry import LEXICAL
from memtui.recall.why.numbers import window_for
from memtui.recall.why.target import Missing, Target
from memtui.text import chars, cut, fold, ordinal, plural

Stage = Literal[
    "found",
    "scan",
    "tools",
    "rank",
    "candidates",
    "manifest",
    "selection",
    "context",
    "delivery",
]
VerdictName = Literal["passed", "missed", "lost", "not-reached"]

STAGES: tuple[Stage, ...] = (
    "found",
    "scan",
    "tools",
    "rank",
    "candidates",
    "manifest",
    "selection",
    "context",
)
"""In the order of the pipeline; ``delivery`` follows where it is simulated."""

REASONS: dict[str, str] = {
    "no-such-file": "no file has that name",
    "outside-roots": "the file lies below no root",
    "not-markdown": "only *.md files are memories",
    "index-file": "MEMORY.md is an index and no memory",
    "scope-failed": "its scope could not be read",
    "no-frontmatter": "the file does not begin with a line ---",
    "unclosed-frontmatter": "the frontmatter is never closed",
    "byte-order-mark": "a byte-order mark hides the first ---",
    "type-missing": "the strict dialect wants a type",
    "type-unknown": "the strict dialect knows no such type",
    "type-nested": "the strict dialect does not see an indented type",
    "unreadable": "the file could not be read",
    "vanished": "the file was gone when it was opened",
    "too-large": "the file is over the limit file_bytes",
    "not-a-regular-file": "it is a pipe, socket, device or folder",
    "outside-root": "it is a link that leads out of its root",
    "deleted": "the row is marked as deleted",
    "superseded": "the row is replaced by a newer one",
    "excluded": "the agent has already surfaced it",
    "beyond-capped-scan": "a capped scan sees only the newest",
    "tool-noise": "it only documents a tool that is in use",
    "query-has-no-token": "the query holds nothing to look for",
    "no-match": "no token of the query is in it",
    "match-beyond-window": "the match stands after the part of the body that is scored",
    "below-cut": "too many memories score better",
    "too-old-for-reserve": "no lexical hit, and too many memories are newer",
    "line-does-not-fit": "its line is longer than the bytes that were left",
    "rank-below-limit": "better hits took every place",
    "no-lexical-hit": "the fallback picks lexical hits only",
    "model-did-not-pick": "the model was shown it and picked others",
    "selection-refused": "the model's answer was refused",
    "max-chars": "the context was full",
    "no-safe-delivery-point": "the turn ended before it could be delivered",
    "already-delivered": "it was delivered before",
    "cancelled": "the recall was cancelled",
}
"""The closed list of reasons, each in a few words."""


@dataclass(frozen=True, slots=True)
class Rung:
    """The verdict of one stage."""

    stage: Stage
    """The stage."""
    verdict: VerdictName
    """``passed``, ``missed`` (not fatal), ``lost`` or ``not-reached``."""
    reason: str | None = None
    """A key of ``REASONS`` where it did not pass."""
    detail: str = ""
    """The numbers, in one line."""
    margin: float | None = None
    """By how much it passed, or what it lacked; never negative."""
    unit: str | None = None
    """What the margin counts: ``bytes``, ``chars``, ``points``, ``places``, ``score``."""


def climb(result: Recall, target: Target) -> tuple[Rung, ...]:
    """The verdict of every stage for one memory, in order."""
    if isinstance(target, Missing):
        return _closed([Rung("found", "lost", target.reason, target.detail)])
    found = Rung("found", "passed", detail=f"{target.scope} · {target.relative_path}")
    if isinstance(target, SkippedFile):
        return _closed([found, Rung("scan", "lost", target.reason, target.detail)])
    lost_in_scan = _left_out_of_scan(result, target)
    if lost_in_scan is not None:
        return _closed([found, lost_in_scan])
    rungs = [found, Rung("scan", "passed", detail=_how_read(result, target))]
    recalled = target.id in result.context.kept
    stages: tuple[Callable[[Recall, Document], Rung], ...] = (
        tools_rung,
        rank_rung,
        candidates_rung,
        manifest_rung,
        selection_rung,
        context_rung,
    )
    for judge in stages:
        rung = judge(result, target)
        if recalled and rung.verdict == "lost":
            rung = Rung(rung.stage, "missed", rung.reason, rung.detail, rung.margin, rung.unit)
        rungs.append(rung)
        if rung.verdict == "lost":
            break
    return _closed(rungs)


def lost_at(rungs: tuple[Rung, ...]) -> Stage | None:
    """The stage where the memory was lost; None if it was recalled."""
    return next((rung.stage for rung in rungs if rung.verdict == "lost"), None)


def _closed(rungs: list[Rung]) -> tuple[Rung, ...]:
    return (*rungs, *(Rung(stage, "not-reached") for stage in STAGES[len(rungs) :]))


def _left_out_of_scan(result: Recall, document: Document) -> Rung | None:
    if any(each.path == document.path for each in result.pool.excluded):
        return Rung("scan", "lost", "excluded", "it was left out as already surfaced")
    if any(each.id == document.id for each in result.pool.beyond):
        window = result.options.limits.capped_scan_docs
        newer = sum(1 for each in result.pool.documents if each.scope is document.scope)
        behind = 1 + sum(
            1
            for each in result.pool.beyond
            if each.scope is document.scope and each.mtime_ms > document.mtime_ms
        )
        detail = f"the capped scan takes the newest {window:,} of the scope; {newer:,} are newer"
        return Rung("scan", "lost", "beyond-capped-scan", detail, behind, "places")
    return None


def _how_read(result: Recall, document: Document) -> str:
    managed = "" if result.pool.managed(document.id) else ", recallable but not managed"
    return f"read as {document.dialect}, {plural(document.size, 'byte')}{managed}"


def tools_rung(result: Recall, document: Document) -> Rung:
    """Whether a tool in use mutes it."""
    noise = next((each for each in result.noise if each.document.id == document.id), None)
    if noise is None:
        return Rung("tools", "passed", detail="no tool in use mutes it")
    detail = (
        f"the tool {noise.tool} is in use, and the note says {noise.alias!r} and {noise.marker!r}"
    )
    return Rung("tools", "lost", "tool-noise", detail)


def hit_of(result: Recall, document: Document) -> Hit | None:
    """The lexical hit of a document, if it is one."""
    return next((hit for hit in result.hits if hit.document.id == document.id), None)


def rank_rung(result: Recall, document: Document) -> Rung:
    """Whether its score gave it a place among the candidates."""
    hit = hit_of(result, document)
    most = result.options.limits.lexical_docs
    if hit is None:
        place = result.ranking.ranks.get(document.id)
        if place is None:
            return _no_hit(result, document)
        detail = f"rank {place:,}; the ranker gives the first {len(result.hits):,}"
        return Rung("rank", "missed", "below-cut", detail, place - len(result.hits), "places")
    points = hit.points
    fields = ", ".join(
        f"{name} {value}"
        for name, value in (
            ("title", points.title),
            ("description", points.description),
            ("body", points.body),
            ("type", points.type),
        )
        if value
    )
    scored = f"{plural(points.total, 'point')} ({fields})"
    if result.ranker != LEXICAL:
        scored = f"score {hit.score:.3g} by {result.ranker}"
    detail = f"{scored}, rank {hit.rank:,} of {len(result.hits):,}"
    if hit.rank > most:
        detail = f"{detail}; the first {most:,} are offered"
        return Rung("rank", "missed", "below-cut", detail, hit.rank - most, "places")
    return Rung("rank", "passed", None, detail, most - hit.rank, "places")


def _no_hit(result: Recall, document: Document) -> Rung:
    terms = result.query.terms
    if not terms:
        detail = "the query holds no token: no word of three letters, no two CJK characters"
        return Rung("rank", "missed", "query-has-no-token", detail)
    beyond = tokens_beyond_window(result, document)
    if beyond:
        window = result.options.limits.body_window_chars
        token, place = beyond[0]
        place = window_for(document, token, window) or place
        detail = f"{token!r} stands at char {place:,} of the body; the first {window:,} are scored"
        return Rung("rank", "missed", "match-beyond-window", detail, place - window, "chars")
    detail = f"none of {plural(len(terms), 'token')} is in its title, description or body"
    return Rung("rank", "missed", "no-match", detail)


def tokens_beyond_window(result: Recall, document: Document) -> list[tuple[str, int]]:
    """Tokens that the body holds only after its window, with the char where each ends, in order."""
    window = result.options.limits.body_window_chars
    body = document.scored_body
    seen = cut(body, window)
    if len(seen) == len(body):
        return []
    whole, within = fold(body), fold(seen)
    places = ((token, whole.find(token)) for token in result.query.terms if token not in within)
    found = [(token, chars(whole[:place]) + chars(token)) for token, place in places if place >= 0]
    return sorted(found, key=lambda pair: pair[1])


def candidates_rung(result: Recall, document: Document) -> Rung:
    """Whether it was offered to the manifest, by its score or by its age."""
    candidate = next((each for each in result.candidates if each.document.id == document.id), None)
    recent = [each for each in result.candidates if each.origin == "recent"]
    if candidate is not None:
        detail = f"position {candidate.position:,} of {len(result.candidates):,}, "
        detail += "by its score" if candidate.origin == "lexical" else "by its age"
        return Rung("candidates", "passed", detail=detail)
    lexical = {each.document.id for each in result.candidates if each.origin == "lexical"}
    queue = [each for each in by_age(result.eligible) if each.id not in lexical]
    place = next(place for place, each in enumerate(queue, 1) if each.id == document.id)
    detail = f"{place:,}. by age; the reserve has {plural(len(recent), 'place')}"
    return Rung("candidates", "lost", "too-old-for-reserve", detail, place - len(recent), "places")


def manifest_rung(result: Recall, document: Document) -> Rung:
    """Whether its line was packed."""
    verdict = next(
        (each for each in result.manifest.verdicts if each.document.id == document.id), None
    )
    if verdict is None:
        return Rung("manifest", "lost", "line-does-not-fit", "it was not offered to the manifest")
    ceiling = verdict.cumulative + verdict.bytes_left
    if verdict.packed:
        detail = (
            f"line {verdict.line:,}, {verdict.bytes:,} B, {verdict.cumulative:,} of {ceiling:,}"
        )
        return Rung("manifest", "passed", None, detail, verdict.bytes_left, "bytes")
    detail = (
        f"its line needs {verdict.bytes:,} B, {verdict.bytes_left:,} B were left of {ceiling:,}"
    )
    if not verdict.bytes_missing:
        detail = f"{detail}, but packing had stopped at an earlier line"
    return Rung("manifest", "lost", "line-does-not-fit", detail, verdict.bytes_missing, "bytes")


def selection_rung(result: Recall, document: Document) -> Rung:
    """Whether it was picked."""
    ids = result.selection.ids
    most = result.budget.effective
    hit = hit_of(result, document)
    if document.id in ids:
        place = ids.index(document.id) + 1
        detail = f"{ordinal(place)} of {len(ids)}, at most {most}"
        margin = None if hit is None or result.selection.answered else points_to_spare(result, hit)
        unit = None if margin is None else _unit(result)
        if margin is not None:
            detail += f"; {_amount(result, margin)} ahead of the first that was not picked"
        return Rung("selection", "passed", None, detail, margin, unit)
    if result.selection.answered:
        detail = f"{len(ids)} others were picked of {result.manifest.lines:,} lines"
        return Rung("selection", "lost", "model-did-not-pick", detail)
    if result.selection.refused is not None:
        return Rung("selection", "lost", "selection-refused", result.selection.refused)
    rank = result.ranking.ranks.get(document.id)
    if rank is None:
        detail = "it has no point, and only lexical hits are picked without a model"
        return Rung("selection", "lost", "no-lexical-hit", detail)
    detail = f"rank {rank:,} of {len(result.ranking.order):,}, {most} are picked"
    if hit is None:
        return Rung("selection", "lost", "rank-below-limit", detail, rank - most, "places")
    needed = points_to_enter(result, hit)
    detail += f"; {_amount(result, needed)} more would do"
    return Rung("selection", "lost", "rank-below-limit", detail, needed, _unit(result))


def _unit(result: Recall) -> str:
    """What a score counts."""
    return "points" if result.ranker == LEXICAL else "score"


def _amount(result: Recall, margin: float) -> str:
    return plural(int(margin), "point") if result.ranker == LEXICAL else f"{margin:.3g}"


def points_to_enter(result: Recall, hit: Hit) -> float:
    """Points that a hit below the limit lacks, its age and place in the pool kept."""
    last = result.hits[result.budget.effective - 1]
    if result.ranker != LEXICAL:
        return last.score - hit.score
    ahead = (last.document.mtime_ms, -result.pool.position[last.document.id])
    mine = (hit.document.mtime_ms, -result.pool.position[hit.document.id])
    return last.score - hit.score + (0 if mine > ahead else 1)


def points_to_spare(result: Recall, hit: Hit) -> float | None:
    """Points that a picked hit has over the best that was not picked; None if all were picked."""
    if len(result.hits) <= result.budget.effective:
        return None
    return float(hit.score - result.hits[result.budget.effective].score)


def context_rung(result: Recall, document: Document) -> Rung:
    """Whether the context shows it."""
    context = result.context
    ceiling = result.options.limits.context_chars
    if document.id in context.kept:
        left = max(0, ceiling - context.chars)
        detail = f"shown; the context has {context.chars:,} of {ceiling:,} chars"
        return Rung("context", "passed", None, detail, left, "chars")
    if document.id not in result.selection.ids:
        return Rung("context", "lost", "max-chars", "it was not selected")
    needed = chars_needed(result, document)
    detail = f"with it the context would have {needed:,} chars of {ceiling:,}"
    return Rung("context", "lost", "max-chars", detail, needed - ceiling, "chars")


def chars_needed(result: Recall, document: Document) -> int:
    """Chars that the context needs to show everything selected up to ``document``."""
    from memtui.recall.context import chars_up_to

    place = result.selection.ids.index(document.id)
    return chars_up_to(
        result.selection.documents,
        place + 1,
        result.trace.trace_id,
        result.now_ms,
        result.options.limits,
    )


def score_of(result: Recall, document: Document) -> int:
    """The points of any document for the query of a recall."""
    text = fold_document(document, result.options.limits.body_window_chars)
    return score(text, document.type, result.query.terms).total


def words_too_short(text: str, taken: frozenset[str]) -> list[str]:
    """Words of a query that are too short to be tokens: ``CI``, ``db``, one CJK character."""
    found = [fold(word.strip(".,;:!?\"'()[]{}")) for word in text.split()]
    return [word for word in found if word and word not in taken and not parse_query(word).tokens]
