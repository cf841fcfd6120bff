"""How well and how fast the rankers rank: one JSON object.

    python -m tests.bench.bench_rankers [DOCUMENTS]

Quality is measured on the invented talks of ``sample_memory/talks``: any@10 is the share of
questions with an evidence turn among the ten best. ``as one talk`` is every turn of every talk in
one pool, with the same two names for the speakers of each. Times are milliseconds of this process,
the fastest of some recalls of a warm pool; ratios are to the lexical ranker.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import process_time

from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, document_id
from memtui.recall.expansion import Expansion
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.query import expand_query, parse_query
from memtui.recall.rankers.registry import rank_all
from memtui.samples.talks import Question, Talk, Turn, load_talks, talk_pool

SPEAKERS = ("Carla", "Melvin")
Pattern = re.Pattern[str]
NAMES = ("lexical", "bm25", "fuzzy", "hybrid")
LIMITS = Limits()
TIMES = 15
CONFIGURATIONS = tuple((name, expanded) for name in NAMES for expanded in (False, True))


def label(name: str, expanded: bool) -> str:
    return f"{name} --expand" if expanded else name


def first_rank(pool: Pool, query: str, wanted: frozenset[str], name: str, expanded: bool) -> int:
    """The rank of the first document wanted, from 1; 0 if none was found."""
    asked = expand_query(
        parse_query(query, LIMITS.query_tokens), pool, Expansion() if expanded else None
    )
    ranking = rank_all(name, pool, pool.documents, asked, LIMITS, expanded=expanded, most=0)
    return min((ranking.ranks[each] for each in wanted if each in ranking.ranks), default=0)


def metrics(ranks: Sequence[int]) -> dict[str, float]:
    any_at = {
        f"any@{most}": round(100 * sum(0 < rank <= most for rank in ranks) / len(ranks), 1)
        for most in (1, 5, 10, 20)
    }
    return {**any_at, "mrr": round(sum(1 / rank for rank in ranks if rank) / len(ranks), 3)}


def bench_quality() -> dict[str, dict[str, dict[str, float]]]:
    """Pool → configuration → metrics."""
    talks = load_talks()
    pools = [(talk.name, talk) for talk in talks]
    pools.append(("as one talk", as_one_talk(talks)))
    return {
        title: {
            label(name, expanded): metrics(
                [
                    first_rank(pool, question.query, question.relevant_ids, name, expanded)
                    for question in talk.questions
                ]
            )
            for name, expanded in CONFIGURATIONS
        }
        for title, talk in pools
        for pool in (talk_pool(talk),)
    }


def as_one_talk(talks: Sequence[Talk]) -> Talk:
    """Every turn and question, as if the same two people had talked all the time."""
    turns: list[Turn] = []
    questions: list[Question] = []
    for talk in talks:
        names = dict(zip(talk.speakers, SPEAKERS, strict=True))
        pattern = re.compile(rf"\b({'|'.join(names)})\b")

        def renamed(text: str, names: dict[str, str] = names, pattern: Pattern = pattern) -> str:
            return pattern.sub(lambda match: names[match.group()], text)

        turns += (
            replace(turn, speaker=names[turn.speaker], text=renamed(turn.text))
            for turn in talk.turns
        )
        questions += (replace(each, query=renamed(each.query)) for each in talk.questions)
    return Talk("as one talk", tuple(turns), tuple(questions))


# -- speed ----------------------------------------------------------------------------------------


def large_pool(count: int) -> Pool:
    """Memories with a title, a description and a body of some sentences, all different."""
    lines = [turn.text for talk in load_talks() for turn in talk.turns]
    documents = []
    for number in range(count):
        path = f"m{number:05}.md"
        words = [lines[(number * step + step) % len(lines)] for step in (1, 7, 11, 13, 17)]
        documents.append(
            Document(
                id=document_id(Scope.PROJECT, path, 16),
                scope=Scope.PROJECT,
                path=f"/memory/{path}",
                relative_path=path,
                type="project",
                title=f"{words[0][:40]} {number}",
                description=words[1],
                body=" ".join(words[2:]),
                mtime_ms=1_700_000_000_000.0 - 60_000 * number,
                size=500,
                dialect="claude",
                frontmatter="",
            )
        )
    return Pool(documents=tuple(documents))


def bench_speed(count: int) -> dict[str, dict[str, float]]:
    """Configuration → milliseconds of a cold and of a warm recall, and its ratio to lexical."""
    pool = large_pool(count)
    query = "When did the baker next door sell the old oven to his cousin?"
    runs = {
        label(name, expanded): _recalls(
            replace(pool),
            query,
            RecallOptions(ranker=name, expand=Expansion() if expanded else None),
        )
        for name, expanded in CONFIGURATIONS
    }
    found = {name: {"cold_ms": 1000 * _seconds(run)} for name, run in runs.items()}
    rounds = [{name: _seconds(run) for name, run in runs.items()} for _ in range(TIMES)]
    for name, each in found.items():
        each["warm_ms"] = 1000 * min(one[name] for one in rounds)
    lexical = found["lexical"]["warm_ms"]
    return {
        name: {key: round(value, 1) for key, value in each.items()}
        | {"to_lexical": round(each["warm_ms"] / lexical, 2)}
        for name, each in found.items()
    }


def _recalls(pool: Pool, query: str, options: RecallOptions) -> Callable[[], object]:
    return lambda: recall(query, pool, options)


def _seconds(run: Callable[[], object]) -> float:
    started = process_time()
    run()
    return process_time() - started


def main(arguments: Sequence[str]) -> Mapping[str, object]:
    count = int(arguments[0]) if arguments else 10_000
    return {"documents": count, "speed": bench_speed(count), "quality": bench_quality()}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:]), indent=2))
