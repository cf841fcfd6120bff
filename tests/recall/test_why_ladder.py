"""The ladder follows from the fields of the recall, and every stage and reason is told exactly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, ScopeReport, SkippedFile
from memtui.memory.scan import in_scan_order
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.why.explain import explain
from memtui.recall.why.ladder import REASONS, STAGES, climb
from memtui.recall.why.target import find_target
from tests.helpers import DAY_MS, NOW_MS, make_document, write_file, write_memory
from tests.recall.why_trees import Tree, first, lost, reason_of

WORDS = ("deploy", "release", "queue", "token", "部署", "回滚", "zebra", "api docs grep")

some_text = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    number = draw(st.integers(0, 400))
    scope = draw(st.sampled_from([Scope.PROJECT, Scope.USER]))
    name = f"{draw(st.sampled_from(['', 'user/']))}n{number}.md"
    return make_document(
        name,
        scope=scope,
        path=f"/{scope}/{name}",
        type=draw(st.sampled_from(["user", "project", "", "note"])),
        title=draw(some_text) or "untitled",
        description=draw(some_text) * draw(st.sampled_from([1, 1, 20])),
        body=draw(some_text) * draw(st.sampled_from([1, 1, 60])),
        mtime_ms=NOW_MS - draw(st.integers(0, 30)) * DAY_MS,
        dialect=draw(st.sampled_from(["qwen", "claude"])),
    )


@st.composite
def recalls(draw: st.DrawFn) -> Recall:
    drawn = draw(st.lists(documents(), max_size=25, unique_by=lambda each: each.id))
    names = draw(st.lists(st.sampled_from(["x.md", "y.md"]), unique=True))
    skipped = tuple(
        SkippedFile(f"/project/{name}", Scope.PROJECT, name, "type-missing", "no type", "add one")
        for name in names
    )
    window = draw(st.integers(0, 12))
    ordered: list[Document] = []
    unmanaged: set[str] = set()
    for scope in (Scope.PROJECT, Scope.USER):
        own = in_scan_order([each for each in drawn if each.scope is scope])
        ordered += own
        unmanaged.update(each.id for each in own[window:])
    excluded = tuple(ordered[: draw(st.sampled_from([0, 0, 2]))])
    pool = Pool(
        documents=tuple(each for each in ordered if each not in excluded),
        skipped=skipped,
        scopes=tuple(
            ScopeReport(scope, f"/{scope}", "qwen", "ok") for scope in (Scope.PROJECT, Scope.USER)
        ),
        unmanaged=frozenset(unmanaged),
        excluded=excluded,
    )
    candidates = draw(st.integers(0, 12))
    limits = Limits(
        capped_scan_docs=window,
        candidate_docs=candidates,
        recent_reserve=draw(st.integers(0, candidates)),
        manifest_bytes=draw(st.integers(0, 1_500)),
        context_chars=draw(st.sampled_from([0, 600, 900, 2_000, 12_000])),
        selected_docs=draw(st.integers(1, 6)),
        body_window_chars=draw(st.sampled_from([0, 10, 1_200])),
    )
    ablations = Ablations(
        reserve=draw(st.sampled_from(["interleaved", "appended"])),
        packing=draw(st.sampled_from(["pack", "prefix"])),
        scan=draw(st.sampled_from(["all", "capped"])),
    )
    options = RecallOptions(
        limits=limits,
        ablations=ablations,
        recent_tools=draw(st.sampled_from([(), ("grep",)])),
        design=draw(st.sampled_from(["bounded", "bounded", "capped"])),
        now_ms=NOW_MS,
    )
    return recall(draw(some_text), pool, options)


def first_stage_without(result: Recall, document: Document) -> str | None:
    """Section 14 again, from the fields alone."""
    if document.id in result.context.kept:
        return None
    outputs: list[tuple[str, Sequence[str]]] = [
        ("scan", [each.id for each in result.pool.documents]),
        ("tools", [each.id for each in result.eligible]),
        ("candidates", [each.document.id for each in result.candidates]),
        ("manifest", [each.document.id for each in result.manifest.packed]),
        ("selection", result.selection.ids),
        ("context", result.context.kept),
    ]
    return next(stage for stage, ids in outputs if document.id not in ids)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recalls())
def test_verdicts_follow_from_the_fields_of_the_recall(result: Recall) -> None:
    pool = result.pool
    for target in (*pool.documents, *pool.beyond, *pool.excluded, *pool.skipped):
        rungs = climb(result, target)
        assert [rung.stage for rung in rungs] == list(STAGES)
        verdicts = [rung.verdict for rung in rungs]
        fallen = [rung.stage for rung in rungs if rung.verdict == "lost"]
        if isinstance(target, SkippedFile):
            assert fallen == ["scan"]
        else:
            expected = first_stage_without(result, target)
            assert fallen == ([] if expected is None else [expected])
        if fallen:
            after = verdicts[verdicts.index("lost") + 1 :]
            assert set(after) <= {"not-reached"}
            assert "not-reached" not in verdicts[: -len(after) or None]
        else:
            assert "not-reached" not in verdicts
        for rung in rungs:
            assert (rung.reason is None) == (rung.verdict in ("passed", "not-reached"))
            assert rung.reason is None or rung.reason in REASONS
            assert rung.margin is None or rung.margin >= 0
            assert rung.detail or rung.verdict == "not-reached"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recalls())
def test_numbers_of_the_rungs_are_those_of_the_recall(result: Recall) -> None:
    for document in result.pool.documents:
        rungs = {rung.stage: rung for rung in climb(result, document)}
        hit = next((each for each in result.hits if each.document.id == document.id), None)
        most = result.options.limits.lexical_docs
        if hit is not None and rungs["rank"].verdict != "not-reached":
            passed = hit.rank <= most
            assert rungs["rank"].verdict == ("passed" if passed else "missed")
            assert rungs["rank"].margin == abs(hit.rank - most)
        verdict = next(
            (each for each in result.manifest.verdicts if each.document.id == document.id), None
        )
        if verdict is not None and rungs["manifest"].verdict != "not-reached":
            left = verdict.bytes_left if verdict.packed else verdict.bytes_missing
            assert rungs["manifest"].margin == left


def skipped_tree(root: Path, content: bytes, name: str = "a.md") -> Tree:
    write_file(root, name, content)
    return Tree.at(root)


SKIPPED = {
    "type-nested": (b"---\nname: A\nmetadata:\n  type: user\n---\n\nzebra\n", "frontmatter"),
    "type-unknown": (b'---\nname: A\ntype: "user"\n---\n\nzebra\n', "frontmatter"),
    "type-missing": (b"---\nname: A\n---\n\nzebra\n", "frontmatter"),
    "no-frontmatter": (b"# zebra\n", "content"),
    "unclosed-frontmatter": (b"---\nname: A\ntype: user\n\nzebra\n", "content"),
    "byte-order-mark": (b"\xef\xbb\xbf---\nname: A\ntype: user\n---\n\nzebra\n", "content"),
}


@pytest.mark.parametrize("reason", SKIPPED)
def test_a_skipped_file_offers_its_repair(reason: str, tmp_path: Path) -> None:
    content, kind = SKIPPED[reason]
    why = skipped_tree(tmp_path, content).why("zebra", "a.md")
    assert reason_of(why) == ("scan", reason)
    assert first(why).kind == kind
    assert why.remedies[0].leads_to == "context"
    assert why.advice is None


def test_a_nested_type_offers_that_very_key_with_the_value_found(tmp_path: Path) -> None:
    why = skipped_tree(tmp_path, SKIPPED["type-nested"][0]).why("zebra", "a.md")
    assert (first(why).name, first(why).value) == ("type", "user")


def test_a_file_that_is_too_large_offers_its_own_size(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra", body="x " * 500)
    tree = Tree.at(tmp_path, limits={"file_bytes": 900})
    why = tree.why("zebra", "a.md")
    assert reason_of(why) == ("scan", "too-large")
    assert (first(why).name, first(why).value) == ("file_bytes", (tmp_path / "a.md").stat().st_size)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_what_no_change_can_mend_gets_advice_and_no_remedy(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    write_memory(tmp_path, "outside.md")
    write_memory(root, "shown.md", title="zebra")
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (root / "gone.md").symlink_to(root / "nothing.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    os.mkfifo(root / "pipe.md")
    tree = Tree.at(root, exclude=(str(root / "shown.md"),))
    for name, reason in (
        ("out.md", "outside-root"),
        ("gone.md", "vanished"),
        ("loop.md", "unreadable"),
        ("pipe.md", "not-a-regular-file"),
        ("shown.md", "excluded"),
    ):
        why = tree.why("zebra", name)
        assert reason_of(why) == ("scan", reason)
        assert why.remedies == ()
        assert why.advice, name


def test_a_name_that_leads_nowhere_is_lost_at_found_with_advice(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    write_memory(root, "a.md")
    write_file(root, "MEMORY.md", b"# index\n")
    write_file(root, "notes.txt", b"x")
    write_file(tmp_path, "elsewhere.md", b"x")
    tree = Tree.at(root)
    for name, reason in (
        ("no.md", "no-such-file"),
        ("MEMORY.md", "index-file"),
        ("notes.txt", "not-markdown"),
        (str(tmp_path / "elsewhere.md"), "outside-roots"),
        ("a\0b", "no-such-file"),
        ("\ud800", "no-such-file"),
        ("x" * 5_000, "no-such-file"),
        ("", "outside-roots"),
    ):
        why = tree.why("zebra", name)
        assert reason_of(why) == ("found", reason), name
        assert why.advice
        assert why.remedies == ()


def test_a_scope_that_failed_is_named(tmp_path: Path) -> None:
    pool = Pool(
        scopes=(ScopeReport(Scope.USER, "/no/user", "qwen", "failed", error="Permission denied"),)
    )
    result = recall("zebra", pool, RecallOptions(now_ms=NOW_MS))
    why = explain(result, find_target(pool, "/no/user/a.md"))
    assert reason_of(why) == ("found", "scope-failed")
    assert "Permission denied" in lost(why).detail


def test_a_muted_note_offers_the_tool(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra", body="the grep tool usage")
    tree = Tree.at(tmp_path, recent_tools=("mcp__files__grep", "curl"))
    why = tree.why("zebra", "a.md")
    assert reason_of(why) == ("tools", "tool-noise")
    assert first(why).remove == ("mcp__files__grep",)
    assert "mcp__files__grep" in lost(why).detail
    assert "'tool usage'" in lost(why).detail


def aged(root: Path, count: int, **fields: str) -> None:
    """Memories a day apart, the newest first."""
    for number in range(count):
        write_memory(root, f"f{number:03}.md", mtime_ms=NOW_MS - (number + 1) * DAY_MS, **fields)


def test_one_that_is_too_old_for_the_reserve_offers_touch(tmp_path: Path) -> None:
    aged(tmp_path, 5)
    write_memory(tmp_path, "old.md", title="giraffe", mtime_ms=NOW_MS - 99 * DAY_MS)
    tree = Tree.at(tmp_path, limits={"candidate_docs": 3, "recent_reserve": 1})
    why = tree.why("zebra", "old.md")
    assert reason_of(why) == ("candidates", "too-old-for-reserve")
    assert lost(why).margin == 3
    assert first(why).kind == "touch"
    assert why.remedies[0].leads_to == "manifest"
    assert why.remedies[1].leads_to == "context"


@pytest.mark.parametrize("query", ["", "of it", "部"])
def test_a_query_without_a_token_is_told_at_the_rank(query: str, tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="giraffe")
    why = Tree.at(tmp_path).why(query, "a.md")
    rank = next(rung for rung in why.ladder if rung.stage == "rank")
    assert (rank.verdict, rank.reason) == ("missed", "query-has-no-token")
    assert reason_of(why) == ("selection", "no-lexical-hit")
    assert (first(why).kind, first(why).value) == ("query", f"{query} giraffe".strip())


def test_no_word_on_either_side_leaves_advice_alone(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"---\nname: it\ntype: user\n---\n\n1\n")
    why = Tree.at(tmp_path).why("of", "a.md")
    assert why.remedies == ()
    assert why.advice
    assert "three letters" in why.advice


def test_a_hit_below_the_cut_is_told_by_places(tmp_path: Path) -> None:
    aged(tmp_path, 4, title="zebra")
    tree = Tree.at(tmp_path, limits={"candidate_docs": 2, "recent_reserve": 0, "selected_docs": 1})
    why = tree.why("zebra", "f003.md")
    rank = next(rung for rung in why.ladder if rung.stage == "rank")
    assert (rank.reason, rank.margin, rank.unit) == ("below-cut", 2, "places")
    assert reason_of(why) == ("candidates", "too-old-for-reserve")


def test_a_line_one_byte_too_long_offers_one_byte_more(tmp_path: Path) -> None:
    aged(tmp_path, 2, description="some words")
    whole = Tree.at(tmp_path).ask("zebra").manifest.bytes
    tree = Tree.at(tmp_path, limits={"manifest_bytes": whole - 1})
    why = tree.why("zebra", "f001.md")
    assert reason_of(why) == ("manifest", "line-does-not-fit")
    assert (lost(why).margin, lost(why).unit) == (1, "bytes")
    assert (first(why).name, first(why).value) == ("manifest_bytes", whole)
    assert why.remedies[0].leads_to == "manifest"
    cut = next(each for each in why.remedies if each.changes[0].value == "some word")
    assert cut.leads_to == "manifest"


def test_a_packed_one_without_a_point_offers_words(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="giraffe")
    why = Tree.at(tmp_path).why("zebra", "a.md")
    assert reason_of(why) == ("selection", "no-lexical-hit")
    assert first(why).kind in ("query", "frontmatter")
    assert {each.changes[0].kind for each in why.remedies} == {"query", "frontmatter"}


def test_a_hit_that_lacks_points_says_how_many(tmp_path: Path) -> None:
    aged(tmp_path, 2, title="zebra")
    write_memory(tmp_path, "low.md", body="zebra", mtime_ms=NOW_MS - 9 * DAY_MS)
    tree = Tree.at(tmp_path, limits={"selected_docs": 2})
    why = tree.why("zebra", "low.md")
    assert reason_of(why) == ("selection", "rank-below-limit")
    # Four points as the others have would leave it behind them, for it is older.
    assert (lost(why).margin, lost(why).unit) == (4, "points")
    assert (first(why).name, first(why).value) == ("selected_docs", 3)
    assert {each.changes[0].kind for each in why.remedies} == {"limit", "frontmatter", "query"}


def test_a_newer_hit_needs_no_more_than_the_same_points(tmp_path: Path) -> None:
    aged(tmp_path, 2, title="zebra")
    write_memory(tmp_path, "low.md", body="zebra", mtime_ms=NOW_MS)
    why = Tree.at(tmp_path, limits={"selected_docs": 2}).why("zebra", "low.md")
    assert lost(why).margin == 3


def test_a_full_context_offers_the_chars_that_are_missing(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra zebra", body="word " * 100)
    write_memory(tmp_path, "b.md", title="zebra", body="word " * 100, mtime_ms=NOW_MS - 1)
    full = Tree.at(tmp_path).ask("zebra").context.chars
    tree = Tree.at(tmp_path, limits={"context_chars": full - 7})
    why = tree.why("zebra", "b.md")
    assert reason_of(why) == ("context", "max-chars")
    assert (lost(why).margin, lost(why).unit) == (7, "chars")
    assert (first(why).name, first(why).value) == ("context_chars", full)
    shorter = next(each for each in why.remedies if each.changes[0].kind == "content")
    assert shorter.leads_to == "context"


def test_one_that_a_capped_scan_leaves_out_says_how_far(tmp_path: Path) -> None:
    aged(tmp_path, 4, title="zebra")
    limits = {"capped_scan_docs": 2}
    why = Tree.at(tmp_path, limits=limits, ablations={"scan": "capped"}).why("zebra", "f003.md")
    assert reason_of(why) == ("scan", "beyond-capped-scan")
    assert lost(why).margin == 2
    assert (first(why).name, first(why).value) == ("capped_scan_docs", 4)


def test_a_recalled_one_says_by_what_margin(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra")
    write_memory(tmp_path, "b.md", body="zebra")
    why = Tree.at(tmp_path, limits={"selected_docs": 1}).why("zebra", "a.md")
    assert why.recalled
    assert (why.lost_at, why.remedies, why.advice) == (None, (), None)
    rungs = {rung.stage: rung for rung in why.ladder}
    assert (rungs["selection"].margin, rungs["selection"].unit) == (3, "points")
    assert rungs["context"].unit == "chars"
    assert {rung.verdict for rung in why.ladder} == {"passed"}


def test_a_tie_that_age_decided_has_a_margin_of_no_points(tmp_path: Path) -> None:
    aged(tmp_path, 2, title="zebra")
    why = Tree.at(tmp_path, limits={"selected_docs": 1}).why("zebra", "f000.md")
    rung = next(each for each in why.ladder if each.stage == "selection")
    assert (rung.margin, rung.unit) == (0, "points")


def test_a_recalled_one_that_the_manifest_had_no_room_for_is_not_lost(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra")
    tree = Tree.at(tmp_path, limits={"manifest_bytes": 10})
    why = tree.why("zebra", "a.md")
    assert why.recalled
    rung = next(each for each in why.ladder if each.stage == "manifest")
    assert (rung.verdict, rung.reason) == ("missed", "line-does-not-fit")
