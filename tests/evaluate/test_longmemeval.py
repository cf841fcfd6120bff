"""The benchmark's format: streamed, checked, sampled by seed, and turned into pools."""

from __future__ import annotations

import hashlib
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from memtui.evaluate import Asked, Configuration, run_cases
from memtui.evaluate.longmemeval import LongMemEvalError, ask, survey
from memtui.recall.options import RecallOptions
from tests.cli.running import memtui

LEXICAL = Configuration("lexical", RecallOptions())


def question(name: str, kind: str = "multi-session", **changed: Any) -> dict[str, Any]:
    """A question with three sessions, the second of which has the answer in its second turn."""
    record = {
        "question_id": name,
        "question_type": kind,
        "question": "Which lighthouse did we visit?",
        "answer": "Kolka",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["s1", "s2", "s3"],
        "haystack_dates": [f"2023/05/{day} (Sat) 02:21" for day in (20, 22, 21)],
        "haystack_sessions": [
            [{"role": "user", "content": "bread and butter"}],
            [
                {"role": "user", "content": "plans for the coast"},
                {"role": "assistant", "content": "the lighthouse at Kolka", "has_answer": True},
            ],
            [{"role": "user", "content": "socks"}, {"role": "assistant", "content": "wool"}],
        ],
        "answer_session_ids": ["s2"],
    }
    return {**record, **changed}


def written(folder: Path, *questions: object) -> str:
    path = folder / "longmemeval.json"
    path.write_text(json.dumps(questions), "utf-8")
    return str(path)


def everything(path: str, granularity: Any = "session") -> list[Asked]:
    chosen = survey(path, granularity).sample(None, 0)
    return list(ask(path, granularity, chosen, 1))


def test_a_session_is_one_memory(tmp_path: Path) -> None:
    (asked,) = everything(written(tmp_path, question("q1")))
    where = asked.pools[0]
    assert [each.relative_path for each in where.pool.documents] == ["s2.md", "s3.md", "s1.md"]
    answer = where.pool.documents[0]
    assert answer.title == "2023/05/22 (Sat) 02:21"
    assert answer.body == "user: plans for the coast\n\nassistant: the lighthouse at Kolka"
    assert answer.description == answer.type == ""
    assert where.now_ms - answer.mtime_ms == pytest.approx(10 * 86_400_000 + 27_540_000)
    assert list(asked.targets[0]) == ["s2.md"]
    assert asked.case.category == "multi-session"


def test_a_turn_is_one_memory(tmp_path: Path) -> None:
    (asked,) = everything(written(tmp_path, question("q1")), "turn")
    paths = [each.relative_path for each in asked.pools[0].pool.documents]
    assert paths == ["s2_1.md", "s2_2.md", "s3_1.md", "s3_2.md", "s1_1.md"]
    assert list(asked.targets[0]) == ["s2_2.md"]
    assert asked.pools[0].pool.documents[1].title == "assistant"


def test_the_answer_is_found_and_judged(tmp_path: Path) -> None:
    for granularity in ("session", "turn"):
        asked = everything(written(tmp_path, question("q1")), granularity)
        ((result,),) = run_cases(asked, [LEXICAL])
        assert result.first_rank == 1
        assert result.passed


def test_abstention_and_unmarked_questions_are_left_out_and_counted(tmp_path: Path) -> None:
    unmarked = question("q3")
    del unmarked["haystack_sessions"][1][1]["has_answer"]
    path = written(
        tmp_path, question("q1"), question("q2_abs", answer_session_ids=["other"]), unmarked
    )
    found = survey(path, "session")
    assert (found.questions, found.abstention, found.unmarked) == (3, 1, 0)
    assert found.categories == {"multi-session": ("q1", "q3")}
    found = survey(path, "turn")
    assert (found.questions, found.abstention, found.unmarked) == (3, 1, 1)
    assert found.sha256 == hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_sample_is_the_same_for_a_seed_and_holds_the_smaller_one(tmp_path: Path) -> None:
    kinds = ["a"] * 9 + ["b"] * 9 + ["c"] * 2
    path = written(tmp_path, *(question(f"q{n}", kind) for n, kind in enumerate(kinds)))
    found = survey(path, "session")
    assert found.sample(3, 7) == survey(path, "session").sample(3, 7)
    assert len(found.sample(3, 7)) == 8
    assert found.sample(3, 7) < found.sample(5, 7)
    assert found.sample(3, 7) != found.sample(3, 8)
    assert found.sample(None, 1) == found.sample(99, 2)
    pinned = "q10 q13 q14 q18 q19 q2 q5 q8"
    assert found.sample(3, 7) == set(pinned.split())


