"""Writes a scenario as real files, the same bytes and the same ages on every machine."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from memtui.samples.composed import Plan, composed_files, index_file
from memtui.samples.odd import OUTSIDE, broken_index, make_special_files, odd_files, private_notes
from memtui.samples.scenarios import NOW_MS, POOLS, Scenario, UnknownScenario
from memtui.samples.written import SampleFile, microseconds, written_files

_ROOTS: Final = MappingProxyType(
    {
        ("qwen", "project"): ".qwen/projects/-home-mira-src-shop/memory",
        ("qwen", "user"): ".qwen/memories",
        ("claude", "project"): ".claude/projects/-home-mira-src-shop/memory",
        ("claude", "user"): ".claude/memory",
    }
)

_EVERY_TYPE: Final = frozenset({"user", "feedback", "project", "reference"})
_OF_PROJECT: Final = frozenset({"project", "reference"})
_OF_PERSON: Final = frozenset({"user", "feedback"})
_EVERY_LANGUAGE: Final = frozenset({"en", "zh", "ja", "ko"})
_WIDE: Final = frozenset({"zh", "ja", "ko"})

_PLANS: Final[Mapping[tuple[str, str], Plan]] = MappingProxyType(
    {
        ("overflow", "project"): Plan(250, _EVERY_TYPE, _EVERY_LANGUAGE, step=97, tails=True),
        ("two-scopes", "project"): Plan(150, _OF_PROJECT, _EVERY_LANGUAGE, step=71, offset=3),
        ("two-scopes", "user"): Plan(149, _OF_PERSON, _EVERY_LANGUAGE, step=64, offset=8),
        ("multibyte", "project"): Plan(84, _OF_PROJECT, _WIDE, step=25, lengths=True, offset=17),
        ("multibyte", "user"): Plan(30, _OF_PERSON, _WIDE, step=11, lengths=True, offset=12),
    }
)


@dataclass(frozen=True, slots=True)
class Demo:
    """A scenario that was laid out."""

    scenario: Scenario
    """What it shows."""
    folder: Path
    """Holds everything of it, and nothing else."""
    project: Path
    """Root of the project scope."""
    user: Path | None
    """Root of the user scope, if it has one."""
    team: Path | None
    """Root of the team scope, if it has one."""
    now_ms: int
    """The moment at which it takes place, in epoch milliseconds; its ages count from here."""


def lay_out(name: str, into: Path) -> Demo:
    """Write the scenario's memories to the new folder `into/name`.

    Raises UnknownScenario for a name that there is not, FileExistsError if the folder exists.
    """
    if name not in POOLS:
        raise UnknownScenario(name)
    scenario = POOLS[name]
    folder = into.absolute() / name
    folder.mkdir()
    roots = {}
    for scope in ("project", "user"):
        files = _files(name, scope)
        if files:
            roots[scope] = folder / _ROOTS[scenario.dialect, scope]
            _write(roots[scope], files)
    if name == "broken":
        _write(folder, [private_notes()])
        make_special_files(roots["project"], folder / OUTSIDE)
        _age_links(roots["project"])
    return Demo(scenario, folder, roots["project"], roots.get("user"), None, NOW_MS)


@contextmanager
def temporary_demo(name: str) -> Iterator[Demo]:
    """The scenario in a temporary folder of its own, removed in the end. Raises UnknownScenario."""
    if name not in POOLS:
        raise UnknownScenario(name)
    into = Path(tempfile.mkdtemp(prefix="memtui-demo-"))
    try:
        yield lay_out(name, into)
    finally:
        shutil.rmtree(into, ignore_errors=True)


def _files(name: str, scope: str) -> list[SampleFile]:
    """Every regular file of one scope."""
    files = written_files(name, scope)
    if (name, scope) in _PLANS:
        files += composed_files(_PLANS[name, scope])
        files.append(index_file(files, microseconds("5m")))
    elif (name, scope) == ("broken", "project"):
        files += odd_files()
        files.append(broken_index(sorted(file.path for file in files)))
    return files


def _write(root: Path, files: Iterable[SampleFile]) -> None:
    """Write the files and set their ages."""
    for file in files:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        written_ns = (NOW_MS * 1_000 - file.age_us) * 1_000
        os.utime(path, ns=(written_ns, written_ns))


def _age_links(root: Path) -> None:
    """Ages for what is no regular file, so that nothing depends on the clock."""
    special = sorted(path for path in root.rglob("*") if path.is_symlink() or path.is_fifo())
    for days, path in enumerate(special, start=1):
        written_ns = (NOW_MS - days * 86_400_000) * 1_000_000
        if not path.is_symlink():
            os.utime(path, ns=(written_ns, written_ns))
        elif os.utime in os.supports_follow_symlinks:
            os.utime(path, ns=(written_ns, written_ns), follow_symlinks=False)
