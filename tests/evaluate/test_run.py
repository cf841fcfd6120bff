"""Runs: every verdict is that of why, no case is dropped, the same input gives the same answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.evaluate import (
    Asked,
    Case,
    CaseError,
    CasePool,
    CaseResult,
    Column,
    Configuration,
    Evaluation,
    Pools,
    evaluation_record,
    plan,
    pools_record,
    read_cases,
    run_case,
    run_cases,
)
from memtui.evaluate.pools import DEMO_FOLDER, find_relevant, newest_ms
from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, SkippedFile
from memtui.memory.scan import Source, scan_pool
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.why.explain import explain
from memtui.recall.why.ladder import REASONS, STAGES
from memtui.recall.why.target import find_target
from tests.helpers import DAY_MS, NOW_MS, make_document, make_pool, write_memory

LEXICAL = Configuration("lexical", RecallOptions())
WORDS = ("deploy", "rollback", "invoice", "queue", "部署", "배포", "tool usage of shell", "ci")


@st.composite
def documents(draw: st.DrawFn, name: str) -> Document:
    text = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
    padding = draw(st.sampled_from([0, 0, 300]))
    return make_document(
        name,
        title=draw(text) or "nothing",
        description=draw(text) + "." * padding,
        body=draw(text) + " " * draw(st.sampled_from([0, 60])) + draw(text),
        type=draw(st.sampled_from(["user", "project", "reference"])),
        mtime_ms=NOW_MS - DAY_MS * draw(st.integers(0, 5)),
    )


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    count = draw(st.integers(1, 12))
    found = [draw(documents(f"m{number}.md")) for number in range(count)]
    skipped = SkippedFile("/memory/bad.md", Scope.PROJECT, "bad.md", "type-missing", "none", "add")
    return replace(make_pool(*found), skipped=(skipped,))


LIMITS = st.builds(
    Limits,
    candidate_docs=st.integers(1, 12),
    recent_reserve=st.integers(0, 1),
    manifest_bytes=st.integers(0, 900),
    selected_docs=st.integers(1, 4),
    body_window_chars=st.sampled_from([0, 20, 1_200]),
    context_chars=st.integers(300, 1_500),
)
OPTIONS = st.builds(
    RecallOptions,
    limits=LIMITS,
    recent_tools=st.sampled_from([(), ("shell",)]),
    ablations=st.builds(
        Ablations,
        reserve=st.sampled_from(["interleaved", "appended"]),
        packing=st.sampled_from(["pack", "prefix"]),
    ),
    ranker=st.sampled_from(["lexical", "lexical", "bm25", "fuzzy", "hybrid"]),
)
QUERIES = st.lists(st.sampled_from((*WORDS, "nothing else")), max_size=3).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(pools(), OPTIONS, QUERIES)
def test_every_verdict_is_that_of_why(pool: Pool, options: RecallOptions, query: str) -> None:
    names = [each.relative_path for each in (*pool.documents, *pool.skipped)]
    case, where = Case("a", query, tuple(names)), CasePool(pool, NOW_MS)
    result = run_case(case, Configuration("x", options), where, find_relevant(case, where))
    again = recall(query, pool, replace(options, now_ms=NOW_MS))
    assert list(result.fates) == names
    for name, fate in result.fates.items():
        target = find_target(pool, name, folder="/nowhere")
        answer = explain(again, target, search=False)
        lost = next((rung for rung in answer.ladder if rung.verdict == "lost"), None)
        assert (fate.lost is None) == answer.recalled
        if lost is not None:
            assert fate.lost == f"{answer.lost_at}:{lost.reason}"
        if isinstance(target, Document):
            assert (fate.lost is None) == (target.id in again.context.kept)
            assert fate.packed == (target in [each.document for each in again.manifest.packed])
            assert fate.rank == again.ranking.ranks.get(target.id)
    assert result.shown == len(again.context.kept)
    check_sums(result)


def check_sums(result: CaseResult) -> None:
    column = Column(LEXICAL, [result])
    assert sum(column.waterfall.values()) == len(result.lost)
    for verdict in column.waterfall:
        stage, _, reason = verdict.partition(":")
        assert stage in STAGES
        assert reason in REASONS
    scores = result.scores
    assert scores["context_recall"] == pytest.approx(1 - len(result.lost) / len(result.fates))


def test_the_ranking_is_not_cut_where_the_recall_is() -> None:
    many = [make_document(f"m{n}.md", title="apple", mtime_ms=NOW_MS - n) for n in range(150)]
    for ranker in ("lexical", "bm25", "fuzzy"):
        configuration = Configuration(ranker, RecallOptions(ranker=ranker))
        where, case = CasePool(make_pool(*many), NOW_MS), Case("a", "apple", ("m149.md",))
        result = run_case(case, configuration, where, find_relevant(case, where))
        assert result.first_rank == 150, ranker


def test_the_tools_of_a_case_join_those_of_the_command() -> None:
    note = make_document("a.md", title="shell", body="tool usage of shell")
    where = CasePool(make_pool(note), NOW_MS)
    for tools, lost in (((), None), (("shell",), "tools:tool-noise")):
        case = Case("a", "shell", ("a.md",), recent_tools=tools)
        result = run_case(case, LEXICAL, where, find_relevant(case, where))
        assert result.fates["a.md"].lost == lost


def test_a_case_with_nothing_relevant_is_counted_apart() -> None:
    where = CasePool(make_pool(make_document("a.md", title="apple")), NOW_MS)
    shown = run_case(Case("a", "apple", ()), LEXICAL, where, {})
    silent = run_case(Case("b", "pear", ()), LEXICAL, where, {})
    assert (shown.passed, shown.scores) == (False, {"silent": 0.0})
    assert (silent.passed, silent.scores) == (True, {"silent": 1.0})
    metrics = Column(LEXICAL, [shown, silent]).metrics
    assert metrics["silent"] == 0.5
    assert metrics["mrr"] is None


# -- names and pools -------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    write_memory(root, "apples.md", title="Apples")
    write_memory(root, "deep/pears.md", title="Pears", mtime_ms=NOW_MS - DAY_MS)
    write_memory(root, "deep/apples.md", title="Apples again")
    (root / "bad.md").write_text("---\nname: never closed\n", "utf-8")
    return root


def resolved(name: str, where: CasePool) -> str:
    (target,) = find_relevant(Case("c", "q", (name,)), where).values()
    assert isinstance(target, Document | SkippedFile)
    return target.relative_path


def test_a_name_is_an_id_a_relative_path_or_what_why_understands(tree: Path) -> None:
    pool = scan_pool([Source(Scope.PROJECT, str(tree))])
    where = CasePool(pool, NOW_MS)
    for document in pool.documents:
        assert resolved(document.id, where) == document.relative_path
        assert resolved(document.path, where) == document.relative_path
    assert resolved("apples.md", where) == "apples.md"
    assert resolved("project/apples.md", where) == "apples.md"
    assert resolved("pears.md", where) == resolved("pears", where) == "deep/pears.md"
    assert resolved("bad.md", where) == "bad.md"


def test_a_name_does_not_depend_on_the_working_directory(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = CasePool(scan_pool([Source(Scope.PROJECT, str(tree))]), NOW_MS)
    monkeypatch.chdir(tree / "deep")
    assert resolved("apples.md", where) == "apples.md"


def test_two_names_of_one_memory_count_once(tree: Path) -> None:
    where = CasePool(scan_pool([Source(Scope.PROJECT, str(tree))]), NOW_MS)
    case = Case("c", "q", ("deep/pears.md", "pears", "project/deep/pears.md"))
    assert list(find_relevant(case, where)) == ["deep/pears.md"]


def test_names_that_fit_nothing_or_several_are_errors_with_the_case(tree: Path) -> None:
    cases = [
        Case("first", "q", ("gone.md", "apples.md")),
        Case("second", "q", ("apples",)),
        Case("third", "q", (), pool="demo:huge"),
        Case("fourth", "q", (), pool="no/such/folder"),
        Case("fifth", "q", ("apples.md",), pool="demo:small"),
    ]
    source = Pools(lambda limits: scan_pool([Source(Scope.PROJECT, str(tree))], limits))
    with pytest.raises(CaseError) as caught:
        plan(cases, [LEXICAL], [source])
    told = [str(problem) for problem in caught.value.problems]
    assert told[0] == "case first: gone.md is no memory (no-such-file)"
    assert told[1].startswith("case second: apples fits 2 memories: ")
    assert told[2].startswith("case third: no demo named 'huge'; there are small, ")
    assert told[3].startswith("case fourth: the pool no/such/folder can not be read: ")
    assert told[4] == "case fifth: apples.md is no memory of the pool demo:small (no-such-file)"
    assert len(told) == 5


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 9_000])
def test_a_pool_that_no_folder_can_be_is_a_problem_of_its_case(name: str) -> None:
    with pytest.raises(CaseError) as caught:
        plan([Case("a", "q", (), pool=name, line=7)], [LEXICAL], [Pools()])
    (problem,) = caught.value.problems
    assert str(problem).startswith("line 7: case a: ")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 9_000, "..", "/"])
def test_a_memory_that_no_file_can_be_is_a_problem_of_its_case(tree: Path, name: str) -> None:
    source = Pools(lambda limits: scan_pool([Source(Scope.PROJECT, str(tree))], limits))
    with pytest.raises(CaseError) as caught:
        plan([Case("c" * 9_000, "q", (name,), line=3)], [LEXICAL], [source])
    (problem,) = caught.value.problems
    assert str(problem).startswith("line 3: case ccc")
    assert len(str(problem)) < 500


def test_the_dialect_of_the_command_reads_the_pools_that_cases_name(tree: Path) -> None:
    (tree / "nested.md").write_text("---\nmetadata:\n  type: user\n---\nx", "utf-8")
    for dialect, seen in (("claude", True), ("qwen", False)):
        source = Pools(folder=str(tree.parent), dialect=dialect)  # type: ignore[arg-type]
        paths = [each.relative_path for each in source.open(tree.name, Limits()).pool.documents]
        assert ("nested.md" in paths) is seen
        demo = source.open("demo:small", Limits()).pool
        assert {report.dialect for report in demo.scopes} == {dialect}


def test_a_capped_scan_ranks_over_one_pool_whatever_number_of_cases(tree: Path) -> None:
    pool = scan_pool([Source(Scope.PROJECT, str(tree))], Limits(capped_scan_docs=1))
    options = RecallOptions(ranker="bm25", ablations=Ablations(scan="capped"), now_ms=NOW_MS)
    first, second = (recall(query, pool, options) for query in ("apples", "pears"))
    assert first.pool is second.pool
    assert len(first.pool.documents) == 1
    assert len(first.pool.beyond) == len(pool.documents) - 1


def test_a_case_without_a_pool_needs_a_root() -> None:
    with pytest.raises(CaseError, match="case a: it names no pool, and there is no root"):
        plan([Case("a", "q", ())], [LEXICAL], [Pools()])


def test_a_relative_pool_starts_at_the_case_file(tree: Path) -> None:
    source = Pools(folder=str(tree.parent))
    where = source.open("memory", Limits())
    assert len(where.pool.documents) == 3
    assert where.now_ms == newest_ms(where.pool) == NOW_MS


def test_every_pool_is_read_once_whatever_number_of_cases_and_configurations(tree: Path) -> None:
    read: list[Limits] = []

    def scan(limits: Limits) -> Pool:
        read.append(limits)
        return scan_pool([Source(Scope.PROJECT, str(tree))], limits)

    cases = [Case(f"c{number}", "apples", ("apples.md",)) for number in range(5)]
    source = Pools(scan)
    other = Configuration("fewer", RecallOptions(limits=Limits(selected_docs=1)))
    asked = plan(cases, [LEXICAL, other], [source, source])
    assert len(read) == 1
    assert len({id(where) for each in asked for where in each.pools}) == 1
    strict = Configuration("strict", RecallOptions(limits=Limits(file_bytes=10)))
    assert len(source.open("", strict.options.limits).pool.documents) == 0
    assert len(read) == 2


def test_a_demo_lies_at_the_same_place_on_every_machine() -> None:
    first, second = (Pools().open("demo:small", Limits()) for _ in range(2))
    paths = [each.path for each in first.pool.documents]
    assert paths == [each.path for each in second.pool.documents]
    assert all(path.startswith(f"{DEMO_FOLDER}/small/") for path in paths)
    assert Pools().open("small", Limits()).pool.documents == first.pool.documents


# -- the same input, the same answer ---------------------------------------------------------------


def evaluated(cases: list[Case], source: Pools, *configurations: Configuration) -> Evaluation:
    asked: list[Asked] = plan(cases, configurations, [source] * len(configurations))
    columns = [Column(each) for each in configurations]
    evaluation = Evaluation(columns, len(asked), {}, pools_record(asked))
    for results in run_cases(asked, configurations):
        evaluation.add(results)
    return evaluation


def test_the_demo_cases_give_the_same_bytes_twice() -> None:
    file = read_cases("demo")
    configurations = [LEXICAL, Configuration("bm25", RecallOptions(ranker="bm25"))]
    texts = [
        json.dumps(evaluation_record(evaluated([*file.cases], Pools(), *configurations)))
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert DEMO_FOLDER not in texts[0]


def test_the_demo_cases_have_six_and_more_of_every_category() -> None:
    counts: dict[str, int] = {}
    for case in read_cases("demo").cases:
        counts[case.category] = counts.get(case.category, 0) + 1
        assert bool(case.relevant) == (case.category != "no-result")
        assert case.pool.startswith("demo:")
    assert set(counts) == {
        "english",
        "chinese",
        "japanese",
        "korean",
        "mixed",
        "other-alphabets",
        "nfkc",
        "body-only",
        "no-result",
        "word-forms",
        "no-shared-word",
    }
    assert min(counts.values()) >= 6


def test_every_demo_case_agrees_with_why() -> None:
    source = Pools()
    asked = plan(read_cases("demo").cases, [LEXICAL], [source])
    for each, (result,) in zip(asked, run_cases(asked, [LEXICAL]), strict=True):
        (where,) = each.pools
        again = recall(each.case.query, where.pool, RecallOptions(now_ms=where.now_ms))
        for name, target in each.targets[0].items():
            answer = explain(again, target, search=False)
            reasons = [rung.reason for rung in answer.ladder if rung.verdict == "lost"]
            verdict = f"{answer.lost_at}:{reasons[0]}" if reasons else None
            assert result.lost.get(name) == verdict, each.case.id


def test_an_interrupted_run_keeps_whole_cases_alone() -> None:
    evaluation = evaluated([Case("a", "deploy", (), "small")], Pools(), LEXICAL, LEXICAL)
    evaluation.planned = 3
    evaluation.columns[0].results.append(evaluation.columns[0].results[0])
    evaluation.drop_unfinished()
    assert [len(column.results) for column in evaluation.columns] == [1, 1]
    assert evaluation.partial
    assert evaluation_record(evaluation)["partial"] is True
