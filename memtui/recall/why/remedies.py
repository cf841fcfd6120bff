"""The search for remedies: every one is verified by running the pipeline again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memtui.memory.document import Document, SkippedFile
from memtui.memory.edit import ReadBytes
from memtui.recall.pipeline import Recall
from memtui.recall.why import proposals as propose
from memtui.recall.why.changes import (
    KINDS,
    REACHES,
    Change,
    Reach,
    Trial,
    attempt,
    start,
)
from memtui.recall.why.ladder import Stage, climb, lost_at, score_of
from memtui.text import plural

MOST_CHANGES = 2
MOST_REMEDIES = 6
MOST_TRIALS = 60
CONTEXT = REACHES.index("context")
MANIFEST = REACHES.index("manifest")


@dataclass(frozen=True, slots=True)
class Remedy:
    """Changes that bring a document further, with how far they truly lead."""

    changes: tuple[Change, ...]
    """What to do; at most two changes."""
    leads_to: Reach
    """The last stage that the document then reaches."""
    detail: str
    """In words."""
    natural: bool
    """Whether it is the natural one for the reason the document was lost."""

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The natural single first, then those that lead further, then the smaller kind."""
        largest = max(KINDS.index(change.kind) for change in self.changes)
        place = len(self.changes) if self.natural else MOST_CHANGES + 1
        return (place, -REACHES.index(self.leads_to), largest, len(self.changes))

    def as_json(self) -> dict[str, object]:
        """The remedy with the keys of the contract."""
        return {
            "changes": [change.as_json() for change in self.changes],
            "detail": self.detail,
            "leads_to": self.leads_to,
        }


def find_remedies(
    result: Recall, target: Document | SkippedFile, read_file: ReadBytes
) -> Iterator[Remedy]:
    """Remedies as they are found, verified; see :func:`in_order` for how they are listed."""
    search = _Search(result, target, read_file)
    yield from search.run()


def in_order(remedies: list[Remedy]) -> tuple[Remedy, ...]:
    """The natural remedy first, then those that lead further, then the smaller kinds."""
    best: dict[tuple[object, ...], Remedy] = {}
    for remedy in sorted(remedies, key=lambda each: each.order):
        kinds = tuple((change.kind, change.name) for change in remedy.changes)
        best.setdefault((kinds, remedy.leads_to), remedy)
    listed = list(best.values())
    first = next((remedy for remedy in listed if remedy.natural), None)
    rest = [remedy for remedy in listed if remedy is not first]
    rest.sort(key=lambda each: each.order[1:])
    return tuple(([first] if first else []) + rest)[:MOST_REMEDIES]


class _Search:
    """One search: single changes first, then pairs that begin with a promising one."""

    def __init__(
        self, result: Recall, target: Document | SkippedFile, read_file: ReadBytes
    ) -> None:
        self.read_file = read_file
        self.base = start(result, target)
        self.stage = lost_at(climb(result, target))
        self.reason = next(
            (rung.reason for rung in climb(result, target) if rung.verdict == "lost"), None
        )
        self.tried: dict[tuple[Change, ...], Trial | None] = {}

    def run(self) -> Iterator[Remedy]:
        """Singles, then pairs."""
        if self.stage in (None, "found"):
            return
        singles: list[Trial] = []
        for changes in self.proposals(self.base):
            trial = self.verified(self.base, changes)
            if trial is None:
                continue
            singles.append(trial)
            if trial.reach > self.base.reach:
                yield self.remedy(trial)
        enough = sum(1 for trial in singles if trial.reach == CONTEXT)
        for first in self.promising(singles):
            if enough >= MOST_REMEDIES // 2 and not self.is_natural(first.changes):
                break
            for changes in self.proposals(first):
                if len(first.changes) + len(changes) > MOST_CHANGES:
                    continue
                if {(c.kind, c.name) for c in first.changes} & {(c.kind, c.name) for c in changes}:
                    continue
                trial = self.verified(first, changes)
                if trial is not None and trial.reach > max(self.base.reach, first.reach):
                    enough += trial.reach == CONTEXT
                    yield self.remedy(trial)
                    if trial.reach == CONTEXT and enough >= MOST_REMEDIES:
                        return

    def promising(self, singles: list[Trial]) -> list[Trial]:
        """Trials to build a pair on: the natural ones, then those that came furthest."""
        unfinished = [trial for trial in singles if trial.reach < CONTEXT]
        return sorted(
            (trial for trial in unfinished if len(trial.changes) < MOST_CHANGES),
            key=lambda trial: (
                not self.is_natural(trial.changes),
                -trial.reach,
                -points_in(trial),
            ),
        )

    def proposals(self, trial: Trial) -> Iterator[tuple[Change, ...]]:
        """Single changes that fit what stands in the way in a trial."""
        document = trial.document
        if isinstance(document, SkippedFile):
            yield from propose.repairs(document, self.read_file)
            return
        stage = lost_at(climb(trial.result, document))
        if stage is None:
            return
        yield from propose.unmuting(trial, document)
        if stage in ("tools",):
            return
        text = propose.text_of(trial, document, self.read_file)
        if stage in ("candidates", "scan"):
            yield from propose.reaching_candidates(trial, document)
        if stage == "manifest":
            yield from propose.fitting_the_manifest(trial, document, text)
        if document.id in trial.result.selection.ids:
            yield from propose.fitting_the_context(trial, document, text)
        else:
            yield from propose.raising_the_limit(trial, document)
            yield from propose.widening_the_window(trial, document)
        if stage != "scan" or trial.result.pool.beyond:
            yield from propose.wording_the_memory(trial, document, text)
            yield from propose.wording_the_query(trial, document)

    def verified(self, trial: Trial, changes: tuple[Change, ...]) -> Trial | None:
        """The trial that follows; None if the changes can not be made or too many were tried."""
        key = trial.changes + changes
        if key not in self.tried:
            if len(self.tried) >= MOST_TRIALS:
                return None
            self.tried[key] = attempt(trial, changes, self.read_file)
        return self.tried[key]

    def is_natural(self, changes: tuple[Change, ...]) -> bool:
        """Whether the first change is the natural one for the reason."""
        return is_natural(self.stage, self.reason, changes[0])

    def remedy(self, trial: Trial) -> Remedy:
        """What a trial has shown."""
        return Remedy(
            trial.changes,
            REACHES[trial.reach],
            "; ".join(phrase(self.base, change) for change in trial.changes),
            self.is_natural(trial.changes),
        )


def points_in(trial: Trial) -> int:
    """The points of the document in a trial."""
    if isinstance(trial.document, SkippedFile):
        return 0
    return score_of(trial.result, trial.document)


def is_natural(stage: Stage | None, reason: str | None, change: Change) -> bool:
    """Whether a change is of the kind that the reason itself calls for."""
    kind, name = change.kind, change.name
    if reason == "tool-noise":
        return kind == "tools"
    if reason == "beyond-capped-scan":
        return name == "capped_scan_docs" or kind == "touch"
    if stage == "scan":
        return kind in ("frontmatter", "content") or name == "file_bytes"
    if reason == "line-does-not-fit":
        return name == "manifest_bytes" or (kind == "frontmatter" and name == "description")
    if reason == "too-old-for-reserve":
        return kind == "touch"
    if reason == "no-lexical-hit":
        return kind in ("query", "frontmatter")
    if reason == "rank-below-limit":
        return kind in ("frontmatter", "query") or name in (
            "limit",
            "selected_docs",
            "recall_results",
        )
    if reason == "max-chars":
        return name == "context_chars" or kind == "content"
    return False


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
        return "save the file again, so that it is the newest"
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
