"""The README says what the code does: its tables are made from it, and nothing is left out."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import get_args
from urllib.parse import unquote

import click
import pytest

from memtui.cli.main import memtui as group
from memtui.cli.reference import updated
from memtui.cli.teaching import EXIT_CODES
from memtui.config import CHOICES, CONFIG_KEYS, ENDPOINT_KEYS, ENVIRONMENT, load_config
from memtui.evaluate.metrics import METRICS
from memtui.limits import Limits
from memtui.memory.document import SkipReason
from memtui.memory.health import FINDINGS
from memtui.recall.options import ABLATIONS, RANKER_NAMES, RecallOptions
from memtui.recall.selectors.choose import SELECTOR_FORMS
from memtui.recall.why.ladder import REASONS
from memtui.samples import SCENARIOS
from memtui.setup import Setup
from memtui.tui.commands import COMMANDS, shown_key
from memtui.tui.run import check_config
from tests.cli.running import memtui

PROJECT = Path(__file__).parent.parent
README = PROJECT / "README.md"
TEXT = README.read_text("utf-8")


def all_commands(
    command: click.Command, name: str = "memtui"
) -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it."""
    yield name, command
    if isinstance(command, click.Group):
        for inner, each in command.commands.items():
            yield from all_commands(each, f"{name} {inner}")


COMMAND_LINES = dict(all_commands(group))


def examples(command: click.Command) -> list[str]:
    """The command lines that ``--help`` teaches."""
    lines = (command.epilog or "").partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    return [line.partition("  #")[0].strip() for line in lines]


def section(marker: str) -> str:
    """A generated part of the README."""
    return TEXT.partition(f"<!-- {marker} -->")[2].partition(f"<!-- /{marker} -->")[0]


