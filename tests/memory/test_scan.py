"""Scanning real trees: order, window, skipped files, and roots that fail."""

from __future__ import annotations

import hashlib
import os
import random
import socket
from pathlib import Path

import pytest

from memtui.limits import Limits
from memtui.memory import files, scan
from memtui.memory.document import Document, RootNotFound, Scope, ScopeFailed
from memtui.memory.scan import Source, scan_all, scan_capped, scan_pool
from tests.helpers import NOW_MS, load, write_file, write_memory


def project(root: Path, dialect: str = "qwen") -> Source:
    return Source(Scope.PROJECT, str(root), dialect)  # type: ignore[arg-type]


def reasons(root: Path, dialect: str = "qwen") -> dict[str, str]:
    pool = scan_all(project(root, dialect))
    return {each.relative_path: each.reason for each in pool.skipped}


def test_order_of_equal_times_is_the_measured_one(tmp_path: Path) -> None:
    names = load("scan_order.json")["names"]
    for name in random.Random(3).sample(names, len(names)):
        write_memory(tmp_path, name)
    pool = scan_all(project(tmp_path))
    assert [each.relative_path for each in pool.documents] == names


def test_fractions_of_a_millisecond_count(tmp_path: Path) -> None:
    for name, fraction in (("a.md", 0.25), ("b.md", 0.75), ("c.md", 0.5)):
        write_memory(tmp_path, name, mtime_ms=NOW_MS + fraction)
    pool = scan_all(project(tmp_path))
    assert [each.relative_path for each in pool.documents] == ["b.md", "c.md", "a.md"]


def test_same_base_name_and_time_goes_by_relative_path(tmp_path: Path) -> None:
    write_memory(tmp_path, "z/a.md")
    write_memory(tmp_path, "b/a.md")
    pool = scan_all(project(tmp_path))
    assert [each.relative_path for each in pool.documents] == ["b/a.md", "z/a.md"]


def test_the_capped_scan_is_the_newest_of_the_same_list(tmp_path: Path) -> None:
    for number in range(7):
        write_memory(tmp_path, f"m{number}.md", mtime_ms=NOW_MS - number * 1000)
    limits = Limits(capped_scan_docs=3)
    everything = scan_all(project(tmp_path), limits)
    window = scan_capped(project(tmp_path), limits)
    assert len(everything.documents) == 7
    assert window.documents == everything.documents[:3]
    assert [everything.managed(each.id) for each in everything.documents] == [True] * 3 + [
        False
    ] * 4


def test_the_index_is_no_document_in_any_folder(tmp_path: Path) -> None:
    write_memory(tmp_path, "MEMORY.md")
    write_memory(tmp_path, "sub/MEMORY.md")
    write_memory(tmp_path, "memory.md")
    pool = scan_all(project(tmp_path))
    assert [each.relative_path for each in pool.documents] == ["memory.md"]
    assert len(pool.indexes) == 2


def test_only_the_exact_suffix_counts(tmp_path: Path) -> None:
    for name in ("a.MD", "b.markdown", "c.md.bak", ".hidden.md"):
        write_memory(tmp_path, name)
    pool = scan_all(project(tmp_path))
    assert [each.relative_path for each in pool.documents] == [".hidden.md"]


