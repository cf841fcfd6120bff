"""Findings on documents: each definition, their order, and near duplicates."""

from __future__ import annotations

import os
import random
import re
import time
from pathlib import Path
from typing import Any, get_args

import frontmatter
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from memtui.limits import Limits
from memtui.memory.dialects import Reading, Unread
from memtui.memory.document import Document, Pool, Scope, SkippedFile
from memtui.memory.duplicates import SIMILARITY, compared_text, near_duplicates, words_of
from memtui.memory.health import (
    FINDINGS,
    Finding,
    FindingName,
    dialect_readings,
    find_problems,
    read_source,
)
from memtui.memory.links import markdown_links, without_code
from memtui.memory.scan import Source, scan_pool
from tests.helpers import DAY_MS, NOW_MS, make_document, make_pool, write_file

LIMITS = Limits()


def problems(pool: Pool, name: str | None = None, limits: Limits = LIMITS) -> list[Finding]:
    found = find_problems(pool, limits)
    return [each for each in found if name in (None, each.finding)]


def of_files(root: Path, files: dict[str, str | bytes], dialect: Any = "claude") -> Pool:
    for number, (name, content) in enumerate(files.items()):
        data = content.encode() if isinstance(content, str) else content
        write_file(root, name, data, NOW_MS - number * DAY_MS)
    return scan_pool([Source(Scope.PROJECT, str(root), dialect)])


def of_file(root: Path, content: str | bytes, dialect: Any = "claude") -> list[Finding]:
    return problems(of_files(root, {"a.md": content}, dialect))


def names(findings: list[Finding]) -> list[str]:
    return [each.finding for each in findings]


CLEAN = "---\nname: Deploys\ndescription: How to deploy\ntype: project\n---\n\nRun the script.\n"


def test_every_finding_is_explained() -> None:
    assert tuple(FINDINGS) == get_args(FindingName)
    assert all(FINDINGS.values())


def test_a_clean_memory_has_no_finding(tmp_path: Path) -> None:
    for dialect in ("qwen", "claude"):
        assert of_file(tmp_path / dialect, CLEAN, dialect) == []


# -- yaml-invalid ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["qwen", "claude"])
def test_yaml_invalid_says_where_the_reader_stopped(tmp_path: Path, dialect: str) -> None:
    text = "---\nname: a\ndescription: note: stop here\ntype: user\n---\nb\n"
    found = of_file(tmp_path, text, dialect)
    assert names(found) == ["yaml-invalid"]
    assert found[0].detail.startswith("line 2 of the frontmatter: ")


@given(st.text(st.sampled_from("ab:#'\"[]{}-|>&*!%@ \n\t?,~"), max_size=40))
def test_yaml_invalid_is_where_python_frontmatter_raises(value: str) -> None:
    text = f"---\nname: a\ndescription: {value}\n---\nbody\n"
    try:
        frontmatter.loads(text)
        raises = False
    except (yaml.YAMLError, ValueError, TypeError, AttributeError):
        raises = True
    document = claude_document(text)
    if document is not None:
        found = names(problems(make_pool(document), "yaml-invalid"))
        assert found == ["yaml-invalid"] * raises


def claude_document(text: str) -> Document | None:
    from memtui.memory.dialects import read_claude

    reading = read_claude(text, "a.md")
    if isinstance(reading, Unread):
        return None
    values = {
        name: getattr(reading, name)
        for name in ("type", "title", "description", "body", "frontmatter", "flags")
    }
    return make_document("a.md", dialect="claude", **values)


def test_a_frontmatter_of_nothing_but_nesting_is_a_finding_not_a_crash(tmp_path: Path) -> None:
    deep = "---\nname: a\ndeep: " + "[" * 5_000 + "\n---\nb\n"
    assert "yaml-invalid" in names(of_file(tmp_path, deep))


