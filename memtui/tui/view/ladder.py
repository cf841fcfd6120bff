"""The ladder of one memory as lines: where it was lost, by how much, and what brings it back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memtui.memory.document import SkippedFile
from memtui.recall.why.explain import ADVICE
from memtui.recall.why.ladder import REASONS, Rung, climb, lost_at
from memtui.recall.why.near import NearMiss
from memtui.recall.why.remedies import Remedy
from memtui.text import ordinal
from memtui.tui.view.pieces import Line, Piece, Tone, line
from memtui.tui.view.view import View

STAGE_CELLS = 12
"""Cells of the column of stages."""
MOST_NEAR = 4
"""Near misses that are listed."""

GLYPHS: dict[str, Piece] = {
    "passed": Piece("✓", "success"),
    "missed": Piece("~", "warning"),
    "lost": Piece("✗", "error"),
    "not-reached": Piece("·", "muted"),
}
"""The mark of each verdict."""

NEAR_WORDS = {
    "stem": "word form",
    "misspelling": "misspelt",
    "split": "written apart",
    "joined": "written together",
    "script": "other letters",
    "too-short": "too short to be looked for",
}
"""How a word nearly matched."""


@dataclass(frozen=True)
class Findings:
    """What is known so far about why one memory was or was not recalled."""

    view: View
    """The recall that is asked about."""
    key: str
    """The memory."""
    ladder: tuple[Rung, ...]
    """The verdict of every stage; there at once."""
    near: tuple[NearMiss, ...] = ()
    """Words that nearly matched."""
    remedies: tuple[Remedy, ...] = ()
    """Verified changes, as they are found."""
    searching: bool = True
    """Whether more may be found."""

    @classmethod
    def of(cls, view: View, key: str) -> Findings | None:
        """What the recall itself says; None if it does not have the memory."""
        entry = view.entry(key)
        return None if entry is None else cls(view, key, climb(view.recall, entry))

    @property
    def recalled(self) -> bool:
        """Whether the context shows the memory."""
        return lost_at(self.ladder) is None

    def with_more(self, **fields: object) -> Findings:
        """The findings with some fields changed."""
        return replace(self, **fields)  # type: ignore[arg-type]

    def about(self, view: View, key: str) -> bool:
        """Whether they are about this memory in this recall."""
        return self.view is view and self.key == key


@dataclass(frozen=True, slots=True)
class Block:
    """Some text with what stands left of it; wrapped, the text stays right of that."""

    head: Line
    """What stands left of the text, and of its first line alone."""
    text: Line = ()
    """The text."""
    remedy: int | None = None
    """The index of the remedy that it is about."""
    short: bool = False
    """Whether it is cut to one line instead of wrapped."""


LEVELS = 5
"""How many forms there are, from the fullest to the shortest."""


def blocks(found: Findings, level: int = 0) -> tuple[Block, ...]:
    """The whole answer; a higher level leaves out more of what tells the least."""
    rest = (*_near(found.near), *_remedies(found))
    if level == LEVELS - 1:
        return (_strip(found.ladder), _lost(found), *_remedies(found), *_near(found.near))
    gap = () if level or not rest else (Block(()),)
    return (_headline(found), *_ladder(found.ladder, level), *gap, *rest)


def _strip(ladder: tuple[Rung, ...]) -> Block:
    """All stages one after the other, with nothing but their marks."""
    parts: list[Piece] = []
    for rung in ladder:
        tone: Tone = "muted" if rung.verdict in ("passed", "not-reached") else "strong"
        parts += [GLYPHS[rung.verdict], Piece(f"\xa0{rung.stage} ", tone)]
    return Block((), line(*parts))


def _lost(found: Findings) -> Block:
    """What the lost stage says, or by what the memory stayed."""
    lost = next((rung for rung in found.ladder if rung.verdict == "lost"), None)
    return _headline(found) if lost is None else Block(line(GLYPHS["lost"], " "), _said(lost))


def _headline(found: Findings) -> Block:
    """The answer in one line."""
    lost = next((rung for rung in found.ladder if rung.verdict == "lost"), None)
    if lost is None:
        return Block((), _recalled(found))
    said = REASONS.get(lost.reason or "", "")
    parts = (Piece(f"✗ lost at {lost.stage}", "error"), Piece(f": {said}" if said else ""))
    return Block((), line(*parts), short=True)


def _recalled(found: Findings) -> Line:
    kept = found.view.recall.context.kept
    place = kept.index(found.key) + 1 if found.key in kept else len(kept)
    stays = "; ".join(_stays(found.ladder))
    return line(
        Piece(f"✓ recalled: {ordinal(place)} of {len(kept)} in the context", "success"),
        f", and stayed by {stays}" if stays else ", and nothing was left out",
    )


def _stays(ladder: Iterable[Rung]) -> Iterable[str]:
    """The margins of a memory that was recalled, those that something may use up."""
    for rung in ladder:
        if rung.verdict == "passed" and rung.margin is not None:
            amount = counted(rung.margin, rung.unit)
            if rung.stage == "selection" and not rung.margin:
                yield "its age alone over the first hit not picked"
            elif rung.stage == "selection":
                yield f"{amount} over the first hit not picked"
            elif rung.stage == "manifest":
                yield f"{amount} of the manifest"
            elif rung.stage == "context":
                yield f"{amount} of the context"


def counted(margin: float, unit: str | None) -> str:
    """A margin with its unit: ``1 point``, ``432 bytes``."""
    number = f"{margin:,.0f}" if float(margin).is_integer() else f"{margin:.3g}"
    noun = unit or "places"
    return f"{number} {noun.removesuffix('s') if number == '1' else noun}"


def _ladder(ladder: tuple[Rung, ...], level: int) -> tuple[Block, ...]:
    """A row for each stage; first those not reached are drawn as one, then the first three."""
    smooth = ladder[:3] if level > 2 and all(r.verdict == "passed" for r in ladder[:3]) else ()
    ahead = [rung for rung in ladder if rung.verdict == "not-reached"] if level > 1 else []
    rows = [_rung(rung) for rung in ladder if rung not in smooth and rung not in ahead]
    if smooth:
        rows.insert(0, _together("passed", smooth, ""))
    if ahead:
        rows.append(_together("not-reached", ahead, " not reached"))
    return tuple(rows)


def _together(verdict: str, rungs: Sequence[Rung], said: str) -> Block:
    names = ", ".join(rung.stage for rung in rungs) + said
    return Block(line(GLYPHS[verdict], " "), line(Piece(names, "muted")), short=True)


def _rung(rung: Rung) -> Block:
    tone: Tone = "strong" if rung.verdict != "not-reached" else "muted"
    name = Piece(f"{rung.stage:<{STAGE_CELLS - 1}}", tone)
    head = line(GLYPHS[rung.verdict], " ", name, " ")
    if rung.verdict == "not-reached":
        return Block(head, line(Piece("not reached", "muted")), short=True)
    if rung.verdict == "passed":
        return Block(head, line(Piece(rung.detail, "muted")), short=True)
    return Block(head, _said(rung))


def _said(rung: Rung) -> Line:
    """Why a stage was missed, with the numbers."""
    tone: Tone = "error" if rung.verdict == "lost" else "warning"
    detail = f": {rung.detail}" if rung.detail else ""
    return line(Piece(rung.reason or rung.verdict, tone), detail, *lacking(rung))


def lacking(rung: Rung) -> Line:
    """By how much a memory missed a stage, where that is counted."""
    if rung.verdict == "passed" or not rung.margin:
        return ()
    return line(Piece(f" · {counted(rung.margin, rung.unit)} {_SHORT[rung.unit or 'places']}"))


_SHORT = {
    "bytes": "too long",
    "chars": "too far",
    "points": "too few",
    "score": "too low",
    "places": "too low",
}
"""What a margin says, by its unit."""


def _near(misses: tuple[NearMiss, ...]) -> tuple[Block, ...]:
    if not misses:
        return ()
    parts: list[str | Piece] = []
    for miss in misses[:MOST_NEAR]:
        parts += [
            " · " if parts else "",
            Piece(miss.word, "match"),
            " ~ " if miss.word != miss.token else "",
            miss.token if miss.word != miss.token else "",
            Piece(f" ({NEAR_WORDS[miss.kind]})", "muted"),
        ]
    more = len(misses) - MOST_NEAR
    parts.append(Piece(f" and {more} more" if more > 0 else "", "muted"))
    head = line(Piece("≈", "accent"), " ", Piece(f"{'nearly':<{STAGE_CELLS - 1}}", "strong"), " ")
    return (Block(head, line(*parts)),)


def _remedies(found: Findings) -> tuple[Block, ...]:
    if found.recalled:
        return ()
    looking = Piece(" looking…" if found.searching else "", "muted")
    heading = Block((), line(Piece("What would bring it back", "primary"), looking))
    rows = [
        Block(
            line(Piece(f"{index + 1} ", "accent")),
            line(
                remedy.detail,
                Piece(f" → {remedy.leads_to}", _reach_tone(remedy.leads_to)),
            ),
            index,
        )
        for index, remedy in enumerate(found.remedies)
    ]
    advice = advice_for(found)
    said = [Block((), line(Piece(advice, "warning" if not rows else "muted")))] if advice else []
    return (heading, *rows, *said)


def _reach_tone(reach: str) -> Tone:
    return "success" if reach == "context" else "warning"


def advice_for(found: Findings) -> str | None:
    """What to do instead, once it is known that no change brings the memory into the context."""
    if found.searching or any(remedy.leads_to == "context" for remedy in found.remedies):
        return None
    entry = found.view.entry(found.key)
    lost = next((rung for rung in found.ladder if rung.verdict == "lost"), None)
    if lost is not None and lost.reason in ADVICE:
        return ADVICE[lost.reason]
    if isinstance(entry, SkippedFile):
        if found.remedies:
            return "once it is in the pool, its words must still meet those of the query"
        return entry.remedy
    if not found.view.recall.query.terms:
        return "the query has no token: use words of three letters or more that the memory has"
    return "no two changes were found that bring it into the context"
