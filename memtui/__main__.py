"""The console script and ``python -m memtui``; ``--version`` is answered before any import."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from memtui import __version__

        print(f"memtui {__version__}")
        return
    from memtui.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
