"""Builders that the tests share: documents, pools and trees, all invented."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from memtui.memory.document import Document, Pool, Scope, document_id

DATA = Path(__file__).parent / "data"
NOW_MS = 1_772_442_000_000.0
DAY_MS = 86_400_000


def load(name: str) -> Any:
    """One of the measured files, parsed."""
    return json.loads((DATA / name).read_text("utf-8"))


def make_document(relative_path: str = "a.md", **fields: Any) -> Document:
    """A document with plain values where none are given."""
    scope = fields.pop("scope", Scope.PROJECT)
    values: dict[str, Any] = {
        "id": document_id(scope, relative_path),
        "scope": scope,
        "path": f"/memory/{relative_path}",
        "relative_path": relative_path,
        "type": "project",
        "title": "A title",
        "description": "",
        "body": "",
        "mtime_ms": NOW_MS,
        "size": 100,
        "dialect": "qwen",
        "frontmatter": "",
    }
    return Document(**{**values, **fields})


def make_pool(*documents: Document) -> Pool:
    """A pool of these documents in this order."""
    return Pool(documents=documents)


def write_memory(
    root: Path,
    relative_path: str,
    *,
    title: str = "A title",
    description: str = "",
    kind: str = "project",
    body: str = "",
    mtime_ms: float = NOW_MS,
) -> Path:
    """Writes one memory in the strict style and sets its time."""
    text = f"---\nname: {title}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n"
    return write_file(root, relative_path, text.encode(), mtime_ms)


def write_file(root: Path, relative_path: str, content: bytes, mtime_ms: float = NOW_MS) -> Path:
    """Writes a file of any content and sets its time."""
    path = root / relative_path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    nanoseconds = int(mtime_ms * 1e6)
    os.utime(path, ns=(nanoseconds, nanoseconds))
    return path
