"""What the inspector says about one memory: its fate, its score, and its text as scanned."""

from __future__ import annotations

from memtui.memory.document import Document, SkippedFile
from memtui.recall.manifest import iso_time
from memtui.recall.rank import MOST_TYPE_POINTS, breakdown
from memtui.text import chars, cut, ordinal, plural
from memtui.tui.view.ages import short_age
from memtui.tui.view.fates import Fate
from memtui.tui.view.health import finding_lines, mark, reading_lines
from memtui.tui.view.marks import marked, match_spans
from memtui.tui.view.pieces import Line, Piece, Tone, clip, fitted, line, safe
from memtui.tui.view.scores import is_lexical, score_words
from memtui.tui.view.uses import Uses
from memtui.tui.view.view import View

SHOWN_CHARS = 20_000
"""Most of a body that is drawn; an editor shows the rest."""

SHOWN_FIELD_CHARS = 2_000
"""Most of a title, a description or a frontmatter that is drawn."""
TOKEN_CELLS = 16


def inspect(view: View, key: str, uses: Uses | None = None, width: int = 0) -> tuple[Line, ...]:
    """Everything about one entry as lines that are still to be wrapped.

    Args:
        view: what is shown.
        key: the key of the entry.
        uses: how often each document was shown; None if that is not known.
        width: cells of a line; what needs more to stand side by side stands one below the other.

    """
    entry = view.entry(key)
    if entry is None:
        return ()
    if isinstance(entry, SkippedFile):
        return (*_skipped(entry, view.recall.now_ms), (), *reading_lines(view, key, width))
    return (
        *_facts(view, entry, uses),
        (),
        *finding_lines(view, entry),
        *_score(view, entry),
        (),
        *_fields(view, entry),
        *_frontmatter(entry),
        (),
        *reading_lines(view, key, width),
        (),
        *_body(view, entry),
    )


def inspection_title(view: View, key: str) -> Line:
    """The title of the inspector."""
    entry = view.entry(key)
    if entry is None:
        return line(Piece("memory", "strong"))
    name = entry.relative_path if isinstance(entry, SkippedFile) else entry.title
    marked = (*mark(view, key), Piece(" ")) if mark(view, key) else ()
    name = name or entry.relative_path
    return line(view.fate_of[key].glyph, " ", *marked, Piece(name, "strong"))


def _heading(text: str) -> Line:
    return line(Piece(text, "primary"))


def _named(name: str, *parts: str | Piece) -> Line:
    return line(Piece(f"{name:<8} ", "muted"), *parts)


def _skipped(skipped: SkippedFile, now_ms: float) -> tuple[Line, ...]:
    return (
        line(Fate.SKIPPED.glyph, Piece(" skipped: no recall ever sees this file", "error")),
        (),
        _named("reason", Piece(skipped.reason, "error")),
        _named("detail", skipped.detail),
        _named("remedy", Piece(skipped.remedy, "success")),
        (),
        _named("path", skipped.path),
        _named("scope", skipped.scope),
        _named("age", short_age(skipped.mtime_ms, now_ms)),
    )


def _facts(view: View, document: Document, uses: Uses | None) -> tuple[Line, ...]:
    kind = f" {document.type}" if document.type else ", no type"
    managed = "" if view.scanned.managed(document.id) else " · recallable but not managed"
    age = short_age(document.mtime_ms, view.recall.now_ms)
    facts = [
        _verdict(view, document.id),
        _named("id", Piece(document.id, "accent"), f" · {document.scope}{kind}{managed}"),
        _named("file", document.relative_path),
        line(Piece(document.path.removesuffix(document.relative_path), "muted")),
        _named("written", f"{age} · {iso_time(document.mtime_ms)} · {document.size:,} B"),
    ]
    if uses is not None:
        facts.append(_named("uses", uses.words(document.id)))
    if document.flags:
        facts.append(
            _named("read", Piece(f"as {document.dialect}: {', '.join(document.flags)}", "warning"))
        )
    return tuple(facts)


def _verdict(view: View, key: str) -> Line:
    """What became of the document, with the numbers."""
    fate = view.fate_of[key]
    says = {
        Fate.SELECTED: _says_selected,
        Fate.CUT: _says_cut,
        Fate.PACKED: _says_packed,
        Fate.CANDIDATE: _says_candidate,
        Fate.NOISE: _says_noise,
        Fate.LEFT_OUT: _says_left_out,
        Fate.POOL: _says_pool,
    }[fate](view, key)
    return line(fate.glyph, Piece(f" {fate.word}", fate.value.tone), f": {says}")


def _says_selected(view: View, key: str) -> str:
    place = view.recall.context.kept.index(key) + 1
    line_number = view.verdict_of[key].line if key in view.verdict_of else None
    where = f"line {line_number} of the manifest" if line_number else "not in the manifest"
    return f"{ordinal(place)} in the context, {where}"


def _says_cut(view: View, _key: str) -> str:
    context, limits = view.recall.context, view.recall.options.limits
    if context.reason == "maxEntries":
        return f"the context holds {limits.recall_results:,} entries at most"
    return f"no room in the context: {context.chars:,} of {limits.context_chars:,} chars are taken"


def _says_packed(view: View, key: str) -> str:
    verdict = view.verdict_of[key]
    origin = "by its score" if verdict.origin == "lexical" else "by its age"
    return (
        f"line {verdict.line} of the manifest, {origin}, {verdict.bytes:,} B, "
        f"{verdict.cumulative:,} running; {score_words(view, key)}"
    )


