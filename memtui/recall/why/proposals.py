"""Proposals: single changes that might bring a document further. Each is verified elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from memtui.memory.document import MEMORY_TYPES, Document, SkippedFile
from memtui.memory.edit import ReadBytes, guessed_type, key_of, repaired_text, source_text
from memtui.recall.context import chars_up_to
from memtui.recall.manifest import manifest_line
from memtui.recall.noise import find_noise, haystack, tool_aliases
from memtui.recall.pipeline import Recall
from memtui.recall.query import tokens
from memtui.recall.rank import FoldedText, fold_document, folded_texts, score
from memtui.recall.why.changes import REQUESTED, Change, Trial
from memtui.recall.why.ladder import hit_of, tokens_beyond_window
from memtui.recall.why.near import near_misses
from memtui.recall.why.numbers import candidate_limits_for, manifest_bytes_for, window_for
from memtui.text import chars, cut, utf8_bytes

MOST_NEW_WORDS = 2
"""Words that a change of text may add to one field."""
MOST_QUERY_WORDS = 12
"""Words of a document that are tried in the query."""
TEXT_REASONS = ("no-frontmatter", "unclosed-frontmatter", "byte-order-mark")
TYPE_REASONS = ("type-missing", "type-unknown", "type-nested")

Proposal = tuple[Change, ...]


def repairs(skipped: SkippedFile, read_file: ReadBytes) -> Iterator[Proposal]:
    """What would make a document of a skipped file."""
    if skipped.reason == "too-large":
        size = next(
            (word for word in skipped.detail.replace(",", "").split() if word.isdigit()), ""
        )
        if size:
            yield (Change("limit", "file_bytes", int(size)),)
        return
    if skipped.reason not in TEXT_REASONS + TYPE_REASONS:
        return
    try:
        text = read_file(skipped.path).decode("utf-8", "replace")
    except OSError:
        return
    if skipped.reason in TYPE_REASONS:
        yield (Change("frontmatter", "type", _type_found(skipped, text)),)
    yield (Change("content", value=repaired_text(text, skipped.relative_path)),)


def _type_found(skipped: SkippedFile, text: str) -> str:
    head = text.split("\n---", 1)[0]
    for line in head.splitlines():
        key, _, value = line.strip().partition(":")
        if key.strip() == "type" and guessed_type("", value) in MEMORY_TYPES and value.strip():
            return guessed_type(skipped.relative_path, value)
    return guessed_type(skipped.relative_path)


def unmuting(trial: Trial, document: Document) -> Iterator[Proposal]:
    """The tools to leave out so that a document is no noise."""
    tools = trial.result.options.recent_tools
    if not find_noise([document], tools):
        return
    text = haystack(document)
    muting = tuple(tool for tool in tools if any(alias in text for alias in tool_aliases(tool)))
    yield (Change("tools", remove=muting),)


def reaching_candidates(trial: Trial, document: Document) -> Iterator[Proposal]:
    """What would offer a document to the manifest without a better score."""
    if document.mtime_ms < trial.result.now_ms:
        yield (Change("touch"),)
    if any(each.id == document.id for each in trial.result.pool.beyond):
        scope = [
            each
            for each in (*trial.result.pool.documents, *trial.result.pool.beyond)
            if each.scope is document.scope
        ]
        place = 1 + next(at for at, each in enumerate(scope) if each.id == document.id)
        yield (Change("limit", "capped_scan_docs", place),)
        return
    if document.id not in {each.id for each in trial.result.eligible}:
        return
    docs, reserve = candidate_limits_for(trial.result, document)
    limits = trial.result.options.limits
    if reserve is not None and reserve > limits.recent_reserve:
        yield (Change("limit", "recent_reserve", reserve),)
    if docs is not None and docs > limits.candidate_docs:
        yield (Change("limit", "candidate_docs", docs),)


def fitting_the_manifest(trial: Trial, document: Document, text: str) -> Iterator[Proposal]:
    """A larger manifest, or a description short enough for the bytes that were left."""
    result = trial.result
    needed = manifest_bytes_for(result, document)
    if needed is not None:
        yield (Change("limit", "manifest_bytes", needed),)
    verdict = next((v for v in result.manifest.verdicts if v.document.id == document.id), None)
    if verdict is None or not document.description:
        return
    most = result.options.limits.manifest_description_chars
    spare = verdict.bytes_left - (1 if verdict.cumulative else 0)
    line = manifest_line(document, most)
    shown = cut(document.description, most)
    room = spare - (utf8_bytes(line) - utf8_bytes(shown))
    shorter = _first_bytes(shown, room).rstrip(" ,;:.-")
    if room < 0 or shorter == shown:
        return
    yield (Change("frontmatter", key_of(document, "description", text), shorter),)


def _first_bytes(text: str, room: int) -> str:
    """The longest prefix of ``text`` of at most ``room`` bytes, ended at a word if there is one."""
    prefix = text.encode()[: max(0, room)].decode(errors="ignore")
    if len(prefix) < len(text) and " " in prefix:
        return prefix.rpartition(" ")[0]
    return prefix


def raising_the_limit(trial: Trial, document: Document) -> Iterator[Proposal]:
    """A selection that goes down to the rank of a document."""
    result = trial.result
    hit = hit_of(result, document)
    if hit is None or hit.rank <= result.budget.effective:
        return
    asked = result.options.requested_limit is not None
    more = Change("limit", REQUESTED if asked else "selected_docs", hit.rank)
    most = result.options.limits.recall_results
    if hit.rank <= most:
        yield (more,)
    elif result.budget.requested >= hit.rank:
        yield (Change("limit", "recall_results", hit.rank),)
    else:
        yield (more, Change("limit", "recall_results", hit.rank))


def widening_the_window(trial: Trial, document: Document) -> Iterator[Proposal]:
    """A body window in which a token stands that is beyond it now."""
    window = trial.result.options.limits.body_window_chars
    widths = (
        window_for(document, token, window)
        for token, _ in tokens_beyond_window(trial.result, document)
    )
    found = sorted({width for width in widths if width is not None})
    for width in found[:3]:
        yield (Change("limit", "body_window_chars", width),)


def wording_the_memory(trial: Trial, document: Document, text: str) -> Iterator[Proposal]:
    """At most two tokens of the query added to the description or to the title."""
    folded = fold_document(document, trial.result.options.limits.body_window_chars)
    terms = _telling_first(trial.result, document)
    absent_everywhere = [
        token for token in terms if token not in folded.title and token not in folded.description
    ]
    for count in range(1, MOST_NEW_WORDS + 1):
        for field, present in (("description", folded.description), ("title", folded.title)):
            absent = absent_everywhere + [
                token for token in terms if token not in present and token not in absent_everywhere
            ]
            if len(absent) < count:
                continue
            words = " ".join(absent[:count])
            value = f"{getattr(document, field)} {words}".strip()
            yield (Change("frontmatter", key_of(document, field, text), value),)


def _telling_first(result: Recall, document: Document) -> list[str]:
    """The query's tokens: nearly matching ones first, then those that fewer documents have."""
    nearly = {miss.token for miss in near_misses(result, document)}
    texts = folded_texts(result.pool, result.options.limits.body_window_chars)
    spread = {
        token: sum(1 for text in texts if _points(text, token)) for token in result.query.terms
    }
    return sorted(result.query.terms, key=lambda token: (token not in nearly, spread[token]))


