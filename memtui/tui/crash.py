"""What is said after a crash: where it was, and nothing that a memory or a query contains."""

from __future__ import annotations

import traceback
from pathlib import Path

from textual.worker import WorkerFailed


def crash_line(error: BaseException) -> str:
    """One line with the type of the error and the place in memtui where it happened.

    The message of the error is left out, since it may quote a memory.
    """
    while isinstance(error, WorkerFailed):
        error = error.error
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "memtui" in Path(frame.filename).parts] or list(frames)
    where = f" at {_place(own[-1])}" if own else ""
    kind = type(error).__name__
    return f'memtui: internal error: {kind}{where}; memtui recall "QUERY" shows the recall as text'


def _place(frame: traceback.FrameSummary) -> str:
    parts = Path(frame.filename).parts
    start = len(parts) - 1 - parts[::-1].index("memtui") if "memtui" in parts else len(parts) - 1
    return f"{'/'.join(parts[start:])}:{frame.lineno}"
