"""Ages from the frontmatter, and roots whose file times say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.memory.document import Scope
from memtui.memory.recency import clustered_notice, clustered_roots, modified_ms
from memtui.memory.scan import Source, scan_all
from tests.helpers import DAY_MS, NOW_MS, write_file, write_memory


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("modified: 2026-03-02", 1_772_409_600_000),
        ("modified: 2026-03-02T09:00:00Z", 1_772_442_000_000),
        ("modified: '2026-03-02T10:00:00+01:00'", 1_772_442_000_000),
        ("  modified: 2026-03-02 # late", 1_772_409_600_000),
        ("modified: yesterday", None),
        ("modified: 2026-13-45", None),
        ("unmodified: 2026-03-02", None),
        ("name: a", None),
    ],
)
def test_the_time_that_a_frontmatter_names(line: str, expected: float | None) -> None:
    assert modified_ms(f"name: a\n{line}\n") == expected


def test_recency_by_modified_orders_the_pool(tmp_path: Path) -> None:
    for name, day in (("a", "01"), ("b", "03"), ("c", "02")):
        text = f"---\nname: {name}\ntype: user\nmodified: 2026-01-{day}\n---\n"
        write_file(tmp_path, f"{name}.md", text.encode())
    write_memory(tmp_path, "plain.md", mtime_ms=NOW_MS)
    by_modified = scan_all(Source(Scope.PROJECT, str(tmp_path), "qwen", recency="modified"))
    names = [each.relative_path for each in by_modified.documents]
    assert names == ["plain.md", "b.md", "c.md", "a.md"]


def test_a_checkout_is_noticed_and_a_grown_tree_is_not(tmp_path: Path) -> None:
    for number in range(10):
        write_memory(tmp_path / "fresh", f"{number}.md", mtime_ms=NOW_MS + number * 1_000)
        write_memory(tmp_path / "grown", f"{number}.md", mtime_ms=NOW_MS - number * DAY_MS)
    fresh = scan_all(Source(Scope.PROJECT, str(tmp_path / "fresh")))
    grown = scan_all(Source(Scope.PROJECT, str(tmp_path / "grown")))
    assert clustered_roots(fresh) == (str(tmp_path / "fresh"),)
    assert clustered_roots(grown) == ()
    assert "--recency modified" in (clustered_notice(fresh) or "")
    assert clustered_notice(grown) is None