def test_a_session_that_is_there_twice_is_one_memory_unless_it_differs(tmp_path: Path) -> None:
    turns = question("q")["haystack_sessions"]
    twice = question(
        "q1",
        haystack_session_ids=["s1", "s1", "s1"],
        haystack_sessions=[turns[0], turns[0], turns[2]],
        answer_session_ids=["s1"],
    )
    (asked,) = everything(written(tmp_path, twice))
    assert {each.relative_path for each in asked.pools[0].pool.documents} == {"s1.md", "s1~2.md"}
    assert set(asked.targets[0]) == {"s1.md", "s1~2.md"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "no JSON after question 0"),
        ("[]", "holds no question"),
        ("{}", "holds no question"),
        ("[1]", "question 1: it is no object"),
        ('[{"question_id": "q1"', "no JSON after question 0"),
        ("nonsense", "no JSON after question 0"),
        ("[" * 100_000, "nested too deep"),
        ('[{"question_id":' + "[" * 100_000, "nested too deep"),
        ('[{"question_id": NaN}]', "no JSON after question 0"),
    ],
)
def test_a_file_that_is_something_else_is_refused(
    tmp_path: Path, content: str, complaint: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, "utf-8")
    with pytest.raises(LongMemEvalError, match=complaint):
        survey(str(path), "session")


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"question": None}, "question is missing, or no text"),
        ({"haystack_dates": ["2023/05/20 (Sat) 02:21"]}, "3 session ids, 1 dates and 3 sessions"),
        ({"haystack_dates": ["x", "y", "z"]}, "no date: 'x'"),
        ({"question_date": "2023/13/45 (Sat) 02:21"}, "no date: '2023/13/45"),
        ({"haystack_session_ids": [1, 2, 3]}, "a session id or a date is no text"),
        ({"answer_session_ids": ["s9"]}, "the answer session 's9' is not in its haystack"),
        ({"haystack_sessions": [[], [], [{"role": "user"}]]}, "the session 's3' is no list of"),
        ({"haystack_sessions": 1}, "haystack_sessions is missing, or no list"),
    ],
)
def test_a_question_that_lacks_something_is_named(
    tmp_path: Path, changed: dict[str, Any], complaint: str
) -> None:
    path = written(tmp_path, question("q1"), question("q2", **changed))
    with pytest.raises(LongMemEvalError) as caught:
        survey(path, "session")
    assert str(caught.value).startswith("question 2 (q2): ")
    assert complaint in str(caught.value)


def test_bytes_that_are_no_utf8_are_one_line(tmp_path: Path) -> None:
    path = Path(written(tmp_path, question("q1")))
    path.write_bytes(path.read_bytes().replace(b"Kolka", b"K\xff", 1))
    with pytest.raises(LongMemEvalError, match="no JSON after question 0: lexical error"):
        survey(str(path), "session")


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    path = Path(written(tmp_path, question("q1")))
    content = b"\xef\xbb\xbf" + path.read_bytes()
    path.write_bytes(content)
    assert len(everything(str(path))) == 1
    assert survey(str(path), "session").sha256 == hashlib.sha256(content).hexdigest()


def test_a_question_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LongMemEvalError, match="'q1' stands there twice"):
        survey(written(tmp_path, question("q1"), question("q1")), "session")


def test_a_file_cut_short_tells_after_which_question(tmp_path: Path) -> None:
    path = Path(written(tmp_path, question("q1"), question("q2")))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(LongMemEvalError, match="no JSON after question 1"):
        survey(str(path), "session")


def test_one_question_is_held_at_a_time(tmp_path: Path) -> None:
    long = [[{"role": "user", "content": "word " * 2_000}] for _ in range(50)]
    path = tmp_path / "long.json"
    with path.open("w", encoding="utf-8") as file:
        for number in range(60):
            record = question(
                f"q{number}",
                haystack_session_ids=[f"s{place}" for place in range(50)],
                haystack_dates=["2023/05/20 (Sat) 02:21"] * 50,
                haystack_sessions=long,
            )
            file.write(("[" if number == 0 else ",") + json.dumps(record))
        file.write("]")
    size = path.stat().st_size
    assert size > 25_000_000
    tracemalloc.start()
    try:
        chosen = survey(str(path), "session").sample(None, 0)
        count = sum(1 for _ in run_cases(ask(str(path), "session", chosen, 1), [LEXICAL]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 60
    assert peak < size / 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names there")
def test_a_pipe_is_refused_since_the_file_is_read_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(LongMemEvalError, match="is no regular file"):
        survey(str(pipe), "session")


def test_a_file_that_lost_a_question_between_the_readings_ends_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, question("q1"), question("q2"))
    surveyed = survey(path, "session")
    written(tmp_path, question("q1"))
    monkeypatch.setattr("memtui.evaluate.longmemeval.survey", lambda *_: surveyed)
    result = memtui("eval", "--longmemeval", path)
    assert result.code == 2
    assert "longmemeval.json changed while it was read; run it again" in result.err
    assert result.stdout == b""
