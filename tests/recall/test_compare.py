"""Two recalls side by side: what the designs before and besides would have shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, ScopeReport
from memtui.memory.scan import capped
from memtui.recall.compare import (
    PRESETS,
    Comparison,
    compare,
    compare_record,
    preset_options,
    regime_of,
)
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.why.ladder import REASONS
from memtui.samples import temporary_demo
from tests.helpers import DAY_MS, NOW_MS, make_document, write_file, write_memory
from tests.recall.test_why_ladder import recalls
from tests.recall.why_trees import Tree


def check(difference: Comparison) -> None:
    """Gained, lost and moved are what the packed lines say; every lost one says where and why."""
    before = [each.document.id for each in difference.before.manifest.packed]
    after = [each.document.id for each in difference.after.manifest.packed]
    assert [each.id for each in difference.gained] == [each for each in after if each not in before]
    assert [each.document.id for each in difference.lost] == [
        each for each in before if each not in after
    ]
    assert [(each.document.id, each.before, each.after) for each in difference.moved] == [
        (each, before.index(each) + 1, line)
        for line, each in enumerate(after, start=1)
        if each in before and before.index(each) + 1 != line
    ]
    for each in difference.lost:
        assert each.stage in ("found", "scan", "tools", "candidates", "manifest")
        assert each.reason in REASONS


def demo_tree(name: str) -> Iterator[tuple[Tree, tuple[str, ...], str | None]]:
    with temporary_demo(name) as demo:
        roots = {Scope.PROJECT: demo.project} | ({Scope.USER: demo.user} if demo.user else {})
        options = RecallOptions(now_ms=float(demo.now_ms))
        yield (
            Tree(roots, demo.scenario.dialect, options),
            demo.scenario.queries,
            demo.scenario.expected,
        )


def against(tree: Tree, preset: str, query: str) -> Comparison:
    pool = tree.pool()
    before = recall(query, pool, preset_options(tree.options, preset))
    return compare(before, tree.ask(query, pool))


def test_two_scopes_had_three_hundred_lines_and_have_about_a_hundred() -> None:
    for tree, queries, _ in demo_tree("two-scopes"):
        for query in queries:
            difference = against(tree, "capped", query)
            assert difference.before.manifest.lines == 300
            assert 90 <= difference.after.manifest.lines <= 150
            assert not difference.gained
            check(difference)
            assert compare_record(difference)["regime"]["name"] == "between"  # type: ignore[index]


def test_overflow_had_two_hundred_lines_without_the_one_and_has_it_first() -> None:
    for tree, queries, expected in demo_tree("overflow"):
        difference = against(tree, "capped", queries[0])
        assert difference.before.manifest.lines == 200
        shown = [each.document.relative_path for each in difference.before.manifest.packed]
        assert expected not in shown
        first = difference.after.manifest.packed[0]
        assert (first.document.relative_path, first.line) == (expected, 1)
        assert difference.gained[0] is first.document
        check(difference)
        assert compare_record(difference)["regime"]["name"] == "over"  # type: ignore[index]


def test_the_design_before_lists_project_before_user_newest_first() -> None:
    for tree, queries, _ in demo_tree("two-scopes"):
        packed = against(tree, "capped", queries[0]).before.manifest.packed
        order = [(each.document.scope.value, -each.document.mtime_ms) for each in packed]
        assert order == sorted(order)


def test_an_appended_reserve_is_what_bytes_cut_off_first() -> None:
    for tree, queries, _ in demo_tree("overflow"):
        difference = against(tree, "appended", queries[1])
        recent = [
            [each.origin for each in side.manifest.packed].count("recent")
            for side in (difference.before, difference.after)
        ]
        assert recent[0] <= 1
        assert recent[1] == 20
        check(difference)


def test_a_prefix_ends_where_packing_goes_on() -> None:
    for tree, queries, _ in demo_tree("multibyte"):
        difference = against(tree, "prefix", queries[0])
        assert difference.before.manifest.lines < difference.after.manifest.lines
        assert difference.gained
        assert not difference.lost
        check(difference)


@pytest.mark.parametrize("preset", PRESETS)
def test_in_a_small_pool_no_design_leaves_one_out(preset: str) -> None:
    for tree, queries, _ in demo_tree("small"):
        for query in queries:
            difference = against(tree, preset, query)
            assert not difference.gained
            assert not difference.lost
            check(difference)
            record = compare_record(difference)
            assert record["regime"]["name"] == "small"  # type: ignore[index]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recalls(), st.sampled_from(PRESETS), st.integers(0, 1_500))
def test_any_two_recalls_are_compared_line_by_line(
    result: Recall, preset: str, manifest_bytes: int
) -> None:
    whole = Pool(
        documents=(*result.pool.documents, *result.pool.beyond),
        skipped=result.pool.skipped,
        scopes=result.pool.scopes,
        unmanaged=frozenset(each.id for each in result.pool.beyond),
        excluded=result.pool.excluded,
    )
    query = result.query.text
    other = recall(query, whole, preset_options(result.options, preset))
    limits = replace(result.options.limits, manifest_bytes=manifest_bytes)
    third = recall(query, whole, replace(result.options, limits=limits))
    for before, after in ((other, result), (result, other), (third, result), (other, third)):
        check(compare(before, after))
        compare_record(compare(before, after))


def pool_of(*sizes: int) -> Pool:
    documents: list[Document] = []
    reports = []
    for scope, size in zip(Scope, sizes, strict=False):
        documents += [make_document(f"{n}.md", scope=scope) for n in range(size)]
        reports.append(ScopeReport(scope, f"/{scope}", "qwen", "ok", size))
    return Pool(documents=tuple(documents), scopes=tuple(reports))


@pytest.mark.parametrize(
    ("sizes", "name"),
    [
        ((0,), "small"),
        ((200,), "small"),
        ((100, 100), "small"),
        ((101, 100), "between"),
        ((200, 200), "between"),
        ((201,), "over"),
        ((201, 10), "over"),
        ((1, 201), "over"),
    ],
)
def test_the_regime_is_by_the_numbers_of_the_pool(sizes: tuple[int, ...], name: str) -> None:
    pool = pool_of(*sizes)
    assert regime_of(pool, 200)[0] == name
    unmanaged = frozenset(each.id for each in pool.documents[150:])
    part = capped(replace(pool, unmanaged=unmanaged))
    assert regime_of(part, 200)[0] == name, "a capped pool still knows what it left out"


def test_one_that_is_gone_broken_or_shut_out_in_the_other_tree_says_so(tmp_path: Path) -> None:
    for name in ("gone.md", "broken.md", "shown.md", "muted.md"):
        write_memory(tmp_path / "a", name, body="grep tool usage" if name == "muted.md" else "")
    write_file(tmp_path / "b", "broken.md", b"no frontmatter")
    write_memory(tmp_path / "b", "shown.md")
    write_memory(tmp_path / "b", "muted.md", body="grep tool usage")
    before = Tree.at(tmp_path / "a").ask("zebra")
    excluded = (str(tmp_path / "b/shown.md"),)
    after = Tree.at(tmp_path / "b", exclude=excluded, recent_tools=("grep",)).ask("zebra")
    difference = compare(before, after)
    found = {each.document.relative_path: (each.stage, each.reason) for each in difference.lost}
    assert found == {
        "gone.md": ("found", "no-such-file"),
        "broken.md": ("scan", "no-frontmatter"),
        "shown.md": ("scan", "excluded"),
        "muted.md": ("tools", "tool-noise"),
    }


def test_one_of_a_scope_that_failed_says_so() -> None:
    document = make_document("a.md", scope=Scope.USER)
    before = recall("zebra", Pool(documents=(document,)), RecallOptions(now_ms=NOW_MS))
    failed = ScopeReport(Scope.USER, "/user", "qwen", "failed", error="denied")
    after = recall("zebra", Pool(scopes=(failed,)), RecallOptions(now_ms=NOW_MS))
    (lost,) = compare(before, after).lost
    assert (lost.stage, lost.reason) == ("found", "scope-failed")


def test_one_that_the_context_shows_without_a_line_is_lost_to_the_manifest(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra")
    write_memory(tmp_path, "b.md", mtime_ms=NOW_MS - DAY_MS)
    tree = Tree.at(tmp_path)
    less = replace(tree.options, limits=Limits(manifest_bytes=0))
    pool = tree.pool()
    difference = compare(tree.ask("zebra", pool), recall("zebra", pool, less))
    assert [(each.stage, each.reason) for each in difference.lost] == [
        ("manifest", "line-does-not-fit")
    ] * 2
    check(difference)


def test_a_preset_leaves_the_other_options_alone() -> None:
    options = RecallOptions(
        limits=Limits(manifest_bytes=900), ablations=Ablations(packing="prefix"), now_ms=NOW_MS
    )
    assert preset_options(options, "appended").ablations == Ablations("appended", "prefix")
    assert preset_options(options, "prefix").limits == options.limits
    assert preset_options(options, "capped").design == "capped"
