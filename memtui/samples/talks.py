"""Invented talks between two people, turn by turn, with labelled questions: pools for rankers.

A turn is a memory with the speaker as its title, the text as its description and no body.
``questions.jsonl`` holds cases as an evaluation reads them: what is asked, and the turn that
answers it. People, places and events are made up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from memtui.memory.document import Document, Pool, Scope, ScopeReport, document_id
from memtui.samples.written import sample_folder

TALKS = ("kiln", "ridge", "harbor")
"""The talks by name."""

POOL_PREFIX = "talk:"
"""What the name of a talk's pool begins with in a case: ``talk:kiln``."""

_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Turn:
    """What one of the two says."""

    path: str
    """``kiln/s03-t07.md``: talk, session and place in it; the relative path of the memory."""
    speaker: str
    """Who says it."""
    text: str
    """What is said, one line."""
    at_ms: float
    """When, epoch milliseconds; a minute a turn."""

    @property
    def content(self) -> str:
        """The turn as a memory file."""
        return f"---\nname: {self.speaker}\ndescription: {self.text}\n---\n"


@dataclass(frozen=True, slots=True)
class Question:
    """Something that one turn of a talk answers."""

    id: str
    """Its name."""
    query: str
    """The question."""
    relevant: tuple[str, ...]
    """Paths of the turns that answer it."""
    category: str
    """``when``, ``fact`` or ``inference``."""

    @property
    def relevant_ids(self) -> frozenset[str]:
        """Ids of the memories that answer it."""
        return frozenset(document_id(Scope.PROJECT, path) for path in self.relevant)


@dataclass(frozen=True)
class Talk:
    """A talk over months, with its questions."""

    name: str
    """One of ``TALKS``."""
    turns: tuple[Turn, ...]
    """In order."""
    questions: tuple[Question, ...]
    """In the order of their evidence."""

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """The two, who speaks first first."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))


def load_talks() -> tuple[Talk, ...]:
    """Every talk with its questions."""
    cases = list(_lines("questions"))
    return tuple(
        Talk(
            name,
            tuple(_turns(name)),
            tuple(_question(case) for case in cases if case["pool"] == f"{POOL_PREFIX}{name}"),
        )
        for name in TALKS
    )


def talk_pool(*talks: Talk) -> Pool:
    """The pool that a scan of the talks' files would give, newest turn first."""
    turns = sorted((turn for talk in talks for turn in talk.turns), key=lambda turn: -turn.at_ms)
    documents = tuple(_document(turn) for turn in turns)
    report = ScopeReport(Scope.PROJECT, "/talks", "claude", "ok", len(documents))
    return Pool(documents=documents, scopes=(report,))


def write_talk(talk: Talk, root: Path) -> None:
    """Writes every turn as a file below ``root``, with the time at which it was said."""
    for turn in talk.turns:
        path = root / turn.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(turn.content, encoding="utf-8", newline="\n")
        nanoseconds = int(turn.at_ms) * 1_000_000
        os.utime(path, ns=(nanoseconds, nanoseconds))


def _lines(name: str) -> Iterator[dict[str, Any]]:
    text = (sample_folder() / "talks" / f"{name}.jsonl").read_text(encoding="utf-8")
    return (json.loads(line) for line in text.splitlines())


def _turns(name: str) -> Iterator[Turn]:
    for row in _lines(name):
        started = datetime.fromisoformat(row["at"]).timestamp() * 1000
        minute = int(row["turn"].rpartition("t")[2])
        at_ms = started + minute * _MINUTE_MS
        yield Turn(f"{name}/{row['turn']}.md", row["speaker"], row["text"], at_ms)


def _question(case: dict[str, Any]) -> Question:
    return Question(case["id"], case["query"], tuple(case["relevant"]), case["category"])


def _document(turn: Turn) -> Document:
    return Document(
        id=document_id(Scope.PROJECT, turn.path),
        scope=Scope.PROJECT,
        path=f"/talks/{turn.path}",
        relative_path=turn.path,
        type="",
        title=turn.speaker,
        description=turn.text,
        body="",
        mtime_ms=turn.at_ms,
        size=len(turn.content.encode()),
        dialect="claude",
        frontmatter=turn.content.split("---")[1].strip("\n"),
    )
