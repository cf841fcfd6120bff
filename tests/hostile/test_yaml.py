"""Frontmatter that asks for more than it holds: no crash, no wait, one line about it."""

from __future__ import annotations

import frontmatter
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.dialects import Reading, read, read_claude
from memtui.memory.frontmatter import comment_cuts, yaml_error
from memtui.memory.recency import modified_ms
from tests.hostile.growth import grows_linearly


def claude(block: str) -> Reading:
    reading = read_claude(f"---\n{block}\n---\nbody", "a.md")
    assert isinstance(reading, Reading)
    return reading


REFUSED = {
    "an empty number": "x: !!int ''",
    "an empty fraction": "x: !!float ''",
    "no truth value": "x: !!bool perhaps",
    "no date": "x: 2026-13-45",
    "no time": "x: !!timestamp yesterday",
    "a fraction beyond any": "x: 1" + ":1" * 400 + ".5",
    "a number of too many digits": "x: " + "1" * 5_000,
    "a nested number of too many digits": "metadata:\n  x: " + "1" * 5_000,
    "a number of base 60 with a bad digit": "x: !!int 1:x",
    "a value that is a number": "x: !!int {=: ''}",
    "no base 64": "x: !!binary é",
    "an unknown tag": "x: !!python/object:os.system ls",
    "a merged number": "<<: 1",
    "merged numbers": "<<: [1]",
    "a list as a key": "? [a]\n: b",
    "a mapping as a key": "? {a: b}\n: c",
    "a set as a key": "? !!set {a}\n: c",
    "brackets": "x: " + "[" * 100_000,
    "closed brackets": "x: " + "[" * 50_000 + "]" * 50_000,
    "braces": "x: " + "{a: " * 50_000,
    "dashes": "- " * 100_000,
    "question marks": "? " * 100_000,
    "deeper and deeper": "\n".join(" " * depth + "a:" for depth in range(1_400)),
    "a key of a megabyte": "a" * 1_000_000 + ": b",
    "a nested key of a megabyte": "metadata:\n  " + "a" * 1_000_000 + ": b",
    "a text that contains itself as a key": "&a {? *a : 1}",
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_yaml_reader_refuses_is_recovered_and_told_in_one_line(what: str) -> None:
    block = f"name: kept\n{REFUSED[what]}" if REFUSED[what][0] not in "-?&" else REFUSED[what]
    reading = claude(block)
    assert (reading.body, "yaml-invalid" in reading.flags) == ("body", True)
    assert reading.title == ("kept" if block.startswith("name") else "a")
    said = yaml_error(block)
    assert said
    assert "\n" not in said
    assert comment_cuts(f"{block}\n#") == ()


TAKEN = {
    "an anchor that is its own": "&a [*a]",
    "a mapping merged into itself": "x: &x {<<: *x, name: y}",
    "a merge": "a: &a {b: 1}\nname: kept\n<<: *a",
    "merges in a list": "a: &a {b: 1}\nname: kept\n<<: [*a, *a]",
    "a merge by its tag": "a: &a {b: 1}\nname: kept\n!!merge m: *a",
    "a key that means the value": "name: kept\nx: {=: 3}",
    "a set": "name: kept\nx: !!set {a, b}",
    "pairs": "name: kept\nx: !!pairs [a: 1, a: 2]",
    "an arrow in a value": "name: kept\ndescription: a << b",
}


@pytest.mark.parametrize("what", TAKEN)
def test_what_a_yaml_reader_takes_is_taken(what: str) -> None:
    yaml.safe_load(TAKEN[what])
    reading = claude(TAKEN[what])
    assert "yaml-invalid" not in reading.flags
    assert reading.title == ("kept" if "kept" in TAKEN[what] else "a")


def merged(levels: int, key: str) -> str:
    """Each level merges the one before three times."""
    lines = ["a0: &a0 {k: 1, l: 2}"]
    for level in range(1, levels):
        before = f"*a{level - 1}"
        lines.append(f"a{level}: &a{level}\n  {key}: [{before}, {before}, {before}]")
    return "\n".join(lines)


@pytest.mark.parametrize("key", ["<<", "!!merge k", "!<tag:yaml.org,2002:merge> k"])
def test_mappings_merged_into_one_another_are_not_multiplied(key: str) -> None:
    assert claude(merged(60, key)).flags == ()


def test_aliases_of_aliases_are_not_multiplied() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 60)]
    assert claude("\n".join(lines)).flags == ()
    assert claude("\n".join([*lines, "name: *a59", "description: *a0"])).flags == ()


