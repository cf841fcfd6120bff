"""The user's editor."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping


def editor_command(path: str, environ: Mapping[str, str] | None = None) -> list[str] | None:
    """The command that opens ``path``; None if neither ``$VISUAL`` nor ``$EDITOR`` is set."""
    environ = os.environ if environ is None else environ
    editor = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(editor)
    except ValueError:
        words = [editor]
    return [*words, path] if words else None