def wording_the_query(trial: Trial, document: Document) -> Iterator[Proposal]:
    """At most two words of a document added to the query: those that help it most over others."""
    words = _helpful_words(trial.result, document)
    query = trial.result.query.text.strip()
    for count in range(1, MOST_NEW_WORDS + 1):
        ranked = sorted(
            combinations(words, count),
            key=lambda chosen: _rank_with(trial.result, document, [each[1] for each in chosen]),
        )
        for chosen in ranked[:2]:
            yield (
                Change("query", value=f"{query} {' '.join(each[0] for each in chosen)}".strip()),
            )


def _helpful_words(result: Recall, document: Document) -> list[tuple[str, list[int]]]:
    """Words of a document that are no tokens of the query, with the points they give each one."""
    taken = set(result.query.terms)
    window = result.options.limits.body_window_chars
    own = fold_document(document, window)
    weighed = [
        (-score(own, "", [token]).total, place, token)
        for place, token in enumerate(
            dict.fromkeys(tokens(f"{document.title} {document.description} {own.body}"))
        )
        if token not in taken
    ]
    texts = folded_texts(result.pool, window)
    best = [token for _, _, token in sorted(weighed)[: 2 * MOST_QUERY_WORDS]]
    vectors = [(token, [_points(text, token) for text in texts]) for token in best]
    vectors.sort(key=lambda pair: sum(pair[1]) - 1_000 * _points(own, pair[0]))
    return vectors[:MOST_QUERY_WORDS]


def _points(text: FoldedText, token: str) -> int:
    return (
        (4 if token in text.title else 0)
        + (3 if token in text.description else 0)
        + (1 if token in text.body else 0)
    )


def _rank_with(result: Recall, document: Document, gains: Sequence[list[int]]) -> int:
    """How many documents would score more than this one; ties are left to the verification."""
    base = {hit.document.id: int(hit.score) for hit in result.hits}
    totals = [
        base.get(each.id, 0) + sum(gain[place] for gain in gains)
        for place, each in enumerate(result.pool.documents)
    ]
    place = result.pool.position.get(document.id)
    if place is None:
        return 0
    mine = totals[place]
    return sum(1 for total in totals if total > mine)


def fitting_the_context(trial: Trial, document: Document, text: str) -> Iterator[Proposal]:
    """A larger context, or a body short enough for what was left of it."""
    result = trial.result
    selected = result.selection.documents
    place = next((at for at, each in enumerate(selected) if each.id == document.id), None)
    if place is None:
        return
    limits = result.options.limits
    needed = chars_up_to(selected, place + 1, result.trace.trace_id, result.now_ms, limits)
    yield (Change("limit", "context_chars", needed),)
    excess = needed - limits.context_chars
    body = document.scored_body
    window = cut(body, limits.body_window_chars)
    keep = chars(window) - excess
    if keep > 0 and body and body in text:
        shorter = cut(window, keep).rpartition(" ")[0] or cut(window, keep)
        yield (Change("content", value=text.replace(body, shorter)),)


def text_of(trial: Trial, document: Document, read_file: ReadBytes) -> str:
    """The text of a document's file as it is in a trial."""
    return trial.text if trial.text is not None else source_text(document, read_file)