# -- comment-cut ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("description: see issue #12 for more", "#12 for more"),
        ("description: #12", "#12"),
        ("description: a\t#b", "#b"),
        ("name: C # and more", "# and more"),
        ("title: a #b", "#b"),
        ("type: user # really", "# really"),
        ("metadata:\n  type: user # really", "# really"),
        ("description: one\n  two #three", "#three"),
    ],
)
def test_comment_cut_tells_what_is_lost(line: str, lost: str) -> None:
    document = claude_document(f"---\n{line}\n---\nbody\n")
    assert document is not None
    (found,) = problems(make_pool(document), "comment-cut")
    assert found.detail.endswith(f"loses {lost}")


@pytest.mark.parametrize(
    "line",
    [
        "description: issue#12",
        "description: '#12 is quoted' # a comment",
        'description: "a #b"',
        "description: |\n  a #b",
        "other: a #b",
        "# a comment\ndescription: a",
        "description: a: b #c",
        "name: a #b\nname: c",
    ],
)
def test_no_comment_cut_where_nothing_of_a_field_is_lost(line: str) -> None:
    document = claude_document(f"---\n{line}\n---\nbody\n")
    assert document is not None
    assert problems(make_pool(document), "comment-cut") == []


def test_comment_cut_is_found_in_a_strict_store_too(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: see #12\ntype: user\n---\nb\n"
    assert names(of_file(tmp_path, text, "qwen")) == ["comment-cut"]


# -- bytes and characters -------------------------------------------------------------------------


def test_invalid_utf8_names_the_first_bad_byte(tmp_path: Path) -> None:
    found = of_file(tmp_path, CLEAN.encode() + b"\xff\xfe")
    assert names(found) == ["invalid-utf8"]
    assert f"number {len(CLEAN.encode()) + 1:,}" in found[0].detail


@pytest.mark.parametrize(
    ("text", "count", "first"),
    [
        ("\x1b[31mred\x1b[0m", 2, "U+001B"),
        ("a\u202eb\u2066c", 2, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\x85b", 1, "U+0085"),
        ("a\x00b", 1, "U+0000"),
        ("a\U000e0041b", 1, "U+E0041"),
    ],
)
def test_control_characters_are_counted_and_the_first_is_named(
    tmp_path: Path, text: str, count: int, first: str
) -> None:
    (found,) = of_file(tmp_path, f"{CLEAN}{text} end\n")
    assert found.finding == "control-characters"
    assert found.detail.startswith(f"{count} control character")
    assert f"the first is {first}" in found.detail
    assert found.detail.endswith("in line 8")


@pytest.mark.parametrize(
    "text",
    ["a\tb\r\nc", "👩\u200d💻", "שלום\u200f", "\U0001f3f4\U000e0067\U000e0062\U000e007f", "한국어"],
)
def test_ordinary_text_has_no_control_characters(tmp_path: Path, text: str) -> None:
    assert of_file(tmp_path, f"{CLEAN}{text} end\n") == []


@given(st.text(max_size=60))
def test_details_are_safe_to_show(text: str) -> None:
    document = make_document(
        "a.md", title=text or "t", body=f"[[{text}]] {text}", frontmatter=f"name: {text}"
    )
    for found in problems(make_pool(document, make_document("b.md", title=text or "t"))):
        assert "\n" not in found.detail + found.remedy
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", found.detail)


# -- type-differs ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\nname: a\ndescription: d\nmetadata:\n  type: user\n---\nb\n", "type-nested"),
        ("---\nname: a\ndescription: d\nmetadata: \n  type: user\n---\nb\n", "type-nested"),
        ("---\nname: a\ndescription: d\n---\nb\n", "type-missing"),
        ("---\nname: a\ndescription: d\ntype: note\n---\nb\n", "type-unknown"),
        ('---\nname: a\ndescription: d\ntype: "user"\n---\nb\n', "type-unknown"),
        ("\ufeff---\nname: a\ndescription: d\ntype: user\n---\nb\n", "byte-order-mark"),
        ("--- \nname: a\ndescription: d\ntype: user\n---\nb\n", "no-frontmatter"),
        ("\n---\nname: a\ndescription: d\ntype: user\n---\nb\n", "no-frontmatter"),
    ],
)
def test_type_differs_tells_what_the_strict_dialect_sees(
    tmp_path: Path, text: str, words: str
) -> None:
    (found,) = of_file(tmp_path, text)
    assert found.finding == "type-differs"
    assert found.detail.startswith("claude reads ") and words in found.detail
    assert "qwen" in found.detail


