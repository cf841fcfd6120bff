"""How an index is measured: what counts, where loading stops, and where its links lead."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.document import Pool, Scope
from memtui.memory.index import INDEX_BYTES, INDEX_LINES, IndexReport, measure_index
from memtui.memory.index_window import counted_lines, find_cut
from memtui.memory.scan import Source, scan_capped, scan_pool
from tests.helpers import write_file, write_memory


def measured(
    root: Path, text: str | bytes, pool: Pool | None = None, name: str = "MEMORY.md"
) -> IndexReport:
    content = text.encode() if isinstance(text, str) else text
    path = write_file(root, name, content)
    pool = pool or scan_pool([Source(Scope.PROJECT, str(root), "claude")])
    return measure_index(str(path), pool, Scope.PROJECT, str(root))


def limits_of(report: IndexReport) -> tuple[int, int, str, int | None]:
    return report.lines, report.bytes, report.binds, report.cut_at_line


# -- what counts, and where loading stops ---------------------------------------------------------


def test_a_small_index_is_loaded_whole(tmp_path: Path) -> None:
    report = measured(tmp_path, "# Memory\n\n- one\n")
    assert limits_of(report) == (3, len("# Memory\n\n- one"), "none", None)
    assert report.text == "# Memory\n\n- one\n"
    assert report.error is None


def test_two_hundred_and_fifty_lines_of_33_kb_are_cut_by_bytes(tmp_path: Path) -> None:
    lines = [f"- [m{number:03}](m{number:03}.md) ".ljust(131, "x") for number in range(250)]
    report = measured(tmp_path, "\n".join(lines) + "\n")
    assert report.lines == 250
    assert report.bytes == 250 * 132 - 1 == 32_999
    assert report.binds == "bytes"
    assert report.cut_at_line == 25_000 // 132 == 189
    assert len("\n".join(lines[:189])) <= INDEX_BYTES < len("\n".join(lines[:190]))
    assert [each.line for each in report.unreachable] == list(range(190, 251))


def test_the_lines_bind_where_the_first_two_hundred_fit(tmp_path: Path) -> None:
    lines = ["- short"] * 200 + ["- " + "long" * 150] * 50
    report = measured(tmp_path, "\n".join(lines))
    assert report.bytes > INDEX_BYTES
    assert (report.lines, report.binds, report.cut_at_line) == (250, "lines", 200)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n" * 200, (200, 399, "none", None)),
        ("a\n" * 201, (201, 401, "lines", 200)),
        ("x" * 25_000, (1, 25_000, "none", None)),
        ("x" * 24_998 + "\nyy", (2, 25_001, "bytes", 1)),
        ("x" * 24_998 + "\ny", (2, 25_000, "none", None)),
        ("x" * 25_001, (1, 25_001, "bytes", 1)),
        ("x\n" + "é" * 12_500, (2, 25_002, "bytes", 1)),
        ("", (0, 0, "none", None)),
        ("\n \n", (0, 0, "none", None)),
        ("\n\n a \n\n", (1, 1, "none", None)),
        ("a\r\nb\r\n", (2, 4, "none", None)),
        ("\ufeffa", (1, 1, "none", None)),
        ("---\nname: x\n---\n\na\n", (1, 1, "none", None)),
        ("\ufeff---\nname: x\n---\na\n", (1, 1, "none", None)),
        ("---\nname: x\na\n", (3, 13, "none", None)),
        ("<!-- a -->\nb", (1, 1, "none", None)),
        ("a\n<!-- b\n\nc -->\n\n\nd", (2, 3, "none", None)),
        ("a\n   <!-- b --> c\nd", (3, 9, "none", None)),
        ("a\n    <!-- b -->", (2, 16, "none", None)),
        ("a <!-- b -->", (1, 12, "none", None)),
        ("a\n<!-- b\nc", (3, 10, "none", None)),
        ("<!-- a --> b <!-- c --> d <!-- e", (1, 11, "none", None)),
        ("<!-->\na\n-->", (3, 11, "none", None)),
        ("```\n<!-- a -->\n```", (3, 18, "none", None)),
        ("<!--\n```\n-->\n<!-- a -->\nb", (1, 1, "none", None)),
    ],
)
def test_what_counts(tmp_path: Path, text: str, expected: tuple[int, int, str, int | None]) -> None:
    assert limits_of(measured(tmp_path, text)) == expected


def test_the_cut_line_is_one_of_the_file_as_it_is(tmp_path: Path) -> None:
    text = "---\nname: x\n---\n\n<!-- a\nnote -->\n\n" + "a\n" * 100 + "<!-- b -->\n" + "a\n" * 150
    report = measured(tmp_path, text)
    assert limits_of(report) == (250, 499, "lines", 7 + 100 + 1 + 100)
    assert text.split("\n")[report.cut_at_line or 0 :].count("a") == 50


def test_a_first_line_that_is_too_long_is_loaded_in_part(tmp_path: Path) -> None:
    text = "[a](a.md)" + "x" * 30_000 + "[b](b.md)\n[c](c.md)"
    report = measured(tmp_path, text)
    assert (report.binds, report.cut_at_line) == ("bytes", 1)
    assert [each.target for each in report.entries if each.loaded] == ["a.md"]


def plainly_counted(text: str) -> list[str]:
    """What counts, the simple way, for texts without code."""
    text = text.removeprefix("\ufeff")
    text = re.sub(r"\A---[ \t\r]*\n(?:.*\n)*?---[ \t\r]*(?:\n|\Z)", "", text)
    text = re.sub(r"^ {0,3}<!--(?!-?>)[\s\S]*?-->[^\n]*(?:\n+|\Z)", _residue, text, flags=re.M)
    return text.strip().split("\n") if text.strip() else []


def _residue(match: re.Match[str]) -> str:
    rest = re.sub(r"<!--[\s\S]*?-->", "", match.group())
    return rest if rest.strip() else ""


@given(
    st.lists(
        st.sampled_from(
            ["a", "é b", "", "---", "<!-- x -->", "<!-- x", "y -->", "<!-- x --> z", "  <!--x-->"]
        ),
        max_size=14,
    )
)
def test_what_counts_is_what_the_plain_rule_says(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert [line.text for line in counted_lines(text)[0]] == plainly_counted(text)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=400)))
def test_what_is_loaded_fits_and_one_line_more_does_not(lines: list[str]) -> None:
    counted = counted_lines("\n".join(lines * 9))[0]
    cut = find_cut(counted)
    loaded = [line.text for line in counted if cut.line is None or line.number <= cut.line]
    assert len(loaded) <= INDEX_LINES
    assert len("\n".join(loaded).encode()) <= INDEX_BYTES
    if cut.binds == "lines":
        assert len(loaded) == INDEX_LINES < len(counted)
    if cut.binds == "bytes":
        more = [line.text for line in counted[: len(loaded) + 1]]
        assert len("\n".join(more).encode()) > INDEX_BYTES
    assert (cut.binds == "none") == (len(loaded) == len(counted))


@given(st.text(max_size=200))
def test_what_is_left_out_leaves_spaces_behind(text: str) -> None:
    shown = counted_lines(text)[1]
    assert len(shown) == len(text)
    assert shown.count("\n") == text.count("\n")


# -- where links lead -----------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    for name in ("user role.md", "notes/deploy.md", "notes/한국어.md", "a(b).md", "late.md"):
        write_memory(root, name, title=f"Title of {name}")
    write_file(root, "data.json", b"{}")
    write_file(root, "notes/skipped.md", b"---\nname: never closed\n")
    write_file(tmp_path, "secret.md", b"outside")
    (root / "out").symlink_to(tmp_path)
    return root


@pytest.mark.parametrize(
    ("link", "leads", "path"),
    [
        ("[a](notes/deploy.md)", "document", "notes/deploy.md"),
        ("[a](./notes/../notes/deploy.md)", "document", "notes/deploy.md"),
        ("[a](user%20role.md)", "document", "user role.md"),
        ("[a](<user role.md>)", "document", "user role.md"),
        ('[a](notes/deploy.md#friday "title")', "document", "notes/deploy.md"),
        ("[a](notes/%ED%95%9C%EA%B5%AD%EC%96%B4.md)", "document", "notes/한국어.md"),
        ("[a](notes/한국어.md)", "document", "notes/한국어.md"),
        ("[a](a(b).md)", "document", "a(b).md"),
        ("[[x] a](late.md)", "document", "late.md"),
        ("[a](data.json)", "file", "data.json"),
        ("[a](notes/)", "file", "notes"),
        ("[a](notes/skipped.md)", "file", "notes/skipped.md"),
        ("[a](Notes/nothing.md)", "missing", None),
        ("[a](%00.md)", "missing", None),
        ("[a](" + "x" * 9_000 + ")", "missing", None),
        ("[a](../secret.md)", "outside", None),
        ("[a](notes/../../secret.md)", "outside", None),
        ("[a](%2e%2e/secret.md)", "outside", None),
        ("[a](/etc/hostname)", "outside", None),
        ("[a](out/secret.md)", "outside", None),
        ("[[deploy]]", "document", "notes/deploy.md"),
        ("[[Notes/Deploy|how]]", "document", "notes/deploy.md"),
        ("[[title of late.md]]", "document", "late.md"),
        ("[[skipped#x]]", "file", "notes/skipped.md"),
        ("[[data.json]]", "file", "data.json"),
        ("[[nowhere]]", "missing", None),
        ("[[../secret.md]]", "missing", None),
    ],
)
def test_where_a_link_leads(tree: Path, link: str, leads: str, path: str | None) -> None:
    report = measured(tree, f"# Index\n\n- {link} - what it is\n")
    (entry,) = report.entries
    assert (entry.line, entry.leads, entry.paths) == (3, leads, (path,) if path else ())
    assert report.dangling == ((entry.target,) if leads in ("missing", "outside") else ())
    assert ("late.md" in report.orphans) == (path != "late.md")


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.com/a.md) [b](http://x) [c](mailto:a@b.c) [d](//host/a.md)",
        "[a](#here) [[#here]] [[https://example.com]]",
        "`[a](gone.md)` and\n\n```\n[[gone]]\n```",
        "<!-- [a](gone.md) -->\n<!--\n[[gone]]\n-->",
        "---\nsee: '[a](gone.md)'\n---\nx",
        "[a] (gone.md) [a]\\(gone.md) \\[a](gone.md) []()",
    ],
)
def test_what_is_no_entry(tree: Path, text: str) -> None:
    assert measured(tree, text).entries == ()


def test_orphans_are_the_memories_that_no_entry_leads_to(tree: Path) -> None:
    text = "- [a](late.md)\n- [b](gone.md)\n- [c](gone.md)\n- [[deploy]]\nuser role.md\n"
    report = measured(tree, text)
    assert set(report.orphans) == {"user role.md", "notes/한국어.md", "a(b).md"}
    assert report.dangling == ("gone.md",)


def test_an_index_in_a_folder_speaks_for_its_folder(tree: Path) -> None:
    report = measured(
        tree, "[a](deploy.md) [b](../late.md) [c](../../secret.md)", None, "notes/MEMORY.md"
    )
    assert [each.leads for each in report.entries] == ["document", "document", "outside"]
    assert report.orphans == ("notes/한국어.md",)


def test_only_the_documents_of_its_scope_are_orphans(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "user"
    write_memory(other, "mine.md")
    sources = [
        Source(Scope.PROJECT, str(tree), "claude"),
        Source(Scope.USER, str(other), "claude"),
    ]
    report = measured(tree, "[[mine]]", scan_pool(sources))
    assert report.dangling == ("mine",)
    assert "mine.md" not in report.orphans


def test_a_memory_beyond_the_capped_scan_is_not_dangling(tree: Path) -> None:
    from memtui.limits import Limits

    pool = scan_capped(Source(Scope.PROJECT, str(tree), "claude"), Limits(capped_scan_docs=1))
    report = measured(tree, "[a](late.md) [b](notes/deploy.md) [[deploy]]", pool)
    assert report.dangling == ()


def test_entries_stand_in_the_order_of_the_text(tree: Path) -> None:
    report = measured(tree, "[a](late.md) [[deploy|b]] [c](data.json)\n[d](late.md)")
    assert [(each.line, each.label) for each in report.entries] == [
        (1, "a"),
        (1, "b"),
        (1, "c"),
        (2, "d"),
    ]


# -- hostile --------------------------------------------------------------------------------------


def test_an_index_that_can_not_be_read_is_a_report(tmp_path: Path) -> None:
    pool = scan_pool([Source(Scope.PROJECT, str(tmp_path), "claude")])

    def error(name: str) -> str | None:
        report = measure_index(str(tmp_path / name), pool, Scope.PROJECT, str(tmp_path))
        assert limits_of(report) == (0, 0, "none", None)
        return report.error

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "out").symlink_to("/etc/hostname")
    assert error("MEMORY.md") == "it is not there"
    assert error("x\0y") == "no file has a NUL character in its name"
    assert error("pipe") == error("folder") == "it is no regular file; it is not read"
    assert "symbolic link to /etc/hostname, outside the root" in (error("out") or "")
    assert error("loop")


def test_a_huge_index_is_measured_as_far_as_it_is_read(tmp_path: Path) -> None:
    path = write_file(tmp_path, "MEMORY.md", b"- line\n" * 1_000)
    report = measure_index(str(path), Pool(), Scope.PROJECT, str(tmp_path), file_bytes=3_500)
    assert limits_of(report) == (500, 3_499, "lines", 200)
    assert report.error == "only the first 3,500 of its 7,000 bytes were read"


def test_bad_bytes_are_measured_as_they_are_shown(tmp_path: Path) -> None:
    assert limits_of(measured(tmp_path, b"\xff\n\xfe"))[:2] == (2, 7)


@pytest.mark.parametrize(
    "piece",
    [
        "<!--",
        "<!--\n",
        "<!-- -->",
        "-->\n",
        "[a](b) ",
        "[[a]] ",
        "[a](",
        "```\n",
        "---\n",
        "[a](/",
        "a/",
    ],
)
def test_a_megabyte_of_one_piece_takes_linear_time(tmp_path: Path, piece: str) -> None:
    began = time.process_time()
    measured(tmp_path, "[x](" + piece * (1_000_000 // len(piece)))
    measured(tmp_path, piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 20


@given(st.text(st.sampled_from("<!->`~[]()#| \n\\abc./%:\ufeff\r"), max_size=120))
def test_any_text_gives_a_report(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    report = measured(root, text, Pool())
    assert report.text == text
    assert all(1 <= each.line <= text.count("\n") + 1 for each in report.entries)
    assert report.unreachable == ()
