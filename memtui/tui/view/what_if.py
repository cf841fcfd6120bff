"""A change that is tried on the running recall, and how it is taken back. Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memtui.limits import LimitError, Limits
from memtui.memory.document import Document
from memtui.recall.options import RecallOptions
from memtui.recall.why.changes import REACHES, Trial, reach_of
from memtui.tui.view.pieces import Line, Piece, clip, line, safe, width_of
from memtui.tui.view.view import View


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: the query and the options."""

    query: str
    """As it stands in its input."""
    options: RecallOptions
    """As the limits, the tools and the ablations say."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """One remedy in force."""

    detail: str
    """What was changed, in words."""
    path: str
    """Of the memory that it is about."""
    before: Asked
    """What was asked for until then."""
    after: Asked
    """What is asked for since."""
    document: Document | None
    """The memory as it would be; None where it is not touched."""

    @classmethod
    def of(cls, trial: Trial, detail: str, before: Asked, was: object) -> WhatIf:
        """The what-if that a trial has verified.

        Args:
            trial: the recall with the changes.
            detail: the changes in words.
            before: what was asked for.
            was: the memory before the changes.

        """
        result = trial.result
        options = replace(
            before.options,
            limits=result.options.limits,
            recent_tools=result.options.recent_tools,
            requested_limit=result.options.requested_limit,
        )
        edited = any(change.kind in ("touch", "frontmatter", "content") for change in trial.changes)
        asked = any(change.kind == "query" for change in trial.changes)
        document = trial.document if edited and isinstance(trial.document, Document) else None
        after = Asked(result.query.text if asked else before.query, options)
        path = getattr(was, "path", trial.document.path)
        return cls(detail, path, before, after, document)

    def in_force(self, now: Asked) -> bool:
        """Whether something of it is left; limits, tools and the query can be changed by hand."""
        return self.document is not None or taken_back(self, now) != now


def taken_back(what_if: WhatIf, now: Asked) -> Asked:
    """What to ask for without a what-if; whatever was changed by hand since then stays."""
    before, after = what_if.before, what_if.after
    old, new, current = before.options, after.options, now.options
    tools, most = current.recent_tools, current.requested_limit
    options = replace(
        current,
        limits=_limits_back(old.limits, new.limits, current.limits),
        recent_tools=old.recent_tools if tools == new.recent_tools else tools,
        requested_limit=old.requested_limit if most == new.requested_limit else most,
    )
    return Asked(before.query if now.query == after.query else now.query, options)


def _limits_back(old: Limits, new: Limits, current: Limits) -> Limits:
    """The current limits, with the old value wherever the new one still stands."""
    old_values, new_values = old.as_dict(), new.as_dict()
    back = {
        name: old_values[name]
        for name, value in current.as_dict().items()
        if value == new_values[name] != old_values[name]
    }
    try:
        return current.with_values(back)
    except LimitError:
        return old


def banner(
    what_ifs: Sequence[WhatIf], view: View | None, width: int, key: str = "u"
) -> tuple[Line, ...]:
    """The what-ifs in force, how far the last one brought its memory, and how to take it back."""
    if not what_ifs:
        return ()
    last = what_ifs[-1]
    more = f" + {len(what_ifs) - 1} more" if len(what_ifs) > 1 else ""
    reached = _reached(view, last.path)
    head = line(Piece(" what-if ", "warning"))
    detail = safe((Piece(last.detail, "strong"),))
    for back in (f" ({key} takes it back, nothing is written)", f" ({key} takes it back)"):
        arrow = Piece(f" → {reached}" if reached else "", "success")
        tail = line(Piece(more, "muted"), arrow, Piece(back, "muted"))
        room = width - width_of(head) - width_of(tail)
        if width_of(detail) <= room:
            break
    return ((*head, *clip(detail, max(0, room)), *tail),)


def _reached(view: View | None, path: str) -> str:
    """The stage that a memory reaches in a recall, by its path."""
    if view is None:
        return ""
    document = next((each for each in view.recall.pool.documents if each.path == path), None)
    reach = -1 if document is None else reach_of(view.recall, document)
    return REACHES[reach] if reach >= 0 else "not in the pool"
