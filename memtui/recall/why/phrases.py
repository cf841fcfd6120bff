"""Changes in words, and which of them a reason calls for by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from memtui.memory.document import Document, SkippedFile
from memtui.recall.why.changes import Change, Trial
from memtui.recall.why.ladder import Stage
from memtui.text import chars, cut, plural

LINE_CHARS = 60
"""Most chars of a line that a phrase quotes."""
MOST_LINES = 4
"""Most lines that a phrase quotes."""


def is_natural(
    stage: Stage | None, reason: str | None, change: Change, target: Document | SkippedFile
) -> bool:
    """Whether a change is of the kind that the reason itself calls for."""
    kind, name = change.kind, change.name
    if reason == "tool-noise":
        return kind == "tools"
    if reason == "beyond-capped-scan":
        return name == "capped_scan_docs" or kind == "touch"
    if stage == "scan":
        return kind in ("frontmatter", "content") or name == "file_bytes"
    if reason == "line-does-not-fit":
        return name == "manifest_bytes" or _cuts_description(change, target)
    if reason == "too-old-for-reserve":
        return kind == "touch"
    if reason == "no-lexical-hit":
        return kind in ("query", "frontmatter")
    if reason == "rank-below-limit":
        limits = ("limit", "selected_docs", "recall_results")
        return kind in ("frontmatter", "query") or name in limits
    if reason == "max-chars":
        return name == "context_chars" or kind == "content"
    return False


def _cuts_description(change: Change, target: Document | SkippedFile) -> bool:
    return (
        change.kind == "frontmatter"
        and change.name == "description"
        and isinstance(target, Document)
        and len(str(change.value)) < len(target.description)
    )


def phrase(base: Trial, change: Change, before: str | None = None) -> str:
    """A change in words.

    Args:
        base: the recall as it was.
        change: the change.
        before: the text of the file that a ``content`` changes, where it is known.

    """
    if change.kind == "limit":
        now = (
            base.result.budget.requested
            if change.name == "limit"
            else getattr(base.result.options.limits, change.name)
        )
        return f"set {change.name} from {now:,} to {change.value:,}"
    if change.kind == "tools":
        return f"recall when {' and '.join(change.remove)} {_is(change.remove)} not in use"
    if change.kind == "touch":
        return "save it again, so that it is the newest"
    if change.kind == "query":
        return f"ask “{change.value}”"
    if change.kind == "frontmatter":
        return _frontmatter_phrase(base, change)
    return _content_phrase(before, str(change.value))


def _content_phrase(before: str | None, after: str) -> str:
    """What differs between two texts of a file, so that it can be done by hand."""
    if before is None:
        return f"change its text to one of {plural(len(after), 'character')}"
    before = before.replace("\r\n", "\n")
    if before.startswith("\ufeff") and not after.startswith("\ufeff"):
        unmarked = "save it as UTF-8 without the byte-order mark"
        rest = before.removeprefix("\ufeff")
        return unmarked if rest == after else f"{unmarked}; {_content_phrase(rest, after)}"
    if len(after) < len(before) and before.startswith(after):
        return f"keep the first {plural(len(after), 'character')} of it"
    old, new = before.split("\n"), after.split("\n")
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    lines = f"line {start + 1:,}" + (f" to {start + len(gone):,}" if len(gone) > 1 else "")
    if not come:
        return f"remove {lines}"
    if gone and len(come) == 1 and gone[0].startswith(come[0]):
        return f"cut {lines} to the first {plural(len(come[0]), 'character')}"
    return f"change {lines} to {_listed(come)}" if gone else f"put {_listed(come)} above {lines}"


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts have in common from their beginning."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _listed(lines: Sequence[str]) -> str:
    """Lines in quotes, blank ones left out, each and all of them cut to what can be read."""
    said = [line for line in lines if line.strip()] or [""]
    quoted = [f"“{cut(line, LINE_CHARS)}{'…' * (chars(line) > LINE_CHARS)}”" for line in said]
    more = [f"{len(said) - MOST_LINES:,} more"] if len(said) > MOST_LINES else []
    return ", ".join(quoted[:MOST_LINES] + more)


def _frontmatter_phrase(base: Trial, change: Change) -> str:
    value = str(change.value)
    before = ""
    if isinstance(base.document, SkippedFile) and change.name == "type":
        return f"write “{change.name}: {value}” in column 0 of the frontmatter"
    if isinstance(base.document, Document):
        before = base.document.description if change.name == "description" else base.document.title
    if change.name != "type" and before and value.startswith(before):
        return f"add “{value[len(before) :].strip()}” to {change.name}"
    if change.name != "type" and before.startswith(value):
        return f"cut {change.name} to {plural(len(value), 'character')}"
    return f"set {change.name} to “{value}”"


def _is(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"
