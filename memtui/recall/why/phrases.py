"""Changes in words, and which of them a reason calls for by itself."""

from __future__ import annotations

from memtui.memory.document import Document, SkippedFile
from memtui.recall.why.changes import Change, Trial
from memtui.recall.why.ladder import Stage
from memtui.text import plural


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


def phrase(base: Trial, change: Change) -> str:
    """A change in words."""
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
    return f"change the file as given ({plural(len(str(change.value)), 'character')})"


def _frontmatter_phrase(base: Trial, change: Change) -> str:
    value = str(change.value)
    before = ""
    if isinstance(base.document, Document):
        before = base.document.description if change.name == "description" else base.document.title
    if change.name != "type" and before and value.startswith(before):
        return f"add “{value[len(before) :].strip()}” to {change.name}"
    if change.name != "type" and before.startswith(value):
        return f"cut {change.name} to {plural(len(value), 'character')}"
    return f"set {change.name} to “{value}”"


def _is(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"
