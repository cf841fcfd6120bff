"""How the dialects read a file."""

from __future__ import annotations

import base64
from typing import Any

import frontmatter
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.dialects import Reading, Unread, dialect_of_root, read, read_claude
from memtui.text import single_spaced
from tests.helpers import load

CASES = load("parse.json")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_qwen_reads_as_measured(case: dict[str, Any]) -> None:
    reading = read("qwen", base64.b64decode(case["content_base64"]), "x.md")
    if case["expect"] is None:
        assert isinstance(reading, Unread)
    else:
        assert isinstance(reading, Reading)
        found = {name: getattr(reading, name) for name in case["expect"]}
        assert found == case["expect"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# Heading\n", "no-frontmatter"),
        (b"--- \nname: a\ntype: user\n---\n", "no-frontmatter"),
        (b"\n---\nname: a\ntype: user\n---\n", "no-frontmatter"),
        (b"", "no-frontmatter"),
        (b"---\nname: a\ntype: user\n", "unclosed-frontmatter"),
        (b"\xef\xbb\xbf---\nname: a\ntype: user\n---\n", "byte-order-mark"),
        (b"---\nname: a\n---\n", "type-missing"),
        (b"---\nname: a\ntype: note\n---\n", "type-unknown"),
        (b'---\nname: a\ntype: "user"\n---\n', "type-unknown"),
        (b"---\nname: a\nmetadata:\n  type: user\n---\n", "type-nested"),
    ],
)
def test_qwen_says_why_it_reads_no_memory(content: bytes, reason: str) -> None:
    reading = read("qwen", content, "x.md")
    assert isinstance(reading, Unread)
    assert reading.reason == reason
    assert reading.detail and reading.remedy


def claude(text: str | bytes, name: str = "notes/deploy.md") -> Reading:
    content = text.encode() if isinstance(text, str) else text
    reading = read("claude", content, name)
    assert isinstance(reading, Reading)
    return reading


def test_claude_takes_a_type_under_metadata() -> None:
    reading = claude("---\nname: a\ndescription: b\nmetadata: \n  type: feedback\n---\nx\n")
    assert (reading.type, reading.title, reading.description) == ("feedback", "a", "b")


def test_claude_prefers_the_type_at_top_level() -> None:
    assert claude("---\nmetadata:\n  type: user\ntype: project\n---\n").type == "project"


def test_claude_keeps_an_unknown_type_and_allows_none() -> None:
    assert claude("---\nname: a\ntype: note\n---\n").type == "note"
    assert claude("---\nname: a\n---\n").type == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-02", "2026-03-02"),
        ("1.50", "1.50"),
        ("0x1F", "0x1F"),
        ("yes", "yes"),
        ("null", ""),
        ("~", ""),
        ('"~"', "~"),
        ("'it''s'", "it's"),
        ("[a, b]", "[a, b]"),
        ("{k: v}", "{k: v}"),
        (">\n  folded one\n  folded two", "folded one folded two"),
        ("one\n  two", "one two"),
    ],
)
def test_claude_keeps_the_source_text_of_a_value(value: str, expected: str) -> None:
    assert claude(f"---\nname: a\ndescription: {value}\n---\n").description == expected


def test_claude_recovers_invalid_yaml_line_by_line() -> None:
    reading = claude(
        "---\nname: 'Deploy'\ndescription: prefers: short answers\nmetadata:\n  type: user\n---\nb"
    )
    assert reading.flags == ("yaml-invalid",)
    assert (reading.title, reading.description) == ("Deploy", "prefers: short answers")
    assert reading.type == "user"


def test_claude_without_frontmatter_takes_the_heading_or_the_stem() -> None:
    reading = claude("intro\n\n## The *release* train ##\ntext\n")
    assert reading.title == "The *release* train"
    assert reading.body.startswith("intro")
    assert claude("just text").title == "deploy"
    assert claude("---\ndescription: d\n---\n# Head\n").title == "Head"


