"""The query: its tokens, and the hook that may add terms to them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import regex

from memtui.memory.document import Pool
from memtui.text import chars, fold

_CJK = r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{scx=Katakana}"
_TOKEN = regex.compile(
    rf"(?P<cjk>[{_CJK}]+)|[[\p{{L}}\p{{N}}]--[{_CJK}]][[\p{{L}}\p{{M}}\p{{N}}]--[{_CJK}]]{{2,}}",
    regex.V1,
)

Expand = Callable[["str", Pool], Iterable[str]]
"""The expansion hook: ``expand(query, pool)`` gives the terms to add."""


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked, and the tokens that are looked for."""

    text: str
    """As given. Never stored, never traced."""
    tokens: tuple[str, ...]
    """Distinct, in order, folded."""
    added_terms: tuple[str, ...] = ()
    """Tokens that the expansion hook added after the query's own."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The query's own tokens, then the added ones."""
        return self.tokens + self.added_terms

    @property
    def sha256(self) -> str:
        """SHA-256 of the UTF-8 bytes of the query as given, in hex."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def chars(self) -> int:
        """Length of the query in UTF-16 code units."""
        return chars(self.text)


def parse_query(text: str, query_tokens: int = 64) -> Query:
    """The query with its distinct tokens, at most ``query_tokens`` of them."""
    return Query(text, tuple(_bounded(tokens(text), query_tokens)))


def expand_query(query: Query, pool: Pool, expand: Expand | None) -> Query:
    """The query with the tokens of the terms that the hook adds; unchanged without a hook."""
    if expand is None:
        return query
    own = set(query.tokens)
    added = dict.fromkeys(
        token for term in expand(query.text, pool) for token in tokens(term) if token not in own
    )
    return Query(query.text, query.tokens, tuple(added))


def tokens(text: str) -> Iterator[str]:
    """Every token of ``text`` in order, repeats included (`tests/data/tokenize.json`).

    A run of CJK gives its bigrams of code points; another run of at least three letters, marks
    and numbers is taken whole.
    """
    for match in _TOKEN.finditer(fold(text)):
        run = match.group()
        if match.group("cjk"):
            yield from (run[place : place + 2] for place in range(len(run) - 1))
        else:
            yield run


def _bounded(found: Iterable[str], limit: int) -> list[str]:
    """The first half of the distinct tokens, and the last half of the rest.

    A token that is repeated after the first half moves to its last place.
    """
    head: dict[str, None] = {}
    tail: dict[str, None] = {}
    half = (limit + 1) // 2
    for token in found:
        if token in head:
            continue
        if len(head) < half:
            head[token] = None
        else:
            tail.pop(token, None)
            tail[token] = None
    rest = limit - half
    return list(head) + (list(tail)[-rest:] if rest else [])
