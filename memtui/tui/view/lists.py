"""The lists of panes 1 to 3: the pool, the lexical hits and the recency reserve."""

from __future__ import annotations

from collections.abc import Callable, Collection

from memtui.memory.document import Document, SkippedFile
from memtui.tui.view.ages import short_age
from memtui.tui.view.columns import Column
from memtui.tui.view.fates import Fate
from memtui.tui.view.health import counted, has_marks, mark
from memtui.tui.view.index import index_head
from memtui.tui.view.narrowing import Narrowing, narrowed, nothing_left
from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.rows import PaneView, Rows
from memtui.tui.view.scores import is_lexical, score_column, score_text
from memtui.tui.view.uses import Uses
from memtui.tui.view.view import PoolOrder, View

SCOPE_COLUMN = Column("from", 4, most=7, plain_cut=True, drop=4)
TYPE_COLUMN = Column("type", 4, most=9, plain_cut=True, drop=3)
TITLE_COLUMN = Column("memory", 8, flexible=True)
AGE_COLUMN = Column("age", 4, right=True, drop=2)
BAR_CELLS = 8

POOL_COLUMNS = (
    Column("", 1),
    SCOPE_COLUMN,
    TYPE_COLUMN,
    TITLE_COLUMN,
    AGE_COLUMN,
    Column("use", 3, most=7, plain_cut=True, drop=5),
)
MARK_COLUMN = Column("", 1)
INDEX_FROM = 9
"""Lines the pool must have before it gives one to the meters of the indexes."""
RESERVE_COLUMNS = (
    AGE_COLUMN,
    Column("", 1),
    Column("slot", 8),
    Column("memory", 8, flexible=True),
    TYPE_COLUMN,
)


def pool_pane(
    view: View,
    order: PoolOrder,
    kept: Collection[str] | None = None,
    uses: Uses | None = None,
    narrowing: Narrowing = Narrowing.ALL,
) -> PaneView:
    """Pane 1: every document and every skipped file, with its fate and what is wrong with it.

    Args:
        view: what is shown.
        order: the order of the rows.
        kept: the keys that a filter lets through; None for all.
        uses: how often each document was shown; None if that is not known.
        narrowing: which rows are listed at all.

    """
    keys = view.ordered(order)
    for letting in (kept, narrowed(view, narrowing)):
        if letting is not None:
            keys = tuple(key for key in keys if key in letting)
    said = "no memory matches the filter: esc clears it"
    marked = has_marks(view)
    cells = _pool_cells(view, uses)
    rows = Rows[object](
        (*_pool_columns(marked), score_column(view, drop=1)),
        keys,
        str,
        _with_marks(view, cells) if marked else cells,
        said if kept is not None else nothing_left(view, narrowing),
    )
    partly = kept is not None or narrowing is not Narrowing.ALL
    return PaneView(
        _pool_titles(view, len(keys) if partly else None, narrowing.value),
        _legend(view, order),
        rows,
        index_head(view),
        INDEX_FROM,
    )


def _pool_columns(marked: bool) -> tuple[Column, ...]:
    return (POOL_COLUMNS[0], MARK_COLUMN, *POOL_COLUMNS[1:]) if marked else POOL_COLUMNS


def _with_marks(
    view: View, cells: Callable[[object], tuple[Line, ...]]
) -> Callable[[object], tuple[Line, ...]]:
    """The cells of a row with its mark behind the fate."""

    def marked(item: object) -> tuple[Line, ...]:
        fate, *others = cells(item)
        return fate, mark(view, str(item)), *others

    return marked


