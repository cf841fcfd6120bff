"""Proposals: changes that fit what stands in a document's way. Each is verified elsewhere."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from memtui.memory.dialects import Unread, read
from memtui.memory.document import Document, SkippedFile
from memtui.memory.edit import (
    ReadBytes,
    dialect_of,
    document_from,
    file_changed,
    keyed,
    repaired_text,
)
from memtui.memory.rewrite import likely_type, with_key
from memtui.memory.scan import in_scan_order
from memtui.recall.context import chars_up_to, render_entry
from memtui.recall.noise import find_noise, haystack, tool_aliases
from memtui.recall.pipeline import Recall
from memtui.recall.why.changes import REQUESTED, Change, Trial
from memtui.recall.why.ladder import hit_of, tokens_beyond_window
from memtui.recall.why.numbers import candidate_limits_for, manifest_bytes_for, window_for
from memtui.text import chars, cut, utf8_bytes

MOST_RANK_ASKED = 200
"""The lowest rank for which the hard cap of results is raised too."""
MOST_WINDOWS = 3
TEXT_REASONS = ("no-frontmatter", "unclosed-frontmatter", "byte-order-mark")
TYPE_REASONS = ("type-missing", "type-unknown", "type-nested")
FILE_REASONS = (*TEXT_REASONS, *TYPE_REASONS, "too-large")
"""Reasons of skipped files that a change can mend."""

Proposal = tuple[Change, ...]


def repairs(trial: Trial, skipped: SkippedFile, read_file: ReadBytes) -> Iterator[Proposal]:
    """What would make a document of a skipped file, if the file is still what the scan found."""
    dialect = dialect_of(trial.result.pool, skipped)
    content = unchanged_content(trial.result, skipped, read_file)
    if dialect is None or content is None:
        return
    text = content.decode("utf-8", "replace")
    if skipped.reason == "too-large":
        yield (Change("limit", "file_bytes", len(content)),)
        shorter = _first_bytes(text, trial.result.options.limits.file_bytes)
        if document_from(skipped, shorter, dialect) is not None:
            yield (Change("content", value=shorter),)
        return
    typed = None
    if skipped.reason in TYPE_REASONS:
        kind = likely_type(text, skipped.relative_path)
        yield (Change("frontmatter", "type", kind),)
        typed = with_key(text, "type", kind, dialect)
    repaired = repaired_text(text, skipped.relative_path, dialect)
    if repaired is not None and repaired != typed:
        yield (Change("content", value=repaired),)


def unchanged_content(result: Recall, skipped: SkippedFile, read_file: ReadBytes) -> bytes | None:
    """The bytes of a skipped file that a change can mend; None if it is not what it was."""
    dialect = dialect_of(result.pool, skipped)
    if dialect is None or skipped.reason not in FILE_REASONS:
        return None
    try:
        content = read_file(skipped.path)
    except OSError:
        return None
    if skipped.reason == "too-large":
        return content if skipped.detail.startswith(f"{len(content):,} byte") else None
    found = read(dialect, content, skipped.relative_path)
    same = isinstance(found, Unread) and (found.reason, found.detail) == (
        skipped.reason,
        skipped.detail,
    )
    return content if same else None


def unmuting(trial: Trial, document: Document) -> Iterator[Proposal]:
    """The tools to leave out so that a document is no noise."""
    tools = trial.result.options.recent_tools
    if not find_noise([document], tools):
        return
    text = haystack(document)
    muting = tuple(tool for tool in tools if any(alias in text for alias in tool_aliases(tool)))
    yield (Change("tools", remove=muting),)


def touching(trial: Trial, document: Document) -> Iterator[Proposal]:
    """The document saved again, where it is not the newest already."""
    if document.mtime_ms < trial.result.now_ms:
        yield (Change("touch"),)


def widening_the_scan(trial: Trial, document: Document) -> Iterator[Proposal]:
    """A capped scan that goes down to a document."""
    pool = trial.result.pool
    scope = in_scan_order(
        [
            each
            for each in (*pool.documents, *pool.beyond, *pool.excluded)
            if each.scope is document.scope
        ]
    )
    place = next(at for at, each in enumerate(scope, 1) if each.path == document.path)
    yield (Change("limit", "capped_scan_docs", place),)


def widening_the_offer(trial: Trial, document: Document) -> Iterator[Proposal]:
    """More candidates, or more of them for the recent ones."""
    docs, reserve = candidate_limits_for(trial.result, document)
    limits = trial.result.options.limits
    if reserve is not None and reserve > limits.recent_reserve:
        yield (Change("limit", "recent_reserve", reserve),)
    if docs is not None and docs > limits.candidate_docs:
        yield (Change("limit", "candidate_docs", docs),)


def fitting_the_manifest(trial: Trial, document: Document, text: str | None) -> Iterator[Proposal]:
    """A larger manifest, or a description short enough for the bytes that were left."""
    result = trial.result
    needed = manifest_bytes_for(result, document)
    if needed is not None:
        yield (Change("limit", "manifest_bytes", needed),)
    verdict = next((v for v in result.manifest.verdicts if v.document.id == document.id), None)
    if verdict is None or not document.description or text is None:
        return
    most = result.options.limits.manifest_description_chars
    shown = cut(document.description, most)
    frame = verdict.bytes - utf8_bytes(shown)
    room = verdict.bytes_left - frame
    if not shown or room >= utf8_bytes(shown):
        return
    # Without any description, its ": " is not written either.
    shorter = _first_bytes(shown, room).rstrip() if room > 0 else ""
    if not shorter and verdict.bytes_left < frame - len(": "):
        return
    line = keyed(document, text, "description", shorter)
    if line is not None:
        yield (Change("frontmatter", *line),)


def _first_bytes(text: str, room: int) -> str:
    """The longest prefix of ``text`` of at most ``room`` bytes."""
    return text.encode("utf-8", "replace")[: max(0, room)].decode(errors="ignore")


def raising_the_limit(trial: Trial, document: Document) -> Iterator[Proposal]:
    """A selection that goes down to the rank of a document."""
    result = trial.result
    hit = hit_of(result, document)
    if hit is None or hit.rank <= result.budget.effective:
        return
    asked = result.options.requested_limit is not None
    more = Change("limit", REQUESTED if asked else "selected_docs", hit.rank)
    if hit.rank <= result.options.limits.recall_results:
        yield (more,)
    elif hit.rank > MOST_RANK_ASKED:
        return
    elif result.budget.requested >= hit.rank:
        yield (Change("limit", "recall_results", hit.rank),)
    else:
        yield (more, Change("limit", "recall_results", hit.rank))


def widening_the_window(trial: Trial, document: Document) -> Iterator[Proposal]:
    """A body window in which a token stands that is beyond it now."""
    window = trial.result.options.limits.body_window_chars
    nearest = tokens_beyond_window(trial.result, document)[:MOST_WINDOWS]
    widths = (window_for(document, token, window) for token, _ in nearest)
    for width in sorted({width for width in widths if width is not None}):
        yield (Change("limit", "body_window_chars", width),)


def fitting_the_context(
    trial: Trial, document: Document, text: str | None, read_file: ReadBytes
) -> Iterator[Proposal]:
    """A larger context, or a body short enough for what was left of it."""
    result = trial.result
    selected = result.selection.documents
    place = next((at for at, each in enumerate(selected) if each.id == document.id), None)
    if place is None:
        return
    limits = result.options.limits
    needed = chars_up_to(selected, place + 1, result.trace.trace_id, result.now_ms, limits)
    if needed <= limits.context_chars:
        return
    yield (Change("limit", "context_chars", needed),)
    body = document.scored_body
    if text is None or not body or file_changed(document, read_file):
        return
    before, found, after = text.replace("\r\n", "\n").rpartition(body)
    window = limits.body_window_chars
    others = needed - chars(render_entry(document, result.now_ms, window))

    def fits(length: int) -> bool:
        shorter = replace(document, body=cut(body, length))
        return others + chars(render_entry(shorter, result.now_ms, window)) <= limits.context_chars

    longest = bisect_left(range(chars(cut(body, window)) + 1), True, key=lambda n: not fits(n)) - 1
    if found and longest > 0:
        yield (Change("content", value=before + cut(body, longest).rstrip() + after),)
