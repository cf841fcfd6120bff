"""Trees that the tests of the commands share; they are only ever read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.samples import lay_out
from tests.helpers import DAY_MS, NOW_MS, write_memory

HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07 \x9b2J \x85 \u202ereversed\u2066 \u200bhidden \u2028 \x7f end"
)
"""Text that a terminal would obey."""


@pytest.fixture(scope="session")
def overflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of the demo with 251 documents."""
    return lay_out("overflow", tmp_path_factory.mktemp("laid-out")).project


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three memories, two of them about apples, one of those the newest."""
    root = tmp_path_factory.mktemp("small") / ".qwen" / "memory"
    write_memory(root, "apples.md", title="How apples are kept", body="In a cool cellar.")
    write_memory(
        root, "pie.md", title="Pie", body="Take six apples.", kind="user", mtime_ms=NOW_MS - DAY_MS
    )
    write_memory(root, "deep/pears.md", title="Pears", mtime_ms=NOW_MS - 9 * DAY_MS)
    (root / "no-fence.md").write_text("no frontmatter", "utf-8")
    return root


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Memories whose every field holds text that a terminal would obey."""
    root = tmp_path_factory.mktemp("hostile") / ".claude" / "memory"
    quoted = json.dumps(f"apples {HOSTILE}")
    text = f"---\nname: {quoted}\ndescription: {quoted}\ntype: {quoted}\n---\napples {HOSTILE}\n"
    for name in ("plain", "esc\x1b[31m", "line\nend", "bidi\u202e", "c1\u009b"):
        path = root / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    (root / "broken\x1b[0m\u202e.md").write_text(f"---\nname: {HOSTILE}\n", "utf-8", newline="")
    return root
