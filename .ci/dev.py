"""Sets an environment up if there is none, then opens the demo or runs the checks.

    python3 .ci/dev.py demo [NAME]     opens the app on sample memories
    python3 .ci/dev.py test [ARGS]     runs the tests (ARGS go to pytest)
    python3 .ci/dev.py check           runs the linter, the type checker and the import contracts
    python3 .ci/dev.py readme          makes the tables of README.md anew

Needs Python 3.11 or newer with pip and venv; the environment is `.venv` beside the project file.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".venv"
BINARIES = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BINARIES / ("python.exe" if os.name == "nt" else "python")


UPDATE_README = """
from pathlib import Path
from memtui.cli.reference import updated
readme = Path("README.md")
readme.write_text(updated(readme.read_text("utf-8")), "utf-8")
"""


def prepare(extras: str = "") -> None:
    """Creates the environment and installs the project with ``extras``, unless that was done."""
    requirements = (PROJECT / "pyproject.toml").read_bytes() + extras.encode()
    wanted = hashlib.sha256(requirements).hexdigest()
    stamp = ENVIRONMENT / f"installed{extras}"
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        say("creating .venv")
        run(sys.executable, "-m", "venv", str(ENVIRONMENT))
    say(f"installing memtui{extras} (once; a minute or two)")
    pip = (str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--editable", f"{PROJECT}{extras}")
    stamp.write_text(wanted)


def say(message: str) -> None:
    """One line about what takes time."""
    print(f"memtui: {message}", file=sys.stderr, flush=True)


def run(*command: str) -> None:
    """Runs a command in the project's folder; ends with its exit code if it fails."""
    code = subprocess.run(command, cwd=PROJECT, check=False).returncode
    if code:
        sys.exit(code)


def main(arguments: list[str]) -> None:
    """Runs the task that the first argument names."""
    if sys.version_info < (3, 11):  # noqa: UP036 - it is run before anything checks the version
        sys.exit("memtui needs Python 3.11 or newer")
    task, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if task == "demo":
        prepare()
        run(str(PYTHON), "-m", "memtui", "demo", *rest)
    elif task == "test":
        prepare("[test]")
        run(str(PYTHON), "-m", "pytest", *(rest or ["-n", "auto", "--reruns", "2"]))
    elif task == "check":
        prepare("[test]")
        run(str(PYTHON), "-m", "ruff", "check", ".")
        run(str(PYTHON), "-m", "ruff", "format", "--check", ".")
        run(str(PYTHON), "-m", "mypy")
        run(str(BINARIES / "lint-imports"))
    elif task == "readme":
        prepare("[test]")
        run(str(PYTHON), "-c", UPDATE_README)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
