"""Text of memories never reaches a terminal as it is; in JSON it is whole."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import HOSTILE
from tests.cli.running import command, memtui, obeyed_by_terminals
from tests.helpers import write_memory


def commands(root: Path) -> list[list[object]]:
    roots: list[object] = ["--project", root]
    return [
        ["recall", "apples", *roots],
        ["recall", "nothing", *roots],
        ["recall", "apples", *roots, "--set", "manifest_bytes=700"],
        ["scan", *roots],
        ["why", "apples", "plain.md", *roots],
        ["why", "appels", "plain.md", *roots],
        ["why", "apples", "bidi\u202e.md", *roots],
        ["why", "apples", "broken\x1b[0m\u202e.md", *roots],
        ["why", "apples", "nowhere\x1b[31m\u202e.md", *roots],
        ["why", "apples", "plain.md", *roots, "--report", "--with-text"],
        ["why", HOSTILE, "plain.md", *roots, "--report", "--with-text"],
        ["compare", "apples", *roots, "--vs", "--set manifest_bytes=700"],
        ["compare", "apples", *roots, "--preset", "capped"],
        ["recall", HOSTILE, *roots, "--tool", HOSTILE],
        ["recall", "apples", *roots, "--set", HOSTILE],
        ["recall", "apples", *roots, "--ablate", HOSTILE],
        ["recall", "apples", "--project", f"nowhere {HOSTILE}"],
        ["recall", "apples", "--demo", HOSTILE],
        ["recall", "apples", *roots, "--limit", HOSTILE],
        ["recall", "apples", *roots, f"--{HOSTILE}"],
        [HOSTILE],
        ["trace", "show", HOSTILE],
    ]


@pytest.mark.parametrize("place", range(22))
def test_no_output_holds_what_a_terminal_obeys(hostile: Path, place: int) -> None:
    words = commands(hostile)[place]
    result = memtui(*words)
    assert result.code in (0, 1, 2)
    assert obeyed_by_terminals(result.out) == []
    assert obeyed_by_terminals(result.err) == []
    assert "internal error" not in result.err


def test_the_text_is_shown_literally(hostile: Path) -> None:
    shown = memtui("recall", "apples", "--project", hostile).out
    assert "apples ␛[31mred␛]0;title␇" in shown
    assert "⟨rlo⟩" in shown


def test_json_escapes_what_a_terminal_obeys_and_keeps_the_text(hostile: Path) -> None:
    roots = ["--project", hostile, "--json"]
    for words in (
        ["recall", "apples"],
        ["scan"],
        ["why", "apples", "plain.md"],
        ["why", "apples", "broken\x1b[0m\u202e.md"],
        ["compare", "apples", "--preset", "prefix"],
    ):
        result = memtui(*words, *roots)
        assert obeyed_by_terminals(result.out) == []
        assert json.loads(result.stdout.decode()) == result.json
    documents = memtui("scan", *roots).json["documents"].values()
    folded = " ".join(f"apples {HOSTILE}".split())
    assert {each["title"] for each in documents} == {folded}
    assert "line\nend.md" in {each["relative_path"] for each in documents}


def test_every_character_survives_json(tmp_path: Path) -> None:
    title = "".join(map(chr, [*range(0x20, 0x300), *range(0x2000, 0x2100), 0xE0041, 0x1F680]))
    title = title.replace("\u2028", "").replace("\u2029", "").strip()
    write_memory(tmp_path / ".qwen", "a.md", title=title)
    result = memtui("scan", "--project", tmp_path / ".qwen", "--json")
    assert obeyed_by_terminals(result.out) == []
    (document,) = result.json["documents"].values()
    assert document["title"] == title


def test_a_query_of_invalid_bytes_is_a_query(small: Path) -> None:
    words = [*command("recall"), b"apples \xff\xfe", "--project", str(small)]
    for flags in ([], ["--json"]):
        done = subprocess.run([*words, *flags], capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"How apples are kept" in done.stdout
    assert json.loads(done.stdout)["query"]["tokens"] == ["apples"]


def test_surrogates_in_arguments_end_in_no_traceback(small: Path) -> None:
    bad = "\udcff\udc80"
    for words in (
        ["recall", bad, "--project", small, "--tool", bad, "--exclude", bad],
        ["why", bad, bad, "--project", small],
        ["why", bad, "pie", "--project", small, "--report", "--with-text"],
        ["compare", bad, "--project", small, "--preset", "capped"],
        ["recall", "x", "--project", bad],
        ["recall", "x", "--demo", bad],
        ["trace", "show", bad],
        ["trace", "list", "--db", bad],
        ["validate", "--allow", bad],
        ["validate", "--trace", bad],
        ["validate", "--allow", "a", bad],
        [bad],
    ):
        for flags in ([], ["--json"]):
            result = memtui(*words, *flags)
            assert result.code in (0, 1, 2), words
            assert "internal error" not in result.err
            result.stdout.decode()
            if flags and result.stdout:
                assert isinstance(result.json, dict)


def test_traces_of_another_program_are_shown_safely(tmp_path: Path) -> None:
    columns = "trace_id, source, mode, query_hash, query_chars, requested_limit, effective_limit, "
    columns += "candidate_limit, kept_ids, steps, started_at, ended_at, duration_ms"
    step = {"name": HOSTILE, "at": HOSTILE, "elapsedMs": 1, "meta": {HOSTILE: HOSTILE}}
    values = [f"t{HOSTILE}", *[HOSTILE] * 7, json.dumps([HOSTILE]), json.dumps([step])]
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute(f"CREATE TABLE recall_traces ({columns})")
        connection.execute(
            f"INSERT INTO recall_traces VALUES ({', '.join('?' * 13)})", [*values, *[HOSTILE] * 3]
        )
    connection.close()
    for words in (["list"], ["show", f"t{HOSTILE}"], ["list", "--json"]):
        result = memtui("trace", *words, "--db", tmp_path / "other.db")
        assert (result.code, result.err) == (0, "")
        assert obeyed_by_terminals(result.out) == []
        assert result.out.strip()


def test_clean_text_is_byte_for_byte_in_a_file_and_safe_on_a_terminal() -> None:
    text = "as it was \x1b[31m \u202e \r\n".encode() + b"\xff [id:a]\r\n"
    assert memtui("validate", "--allow", "a", stdin=text).stdout == text
    assert memtui("validate", "--allow", "", stdin=text).stdout == text.replace(b"[id:a]", b"[]")

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("validate", "--allow", "a"),
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    process.communicate(text, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 65_536).decode().replace("\r\n", "\n")
    os.close(ours)
    assert "␛[31m ⟨rlo⟩" in shown
    assert obeyed_by_terminals(shown) == []
