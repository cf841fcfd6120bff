"""How long evaluations take and how much memory, run as a user runs them: one line of JSON each.

    python -m tests.bench.bench_evaluate [cases|longmemeval] [--ranker NAME] [--questions N]

``cases``: 1,531 questions over 5,882 memories in ten folders. ``longmemeval``: a generated file of
500 questions with 50 sessions each. Everything is invented from a word list, by a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.helpers import NOW_MS, write_memory

POOLS, DOCUMENTS, QUESTIONS = 10, 5_882, 1_531
LONG_QUESTIONS, SESSIONS, TURNS, TURN_WORDS = 500, 50, 10, 160
KINDS = ("single-session-user", "multi-session", "temporal-reasoning", "knowledge-update")
SYLLABLES = ["ka", "re", "mo", "tin", "sul", "per", "da", "lo", "vex", "mi", "nor", "tas"]


def word_list(dice: random.Random, count: int = 6_000) -> list[str]:
    """Invented words."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(dice.choices(SYLLABLES, k=dice.randint(1, 4)))] = None
    return list(found)


def sentence(dice: random.Random, words: list[str], count: int) -> str:
    """Words, few of them often and most of them seldom."""
    places = (min(len(words) - 1, int(dice.paretovariate(0.45)) - 1) for _ in range(count))
    return " ".join(words[place] for place in places)


def write_pools(folder: Path, dice: random.Random) -> Path:
    """Ten folders of memories, and the cases."""
    words = word_list(dice)
    sizes = [DOCUMENTS // POOLS + (place < DOCUMENTS % POOLS) for place in range(POOLS)]
    known: list[tuple[str, str, str]] = []
    for pool, size in enumerate(sizes):
        for number in range(size):
            title = f"{sentence(dice, words, 4)} {dice.choice(words)}"
            path = f"project/memory-{number}.md"
            write_memory(
                folder / f"pool-{pool}",
                path,
                title=title,
                description=sentence(dice, words, 16),
                body=sentence(dice, words, dice.randint(40, 400)),
                mtime_ms=NOW_MS - 60_000.0 * dice.randrange(500_000),
            )
            known.append((f"pool-{pool}", path, title))
    cases = folder / "cases.jsonl"
    with cases.open("w", encoding="utf-8") as file:
        for number, (pool, path, title) in enumerate(dice.choices(known, k=QUESTIONS)):
            query = f"{sentence(dice, words, 6)} {title.split()[-1]}"
            case = {"id": f"q{number}", "query": query, "relevant": [path], "pool": pool}
            file.write(json.dumps(case) + "\n")
    return cases


def write_longmemeval(path: Path, dice: random.Random, questions: int) -> None:
    """A file in the form of the benchmark, written question by question."""
    words = word_list(dice)
    with path.open("w", encoding="utf-8") as file:
        for number in range(questions):
            file.write("[" if number == 0 else ",\n")
            json.dump(long_question(dice, words, number), file)
        file.write("]\n")


def long_question(dice: random.Random, words: list[str], number: int) -> dict[str, object]:
    """One question with its haystack."""
    answer = dice.randrange(SESSIONS)
    sessions = [list(turns(dice, words)) for _ in range(SESSIONS)]
    sessions[answer][0]["has_answer"] = True
    said = str(sessions[answer][0]["content"]).split()
    days = [
        f"2023/{1 + place % 12:02}/{1 + place % 28:02} (Mon) 10:{place:02}"
        for place in range(SESSIONS)
    ]
    return {
        "question_id": f"q{number}" + ("_abs" if number % 17 == 16 else ""),
        "question_type": KINDS[number % len(KINDS)],
        "question": " ".join(dice.sample(said, 6)),
        "answer": "",
        "question_date": "2024/01/02 (Tue) 09:00",
        "haystack_session_ids": [f"s{number}_{place}" for place in range(SESSIONS)],
        "haystack_dates": days,
        "haystack_sessions": sessions,
        "answer_session_ids": [f"s{number}_{answer}"],
    }


def turns(dice: random.Random, words: list[str]) -> Iterator[dict[str, object]]:
    """The turns of one session."""
    for place in range(TURNS):
        role = "assistant" if place % 2 else "user"
        yield {"role": role, "content": sentence(dice, words, TURN_WORDS)}


def measured(arguments: list[str]) -> dict[str, object]:
    """Seconds, peak memory in MB and the answer of one command, in a process of its own."""
    code = (
        "import json, resource, sys\n"
        "from memtui.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "sys.stdout.flush()\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "sys.stderr.write(json.dumps({'code': code, 'peak': peak}))\n"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=True, text=True
    )
    seconds = time.perf_counter() - started
    told = json.loads(done.stderr.splitlines()[-1])
    record = json.loads(done.stdout)
    unit = 1024 * (1024 if sys.platform == "darwin" else 1)
    return {
        "seconds": round(seconds, 1),
        "peak_mb": round(told["peak"] / unit),
        "cases": record["cases"],
        "exit": told["code"],
        "metrics": {each["name"]: each["metrics"]["ndcg@10"] for each in record["configurations"]},
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", default="cases", choices=["cases", "longmemeval"])
    parser.add_argument("--ranker", default="lexical")
    parser.add_argument("--questions", type=int, default=LONG_QUESTIONS)
    parser.add_argument("--granularity", default="session")
    typed = parser.parse_args()
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if typed.what == "cases":
            cases = write_pools(folder, dice)
            asked = [str(cases)]
        else:
            path = folder / "longmemeval.json"
            write_longmemeval(path, dice, typed.questions)
            asked = ["--longmemeval", str(path), "--granularity", typed.granularity]
        size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
        found = measured(["eval", *asked, "--json", "--rankers", typed.ranker])
    told = {"what": typed.what, "rankers": typed.ranker, "input_mb": round(size / 1e6)}
    print(json.dumps({**told, "cores": os.cpu_count(), **found}))


if __name__ == "__main__":
    main()
