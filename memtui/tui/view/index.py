"""``MEMORY.md`` as an agent loads it: a meter, and its text with a line where loading stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memtui.memory.document import Document, Scope, ScopeReport
from memtui.memory.index import INDEX_BYTES, INDEX_LINES, IndexEntry, IndexReport
from memtui.memory.scan import INDEX_NAME
from memtui.text import plural
from memtui.tui.view.columns import Column
from memtui.tui.view.health import Health, health_of
from memtui.tui.view.pieces import Line, Piece, Tone, line, richest
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.view import View

LINE_CHARS = 2_000
"""Most of a line that is drawn."""
LEAST_BAR = 6
MOST_BAR = 16

COLUMNS = (Column("", 1), Column("line", 5, right=True), Column("", 8, flexible=True))


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One row of the view of all indexes."""

    number: int
    """Its place, which is its key."""
    text: Line
    """What it says."""
    said: str
    """What is said below the list while it is highlighted."""
    line: int | None = None
    """The line of the file that it shows, from 1."""
    problem: str = ""
    """One glyph, if something is wrong with it."""
    key: str | None = None
    """The entry of the pool that it leads to."""


# -- the meter ------------------------------------------------------------------------------------


def index_head(view: View) -> Callable[[int], Line] | None:
    """The meters of all indexes as one line for a width; None without an index."""
    health = health_of(view)
    if health is None or not health.indexes:
        return None
    indexes = health.indexes

    def head(width: int) -> Line:
        return richest((_meters(indexes, form) for form in range(len(_FORMS))), width)

    return head


def meter(report: IndexReport, cells: int = MOST_BAR) -> Line:
    """Lines and bytes against their limits."""
    return _meter(report, cells, True, False)


_FORMS: tuple[tuple[int, bool, bool], ...] = (
    (MOST_BAR, True, True),
    (LEAST_BAR, True, True),
    (LEAST_BAR, True, False),
    (0, True, False),
    (0, False, False),
)
"""Cells of the bar, whether bytes are named, and whether what binds is."""


def _meters(indexes: Sequence[IndexReport], form: int) -> Line:
    pieces: list[Piece] = [Piece("index", "strong")]
    for report in indexes:
        pieces.append(Piece(f"  {report.scope} " if len(indexes) > 1 else " ", "muted"))
        pieces.extend(_meter(report, *_FORMS[form]))
        if report.dangling:
            word = " dangling" if form < len(_FORMS) - 2 else ""
            pieces.append(Piece(f" ✗ {len(report.dangling):,}{word}", "error"))
    return tuple(pieces)


def _meter(report: IndexReport, cells: int, with_bytes: bool, with_cut: bool) -> Line:
    if report.error and not report.text:
        return line(Piece("✗ not read", "error"))
    full = report.binds != "none"
    tone: Tone = "warning" if full else "success"
    share = max(report.lines / INDEX_LINES, report.bytes / INDEX_BYTES)
    filled = min(cells, max(int(share * cells + 0.5), 1 if report.lines else 0))
    pieces = [Piece("━" * filled, tone), Piece("┄" * (cells - filled), "muted")]
    if cells:
        pieces.append(Piece(" "))
    pieces += [
        Piece("! " if full and not with_cut else "", "warning"),
        Piece(f"{report.lines:,}", tone if report.lines > INDEX_LINES else "plain"),
    ]
    pieces.append(Piece(f"/{INDEX_LINES} lines" if with_bytes else f"/{INDEX_LINES}", "muted"))
    if with_bytes:
        size: Tone = tone if report.bytes > INDEX_BYTES else "plain"
        pieces += [Piece(f" {report.bytes:,}", size), Piece(f"/{INDEX_BYTES:,} B", "muted")]
    if with_cut:
        pieces.append(Piece(f" · {_binds(report)}", tone if full else "muted"))
    return tuple(pieces)


def _binds(report: IndexReport) -> str:
    if report.cut_at_line is None:
        return "all of it is loaded"
    return f"{report.binds} bind: loaded up to line {report.cut_at_line:,}"


# -- the view -------------------------------------------------------------------------------------


def index_pane(rows: Sequence[IndexRow]) -> PaneView:
    """The rows as a list."""
    return PaneView(
        (), (), Rows[object](COLUMNS, rows, _key, _cells, "the indexes are still being measured")
    )


def _key(item: object) -> str:
    assert isinstance(item, IndexRow)
    return str(item.number)


def _cells(item: object) -> tuple[Line, ...]:
    assert isinstance(item, IndexRow)
    number = line(Piece(f"{item.line:,}" if item.line else "", "muted"))
    return line(Piece(item.problem, "error")), number, item.text


def index_rows(view: View) -> tuple[IndexRow, ...]:
    """Every index: its meter, what is wrong with it, its text, and what it does not lead to."""
    health = health_of(view)
    if health is None:
        return ()
    return tuple(_Writer(view, health).rows())


