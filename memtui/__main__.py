"""The console script and ``python -m memtui``; ``--version`` is answered before any import."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        _write_version()
        return
    from memtui.cli import run

    sys.exit(run(sys.argv[1:]))


def _write_version() -> None:
    from memtui import __version__

    try:
        print(f"memtui {__version__}", flush=True)
    except OSError as error:
        from memtui.cli.output import Exit, narrate, silence_stdout

        silence_stdout()
        if not isinstance(error, BrokenPipeError):
            narrate(str(error.strerror))
            sys.exit(Exit.SOURCE)


if __name__ == "__main__":
    main()
