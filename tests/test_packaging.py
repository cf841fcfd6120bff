"""What is built: the wheel has all that it needs and no test; the sdist builds the same wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

PROJECT = Path(__file__).parent.parent
TABLES = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]

NO_MODULE = """
import sys
for name in {names!r}:
    sys.modules[name] = None
from memtui.cli import run
sys.exit(run({words!r}))
"""


def files_below(folder: Path) -> set[str]:
    """Every file below a folder that is no by-product of running it."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(PROJECT)).build(directory=str(folder), versions=["standard"])
    return Path(built)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    (built,) = SdistBuilder(str(PROJECT)).build(directory=str(folder), versions=["standard"])
    with tarfile.open(built) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return unpacked


def test_the_wheel_has_the_package_and_the_samples_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {f"memtui/{name}" for name in files_below(PROJECT / "memtui")}
    samples = {f"memtui/sample_memory/{name}" for name in files_below(PROJECT / "sample_memory")}
    assert samples
    assert names == package | samples


def test_the_wheel_says_what_it_is_and_which_extras_it_has(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (folder,) = {name.partition("/")[0] for name in archive.namelist() if "info/" in name}
        metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        entries = archive.read(f"{folder}/entry_points.txt").decode()
        assert f"{folder}/licenses/LICENSE" in archive.namelist()
    assert entries.split() == ["[console_scripts]", "memtui", "=", "memtui.__main__:main"]
    assert set(metadata.get_all("Provides-Extra") or ()) == set(TABLES["optional-dependencies"])
    assert metadata["Requires-Python"] == ">=3.11"
    assert "memtui" in metadata.get_payload()
    assert set(TABLES["optional-dependencies"]) == {"mcp", "model", "serve", "test", "watch"}


def test_the_wheel_runs_from_itself_without_the_sources(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "installed"
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    for words, expected in (
        (["--version"], f"memtui {TABLES['version']}"),
        (["demo", "small", "--into", str(tmp_path / "demo")], "memtui recall"),
        (["recall", "roll back", "--demo", "small"], "selected"),
        (["scan", "--demo", "broken"], "skipped"),
    ):
        code = (
            f"import sys; sys.path.insert(0, {str(folder)!r}); from memtui.__main__ import main\n"
        )
        code += f"sys.argv = ['memtui', *{words!r}]; main()"
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
            check=False,
        )
        assert (done.returncode, expected in done.stdout) == (0, True), done.stderr
    assert list((tmp_path / "demo").rglob("*.md"))


def test_the_sdist_has_what_its_tests_need(sdist: Path) -> None:
    names = files_below(sdist)
    for folder in ("memtui", "sample_memory", "tests", ".ci"):
        assert {f"{folder}/{name}" for name in files_below(PROJECT / folder)} <= names
    assert {"README.md", "LICENSE", "pyproject.toml"} <= names


def test_the_wheel_of_the_sdist_is_the_same(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(sdist)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(built) as again, ZipFile(wheel) as first:
        for name in first.namelist():
            assert again.read(name) == first.read(name), name
        assert again.namelist() == first.namelist()


def without(names: list[str], *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """What a command says in an environment that lacks some modules."""
    code = NO_MODULE.format(names=names, words=list(words))
    return subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", **environ},
        check=False,
    )


@pytest.mark.parametrize(
    ("module", "words", "extra"),
    [
        ("mcp", ["mcp", "--demo", "small"], "mcp"),
        ("textual_serve", ["serve", "--demo", "small"], "serve"),
        ("aiohttp", ["serve", "--demo", "small"], "serve"),
    ],
)
def test_a_command_whose_extra_is_missing_says_what_to_install(
    module: str, words: list[str], extra: str
) -> None:
    done = without([module], *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("memtui: ")
    assert done.stderr.endswith(f"pip install 'memtui[{extra}]'\n")
    assert done.stderr.count("\n") == 1


def test_a_model_without_its_extra_says_what_to_install_and_the_heuristic_picks() -> None:
    endpoint = {"MEMTUI_SELECTOR_URL": "http://127.0.0.1:9", "MEMTUI_SELECTOR_MODEL": "m"}
    words = ["recall", "customs", "--demo", "overflow"]
    done = without(["openai"], *words, "--selector", "model", **endpoint)
    assert done.returncode == 0
    assert "(heuristic" in done.stdout
    assert "pip install 'memtui[model]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_everything_else_needs_no_extra() -> None:
    optional = ["mcp", "openai", "textual_serve", "aiohttp", "watchfiles", "pydantic", "httpx"]
    for words in (["recall", "customs", "--demo", "overflow"], ["scan", "--demo", "small"], ["-h"]):
        done = without(optional, *words)
        assert (done.returncode, done.stderr) == (0, ""), words
