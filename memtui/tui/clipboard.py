"""The clipboard inside tmux, which by default does not hand on what a program sends to it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

TIMEOUT_S = 2.0
"""How long tmux may take, seconds."""


def copy_in_tmux(text: str, environ: Mapping[str, str]) -> bool:
    """Puts a text into tmux's buffer, and through it into the clipboard of the terminal outside.

    Args:
        text: any text; what UTF-8 can not say is left out.
        environ: names the tmux that this process runs in, if it runs in one.

    Returns:
        Whether tmux took it. Versions before 3.2 keep it in their buffer alone.

    """
    command = shutil.which("tmux", path=environ.get("PATH"))
    if not environ.get("TMUX") or command is None:
        return False
    return any(_load(command, flags, text, environ) for flags in (["-w"], []))


def _load(command: str, flags: list[str], text: str, environ: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(
            [command, "load-buffer", *flags, "-"],
            input=text.encode("utf-8", "ignore"),
            env=dict(environ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