def _pool_cells(view: View, uses: Uses | None) -> Callable[[object], tuple[Line, ...]]:
    now_ms = view.recall.now_ms

    def cells(item: object) -> tuple[Line, ...]:
        key = str(item)
        entry = view.catalogue.entries[key]
        fate = view.fate_of[key]
        glyph, scope = (fate.glyph,), line(Piece(entry.scope, "muted"))
        age = line(Piece(short_age(entry.mtime_ms, now_ms), "muted"))
        if isinstance(entry, SkippedFile):
            name = line(entry.relative_path, "  ", Piece(entry.reason, "error"))
            return glyph, scope, line(Piece("file", "muted")), name, age, (), ()
        title = line(Piece(entry.title or entry.relative_path, fate.title_tone))
        used = line(Piece(uses.cell(key) if uses else "", "muted"))
        return glyph, scope, line(Piece(entry.type, "muted")), title, age, used, points(view, key)

    return cells


def points(view: View, key: str) -> Line:
    """The score of a document as a cell."""
    score = view.score(key)
    return () if score is None else line(Piece(score_text(view, score), "accent"))


def _pool_titles(view: View, shown: int | None, narrowing: str) -> tuple[Line, ...]:
    documents, skipped = len(view.scanned.documents), len(view.scanned.skipped)
    name = Piece("1 pool", "strong")
    total = len(view.catalogue.entries)
    count = f"{documents:,}" if shown is None else f"{shown:,} of {total:,}"
    incomplete = () if view.scanned.complete else (Piece(" ! incomplete", "warning"),)
    short = (name, Piece(f" {count}"), *incomplete)
    if not skipped or shown is not None:
        to = (Piece(f" {narrowing}", "warning"),) if narrowing else ()
        return ((*short, *to), (name, *to, *incomplete), (name, *incomplete))
    full = (name, Piece(f" {count} · "), Piece(f"{skipped:,} skipped", "error"), *incomplete)
    return (full, short, (name, *incomplete))


def _legend(view: View, order: PoolOrder) -> tuple[Line, ...]:
    """The findings and the fates with their counts, as many as fit, and the order."""
    by = line(Piece(f" by {order.value}", "muted"))
    long, short = counted(view)
    met = [(fate, count) for fate, count in view.counts.items() if count]
    options: list[Line] = []
    for words in range(len(met), -1, -1):
        parts: list[Piece] = []
        for place, (fate, count) in enumerate(met):
            word = f" {count:,} {fate.word} " if place < words else f" {count:,} "
            parts += [fate.glyph, Piece(word, "muted")]
        if words == len(met):
            options.append((*long, *parts, *by))
        options.append((*short, *parts, *by))
    return (*options, (*short, *by), by)


def hits_pane(view: View) -> PaneView:
    """Pane 2: every hit by rank, and where its points come from."""
    recall = view.recall
    may_enter = recall.options.limits.lexical_docs
    entering = min(len(recall.hits), may_enter)
    title = Piece(f"2 {recall.ranker} hits", "strong")
    count = Piece(
        f" {entering:,} of {len(recall.hits):,}"
        if entering < len(recall.hits)
        else f" {entering:,}"
    )
    taken = f"{entering:,} of {may_enter:,}"
    subtitle = (
        line(Piece(f"{taken} slots for hits taken", "muted")),
        line(Piece(f"{taken} slots", "muted")),
    )
    rows = Rows[object](
        _hit_columns(view),
        recall.hits,
        _hit_key,
        _hit_cells(view, may_enter),
        _no_hits(view),
    )
    return PaneView(((title, count), (Piece("2 hits", "strong"), count)), subtitle, rows)


def _hit_columns(view: View) -> tuple[Column, ...]:
    head = (
        Column("#", max(2, len(str(len(view.recall.hits)))), right=True, drop=1),
        score_column(view),
        Column("", 0, most=BAR_CELLS),
    )
    if not is_lexical(view):
        points = Column("lexical", 7, right=True, drop=2)
        return (*head, points, Column("memory", 20, flexible=True))
    return (
        *head,
        Column("ttl", 3, right=True, drop=2),
        Column("dsc", 3, right=True, drop=3),
        Column("bdy", 3, right=True, drop=4),
        Column("typ", 3, right=True, drop=6),
        Column("memory", 20, flexible=True),
    )