def test_claude_skips_an_unclosed_frontmatter() -> None:
    reading = read("claude", b"---\nname: a\n\ntext\n", "x.md")
    assert isinstance(reading, Unread)
    assert reading.reason == "unclosed-frontmatter"


def test_claude_removes_and_flags_a_byte_order_mark() -> None:
    reading = claude(b"\xef\xbb\xbf---\nname: a\n---\nb")
    assert reading.title == "a"
    assert "byte-order-mark" in reading.flags


def test_claude_folds_white_space_in_title_and_description() -> None:
    reading = claude('---\nname: "a\\n  b"\ndescription: "c\\t\\td"\n---\n')
    assert (reading.title, reading.description) == ("a b", "c d")


@pytest.mark.parametrize(
    "block",
    [
        "a: &x [1]\nb: *x",
        "a: " + "[" * 5_000,
        "<<: &m {a: 1}\nb: {<<: [*m, *m]}",
        "{{ template }}: x",
        "date: 2026-13-45",
        "a: !thing b",
        "? [a]\n: b",
        "- a\n- b",
        "\t",
        "a: \x00",
        "name: {[a]: b}",
    ],
)
def test_claude_survives_strange_yaml(block: str) -> None:
    assert claude(f"---\n{block}\n---\nbody").body == "body"


KEYS = st.sampled_from(["name", "description", "type", "title", "tags"])
VALUES = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r\x85\u2028\u2029"), max_size=30
)
LINES = st.lists(st.tuples(KEYS, VALUES), max_size=4).map(
    lambda pairs: "".join(f"{key}: {value}\n" for key, value in pairs)
)
NESTED = st.lists(st.tuples(KEYS, VALUES), max_size=3).map(
    lambda pairs: "metadata: \n" + "".join(f"  {key}: {value}\n" for key, value in pairs)
)
BLOCKS = st.tuples(LINES, st.one_of(st.just(""), NESTED), LINES).map("".join)


@given(BLOCKS, st.text(st.characters(codec="utf-8"), max_size=40))
def test_claude_reads_what_python_frontmatter_reads(block: str, body: str) -> None:
    text = f"---\n{block}---\n{body}"
    reading = read("claude", text.encode(), "x.md")
    try:
        metadata, content = frontmatter.parse(
            text.removeprefix("\ufeff"), handler=frontmatter.YAMLHandler()
        )
    except (yaml.YAMLError, ValueError):
        assert isinstance(reading, Unread) or "yaml-invalid" in reading.flags
        return
    assert isinstance(reading, Reading)
    assert "yaml-invalid" not in reading.flags
    assert reading.body == content
    nested = metadata.get("metadata")
    nested_type = nested.get("type") if isinstance(nested, dict) else None
    described, typed = metadata.get("description"), metadata.get("type") or nested_type
    if isinstance(described, str):
        assert reading.description == single_spaced(described)
    if isinstance(typed, str):
        assert reading.type == typed.strip()


def test_a_long_plain_block_without_an_end_takes_linear_time() -> None:
    lines = "".join(f"key: value {number}\n" for number in range(40_000))
    assert isinstance(read("claude", f"---\n{lines}".encode(), "x.md"), Unread)
    assert claude(f"---\n{lines}metadata:\n  a: b\n{lines}!\n---\nbody").body == "body"


def test_a_lone_surrogate_is_no_yaml_and_no_crash() -> None:
    reading = read_claude("---\nname: \ud800\n---\nbody", "x.md")
    assert isinstance(reading, Reading)
    assert "yaml-invalid" in reading.flags


def test_the_dialect_follows_the_path() -> None:
    assert dialect_of_root("/home/a/.qwen/memories") == "qwen"
    assert dialect_of_root("/home/a/.claude/projects/x/memory") == "claude"
    assert dialect_of_root("/home/a/qwen/x.qwen") == "claude"
