"""The text of a memory file with one key set, or with a frontmatter that can be read."""

from __future__ import annotations

import re

from memtui.memory.dialects import Dialect, Reading, read
from memtui.memory.document import MEMORY_TYPES

_FENCE = re.compile(r"-{3,}\s*")
_OPENING = re.compile(r"\s*+\ufeff?+\s*+-{3,}[ \t]*\n")
_CLOSING: dict[Dialect, re.Pattern[str]] = {
    "qwen": re.compile(r"^---", re.MULTILINE),
    "claude": re.compile(r"^-{3,}\s*$", re.MULTILINE),
}
_KEY_LINE = re.compile(r"[A-Za-z_][\w-]*[ \t]*:")
_UNOPENED = re.compile(
    r"(?:name|title|description|type|metadata)[ \t]*:"
    r".*\n(?:(?:[A-Za-z_][\w-]*[ \t]*:|[ \t]).*\n)*+-{3,}[ \t]*$",
    re.MULTILINE,
)
"""The keys of a memory with a closing fence and no opening one."""
_LINE_ENDS = re.compile("[\r\u2028\u2029]")
_TYPE = re.compile(r"^[ \t]*type[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)


def with_key(text: str, key: str, value: str, dialect: Dialect = "qwen") -> str | None:
    """``text`` with ``key: value`` in its frontmatter; None if it has no frontmatter.

    The first line of the key in column 0 is replaced, with the indented lines that continue it;
    further lines of the key are dropped; a key that is not there is added at the end.
    """
    parts = _parts(text.replace("\r\n", "\n"), dialect)
    if parts is None:
        return None
    head, block, rest = parts
    name = re.escape(key)
    here = re.compile(f"{name}:" if dialect == "qwen" else rf"([\"']?){name}\1[ \t]*:")
    lines: list[str] = []
    written = dropping = False
    for line in block.split("\n"):
        if dropping and (not line.strip() or line[:1] in " \t-"):
            continue
        dropping = here.match(line) is not None
        if not dropping:
            lines.append(line)
        elif not written:
            lines.append(f"{key}: {value}")
            written = True
    if not written:
        while lines and not lines[-1].strip():
            lines.pop()
        lines.append(f"{key}: {value}")
    return "\n".join([head, *lines, rest])


def _parts(text: str, dialect: Dialect) -> tuple[str, str, str] | None:
    """The opening fence, the block and the rest from the closing fence on."""
    opening = _OPENING.match(text)
    closing = _CLOSING[dialect].search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    block = text[opening.end() : closing.start()].removesuffix("\n")
    if dialect == "qwen":
        block = _LINE_ENDS.sub("\n", block)
    return text[: opening.end() - 1], block, text[closing.start() :]


def headed_text(text: str, key: str, value: str) -> str:
    """A text that has no frontmatter, with one that holds this key alone."""
    body = text.replace("\r\n", "\n").removeprefix("\ufeff").lstrip("\n")
    return f"---\n{key}: {value}\n---\n\n{body}"


def guessed_type(relative_path: str, found: str = "") -> str:
    """The likeliest type: what was found once cleaned, else a folder or prefix that names one."""
    cleaned = found.split("#")[0].strip().strip("\"'").lower()
    if cleaned in MEMORY_TYPES:
        return cleaned
    parts = re.split(r"[/_\-. ]", relative_path.lower())
    return next((part for part in parts if part in MEMORY_TYPES), "project")


def likely_type(text: str, relative_path: str) -> str:
    """The type that the head of a text names anywhere, else the one that its path suggests."""
    head = text[:20_000].split("\n---", 1)[0]
    found = (guessed_type("", match.group(1)) for match in _TYPE.finditer(head))
    named = next((kind for kind in found if kind != "project"), None)
    if named is None and any(
        guessed_type("user", match.group(1)) == "project" for match in _TYPE.finditer(head)
    ):
        named = "project"
    return named or guessed_type(relative_path)


def repaired_text(text: str, relative_path: str, dialect: Dialect = "qwen") -> str | None:
    """``text`` with a frontmatter that its dialect reads, its own words kept; None if none does."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if text.lstrip().startswith("---"):
        text = text.lstrip()
    elif _UNOPENED.match(text):
        text = f"---\n{text}"
    kind = likely_type(text, relative_path)
    closed = _closed(text)
    typed = None if closed is None else with_key(closed, "type", kind, dialect)
    headed = headed_text(text, "type", kind)
    for repaired in (closed, typed, headed):
        if repaired is None:
            continue
        if isinstance(read(dialect, repaired.encode("utf-8", "replace"), relative_path), Reading):
            return repaired
    return None


def _closed(text: str) -> str | None:
    """A text that begins with a fence, with that fence made plain and a closing one."""
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return None
    lines[0] = "---"
    if not any(_FENCE.fullmatch(line) for line in lines[1:]):
        end = 1
        while end < len(lines) and (_KEY_LINE.match(lines[end]) or lines[end][:1] in (" ", "\t")):
            end += 1
        lines.insert(end, "---")
    return "\n".join(lines)
