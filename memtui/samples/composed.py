"""The memories of the large demos, composed from facts written by hand. Index arithmetic decides everything: no chance,
no clock, so that every clone composes the same bytes."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, TypeVar

from memtui.samples.scenarios import NOW_MS
from memtui.samples.written import SampleFile, sample_folder

Value = TypeVar("Value")

_JOIN: Final = {"en": "; ", "zh": "；", "ja": "／", "ko": " / "}
_MINUTE_US: Final = 60_000_000
_DIGEST_EVERY: Final = 6
_DIGEST_FACTS: Final = 5


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


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole table of facts."""

    facts: tuple[Fact, ...]
    """In the order of the file."""
    details: Mapping[str, Mapping[str, Sequence[str]]]
    """Language to placeholder to its values."""
    tails: Mapping[str, Sequence[str]]
    """Language to ends of a long description."""
    closings: Mapping[str, Sequence[str]]
    """Language to last sentences of a body."""


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
    digests: bool = False
    """Whether every sixth description gathers several facts, up to about 500 characters."""
    offset: int = 0
    """Shifts details and ages, so that two scopes do not repeat each other."""


@cache
def sheet() -> Sheet:
    """The facts, read once."""
    table: dict[str, Any] = tomllib.loads((sample_folder() / "facts.toml").read_text(encoding="utf-8"))
    details = table["details"]
    english = {key: values for key, values in details.items() if isinstance(values, list)}
    languages = {key: english | values for key, values in details.items() if isinstance(values, dict)}
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
    return Sheet(facts, {"en": english} | languages, table["tails"], table["closings"])


def composed_files(plan: Plan) -> list[SampleFile]:
    """The memories of one scope, every one with another title, description, body and age."""
    facts = [fact for fact in sheet().facts if fact.type in plan.types and fact.language in plan.languages]
    files = []
    for index in range(plan.count):
        position = index * plan.step % plan.count
        age_us = _age_us(position, plan)
        number = index % len(facts)
        variant = index // len(facts)
        details = _details(facts[number].language, number + plan.offset, variant, age_us)
        description = _description(facts, number, variant, details, plan, digest=position % _DIGEST_EVERY == 3)
        files.append(_memory(facts[number], number + plan.offset, variant, details, description, age_us))
    return files


def index_file(files: Iterable[SampleFile], age_us: int) -> SampleFile:
    """An index in the style of the agents: one line a memory, newest first."""
    lines = ["# Memory index", ""]
    for file in sorted(files, key=lambda each: each.age_us):
        title, hook = _heading(file.content)
        lines.append(f"- [{title}]({file.path}) — {hook}")
    return SampleFile("MEMORY.md", ("\n".join(lines) + "\n").encode(), age_us)


def _age_us(position: int, plan: Plan) -> int:
    """From minutes for the newest to about 390 days for the oldest, each more than a minute older than the one before."""
    span = 390 * 24 * 60 - 40 * plan.count
    minutes = 11 + plan.offset % 7 + 40 * position + span * position**2 // plan.count**2
    return minutes * _MINUTE_US + (position * 7_919 + plan.offset) % 60_000 * 1_000 - position % 4 * 250


def _details(language: str, number: int, variant: int, age_us: int) -> dict[str, str]:
    """Values for the placeholders. Those of two variants of one fact differ; dates agree with the age of the file."""
    lists = sheet().details[language]
    written = datetime.fromtimestamp(NOW_MS / 1000, tz=UTC) - timedelta(microseconds=age_us)
    days = (datetime.fromtimestamp(NOW_MS / 1000, tz=UTC) - written).days
    return {
        "service": _pick(lists["service"], number * 5 + variant * 7),
        "host": _pick(lists["host"], number * 3 + variant * 5),
        "role": _pick(lists["role"], number * 2 + variant * 5),
        "market": _pick(lists["market"], number * 7 + variant * 3),
        "date": (written - timedelta(days=number % 3)).date().isoformat(),
        "incident": f"INC-{448 - days}",
        "ticket": f"SHOP-{2_330 - days * 3 - number % 3}",
        "count": str(12 + (number * 37 + variant * 53) % 85),
        "minutes": str(4 + (number * 11 + variant * 17) % 52),
        "percent": str(2 + (number * 5 + variant * 7) % 17),
    }


def _description(
    facts: Sequence[Fact], number: int, variant: int, details: Mapping[str, str], plan: Plan, *, digest: bool
) -> str:
    """The one line that says what a memory is about."""
    fact = facts[number]
    if plan.digests and digest:
        same = [other for other in facts if other.language == fact.language and other != fact]
        others = [_pick(same, number + variant * 3 + near).description for near in range(_DIGEST_FACTS)]
        parts = [fact.description, *others]
    elif plan.tails:
        parts = [fact.description, _pick(sheet().tails[fact.language], number + variant * 4)]
    else:
        parts = [fact.description]
    return _JOIN[fact.language].join(_filled(part, details, start=not place) for place, part in enumerate(parts))


def _memory(
    fact: Fact, number: int, variant: int, details: Mapping[str, str], description: str, age_us: int
) -> SampleFile:
    """One file: frontmatter, then the chosen sentences."""
    title = _filled(fact.title, details)
    body = "\n\n".join(_filled(paragraph, details) for paragraph in _paragraphs(fact, number, variant))
    text = f"---\nname: {title}\ndescription: {description}\ntype: {fact.type}\n---\n\n{body}\n"
    service = details["service"]
    return SampleFile(f"{fact.type}/{fact.slug}-{service}.md", text.encode(), age_us)


def _paragraphs(fact: Fact, number: int, variant: int) -> list[str]:
    """Templates of the body: lead, then what this variant takes of the rest, then two closings."""
    closings = sheet().closings[fact.language]
    first = number + variant * 5
    closing = f"{_pick(closings, first)} {_pick(closings, first + 2 + number % 3)}"
    if fact.why:
        reason = f"**Why:** {_pick(fact.why, variant)}\n"
        return [fact.lead, reason + f"**How to apply:** {_pick(fact.apply, variant + variant // 2)}", closing]
    return [fact.lead, f"- {_pick(fact.more, variant)}\n- {_pick(fact.more, variant + 1)}", closing]


def _filled(template: str, details: Mapping[str, str], *, start: bool = True) -> str:
    """The template with its details, each sentence that begins with a role in upper case."""
    text = template.format_map(details)
    for before in (". ", "- ", ":** "):
        text = text.replace(f"{before}the ", f"{before}The ")
    return f"T{text[1:]}" if start and text.startswith("the ") else text


def _heading(content: bytes) -> tuple[str, str]:
    """Title and description of a memory composed or written here."""
    fields = dict(line.split(": ", 1) for line in content.decode().split("\n---", 1)[0].splitlines() if ": " in line)
    return fields["name"], fields.get("description", "")


def _pick(values: Sequence[Value], number: int) -> Value:
    """Round and round."""
    return values[number % len(values)]
