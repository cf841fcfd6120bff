"""The search for remedies: every one is verified by running the pipeline again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from memtui.memory.document import Document, SkippedFile
from memtui.memory.edit import ReadBytes, source_text
from memtui.recall.pipeline import Recall
from memtui.recall.why import proposals as propose
from memtui.recall.why.changes import (
    KINDS,
    REACHES,
    Change,
    Reach,
    Trial,
    attempt,
    edited_text,
    start,
    text_of,
)
from memtui.recall.why.ladder import climb, hit_of, lost_at
from memtui.recall.why.phrases import is_natural, phrase
from memtui.recall.why.wordings import Wordings
from memtui.text import utf8_bytes

MOST_CHANGES = 2
MOST_REMEDIES = 6
MOST_TRIALS = 40
LEAST_TRIALS = 8
MOST_WORK = 2_400_000
"""What all trials together may cost, so that large pools get fewer of them."""
FIXED_WORK = 10
"""What a document costs in a trial apart from the tokens, each of which costs 1."""
MOST_OF_A_KIND = 2
"""Wordings of one kind that are tried until one leads all the way."""

Proposal = tuple[Change, ...]
TriedTrial = Callable[[Proposal], Trial | None]


@dataclass(frozen=True, slots=True)
class Remedy:
    """Changes that bring the document further, with how far they truly lead."""

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
    """One search: single changes first, then two together where none of them suffices."""

    def __init__(
        self, result: Recall, target: Document | SkippedFile, read_file: ReadBytes
    ) -> None:
        self.read_file = read_file
        self.base = start(result, target)
        lost = next((rung for rung in climb(result, target) if rung.verdict == "lost"), None)
        self.stage = lost.stage if lost else None
        self.reason = lost.reason if lost else None
        size = len(result.pool.documents) + len(result.pool.beyond)
        work = 1 + size * (FIXED_WORK + len(result.query.terms))
        self.trials_left = max(LEAST_TRIALS, min(MOST_TRIALS, MOST_WORK // work))
        self.tried: dict[Proposal, Trial | None] = {}
        self.arrived = False

    def run(self) -> Iterator[Remedy]:
        """The remedies, single ones first."""
        if self.stage in (None, "found") or self.reason == "excluded":
            return
        if self.stage in ("scan", "tools"):
            yield from self.after_admission()
            return
        view = _View(self.base, self.read_file)
        for found in view.singles():
            yield from self.tried_out(self.base, found)
        if not self.arrived and not self.base.asked_model:
            for found in view.pairs(self.tried_trial):
                yield from self.tried_out(self.base, found)
        if not self.arrived:
            yield from self.tried_out(self.base, view.asked_anew())

    def after_admission(self) -> Iterator[Remedy]:
        """What lets the document in, then what brings it from there into the context."""
        admissions: list[Trial] = []
        for proposal in self.admitting(self.base):
            trial = self.verified(self.base, proposal)
            if trial is None:
                continue
            admissions.append(trial)
            if trial.reach > self.base.reach:
                yield self.remedy(trial)
        admissions.sort(key=lambda trial: -trial.reach)
        for trial in admissions[:1]:
            if isinstance(trial.document, SkippedFile):
                yield from self.tried_out(trial, self.admitting(trial))
            elif trial.reach < trial.furthest and len(trial.changes) < MOST_CHANGES:
                view = _View(trial, self.read_file)
                for found in view.singles():
                    yield from self.tried_out(trial, found)
                if not self.arrived:
                    yield from self.tried_out(trial, view.asked_anew())

    def admitting(self, trial: Trial) -> Iterator[Proposal]:
        """Single changes that bring the document into the pool, or past the tools."""
        document = trial.document
        if isinstance(document, SkippedFile):
            yield from propose.repairs(trial, document, self.read_file)
        elif self.stage == "tools":
            yield from propose.unmuting(trial, document)
        else:
            yield from propose.widening_the_scan(trial, document)
            yield from propose.touching(trial, document)

    def tried_out(self, trial: Trial, alternatives: Iterable[Proposal]) -> Iterator[Remedy]:
        """Alternatives of one kind on top of a trial, until one leads all the way."""
        for proposal in alternatives:
            found = self.verified(trial, proposal)
            if found is None:
                continue
            if found.reach > max(trial.reach, self.base.reach) and self.needs_all(found):
                yield self.remedy(found)
            if found.reach == found.furthest:
                self.arrived = True
                return

    def needs_all(self, trial: Trial) -> bool:
        """Whether none of two changes leads as far alone."""
        if len(trial.changes) < MOST_CHANGES:
            return True
        alone = (self.verified(self.base, (change,)) for change in trial.changes)
        return all(each is None or each.reach < trial.reach for each in alone)

    def tried_trial(self, proposal: Proposal) -> Trial | None:
        """The trial of some changes on the recall as it was."""
        return self.verified(self.base, proposal)

    def verified(self, trial: Trial, proposal: Proposal) -> Trial | None:
        """The trial that follows; None if the changes can not be made or too many were tried."""
        changes = (*trial.changes, *proposal)
        if len(changes) > MOST_CHANGES:
            return None
        if changes not in self.tried:
            if self.trials_left <= 0:
                return None
            self.trials_left -= 1
            self.tried[changes] = self.made(trial, proposal)
        return self.tried[changes]

    def made(self, trial: Trial, proposal: Proposal) -> Trial | None:
        """A trial on top of another, with the limit as the other change then needs it."""
        first, change = trial.changes[:1], proposal[0]
        if first and first[0].name == "capped_scan_docs" and change.kind == "touch":
            touched = attempt(self.base, proposal, self.read_file)
            if touched is None or not isinstance(touched.document, Document):
                return None
            window = next(propose.widening_the_scan(touched, touched.document))
            return attempt(touched, window, self.read_file)
        if first and first[0].name == "file_bytes" and change.kind in ("frontmatter", "content"):
            pool = trial.result.pool
            text = edited_text(trial.document, trial.text, change, pool, self.read_file)
            if text is None:
                return None
            larger = Change("limit", "file_bytes", utf8_bytes(text))
            return attempt(self.base, (larger, change), self.read_file)
        return attempt(trial, proposal, self.read_file)

    def remedy(self, trial: Trial) -> Remedy:
        """What a trial has shown."""
        return Remedy(
            trial.changes,
            REACHES[trial.reach],
            "; ".join(self.phrases(trial.changes)),
            is_natural(self.stage, self.reason, trial.changes[0], self.base.document),
        )

    def phrases(self, changes: Proposal) -> Iterator[str]:
        """Each change in words; a text is told as what differs from the text before it."""
        document, pool = self.base.document, self.base.result.pool
        whole = any(change.kind == "content" for change in changes)
        text = text_of(document, self.read_file) if whole else None
        for change in changes:
            yield phrase(self.base, change, text)
            if whole and change.kind in ("frontmatter", "content"):
                text = edited_text(document, text, change, pool, self.read_file)


class _View:
    """What might help a document that is in the pool of a trial and may be recalled."""

    def __init__(self, trial: Trial, read_file: ReadBytes) -> None:
        assert isinstance(trial.document, Document)
        self.trial = trial
        self.document = trial.document
        self.read_file = read_file
        self.stage = lost_at(climb(trial.result, trial.document))
        self.selected = self.document.id in trial.result.selection.ids
        self.eligible = any(each.id == self.document.id for each in trial.result.eligible)
        limits, budget = trial.result.options.limits, trial.result.budget
        self.last_place = limits.recall_results
        if trial.asked_model:
            self.wanted = limits.lexical_docs
        elif self.selected:
            self.wanted = trial.result.selection.ids.index(self.document.id)
        else:
            self.wanted = budget.effective

    @cached_property
    def text(self) -> str | None:
        """The text of its file."""
        if self.trial.text is not None:
            return self.trial.text
        return source_text(self.document, self.read_file)

    @cached_property
    def wordings(self) -> Wordings:
        """Other words, screened."""
        return Wordings(self.trial.result, self.document, self.text)

    def singles(self) -> Iterator[Iterable[Proposal]]:
        """Single changes; each kind with its alternatives, the natural kind first."""
        trial, document = self.trial, self.document
        if not self.eligible:
            yield from ([each] for each in propose.unmuting(trial, document))
            if self.stage == "scan":
                yield propose.touching(trial, document)
                yield propose.widening_the_scan(trial, document)
            return
        if self.stage == "candidates":
            yield propose.touching(trial, document)
            yield from ([each] for each in propose.widening_the_offer(trial, document))
        if self.stage == "manifest":
            fitting = propose.fitting_the_manifest(trial, document, self.text)
            yield from ([each] for each in fitting)
        if self.selected:
            fitting = propose.fitting_the_context(trial, document, self.text, self.read_file)
            yield from ([each] for each in fitting)
        else:
            yield propose.raising_the_limit(trial, document)
        yield from self.screened()

    def screened(self) -> Iterator[Iterable[Proposal]]:
        """Single changes whose effect on the score was looked at first."""
        if not self.selected:
            yield propose.widening_the_window(self.trial, self.document)
        if self.wanted < 1:
            return
        words = self.wordings
        if words.standing.rank(words.points, newest=True) <= self.wanted:
            yield propose.touching(self.trial, self.document)
        yield self.screened_then_best(words.memory(self.wanted), words.best_in_memory())
        yield self.screened_then_best(words.asking(self.wanted), words.best_asking())

    def screened_then_best(
        self, screened: Iterator[Change], best: Iterator[Change]
    ) -> Iterator[Proposal]:
        """The smallest wordings that should do; if a full context shuts them out, the strongest."""
        first = list(islice(screened, MOST_OF_A_KIND))
        yield from ((change,) for change in first)
        if first:
            yield from ((change,) for change in islice(best, 1))

    def pairs(self, tried: TriedTrial) -> Iterator[Iterable[Proposal]]:
        """Two changes together, the smaller kinds first."""
        words = self.wordings
        yield self.with_a_limit(words.best_in_memory(), tried)
        yield self.with_a_limit(words.best_asking(), tried)
        if self.wanted < 1:
            return
        newest = next(propose.touching(self.trial, self.document), None)
        if newest is not None:
            edits = words.memory(self.wanted, newest=True)
            yield ((*newest, change) for change in islice(edits, MOST_OF_A_KIND))
            edits = words.asking(self.wanted, newest=True)
            yield ((*newest, change) for change in islice(edits, MOST_OF_A_KIND))
        yield islice(words.two_fields(self.wanted), MOST_OF_A_KIND)
        yield islice(words.asking_and_memory(self.wanted), MOST_OF_A_KIND)

    def asked_anew(self) -> Iterator[Proposal]:
        """The last resort: only those words of the query that help, with some of the document's."""
        if self.eligible and self.wanted >= 1:
            asked = self.wordings.asking_anew(self.wanted)
            yield from ((change,) for change in islice(asked, MOST_OF_A_KIND))

    def with_a_limit(self, changes: Iterator[Change], tried: TriedTrial) -> Iterator[Proposal]:
        """The best words together with the smallest limit that then suffices."""
        for change in islice(changes, 1):
            trial = tried((change,))
            if trial is None or not isinstance(trial.document, Document):
                continue
            document = trial.document
            if trial.reach == trial.furthest:
                yield (change,)
                continue
            if document.id in trial.result.selection.ids:
                text = trial.text or self.text
                limits = propose.fitting_the_context(trial, document, text, self.read_file)
            else:
                hit = hit_of(trial.result, document)
                if hit is None or hit.rank > self.last_place:
                    continue
                limits = propose.raising_the_limit(trial, document)
            yield from ((change, *limit) for limit in islice(limits, 1))
