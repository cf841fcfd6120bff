"""The example workflow does what it says, in a repository that keeps its memory in git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.helpers import write_memory

EXAMPLE = Path(__file__).parents[2] / ".github" / "examples" / "memory-health.yml"

pytestmark = pytest.mark.skipif(
    not EXAMPLE.is_file() or os.name == "nt" or not (shutil.which("git") and shutil.which("bash")),
    reason="wants the checkout, git and bash",
)

GOOD = {"id": "good", "query": "deploy on Friday", "relevant": ["no-friday.md"]}
BAD = {"id": "bad", "query": "something else", "relevant": ["no-friday.md"]}


def steps() -> dict[str, str]:
    """The scripts of the job by their name, but for the installation."""
    job = yaml.safe_load(EXAMPLE.read_text("utf-8"))["jobs"]["memory"]
    return {each["name"]: each["run"] for each in job["steps"] if "run" in each and "name" in each}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    write_memory(
        folder / "memory",
        "no-friday.md",
        title="No deploy on Friday",
        description="Never deploy on Friday",
        body="It went wrong.",
    )
    (folder / "memory-cases.jsonl").write_text(json.dumps(GOOD) + "\n", "utf-8")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "memtui").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memtui "$@"\n')
    (programs / "memtui").chmod(0o755)
    git(tmp_path, "init", "--quiet", str(folder))
    git(folder, "config", "user.email", "mira@shop.example")
    git(folder, "config", "user.name", "Mira")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--date", "2026-01-02T03:04:05Z", "-m", "memory")
    return folder


def step(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """One script, run as the build server does it."""
    paths = f"{folder.parent / 'programs'}{os.pathsep}{os.environ['PATH']}"
    package = str(EXAMPLE.parents[2])
    env = {**os.environ, "PATH": paths, "PYTHONPATH": package, "MEMORY": "memory"}
    env["CASES"] = "memory-cases.jsonl"
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", steps()[name]],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_every_step_passes_where_all_is_well(repository: Path) -> None:
    for name in steps():
        done = step(repository, name)
        assert done.returncode == 0, (name, done.stderr)
    assert (repository / "memory-cases.xml").is_file()


def test_every_memory_gets_the_time_of_its_last_commit(repository: Path) -> None:
    told = subprocess.run(
        ["git", "-C", str(repository), "log", "-1", "--format=%ct"],
        capture_output=True,
        check=True,
        text=True,
    )
    (name,) = (each for each in steps() if "time of its last commit" in each)
    step(repository, name)
    assert (repository / "memory" / "no-friday.md").stat().st_mtime == int(told.stdout)


def test_a_memory_that_can_not_be_read_fails_the_health_step(repository: Path) -> None:
    (repository / "memory" / "half.md").write_text("---\nname: never closed\n", "utf-8")
    assert step(repository, "Health").returncode == 1


def test_a_question_that_finds_nothing_fails_the_evaluation_step(repository: Path) -> None:
    cases = f"{json.dumps(GOOD)}\n{json.dumps(BAD)}\n"
    (repository / "memory-cases.jsonl").write_text(cases, "utf-8")
    done = step(repository, "Evaluation")
    assert done.returncode == 1
    assert "context_recall is 0.5, below 0.9" in done.stderr
    assert "bad" in done.stdout
