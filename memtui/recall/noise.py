"""Active-tool noise: memories that only document a tool the agent is using right now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtui.memory.document import Document

USAGE_MARKERS = (
    "api docs",
    "api documentation",
    "failed call",
    "failed tool call",
    "failed tool-call",
    "field mapping",
    "field mappings",
    "guessed call",
    "guessed tool",
    "mcp tool",
    "parameter schema",
    "parameter schemas",
    "tool schema",
    "tool schemas",
    "tool usage",
    "usage reference",
)
"""What a note about the use of a tool says."""

DURABLE_MARKERS = (
    "credential",
    "credentials",
    "escalation",
    "gotcha",
    "gotchas",
    "known issue",
    "known issues",
    "owner",
    "ownership",
    "warning",
    "warnings",
    "workaround",
    "workarounds",
)
"""What makes such a note worth keeping all the same."""


@dataclass(frozen=True, slots=True)
class Noise:
    """A document left out, with what muted it."""

    document: Document
    """The document."""
    tool: str
    """The recent tool, as it was given."""
    alias: str
    """The alias of the tool that the text contains."""
    marker: str
    """The usage marker that the text contains."""


def tool_aliases(tool: str) -> tuple[str, ...]:
    """The names under which a note may speak of ``tool``, lower case, none empty."""
    name = tool.strip().lower()
    aliases = [name, name.rpartition("::")[2]]
    parts = name.split("__")
    if parts[0] == "mcp" and len(parts) >= 3:
        aliases += ["__".join(parts[2:]), parts[-1]]
    return tuple(dict.fromkeys(alias.strip() for alias in aliases if alias.strip()))


def haystack(document: Document) -> str:
    """The text that is searched: title, description and whole body, lower case, not NFKC."""
    return f"{document.title} {document.description} {document.scored_body}".lower()


def find_noise(documents: Iterable[Document], recent_tools: Sequence[str]) -> tuple[Noise, ...]:
    """The documents that are noise while ``recent_tools`` are in use, in pool order."""
    aliases = [(tool, alias) for tool in recent_tools for alias in tool_aliases(tool)]
    if not aliases:
        return ()
    found = (noise_of(document, aliases) for document in documents)
    return tuple(noise for noise in found if noise is not None)


def noise_of(document: Document, aliases: Sequence[tuple[str, str]]) -> Noise | None:
    """What mutes ``document``, if anything does."""
    text = haystack(document)
    named = next(((tool, alias) for tool, alias in aliases if alias in text), None)
    if named is None or any(marker in text for marker in DURABLE_MARKERS):
        return None
    marker = next((marker for marker in USAGE_MARKERS if marker in text), None)
    return Noise(document, *named, marker) if marker else None
