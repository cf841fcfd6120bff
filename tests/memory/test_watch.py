"""Changes below memory roots: noticed, told once, and never by writing or opening anything."""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.memory.document import Scope
from memtui.memory.scan import Source, scan_pool
from memtui.memory.watch import Changes, Watcher, differences, look, since
from tests.helpers import NOW_MS, write_file, write_memory


def watcher(root: Path, told: list[Changes], **arguments: Any) -> Watcher:
    return Watcher((str(root),), tell=told.append, **arguments)


def scanned(root: Path, **fields: Any) -> Any:
    return scan_pool([Source(Scope.PROJECT, str(root), "qwen", **fields)])


def test_the_first_look_is_where_it_begins(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    told: list[Changes] = []
    assert not watcher(tmp_path, told).check()
    assert told == []


def test_changed_new_and_gone_files_are_told_once(tmp_path: Path) -> None:
    kept = write_memory(tmp_path, "kept.md")
    changed = write_memory(tmp_path, "sub/changed.md")
    gone = write_memory(tmp_path, "gone.md")
    told: list[Changes] = []
    it = watcher(tmp_path, told)
    it.check()
    write_memory(tmp_path, "sub/changed.md", body="more", mtime_ms=NOW_MS + 1)
    new = write_memory(tmp_path, "deep/er/new.md")
    gone.unlink()
    it.check()
    it.check()
    assert told == [Changes((str(changed),), (str(new),), (str(gone),))]
    assert told[0].summary == "1 changed, 1 new, 1 gone"
    assert str(kept) not in str(told)


def test_the_index_is_told_apart(tmp_path: Path) -> None:
    write_file(tmp_path, "MEMORY.md", b"- [a](a.md)")
    told: list[Changes] = []
    it = watcher(tmp_path, told)
    it.check()
    write_file(tmp_path, "MEMORY.md", b"- [a](a.md)\n- [b](b.md)")
    write_memory(tmp_path, "b.md")
    it.check()
    assert told[0].summary == "1 new, index changed"


def test_other_files_do_not_count(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    told: list[Changes] = []
    it = watcher(tmp_path, told)
    it.check()
    write_file(tmp_path, "notes.txt", b"x")
    write_file(tmp_path, "a.md.swp", b"x")
    assert not it.check()


def test_a_file_that_becomes_unreadable_is_another_one(tmp_path: Path) -> None:
    path = write_memory(tmp_path, "a.md")
    before = look([str(tmp_path)]).seen
    path.chmod(0)
    assert differences(before, look([str(tmp_path)]).seen).changed == (str(path),)


def test_a_root_that_comes_and_goes(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    told: list[Changes] = []
    it = watcher(root, told)
    it.check()
    root.mkdir()
    it.check()
    assert told[-1].summary == "a root changed"
    write_memory(root, "a.md")
    it.check()
    assert told[-1].summary == "1 new"
    (root / "a.md").unlink()
    root.rmdir()
    it.check()
    assert told[-1].summary == "1 gone"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_a_folder_that_can_not_be_listed(tmp_path: Path) -> None:
    write_memory(tmp_path, "sub/a.md")
    told: list[Changes] = []
    it = watcher(tmp_path, told)
    it.check()
    (tmp_path / "sub").chmod(0)
    it.check()
    (tmp_path / "sub").chmod(0o700)
    assert told[0].gone == (str(tmp_path / "sub" / "a.md"),)


def test_links_and_pipes_are_not_opened_or_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "memory"
    write_memory(root, "a.md")
    write_memory(tmp_path / "outside", "b.md")
    (root / "loop.md").symlink_to("loop.md")
    (root / "nowhere.md").symlink_to("no-such-file")
    (root / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(root / "pipe.md")

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was opened")

    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    found = look([str(root)])
    assert found.folders == (str(root),)
    assert not any("outside" in path for path in found.seen)
    assert str(root / "pipe.md") in found.seen


def test_a_database_and_its_log_are_watched(tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    database.write_bytes(b"one")
    told: list[Changes] = []
    it = Watcher((), (str(database),), tell=told.append)
    it.check()
    (tmp_path / "m.db-wal").write_bytes(b"two")
    it.check()
    assert told[0].new == (str(tmp_path / "m.db-wal"),)
    assert told[0].summary == "a database changed"


def test_what_changed_between_the_scan_and_the_first_look_is_told(tmp_path: Path) -> None:
    write_memory(tmp_path, "same.md")
    changed = write_memory(tmp_path, "changed.md")
    gone = write_memory(tmp_path, "gone.md")
    write_file(tmp_path, "MEMORY.md", b"")
    write_file(tmp_path, "skipped.md", b"no frontmatter")
    os.mkfifo(tmp_path / "pipe.md")
    pool = scanned(tmp_path)
    assert not since(pool, look([str(tmp_path)]).seen)
    write_memory(tmp_path, "changed.md", body="more")
    new = write_memory(tmp_path, "new.md")
    gone.unlink()
    told: list[Changes] = []
    watcher(tmp_path, told, scanned=pool).check()
    assert told == [Changes((str(changed),), (str(new),), (str(gone),))]


def test_ages_from_the_frontmatter_are_no_change(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"---\nname: A\ntype: user\nmodified: 2020-01-01\n---\n\nbody")
    pool = scanned(tmp_path, recency="modified")
    now = look([str(tmp_path)]).seen
    assert since(pool, now).changed
    assert not since(pool, now, times=False)


def wait_for(happened: Callable[[], bool]) -> None:
    """Waits until something is true; the watcher under test looks every few milliseconds."""
    turn = threading.Event()
    for _ in range(500):
        if happened():
            return
        turn.wait(0.02)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("extra", [True, False], ids=["watchfiles", "polling"])
def test_a_thread_tells_changes_until_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: bool
) -> None:
    if extra:
        pytest.importorskip("watchfiles")
    else:
        monkeypatch.setitem(__import__("sys").modules, "watchfiles", None)
    told: list[Changes] = []
    pool = scanned(tmp_path)
    it = watcher(tmp_path, told, scanned=pool)
    it.start(0.02)
    write_memory(tmp_path, "a.md")
    wait_for(lambda: [each.new for each in told] == [(str(tmp_path / "a.md"),)])
    write_memory(tmp_path, "sub/b.md")
    wait_for(lambda: any(str(tmp_path / "sub" / "b.md") in each.new for each in told))
    write_memory(tmp_path, "sub/b.md", body="changed")
    wait_for(lambda: any(str(tmp_path / "sub" / "b.md") in each.changed for each in told))
    it.close()
    assert not [each for each in threading.enumerate() if each.name == "memtui-watch"]
    many = len(told)
    write_memory(tmp_path, "c.md")
    it.check()
    assert len(told) == many


def test_watching_leaves_no_trace_in_the_tree(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    before = {each: each.stat().st_mtime_ns for each in (tmp_path, tmp_path / "a.md")}
    told: list[Changes] = []
    it = watcher(tmp_path, told)
    it.start(0.01)
    wait_for(lambda: it._last is not None)
    it.close()
    assert {each: each.stat().st_mtime_ns for each in before} == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.md"]
