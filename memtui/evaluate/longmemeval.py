"""Reads the LongMemEval benchmark, one question at a time, each with a pool of its own.

A file is a JSON array of questions; with 50 sessions each it has hundreds of megabytes, so it is
streamed twice: once to check and count everything and to hash the bytes, once to run.

How a haystack becomes a pool. A session is one memory: its title is the session's date as the file
has it, its body the turns, each with its role. With turn granularity each turn is one memory, its
title the role. There is no description and no type, since the benchmark has none and nothing is
invented. Times are the session's; the question's date is the clock. The turns of both roles are
there, unlike in the benchmark's own baselines, which index what the user said.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

from memtui.evaluate.cases import Case
from memtui.evaluate.pools import CasePool
from memtui.evaluate.run import Asked
from memtui.memory.document import Document, Pool, Scope, document_id, with_unique_ids

Granularity = Literal["session", "turn"]
ABSTENTION = "_abs"
"""How the id of a question ends to which no session has the answer."""
MOST_DEPTH = 64
"""Lists and objects inside one another; the benchmark has five."""
ROOT = "/longmemeval"
"""Where the memories of a question seem to lie."""

_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})\D*?(\d{1,2}):(\d{2})")
_TEXTS = ("question_id", "question_type", "question", "question_date")
_LISTS = ("haystack_session_ids", "haystack_dates", "haystack_sessions", "answer_session_ids")


class LongMemEvalError(ValueError):
    """The file can not be used. ``str()`` is one clear line."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a file holds, after all of it was read and checked once."""

    name: str
    """Its base name."""
    sha256: str
    """Of its bytes, in hex."""
    questions: int
    """All of them."""
    abstention: int
    """Those left out since no session has the answer."""
    unmarked: int
    """Those left out since no turn is marked as having it; with turn granularity alone."""
    categories: Mapping[str, tuple[str, ...]]
    """Question type to the ids that can be judged, in the order of the file."""

    def sample(self, per_category: int | None, seed: int) -> frozenset[str]:
        """The ids of at most so many questions of each type; all of them without a number.

        Which ones depends on the seed and the ids alone, and a larger sample holds the smaller.
        """
        return frozenset(
            chosen
            for ids in self.categories.values()
            for chosen in sorted(ids, key=lambda each: _lot(seed, each))[:per_category]
        )


def _lot(seed: int, question_id: str) -> tuple[str, str]:
    text = f"{seed}:{question_id}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest(), question_id


def survey(path: str, granularity: Granularity) -> Survey:
    """Reads the file once, checks every question, and counts.

    Raises:
        LongMemEvalError: it can not be read, is no JSON, or a question lacks something.

    """
    categories: dict[str, list[str]] = {}
    seen: set[str] = set()
    abstention = unmarked = 0
    with _opened(path) as file:
        for question in _questions(file):
            name = question["question_id"]
            if name in seen:
                raise LongMemEvalError(f"{path}: the question id {name[:60]!r} stands there twice")
            seen.add(name)
            if name.endswith(ABSTENTION):
                abstention += 1
            elif not _relevant(question, granularity):
                unmarked += 1
            else:
                categories.setdefault(question["question_type"], []).append(name)
        sha256 = file.digest()
    if not seen:
        raise LongMemEvalError(f"{path} holds no question")
    return Survey(
        name=Path(path).name,
        sha256=sha256,
        questions=len(seen),
        abstention=abstention,
        unmarked=unmarked,
        categories={kind: tuple(ids) for kind, ids in categories.items()},
    )


def ask(
    path: str, granularity: Granularity, chosen: frozenset[str], configurations: int
) -> Iterator[Asked]:
    """The chosen questions in the order of the file, each with its own pool; one is held at a time.

    Raises:
        LongMemEvalError: as in :func:`survey`.

    """
    with _opened(path) as file:
        for question in _questions(file):
            if question["question_id"] in chosen:
                yield _asked(question, granularity, configurations)


