"""The misses that people report, each as somebody would tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.memory.document import Document, Scope
from memtui.recall.compare import compare, preset_options
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.why.explain import Why
from memtui.recall.why.target import AmbiguousDocument, find_target
from tests.helpers import DAY_MS, NOW_MS, write_file, write_memory
from tests.recall.why_trees import Tree, first, lost, reason_of


def kinds_to_context(why: Why) -> set[str]:
    """Kinds of the single changes that bring it all the way back."""
    return {
        each.changes[0].kind
        for each in why.remedies
        if each.leads_to == "context" and len(each.changes) == 1
    }


def near(why: Why) -> set[tuple[str, str, str]]:
    """Near misses as token, word and kind."""
    return {(each.token, each.word, each.kind) for each in why.near_misses}


# -- the file -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("metadata:\n  type: feedback", "type-nested"),
        ('type: "feedback"', "type-unknown"),
        ("type: 'feedback'", "type-unknown"),
        ("type: feedback # how we work", "type-unknown"),
        ("type : feedback", "type-missing"),
        ("Type: feedback", "type-missing"),
    ],
)
def test_a_type_written_as_yaml_allows_hides_the_file_from_the_strict_reader(
    block: str, reason: str, tmp_path: Path
) -> None:
    write_file(tmp_path, "feedback/a.md", f"---\nname: zebra\n{block}\n---\n\nbody\n".encode())
    why = Tree.at(tmp_path).why("zebra", "a.md")
    assert reason_of(why) == ("scan", reason)
    assert (first(why).name, first(why).value) == ("type", "feedback")
    assert why.remedies[0].leads_to == "context"
    assert Tree.at(tmp_path, "claude").why("zebra", "a.md").recalled


def test_a_byte_order_mark_hides_the_file_from_the_strict_reader(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"\xef\xbb\xbf---\nname: zebra\ntype: user\n---\n\nbody\n")
    why = Tree.at(tmp_path).why("zebra", "a.md")
    assert reason_of(why) == ("scan", "byte-order-mark")
    assert first(why).value == "---\nname: zebra\ntype: user\n---\n\nbody\n"
    assert Tree.at(tmp_path, "claude").why("zebra", "a.md").recalled


BY_HAND = {
    "mark": (
        b"\xef\xbb\xbf---\nname: zebra\ntype: user\n---\n\nbody\n",
        "save it as UTF-8 without the byte-order mark",
    ),
    "opening": (b"name: zebra\r\ntype: user\r\n---\r\nbody\r\n", "put “---” above line 1"),
    "closing": (b"---\nname: zebra\ntype: user\n\nbody\n", "put “---” above line 4"),
    "none": (b"# zebra\n", "put “---”, “type: project”, “---” above line 1"),
    "long-fence": (
        b"-----\nname: zebra\ntype: user\n---\n\nx\n",
        "cut line 1 to the first 3 characters",
    ),
    "nested": (
        b"---\nname: zebra\nmetadata:\n  type: user\n---\n\nbody\n",
        "write “type: user” in column 0 of the frontmatter",
    ),
    "unknown": (
        b"---\nname: zebra\ntype: note\n---\n\nbody\n",
        "write “type: project” in column 0 of the frontmatter",
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_repair_says_in_words_what_to_do_by_hand(name: str, tmp_path: Path) -> None:
    content, said = BY_HAND[name]
    write_file(tmp_path, "a.md", content)
    assert [each.detail for each in Tree.at(tmp_path).why("zebra", "a.md").remedies] == [said]


def test_a_repair_of_several_kinds_says_each(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"\xef\xbb\xbf---\nname: zebra\ntype: user\n\nbody\n")
    said = Tree.at(tmp_path).why("zebra", "a.md").remedies[0].detail
    assert said == "save it as UTF-8 without the byte-order mark; put “---” above line 4"


def test_a_missing_first_fence_is_put_back_and_the_fields_are_kept(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"name: zebra\ndescription: lion\ntype: user\n---\nbody\n")
    why = Tree.at(tmp_path).why("zebra", "a.md")
    assert first(why).value == "---\nname: zebra\ndescription: lion\ntype: user\n---\nbody\n"


def test_a_heading_that_is_underlined_is_no_lost_frontmatter(tmp_path: Path) -> None:
    write_file(tmp_path, "a.md", b"zebra: a tale\n---\nbody\n")
    why = Tree.at(tmp_path).why("zebra", "a.md")
    assert first(why).value == "---\ntype: project\n---\n\nzebra: a tale\n---\nbody\n"


def test_a_shorter_body_says_where_it_is_cut(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="zebra", body="x " * 500)
    why = Tree.at(tmp_path, limits={"context_chars": 700}).why("zebra", "a.md")
    said = next(e.detail for e in why.remedies if e.changes[0].kind == "content")
    assert said.startswith("cut line ")
    assert said.endswith(" characters")


@pytest.mark.parametrize("dialect", ["qwen", "claude"])
def test_an_unquoted_colon_costs_nothing(dialect: str, tmp_path: Path) -> None:
    content = b"---\nname: deploys\ndescription: zebra: how we deploy\ntype: project\n---\n\nx\n"
    write_file(tmp_path, "a.md", content)
    assert Tree.at(tmp_path, dialect).why("zebra", "a.md").recalled


def test_the_newest_two_hundred_are_all_that_the_design_before_knew(tmp_path: Path) -> None:
    for number in range(205):
        write_memory(tmp_path, f"f{number:03}.md", mtime_ms=NOW_MS - number * 1_000)
    write_memory(tmp_path, "old.md", title="zebra", mtime_ms=NOW_MS - 99 * DAY_MS)
    tree = Tree.at(tmp_path)
    pool = tree.pool()
    before = recall("zebra", pool, preset_options(tree.options, "capped"))
    difference = compare(before, tree.ask("zebra", pool))
    assert [each.relative_path for each in difference.gained] == ["old.md"]
    assert before.manifest.lines == 200
    why = Tree.at(tmp_path, ablations={"scan": "capped"}).why("zebra", "old.md")
    assert reason_of(why) == ("scan", "beyond-capped-scan")
    assert "200" in lost(why).detail
    assert (first(why).name, first(why).value) == ("capped_scan_docs", 206)


# -- the words ------------------------------------------------------------------------------------


def missed(tmp_path: Path, query: str, **fields: str) -> Why:
    """Why a memory with these fields is not found, among others that have nothing of it."""
    write_memory(tmp_path, "a.md", **fields, mtime_ms=NOW_MS - DAY_MS)
    write_memory(tmp_path, "other.md", title="something else")
    why = Tree.at(tmp_path).why(query, "a.md")
    assert reason_of(why) == ("selection", "no-lexical-hit")
    return why


def test_another_form_of_the_word(tmp_path: Path) -> None:
    why = missed(tmp_path, "deployments", title="how we deploy")
    assert ("deployments", "deploy", "stem") in near(why)
    assert kinds_to_context(why) == {"query", "frontmatter"}
    assert "ask “deployments deploy”" in [each.detail for each in why.remedies]


def test_the_shorter_form_finds_the_longer_word(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="our deployments")
    assert Tree.at(tmp_path).why("deploy", "a.md").recalled


@pytest.mark.parametrize(
    ("query", "title", "miss"),
    [
        ("fetchpage", "call fetch_page twice", ("fetchpage", "fetch page", "split")),
        ("fetchpage", "call fetch-page twice", ("fetchpage", "fetch page", "split")),
        ("fetch page", "call fetchPage", None),
        ("pagefetcher page", "call fetchPage", None),
        ("depolyment", "the deployment", ("depolyment", "deployment", "misspelling")),
        ("Züricher", "the zuricher office", ("züricher", "zuricher", "script")),
    ],
)
def test_a_name_that_is_written_otherwise(
    query: str, title: str, miss: tuple[str, str, str] | None, tmp_path: Path
) -> None:
    if miss is None:
        write_memory(tmp_path, "a.md", title=title)
        assert Tree.at(tmp_path).why(query, "a.md").recalled
        return
    why = missed(tmp_path, query, title=title)
    assert miss in near(why)
    assert kinds_to_context(why) == {"query", "frontmatter"}


def test_two_words_too_short_alone_that_the_memory_writes_as_one(tmp_path: Path) -> None:
    why = missed(tmp_path, "CI CD", title="the CICD pipeline")
    assert ("ci cd", "cicd", "joined") in near(why)
    assert first(why).value == "CI CD cicd"


@pytest.mark.parametrize(("query", "title"), [("CI", "CI is slow"), ("db", "the db is full")])
def test_a_word_of_two_letters_is_no_token(query: str, title: str, tmp_path: Path) -> None:
    why = missed(tmp_path, query, title=title)
    rank = next(rung for rung in why.ladder if rung.stage == "rank")
    assert rank.reason == "query-has-no-token"
    assert (query.lower(), query.lower(), "too-short") in near(why)
    assert kinds_to_context(why) == {"query"}


def test_a_single_cjk_character_is_no_token(tmp_path: Path) -> None:
    why = missed(tmp_path, "部", title="部署窗口")
    rank = next(rung for rung in why.ladder if rung.stage == "rank")
    assert rank.reason == "query-has-no-token"
    assert ("部", "部署窗口", "too-short") in near(why) or ("部", "部", "too-short") in near(why)
    assert first(why).value in ("部 部署", "部 署窗", "部 窗口")


def test_a_fact_after_the_scored_part_of_the_body(tmp_path: Path) -> None:
    body = "x " * 700 + "zebra"
    why = missed(tmp_path, "zebra", title="long", body=body)
    rank = next(rung for rung in why.ladder if rung.stage == "rank")
    assert rank.reason == "match-beyond-window"
    assert rank.margin == len(body) - 1_200
    wider = next(each for each in why.remedies if each.changes[0].name == "body_window_chars")
    assert wider.changes[0].value == len(body)
    assert wider.leads_to == "context"


def test_no_word_in_common(tmp_path: Path) -> None:
    why = missed(tmp_path, "roll back the release", title="undo a bad ship", body="revert it")
    assert why.near_misses == ()
    assert kinds_to_context(why) == {"query", "frontmatter"}


def test_a_tool_in_use_mutes_what_documents_it(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", title="search_issues", body="tool usage: pass a query")
    tree = Tree.at(tmp_path, recent_tools=("mcp__tracker__search_issues",))
    why = tree.why("search_issues usage", "a.md")
    assert reason_of(why) == ("tools", "tool-noise")
    assert why.remedies[0].detail == ("recall when mcp__tracker__search_issues is not in use")
    assert why.remedies[0].leads_to == "context"


# -- the manifest ---------------------------------------------------------------------------------


def test_a_description_that_makes_its_line_too_long(tmp_path: Path) -> None:
    write_memory(tmp_path, "a.md", description="short", mtime_ms=NOW_MS - 1)
    write_memory(tmp_path, "b.md", description="long words " * 40, mtime_ms=NOW_MS - 2)
    why = Tree.at(tmp_path, limits={"manifest_bytes": 400}).why("zebra", "b.md")
    assert reason_of(why) == ("manifest", "line-does-not-fit")
    assert first(why).name == "manifest_bytes"
    shorter = [each for each in why.remedies if each.detail.startswith("cut description to")]
    assert [each.leads_to for each in shorter] == ["manifest"]


def test_a_manifest_that_other_long_lines_fill(tmp_path: Path) -> None:
    for number in range(6):
        age = NOW_MS - number * DAY_MS
        write_memory(tmp_path, f"{number}.md", description="long words " * 30, mtime_ms=age)
    write_memory(tmp_path, "last.md", description="zebra words", mtime_ms=NOW_MS - 9 * DAY_MS)
    lines = [each.bytes for each in Tree.at(tmp_path).ask("giraffe").manifest.verdicts]
    tree = Tree.at(tmp_path, limits={"manifest_bytes": sum(lines[:3]) + lines[-1]})
    result = tree.ask("giraffe")
    unpacked = [each.document for each in result.manifest.verdicts if not each.packed]
    assert "last.md" not in [each.relative_path for each in unpacked], "a short line still fits"
    why = tree.why("giraffe", unpacked[-1].relative_path)
    assert reason_of(why) == ("manifest", "line-does-not-fit")
    assert first(why).kind == "limit"


# -- the name -------------------------------------------------------------------------------------


def two_scopes(tmp_path: Path) -> Tree:
    """A role in each scope."""
    roots = {Scope.PROJECT: tmp_path / "p", Scope.USER: tmp_path / "u"}
    for root in roots.values():
        write_memory(root, "role.md", title=f"role in {root.name}")
    return Tree(roots, "qwen", RecallOptions(now_ms=NOW_MS))


def test_one_file_name_in_two_scopes_is_ambiguous_and_names_both(tmp_path: Path) -> None:
    pool = two_scopes(tmp_path).pool()
    for name in ("role.md", "role"):
        with pytest.raises(AmbiguousDocument) as caught:
            find_target(pool, name, folder="/")
        assert caught.value.matches == (str(tmp_path / "p/role.md"), str(tmp_path / "u/role.md"))


def test_the_scope_before_the_name_tells_them_apart(tmp_path: Path) -> None:
    pool = two_scopes(tmp_path).pool()
    for name, scope in (("user/role.md", Scope.USER), ("project/role.md", Scope.PROJECT)):
        found = find_target(pool, name, folder="/")
        assert isinstance(found, Document)
        assert found.scope is scope
        assert find_target(pool, found.id) is found
        assert find_target(pool, found.path) is found


def test_a_folder_named_as_a_scope_is_not_taken_for_it_in_silence(tmp_path: Path) -> None:
    tree = two_scopes(tmp_path)
    write_memory(tmp_path / "p", "user/role.md", title="role in a folder")
    pool = tree.pool()
    with pytest.raises(AmbiguousDocument) as caught:
        find_target(pool, "user/role.md", folder="/")
    assert set(caught.value.matches) == {
        str(tmp_path / "p/user/role.md"),
        str(tmp_path / "u/role.md"),
    }
    found = find_target(pool, "project/user/role.md", folder="/")
    assert isinstance(found, Document)
    assert found.title == "role in a folder"
    (tmp_path / "u/role.md").unlink()
    alone = find_target(tree.pool(), "user/role.md", folder="/")
    assert isinstance(alone, Document)
    assert alone.title == "role in a folder"


def test_a_path_from_the_working_directory_comes_before_a_name(tmp_path: Path) -> None:
    pool = two_scopes(tmp_path).pool()
    found = find_target(pool, "role.md", folder=str(tmp_path / "u"))
    assert isinstance(found, Document)
    assert found.scope is Scope.USER


def test_a_store_that_is_a_link_is_found_by_its_physical_path(tmp_path: Path) -> None:
    physical = tmp_path / "disk" / "memory"
    write_memory(physical, "notes/a.md", title="zebra")
    write_file(physical, "MEMORY.md", b"# index\n")
    (physical / "alias.md").symlink_to(physical / "notes/a.md")
    (tmp_path / "link").symlink_to(physical)
    (tmp_path / "other").symlink_to(tmp_path / "disk")
    pool = Tree.at(tmp_path / "link").pool()
    for name in (
        physical / "notes/a.md",
        tmp_path / "link/notes/a.md",
        tmp_path / "other/memory/notes/a.md",
    ):
        found = find_target(pool, str(name))
        assert isinstance(found, Document), name
        assert found.relative_path == "notes/a.md"
        assert found.path.startswith(str(tmp_path / "link"))
    alias = find_target(pool, str(physical / "alias.md"))
    assert isinstance(alias, Document)
    assert alias.relative_path == "alias.md"
    why = Tree.at(tmp_path / "link").why("zebra", str(physical / "MEMORY.md"))
    assert reason_of(why) == ("found", "index-file")
    why = Tree.at(tmp_path / "link").why("zebra", str(physical / "no.md"))
    assert reason_of(why) == ("found", "no-such-file")
