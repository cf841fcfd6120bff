"""Installs the wheel and the sdist into empty environments, and runs what a stranger runs first.

    python -m tests.bench.bench_install [PYTHON ...]

Needs hatchling, and an index that pip can reach. Without arguments it takes each Python that memtui
supports and that is found by its name. Prints JSON: for each Python the exit code of each command,
the one that it must have, and a line of what it said. Ends with 1 where one is wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent.parent.parent
PYTHONS = ("python3.11", "python3.12", "python3.13")
EXTRAS = "mcp,model,serve,watch"
MODEL = {"MEMTUI_SELECTOR_URL": "http://127.0.0.1:9", "MEMTUI_SELECTOR_MODEL": "m"}

COMMANDS = (
    (["--version"], 0, 0),
    (["demo", "small", "--into", "demo"], 0, 0),
    (["recall", "roll back a release", "--demo", "small"], 0, 0),
    (["scan", "--demo", "broken"], 0, 0),
    (["eval", "demo"], 0, 0),
    (["demo"], 2, 2),
    (["mcp", "--demo", "small"], 2, 0),
    (["recall", "customs", "--demo", "overflow", "--selector", "model"], 0, 0),
    (["serve", "--demo", "small", "--port", "0"], 2, 130),
)
"""What is run with no terminal and nothing on standard input, and the exit code that it must have:
without the extras, and with them. A server is interrupted once it has said its address."""


def main(pythons: list[str]) -> None:
    """Builds, installs, runs and prints."""
    found = {name: path for name in pythons if (path := usable(name))}
    with tempfile.TemporaryDirectory(prefix="memtui-install-") as folder:
        built = Path(folder) / "dist"
        run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(built), "."])
        (wheel,) = built.glob("*.whl")
        sdist = build_sdist(built)
        report = {}
        for name, path in found.items():
            report[name] = {
                "wheel": tried(path, str(wheel), Path(folder) / f"{name}-wheel"),
                "wheel with extras": tried(path, f"{wheel}[{EXTRAS}]", Path(folder) / name),
                "sdist": tried(path, str(sdist), Path(folder) / f"{name}-sdist"),
            }
    wrong = [
        f"{name}, {kind}: {command} ended with {code}, not {wanted}"
        for name, kinds in report.items()
        for kind, answers in kinds.items()
        for command, (code, wanted, _) in answers.items()
        if code != wanted
    ]
    missing = [name for name in pythons if name not in found]
    answer = {"pythons": report, "not found": missing, "wrong": wrong}
    print(json.dumps(answer, indent=2, ensure_ascii=False))
    sys.exit(1 if wrong or not found else 0)


def usable(name: str) -> str | None:
    """The path of an interpreter that really runs."""
    path = shutil.which(name)
    if path is None or subprocess.run([path, "-c", ""], capture_output=True).returncode:
        return None
    return path


def build_sdist(folder: Path) -> Path:
    """The source distribution, built by the backend itself."""
    from hatchling.builders.sdist import SdistBuilder

    (built,) = SdistBuilder(str(PROJECT)).build(directory=str(folder), versions=["standard"])
    return Path(built)


def tried(python: str, requirement: str, folder: Path) -> dict[str, list[object]]:
    """Each command with its exit code, the one that is wanted, and the last line that it says."""
    run([python, "-m", "venv", str(folder)])
    program = folder / "bin" / "memtui"
    run([str(folder / "bin" / "python"), "-m", "pip", "install", "-q", requirement])
    home = folder / "home"
    home.mkdir()
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), **MODEL}
    answers: dict[str, list[object]] = {}
    for words, without, with_extras in COMMANDS:
        wanted = with_extras if requirement.endswith("]") else without
        process = subprocess.Popen(
            [str(program), *words],
            cwd=home,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert process.stderr is not None
        first = process.stderr.readline() if words[0] == "serve" else ""
        if "http://" in first:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        said = ((first + err).strip() or out.strip()).splitlines()
        answers[" ".join(words)] = [process.returncode, wanted, said[-1] if said else ""]
    return answers


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a command in the project's folder; what it says is shown where it fails."""
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done


if __name__ == "__main__":
    main(sys.argv[1:] or list(PYTHONS))
