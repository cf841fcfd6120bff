"""`memtui eval`: what it prints, how it ends, and that it can be stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from memtui.evaluate.cases import built_in_path
from tests.cli.running import Result, assert_one_line, memtui, spawn, tree_state
from tests.evaluate.test_longmemeval import question, written
from tests.helpers import NOW_MS, write_file, write_memory

KEYS = {"schema", "cases", "nothing_relevant", "configurations", "deltas"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    for number in range(8):
        write_memory(
            root, f"apple-{number}.md", title=f"Apple {number}", mtime_ms=NOW_MS - number * 1e6
        )
    write_memory(root, "pears.md", title="Pears", body="in the cellar")
    return root


def case(name: str, query: str, *relevant: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "query": query, "relevant": list(relevant), **more}


def case_file(folder: Path, *cases: object, name: str = "cases.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in cases), "utf-8")
    return path


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return case_file(
        tmp_path,
        case("first", "apple", "apple-0.md", category="apples"),
        case("last", "apple", "apple-7.md", category="apples"),
        case("body", "cellar", "pears.md", category="other"),
        case("none", "unknown"),
    )


def evaluated(*words: object, code: int = 0) -> Any:
    result = memtui("eval", *words, "--json")
    assert result.code == code, result.err
    return result.json


def test_the_answer_has_the_keys_of_its_schema(cases: Path, tree: Path) -> None:
    answer = evaluated(cases, "--project", tree)
    assert set(answer) >= KEYS
    assert answer["schema"] == "memtui.eval/1"
    assert (answer["cases"], answer["nothing_relevant"]) == (4, 1)
    (configuration,) = answer["configurations"]
    assert configuration["name"] == "lexical"
    assert configuration["metrics"]["recall_any@1"] == pytest.approx(2 / 3, abs=1e-6)
    assert configuration["metrics"]["recall_any@10"] == 1
    assert configuration["metrics"]["silent"] == 1
    assert configuration["by_category"]["apples"]["cases"] == 2
    assert configuration["waterfall"] == {"selection:rank-below-limit": 1}
    assert configuration["results"][1]["first_rank"] == 8
    assert configuration["results"][1]["lost"] == {"apple-7.md": "selection:rank-below-limit"}
    assert answer["deltas"] == {}


def test_the_same_input_gives_the_same_bytes(cases: Path, tree: Path) -> None:
    words = ["eval", cases, "--project", tree]
    for more in ([], ["--json"], ["--json", "--rankers", "lexical,bm25", "--expansion", "both"]):
        first, second = memtui(*words, *more), memtui(*words, *more)
        assert first.code == 0
        assert first.stdout == second.stdout
        assert str(tree).encode() not in first.stdout


def test_the_demo_cases_come_with_memtui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    by_name, by_path = (
        memtui("eval", "demo", "--json"),
        memtui("eval", built_in_path("demo"), "--json"),
    )
    assert by_name.code == 0
    assert by_name.stdout == by_path.stdout
    assert by_name.json["cases"] == 92
    assert set(by_name.json["pools"]) >= {"demo:small", "demo:alphabets"}


def test_nothing_is_written_and_nothing_is_traced(
    cases: Path, tree: Path, own_environment: Path
) -> None:
    before = tree_state(tree)
    assert memtui("eval", cases, "--project", tree).code == 0
    assert tree_state(tree) == before
    assert not (own_environment / "state").exists()


def test_a_demo_can_be_the_root(tmp_path: Path) -> None:
    path = case_file(tmp_path, case("a", "can I deploy on Friday", "no-friday-deploys.md"))
    assert evaluated(path, "--demo", "small")["configurations"][0]["metrics"]["mrr"] == 1


def test_a_pool_may_be_a_folder_beside_the_case_file(tmp_path: Path, tree: Path) -> None:
    path = case_file(tmp_path, case("a", "pears", "pears.md", pool=tree.name))
    assert evaluated(path)["pools"][tree.name]["documents"] == 9


# -- gates -----------------------------------------------------------------------------------------


def test_below_a_threshold_the_exit_code_is_one_and_the_metric_is_named(
    cases: Path, tree: Path
) -> None:
    words = ["eval", cases, "--project", tree, "--fail-under"]
    assert memtui(*words, "recall_any@10=1").code == 0
    result = memtui(*words, "mrr=0.99", "--fail-under", "silent=1", "--fail-under", "ndcg@10=1")
    assert result.code == 1
    assert result.out.startswith("4 cases")
    told = result.err.splitlines()
    assert len(told) == 2
    assert told[0].startswith("memtui: --fail-under (lexical): mrr is 0.708333, below 0.99")
    assert told[1].startswith("memtui: --fail-under (lexical): ndcg@10 is ")


def test_junit_is_written_also_where_the_gate_is_closed(
    cases: Path, tree: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.xml"
    result = memtui("eval", cases, "--project", tree, "--junit", path, "--fail-under", "mrr=1")
    assert result.code == 1
    names = [suite.attrib["name"] for suite in ElementTree.parse(path).getroot()]
    assert names == ["lexical", "thresholds"]
    result = memtui("eval", cases, "--project", tree, "--junit", tmp_path / "no" / "x.xml")
    assert result.code == 2
    assert "can not be written" in result.err


def test_a_baseline_shows_what_became_better_and_worse(
    cases: Path, tree: Path, tmp_path: Path
) -> None:
    words = ["eval", cases, "--project", tree]
    baseline = tmp_path / "baseline.json"
    baseline.write_bytes(memtui(*words, "--json", "--limit", "1").stdout)
    answer = memtui(*words, "--json", "--limit", "10", "--baseline", baseline).json
    delta = answer["deltas"]["lexical"]
    assert delta["against"] == "baseline: lexical"
    assert [each["id"] for each in delta["better"]] == ["last"]
    assert delta["worse"] == []
    text = memtui(*words, "--limit", "10", "--baseline", baseline)
    assert "1 case became better, the best first" in text.out
    assert "rank 8 → 8  apple-7.md selection:rank-below-limit → recalled" in text.out
    assert text.err == ""


def test_a_baseline_of_other_cases_is_said(cases: Path, tree: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    baseline.write_bytes(memtui("eval", cases, "--project", tree, "--json").stdout)
    other = case_file(tmp_path, case("first", "apple", "apple-0.md"), case("new", "x"), name="o")
    result = memtui("eval", other, "--project", tree, "--baseline", baseline)
    assert result.code == 0
    assert "the baseline is of another case file" in result.err
    assert "  3 cases only there, not compared" in result.out


def test_two_configurations_in_one_run(cases: Path, tree: Path) -> None:
    answer = evaluated(cases, "--project", tree, "--vs", "--limit 10 --set candidate_docs=50")
    first, second = answer["configurations"]
    assert second["name"] == "--limit 10 --set candidate_docs=50"
    assert second["options"]["limits"]["candidate_docs"] == 50
    assert first["metrics"]["context_recall"] < second["metrics"]["context_recall"] == 1
    delta = answer["deltas"][second["name"]]
    assert delta["against"] == "lexical"
    assert [each["id"] for each in delta["better"]] == ["last"]


def test_the_other_configuration_may_have_other_roots(
    cases: Path, tree: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for path in tree.glob("*.md"):
        write_memory(other, path.name, title="Nothing")
    answer = evaluated(cases, "--project", tree, "--vs", f"--project '{other}'")
    assert answer["configurations"][1]["metrics"]["mrr"] == 0


def test_the_other_configuration_may_take_ages_from_elsewhere(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    for number in range(3):
        text = f"---\nname: Apple {number}\nmodified: 2026-01-0{number + 1}\n---\nbody\n"
        write_file(root, f"apple-{number}.md", text.encode(), NOW_MS - number * 1e6)
    path = case_file(tmp_path, case("a", "apple", "apple-2.md"))
    for words in (["--project", root], ["--project", root, "--recency", "mtime"]):
        answer = evaluated(path, *words, "--vs", "--recency modified")
        ranks = [each["results"][0]["first_rank"] for each in answer["configurations"]]
        assert ranks == [3, 1]
    answer = evaluated(path, "--project", root, "--recency", "modified", "--vs", "--limit 1")
    assert {each["results"][0]["first_rank"] for each in answer["configurations"]} == {1}
    assert answer["pools"][""]["recency"] == "modified"


def test_several_rankers_stand_side_by_side(cases: Path, tree: Path) -> None:
    words = [cases, "--project", tree, "--rankers", "lexical, bm25", "--expansion", "both"]
    names = [each["name"] for each in evaluated(*words)["configurations"]]
    assert names == ["lexical", "lexical + expansion", "bm25", "bm25 + expansion"]
    text = memtui("eval", *words).out
    heading = next(line for line in text.splitlines() if line.startswith("metric"))
    assert heading.split("  ")[-1] == "bm25 + expansion"


# -- wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "eval wants a file with CASES, or --longmemeval FILE"),
        (["demo", "--longmemeval", "x"], "eval wants a file with CASES, or --longmemeval"),
        (["demo", "--fail-under", "mrr"], "--fail-under: wants METRIC=VALUE"),
        (["demo", "--fail-under", "speed=1"], "no metric is called 'speed'"),
        (["demo", "--rankers", "lexical,magic"], "no ranker is called 'magic'"),
        (["demo", "--rankers", ""], "no ranker is called ''"),
        (["demo", "--vs", "'"], "--vs can not be read"),
        (["demo", "--vs", "--what"], "--vs: No such option"),
        (["demo", "--baseline", "/no/such"], "--baseline: /no/such can not be read"),
        (["--longmemeval", "/no/such"], "--longmemeval: /no/such can not be read"),
        (["--longmemeval", "~nobody-of-this-name/x"], "can not be read: No such file"),
        (["~nobody-of-this-name/x"], "can not be read: No such file"),
        (["demo", "--baseline", "~nobody-of-this-name/x"], "can not be read: No such file"),
        (["demo", "--junit", "/no/such/report.xml"], "can not be written: there is no such folder"),
        (["demo", "--junit", "/"], "can not be written: it is a folder"),
        (["demo", "--junit", "x" * 300], "can not be written: File name too long"),
        (["demo", "--granularity", "turn"], "--granularity is for --longmemeval FILE alone"),
        (["demo", "--seed", "3"], "--seed is for --longmemeval FILE alone"),
        (["demo", "--per-category", "3"], "--per-category is for --longmemeval FILE alone"),
        (["--longmemeval", "x", "--demo", "small"], "--longmemeval brings its own memories"),
    ],
)
def test_wrong_use_is_one_line_and_exit_two(words: list[str], complaint: str) -> None:
    result = memtui("eval", *words)
    assert result.code == 2
    assert complaint in result.err.splitlines()[-1]
    assert "Traceback" not in result.err
    assert result.stdout == b""


def test_every_problem_of_a_case_file_is_told_and_nothing_is_run(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a"}\nnonsense\n', "utf-8")
    result = memtui("eval", path, "--demo", "small")
    assert result.code == 2
    assert result.stdout == b""
    assert [line.partition("cases.jsonl: ")[2] for line in result.err.splitlines()] == [
        "line 1: query is missing",
        "line 1: relevant is missing",
        "line 2: no JSON: Expecting value (column 1)",
        "",
    ]
    assert result.err.splitlines()[-1] == "memtui: 3 problems with the cases; none was run"


def test_a_name_that_fits_nothing_is_told_with_its_case(tmp_path: Path) -> None:
    path = case_file(tmp_path, case("lonely", "q", "gone.md", pool="small"))
    result = memtui("eval", path)
    assert result.code == 2
    assert_one_line(result)
    told = "line 1: case lonely: gone.md is no memory of the pool small (no-such-file)"
    assert f"cases.jsonl: {told}; no case was run" in result.err


def test_a_root_that_is_not_there_ends_it(cases: Path, tmp_path: Path) -> None:
    result = memtui("eval", cases, "--project", tmp_path / "nowhere")
    assert result.code == 2
    assert_one_line(result)


def test_a_report_is_never_written_into_a_memory_store(
    cases: Path, tree: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(tree)
    other = tmp_path / "other"
    write_memory(other, "apple-0.md", title="Apple")
    named = case_file(tmp_path, case("a", "apple", "apple-0.md", pool="other"), name="named.jsonl")
    before = {root: tree_state(root) for root in (tree, other)}
    for words in (
        [cases, "--project", tree, "--junit", tree / "report.xml"],
        [cases, "--project", tree, "--junit", link / "deep" / "report.xml"],
        [named, "--junit", other / "report.xml"],
        [named, "--vs", f"--project {tree}", "--junit", other / "report.xml"],
    ):
        result = memtui("eval", *words)
        assert result.code == 2
        assert_one_line(result)
        assert "memtui never writes in a memory store" in result.err
    assert {root: tree_state(root) for root in (tree, other)} == before


def test_a_report_never_takes_the_place_of_what_is_read(cases: Path, tree: Path) -> None:
    words = ["eval", cases, "--project", tree]
    baseline = cases.parent / "baseline.json"
    baseline.write_bytes(memtui(*words, "--json").stdout)
    hard = cases.parent / "hard.xml"
    os.link(cases, hard)
    for target in (cases, baseline, hard):
        before = target.read_bytes()
        result = memtui(*words, "--baseline", baseline, "--junit", target)
        assert result.code == 2
        assert "it is a file that this command reads" in result.err
        assert target.read_bytes() == before


def test_what_was_measured_is_told_also_where_the_report_can_not_be_written(
    cases: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(_: Path, __: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    result = memtui("eval", cases, "--project", tree, "--junit", tmp_path / "report.xml")
    assert result.code == 2
    assert result.out.startswith("4 cases")
    assert_one_line_at_the_end(result)
    assert "report.xml can not be written: No space left on device" in result.err


def assert_one_line_at_the_end(result: Result) -> None:
    assert result.err.startswith("memtui: ")
    assert result.err.count("\n") == 1


def test_a_baseline_that_nothing_is_compared_with_is_said(
    cases: Path, tree: Path, tmp_path: Path
) -> None:
    baseline = tmp_path / "baseline.json"
    words = ["eval", cases, "--project", tree]
    baseline.write_bytes(memtui(*words, "--json", "--rankers", "bm25,fuzzy").stdout)
    result = memtui(*words, "--baseline", baseline)
    assert result.code == 0
    assert "nothing is compared with the baseline, which has only: bm25, fuzzy" in result.err


def test_the_configured_dialect_reads_the_pools_that_cases_name(
    tmp_path: Path, own_environment: Path
) -> None:
    write_file(tmp_path / "pool", "nested.md", b"---\nmetadata:\n  type: user\n---\napple")
    path = case_file(tmp_path, case("a", "apple", "nested.md", pool="pool"))
    assert evaluated(path)["configurations"][0]["results"][0]["lost"] == {}
    (own_environment / "config.toml").write_text('dialect = "qwen"\n', "utf-8")
    lost = {"nested.md": "scan:type-nested"}
    assert evaluated(path)["configurations"][0]["results"][0]["lost"] == lost
    assert evaluated(path, "--dialect", "claude")["pools"]["pool"]["documents"] == 1


def test_two_processes_with_other_hashes_give_the_same_bytes(cases: Path, tree: Path) -> None:
    words = ["eval", cases, "--project", tree, "--json", "--rankers", "lexical,bm25,fuzzy,hybrid"]
    answers = {
        spawn(*words, "--expansion", "both", PYTHONHASHSEED=seed).stdout for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert answers != {b""}


# -- the benchmark ---------------------------------------------------------------------------------


def test_the_benchmark_leaves_a_record_of_what_was_run(tmp_path: Path) -> None:
    questions = [question(f"q{n}", f"kind-{n % 2}") for n in range(10)]
    path = written(tmp_path, *questions, question("q_abs"))
    words = ["--longmemeval", path, "--per-category", 2, "--seed", 5, "--rankers", "lexical,bm25"]
    answer = evaluated(*words)
    assert answer == evaluated(*words)
    told = memtui("eval", *words).err
    assert "11 questions, 4 are asked; left out: 1 that no session answers\n" in told
    source = answer["source"]
    assert len(source.pop("sha256")) == 64
    assert source == {
        "longmemeval": "longmemeval.json",
        "granularity": "session",
        "questions": 11,
        "abstention_left_out": 1,
        "unmarked_left_out": 0,
        "per_category": 2,
        "seed": 5,
    }
    assert answer["memtui"]
    assert answer["cases"] == 4
    for configuration in answer["configurations"]:
        assert configuration["options"]["limits"]["manifest_bytes"] == 25_000
        assert set(configuration["by_category"]) == {"kind-0", "kind-1"}
        assert configuration["metrics"]["mrr"] == 1
    turns = evaluated("--longmemeval", path, "--granularity", "turn")
    assert turns["source"]["granularity"] == "turn"
    assert turns["configurations"][0]["relevant"] == 10


# -- stopping it -----------------------------------------------------------------------------------

STOPPED = """
import os, signal, sys
import memtui.evaluate.run as run
from memtui.cli import run as command
real, calls = run.recall, []
def recall(*given, **named):
    calls.append(1)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGINT)
    return real(*given, **named)