def test_a_plain_note_is_no_memory_for_the_strict_dialect(tmp_path: Path) -> None:
    found = of_file(tmp_path, "# A note\n\ntext\n")
    assert names(found) == ["type-differs", "description-missing"]


def test_type_differs_where_both_read_but_not_the_same(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: d\ntype: user\ntype: project\n---\nb\n"
    (strict,) = of_file(tmp_path / "q", text, "qwen")
    (tolerant,) = of_file(tmp_path / "c", text, "claude")
    assert strict.detail == "qwen reads type user; claude reads type 'project'"
    assert tolerant.detail == "claude reads type project; qwen reads type 'user'"


def test_readings_stand_side_by_side(tmp_path: Path) -> None:
    pool = of_files(tmp_path, {"a.md": "---\r\nname: 'a'\r\nmetadata:\r\n  type: user\r\n---\r\nb"})
    qwen, claude = dialect_readings(pool.documents[0])
    assert isinstance(qwen.result, Unread) and qwen.result.reason == "type-nested"
    assert isinstance(claude.result, Reading) and claude.result.title == "a"
    assert qwen.exact and claude.exact
    assert (qwen.type, claude.type) == (None, "user")


def test_a_document_without_its_file_is_read_from_what_is_known() -> None:
    document = make_document(
        "a.md",
        dialect="claude",
        frontmatter="name: a\nmetadata:\n  type: user\n",
        type="user",
        flags=("byte-order-mark",),
    )
    qwen, claude = dialect_readings(document)
    assert not qwen.exact
    assert isinstance(qwen.result, Unread) and qwen.result.reason == "byte-order-mark"
    assert claude.type == "user"


def test_a_row_of_a_database_has_no_dialects() -> None:
    document = make_document("a.md", dialect="database", description="d", path="/x/mem.db#4")
    assert problems(make_pool(document)) == []


# -- reading the source ---------------------------------------------------------------------------


def test_the_source_is_the_scanned_file_or_nothing(tmp_path: Path) -> None:
    document = of_files(tmp_path, {"a.md": CLEAN}).documents[0]
    assert read_source(document) == CLEAN.encode()
    assert read_source(document, file_bytes=10) is None
    write_file(tmp_path, "a.md", CLEAN.replace("script", "recipe").encode(), NOW_MS + 1)
    assert read_source(document) is None
    (tmp_path / "a.md").unlink()
    assert read_source(document) is None
    os.mkfifo(tmp_path / "a.md")
    assert read_source(document) is None


def test_a_link_is_read_inside_its_root_only(tmp_path: Path) -> None:
    outside = write_file(tmp_path, "outside.md", CLEAN.encode())
    root = tmp_path / "root"
    write_file(root, "real/a.md", CLEAN.encode())
    (root / "link.md").symlink_to("real/a.md")
    pool = scan_pool([Source(Scope.PROJECT, str(root), "claude")])
    linked = next(each for each in pool.documents if each.relative_path == "link.md")
    assert read_source(linked) == CLEAN.encode()
    (root / "link.md").unlink()
    (root / "link.md").symlink_to(outside)
    assert read_source(linked) is None


@pytest.mark.parametrize("path", ["a.md", "/x\0y.md", "/memory/a.db", "/nowhere/at/all.md"])
def test_a_path_that_is_no_file_has_no_source(path: str) -> None:
    assert read_source(make_document("a.md", path=path)) is None


def test_the_injected_source_is_used() -> None:
    document = make_document("a.md", dialect="claude", type="user", description="d")
    content = b"---\nname: a\ndescription: d\ntype: user\n---\n"
    assert find_problems(make_pool(document), LIMITS, lambda _: content) == ()


# -- fields ---------------------------------------------------------------------------------------


def strict(relative_path: str = "a.md", **fields: Any) -> Document:
    values = {"description": "d", "frontmatter": "type: project", **fields}
    return make_document(relative_path, **values)


@given(st.text(max_size=30), st.text(max_size=30))
def test_lengths_are_counted_in_utf16(description: str, body: str) -> None:
    limits = Limits(manifest_description_chars=10, body_window_chars=12)
    document = strict(description=description, body=body)
    found = set(names(problems(make_pool(document), limits=limits)))
    assert ("description-missing" in found) == (description == "")
    assert ("description-cut" in found) == (len(description.encode("utf-16-le")) > 20)
    assert ("body-beyond-window" in found) == (len(body.encode("utf-16-le")) > 24)


def test_the_placeholder_body_is_not_scored_and_not_too_long() -> None:
    document = strict(body="_No entries yet._")
    assert problems(make_pool(document), limits=Limits(body_window_chars=3)) == []


def test_lengths_are_told() -> None:
    (found,) = problems(make_pool(strict(body="x" * 3_000)))
    assert found.detail == "the last 1,800 of its 3,000 chars are never scored"


def test_not_managed(tmp_path: Path) -> None:
    for number in range(4):
        text = f"---\nname: n{number}\ndescription: d{number}\ntype: user\n---\n"
        write_file(tmp_path, f"{number}.md", text.encode(), NOW_MS - number)
    limits = Limits(capped_scan_docs=3)
    pool = scan_pool([Source(Scope.PROJECT, str(tmp_path), "qwen")], limits)
    found = problems(pool, limits=limits)
    assert [(each.finding, each.document.relative_path) for each in found] == [
        ("not-managed", "3.md")
    ]


# -- the other documents --------------------------------------------------------------------------


def test_duplicate_titles_are_folded() -> None:
    pool = make_pool(
        strict("a.md", title="Ｄeploy Rules"),
        strict("b.md", title="deploy rules", scope=Scope.USER),
        strict("c.md", title="other"),
    )
    found = problems(pool, "duplicate-title")
    assert [each.document.relative_path for each in found] == ["a.md", "b.md"]
    assert "b.md (user scope)" in found[0].detail


def test_many_namesakes_are_counted() -> None:
    pool = make_pool(*(strict(f"{number}.md", body=str(number) * 9) for number in range(50)))
    found = problems(pool, "duplicate-title")
    assert len(found) == 50
    assert "1.md, 2.md, 3.md and 46 more" in found[0].detail


WORDS = [f"word{number}" for number in range(400)]


def changed(text: str, share: float, chance: random.Random) -> str:
    words = text.split()
    for at in chance.sample(range(len(words)), int(len(words) * share)):
        words[at] = chance.choice(WORDS)
    return " ".join(words)


def test_near_duplicates_name_each_other_and_how_alike_they_are() -> None:
    chance = random.Random(7)
    body = " ".join(chance.choices(WORDS, k=120))
    pool = make_pool(
        strict("a.md", title="a", body=body),
        strict("b.md", title="b", body=" ".join(chance.choices(WORDS, k=120))),
        strict("c.md", title="c", body=changed(body, 0.03, chance)),
    )
    found = problems(pool, "near-duplicate")
    assert [each.document.relative_path for each in found] == ["a.md", "c.md"]
    assert re.match(r"9\d % of its words are those of c.md", found[0].detail)


def test_equal_texts_are_near_duplicates_and_empty_ones_are_not() -> None:
    pool = make_pool(strict("a.md", body="same"), strict("b.md", body="same"))
    assert "100 %" in problems(pool, "near-duplicate")[0].detail
    empty = [strict(f"{name}.md", title="", description="", body="") for name in "ab"]
    assert problems(make_pool(*empty), "near-duplicate") == []


def test_text_beyond_the_window_is_not_compared() -> None:
    one = strict("a.md", body="x " * 600 + "end of one")
    other = strict("b.md", body="x " * 600 + "quite another end")
    assert len(problems(make_pool(one, other), "near-duplicate")) == 2


def test_chinese_characters_are_words() -> None:
    assert words_of("部署前先问 the 负责人, 你好") == [
        *"部署前先问", "the", *"负责人", ",", *"你好",
    ]  # fmt: skip
    text = "部署前先询问技术负责人并且记录每一次变更的原因和时间以便日后查找"
    pool = make_pool(strict("a.md", body=text), strict("b.md", body=text.replace("日后", "今后")))
    assert len(problems(pool, "near-duplicate")) == 2


def brute_force(documents: list[Document]) -> set[int]:
    words = [words_of(compared_text(each, LIMITS)) for each in documents]
    return {
        one
        for one, text in enumerate(words)
        if text
        and any(
            one != other and fuzz.ratio(text, words[other]) >= SIMILARITY
            for other in range(len(words))
        )
    }


@pytest.mark.parametrize("seed", range(30))
def test_near_duplicates_are_those_that_comparing_all_pairs_finds(seed: int) -> None:
    chance = random.Random(seed)
    bodies = [" ".join(chance.choices(WORDS, k=chance.randint(10, 150))) for _ in range(25)]
    bodies += [
        changed(chance.choice(bodies), chance.choice((0, 0.02, 0.05)), chance) for _ in "12345"
    ]
    documents = [strict(f"{number}.md", body=body) for number, body in enumerate(bodies)]
    assert set(near_duplicates(documents, LIMITS)) == brute_force(documents)


def test_ten_thousand_copies_cost_no_more_than_ten_thousand_memories() -> None:
    body = " ".join(WORDS[:80])
    documents = [strict(f"{number}.md", body=f"{body} {number}") for number in range(10_000)]
    began = time.process_time()
    assert len(near_duplicates(documents, LIMITS)) == 10_000
    assert time.process_time() - began < 20


# -- wikilinks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        "[[deploy-rules]]",
        "[[Deploy-Rules]]",
        "[[deploy-rules.md]]",
        "[[notes/deploy-rules]]",
        "[[Notes/Deploy-Rules.md]]",
        "[[./deploy-rules]]",
        "[[../notes/deploy-rules]]",
        "[[How we deploy]]",
        "[[how we DEPLOY]]",
        "[[slug-of-it]]",
        "[[deploy-rules|the rules]]",
        "[[deploy-rules\\|the rules]]",
        "[[deploy-rules#Friday]]",
        "[[deploy-rules#Friday|the rules]]",
        "![[deploy-rules]]",
        "[[skipped]]",
        "[[#here]]",
        "[[C# notes]]",
        "[[https://example.com/a]]",
        "`[[nowhere]]`",
        "``a ` [[nowhere]]``",
        "`a\n[[nowhere]]`",
        "```\n[[nowhere]]\n```",
        "  - ~~~sh\n[[nowhere]]",
        "~~~ `x`\n[[nowhere]]\n```\n[[nowhere]]\n~~~~",
        "[nowhere]",
        "[[]]",
        "[[no\nwhere]]",
    ],
)
def test_a_wikilink_that_resolves_or_is_none(link: str) -> None:
    if "- ~~~" in link:
        link = link.replace("  - ", "    ")
    pool = Pool(
        documents=(
            strict("notes/a.md", title="a", body=f"see {link}" if "\n" not in link else link),
            strict(
                "notes/deploy-rules.md",
                title="slug-of-it",
                frontmatter="name: slug-of-it\ntitle: 'How we deploy'\ntype: user",
            ),
            strict("c.md", title="C# notes"),
        ),
        skipped=(
            SkippedFile("/memory/skipped.md", Scope.PROJECT, "skipped.md", "too-large", "", ""),
        ),
    )
    assert problems(pool, "broken-wikilink") == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("[[nowhere]]", "[[nowhere]] leads to no file"),
        ("[[nowhere]] [[nowhere]] and [[gone|b]]", "[[nowhere]] and [[gone|b]] lead to no file"),
        ("[[../a]]", "[[../a]] leads to no file"),
        ("\\`[[nowhere]]`", "[[nowhere]] leads to no file"),
        ("a ` b\n\n[[nowhere]] `", "[[nowhere]] leads to no file"),
        ("```\ncode\n```\n[[nowhere]]", "[[nowhere]] leads to no file"),
    ],
)
def test_a_broken_wikilink_is_told(body: str, told: str) -> None:
    (found,) = problems(make_pool(strict("a.md", body=body)))
    assert (found.finding, found.detail) == ("broken-wikilink", told)


