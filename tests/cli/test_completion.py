"""What a shell offers behind the tab key, asked as bash, zsh and fish ask."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import click
import pytest

from memtui.cli.completion import INSTRUCTION, check_instruction
from memtui.cli.main import memtui as group
from memtui.cli.output import CommandError
from memtui.limits import Limits
from memtui.memory.document import SkipReason
from memtui.memory.health import FINDINGS
from memtui.recall.options import RANKER_NAMES
from memtui.samples import SCENARIOS
from tests.cli.running import assert_one_line, memtui, spawn
from tests.test_imports import HEAVY, modules_after


def answers(*words: str, shell: str = "bash") -> list[str]:
    """What the shell is told about the last word, line by line."""
    asked = {"COMP_WORDS": shlex.join(["memtui", *words]), "COMP_CWORD": str(len(words))}
    if shell == "fish":
        asked["COMP_CWORD"] = words[-1]
    result = spawn(**{INSTRUCTION: f"{shell}_complete"}, **asked)
    assert (result.code, result.err) == (0, "")
    return result.out.splitlines()


def offered(*words: str) -> list[str]:
    """The words that bash offers for the last one."""
    return [line.removeprefix("plain,") for line in answers(*words) if line.startswith("plain,")]


def test_commands_and_options_are_offered() -> None:
    assert offered("s") == ["scan", "serve", "status"]
    assert offered("trace", "") == ["list", "show"]
    assert "--ranker" in offered("recall", "query", "--r")


def test_the_names_that_the_code_knows_are_offered() -> None:
    assert offered("demo", "") == list(SCENARIOS)
    assert offered("--demo", "two") == ["two-scopes"]
    assert offered("why", "query", "--demo", "o") == ["overflow"]
    assert offered("recall", "query", "--ranker", "") == list(RANKER_NAMES)
    assert offered("recall", "query", "--agent", "") == ["claude", "qwen"]
    assert offered("recall", "query", "--selector", "") == [
        "heuristic",
        "model",
        "replay:",
        "manual:",
    ]
    assert offered("recall", "query", "--ablate", "") == [
        "reserve=appended",
        "packing=prefix",
        "scan=capped",
    ]
    assert offered("eval", "d") == ["demo"]


def test_every_limit_is_offered_with_its_default_to_be_edited() -> None:
    defaults = [f"{name}={value}" for name, value in Limits().as_dict().items()]
    assert offered("recall", "query", "--set", "") == defaults
    assert offered("recall", "query", "--set", "manifest_b") == ["manifest_bytes=25000"]


def test_findings_and_reasons_to_skip_are_offered() -> None:
    assert offered("scan", "--fail-on", "") == [*FINDINGS, *get_args(SkipReason), "any"]
    assert offered("scan", "--fail-on", "type-m") == ["type-missing"]


def test_the_ids_of_stored_traces_are_offered_newest_first(
    own_environment: Path,
) -> None:
    assert offered("trace", "show", "") == []
    assert not (own_environment / "state").exists()
    for query in ("customs", "parcels"):
        memtui("recall", query, "--demo", "overflow")
    stored = memtui("trace", "list", "--json").json["traces"]
    ids = [each["trace_id"] for each in stored]
    assert len(ids) == 2
    assert offered("trace", "show", "") == ids
    assert offered("validate", "--trace", ids[1][:13]) == [ids[1]]


@pytest.mark.parametrize("words", [["--project"], ["demo", "--into"], ["scan", "--team"]])
def test_folders_are_left_to_the_shell(words: list[str]) -> None:
    assert answers(*words, "x/") == ["dir,x/"]


@pytest.mark.parametrize(
    "words",
    [
        ["why", "query"],
        ["why", "--queries"],
        ["validate"],
        ["eval"],
        ["eval", "--baseline"],
        ["eval", "--longmemeval"],
        ["eval", "--junit"],
        ["recall", "query", "--db"],
        ["recall", "query", "--exclude"],
        ["trace", "list", "--db"],
    ],
    ids=" ".join,
)
def test_files_are_left_to_the_shell(words: list[str]) -> None:
    assert answers(*words, "x/")[0] in ("file,x/", "file,")


def test_every_option_that_takes_a_path_or_a_name_is_completed() -> None:
    plain = {"DIR", "FILE", "NAME", "FINDING", "NAME=VALUE", "PATH", "ID"}
    for command in all_commands(group):
        for each in command.params:
            if not isinstance(each, click.Option) or each.metavar not in plain:
                continue
            if each.name == "tool":
                continue  # the names of another program's tools
            complete = each._custom_shell_complete or isinstance(each.type, click.Path)
            assert complete, f"{command.name} {each.opts[0]}"


def all_commands(command: click.Command) -> list[click.Command]:
    """A command with every command below it."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return [command, *(inner for each in below for inner in all_commands(each))]


def test_zsh_and_fish_are_told_the_same_with_help() -> None:
    zsh = answers("--set", "manifest_b", shell="zsh")
    assert zsh == ["plain", "manifest_bytes=25000", "0 to 100,000,000"]
    fish = answers("--set", "manifest_b", shell="fish")
    assert fish[0].startswith("plain")
    assert "manifest_bytes=25000" in "\n".join(fish)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version")
    result = spawn(**{INSTRUCTION: f"{shell}_source"})
    assert result.code == 0
    assert f"{INSTRUCTION}={shell}_complete" in result.out
    assert "memtui" in result.out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_itself_completes_with_the_script(tmp_path: Path) -> None:
    command = tmp_path / "memtui"
    command.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-m", "memtui"])} "$@"\n')
    command.chmod(0o755)
    script = f"""
PATH={shlex.quote(str(tmp_path))}:$PATH
eval "$({INSTRUCTION}=bash_source memtui)"
COMP_WORDS=(memtui demo ov); COMP_CWORD=2
_memtui_completion memtui
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.stdout == "overflow\n", done.stderr


def test_a_misspelled_instruction_is_one_line() -> None:
    for wrong in ("bsh_source", "bash", "bash_sauce", "source"):
        result = spawn(**{INSTRUCTION: wrong})
        assert result.code == 2
        assert_one_line(result)
        assert "bash_source or zsh_source or fish_source" in result.err
        with pytest.raises(CommandError):
            check_instruction({INSTRUCTION: wrong})
    for right in ("", "zsh_complete", "fish_source"):
        check_instruction({INSTRUCTION: right})


def test_completion_loads_no_app_and_reads_no_memory() -> None:
    code = f"import os; os.environ.update({{{INSTRUCTION!r}: 'zsh_complete', "
    code += "'COMP_WORDS': 'memtui recall x --set ', 'COMP_CWORD': '4'})\n"
    code += "from memtui.cli import run\nrun([])"
    loaded, printed = modules_after(code)
    assert "candidate_docs" in printed
    assert loaded.isdisjoint(HEAVY)
