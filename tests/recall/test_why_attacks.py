"""Hostile memories, queries, limits and moments: no traceback, and nothing that is not true."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.limits import RANGES, Limits
from memtui.memory.database import merge_pools, read_database
from memtui.memory.dialects import DIALECTS, Dialect, Reading, read
from memtui.memory.document import Document, Pool, SkippedFile
from memtui.memory.edit import headed, keyed, read_bytes, reread, source_text
from memtui.memory.rewrite import repaired_text, with_key
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.why.explain import explain, why_record
from memtui.recall.why.near import near_misses
from memtui.recall.why.target import find_target
from tests.helpers import NOW_MS, make_document, write_file, write_memory
from tests.recall.why_trees import Tree, check_remedies, reason_of

HOSTILE = {
    "huge-description": b"---\nname: a\ndescription: "
    + b"word " * 200_000
    + b"\ntype: user\n---\n\nbody\n",
    "huge-title": b"---\nname: " + b"word " * 200_000 + b"\ntype: user\n---\n\nbody\n",
    "huge-body": b"---\nname: a\ntype: user\n---\n\n" + "wörter über & <x> ".encode() * 40_000,
    "control-title": b"---\nname: \x01\x02\x1b[2J\x7f\ntype: user\n---\n\nbody\n",
    "crlf": b"---\r\nname: a\r\ndescription: words\r\ntype: user\r\n---\r\n\r\nbody\r\n",
    "folded": b"---\nname: a\ndescription: >\n  folded words\n  go on\n\n  here\ntype: user\n"
    b"---\n\nb\n",
    "literal": b"---\nname: |\n  a\n  b\ndescription: d\nmetadata:\n  type: user\n---\n\nb\n",
    "duplicates": b"---\nname: a\ndescription: one\nname: b\ndescription: two\ntype: user\n"
    b"---\n\nb\n",
    "title-only": b"---\ntitle: the title\ntype: user\n---\n\nbody\n",
    "no-frontmatter": b"# A heading\n\nbody\n",
    "no-frontmatter-rule": b"text\n\n---\n\nmore\n",
    "empty": b"",
    "blank": b"\n \n\t\n",
    "invalid-yaml": b"---\nname: a: b\ndescription: [c, {d: e\ntype: user\n---\n\nbody\n",
    "quoted": b'---\nname: "a: b"\ndescription: "hash # tag: \\"x\\""\ntype: user\n---\n\nbody\n',
    "flow": b"---\n{name: a, description: b, type: user}\n---\n\nbody\n",
    "tabs": b"---\nname:\ta\n\tdescription: b\ntype:\tuser\n---\n\nbody\n",
    "bom": b"\xef\xbb\xbf---\nname: a\ntype: user\n---\n\nbody\n",
    "bom-alone": b"\xef\xbb\xbfjust text\n",
    "latin-1": b"---\nname: caf\xe9\ndescription: na\xefve\ntype: user\n---\n\nb\xf6dy\n",
    "spaced-keys": b'---\n"name" : a\ndescription : b\ntype: user\n---\n\nbody\n',
    "list": b"---\n- name\n- b\n---\n\nbody\n",
    "anchors": b"---\nname: &x a\ndescription: *x\ntype: user\n---\n\nbody\n",
    "closing-more": b"---\nname: a\ntype: user\n---- more\nbody\n",
    "separators": "---\nname: a\u2028description: b\rtype: user\n---\n\nbody\n".encode(),
    "nul": b"---\nname: a\x00b\ntype: user\n---\n\nbo\x00dy\n",
    "fences": b"---\n---\n---\n---\n",
    "surrogates": "---\nname: 🚀👨‍👩‍👧‍👦\ndescription: 🚀🚀\ntype: user\n---\n\n🚀\n".encode(),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_get_true_answers(name: str, dialect: str, tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", HOSTILE[name], mtime_ms=NOW_MS - 9_000)
    for number in range(3):
        write_memory(tmp_path, f"{number}.md", title="zebra lion", description="zebra lion")
    huge = len(HOSTILE[name]) > 10_000
    for query in ("zebra lion",) if huge else ("zebra lion", "words here", ""):
        for limits in ({"selected_docs": 2}, {"manifest_bytes": 400, "context_chars": 900}):
            tree = Tree.at(tmp_path, dialect, limits=limits)
            result = tree.ask(query)
            target = find_target(result.pool, "a.md", folder="/")
            assert isinstance(target, Document | SkippedFile)
            began = process_time()
            why = explain(result, target)
            assert process_time() - began < 5
            json.dumps(why_record(why, result))
            assert why.recalled or why.remedies or why.advice
            if not huge and name != "separators":
                check_remedies(tree, query, target, why)


KEPT = {
    "folded": ("description", "folded words go on here zebra"),
    "duplicates": ("description", "two zebra"),
    "title-only": ("title", "the title zebra"),
    "quoted": ("description", 'hash # tag: "x" zebra'),
    "invalid-yaml": ("title", "a: b zebra"),
    "spaced-keys": ("description", "b zebra"),
    "bom": ("title", "a zebra"),
    "crlf": ("description", "words zebra"),
    "tabs": ("title", "a zebra"),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_field_is_edited_and_nothing_else_changes(name: str, tmp_path: Path) -> None:
    field, value = KEPT[name]
    write_file(tmp_path, "a.md", HOSTILE[name])
    (document,) = Tree.at(tmp_path, "claude").pool().documents
    text = source_text(document)
    assert text is not None
    line = keyed(document, text, field, value)
    assert line is not None
    edited = with_key(text, *line, dialect="claude")
    assert edited is not None
    after = reread(document, edited)
    assert after is not None
    assert getattr(after, field) == value
    for other in {"title", "description", "type", "body"} - {field}:
        assert getattr(after, other) == getattr(document, other)
    assert ("yaml-invalid" in after.flags) <= ("yaml-invalid" in document.flags)


def test_a_value_that_yaml_would_cut_is_quoted(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b'---\nname: a\ndescription: "see #4: x"\n---\n\nb\n')
    (document,) = Tree.at(tmp_path, "claude").pool().documents
    text = str(source_text(document))
    assert keyed(document, text, "description", "see #4: x zebra") == (
        "description",
        '"see #4: x zebra"',
    )


def test_a_file_without_frontmatter_gets_one_that_keeps_its_title(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"# A heading\n\nbody\n")
    (document,) = Tree.at(tmp_path, "claude").pool().documents
    text = str(source_text(document))
    assert keyed(document, text, "description", "zebra") is None
    whole = headed(document, text, "description", "zebra")
    assert whole == "---\ndescription: zebra\n---\n\n# A heading\n\nbody\n"


frontmatters = st.lists(
    st.sampled_from([*"-: \t\n\r#\"'>|[]{}&*,a\u2028\ufeff", "---\n", "type: user\n", "name: b\n"]),
    max_size=30,
).map("".join)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frontmatters, st.sampled_from(DIALECTS))
def test_a_repaired_text_is_read(text: str, dialect: Dialect) -> None:
    repaired = repaired_text(text, "notes/a.md", dialect)
    assert repaired is not None
    assert isinstance(read(dialect, repaired.encode(), "notes/a.md"), Reading)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frontmatters, frontmatters, st.sampled_from(DIALECTS))
def test_what_is_keyed_reads_so(text: str, value: str, dialect: Dialect) -> None:
    blank = make_document("a.md", dialect=dialect)
    document = reread(blank, f"---\nname: x\ntype: user\n{text}")
    if document is None:
        return
    source = source_text(document, lambda path: f"---\nname: x\ntype: user\n{text}".encode())
    line = keyed(document, source, "description", value) if source else None
    if line is not None and source is not None:
        edited = with_key(source, *line, dialect=dialect)
        assert edited is not None
        after = reread(document, edited)
        assert after is not None
        assert (after.description, after.title, after.type, after.body) == (
            value,
            document.title,
            document.type,
            document.body,
        )


# -- moments --------------------------------------------------------------------------------------


def test_a_file_that_vanished_after_the_scan_keeps_its_remedies(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="giraffe", description="words")
    write_file(tmp_path, "b.md", b"no frontmatter")
    result = Tree.at(tmp_path).ask("zebra")
    (tmp_path / "a.md").unlink()
    (tmp_path / "b.md").unlink()
    why = explain(result, result.pool.documents[0])
    assert {each.changes[0].kind for each in why.remedies} == {"frontmatter", "query"}
    gone = explain(result, result.pool.skipped[0])
    assert reason_of(gone) == ("scan", "no-frontmatter")
    assert gone.remedies == ()
    assert gone.advice
    assert "scan again" in gone.advice


def test_a_file_that_changed_after_the_scan_is_judged_as_it_was_scanned(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="giraffe", description="words")
    write_memory(tmp_path, "full.md", title="zebra", body="words " * 200)
    write_file(tmp_path, "b.md", b"no frontmatter")
    result = Tree.at(tmp_path, limits={"context_chars": 700}).ask("zebra")
    write_memory(tmp_path, "a.md", title="zebra", description="entirely other")
    write_memory(tmp_path, "full.md", title="zebra", body="short")
    write_memory(tmp_path, "b.md", title="zebra")
    pool = result.pool
    why = explain(result, find_target(pool, "a.md", folder="/"))
    assert "words zebra" in [each.changes[0].value for each in why.remedies]
    full = explain(result, find_target(pool, "full.md", folder="/"))
    assert reason_of(full) == ("context", "max-chars")
    assert "content" not in {each.changes[0].kind for each in full.remedies}, "it would undo work"
    repaired = explain(result, find_target(pool, "b.md", folder="/"))
    assert repaired.remedies == ()
    assert "scan again" in str(repaired.advice)


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices")
def test_a_file_that_became_a_pipe_or_a_device_is_not_read(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="giraffe")
    write_memory(tmp_path, "b.md", title="giraffe")
    result = Tree.at(tmp_path).ask("zebra")
    for name in ("a.md", "b.md"):
        (tmp_path / name).unlink()
    os.mkfifo(tmp_path / "a.md")
    (tmp_path / "b.md").symlink_to("/dev/zero")
    for document in result.pool.documents:
        assert explain(result, document).remedies
        with pytest.raises(OSError, match="no regular file"):
            read_bytes(document.path)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        with pytest.raises(OSError):
            read_bytes(str(tmp_path))
        with pytest.raises(OSError):
            read_bytes("a\0b")
    assert not before or len(os.listdir("/proc/self/fd")) == before


# -- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "word%d " * 0 + " ".join(f"word{number}" for number in range(120_000)),
        "ab " * 350_000,
        "部" * 350_000,
        "部 " * 250_000,
        "x" * 1_000_000,
        "é\u0301" * 200_000,
        "\ud800" * 1_000,
        "\x00\x1b[2J",
    ],
    ids=["words", "short", "cjk", "lone-cjk", "one", "marks", "surrogates", "controls"],
)
def test_a_query_of_a_megabyte_is_answered_in_time(query: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    words = " ".join(f"word{rng.randint(0, 999_999)} 部署 ab" for _ in range(20_000))
    write_memory(tmp_path, "a.md", title="giraffe", description="ab 部署", body=words)
    write_memory(tmp_path, "b.md", title="lion")
    result = Tree.at(tmp_path).ask(query)
    for document in result.pool.documents:
        began = process_time()
        why = explain(result, document)
        assert process_time() - began < 8
        assert why.recalled or why.remedies or why.advice
        json.dumps(why_record(why, result))


def test_near_misses_of_large_texts_are_found_in_time() -> None:
    rng = random.Random(2)
    words = [f"w{rng.randint(0, 10**9):x}" for _ in range(100_000)]
    document = make_document(title=" ".join(words), description=" ".join(words))
    query = " ".join(f"missing{number}" for number in range(64))
    result = recall(query, Pool(documents=(document,)), RecallOptions(now_ms=NOW_MS))
    began = process_time()
    near_misses(result, document)
    assert process_time() - began < 4


@pytest.mark.parametrize("bound", [0, 1])
@pytest.mark.parametrize("name", [each for each in RANGES if each != "file_bytes"])
def test_limits_at_their_bounds(name: str, bound: int, tmp_path: Path) -> None:
    value = RANGES[name][bound]
    values = {name: value}
    if name == "candidate_docs" and value == 0:
        values["recent_reserve"] = 0
    if name == "recent_reserve" and value:
        values["candidate_docs"] = value
    for number in range(7):
        write_memory(tmp_path, f"{number}.md", title="zebra", mtime_ms=NOW_MS - number)
    write_memory(tmp_path, "a.md", title="giraffe", body="b " * 700 + "zebra", mtime_ms=1)
    for ablations in ({}, {"scan": "capped", "packing": "prefix", "reserve": "appended"}):
        tree = Tree.at(tmp_path, limits=values, ablations=ablations)
        result = tree.ask("zebra lion")
        pool = result.pool
        for target in (*pool.documents, *pool.beyond):
            why = explain(result, target)
            if not why.recalled:
                check_remedies(tree, "zebra lion", target, why)


@pytest.mark.parametrize("size", [1, 100])
def test_files_at_the_bounds_of_their_limit(size: int, tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra", body="b" * 200)
    write_file(tmp_path, "empty.md", b"")
    tree = Tree.at(tmp_path, limits={"file_bytes": size})
    why = tree.why("zebra", "a.md")
    assert reason_of(why) == ("scan", "too-large")
    assert isinstance(why.target, SkippedFile)
    check_remedies(tree, "zebra", why.target, why)
    tree.why("zebra", "empty.md")


def test_a_file_that_is_too_large_and_broken_is_mended_in_two(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"---\nname: zebra\n---\n\n" + b"b" * 900)
    tree = Tree.at(tmp_path, limits={"file_bytes": 300})
    why = tree.why("zebra", "a.md")
    assert isinstance(why.target, SkippedFile)
    assert why.remedies[0].leads_to == "context"
    assert {each.kind for each in why.remedies[0].changes} == {"limit", "frontmatter"}
    check_remedies(tree, "zebra", why.target, why)


# -- rows of a database ---------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE memories (id TEXT PRIMARY KEY, category TEXT, summary TEXT, content TEXT,"
            " importance REAL, created_at INTEGER, updated_at INTEGER, deleted_at INTEGER,"
            " superseded_by TEXT)"
        )
        for number in range(8):
            connection.execute(
                "INSERT INTO memories VALUES (?, 'note', ?, ?, 1.0, ?, ?, NULL, NULL)",
                (f"m{number}", f"zebra {number}", "words " * 300, number + 1, number + 1),
            )
        connection.execute(
            "INSERT INTO memories VALUES ('g', 'note', 'giraffe', 'x', 1.0, 1, 1, NULL, NULL)"
        )
        connection.execute(
            "INSERT INTO memories VALUES ('d', 'note', 'gone', 'x', 1.0, 1, 1, 5, NULL)"
        )
        connection.execute(
            "INSERT INTO memories VALUES ('s', 'note', 'old', 'x', 1.0, 1, 1, NULL, 'm1')"
        )
    return path


def test_rows_get_remedies_that_need_no_file(database: Path) -> None:
    for limits in (
        Limits(),
        Limits(context_chars=900),
        Limits(manifest_bytes=300),
        Limits(candidate_docs=2, recent_reserve=1),
        Limits(capped_scan_docs=3),
        Limits(file_bytes=40),
    ):
        pool = read_database(str(database), limits=limits)
        for query in ("zebra", "lion", ""):
            result = recall(query, pool, RecallOptions(limits=limits, now_ms=NOW_MS))
            for target in (*pool.documents, *pool.skipped):
                why = explain(result, target)
                kinds = {change.kind for each in why.remedies for change in each.changes}
                assert kinds <= {"limit", "query", "touch", "tools"}
                assert why.recalled or why.remedies or why.advice
                json.dumps(why_record(why, result))


def test_rows_that_are_deleted_or_superseded_get_advice(database: Path) -> None:
    pool = read_database(str(database))
    result = recall("zebra", pool, RecallOptions(now_ms=NOW_MS))
    reasons = {each.reason for each in pool.skipped}
    assert reasons == {"deleted", "superseded"}
    for skipped in pool.skipped:
        why = explain(result, skipped)
        assert reason_of(why) == ("scan", skipped.reason)
        assert (why.remedies, bool(why.advice)) == ((), True)


def test_files_beside_rows_are_still_edited(database: Path, tmp_path: Path) -> None:
    root = tmp_path / "files"
    write_file(root, "a.md", b"---\nname: giraffe\n---\n\nx\n")
    write_file(root, "b.md", b"---\nname: giraffe\n\nx\n")
    files = Tree.at(root, "claude").pool()
    pool = merge_pools(files, read_database(str(database), id_prefix="db-"))
    result = recall("lion", pool, RecallOptions(now_ms=NOW_MS))
    why = explain(result, find_target(pool, str(root / "a.md")))
    assert "frontmatter" in {each.changes[0].kind for each in why.remedies}
    mended = explain(result, find_target(pool, str(root / "b.md")))
    assert reason_of(mended) == ("scan", "unclosed-frontmatter")
    assert mended.remedies[0].changes[0].kind == "content"