class _Hashed:
    """A file that is hashed as it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()

    def __enter__(self) -> _Hashed:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        """The next bytes, without a byte-order mark."""
        begins = self._file.tell() == 0
        chunk = self._file.read(size)
        self._sha256.update(chunk)
        return chunk.removeprefix(codecs.BOM_UTF8) if begins else chunk

    def digest(self) -> str:
        """SHA-256 of the whole file, in hex; reads what is left of it."""
        while self.read(1 << 20):
            pass
        return self._sha256.hexdigest()


def _opened(path: str) -> _Hashed:
    place = Path(os.path.expanduser(path))
    try:
        if place.exists() and not place.is_file():
            raise LongMemEvalError(f"{path} is no regular file, and it has to be read twice")
        return _Hashed(place.open("rb"))
    except OSError as error:
        raise LongMemEvalError(f"{path} can not be read: {error.strerror}") from None


def _questions(file: _Hashed) -> Iterator[dict[str, Any]]:
    """Every question of the file, checked, one at a time."""
    import ijson

    number = 0
    try:
        events = _shallow(ijson.basic_parse(file, use_float=True))
        for number, question in enumerate(ijson.items(ijson.parse(events), "item"), start=1):
            wrong = _wrong(question)
            if wrong:
                name = question.get("question_id") if isinstance(question, dict) else None
                which = f"question {number:,}" + (f" ({str(name)[:60]})" if name else "")
                raise LongMemEvalError(f"{which}: {wrong}")
            yield question
    except ijson.JSONError as error:
        raise LongMemEvalError(f"no JSON after question {number:,}: {_detail(error)}") from None


def _detail(error: Exception) -> str:
    """What the parser says, which may be bytes, without the place that it draws below."""
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return " ".join(text.partition("(right here)")[0].split())[:120]


def _shallow(events: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
    """The events of the parser, which itself needs the square of the depth in memory.

    Raises:
        LongMemEvalError: something is nested deeper than ``MOST_DEPTH``.

    """
    depth = 0
    for event in events:
        if event[0] in ("start_map", "start_array"):
            depth += 1
            if depth > MOST_DEPTH:
                raise LongMemEvalError("no questions: the JSON is nested too deep")
        elif event[0] in ("end_map", "end_array"):
            depth -= 1
        yield event


def _wrong(question: object) -> str | None:
    """What is wrong with a question, in one line."""
    if not isinstance(question, dict):
        return "it is no object"
    for key in _TEXTS:
        if not isinstance(question.get(key), str):
            return f"{key} is missing, or no text"
    for key in _LISTS:
        if not isinstance(question.get(key), list):
            return f"{key} is missing, or no list"
    ids, dates, sessions, answers = (question[key] for key in _LISTS)
    if not len(ids) == len(dates) == len(sessions):
        return f"{len(ids)} session ids, {len(dates)} dates and {len(sessions)} sessions"
    if not all(isinstance(each, str) for each in (*ids, *dates, *answers)):
        return "a session id or a date is no text"
    undated = next(
        (each for each in (*dates, question["question_date"]) if _ms(each) is None), None
    )
    if undated is not None:
        return f"no date: {undated[:60]!r}"
    strange = next((each for each in answers if each not in ids), None)
    if strange is not None and not question["question_id"].endswith(ABSTENTION):
        return f"the answer session {strange[:60]!r} is not in its haystack"
    for name, session in zip(ids, sessions, strict=True):
        if not isinstance(session, list) or not all(map(_is_turn, session)):
            return f"the session {name[:60]!r} is no list of turns with role and content"
    return None


def _is_turn(turn: object) -> bool:
    return (
        isinstance(turn, dict)
        and isinstance(turn.get("role"), str)
        and isinstance(turn.get("content"), str)
    )


def _ms(date: str) -> float | None:
    """Epoch milliseconds of a date like ``2023/05/20 (Sat) 02:21``, taken as UTC."""
    match = _DATE.search(date)
    if match is None:
        return None
    try:
        return datetime(*map(int, match.groups()), tzinfo=UTC).timestamp() * 1000  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _relevant(question: Mapping[str, Any], granularity: Granularity) -> list[str]:
    """Relative paths of what holds the answer."""
    answers = frozenset(question["answer_session_ids"])
    return [
        path
        for path, name, turn, _ in _memories(question, granularity)
        if name in answers and (turn is None or turn.get("has_answer") is True)
    ]


def _memories(
    question: Mapping[str, Any], granularity: Granularity
) -> Iterator[tuple[str, str, Mapping[str, Any] | None, int]]:
    """Relative path, session id, turn if it is one, and place of the session, in file order.

    A session whose id was there before with other turns gets a path of its own; one that is there
    twice with the same turns is one memory.
    """
    met: dict[str, list[int]] = {}
    sessions = question["haystack_sessions"]
    for place, name in enumerate(question["haystack_session_ids"]):
        earlier = met.setdefault(name, [])
        if any(sessions[each] == sessions[place] for each in earlier):
            continue
        earlier.append(place)
        stem = name.replace("/", "%2F") + (f"~{len(earlier)}" if len(earlier) > 1 else "")
        if granularity == "session":
            yield f"{stem}.md", name, None, place
        else:
            for number, turn in enumerate(sessions[place], start=1):
                yield f"{stem}_{number}.md", name, turn, place


def _asked(question: Mapping[str, Any], granularity: Granularity, configurations: int) -> Asked:
    documents = with_unique_ids([*_documents(question, granularity)])
    documents.sort(key=lambda each: -each.mtime_ms)  # as a scan would, newest first
    pool = Pool(documents=tuple(documents))
    case = Case(
        id=question["question_id"],
        query=question["question"],
        relevant=tuple(_relevant(question, granularity)),
        category=question["question_type"],
    )
    by_path = {each.relative_path: each for each in documents}
    targets = {path: by_path[path] for path in case.relevant}
    where = CasePool(pool, _ms(question["question_date"]) or 0.0)
    return Asked(case, (where,) * configurations, (targets,) * configurations)


def _documents(question: Mapping[str, Any], granularity: Granularity) -> Iterator[Document]:
    sessions, dates = question["haystack_sessions"], question["haystack_dates"]
    for path, _, turn, place in _memories(question, granularity):
        if turn is None:
            title = dates[place]
            turns = (f"{each['role']}: {each['content']}" for each in sessions[place])
            body = "\n\n".join(turns)
        else:
            title, body = turn["role"], turn["content"]
        body = body.strip()
        yield Document(
            id=document_id(Scope.PROJECT, path),
            scope=Scope.PROJECT,
            path=f"{ROOT}/{question['question_id']}/{path}",
            relative_path=path,
            type="",
            title=title,
            description="",
            body=body,
            mtime_ms=_ms(dates[place]) or 0.0,
            size=len(body.encode("utf-8", "surrogatepass")),
            dialect="claude",
            frontmatter="",
        )
