"""What is wrong with the memories of a pool: marks, findings with remedies, both dialects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.limits import Limits
from memtui.memory.dialects import DIALECTS, Reading, Unread
from memtui.memory.document import Document, Pool
from memtui.memory.health import FINDINGS, Finding, FindingName
from memtui.memory.index import IndexReport
from memtui.memory.readings import DialectView
from memtui.text import chars, plural
from memtui.tui.view.pieces import Line, Piece, Tone, clip, fitted, line, safe
from memtui.tui.view.view import View

_HEALTH = "tui.health"
_READINGS = "tui.readings"

LOST: frozenset[FindingName] = frozenset(list(FINDINGS)[:5])
"""Findings that tell of text that is lost, hidden, or seen otherwise by another agent."""
UNMANAGED: FindingName = "not-managed"

NAME_CELLS = 9
LEAST_COLUMN = 24
"""Cells that each dialect needs to stand beside the other."""
FIELD_CHARS = 300
"""Most of a field that one dialect is shown to read."""

MARKS: tuple[tuple[Piece, str, str], ...] = (
    (Piece("!", "warning"), "lost", "text of it is lost, hidden, or seen otherwise by an agent"),
    (Piece("~", "muted"), "finding", "something else is wrong with it; the inspector says what"),
    (Piece("□", "muted"), "unmanaged", "recallable, but beyond what status and forget see"),
)
"""The marks in the pool: glyph, word and meaning."""


@dataclass(frozen=True)
class Health:
    """What was found out about a pool after its scan."""

    limits: Limits
    """The limits it was looked at under."""
    indexes: tuple[IndexReport, ...] = ()
    """The index at the root of each scope that has one."""
    clustered: tuple[str, ...] = ()
    """Roots whose file times say nothing, as after a checkout."""
    findings: Mapping[str, tuple[Finding, ...]] | None = None
    """By the id of the document, worst first; None while they are looked for."""

    @property
    def documents(self) -> int:
        """How many documents have a finding."""
        return len(self.findings or ())


@dataclass(frozen=True)
class Readings:
    """What each dialect reads of one file."""

    views: tuple[DialectView, DialectView] | None
    """``qwen``, then ``claude``; None where the file was not opened or can not be read now."""


def keep_health(pool: Pool, health: Health) -> None:
    """Keeps what was found out, for as long as the pool lives."""
    pool.memo[_HEALTH] = health


def health_of(view: View) -> Health | None:
    """What is known about the pool that is shown, under the limits that hold now."""
    kept = view.scanned.memo.get(_HEALTH)
    if isinstance(kept, Health) and kept.limits == view.recall.options.limits:
        return kept
    return None


def keep_readings(pool: Pool, key: str, readings: Readings) -> None:
    """Keeps the readings of one entry, in place of those of another one."""
    pool.memo[_READINGS] = (key, readings)


def readings_of(pool: Pool, key: str) -> Readings | None:
    """The readings of an entry, if they are known."""
    kept = pool.memo.get(_READINGS)
    return kept[1] if isinstance(kept, tuple) and kept[0] == key else None


# -- in the pool ----------------------------------------------------------------------------------


def has_marks(view: View) -> bool:
    """Whether any row of the pool has a mark."""
    health = health_of(view)
    return bool(view.scanned.unmanaged or (health is not None and health.findings))


def mark(view: View, key: str) -> Line:
    """The mark of a row."""
    names = {each.finding for each in findings_of(view, key)}
    lost, finding, unmanaged = (piece for piece, _, _ in MARKS)
    if names & LOST:
        return (lost,)
    if names - {UNMANAGED}:
        return (finding,)
    return (unmanaged,) if not view.scanned.managed(key) else ()


def with_findings(view: View) -> frozenset[str]:
    """The keys of the documents that have a finding."""
    health = health_of(view)
    return frozenset((health.findings or ()) if health is not None else ())


def counted(view: View) -> tuple[Line, Line]:
    """How many documents have a finding or are not managed, in words and shorter."""
    health = health_of(view)
    found = health.documents if health is not None else 0
    said = ((found, "! ", " with findings"), (len(view.scanned.unmanaged), "□ ", " not managed"))
    long: list[Piece] = []
    short: list[Piece] = []
    for count, glyph, words in said:
        if count:
            mark = Piece(glyph, "warning")
            long += [mark, Piece(f"{count:,}{words} ", "muted")]
            short += [mark, Piece(f"{count:,} ", "muted")]
    return tuple(long), tuple(short)


def findings_of(view: View, key: str) -> tuple[Finding, ...]:
    """The findings on a document, as far as they are known."""
    health = health_of(view)
    return (health.findings or {}).get(key, ()) if health is not None else ()


# -- in the inspector -----------------------------------------------------------------------------


def finding_lines(view: View, document: Document) -> tuple[Line, ...]:
    """The findings on a document, each with its remedy."""
    heading = line(Piece("findings", "primary"))
    health = health_of(view)
    if health is None or health.findings is None:
        return (heading, line(Piece("still being looked for", "muted")), ())
    found = health.findings.get(document.id, ())
    if not found:
        return ()
    lines: list[Line] = [line(Piece(plural(len(found), "finding"), "primary"))]
    for each in found:
        tone: Tone = "warning" if each.finding in LOST else "muted"
        glyph = "! " if each.finding in LOST else "□ " if each.finding == UNMANAGED else "~ "
        lines.append(line(Piece(glyph + each.finding, tone), f"  {each.detail}"))
        lines.append(line(Piece("  ▸ ", "muted"), Piece(each.remedy, "success")))
    return (*lines, ())


def reading_lines(view: View, key: str, width: int) -> tuple[Line, ...]:
    """What each dialect reads of the file, side by side where there is room.

    Args:
        view: what is shown.
        key: whose file.
        width: cells of a line.

    """
    entry = view.entry(key)
    if isinstance(entry, Document) and entry.dialect not in DIALECTS:
        return ()
    heading = line(Piece("what each dialect reads", "primary"))
    kept = readings_of(view.scanned, key)
    if kept is None:
        return (heading, line(Piece("still being read", "muted")))
    if kept.views is None:
        said = "nothing: the file is not opened, or can not be read now"
        return (heading, line(Piece(said, "muted")))
    qwen, claude = kept.views
    lines = [heading, *_two(qwen, claude, width)]
    if not qwen.exact:
        lines.append(
            line(Piece("put together from what was scanned: the file is another one now", "muted"))
        )
    return tuple(lines)


def _two(qwen: DialectView, claude: DialectView, width: int) -> list[Line]:
    first, second = _fields(qwen), _fields(claude)
    if isinstance(qwen.result, Reading) and first == second:
        return [line(Piece("qwen and claude read the same", "muted"))]
    column = (width - NAME_CELLS - 2) // 2
    if column < LEAST_COLUMN:
        return [*_stacked(qwen, first), *_stacked(claude, second)]
    lines = [_row("", Piece("qwen", "strong"), Piece("claude", "strong"), column)]
    for name in dict.fromkeys((*first, *second)):
        one, other = first.get(name, ""), second.get(name, "")
        tone: Tone = "plain" if one == other else "warning"
        lines.append(_row(name, Piece(one, tone), Piece(other, tone), column))
    return [*lines, *_why_skipped(qwen), *_why_skipped(claude)]


def _fields(view: DialectView) -> dict[str, str]:
    """What a dialect reads, by the name of the field."""
    found = view.result
    if isinstance(found, Unread):
        return {"type": f"✗ {found.reason}"}
    return {
        "type": found.type or "no type",
        "title": found.title[:FIELD_CHARS] or "no title",
        "says": found.description[:FIELD_CHARS] or "no description",
        "body": plural(chars(found.body), "char"),
    }


def _summary(fields: dict[str, str]) -> str:
    return " · ".join(f"{name} {value}" for name, value in fields.items())


def _row(name: str, one: Piece, other: Piece, column: int) -> Line:
    cells = [fitted(clip(safe([each]), column), column) for each in (one, other)]
    return (Piece(f"{name:<{NAME_CELLS}} ", "muted"), *cells[0], Piece(" "), *cells[1])


def _stacked(view: DialectView, fields: dict[str, str]) -> list[Line]:
    if isinstance(view.result, Unread):
        return _why_skipped(view)
    return [line(Piece(f"{view.dialect:<{NAME_CELLS}} ", "muted"), _summary(fields))]


def _why_skipped(view: DialectView) -> list[Line]:
    found = view.result
    if not isinstance(found, Unread):
        return []
    name = Piece(f"{view.dialect:<{NAME_CELLS}} ", "muted")
    return [line(name, Piece(f"✗ {found.reason}", "error"), f": {found.detail}")]