def words_of_code(text: str) -> set[str]:
    """Everything that stands between single backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def test_the_tables_are_up_to_date() -> None:
    assert updated(TEXT) == TEXT, "run: python3 .ci/dev.py readme"


def test_every_command_and_every_option_is_documented() -> None:
    commands, common = section("commands"), section("options")
    for name, command in COMMAND_LINES.items():
        if not isinstance(command, click.Group) or name == "memtui":
            assert re.search(rf"^\| `{re.escape(name)}[` ]", commands, re.M), name
        row = next((line for line in commands.splitlines() if f"| `{name}" in line), "")
        for each in command.params:
            if isinstance(each, click.Option):
                option = max(each.opts, key=len)
                assert f"`{option}" in row + common, f"{name} {option}"
                assert each.help, f"{name} {option}"


@pytest.mark.parametrize(
    ("marker", "names"),
    [
        ("limits", Limits().as_dict()),
        ("reasons", REASONS),
        ("findings", FINDINGS),
        ("config", CONFIG_KEYS),
        ("environment", ENVIRONMENT),
        ("keys", {command.id for command in COMMANDS}),
        ("keys", {shown_key(key) for command in COMMANDS for key in command.keys}),
    ],
    ids=["limits", "reasons", "findings", "config", "environment", "app commands", "keys"],
)
def test_every_name_of_a_kind_is_documented(marker: str, names: set[str]) -> None:
    assert set(names) <= words_of_code(section(marker))


def test_every_choice_is_documented() -> None:
    assert set(get_args(SkipReason)) <= set(REASONS)
    for name in (*SCENARIOS, *RANKER_NAMES, *SELECTOR_FORMS, *ENDPOINT_KEYS):
        assert name in TEXT, name
    for key, words in CHOICES.items():
        assert all(word in CONFIG_KEYS[key] for word in words if word != "auto")
    for name, (_, *others) in ABLATIONS.items():
        assert all(f"{name}={other}" in TEXT for other in others)
    for name in METRICS:
        assert name.partition("@")[0] in TEXT, name


def test_every_variable_that_the_code_reads_is_documented() -> None:
    read = re.compile(
        r'(?:environ(?:\.get\(|\[)|variable\(|_setting\(environ, )\s*"([A-Z][A-Z_]+)"'
    )
    found = set(ENVIRONMENT)
    for path in (PROJECT / "memtui").rglob("*.py"):
        source = path.read_text("utf-8")
        found |= set(read.findall(source)) | set(re.findall(r"\bMEMTUI_[A-Z_]+[A-Z]\b", source))
    # a terminal, a shell, tmux and a server set them
    told_elsewhere = {"TERM", "PATH", "PWD", "TMUX", "TEXTUAL_DRIVER"}
    prefixes = {"MEMTUI_SELECTOR", "MEMTUI_EMBEDDINGS", "MEMTUI_COMPLETE"}
    assert found - told_elsewhere - prefixes == set(ENVIRONMENT)
    assert "_MEMTUI_COMPLETE" in TEXT


def test_every_tool_of_the_mcp_server_is_documented_with_its_arguments() -> None:
    pytest.importorskip("mcp")
    from mcp import Client

    from memtui.mcp import make_server

    async def tools() -> dict[str, list[str]]:
        async with Client(make_server(Setup(sources=(), options=RecallOptions()))) as client:
            listed = (await client.list_tools()).tools
            return {tool.name: list(tool.input_schema["properties"]) for tool in listed}

    for name, arguments in asyncio.run(tools()).items():
        assert f"`{name}({', '.join(arguments)})`" in TEXT


def test_the_pictures_are_snapshots_that_a_test_holds() -> None:
    pictures = [unquote(each) for each in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)]
    assert len(pictures) >= 4
    for picture in pictures:
        assert (PROJECT / picture).is_file(), picture
        assert picture.startswith("tests/tui/__snapshots__/")
        test = Path(picture).stem.partition("[")[0]
        folder, module = Path(picture).parent.parent.parent, Path(picture).parent.name
        assert f"def {test}(" in (PROJECT / folder / f"{module}.py").read_text("utf-8")


def test_links_inside_the_page_and_to_files_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.+)$", TEXT, re.M)
    anchors = {re.sub(r"[^\w\- ]", "", each).strip().lower().replace(" ", "-") for each in headings}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("http"):
            assert (PROJECT / unquote(target)).exists(), target


def test_the_example_of_a_configuration_is_one(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
    path = tmp_path / "config.toml"
    path.write_text(example, "utf-8")
    config = load_config(path)
    check_config(config)
    assert config.keys
    assert config.synonyms


def test_the_commands_that_the_text_names_exist() -> None:
    for line in re.findall(r"`(memtui [^`]+)`", TEXT):
        words = line.split()
        if words[1].islower() and words[1].isalpha() and words[1] not in SCENARIOS:
            assert f"memtui {words[1]}" in COMMAND_LINES, line


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_the_help_of_every_command_teaches_by_example_and_tells_exit_codes(name: str) -> None:
    result = memtui(*name.split()[1:], "--help")
    assert result.code == 0
    assert " ".join(EXIT_CODES.split()) in " ".join(result.out.split())
    assert examples(COMMAND_LINES[name])
    for example in examples(COMMAND_LINES[name]):
        assert example in result.out


ON_DEMOS = [
    example
    for command in COMMAND_LINES.values()
    for example in examples(command)
    if example.startswith("memtui ") and "--demo" in example and "serve" not in example
]


@pytest.mark.parametrize("example", ON_DEMOS)
def test_an_example_of_the_help_runs(example: str) -> None:
    result = memtui(*shlex.split(example)[1:])
    assert result.code in (0, 1), result.err
    assert result.stdout


def test_every_other_example_of_the_help_can_be_typed() -> None:
    for name, command in COMMAND_LINES.items():
        for example in examples(command):
            _, _, line = example.rpartition("| ")
            words = shlex.split(line.partition(" > ")[0])
            words = words[words.index("--") + 1 :] if "--" in words else words
            assert words[0] == "memtui"
            context = click.Context(group, info_name="memtui")
            parsed = group
            rest = words[1:]
            while isinstance(parsed, click.Group) and rest and rest[0] in parsed.commands:
                parsed, rest = parsed.commands[rest[0]], rest[1:]
            assert parsed is command or name in ("memtui", "memtui trace"), example
            parsed.make_context(str(parsed.name), list(rest), parent=context)
