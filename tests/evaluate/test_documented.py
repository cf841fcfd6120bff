"""The page on evaluation says what the command does and prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memtui.evaluate import METRICS
from tests.cli.running import memtui

README = Path(__file__).parents[2] / "README.md"
SECTION = "## Keeping it fixed: evaluation"
COLUMNS = ("recall_any@1", "recall_any@5", "ndcg@10", "manifest_recall", "context_recall")
NUMBERS = {3: "three", 5: "five", 8: "eight", 20: "twenty"}


@pytest.fixture(scope="module")
def section() -> str:
    text = README.read_text("utf-8")
    return text.split(SECTION, 1)[1].split("\n## ", 1)[0]


@pytest.fixture(scope="module")
def demo() -> Any:
    return memtui("eval", "demo", "--json").json


def shortened(value: float) -> str:
    """A share as the page writes it: ``.819``, and whole numbers without decimals."""
    text = f"{value:.3f}"
    return text[0] if text.endswith(".000") else text.removeprefix("0")


def row(name: str, cases: int, metrics: dict[str, float]) -> str:
    cells = [name, str(cases), *(shortened(metrics[column]) for column in COLUMNS)]
    return f"| {' | '.join(cells)} |"


def test_the_table_is_what_the_demo_cases_give(section: str, demo: Any) -> None:
    (configuration,) = demo["configurations"]
    expected = [
        row(name, each["cases"], each["metrics"])
        for name, each in configuration["by_category"].items()
        if each["metrics"]["mrr"] is not None
    ]
    expected.append(row("all", demo["cases"], configuration["metrics"]))
    lines = [line for line in section.splitlines() if re.match(r"\| [^|]+ \| \d", line)]
    told = [line.replace("NFKC", "nfkc") for line in lines]
    assert [re.sub(r"(?<=[a-z]) (?=[a-z])", "-", line) for line in told] == expected


def test_the_sentences_beside_the_table_are_true(section: str, demo: Any) -> None:
    (configuration,) = demo["configurations"]
    lost = configuration["relevant"] - configuration["recalled"]
    loud = sum(1 for each in configuration["results"] if each.get("silent") == 0)
    words = " ".join(section.split())
    assert f"The {demo['cases']} sample cases" in words
    assert f"{NUMBERS[lost].capitalize()} of {configuration['relevant']} relevant memories" in words
    assert (
        f"Of the {demo['nothing_relevant']} questions that nothing answers, {loud} select" in words
    )


def test_every_metric_that_can_be_a_gate_is_named(section: str) -> None:
    named = section.split("`--fail-under` takes", 1)[1].split("\n\n", 1)[0]
    for metric in METRICS:
        spelled = re.sub(r"^(recall_\w+)@\d+$", r"\1@N", metric)
        assert f"`{spelled}`" in named


def test_the_documented_case_is_a_miss_that_closes_the_gate(section: str, tmp_path: Path) -> None:
    line = section.split("```json\n", 1)[1].split("\n```", 1)[0]
    path, before, xml = (tmp_path / name for name in ("cases.jsonl", "before.json", "report.xml"))
    path.write_text(line + "\n", "utf-8")
    words = ["eval", path, "--demo", "small"]
    answer = memtui(*words, "--json")
    before.write_bytes(answer.stdout)
    (result,) = json.loads(answer.stdout)["configurations"][0]["results"]
    assert result["lost"] == {"project_undo_bad_deploy.md": "selection:no-lexical-hit"}
    gate = ["--fail-under", "context_recall=1", "--junit", xml]
    assert memtui(*words, *gate).code == 1
    mended = memtui(*words, *gate, "--ranker", "bm25", "--baseline", before)
    assert mended.code == 0
    assert "1 case became better" in mended.out
    assert "selection:no-lexical-hit → recalled" in mended.out
