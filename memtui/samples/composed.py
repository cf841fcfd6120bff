"""The memories of the large demos, composed from facts written by hand.

Index arithmetic decides everything, no chance and no clock, so that every clone composes the same
bytes.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, TypeVar

from memtui.samples.scenarios import NOW_MS
from memtui.samples.written import SampleFile, sample_folder

Value = TypeVar("Value")

_SPACE: Final = {"en": " ", "zh": "", "ja": "", "ko": " "}
_JOIN: Final = {"en": "; ", "zh": "；", "ja": "／", "ko": " / "}
_MINUTE_US: Final = 60_000_000
_LENGTHS: Final = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that an agent remembers, with places for details."""

    slug: str
    """Begin of the file name."""
    language: str
    """`en`, `zh`, `ja` or `ko`."""
    type: str
    """`user`, `feedback`, `project` or `reference`."""
    topic: str
    """What it is about, one word or two."""
    title: str
    """Template of the title."""
    description: str
    """Template of the description, one line."""
    lead: str
    """Template of the first sentence."""
    more: tuple[str, ...]
    """Templates of further sentences, two of which are taken; empty where there are reasons."""
    why: tuple[str, ...]
    """Templates of reasons, one of which is taken."""
    apply: tuple[str, ...]
    """Templates of how to act on it, one of which is taken."""

    @property
    def bank(self) -> str:
        """Which tails and closings go with it."""
        return f"{self.language}-person" if self.type in {"user", "feedback"} else self.language


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole table of facts."""

    facts: tuple[Fact, ...]
    """In the order of the file."""
    details: Mapping[str, Mapping[str, Sequence[str]]]
    """Language to placeholder to its values."""
    tails: Mapping[str, Sequence[str]]
    """Bank to ends of a long description."""
    closings: Mapping[str, Sequence[str]]
    """Bank to last sentences of a body."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one scope of a demo is composed."""

    count: int
    """Memories to compose."""
    types: frozenset[str]
    """Only facts of these types."""
    languages: frozenset[str]
    """Only facts in these languages."""
    step: int
    """Walks the order of age through the facts; has no common divisor with `count`."""
    tails: bool = False
    """Whether descriptions get a second half."""
    lengths: bool = False
    """Whether descriptions differ in length: by age, a plain one, a short one, a digest of many."""
    offset: int = 0
    """Shifts details and ages, so that two scopes do not repeat each other."""

    def takes(self, fact: Fact) -> bool:
        """Whether the fact belongs here."""
        return fact.type in self.types and fact.language in self.languages