def _no_hits(view: View) -> str:
    recall = view.recall
    if not recall.query.text.strip():
        return "type a query: nothing is scored, the reserve alone fills the manifest"
    if not recall.query.terms:
        return "no token in the query: a word needs three letters, CJK text two characters"
    terms = ", ".join(recall.query.terms)
    if not is_lexical(view):
        return f"the ranker {recall.ranker} finds nothing for: {terms}"
    return f"no memory contains a token of the query: {terms}"


def _hit_key(item: object) -> str:
    return item.document.id  # type: ignore[attr-defined, no-any-return]


def _hit_cells(view: View, may_enter: int) -> Callable[[object], tuple[Line, ...]]:
    hits = view.recall.hits
    best = hits[0].score if hits else 1.0

    def cells(item: object) -> tuple[Line, ...]:
        hit = view.hit_of[_hit_key(item)]
        enters = hit.rank <= may_enter
        tone: Piece = Piece(score_text(view, hit.score), "accent" if enters else "muted")
        filled = max(1, round(BAR_CELLS * hit.score / best))
        found = hit.points
        fields = (found.title, found.description, found.body, found.type)
        title = hit.document.title or hit.document.relative_path
        fate = view.fate_of[hit.document.id]
        return (
            line(Piece(f"{hit.rank}", "muted")),
            (tone,),
            line(Piece("█" * filled, "accent" if enters else "muted")),
            *(
                line(Piece(f"{value}" if value else "·", "plain" if value else "muted"))
                for value in (fields if is_lexical(view) else (sum(fields),))
            ),
            line(fate.glyph, " ", Piece(title, fate.title_tone)),
        )

    return cells


def reserve_pane(view: View) -> PaneView:
    """Pane 3: every document by age, and which slot it fills."""
    recall = view.recall
    recent = [verdict for verdict in recall.manifest.verdicts if verdict.origin == "recent"]
    packed = sum(1 for verdict in recent if verdict.packed)
    name = Piece("3 recency reserve", "strong")
    short = Piece("3 reserve", "strong")
    count = Piece(f" {len(recent):,}")
    kept = f"reserve packed {packed:,} of {len(recent):,}"
    tone = Piece(kept, "muted" if packed == len(recent) else "warning")
    order = recall.options.ablations.reserve
    rows = Rows[object](
        RESERVE_COLUMNS,
        tuple(key for key in view.catalogue.by_age if isinstance(view.entry(key), Document)),
        str,
        _reserve_cells(view),
        "no document to reserve a slot for",
    )
    return PaneView(
        ((name, count), (short, count)),
        (line(tone, Piece(f" · {order}", "muted")), line(tone)),
        rows,
    )


def _reserve_cells(view: View) -> Callable[[object], tuple[Line, ...]]:
    now_ms = view.recall.now_ms

    def cells(item: object) -> tuple[Line, ...]:
        key = str(item)
        entry = view.catalogue.entries[key]
        assert isinstance(entry, Document)
        fate = view.fate_of[key]
        mark, slot = _slot(view, key)
        title = Piece(entry.title or entry.relative_path, fate.title_tone)
        age = Piece(short_age(entry.mtime_ms, now_ms))
        return line(age), mark, slot, line(title), line(Piece(entry.type, "muted"))

    return cells


def _slot(view: View, key: str) -> tuple[Line, Line]:
    """Whether a document is packed, and what gave it a place among the candidates."""
    verdict = view.verdict_of.get(key)
    if verdict is not None:
        mark = Piece("✓", "success") if verdict.packed else Piece("✗", "error")
        if verdict.origin == "recent":
            return (mark,), line(Piece(f"slot {verdict.position}", "primary"))
        return (mark,), line(Piece("by score", "accent"))
    fate = view.fate_of[key]
    word = {Fate.NOISE: "noise", Fate.LEFT_OUT: "left out"}.get(fate, "too old")
    return (Piece(fate.value.glyph, "muted"),), line(Piece(word, "muted"))
