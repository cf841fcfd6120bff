"""The scenarios of the demos: what each one shows, and what to ask it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

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
    dialect: str
    """How its files are read: `qwen` or `claude`."""


_ALL: Final = (
    Scenario(
        name="small",
        summary="A developer's own memories, forty files: the right words find one, the wrong word form loses another.",
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
        summary="251 memories in one scope, and the only one with the words of the query is the oldest of all.",
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
        summary="150 project and 150 user memories: 300 lines in the design before, about a hundred in the bounded one.",
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
        summary="Chinese, Japanese, Korean and emoji: bytes run out long before characters, long lines give way to short ones.",
        queries=(
            "发布 回滚",
            "デプロイ 手順",
            "배포 동결",
            "👨‍👩‍👧‍👦 test names",
        ),
        expected="project/restore-after-bad-launch-zh-tw.md",
        dialect="qwen",
    ),
    Scenario(
        name="broken",
        summary="One file for each reason to be skipped and for each health finding, and texts that try to break a terminal.",
        queries=(
            "can we deploy on Friday",
            "[TODO] tidy the attic",
            "search rebuild alias points to two indices",
        ),
        expected="feedback/no-friday-deploys.md",
        dialect="qwen",
    ),
)

SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType({scenario.name: scenario for scenario in _ALL})
"""Every scenario by its name, the default first."""