@given(st.text(st.sampled_from("`~[]|#a \n\\()<>\"'"), max_size=80))
def test_code_is_replaced_without_moving_anything(text: str) -> None:
    shown = without_code(text)
    assert len(shown) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, shown, strict=True))
    assert [at for at, each in enumerate(text) if each == "\n"] == [
        at for at, each in enumerate(shown) if each == "\n"
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "[[",
        "[a](",
        "[a](b[a](",
        "`",
        "``` ` ",
        "[",
        "[a](()",
        "[x [b] ",
        "~~~",
        "<!--",
        "[[a|",
        "\\[",
        "[\\]",
        "[\\[",
        "[[b]",
        "[a](x '",
        "[a]( ",
        "[a](<",
    ],
)
def test_a_megabyte_of_one_piece_takes_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    began = time.process_time()
    list(markdown_links(without_code(text)))
    list(markdown_links(text + " " + text[::-1]))
    problems(make_pool(strict("a.md", body=f"[[x]] {text}")))
    assert time.process_time() - began < 10


# -- the whole list -------------------------------------------------------------------------------


def test_findings_are_worst_first_and_then_in_pool_order(tmp_path: Path) -> None:
    pool = of_files(
        tmp_path,
        {
            "a.md": "note [[gone]]\n",
            "b.md": "---\nname: b\ndescription: x: y\n---\nnote [[gone]]\n",
            "c.md": "---\nname: b\ntype: user\n---\n\x1b[0m\n",
        },
    )
    found = [(each.finding, each.document.relative_path) for each in problems(pool)]
    assert found == [
        ("yaml-invalid", "b.md"),
        ("control-characters", "c.md"),
        ("type-differs", "a.md"),
        ("type-differs", "b.md"),
        ("description-missing", "a.md"),
        ("description-missing", "c.md"),
        ("duplicate-title", "b.md"),
        ("duplicate-title", "c.md"),
        ("broken-wikilink", "a.md"),
        ("broken-wikilink", "b.md"),
    ]
    order = list(FINDINGS)
    assert [order.index(each.finding) for each in problems(pool)] == sorted(
        order.index(each.finding) for each in problems(pool)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=120), max_size=4))
def test_any_bytes_give_findings_and_no_error(contents: list[bytes]) -> None:
    sources = [b"---\nname: a\n" + each + b"\n---\n" + each for each in contents]
    texts = [each.decode("utf-8", "replace") for each in sources]
    read = [each for each in map(claude_document, texts) if each is not None]
    documents = [
        make_document(
            f"{number}.md",
            **{
                name: getattr(each, name)
                for name in (
                    "type",
                    "title",
                    "description",
                    "body",
                    "frontmatter",
                    "flags",
                    "dialect",
                )
            },
        )
        for number, each in enumerate(read)
    ]
    found = find_problems(make_pool(*documents), LIMITS)
    assert found == find_problems(make_pool(*documents), LIMITS)
    assert len({(each.document.id, each.finding) for each in found}) == len(found)