def _says_candidate(view: View, key: str) -> str:
    verdict = view.verdict_of[key]
    if not verdict.bytes_missing:
        return f"candidate {verdict.position:,}, behind the line where the prefix ended"
    return (
        f"candidate {verdict.position:,} needs {verdict.bytes:,} B and {verdict.bytes_left:,} were "
        f"left, {verdict.bytes_missing:,} too few"
    )


def _says_noise(view: View, key: str) -> str:
    noise = view.noise_of[key]
    return f"it speaks of {noise.alias!r} (tool {noise.tool!r}) and of {noise.marker!r}"


def _says_left_out(view: View, key: str) -> str:
    if key in view.scanned.by_id:
        return "it is outside the capped scan of this ablation"
    return "excluded: the agent has already surfaced it"


def _says_pool(view: View, key: str) -> str:
    recall = view.recall
    if key in view.hit_of:
        return f"{score_words(view, key)}, {recall.options.limits.lexical_docs:,} hits may enter"
    return f"{score_words(view, key)}, and too old for the reserve"


def _score(view: View, document: Document) -> tuple[Line, ...]:
    terms = view.recall.query.terms
    if not terms:
        return (_heading("score"), line(Piece("the query has no token", "muted")))
    window = view.recall.options.limits.body_window_chars
    matches = breakdown(document, terms, window)
    rows = [
        _score_row(
            match.token, (match.title, match.description, match.body, match.type), match.points
        )
        for match in matches
        if match.points
    ]
    missing = [match.token for match in matches if not match.points]
    heading = [_heading("score")]
    if not is_lexical(view):
        heading = [_heading("score"), line(score_words(view, document.id)), _heading("by lexical")]
    lines = [*heading, _score_header()] if rows else heading
    lines += rows
    hit = view.hit_of.get(document.id)
    if hit is not None and rows:
        found = hit.points
        fields = (found.title, found.description, found.body, found.type)
        lines.append(_score_row("total", fields, found.total, "accent"))
        if sum(match.type for match in matches) > MOST_TYPE_POINTS:
            lines.append(line(Piece(f"a type gives {MOST_TYPE_POINTS} points at most", "muted")))
    if missing:
        lines.append(line(Piece("not found: ", "muted"), " ".join(missing)))
    return tuple(lines)


def _score_header() -> Line:
    names = "".join(f"{name:>6}" for name in ("title", "desc", "body", "type", "pts"))
    return line(Piece(f"{'token':<{TOKEN_CELLS}}{names}", "muted"))


def _score_row(token: str, fields: tuple[int, ...], total: int, tone: str = "plain") -> Line:
    name = fitted(clip(safe([Piece(token)]), TOKEN_CELLS), TOKEN_CELLS)
    cells = "".join(f"{value or '·':>6}" for value in fields)
    shown = Piece(f"{total:>6}", "accent")
    return (*name, Piece(cells, "accent" if tone == "accent" else "plain"), shown)


def _fields(view: View, document: Document) -> tuple[Line, ...]:
    title = _marked_field(view, document.title, "strong")
    description = _marked_field(view, document.description, "plain")
    return (
        _named("title", *title),
        _named("says", *(description or [Piece("no description", "warning")])),
    )


def _marked_field(view: View, text: str, tone: Tone) -> list[Piece]:
    """A field with its matches marked, the start of it where it is very long."""
    shown = text[:SHOWN_FIELD_CHARS]
    pieces = marked(shown, match_spans(shown, view.recall.query.terms), tone)
    return [*pieces, *_more(text, SHOWN_FIELD_CHARS)]


def _more(text: str, shown: int) -> tuple[Piece, ...]:
    """What is said where only the start of a text is drawn."""
    if len(text) <= shown:
        return ()
    more = plural(len(text) - shown, "more character")
    return (Piece(f" … {more}: e opens the file in an editor", "warning"),)


def _frontmatter(document: Document) -> tuple[Line, ...]:
    text = document.frontmatter
    if not text:
        return ((), line(Piece("no frontmatter", "muted")))
    rows = [line(Piece(row, "muted")) for row in text[:SHOWN_FIELD_CHARS].splitlines()]
    more = _more(text, SHOWN_FIELD_CHARS)
    return ((), _heading("frontmatter as written"), *rows, *([more] if more else []))


def _body(view: View, document: Document) -> tuple[Line, ...]:
    """The body, with the matches inside the window marked and the end of the window drawn."""
    body = document.scored_body
    if not body:
        said = "an empty body" if not document.body else f"{document.body} counts as empty"
        return (_heading("body"), line(Piece(said, "muted")))
    window = view.recall.options.limits.body_window_chars
    scored = cut(body, window)
    shown = scored[:SHOWN_CHARS]
    lines = [_heading(f"body, {plural(chars(body), 'char')}")]
    lines += _split(marked(shown, match_spans(shown, view.recall.query.terms)))
    rest = body[len(scored) :]
    if rest:
        lines.append(line(Piece(f"── scored up to here ({window:,} chars) ──", "warning")))
        lines += _split([Piece(rest[: max(0, SHOWN_CHARS - len(scored))], "muted")])
    more = _more(body, SHOWN_CHARS)
    return (*lines, more) if more else tuple(lines)


def _split(pieces: list[Piece]) -> list[Line]:
    """The pieces as lines, split where the text has line ends."""
    lines: list[Line] = []
    current: list[Piece] = []
    for text, tone in pieces:
        first, *others = text.split("\n")
        current.append(Piece(first, tone))
        for other in others:
            lines.append(tuple(current))
            current = [Piece(other, tone)]
    lines.append(tuple(current))
    return lines