def colliding(count: int) -> str:
    """Numbers that all have the hash 0."""
    return "\n".join(f"{number * (2**61 - 1)}: 1" for number in range(1, count))


GROWING = {
    "keys": lambda size: "\n".join(f"k{number}: [v]" for number in range(size)),
    "one key": lambda size: "name: [v]\n" * size,
    "anchors": lambda size: "\n".join(f"k{n}: &a{n} v" for n in range(size)),
    "merges": lambda size: "a: &a {b: 1}\n" + "<<: *a\n" * size,
    "keys of one hash": colliding,
    "a set of one hash": lambda size: f"x: !!set {{{colliding(size)}}}".replace(": 1\n", ",\n"),
    "aliases of something long": lambda size: "\n".join(
        [f"a: &a [{'1,' * size * 4}1]", *(f"b{number}: *a" for number in range(size))]
    ),
    "a number of base 60": lambda size: "x: 1" + ":01" * size * 8,
    "a quoted number of base 60": lambda size: "x: y: z\nname: 'a': 1" + ":01" * size * 8 + "''",
    "hexadecimal digits": lambda size: "x: 0x" + "f" * size * 8,
    "binary digits": lambda size: "x: 0b" + "1" * size * 8,
    "octal digits": lambda size: "x: 0" + "7" * size * 8,
    "blank lines": lambda size: "name: x: y\n" + "\n" * size * 8 + "!",
    "one line": lambda size: "name: " + "a " * size * 8,
    "a quoted line": lambda size: 'name: "' + "\\n" * size * 8 + '"',
    "comments": lambda size: "# #" * size * 8,
    "colons": lambda size: "a: " * size * 8,
}


@pytest.mark.parametrize("kind", GROWING)
def test_a_frontmatter_takes_time_in_proportion_to_its_length(kind: str) -> None:
    def work(block: str) -> None:
        text = f"---\n{block}\n---\nbody".encode()
        read("claude", text, "a.md")
        read("qwen", text, "a.md")
        yaml_error(block)
        comment_cuts(block)
        modified_ms(block)

    assert grows_linearly(work, GROWING[kind], 1_000)


SCALARS = st.sampled_from(
    [
        "a",
        "''",
        "1",
        "-1",
        "0x1f",
        "017",
        "1:30",
        "1:30.5",
        "1_0",
        "_",
        ".inf",
        ".",
        "~",
        "yes",
        "2026-01-02",
        "2026-99-99",
        "=",
        "<<",
        '"\\x00"',
        "'it''s'",
        "é",
        "*a",
        "*b",
        "?",
        "-",
        "|",
        ">",
    ]
)
TAGS = st.sampled_from(
    ["", ""]
    + [
        f"!!{tag} "
        for tag in ["int", "float", "bool", "null", "str", "binary", "timestamp", "merge", "value"]
    ]
    + [f"!!{tag} " for tag in ["set", "omap", "pairs", "map", "seq"]]
    + ["!x ", "&a ", "&b "]
)
NODES = st.recursive(
    st.tuples(TAGS, SCALARS).map("".join),
    lambda inner: st.tuples(
        TAGS,
        st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.lists(st.tuples(inner, inner).map(": ".join), max_size=3).map(
                lambda pairs: f"{{{', '.join(pairs)}}}"
            ),
        ),
    ).map("".join),
    max_leaves=6,
)
BLOCKS = st.lists(st.tuples(SCALARS, NODES).map(": ".join), min_size=1, max_size=4).map("\n".join)


@given(BLOCKS)
def test_a_block_is_invalid_where_a_yaml_reader_raises_whatever_it_raises(block: str) -> None:
    try:
        metadata, _ = frontmatter.parse(f"---\n{block}\n---\nbody")
    except Exception:  # whatever it raises is the question
        metadata = None
    reading = claude(block)
    assert ("yaml-invalid" in reading.flags) == (metadata is None)
    assert (yaml_error(block) is None) == (metadata is not None)
    if metadata is not None and isinstance(metadata.get("name"), str):
        assert reading.title
