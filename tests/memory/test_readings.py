"""What each dialect reads of files that are documents, and of files that were skipped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from memtui.memory.dialects import Reading, Unread
from memtui.memory.document import Scope
from memtui.memory.readings import dialect_readings, read_source, skipped_readings
from memtui.memory.scan import Source, scan_pool
from tests.helpers import make_document, write_file, write_memory

NESTED = b"---\nname: Nested\ndescription: d\nmetadata:\n  type: feedback\n---\n\nbody\n"


def scanned(root: Path, **fields: Any) -> Any:
    return scan_pool([Source(Scope.PROJECT, str(root), "qwen", **fields)])


def test_a_skipped_file_is_read_by_both(tmp_path: Path) -> None:
    write_file(tmp_path, "nested.md", NESTED)
    (skipped,) = scanned(tmp_path).skipped
    views = skipped_readings(skipped)
    assert views is not None
    qwen, claude = views
    assert isinstance(qwen.result, Unread) and qwen.result.reason == "type-nested"
    assert isinstance(claude.result, Reading) and claude.result.type == "feedback"
    assert qwen.exact and claude.exact


def test_a_link_inside_the_root_is_followed(tmp_path: Path) -> None:
    write_file(tmp_path, "kept/nested.md", NESTED)
    (tmp_path / "link.md").symlink_to("kept/nested.md")
    views = [skipped_readings(each) for each in scanned(tmp_path).skipped]
    assert len(views) == 2
    assert None not in views


def test_what_was_not_opened_is_not_opened_now(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    write_memory(root, "a.md")
    write_file(tmp_path, "outside.md", NESTED)
    (root / "away.md").symlink_to(tmp_path / "outside.md")
    os.mkfifo(root / "pipe.md")
    skipped = scanned(root).skipped
    assert {each.reason for each in skipped} == {"outside-root", "not-a-regular-file"}
    assert [skipped_readings(each) for each in skipped] == [None, None]


def test_a_skipped_file_that_is_gone_or_leads_out_now(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    path = write_file(root, "nested.md", NESTED)
    (skipped,) = scanned(root).skipped
    path.unlink()
    assert skipped_readings(skipped) is None
    write_file(tmp_path, "outside.md", NESTED)
    path.symlink_to(tmp_path / "outside.md")
    assert skipped_readings(skipped) is None


def test_an_age_from_the_frontmatter_does_not_hide_the_file(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"---\nname: A\ntype: user\nmodified: 2025-01-02\n---\n\nb\n")
    (document,) = scanned(tmp_path, recency="modified").documents
    assert read_source(document) is not None
    assert all(each.exact for each in dialect_readings(document))


def test_half_a_surrogate_pair_is_read_as_a_replacement() -> None:
    document = make_document(title="x", frontmatter="name: \ud800 lone\ntype: user", body="\udc00")
    for view in dialect_readings(document, lambda _: None):
        assert isinstance(view.result, Reading)
        assert view.result.title == "\ufffd lone"
