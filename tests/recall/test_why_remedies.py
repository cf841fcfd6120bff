"""Every remedy, applied for real to the files, leads exactly where it says; and there is one."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, ScopeReport, SkippedFile
from memtui.memory.edit import with_document
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.selectors.given import ManualSelector, ReplaySelector
from memtui.recall.why.changes import Change, attempt, start
from memtui.recall.why.explain import explain
from memtui.recall.why.remedies import Remedy, find_remedies, in_order
from memtui.recall.why.target import find_target
from memtui.samples import SCENARIOS, temporary_demo
from tests.helpers import DAY_MS, NOW_MS, make_document, write_file, write_memory
from tests.recall.why_trees import (
    NATURAL,
    OUT_OF_REACH,
    Tree,
    applied,
    check_order,
    check_remedies,
    first,
    reached,
    reason_of,
    vocabulary,
    write_random_tree,
)

SETTINGS: tuple[dict[str, dict[str, object]], ...] = (
    {},
    {"limits": {"context_chars": 2_000}},
    {"limits": {"candidate_docs": 30, "recent_reserve": 0}},
    {"limits": {"manifest_bytes": 3_000}},
    {"limits": {"file_bytes": 700, "body_window_chars": 100}},
    {"limits": {"recent_reserve": 150}, "ablations": {"reserve": "appended"}},
    {"limits": {"manifest_bytes": 4_000}, "ablations": {"packing": "prefix"}},
    {"limits": {"capped_scan_docs": 12}, "ablations": {"scan": "capped"}},
)


@pytest.mark.parametrize("seed", range(8))
def test_remedies_lead_exactly_where_they_say(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    roots = {Scope.PROJECT: tmp_path / "p"} | ({Scope.USER: tmp_path / "u"} if seed % 2 else {})
    words = vocabulary(rng, 150)
    for root in roots.values():
        root.mkdir()
        write_random_tree(rng, root, 60, words, broken=0.25)
    chosen = SETTINGS[seed]
    options = RecallOptions(
        limits=Limits().with_values(chosen.get("limits", {})),  # type: ignore[arg-type]
        ablations=Ablations.parse(chosen.get("ablations", {})),  # type: ignore[arg-type]
        recent_tools=("mcp__files__grep",),
        now_ms=NOW_MS,
    )
    tree = Tree(roots, ("qwen", "claude")[seed // 2 % 2], options)
    query = f"{' '.join(rng.choices(words[:60], k=1 + seed % 4))} 部署"
    result = tree.ask(query)
    pool = result.pool
    targets: list[Document | SkippedFile] = [*pool.documents, *pool.skipped, *pool.beyond]
    for target in rng.sample(targets, 12):
        why = explain(result, target)
        if why.recalled:
            continue
        _, reason = reason_of(why)
        assert why.remedies or why.advice
        check_remedies(tree, query, target, why)
        check_order(why, NATURAL.get(str(reason), ("frontmatter", "content")))


EXTRA_QUERIES = (
    "deploymnt rollbak",
    "CI db",
    "部署",
    "",
    "zzz qqq",
    "how do we handle refunds when customs holds a parcel and the customer calls support about it",
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_nine_in_ten_that_were_lost_in_a_demo_can_be_brought_back(name: str) -> None:
    found: Counter[str | None] = Counter()
    helped: Counter[str | None] = Counter()
    rng = random.Random(name)
    with temporary_demo(name) as demo:
        roots = {Scope.PROJECT: demo.project} | ({Scope.USER: demo.user} if demo.user else {})
        options = RecallOptions(now_ms=float(demo.now_ms))
        tree = Tree(roots, demo.scenario.dialect, options)
        pool = tree.pool()
        for query in (*demo.scenario.queries, *EXTRA_QUERIES):
            result = tree.ask(query, pool)
            targets: list[Document | SkippedFile] = [*pool.documents, *pool.skipped]
            for target in rng.sample(targets, 8):
                why = explain(result, target)
                if why.recalled or reason_of(why)[1] in OUT_OF_REACH:
                    continue
                found[reason_of(why)[1]] += 1
                helped[reason_of(why)[1]] += any(
                    each.leads_to == "context" for each in why.remedies
                )
    assert helped.total() >= 0.97 * found.total(), (helped, found)


@pytest.mark.parametrize("seed", range(3))
def test_nine_in_ten_that_were_lost_in_a_random_tree_can_be_brought_back(
    seed: int, tmp_path: Path
) -> None:
    rng = random.Random(seed + 100)
    words = vocabulary(rng, (200, 500, 2_000)[seed])
    write_random_tree(rng, tmp_path, 300, words)
    tree = Tree.at(tmp_path, ("qwen", "claude", "qwen")[seed], recent_tools=("grep",))
    pool = tree.pool()
    found = helped = 0
    for query in (" ".join(words[:4]), " ".join(words[5:8]), words[1][:-1], "部署 回滚"):
        result = tree.ask(query, pool)
        targets: list[Document | SkippedFile] = [*pool.documents, *pool.skipped]
        for target in rng.sample(targets, 20):
            why = explain(result, target)
            if not why.recalled:
                found += 1
                helped += any(each.leads_to == "context" for each in why.remedies)
    assert helped >= 0.9 * found, (helped, found)


@pytest.mark.parametrize("name", ["overflow", "two-scopes", "multibyte", "broken", "small"])
def test_remedies_of_the_demos_hold_for_real(name: str) -> None:
    with temporary_demo(name) as demo:
        roots = {Scope.PROJECT: demo.project} | ({Scope.USER: demo.user} if demo.user else {})
        tree = Tree(roots, demo.scenario.dialect, RecallOptions(now_ms=float(NOW_MS)))
        query = demo.scenario.queries[0]
        result = tree.ask(query)
        names = [str(demo.scenario.expected)]
        names += [each.path for each in result.pool.skipped[:4]]
        names += [each.path for each in result.pool.documents[-2:]]
        for target in (find_target(result.pool, each, folder="/") for each in names):
            assert isinstance(target, Document | SkippedFile)
            why = explain(result, target)
            if not why.recalled:
                check_remedies(tree, query, target, why)


# -- single properties ----------------------------------------------------------------------------


def test_one_char_less_of_a_cut_description_still_does_not_fit(tmp_path: Path) -> None:
    description = "one two three — four five 六七八 nine ten"
    write_memory(tmp_path, "a.md", description="short")
    write_memory(tmp_path, "b.md", description=description, mtime_ms=NOW_MS - DAY_MS)
    whole = Tree.at(tmp_path).ask("zebra").manifest.bytes
    for missing in range(1, 45):
        tree = Tree.at(tmp_path, limits={"manifest_bytes": whole - missing})
        why = tree.why("zebra", "b.md")
        (cut,) = (
            each.changes[0]
            for each in why.remedies
            if len(each.changes) == 1 and description.startswith(str(each.changes[0].value))
        )
        kept = str(cut.value)
        longer = description[: len(kept) + 1]
        if longer.strip() == kept:
            longer = description[: len(kept) + 2]
        target = why.target
        assert isinstance(target, Document)
        more = replace(cut, value=longer)
        assert reached(applied(tree, "zebra", target, [cut]), target) == "manifest"
        assert reached(applied(tree, "zebra", target, [more]), target) == "candidates"


def test_one_char_less_of_a_cut_body_still_does_not_fit(tmp_path: Path) -> None:
    body = "wörd & <more> 🚀 words here " * 60
    write_memory(tmp_path, "a.md", title="zebra zebra", description="zebra", body="x " * 300)
    path = write_memory(tmp_path, "b.md", title="zebra", body=body, mtime_ms=NOW_MS - DAY_MS)
    full = Tree.at(tmp_path).ask("zebra").context.chars
    for missing in (1, 2, 30, 31, 60, 500, 900):
        tree = Tree.at(tmp_path, limits={"context_chars": full - missing})
        why = tree.why("zebra", "b.md")
        assert first(why).name == "context_chars"
        (cut,) = (each for each in why.remedies if each.changes[0].kind == "content")
        target = why.target
        assert isinstance(target, Document)
        text, kept = path.read_text(), str(cut.changes[0].value)
        at = len(kept.rstrip("\n"))
        longer = text[: at + (2 if text[at].isspace() else 1)] + "\n"
        more = replace(cut.changes[0], value=longer)
        assert reached(applied(tree, "zebra", target, cut.changes), target) == "context"
        assert reached(applied(tree, "zebra", target, [more]), target) == "selection"


def test_one_point_less_than_the_margin_is_not_enough(tmp_path: Path) -> None:
    for number in range(3):
        write_memory(tmp_path, f"{number}.md", title="zebra giraffe", description="zebra")
    write_memory(tmp_path, "low.md", body="zebra", mtime_ms=NOW_MS - DAY_MS)
    why = Tree.at(tmp_path, limits={"selected_docs": 3}).why("zebra giraffe", "low.md")
    rung = next(each for each in why.ladder if each.verdict == "lost")
    assert (rung.reason, rung.margin) == ("rank-below-limit", 11)
    tree = Tree.at(tmp_path, limits={"selected_docs": 3})
    eleven = {"title": "zebra giraffe", "description": "zebra", "body": "zebra giraffe"}
    write_memory(tmp_path, "low.md", **eleven, mtime_ms=NOW_MS - DAY_MS)
    assert tree.why("zebra giraffe", "low.md").recalled
    write_memory(tmp_path, "low.md", **{**eleven, "body": ""}, mtime_ms=NOW_MS - DAY_MS)
    assert not tree.why("zebra giraffe", "low.md").recalled


def test_a_larger_manifest_can_be_a_worse_one_and_the_smallest_is_found(tmp_path: Path) -> None:
    sizes = (10, 300, 40, 200, 5)
    for number, size in enumerate(sizes):
        age = NOW_MS - (number + 1) * DAY_MS
        write_memory(tmp_path, f"f{number}.md", description="x" * size, mtime_ms=age)
    for ceiling in range(60, 900, 37):
        tree = Tree.at(tmp_path, limits={"manifest_bytes": ceiling})
        result = tree.ask("zebra")
        for verdict in result.manifest.verdicts:
            if verdict.packed:
                continue
            why = explain(result, verdict.document)
            (change,) = why.remedies[0].changes
            assert change.name == "manifest_bytes"
            packed = []
            for value in range(ceiling, int(change.value) + 1):
                options = replace(tree.options, limits=Limits(manifest_bytes=value))
                again = recall("zebra", result.pool, options)
                packed.append(again.manifest.verdicts[verdict.position - 1].packed)
            assert packed.index(True) == len(packed) - 1


def test_too_few_results_and_too_low_a_rank_take_two_limits(tmp_path: Path) -> None:
    for number in range(8):
        write_memory(tmp_path, f"{number}.md", title="zebra", mtime_ms=NOW_MS - number)
    tree = Tree.at(tmp_path, limits={"selected_docs": 2, "recall_results": 4})
    why = tree.why("zebra", "7.md")
    pair = next(each for each in why.remedies if len(each.changes) == 2)
    assert [(each.name, each.value) for each in pair.changes] == [
        ("selected_docs", 8),
        ("recall_results", 8),
    ]
    asked = Tree.at(tmp_path, requested_limit=3)
    assert [(c.name, c.value) for c in asked.why("zebra", "7.md").remedies[0].changes] == [
        ("limit", 8)
    ]


def test_a_tie_is_won_by_touching(tmp_path: Path) -> None:
    for number in range(7):
        write_memory(tmp_path, f"{number}.md", title="zebra", mtime_ms=NOW_MS - 1 - number)
    why = Tree.at(tmp_path).why("zebra", "6.md")
    assert ("touch", "context") in [(each.changes[0].kind, each.leads_to) for each in why.remedies]


def test_the_order_is_natural_then_further_then_smaller() -> None:
    def remedy(kind: str, leads_to: str, *, natural: bool = False, name: str = "") -> Remedy:
        return Remedy((Change(kind, name, 1),), leads_to, kind, natural)  # type: ignore[arg-type]

    listed = in_order(
        [
            remedy("query", "context"),
            remedy("limit", "candidates", name="candidate_docs"),
            remedy("frontmatter", "context", name="description"),
            remedy("touch", "manifest", natural=True),
            remedy("limit", "manifest", name="recent_reserve"),
            remedy("tools", "context"),
        ]
    )
    assert [(each.changes[0].kind, each.leads_to) for each in listed] == [
        ("touch", "manifest"),
        ("tools", "context"),
        ("frontmatter", "context"),
        ("query", "context"),
        ("limit", "manifest"),
        ("limit", "candidates"),
    ]


def test_words_added_where_a_line_does_not_fit_are_not_the_natural_remedy(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", description="some words", mtime_ms=NOW_MS - 1)
    write_memory(tmp_path, "b.md", description="some words", mtime_ms=NOW_MS - 2)
    why = Tree.at(tmp_path, limits={"manifest_bytes": 140}).why("zebra", "b.md")
    assert reason_of(why) == ("manifest", "line-does-not-fit")
    assert (first(why).name, why.remedies[0].leads_to) == ("manifest_bytes", "manifest")
    assert why.remedies[1].leads_to == "context"


def test_a_file_that_is_too_large_gets_room_for_the_words_it_lacks(tmp_path: Path) -> None:
    for number in range(6):
        write_memory(tmp_path, f"{number}.md", title="zebra")
    write_memory(tmp_path, "big.md", title="giraffe", body="word " * 300)
    tree = Tree.at(tmp_path, limits={"file_bytes": 900})
    why = tree.why("zebra", "big.md")
    best = next(each for each in why.remedies if each.leads_to == "context")
    assert best.changes[0].name == "file_bytes"
    assert isinstance(why.target, SkippedFile)
    check_remedies(tree, "zebra", why.target, why)


def test_in_memory_and_for_real_are_one(tmp_path: Path) -> None:
    """The pool that a change makes is the pool that a scan of the changed tree finds."""
    rng = random.Random(5)
    write_random_tree(rng, tmp_path, 40, vocabulary(rng, 40), broken=0.3)
    for exclude in ((), (str(tmp_path / "m0003.md"),)):
        tree = Tree.at(
            tmp_path, limits={"capped_scan_docs": 9}, ablations={"scan": "capped"}, exclude=exclude
        )
        result = tree.ask("tertel")
        for target in rng.sample([*result.pool.documents, *result.pool.beyond], 12):
            for change in (Change("touch"), Change("frontmatter", "description", "tertel")):
                trial = attempt(start(result, target), (change,))
                real = applied(tree, "tertel", target, (change,))
                if trial is None:
                    continue
                for field in ("documents", "beyond", "skipped", "excluded", "scopes"):
                    made = [_plain(each) for each in getattr(trial.result.pool, field)]
                    assert made == [_plain(each) for each in getattr(real.pool, field)], field
                assert trial.result.manifest.text == real.manifest.text


def _plain(value: object) -> object:
    return replace(value, size=0) if isinstance(value, Document) else value


def test_one_that_is_muted_once_a_capped_scan_sees_it_gets_what_helps(tmp_path: Path) -> None:
    for number in range(4):
        write_memory(tmp_path, f"{number}.md", mtime_ms=NOW_MS - number)
    write_memory(tmp_path, "a.md", title="grep api docs", mtime_ms=NOW_MS - DAY_MS)
    limits, ablations = {"capped_scan_docs": 3}, {"scan": "capped"}
    tree = Tree.at(tmp_path, limits=limits, ablations=ablations, recent_tools=("grep",))
    why = tree.why("grep docs", "a.md")
    assert reason_of(why) == ("scan", "beyond-capped-scan")
    assert {each.kind for each in why.remedies[0].changes} <= {"limit", "touch"}
    assert "context" in [each.leads_to for each in why.remedies]
    assert isinstance(why.target, Document)
    check_remedies(tree, "grep docs", why.target, why)


def test_one_that_a_capped_scan_leaves_out_once_it_is_mended_gets_both(tmp_path: Path) -> None:
    for number in range(4):
        write_memory(tmp_path, f"{number}.md", mtime_ms=NOW_MS - number)
    write_file(tmp_path, "a.md", b"---\nname: zebra\n---\n\nx\n", NOW_MS - DAY_MS)
    tree = Tree.at(tmp_path, limits={"capped_scan_docs": 3}, ablations={"scan": "capped"})
    why = tree.why("zebra", "a.md")
    assert reason_of(why) == ("scan", "type-missing")
    pairs = [tuple(change.kind for change in each.changes) for each in why.remedies]
    assert ("frontmatter", "touch") in pairs
    assert ("frontmatter", "limit") in pairs
    assert isinstance(why.target, SkippedFile)
    check_remedies(tree, "zebra", why.target, why)


def test_two_roots_of_one_scope_keep_their_own_windows() -> None:
    """As where files and a database are read together."""
    file = make_document("a.md", path="/p/a.md", mtime_ms=NOW_MS - 1)
    rows = [
        make_document(f"m/{n}", path=f"/db#{n}", dialect="mneme", mtime_ms=NOW_MS - 10 - n)
        for n in range(3)
    ]
    pool = Pool(
        documents=(file, *rows),
        scopes=(
            ScopeReport(Scope.PROJECT, "/p", "claude", "ok", 1),
            ScopeReport(Scope.PROJECT, "/db", "mneme", "ok", 3),
        ),
        unmanaged=frozenset({rows[2].id}),
    )
    limits = Limits(capped_scan_docs=2)
    touched = with_document(pool, replace(rows[2], mtime_ms=NOW_MS), limits)
    assert [each.path for each in touched.documents] == ["/db#2", "/p/a.md", "/db#0", "/db#1"]
    assert touched.unmanaged == {rows[1].id}
    assert [each.documents for each in touched.scopes] == [1, 3]


# -- with a selector ------------------------------------------------------------------------------


def test_after_a_selector_that_can_not_be_asked_again_nothing_leads_beyond_the_manifest(
    tmp_path: Path,
) -> None:
    for number in range(4):
        age = NOW_MS - (number + 1) * DAY_MS
        write_memory(tmp_path, f"{number}.md", title="zebra", mtime_ms=age)
    selector = ManualSelector.of_paths([str(tmp_path / "0.md")])
    tree = Tree.at(tmp_path, selector=selector)
    why = tree.why("zebra", "1.md")
    assert reason_of(why) == ("selection", "model-did-not-pick")
    assert why.remedies == ()
    assert why.advice
    tight = Tree.at(tmp_path, selector=selector, limits={"candidate_docs": 2, "recent_reserve": 0})
    why = tight.why("zebra", "3.md")
    assert reason_of(why) == ("candidates", "too-old-for-reserve")
    assert {each.leads_to for each in why.remedies} == {"manifest"}


def test_a_replayed_selector_is_asked_again(tmp_path: Path) -> None:
    for number in range(3):
        age = NOW_MS - (number + 1) * DAY_MS
        write_memory(tmp_path, f"{number}.md", title="giraffe", mtime_ms=age)
    answers = {"zebra": "[]", "*": f'["{tmp_path}/2.md"]'}
    tree = Tree.at(tmp_path, selector=ReplaySelector(answers))
    why = tree.why("zebra", "2.md")
    assert reason_of(why) == ("selection", "model-did-not-pick")
    assert ("query", "context") in [(each.changes[0].kind, each.leads_to) for each in why.remedies]


def test_a_refused_answer_is_the_reason(tmp_path: Path) -> None:
    for number in range(7):
        write_memory(tmp_path, f"{number}.md", title="zebra", mtime_ms=NOW_MS - number)
    tree = Tree.at(tmp_path, selector=ManualSelector("no JSON"))
    assert reason_of(tree.why("zebra", "6.md")) == ("selection", "selection-refused")


# -- speed ----------------------------------------------------------------------------------------


def test_the_ladder_is_there_at_once_and_remedies_soon_over_ten_thousand(tmp_path: Path) -> None:
    rng = random.Random(1)
    words = vocabulary(rng, 4_000)
    weights = [1 / (rank + 1) for rank in range(len(words))]
    documents = tuple(
        make_document(
            f"n{number}.md",
            title=" ".join(rng.choices(words, weights, k=4)),
            description=" ".join(rng.choices(words, weights, k=12)),
            body=" ".join(rng.choices(words, weights, k=80)),
            mtime_ms=NOW_MS - number * 1e6,
        )
        for number in range(10_000)
    )
    result = recall(" ".join(words[:7]), Pool(documents=documents), RecallOptions(now_ms=NOW_MS))
    for document in (documents[5_000], documents[9_999]):
        began = process_time()
        explain(result, document, search=False)
        assert process_time() - began < 0.5
        remedies = find_remedies(result, document, _nothing)
        next(remedies)
        assert process_time() - began < 1.5
        list(remedies)
        assert process_time() - began < 5


def _nothing(path: str) -> bytes:
    raise FileNotFoundError(path)
