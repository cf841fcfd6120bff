"""Other words in the query or in a field of the memory, screened by score before they are tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product
from typing import Literal

from memtui.memory.document import Document
from memtui.memory.edit import headed, keyed
from memtui.recall.pipeline import Recall
from memtui.recall.query import parse_query, tokens
from memtui.recall.rank import FoldedText
from memtui.recall.why.changes import Change
from memtui.recall.why.near import NearMiss, near_misses
from memtui.recall.why.standing import Standing
from memtui.text import fold

MOST_NEW_WORDS = 2
"""Words that a change of text may add to one field."""
MOST_WORDS_WEIGHED = 24
"""Words of a document that are weighed for the query."""
MOST_WORDS_PAIRED = 12
"""The best of them, which are tried two at a time."""
MOST_WORDS_READ = 2_000
MOST_QUERY_WORDS = 12
"""Words of a query of which some are left out; of a longer one, none are."""

Field = Literal["description", "title"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A changed query: what it gains and loses."""

    text: str
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Addition:
    """Words added to one field."""

    field: Field
    words: tuple[str, ...]


class Wordings:
    """Changes of words that should give one document a rank, in the order in which to try them."""

    def __init__(self, result: Recall, document: Document, text: str | None) -> None:
        """``text`` is the file's; None where the memory can not be edited."""
        self.query = result.query.text.strip()
        self.tokens_kept = result.options.limits.query_tokens
        self.document = document
        self.text = text
        self.standing = Standing(result, document)
        self.terms = result.query.terms
        self.near: tuple[NearMiss, ...] = near_misses(result, document)
        self.points = self.standing.points(self.terms)

    # -- the memory -------------------------------------------------------------------------------

    def memory(self, rank: int, *, newest: bool = False) -> Iterator[Change]:
        """Words of the query in one field, the fewest and least prominent first."""
        for addition in self._additions(self._telling):
            if self._rank((addition,), newest=newest) <= rank:
                yield from self._changes(addition)

    def two_fields(self, rank: int) -> Iterator[tuple[Change, Change]]:
        """Words of the query in description and title."""
        options = self._additions(self._telling)
        one = [each for each in options if each.field == "description"]
        other = [each for each in options if each.field == "title"]
        for pair in sorted(product(one, other), key=lambda pair: sum(len(p.words) for p in pair)):
            if self._rank(pair) <= rank:
                changes = [next(self._changes(each), None) for each in pair]
                if changes[0] and changes[1] and "content" not in {c.kind for c in changes if c}:
                    yield changes[0], changes[1]

    def best_in_memory(self) -> Iterator[Change]:
        """The words in one field that bring most."""
        for addition in sorted(
            self._additions(self._telling), key=lambda each: self._rank((each,))
        ):
            yield from self._changes(addition)

    @cached_property
    def _telling(self) -> list[str]:
        """The query's terms: nearly matching ones first, then new ones, then the rarest."""
        nearly = {miss.token for miss in self.near}
        present = self.standing.text
        return sorted(
            self.terms,
            key=lambda term: (
                term not in nearly,
                term in present.title or term in present.description,
                self.standing.spread(term),
            ),
        )

    def _additions(self, terms: Sequence[str]) -> list[Addition]:
        fields: tuple[Field, ...] = ("description", "title")
        found = []
        for count in range(1, MOST_NEW_WORDS + 1):
            for field in fields:
                present = getattr(self.standing.text, field)
                absent = [term for term in terms if term not in present]
                if len(absent) >= count:
                    found.append(Addition(field, tuple(absent[:count])))
        return found if self.text is not None else []

    def _rank(
        self,
        additions: Sequence[Addition],
        asked: Asked | None = None,
        *,
        newest: bool = False,
    ) -> int:
        added, dropped = (asked.added, asked.dropped) if asked else ((), ())
        terms = [term for term in self.terms if term not in dropped] + list(added)
        points = self.standing.points(terms, self._with(additions))
        return self.standing.rank(points, added, dropped, newest=newest)

    def _with(self, additions: Sequence[Addition]) -> FoldedText:
        text = self.standing.text
        title, description = text.title, text.description
        for addition in additions:
            words = " ".join(addition.words)
            if addition.field == "title":
                title = f"{title} {words}"
            else:
                description = f"{description} {words}"
        return FoldedText(title, description, text.body)

    def _changes(self, addition: Addition) -> Iterator[Change]:
        if self.text is None:
            return
        words = " ".join(addition.words)
        value = f"{getattr(self.document, addition.field)} {words}".strip()
        line = keyed(self.document, self.text, addition.field, value)
        if line is not None:
            yield Change("frontmatter", *line)
            return
        whole = headed(self.document, self.text, addition.field, value)
        if whole is not None:
            yield Change("content", value=whole)

    # -- the query --------------------------------------------------------------------------------

    def asking(self, rank: int, *, newest: bool = False) -> Iterator[Change]:
        """Words of the document in the query, one and then two; then words of it left out."""
        for asked in self._every:
            if self._rank((), asked, newest=newest) <= rank:
                yield Change("query", value=asked.text)

    def best_asking(self) -> Iterator[Change]:
        """The queries that bring most."""
        ranked = sorted(self._every, key=lambda each: self._rank((), each))
        yield from (Change("query", value=asked.text) for asked in ranked)

    def asking_and_memory(self, rank: int) -> Iterator[tuple[Change, Change]]:
        """A query and words of it in one field."""
        found: list[tuple[int, int, int, Asked, Addition]] = []
        for asked in self._every:
            terms = [term for term in self.terms if term not in asked.dropped]
            for addition in self._additions([*asked.added, *terms]):
                reached = self._rank((addition,), asked)
                if reached <= rank:
                    words = len(asked.added) + len(addition.words)
                    found.append((words, reached, len(found), asked, addition))
        for _, _, _, asked, addition in sorted(found, key=lambda each: each[:3]):
            for change in self._changes(addition):
                yield change, Change("query", value=asked.text)

    @cached_property
    def _every(self) -> list[Asked]:
        return [*self._weighed, *self._paired, *self._shortened]

    @cached_property
    def _weighed(self) -> list[Asked]:
        """The query with one more word, the most helpful word first."""
        words = self._words()
        near = {word for miss in self.near for word in tokens(miss.word)}
        ranks = {word: self._rank((), self._with_words((word,))) for word in words}
        words.sort(key=lambda word: (word not in near, ranks[word], not word.isalpha()))
        return [self._with_words((word,)) for word in words]

    @cached_property
    def _paired(self) -> list[Asked]:
        """The query with two more words, the most helpful pair first."""
        words = [asked.added[0] for asked in self._weighed[:MOST_WORDS_PAIRED]]
        pairs = [self._with_words(pair) for pair in combinations(words, 2)]
        return sorted(pairs, key=lambda each: self._rank((), each))

    def _with_words(self, words: tuple[str, ...]) -> Asked:
        said = " ".join(words)
        asked = f"{said} {self.query}" if self.tokens_kept == 1 else f"{self.query} {said}"
        return Asked(asked.strip(), words)

    def _words(self) -> list[str]:
        """Words of the document that the query has not, those in prominent fields first."""
        text, taken = self.standing.text, set(self.terms)
        own = tokens(f"{text.title} {text.description} {text.body}")
        distinct = dict.fromkeys(islice(own, MOST_WORDS_READ))
        near = {word for miss in self.near for word in tokens(miss.word)}
        weighed = [
            (word not in near, -self.standing.points((word,)), place, word)
            for place, word in enumerate(distinct)
            if word not in taken
        ]
        return [word for *_, word in sorted(weighed)[:MOST_WORDS_WEIGHED]]

    @cached_property
    def _shortened(self) -> list[Asked]:
        """The query with words left out, those with most words first."""
        words = self.query.split()[: MOST_QUERY_WORDS + 1]
        if not 1 < len(words) <= MOST_QUERY_WORDS:
            return []
        telling = [
            at for at, word in enumerate(words) if parse_query(word, self.tokens_kept).tokens
        ]
        matched = tuple(at for at in telling if self.standing.points(tokens(fold(words[at]))))
        kept = [tuple(at for at in range(len(words)) if at != left_out) for left_out in telling]
        kept += [matched, *combinations(telling, 2), *((at,) for at in telling)]
        queries = []
        for places in dict.fromkeys(kept):
            text = " ".join(words[at] for at in places)
            left = parse_query(text, self.tokens_kept).tokens
            dropped = tuple(term for term in self.terms if term not in left)
            if left and dropped and set(left) < set(self.terms):
                queries.append(Asked(text, (), dropped))
        return sorted(queries, key=lambda each: len(each.dropped))

    def asking_anew(self, rank: int) -> Iterator[Change]:
        """Only those words of the query that the document has, with one or two more of its own."""
        words = self.query.split()[: MOST_QUERY_WORDS + 1]
        kept = " ".join(word for word in words if self.standing.points(tokens(fold(word))))
        left = parse_query(kept, self.tokens_kept).tokens
        dropped = tuple(term for term in self.terms if term not in left)
        if len(words) > MOST_QUERY_WORDS or not dropped:
            return
        for asked in (*self._weighed, *self._paired):
            if self._rank((), Asked("", asked.added, dropped)) <= rank:
                yield Change("query", value=f"{kept} {' '.join(asked.added)}".strip())
