"""What outlives a main screen: the configuration, the last evaluation, the chosen case file."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.config import Config
from memtui.setup import Setup
from memtui.state import state_path

if TYPE_CHECKING:
    from memtui.tui.view.evaluation import Evaluated, Place

REMEMBERED = "app.json"
"""The file beside memtui's database that holds what the app remembers."""
_MOST_BYTES = 65_536


@dataclass
class Session:
    """Shared by the main screens of one run of the app."""

    config: Config = field(default_factory=Config)
    """The user's configuration."""
    evaluated: Evaluated | None = None
    """The last evaluation."""
    home: Setup | None = None
    """The setup of the evaluation, while a case of it is open in another pool."""
    opening: Place | None = None
    """The memory to highlight as soon as the next main screen has a recall."""


def remembered_case_file() -> str:
    """The case file that was chosen last, by this or an earlier run; empty if none was."""
    path = _path()
    try:
        if path.stat().st_size > _MOST_BYTES:
            return ""
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    found = value.get("case_file") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def remember_case_file(case_file: Path) -> None:
    """Keeps the choice for the next run; where that can not be written it is forgotten."""
    path = _path()
    text = json.dumps({"case_file": str(case_file)}, ensure_ascii=True) + "\n"
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".memtui-", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)


def _path() -> Path:
    return state_path().parent / REMEMBERED