@cache
def sheet() -> Sheet:
    """The facts, read once."""
    text = (sample_folder() / "facts.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    details = table["details"]
    english = {key: values for key, values in details.items() if isinstance(values, list)}
    wide = {key: english | own for key, own in details.items() if isinstance(own, dict)}
    facts = tuple(
        Fact(
            slug=row["slug"],
            language=row.get("language", "en"),
            type=row["type"],
            topic=row["topic"],
            title=row["title"],
            description=row["description"],
            lead=row["lead"],
            more=tuple(row.get("more", ())),
            why=tuple(row.get("why", ())),
            apply=tuple(row.get("apply", ())),
        )
        for row in table["fact"]
    )
    return Sheet(facts, {"en": english} | wide, table["tails"], table["closings"])


def composed_files(plan: Plan) -> list[SampleFile]:
    """The memories of one scope, every one with another title, description, body and age."""
    facts = [fact for fact in sheet().facts if plan.takes(fact)]
    files = []
    for index in range(plan.count):
        position = index * plan.step % plan.count
        variant, place = divmod(index, len(facts))
        fact, number, age_us = facts[place], place + plan.offset, _age_us(position, plan)
        details = _details(fact.language, number, variant, age_us)
        templates = _description(fact, number, variant, position, plan)
        files.append(_memory(fact, number, variant, details, templates, age_us))
    return files


def index_file(files: Iterable[SampleFile], age_us: int) -> SampleFile:
    """An index in the style of the agents: one line a memory, newest first."""
    lines = ["# Memory index", ""]
    for file in sorted(files, key=lambda each: each.age_us):
        title, hook = _heading(file.content)
        lines.append(f"- [{title}]({file.path}) — {hook}")
    return SampleFile("MEMORY.md", ("\n".join(lines) + "\n").encode(), age_us)


def _age_us(position: int, plan: Plan) -> int:
    """From minutes for the newest to about 390 days, each over half an hour older than before."""
    span = 390 * 24 * 60 - 40 * plan.count
    minutes = 11 + plan.offset % 7 + 40 * position + span * position**2 // plan.count**2
    millis = (position * 7_919 + plan.offset) % 60_000
    return minutes * _MINUTE_US + millis * 1_000 - position % 4 * 250


def _details(language: str, number: int, variant: int, age_us: int) -> dict[str, str]:
    """Values for the placeholders: other ones for each variant, dates that agree with the age."""
    lists = sheet().details[language]
    age = timedelta(microseconds=age_us)
    written = datetime.fromtimestamp(NOW_MS / 1000, tz=UTC) - age
    return {
        "service": _pick(lists["service"], number * 5 + variant * 7),
        "host": _pick(lists["host"], number * 3 + variant * 5),
        "role": _pick(lists["role"], number * 2 + variant * 5),
        "market": _pick(lists["market"], number * 7 + variant * 3),
        "date": (written - timedelta(days=number % 3)).date().isoformat(),
        "incident": f"INC-{448 - age.days}",
        "ticket": f"SHOP-{2_330 - age.days * 3 - number % 3}",
        "count": str(12 + (number * 37 + variant * 53) % 85),
        "minutes": str(4 + (number * 11 + variant * 17) % 52),
        "percent": str(2 + (number * 5 + variant * 7) % 17),
    }


def _description(fact: Fact, number: int, variant: int, position: int, plan: Plan) -> Sequence[str]:
    """Templates of the one line that says what a memory is about."""
    if plan.lengths and position % _LENGTHS == 1:
        return [re.split("[，。、,]", fact.description, maxsplit=1)[0]]
    if plan.lengths and position % _LENGTHS == 2:
        return _digest(fact, number + variant)
    if plan.tails:
        return [fact.description, _pick(sheet().tails[fact.bank], number + variant * 4)]
    return [fact.description]


def _digest(fact: Fact, first: int) -> list[str]:
    """Templates of a description that gathers what is known in one language, over 300 chars."""
    same = [each for each in sheet().facts if each.language == fact.language and each != fact]
    others = [_pick(same, first + step) for step in range(len(same))]
    gathered = [(each.description, (each.more or each.apply)[0]) for each in others]
    return [fact.description, *(text for pair in gathered for text in pair)]


def _memory(
    fact: Fact,
    number: int,
    variant: int,
    details: Mapping[str, str],
    description: Sequence[str],
    age_us: int,
) -> SampleFile:
    """One file: frontmatter, then the chosen sentences, all with their details filled in."""
    title = _filled(fact.title, details)
    hook = _JOIN[fact.language].join(_filled(part, details) for part in description)
    body = "\n\n".join(_filled(part, details) for part in _paragraphs(fact, number, variant))
    text = f"---\nname: {title}\ndescription: {hook}\ntype: {fact.type}\n---\n\n{body}\n"
    return SampleFile(f"{fact.type}/{fact.slug}-{details['service']}.md", text.encode(), age_us)


def _paragraphs(fact: Fact, number: int, variant: int) -> list[str]:
    """Templates of the body: lead, then what this variant takes of the rest, then two closings."""
    closings = sheet().closings[fact.bank]
    first = number + variant * 5
    pair = _pick(closings, first), _pick(closings, first + 2 + number % 3)
    closing = _SPACE[fact.language].join(pair)
    if fact.why:
        action = _pick(fact.apply, variant + variant // 2)
        reason = f"**Why:** {_pick(fact.why, variant)}\n**How to apply:** {action}"
        return [fact.lead, reason, closing]
    points = f"- {_pick(fact.more, variant)}\n- {_pick(fact.more, variant + 1)}"
    return [fact.lead, points, closing]


def _filled(template: str, details: Mapping[str, str]) -> str:
    """The template with its details; a role that begins a sentence begins in upper case."""
    text = template.format_map(details)
    for before in (". ", "- ", ":** "):
        text = text.replace(f"{before}the ", f"{before}The ")
    return f"T{text[1:]}" if text.startswith("the ") else text


def _heading(content: bytes) -> tuple[str, str]:
    """Title and description of a memory composed or written here."""
    frontmatter = content.decode().split("\n---", 1)[0].split("\n")
    fields = dict(line.split(": ", 1) for line in frontmatter if ": " in line)
    return fields["name"], fields.get("description", "")


def _pick(values: Sequence[Value], number: int) -> Value:
    """Round and round."""
    return values[number % len(values)]
