"""The scenarios of the demos: what each one shows, and what to ask it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memtui.memory.dialects import Dialect

NOW_MS: Final = 1_772_442_000_000
"""The moment at which every demo takes place, 2026-03-02T09:00:00Z, in epoch milliseconds."""


class UnknownScenario(KeyError):
    """There is no scenario of this name; the message lists those there are, on one line."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"no demo named {self.name!r}; there are {', '.join(SCENARIOS)}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One demo, before it is laid out."""

    name: str
    """The word it is asked for by."""
    summary: str
    """One line: what it shows."""
    queries: tuple[str, ...]
    """What to ask, the default first."""
    expected: str | None
    """Path, relative to its root, of the memory that one expects for the first query."""
    dialect: Dialect
    """How its files are read: `qwen` or `claude`."""


_ALL: Final = (
    Scenario(
        name="small",
        summary="Forty memories of a developer: one word finds one, another form loses one.",
        queries=(
            "how do we roll back a release",
            "can I deploy on Friday",
            "restore a dropped column",
            "支付回调重复怎么办",
            "who is on call",
        ),
        expected="project_undo_bad_deploy.md",
        dialect="claude",
    ),
    Scenario(
        name="overflow",
        summary="251 memories in one scope: the only one with the words asked for is the oldest.",
        queries=(
            "customs declaration Norway",
            "what do we know about the checkout release",
            "部署窗口",
        ),
        expected="project/norway-parcels.md",
        dialect="qwen",
    ),
    Scenario(
        name="two-scopes",
        summary="150 project and 150 user memories: once 300 lines, about a hundred when bounded.",
        queries=(
            "force push to main",
            "queue workers retry",
            "incident checkout slow",
        ),
        expected="feedback/published-history-stays.md",
        dialect="qwen",
    ),
    Scenario(
        name="multibyte",
        summary="Chinese, Japanese, Korean, emoji: bytes run out early, short lines still fit.",
        queries=(
            "部署后怎么回滚",
            "デプロイ 手順",
            "배포 동결",
            "👨‍👩‍👧‍👦 test names",
        ),
        expected="project/restore-after-bad-launch-zh-tw.md",
        dialect="qwen",
    ),
    Scenario(
        name="broken",
        summary="A file for each reason to skip one, for each finding, and texts that attack.",
        queries=(
            "can we deploy on Friday",
            "[TODO] tidy the attic",
            "search rebuild alias points to two indices",
        ),
        expected="feedback/no-friday-deploys.md",
        dialect="qwen",
    ),
)

SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType({each.name: each for each in _ALL})
"""Every scenario by its name, the default first."""

_FOR_CASES: Final = Scenario(
    name="alphabets",
    summary="Fourteen memories in other alphabets than Latin and CJK, or with other letters.",
    queries=("готовые ответы про возврат",),
    expected="answers-in-russian.md",
    dialect="claude",
)

POOLS: Final[Mapping[str, Scenario]] = MappingProxyType({**SCENARIOS, _FOR_CASES.name: _FOR_CASES})
"""The scenarios, and those that only cases are asked in."""
