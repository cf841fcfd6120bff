"""The words that rankers look for, and those that only hold a question together.

A function word is never dropped where nothing else is left: `what have I used` is a query too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import regex

from memtui.recall.query import Query
from memtui.text import fold

_FUNCTION_WORDS = """
a about across after again against all along already also although always am among an and any
anybody anyone anything are aren around as at away be because been before being below between
both but by can cannot could couldn did didn do does doesn doing don done down during each
either else ever every everyone everything few for from further get gets getting go goes going
got had hadn has hasn have haven having he her here hers herself him himself his how however i
if in instead into is isn it its itself just kind kinds let lets like ll many maybe me more
most much must my myself neither no nobody none nor not nothing now of off often on once ones
only onto or other others our ours ourselves out over own per perhaps please quite rather re
really s same shall she should shouldn since so some somebody someone something sometimes soon
still such t than that the their theirs them themselves then there these they this those though
through to together too toward towards under until up upon us ve very via was wasn we were weren
what whatever when where whether which while who whoever whole whom whose why will with within
without would wouldn yes yet you your yours yourself d m o
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that ask, bind or point, folded, with the pieces that an apostrophe leaves."""

MOST_WORDS = 256
"""Most words of one query that are looked up in an index."""

_CJK_RUN = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{scx=Katakana}]+", regex.V1
)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*", regex.V1)


def without_function_words(words: Sequence[str]) -> tuple[str, ...]:
    """The telling ones of folded words; all of them if there is no telling one."""
    return tuple(word for word in words if word not in FUNCTION_WORDS) or tuple(words)


def query_words(query: Query) -> tuple[str, ...]:
    """The distinct words of a query, in order: its tokens, and the words too short to be one.

    A token that the limit of the query cut away stays away.
    """
    tokens = frozenset(query.tokens)
    found = (word for word in words_of(query.text) if word in tokens or len(word) < 3)
    return tuple(dict.fromkeys(found))[:MOST_WORDS]


def words_of(text: str) -> list[str]:
    """Every word of a text, folded, in order, however short; CJK as bigrams."""
    folded = fold(text)
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    return _WORD.findall(spaced(folded))


def spaced(folded: str) -> str:
    """A folded text in which a run of CJK stands as its bigrams, with spaces between.

    SQLite's tokenizer takes such a run for one word, which no query would ever meet.
    """
    return folded if folded.isascii() else _CJK_RUN.sub(_bigrams, folded)


def _bigrams(match: regex.Match[str]) -> str:
    run = match.group()
    pairs = (run[place : place + 2] for place in range(len(run) - 1))
    kept = [run] if len(run) == 1 else [pair for pair in pairs if pair.isalnum()]
    return f" {' '.join(kept)} "
