"""Folder names that agents make of a project's path, and the way back: only by proof.

Both agents write ``-`` for every character of the absolute path that is no ASCII letter or digit
(Claude Code: observed folder names, anthropics/claude-code#81833; Qwen Code: ``sanitizeCwd`` in
``packages/core/src/utils/paths.ts``). That can not be turned around, so a path is never read out
of a name; a candidate path is turned into a name and compared.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable

from memtui.memory.probe import read_beginning
from memtui.text import chars

MAX_SLUG_CHARS = 200
"""Claude Code cuts a longer name here and appends ``-`` and a hash in base 36."""

_OTHER = re.compile(r"[^a-zA-Z0-9]")
_HASH = re.compile(r"-[0-9a-z]{1,13}")
_BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_RECORDED = re.compile(r'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_SESSION_BYTES = 65_536
_SESSION_FILES = 3


def plain_slug(path: str) -> str:
    """The name of a path's folder before any cut; JavaScript sees two chars in a rocket."""
    return _OTHER.sub(lambda match: "-" * chars(match.group()), path)


def claude_slug(path: str) -> str:
    """The name that Claude Code gives a path when it runs under Node.

    Names of more than 200 chars end in a hash. The native build takes another hash than the Node
    build (wyhash, as tools that mirror the layout report), so compare with :func:`is_claude_slug`.
    """
    name = plain_slug(path)
    if len(name) <= MAX_SLUG_CHARS:
        return name
    return f"{name[:MAX_SLUG_CHARS]}-{_djb2_base_36(path)}"


def qwen_slug(path: str) -> str:
    """The name that Qwen Code gives a path; never cut, lower case on Windows."""
    return plain_slug(path.lower() if sys.platform == "win32" else path)


def is_claude_slug(name: str, path: str) -> bool:
    """Whether ``name`` can be the folder of ``path``: exact up to 200 chars, then by prefix."""
    slug = plain_slug(path)
    if len(slug) <= MAX_SLUG_CHARS:
        return name == slug
    head, tail = name[:MAX_SLUG_CHARS], name[MAX_SLUG_CHARS:]
    return head == slug[:MAX_SLUG_CHARS] and _HASH.fullmatch(tail) is not None


def is_qwen_slug(name: str, path: str) -> bool:
    """Whether ``name`` is the folder of ``path``."""
    return name == qwen_slug(path)


def recorded_directories(folder: str) -> tuple[str, ...]:
    """The working directories named near the beginning of the session files in a folder.

    Both agents write one JSON object a line with a field ``cwd``. Nothing here is trusted: a
    caller keeps only a directory that makes the name it looks for.
    """
    found: dict[str, None] = {}
    for path in _session_files(folder):
        for match in _RECORDED.finditer(read_beginning(path, _SESSION_BYTES) or ""):
            directory = _string(match.group(1))
            if os.path.isabs(directory):
                found[directory] = None
        if found:
            break
    return tuple(found)


def with_ancestors(paths: Iterable[str]) -> tuple[str, ...]:
    """Every path, each followed by the folders above it, without repetition."""
    found: dict[str, None] = {}
    for path in paths:
        current = os.path.normpath(path)
        while current not in found:
            found[current] = None
            current = os.path.dirname(current)
    return tuple(found)


def _session_files(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as listing:
            names = [each.name for each in listing if each.name.endswith(".jsonl")]
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names)[:_SESSION_FILES]]


def _string(literal: str) -> str:
    try:
        value = json.loads(literal)
    except ValueError:
        return ""
    return value if isinstance(value, str) and "\0" not in value else ""


def _djb2_base_36(text: str) -> str:
    """The hash of the Node build: 31 times plus the next UTF-16 unit, in 32 bits with a sign."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for place in range(0, len(units), 2):
        value = (value * 31 + units[place] + (units[place + 1] << 8)) & 0xFFFFFFFF
    number = 0x100000000 - value if value & 0x80000000 else value
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _BASE_36[digit] + digits
    return digits
