"""What is said of an evaluation: deltas, tables, and XML that any reader takes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from memtui.evaluate import (
    Case,
    CaseResult,
    Column,
    Configuration,
    Evaluation,
    Fate,
    Threshold,
    evaluation_record,
)
from memtui.evaluate.baseline import BaselineError, read_baseline
from memtui.evaluate.deltas import Side, compare_sides
from memtui.evaluate.junit import junit_xml
from memtui.evaluate.record import column_record
from memtui.evaluate.report import cells, evaluation_lines, table
from memtui.recall.options import RecallOptions

LOST = "selection:rank-below-limit"


def result(name: str, rank: int | None = 1, lost: str | None = None, **case: Any) -> CaseResult:
    fates = {"a.md": Fate(rank, packed=True, lost=lost, missed=None)}
    return CaseResult(Case(name, "q", ("a.md",), **case), fates, 1, "lexical", ())


def silence(name: str, shown: int) -> CaseResult:
    return CaseResult(Case(name, "q", ()), {}, shown, "lexical", ())


def column(*results: CaseResult, name: str = "lexical") -> Column:
    return Column(Configuration(name, RecallOptions()), list(results))


def side(*results: CaseResult, name: str = "lexical") -> Side:
    return Side.of(column_record(column(*results, name=name)))


def ids(delta: Any, key: str) -> list[str]:
    return [each["id"] for each in delta[key]]


def test_changed_cases_come_best_and_worst_first() -> None:
    before = side(
        result("found", 9, LOST),
        result("climbed", 9, LOST),
        result("same"),
        result("fell", 2),
        result("gone"),
        result("elsewhere", None, "selection:no-lexical-hit"),
        silence("quiet", 2),
        silence("loud", 0),
    )
    after = side(
        result("found", 1),
        result("climbed", 7, LOST),
        result("same"),
        result("fell", 4),
        result("gone", None, LOST),
        result("elsewhere", None, "manifest:line-does-not-fit"),
        silence("quiet", 0),
        silence("loud", 2),
    )
    delta = compare_sides(before, after)
    assert ids(delta, "better") == ["found", "climbed", "quiet"]
    assert ids(delta, "worse") == ["gone", "fell", "loud"]
    assert ids(delta, "otherwise") == ["elsewhere"]
    assert delta["cases"] == 8


def test_only_common_cases_count_and_the_others_are_named() -> None:
    before = side(result("a"), result("gone"), silence("b", 1))
    after = side(result("a", 9, LOST), result("new"), result("b"))
    delta: Any = compare_sides(before, after)
    assert delta["cases"] == 1
    assert delta["only_before"] == ["gone", "b"]
    assert delta["only_after"] == ["new", "b"]
    assert delta["metrics"]["context_recall"] == {"before": 1.0, "after": 0.0, "change": -1.0}
    assert delta["metrics"]["mrr"]["after"] == pytest.approx(1 / 9, abs=1e-6)
    assert "silent" not in delta["metrics"]


def test_a_configuration_is_compared_with_its_name_the_only_one_or_the_first() -> None:
    first, second = column(result("a")), column(result("a", 3), name="bm25")
    run = Evaluation([first, second], 1, {})
    assert {name: each["against"] for name, each in run.deltas.items()} == {"bm25": "lexical"}
    run.baseline = [side(result("a"), name="bm25"), side(result("a"), name="other")]
    found = {name: each["against"] for name, each in run.deltas.items()}
    assert found == {"bm25": "baseline: bm25"}
    alone = Evaluation([first], 1, {}, baseline=[side(result("a"), name="other")])
    assert alone.deltas["lexical"]["against"] == "baseline: other"
    assert Evaluation([first], 1, {}).deltas == {}


def test_an_answer_is_a_baseline_that_differs_in_nothing(tmp_path: Path) -> None:
    run = Evaluation([column(result("a"), result("b", None, LOST), silence("c", 2))], 3, {})
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(evaluation_record(run)), "utf-8")
    baseline = read_baseline(str(path))
    delta: Any = compare_sides(baseline.sides[0], side(*run.columns[0].results))
    assert [delta[key] for key in ("better", "worse", "otherwise")] == [[], [], []]
    assert {each["change"] for each in delta["metrics"].values()} == {0.0}
    assert not baseline.partial


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no JSON"),
        ("[" * 100_000, "is no JSON: nested too deep"),
        ('{"schema": "memtui.eval/1", "configurations": NaN}', "is no JSON: NaN is no number"),
        ('{"schema": "memtui.eval/1", "configurations": []}', "there is no configuration"),
        ('{"schema": "memtui.eval/2", "configurations": []}', "its schema is 'memtui.eval/2'"),
        ("[]", "its schema is 'None'"),
        ('{"schema": "memtui.why/1"}', "its schema is 'memtui.why/1'"),
        ('{"schema": "memtui.eval/1"}', "lacks what a baseline needs"),
        ('{"schema": "memtui.eval/1", "configurations": 7}', "lacks what a baseline needs"),
        ('{"schema": "memtui.eval/1", "configurations": [[]]}', "lacks what a baseline needs"),
        (
            '{"schema": "memtui.eval/1", "configurations": [{"name": "x", "results": '
            '[{"id": "a", "ranks": {"b": 0}, "lost": {}, "silent": 1}]}]}',
            "lacks what a baseline needs",
        ),
    ],
)
def test_a_baseline_that_is_something_else_is_one_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BaselineError) as caught:
        read_baseline(str(path))
    assert complaint in str(caught.value)
    with pytest.raises(BaselineError, match="can not be read"):
        read_baseline(str(tmp_path / "missing.json"))
    with pytest.raises(BaselineError, match="can not be read"):
        read_baseline("~nobody-of-this-name/baseline.json")


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"id": ["a"]}, "the id of result 1 is missing, or no text"),
        ({"id": "b"}, "the case 'b' stands there twice"),
        ({"category": {}}, "case 'a': category is missing, or no text"),
        ({"ranks": ["a.md"]}, "case 'a': ranks is missing, or no object"),
        ({"ranks": {"a.md": 0}}, "case 'a': a rank is no whole number from 1"),
        ({"ranks": {"a.md": True}}, "case 'a': a rank is no whole number from 1"),
        ({"ranks": {"a.md": 2.5}}, "case 'a': a rank is no whole number from 1"),
        ({"ranks": {"a.md": 1e400}}, "is no JSON: Infinity is no number"),
        ({"lost": {"a.md": 5}}, "case 'a': lost is no verdict on what is relevant"),
        ({"lost": {"other.md": "rank:no-match"}}, "case 'a': lost is no verdict on"),
        ({"shown": "5"}, "case 'a': shown is no whole number"),
        ({"context_recall": None}, "case 'a': context_recall is no number from 0 to 1"),
        ({"context_recall": 7}, "case 'a': context_recall is no number from 0 to 1"),
        ({"manifest_recall": True}, "case 'a': manifest_recall is no number from 0 to 1"),
        ({"ranks": {}, "lost": {}}, "case 'a': silent is no number from 0 to 1"),
    ],
)
def test_a_baseline_that_somebody_changed_is_one_line(
    tmp_path: Path, changed: dict[str, object], complaint: str
) -> None:
    record: Any = evaluation_record(Evaluation([column(result("a"), result("b"))], 2, {}))
    record["configurations"][0]["results"][0].update(changed)
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(BaselineError) as caught:
        read_baseline(str(path))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_first_rank_is_that_of_the_ranks_whatever_stands_beside_them(tmp_path: Path) -> None:
    record: Any = evaluation_record(Evaluation([column(result("a", 4))], 1, {}))
    record["configurations"][0]["results"][0]["first_rank"] = "\x1b[31m"
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(record), "utf-8")
    assert read_baseline(str(path)).sides[0].results["a"]["first_rank"] == 4


def test_two_configurations_of_one_name_are_no_baseline(tmp_path: Path) -> None:
    record = evaluation_record(Evaluation([column(result("a")), column(result("a"))], 1, {}))
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(BaselineError, match="the configuration 'lexical' stands there twice"):
        read_baseline(str(path))


# -- text ------------------------------------------------------------------------------------------


def test_tables_are_aligned_by_cells() -> None:
    lines = [*table([["中文", "1.000"], ["e\u0301t\u0301", "10.000"], ["english", "0"]])]
    assert lines == ["中文      1.000", "e\u0301t\u0301       10.000", "english       0"]
    assert {cells(line) for line in lines} == {15}


def test_the_report_shows_what_was_lost_where_and_which_cases() -> None:
    run = Evaluation(
        [column(result("a", category="one"), result("b", 9, LOST, category="two"))], 2, {}
    )
    text = "\n".join(evaluation_lines(run))
    assert "2 cases, 0 of them with nothing relevant" in text
    assert "context_recall     0.500" in text
    assert "where relevant memories are lost: 1 of 2, 1 are in the context" in text
    assert f"  {LOST}       1  ████████████" in text
    assert "cases that miss: 1 of 2" in text
    assert "  b  9  a.md selection:rank-below-limit" in text
    assert "INTERRUPTED" not in text


def test_a_partial_report_says_so_in_its_first_line() -> None:
    run = Evaluation([column(result("a"))], 1_531, {})
    assert next(evaluation_lines(run)).startswith("INTERRUPTED after 1 of 1,531 cases")
    empty = Evaluation([column()], 3, {})
    assert next(evaluation_lines(empty)).startswith("INTERRUPTED after 0 of 3 cases")
    assert evaluation_record(empty)["cases"] == 0


def test_a_ranker_that_did_not_run_is_told_at_the_top() -> None:
    case = Case("a", "q", ("a.md",))
    fates = {"a.md": Fate(1, packed=True, lost=None, missed=None)}
    fallen = CaseResult(case, fates, 1, "lexical", ("bm25 could not run",))
    asked = Column(Configuration("bm25", RecallOptions(ranker="bm25")), [fallen])
    lines = [*evaluation_lines(Evaluation([asked], 1, {}))]
    assert "bm25: NOT ranked as asked, but by lexical 1" in lines
    assert "bm25: bm25 could not run (1 case)" in lines


def test_a_change_that_no_verdict_and_no_first_rank_shows_is_named() -> None:
    before, after = result("few"), replace(result("few"), shown=5)
    fates = {name: Fate(rank, True, None, None) for name, rank in (("a.md", 1), ("b.md", 30))}
    deep = CaseResult(Case("deep", "q", ("a.md", "b.md")), fates, 2, "lexical", ())
    deeper = replace(deep, fates={**fates, "b.md": Fate(40, True, None, None)})
    run = Evaluation([column(before, deep), column(after, deeper, name="other")], 2, {})
    lines = [*evaluation_lines(run)]
    assert "  deep  rank 1 → 1  recalled, with other ranks below the first" in lines
    assert "  few   rank 1 → 1  recalled, among 1 → 5 shown" in lines


@pytest.mark.parametrize(("packed", "word"), [(False, "less"), (True, "more")])
def test_what_only_the_manifest_gained_or_lost_is_named(packed: bool, word: str) -> None:
    def case(in_manifest: bool) -> CaseResult:
        fates = {"a.md": Fate(1, in_manifest, None, None)}
        return CaseResult(Case("full", "q", ("a.md",)), fates, 1, "lexical", ())

    columns = [column(case(not packed)), column(case(packed), name="other")]
    lines = [*evaluation_lines(Evaluation(columns, 1, {}))]
    assert f"  full  rank 1 → 1  recalled, with {word} of it in the manifest" in lines


def test_a_long_list_of_cases_is_cut_and_says_so() -> None:
    run = Evaluation([column(*(result(f"c{n}", 9, LOST) for n in range(30)))], 30, {})
    assert "  … and 10 more; --json has all of them" in [*evaluation_lines(run)]


# -- XML -------------------------------------------------------------------------------------------


def suites(run: Evaluation, *thresholds: str) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(junit_xml(run, [Threshold(each) for each in thresholds]))
    assert root.tag == "testsuites"
    return {suite.attrib["name"]: suite for suite in root}


def test_every_case_is_a_test_and_fails_with_its_verdict() -> None:
    run = Evaluation(
        [column(result("a"), result("b", 9, LOST, category="two"), silence("c", 2))], 3, {}
    )
    found = suites(run, "mrr=0.9", "mrr=0.1")
    cases = found["lexical"]
    assert [each.attrib["name"] for each in cases] == ["a", "b", "c"]
    assert cases.attrib["tests"] == "3"
    assert cases.attrib["failures"] == "2"
    failure = cases[1][0]
    assert cases[1].attrib["classname"] == "two"
    assert failure.attrib["message"].startswith(f"a.md lost at {LOST} (better hits")
    assert cases[2][0].attrib["message"] == "nothing is relevant, and the context shows 2"
    assert [len(each) for each in found["thresholds"]] == [1, 0]
    assert b"time" not in junit_xml(run)


def test_an_interrupted_run_is_an_error_in_the_xml() -> None:
    suite = suites(Evaluation([column(result("a"))], 5, {}))["lexical"]
    assert suite.attrib["errors"] == "1"
    assert suite[-1][0].attrib["message"] == "interrupted: 4 of 5 cases were not run"


def test_no_text_can_break_the_xml() -> None:
    hostile = "\x00\x1b[31m]]>\u2028&<\ud800\uffff\ufffe\x85"
    case = Case(hostile, hostile, (hostile,), category=hostile)
    fates = {hostile: Fate(None, packed=False, lost=LOST, missed=None)}
    run = Evaluation([column(CaseResult(case, fates, 0, "lexical", ()), name=hostile)], 1, {})
    content = junit_xml(run)
    (suite,) = ElementTree.fromstring(content)
    assert len(suite) == 1
    assert b"\x1b" not in content
    for line in evaluation_lines(run):
        assert "\x1b" not in line
        line.encode()
