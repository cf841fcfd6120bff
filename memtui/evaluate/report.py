"""An evaluation as text: aligned tables, bars, and the cases that miss or changed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memtui.evaluate.metrics import METRICS, averages
from memtui.evaluate.record import Evaluation
from memtui.evaluate.run import CaseResult, Column
from memtui.recall.pipeline import REPRODUCES
from memtui.recall.why.ladder import REASONS
from memtui.text import display_text, plural

MOST_CASES = 20
"""Cases that a list shows; the JSON has all of them."""
BAR_CELLS = 24

_NAME_CELLS = 28
_BY_CATEGORY = {
    "recall_any@1": "any@1",
    "recall_any@5": "any@5",
    "recall_all@5": "all@5",
    "mrr": "mrr",
    "ndcg@10": "ndcg@10",
    "manifest_recall": "manifest",
    "context_recall": "context",
    "silent": "silent",
}
"""Metrics of the table by category, with their headings."""


def evaluation_lines(evaluation: Evaluation) -> Iterator[str]:
    """Everything, section by section."""
    yield from _heading(evaluation)
    yield ""
    yield from _metrics_table(evaluation.columns)
    for column in evaluation.columns:
        yield from _section(column, named=len(evaluation.columns) > 1)
    for name, delta in evaluation.deltas.items():
        yield ""
        yield from _delta_lines(name, delta)


def _heading(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.partial:
        yield (
            f"INTERRUPTED after {evaluation.done:,} of {plural(evaluation.planned, 'case')}: "
            "every number below is of those alone"
        )
    yield (
        f"{plural(evaluation.done, 'case')}, {evaluation.nothing_relevant:,} of them with nothing "
        f"relevant · packed as {REPRODUCES}"
    )
    for column in evaluation.columns:
        others = {name: n for name, n in column.rankers.items() if name != _asked(column)}
        if others:
            counted = ", ".join(f"{name} {count:,}" for name, count in others.items())
            yield f"{shown(column.configuration.name)}: NOT ranked as asked, but by {counted}"
        for warning, count in column.warnings.items():
            yield f"{shown(column.configuration.name)}: {shown(warning)} ({plural(count, 'case')})"


def _asked(column: Column) -> str:
    return column.configuration.options.ranker


def _metrics_table(columns: Sequence[Column]) -> Iterator[str]:
    names = [shown(column.configuration.name, _NAME_CELLS) for column in columns]
    metrics = [column.metrics for column in columns]
    rows = [["metric", *names]]
    rows += [[name, *(_value(each[name]) for each in metrics)] for name in METRICS]
    yield from table(rows)


def _section(column: Column, *, named: bool) -> Iterator[str]:
    suffix = f" ({shown(column.configuration.name)})" if named else ""
    categories = column.by_category
    if len(categories) > 1 or "" not in categories:
        yield ""
        yield f"by category{suffix}"
        yield from table(_category_rows(categories))
    yield ""
    lost = sum(column.waterfall.values())
    yield (
        f"where relevant memories are lost{suffix}: {lost:,} of {column.relevant:,}, "
        f"{column.relevant - lost:,} are in the context"
    )
    yield from _bars(column.waterfall, column.relevant)
    if column.missed:
        yield "what those had missed on the way"
        yield from _bars(column.missed, column.relevant)
    yield from _missing(column, suffix)


def _category_rows(categories: Mapping[str, Sequence[CaseResult]]) -> list[list[str]]:
    rows = [["category", "cases", *_BY_CATEGORY.values()]]
    for name, results in categories.items():
        metrics = averages(result.scores for result in results)
        values = (_value(metrics[metric]) for metric in _BY_CATEGORY)
        rows.append([shown(name, _NAME_CELLS) or "(none)", f"{len(results):,}", *values])
    return rows


def _bars(counts: Mapping[str, int], total: int) -> Iterator[str]:
    width = max((cells(name) for name in counts), default=0)
    for name, count in counts.items():
        bar = "█" * max(1, round(BAR_CELLS * count / max(1, total)))
        words = REASONS.get(name.partition(":")[2], "")
        yield f"  {padded(name, width)}  {count:>6,}  {bar:<{BAR_CELLS}}  {words}".rstrip()


def _missing(column: Column, suffix: str) -> Iterator[str]:
    """The cases that miss something, the worst first."""
    missing = [result for result in column.results if not result.passed]
    if not missing:
        return
    yield ""
    yield f"cases that miss{suffix}: {len(missing):,} of {len(column.results):,}"
    missing.sort(key=lambda each: each.scores.get("context_recall", 0.0))
    rows: list[list[str]] = []
    for result in missing[:MOST_CASES]:
        name = f"  {shown(result.case.id, _NAME_CELLS)}"
        rows.append([name, _rank(result.first_rank), _what(result)])
    yield from table(rows, left=(0, 2))
    yield from _more(len(missing))


def _what(result: CaseResult) -> str:
    if not result.fates:
        return f"nothing is relevant, and the context shows {result.shown:,}"
    return _verdicts(result.lost)


def _verdicts(lost: Mapping[str, str]) -> str:
    first = [f"{shown(name, 60)} {verdict}" for name, verdict in list(lost.items())[:2]]
    more = f" and {len(lost) - 2:,} more" if len(lost) > 2 else ""
    return ", ".join(first) + more


def _more(count: int) -> Iterator[str]:
    if count > MOST_CASES:
        yield f"  … and {count - MOST_CASES:,} more; --json has all of them"


def _delta_lines(name: str, delta: Mapping[str, Any]) -> Iterator[str]:
    yield f"{shown(name)} against {shown(delta['against'])}, {plural(delta['cases'], 'case')}"
    for key, words in (("only_before", "only there"), ("only_after", "only here")):
        if delta[key]:
            yield f"  {plural(len(delta[key]), 'case')} {words}, not compared"
    rows = [["metric", "before", "after", "change"]]
    for metric, values in delta["metrics"].items():
        change = f"{values['change']:+.3f}" if values["change"] else "="
        rows.append([metric, _value(values["before"]), _value(values["after"]), change])
    yield from table(rows)
    for key, words in (
        ("better", "became better, the best first"),
        ("worse", "became worse, the worst first"),
        ("otherwise", "changed without becoming better or worse"),
    ):
        changed = delta[key]
        if changed:
            yield f"{plural(len(changed), 'case')} {words}"
            yield from table([_changed(each) for each in changed[:MOST_CASES]], left=(0, 1, 2))
            yield from _more(len(changed))


def _changed(change: Mapping[str, Any]) -> list[str]:
    before, after = change["before"], change["after"]
    ranks = " → ".join(_rank(side["first_rank"]) for side in (before, after))
    return [
        f"  {shown(change['id'], _NAME_CELLS)}",
        f"rank {ranks}",
        _difference(change),
    ]


def _difference(change: Mapping[str, Any]) -> str:
    """What became of what is relevant; where that is the same, what else changed."""
    before, after = change["before"], change["after"]
    old, new = _state(before), _state(after)
    if old != new or before["lost"] != after["lost"]:
        return f"{old} → {new}"
    if before["shown"] != after["shown"]:
        return f"{new}, among {before['shown']:,} → {after['shown']:,} shown"
    packed = change["change"].get("manifest_recall")
    if packed:
        return f"{new}, with {'more' if packed > 0 else 'less'} of it in the manifest"
    return f"{new}, with other ranks below the first"


def _state(side: Mapping[str, Any]) -> str:
    if not side["ranks"]:
        return f"shows {side['shown']:,}"
    return _verdicts(side["lost"]) or "recalled"


def _rank(rank: int | None) -> str:
    return "–" if rank is None else f"{rank:,}"


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def table(rows: Sequence[Sequence[str]], *, left: Iterable[int] = (0,)) -> Iterator[str]:
    """Rows in columns; numbers to the right, the columns ``left`` to the left."""
    to_the_left = frozenset(left)
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        parts = (
            padded(text, width) if place in to_the_left else padded(text, width, right=True)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(parts).rstrip()


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Text with spaces up to a number of cells."""
    space = " " * (width - cells(text))
    return space + text if right else text + space


def cells(text: str) -> int:
    """The terminal cells that a text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def shown(text: str, width: int | None = None) -> str:
    """Text from outside as it may be printed, clipped to a number of cells."""
    safe = display_text(text if width is None else text[: 4 * width])
    if width is None or cells(safe) <= width:
        return safe
    while cells(safe) > width - 1:
        safe = safe[:-1]
    return safe + "…"