@dataclass(frozen=True, slots=True)
class _Draft:
    text: Line
    said: str = ""
    line: int | None = None
    problem: str = ""
    key: str | None = None


class _Writer:
    """Writes the rows of one view."""

    def __init__(self, view: View, health: Health) -> None:
        self._reports = view.scanned.scopes
        self._indexes = {each.scope: each for each in health.indexes}
        self._keys: dict[tuple[Scope, str], str] = {
            (entry.scope, entry.relative_path): key for key, entry in view.catalogue.entries.items()
        }
        self._titles = {
            key: entry.title
            for key, entry in view.catalogue.entries.items()
            if isinstance(entry, Document)
        }

    def rows(self) -> Iterator[IndexRow]:
        """All rows, numbered."""
        for number, draft in enumerate(self._drafts()):
            yield IndexRow(number, draft.text, draft.said, draft.line, draft.problem, draft.key)

    def _drafts(self) -> Iterator[_Draft]:
        for place, report in enumerate(self._reports):
            if place:
                yield _Draft(())
            index = self._indexes.get(report.scope)
            if index is None:
                yield from self._missing(report)
            else:
                yield from self._index(index)

    def _missing(self, report: ScopeReport) -> Iterator[_Draft]:
        why = f"no {INDEX_NAME}" if report.status == "ok" else f"the root is {report.status}"
        yield _Draft(
            line(Piece(str(report.scope), "primary"), Piece(f"  {why}", "muted")), report.root
        )

    def _index(self, index: IndexReport) -> Iterator[_Draft]:
        yield _Draft(line(Piece(str(index.scope), "primary"), "  ", *meter(index)), index.path)
        if index.error:
            yield _Draft(line(Piece(index.error, "error")), index.error, problem="✗")
        if index.text:
            tone: Tone = "muted" if index.binds == "none" else "warning"
            yield _Draft(line(Piece(_binds(index), tone)), index.path)
        yield _Draft(self._summary(index), index.path)
        yield from self._text(index)
        if index.orphans:
            count = plural(len(index.orphans), "memory").replace("memorys", "memories")
            yield _Draft(line(Piece(f"── {count} that no entry leads to ──", "warning")))
        for path in index.orphans:
            key = self._keys.get((index.scope, path))
            title = Piece(f"  {self._titles.get(key or '', '')}", "muted")
            said = f"{path} is recallable, but the index does not lead to it"
            yield _Draft(line(path, title), said, problem="○", key=key)

    def _summary(self, index: IndexReport) -> Line:
        parts = [
            (len(index.dangling), "dangling"),
            (len(index.unreachable), "after the cut"),
            (len(index.orphans), "not in the index"),
        ]
        found = [f"{count:,} {name}" for count, name in parts if count]
        if not found:
            return line(Piece(f"{plural(len(index.entries), 'link')}, nothing is wrong", "muted"))
        links = plural(len(index.entries), "link")
        return line(Piece(f"{links} · ", "muted"), Piece(" · ".join(found), "warning"))

    def _text(self, index: IndexReport) -> Iterator[_Draft]:
        entries: dict[int, list[IndexEntry]] = {}
        for entry in index.entries:
            entries.setdefault(entry.line, []).append(entry)
        lines = index.text.removesuffix("\n").split("\n") if index.text else []
        for number, text in enumerate(lines, start=1):
            yield self._line(index, number, text.removesuffix("\r"), entries.get(number, []))
            if number == index.cut_at_line:
                yield _Draft(self._cut(index), "what stands below is never loaded", problem="✂")

    def _cut(self, index: IndexReport) -> Line:
        limit = f"{INDEX_LINES} lines" if index.binds == "lines" else f"{INDEX_BYTES:,} bytes"
        return line(Piece(f"──── loading stops here: {limit} are used up ────", "warning"))

    def _line(
        self, index: IndexReport, number: int, text: str, entries: Sequence[IndexEntry]
    ) -> _Draft:
        cut = index.cut_at_line is not None and number > index.cut_at_line
        problem = ""
        if any(not each.loaded for each in entries):
            problem = "–"
        if any(each.leads in ("missing", "outside") for each in entries):
            problem = "✗"
        tone: Tone = "muted" if cut else "plain"
        keys = (self._keys.get((index.scope, path)) for each in entries for path in each.paths)
        key = next((each for each in keys if each is not None), None)
        said = "; ".join(map(_about, entries)) or text[:LINE_CHARS]
        return _Draft(line(Piece(text[:LINE_CHARS], tone)), said, number, problem, key)


def _about(entry: IndexEntry) -> str:
    """What is said about one link."""
    where = {
        "document": "leads to a memory",
        "file": "leads to a file that is no memory",
        "missing": "leads to nothing that is there",
        "outside": "leads out of the root",
    }[entry.leads]
    after = "" if entry.loaded else ", after the cut: it is not loaded"
    return f"{entry.target} {where}{after}"
