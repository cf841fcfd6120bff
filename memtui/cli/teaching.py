"""What ``--help`` says below the options: commands to try, and what their exit codes mean."""

from __future__ import annotations

EXIT_CODES = (
    "Exit codes: 0 done, 1 the answer is no, 2 wrong use or configuration, "
    "3 a required source failed, 130 Ctrl-C."
)


def epilog(*examples: str) -> str:
    """Examples, each a line of a shell with what it is for behind a ``#``, and the exit codes."""
    lines = "\n".join(f"  {example}" for example in examples)
    return f"\b\nExamples:\n{lines}\n\n{EXIT_CODES}"
