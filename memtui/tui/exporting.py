"""Writes a recall to a file of the user's choice, never into a memory tree."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from memtui.memory.probe import root_around
from memtui.recall.pipeline import Recall
from memtui.recall.record import recall_record


class ExportError(Exception):
    """Nothing was written. ``str()`` is one clear line."""


class ExportFormat(Enum):
    """What can be written: the title and the suffix of the file."""

    JSON = ("JSON, as memtui recall --json prints it", ".json")
    MANIFEST = ("the manifest as a selector is shown it", ".manifest.txt")
    CONTEXT = ("the context as the model is shown it", ".context.txt")
    SVG = ("a picture of the screen", ".svg")

    @property
    def title(self) -> str:
        """One line."""
        return self.value[0]

    @property
    def suffix(self) -> str:
        """The end of the file's name."""
        return self.value[1]


def exported(recall: Recall, form: ExportFormat, picture: str) -> str:
    """The text of the file."""
    if form is ExportFormat.JSON:
        record = recall_record(recall, traced=False)
        return json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    if form is ExportFormat.MANIFEST:
        return recall.manifest.text + "\n"
    return recall.context.text + "\n" if form is ExportFormat.CONTEXT else picture


def write_export(typed: str, text: str, roots: Sequence[str], *, overwrite: bool = False) -> Path:
    """Writes ``text`` to the file that was typed, whole or not at all; returns its path.

    Args:
        typed: a path; ``~`` is the home directory.
        text: written as UTF-8.
        roots: memory roots, in which nothing is ever written.
        overwrite: whether a file that exists may be replaced.

    Raises:
        ExportError: no path, a path in a memory root, a file that exists, or one that can not be
            written.

    """
    if not typed.strip():
        raise ExportError("type the path of a file")
    path = Path(os.path.expanduser(typed.strip())).absolute()
    if (root := root_around(str(path), roots)) is not None:
        raise ExportError(f"memtui never writes in a memory store: {root}")
    if os.path.isdir(path):
        raise ExportError(f"{path} is a folder")
    if os.path.lexists(path) and not overwrite:
        raise ExportError(f"{path} exists; enter again replaces it")
    try:
        _write(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise ExportError(f"{path} can not be written: {error.strerror}") from None
    return path


def _write(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=".memtui-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