def test_links_are_read_only_inside_their_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_memory(root, "real.md", title="Real")
    outside = write_memory(tmp_path, "outside.md")
    folder = tmp_path / "elsewhere"
    write_memory(folder, "x.md")
    (root / "inside-link.md").symlink_to(root / "real.md")
    (root / "outside-link.md").symlink_to(outside)
    (root / "dangling.md").symlink_to(root / "gone.md")
    (root / "dangling-out.md").symlink_to(tmp_path / "gone.md")
    (root / "loop-a.md").symlink_to(root / "loop-b.md")
    (root / "loop-b.md").symlink_to(root / "loop-a.md")
    (root / "folder").symlink_to(folder)
    (root / "self").symlink_to(root)
    pool = scan_all(project(root))
    assert sorted(each.relative_path for each in pool.documents) == ["inside-link.md", "real.md"]
    assert reasons(root) == {
        "dangling-out.md": "outside-root",
        "dangling.md": "vanished",
        "folder": "outside-root",
        "loop-a.md": "unreadable",
        "loop-b.md": "unreadable",
        "outside-link.md": "outside-root",
        "self": "not-a-regular-file",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_and_sockets_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        (tmp_path / "to-pipe.md").symlink_to(tmp_path / "pipe.md")
        found = reasons(tmp_path)
    assert found == dict.fromkeys(("pipe.md", "socket.md", "to-pipe.md"), "not-a-regular-file")


def test_a_file_replaced_by_a_pipe_after_listing_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_memory(tmp_path, "a.md")
    real_open = os.open

    def swap_then_open(target: str, flags: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return real_open(target, flags)

    monkeypatch.setattr(files.os, "open", swap_then_open)
    assert reasons(tmp_path) == {"a.md": "not-a-regular-file"}


def test_a_file_that_vanishes_and_one_that_can_not_be_read_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_memory(tmp_path, "gone.md")
    write_memory(tmp_path, "locked.md")
    real_open = os.open

    def failing_open(target: str, flags: int) -> int:
        if target.endswith("gone.md"):
            raise FileNotFoundError(2, "No such file or directory", target)
        if target.endswith("locked.md"):
            raise PermissionError(13, "Permission denied", target)
        return real_open(target, flags)

    monkeypatch.setattr(files.os, "open", failing_open)
    assert reasons(tmp_path) == {"gone.md": "vanished", "locked.md": "unreadable"}


def test_a_file_over_the_limit_is_too_large_and_one_at_it_is_not(tmp_path: Path) -> None:
    head = b"---\nname: a\ntype: user\n---\n"
    write_file(tmp_path, "at.md", head + b"x" * (200 - len(head)))
    write_file(tmp_path, "over.md", head + b"x" * (201 - len(head)))
    pool = scan_all(project(tmp_path), Limits(file_bytes=200))
    assert [each.relative_path for each in pool.documents] == ["at.md"]
    assert [each.reason for each in pool.skipped] == ["too-large"]


def test_a_name_that_is_no_utf8_is_listed_and_can_be_printed(tmp_path: Path) -> None:
    name = os.fsencode(str(tmp_path)) + b"/caf\xe9.md"
    try:
        with open(name, "wb") as file:
            file.write(b"---\nname: a\ntype: user\n---\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (skipped,) = scan_all(project(tmp_path)).skipped
    assert skipped.reason == "unreadable"
    assert skipped.path.encode().endswith("caf\ufffd.md".encode())


@pytest.mark.parametrize("name", ["new\nline.md", "\x1b[31m.md", "-rf.md", " .md", "[/].md"])
def test_strange_names_are_documents_all_the_same(tmp_path: Path, name: str) -> None:
    write_memory(tmp_path, name)
    (document,) = scan_all(project(tmp_path)).documents
    assert document.relative_path == name


def test_a_typed_root_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RootNotFound, match="does not exist"):
        scan_all(project(tmp_path / "none"))


def test_a_found_root_that_is_not_there_is_absent(tmp_path: Path) -> None:
    pool = scan_all(Source(Scope.PROJECT, str(tmp_path / "none"), typed=False))
    assert [report.status for report in pool.scopes] == ["absent"]
    assert pool.complete


def test_the_project_must_be_listed_and_the_user_need_not(tmp_path: Path) -> None:
    file = write_file(tmp_path, "file", b"")
    write_memory(tmp_path / "root", "a.md")
    with pytest.raises(ScopeFailed, match="can not be listed"):
        scan_all(project(file))
    pool = scan_pool([project(tmp_path / "root"), Source(Scope.USER, str(file))])
    assert [report.status for report in pool.scopes] == ["ok", "failed"]
    assert not pool.complete
    assert len(pool.documents) == 1
    assert "user scope" in pool.warnings[0]


def test_an_empty_root_is_ok_and_not_failed(tmp_path: Path) -> None:
    (report,) = scan_all(project(tmp_path)).scopes
    assert (report.status, report.documents, report.error) == ("ok", 0, None)


def test_scopes_come_in_their_fixed_order(tmp_path: Path) -> None:
    for name in ("team", "user", "project"):
        write_memory(tmp_path / name, "a.md")
    sources = [Source(Scope(name), str(tmp_path / name)) for name in ("team", "user", "project")]
    pool = scan_pool(sources)
    assert [each.scope for each in pool.documents] == ["project", "user", "team"]
    assert len({each.id for each in pool.documents}) == 3


def test_excluded_files_are_left_out_and_remembered(tmp_path: Path) -> None:
    path = write_memory(tmp_path, "a.md")
    write_memory(tmp_path, "b.md")
    pool = scan_pool([project(tmp_path)], exclude=[str(path)])
    assert [each.relative_path for each in pool.documents] == ["b.md"]
    assert [each.relative_path for each in pool.excluded] == ["a.md"]


def test_a_sub_folder_that_can_not_be_listed_makes_the_pool_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_memory(tmp_path, "a.md")
    write_memory(tmp_path, "sub/b.md")
    real_scandir = os.scandir

    def failing(path: str) -> object:
        if path.endswith("sub"):
            raise PermissionError(13, "Permission denied", path)
        return real_scandir(path)

    monkeypatch.setattr(scan.os, "scandir", failing)
    pool = scan_all(project(tmp_path))
    assert not pool.complete
    assert "sub" in pool.warnings[0]
    assert len(pool.documents) == 1


def test_the_cache_rereads_what_changed_and_forgets_what_is_gone(tmp_path: Path) -> None:
    path = write_memory(tmp_path, "a.md", title="Before")
    write_memory(tmp_path, "b.md")
    cache: scan.ScanCache = {}
    first = scan_all(project(tmp_path), cache=cache)
    write_memory(tmp_path, "a.md", title="After", mtime_ms=NOW_MS + 1)
    (tmp_path / "b.md").unlink()
    second = scan_all(project(tmp_path), cache=cache)
    assert [each.title for each in second.documents] == ["After"]
    assert list(cache) == [str(path)]
    again = scan_all(project(tmp_path), cache=cache)
    assert again.documents[0] is second.documents[0]
    assert first.documents[0] is not second.documents[0]


def test_ids_are_stable_and_longer_only_where_they_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.memory.document import document_id, with_unique_ids
    from tests.helpers import make_document

    digest = hashlib.sha256(b"project/user/role.md").hexdigest()
    assert document_id("project", "user/role.md") == digest[:8]
    documents: list[Document] = [
        make_document("a.md", id="11111111"),
        make_document("b.md", id="11111111"),
        make_document("c.md", id="22222222"),
    ]
    assert [len(each.id) for each in with_unique_ids(documents)] == [16, 16, 8]


def test_scanning_writes_nothing(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    scan_all(project(tmp_path))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
