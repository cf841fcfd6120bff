"""The command line: data on stdout, messages on stderr, an exit code that tells."""

from __future__ import annotations

INTERRUPTED = 130


def run(arguments: list[str]) -> int:
    """Runs one command and returns its exit code; Ctrl-C may come while it is imported, too."""
    try:
        from memtui.cli.main import run as run_command

        return run_command(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


__all__ = ["run"]
