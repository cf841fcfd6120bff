"""The command line: data on stdout, messages on stderr, an exit code that tells."""

from __future__ import annotations

from memtui.cli.main import run

__all__ = ["run"]
