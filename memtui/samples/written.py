"""The memories written by hand: where they are, what they hold, and how old each one is."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_MINUTES: Final = {"d": 24 * 60, "h": 60, "m": 1}
_PACKAGE: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class SampleFile:
    """One file of a demo, ready to be written."""

    path: str
    """Relative to the root of its scope, with `/`."""
    content: bytes
    """What it holds."""
    age_us: int
    """How long before the demo's now it was last written, in microseconds."""


def sample_folder() -> Path:
    """The folder `sample_memory`: inside an installed package, or beside it in a checkout.

    Raises FileNotFoundError if neither is there.
    """
    places = (_PACKAGE / "sample_memory", _PACKAGE.parent / "sample_memory")
    for place in places:
        if (place / "facts.toml").is_file():
            return place
    raise FileNotFoundError(f"sample memories are in neither {places[0]} nor {places[1]}")


def written_files(name: str, scope: str) -> list[SampleFile]:
    """The files written by hand for one scope of a scenario, by path; none without such a folder.

    Line ends become LF, so that a checkout with CRLF gives the same bytes. Raises ValueError for a
    file without an age.
    """
    root = sample_folder() / name / scope
    ages = _ages(name).get(scope, {})
    files = []
    for source in sorted(root.rglob("*.md")):
        path = source.relative_to(root).as_posix()
        if path not in ages:
            raise ValueError(f"{name}/ages.toml has no age for {scope}/{path}")
        content = source.read_bytes().replace(b"\r\n", b"\n")
        files.append(SampleFile(path, content, microseconds(ages[path])))
    return files


def microseconds(age: str) -> int:
    """An age such as `3d 4h 20m` in microseconds. Raises ValueError for anything else."""
    if not re.fullmatch(r"\d+[dhm]( \d+[dhm])*", age):
        raise ValueError(f"not an age: {age!r}")
    return sum(int(part[:-1]) * _MINUTES[part[-1]] for part in age.split()) * 60_000_000


@cache
def _ages(name: str) -> Mapping[str, Mapping[str, str]]:
    """Scope to path to age, from the scenario's table."""
    table = sample_folder() / name / "ages.toml"
    ages: dict[str, dict[str, str]] = tomllib.loads(table.read_text(encoding="utf-8"))
    return ages