run.recall = recall
sys.exit(command(sys.argv[1:]))
"""


def stopped(*words: object) -> Result:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, *map(str, words)],
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(os.name == "nt", reason="signals are other ones there")
def test_ctrl_c_leaves_a_partial_report_that_says_so(tmp_path: Path) -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    xml = tmp_path / "report.xml"
    words = ["eval", "demo", "--rankers", "lexical,bm25", "--fail-under", "mrr=1", "--junit", xml]
    result = stopped(*words, "--json")
    assert result.code == 130, result.err
    assert result.json["partial"] is True
    assert (result.json["cases"], result.json["planned"]) == (1, 92)
    assert [len(each["results"]) for each in result.json["configurations"]] == [1, 1]
    assert "interrupted after 1 of 92 cases" in result.err
    assert "Traceback" not in result.err
    assert b"interrupted: 91 of 92 cases were not run" in xml.read_bytes()
    text = stopped(*words)
    assert text.code == 130
    assert text.out.startswith("INTERRUPTED after 1 of 92 cases: every number below is of those")


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals there")
def test_a_bar_moves_on_a_terminal_and_stays_out_of_the_answer() -> None:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "memtui", "eval", "demo", "--json"],
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        answer = json.loads(process.stdout.read())
    seen = b""
    try:
        while chunk := os.read(ours, 65_536):
            seen += chunk
    except OSError:  # how a terminal ends whose other side is closed
        pass
    os.close(ours)
    assert answer["cases"] == 92
    assert b"100%" in seen
    assert seen.count(b"\r") > 5
