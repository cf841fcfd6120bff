from memtui.limits import Limits
from memtui.tui.view.inspection import SHOWN_CHARS, inspect
from memtui.tui.view.pieces import text_of
from tests.tui.driving import document, pool_of
from tests.tui.test_view import view_of


def text(view: object, name: str) -> str:
    key = next(key for key, entry in view.catalogue.entries.items() if entry.relative_path == name)
    return "\n".join(text_of(line) for line in inspect(view, key))


def test_the_score_is_broken_down_by_token_and_field() -> None:
    shown = text(view_of(), "rollback.md")
    row = next(line for line in shown.splitlines() if line.startswith("release "))
    assert row.split() == ["release", "4", "3", "·", "1", "8"]
    assert "total" in shown


def test_the_end_of_the_scored_window_is_marked() -> None:
    shown = text(view_of(), "rollback.md")
    before, _, after = shown.partition("── scored up to here (1,200 chars) ──")
    assert "We roll back" in before
    assert "Roll it forward" in after


def test_matches_beyond_the_window_are_not_marked() -> None:
    view = view_of()
    key = next(each.id for each in view.scanned.documents if each.relative_path == "rollback.md")
    lines = inspect(view, key)
    place = next(index for index, line in enumerate(lines) if "scored up to" in text_of(line))
    assert any(piece.tone == "match" for line in lines[:place] for piece in line)
    assert not any(piece.tone == "match" for line in lines[place:] for piece in line)


def test_a_skipped_file_shows_reason_detail_and_remedy() -> None:
    shown = text(view_of(), "broken.md")
    assert "type-missing" in shown
    assert "the frontmatter has no type" in shown
    assert "add a line: type: project" in shown


def test_noise_names_the_tool_and_the_marker() -> None:
    shown = text(view_of(recent_tools=("fetch_page",)), "fetch.md")
    assert "fetch_page" in shown
    assert "parameter schema" in shown or "tool usage" in shown


def test_a_line_that_did_not_fit_shows_its_numbers() -> None:
    view = view_of(limits=Limits(manifest_bytes=1_000))
    missed = next(verdict for verdict in view.recall.manifest.verdicts if not verdict.packed)
    shown = text(view, missed.document.relative_path)
    assert f"needs {missed.bytes:,} B and {missed.bytes_left:,} were left" in shown


def test_every_fate_has_something_to_say() -> None:
    limits = Limits(candidate_docs=10, recent_reserve=4, manifest_bytes=900, context_chars=800)
    view = view_of(limits=limits, recent_tools=("fetch_page",))
    for key in view.catalogue.entries:
        assert inspect(view, key)


def test_a_huge_body_is_cut_and_says_so() -> None:
    view = view_of(pool=pool_of(document("big.md", "Big", body="release " * 200_000)))
    shown = text(view, "big.md")
    assert len(shown) < SHOWN_CHARS + 2_000
    assert "more characters: e opens the file in an editor" in shown
