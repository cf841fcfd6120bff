"""Selectors whose answers exist already: given by hand, or read from a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.recall.manifest import Manifest
from memtui.recall.selection import ANSWER_KEY, Answer, Refusal
from memtui.recall.selectors.base import SelectorRequest

ANY_QUERY = "*"
"""The key of the answer to every query that has none of its own."""


class AnswerFileError(ValueError):
    """A file with answers can not be used. ``str()`` is one clear line."""


@dataclass(frozen=True, slots=True)
class ManualSelector:
    """An answer that somebody typed, pasted or picked; it is validated like a model's."""

    text: str
    """The answer."""
    name: str = "manual"
    replayable: bool = False

    @classmethod
    def of_paths(cls, paths: Iterable[str]) -> ManualSelector:
        """The answer that names these paths."""
        return cls(json.dumps({ANSWER_KEY: list(paths)}))

    @classmethod
    def from_file(cls, path: str) -> ManualSelector:
        """The answer that a file holds, as it stands.

        Raises:
            AnswerFileError: it can not be read.

        """
        return cls(_read(path))

    async def warm_up(self) -> None:
        """Nothing to load."""

    async def answer(self, _request: SelectorRequest, /) -> Answer:
        """The answer as it was given."""
        return self.text


@dataclass(frozen=True, slots=True)
class ReplaySelector:
    """Answers from a file, for tests and demos without a model.

    Keys are looked up in this order: the text of the query, its SHA-256, the SHA-256 of the
    manifest's text, ``*``. An answer is a text, which is taken as it stands, or JSON. In JSON a
    path may begin with ``$project/``, ``$user/`` or ``$team/`` for the root of that scope.
    """

    answers: Mapping[str, object]
    """Key to answer."""
    name: str = "replay"
    replayable: bool = True

    @classmethod
    def from_file(cls, path: str) -> ReplaySelector:
        """The answers that a JSON file holds: a mapping, or one answer to every query.

        Raises:
            AnswerFileError: it can not be read, or is no JSON.

        """
        try:
            value = json.loads(_read(path))
        except (ValueError, RecursionError) as error:
            if isinstance(error, AnswerFileError):
                raise
            raise AnswerFileError(f"{path} is no valid JSON") from None
        mapping = isinstance(value, dict) and ANSWER_KEY not in value
        return cls(value if mapping else {ANY_QUERY: value})

    async def warm_up(self) -> None:
        """Nothing to load."""

    async def answer(self, request: SelectorRequest, /) -> Answer:
        """The answer that was recorded for the query or the manifest."""
        manifest = request.manifest
        for key in (request.query, _sha256(request.query), _sha256(manifest.text), ANY_QUERY):
            if key in self.answers:
                value = self.answers[key]
                return value if isinstance(value, str) else json.dumps(_rooted(value, manifest))
        return Refusal("not-configured", "the replay has no answer for this query")


def _rooted(value: object, manifest: Manifest) -> object:
    """``value`` with every ``$scope/relative path`` that the manifest has made absolute."""
    if isinstance(value, dict) and ANSWER_KEY in value:
        return {**value, ANSWER_KEY: _rooted(value[ANSWER_KEY], manifest)}
    if not isinstance(value, list):
        return value
    documents = [verdict.document for verdict in manifest.packed]
    paths = {f"${each.scope}/{each.relative_path}": each.path for each in documents}
    return [paths.get(each, each) if isinstance(each, str) else each for each in value]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise AnswerFileError(f"{path} can not be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AnswerFileError(f"{path} is not UTF-8") from None
