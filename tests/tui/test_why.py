"""The ladder, the remedies as they are found, and the what-if that one of them becomes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from memtui.limits import Limits
from memtui.recall.why.changes import REACHES, Change, reach_of
from memtui.recall.why.remedies import Remedy
from memtui.tui.commands import Fact, Place
from memtui.tui.view.fates import Fate
from memtui.tui.view.pinned import key_of_path
from memtui.tui.widgets.inspector import Face
from tests.tui.driving import (
    DAY_MS,
    NOW_MS,
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
    skipped,
    small_pool,
    type_query,
)
from tests.tui.release_tree import note, release_tree, tree_app, write_tree

WIDE, MIDDLE, NARROW, SMALL = (160, 45), (120, 40), (80, 24), (60, 15)
STAGES = ("found", "scan", "tools", "rank", "candidates", "manifest", "selection", "context")


async def highlight(pilot: Pilot[Any], path: str) -> None:
    """Opens the ladder of the file that ends with a path."""
    screen = board(pilot)
    entries = screen.view.catalogue.entries.values()
    full = next(each.path for each in entries if each.path.endswith(path))
    screen.look_into(key_of_path(screen.view, full))
    await settle(pilot)


def inspected(pilot: Pilot[Any]) -> str:
    """The inspector as drawn, whether or not it is scrolled into sight."""
    return board(pilot).inspector.text.plain


# The ladder


@pytest.mark.parametrize("size", [WIDE, MIDDLE])
def test_the_ladder_is_the_first_face_where_there_is_room(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        assert screen.inspector.face is Face.WHY
        assert screen.inspector.found.recalled
        text = screen_text(pilot.app)
        assert "Release rollback runbook · why" in text
        assert "recalled: 1st of 3 in the context" in text

    drive(make_app(), script, size=size)


@pytest.mark.parametrize("size", [NARROW, SMALL, (40, 12)])
def test_it_is_a_pane_of_its_own_where_it_is_narrow(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "j", "j", "j", "w")
        await settle(pilot)
        screen = board(pilot)
        assert screen.current == "inspector"
        assert screen.context.place is Place.WHY
        text = screen_text(pilot.app).replace("\xa0", " ")
        assert "✗ selection" in text
        assert "no-lexical-hit" in text
        assert all(cell_len(row) == size[0] for row in text.splitlines())
        await pilot.press("escape")
        assert screen.current == "pool"

    drive(make_app(), script, size=size)


def test_every_stage_is_named_with_its_mark() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "j", "j", "j", "w")
        await settle(pilot)
        text = inspected(pilot)
        for stage in STAGES:
            assert stage in text
        assert "✓ manifest" in text
        assert "~ rank        no-match" in text
        assert "✗ selection   no-lexical-hit" in text
        assert "· context" in text

    drive(make_app(), script, size=WIDE)


def test_w_shows_the_memory_itself_and_back() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "w")
        assert board(pilot).inspector.face is Face.WHY
        await pilot.press("w")
        await settle(pilot)
        assert board(pilot).inspector.face is Face.MEMORY
        assert board(pilot).context.place is Place.INSPECTOR
        assert "frontmatter as written" in inspected(pilot)
        await pilot.press("w")
        await settle(pilot)
        assert board(pilot).inspector.face is Face.WHY
        await pilot.press("escape", "enter")
        await settle(pilot)
        assert board(pilot).inspector.face is Face.MEMORY

    drive(make_app(), script, size=WIDE)


def test_a_recalled_memory_says_by_what_it_stayed() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "/release-0.md")
        text = inspected(pilot)
        assert "✓ recalled: 1st of 5 in the context, and stayed by" in text
        assert "its age alone over the first hit not picked" in " ".join(text.split())
        assert "What would bring it back" not in text

    drive_tree(script)


def test_nothing_is_cut_where_there_is_room() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await highlight(pilot, "/undo.md")
        assert "…" not in inspected(pilot)
        assert "the fallback picks lexical hits only" in " ".join(inspected(pilot).split())
        await highlight(pilot, "/release-0.md")
        assert "…" not in inspected(pilot)
        assert "1st of 5, at most 5;" in " ".join(inspected(pilot).split())

    drive_tree(script, size=(120, 100))


def drive_tree(script: Any, size: tuple[int, int] = WIDE, **options: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        release_tree(root)
        before = {path: path.read_bytes() for path in root.rglob("*.md")}
        drive(tree_app(root, "roll back a release", **options), script, size=size)
        assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


# Remedies


@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW, SMALL])
def test_a_remedy_is_tried_and_taken_back(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        path = screen._path
        found = screen.inspector.found
        assert not found.searching
        assert found.remedies
        lost = screen.view
        await pilot.press("enter")
        await settle(pilot)
        assert len(screen.what_ifs) == 1
        assert screen.view is not lost
        key = key_of_path(screen.view, path)
        assert screen.highlighted == key
        assert screen.view.fate_of[key] is Fate.SELECTED
        rows = screen_text(pilot.app).splitlines()
        said = next(row for row in rows if "what-if" in row)
        assert "→ context" in said
        assert "u takes it back" in said
        assert Fact.WHAT_IF in screen.context.facts
        assert "u take back" in rows[-1]
        await pilot.press("u")
        await settle(pilot)
        assert screen.what_ifs == ()
        assert screen.view.fate_of[key_of_path(screen.view, path)] is Fate.PACKED
        assert "what-if" not in screen_text(pilot.app)
        assert screen.options == screen.setup.options
        assert screen.query_bar.input.value == "roll back a release"

    drive_tree(script, size=size)


def test_every_remedy_leads_where_it_says() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        for name in ("/undo.md", "/nested.md", "/release-5.md"):
            await highlight(pilot, name)
            remedies = screen.inspector.found.remedies
            assert remedies
            for number, remedy in enumerate(remedies, start=1):
                await pilot.press(str(number))
                await settle(pilot)
                assert screen.what_ifs[-1].detail == remedy.detail
                shown = screen.view.catalogue.entries[screen.highlighted]
                assert shown.path.endswith(name)
                assert REACHES[reach_of(screen.view.recall, shown)] == remedy.leads_to
                await pilot.press("u")
                await settle(pilot)
                assert screen.inspector.found.remedies == remedies

    drive_tree(script)


def test_a_skipped_file_gets_a_ladder_and_becomes_a_document() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/nested.md")
        assert "✗ lost at scan" in inspected(pilot)
        assert "type-nested" in inspected(pilot)
        key = screen.highlighted
        assert screen.view.fate_of[key] is Fate.SKIPPED
        await pilot.press("1")
        await settle(pilot)
        assert screen.highlighted != key
        assert screen.view.fate_of[screen.highlighted] is not Fate.SKIPPED
        assert screen.view.counts[Fate.SKIPPED] == 0
        await pilot.press("u")
        await settle(pilot)
        assert screen.highlighted == key
        assert screen.view.counts[Fate.SKIPPED] == 1

    drive_tree(script)


def test_a_limit_and_the_tools_follow_the_remedy_and_come_back() -> None:
    remedies = {
        "limit": (Change("limit", "selected_docs", 6),),
        "tools": (Change("tools", remove=("fetch_page",)),),
        "both": (Change("limit", "manifest_bytes", 9_000), Change("query", value="deploy undoing")),
    }

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        before = screen.options
        for changes in remedies.values():
            remedy = Remedy(changes, "context", "as the test says", False)
            screen.searches.apply(screen.inspector.found, remedy, screen.asked)
            await settle(pilot)
            await pilot.press("w") if screen.inspector.face is Face.MEMORY else None
            for change in changes:
                if change.kind == "limit":
                    assert getattr(screen.options.limits, change.name) == change.value
                    assert f"! {change.name}" in screen_text(pilot.app).splitlines()[0]
                elif change.kind == "tools":
                    assert screen.options.recent_tools == ()
                else:
                    assert screen.query_bar.input.value == change.value
            screen.action_take_back()
            await settle(pilot)
            assert screen.options == before
            assert screen.query_bar.input.value == "roll back a release"

    drive_tree(script, recent_tools=("fetch_page",))


def test_what_is_changed_by_hand_stays_when_a_what_if_is_taken_back() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        changes = (Change("limit", "selected_docs", 7),)
        remedy = Remedy(changes, "context", "more", False)
        screen.searches.apply(screen.inspector.found, remedy, screen.asked)
        await settle(pilot)
        await type_query(pilot, "undoing")
        limits = screen.options.limits.with_values({"context_chars": 5_000})
        from dataclasses import replace

        screen.take_options(replace(screen.options, limits=limits))
        await settle(pilot)
        screen.action_take_back()
        await settle(pilot)
        assert screen.options.limits == Limits(context_chars=5_000)
        assert screen.query_bar.input.value == "undoing"

    drive_tree(script)


def test_a_what_if_of_which_nothing_is_left_is_forgotten() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        remedy = Remedy((Change("query", value="undoing"),), "context", "ask it", False)
        screen.searches.apply(screen.inspector.found, remedy, screen.asked)
        await settle(pilot)
        assert "what-if" in screen_text(pilot.app)
        await type_query(pilot, "something else")
        assert screen.what_ifs == ()
        assert "what-if" not in screen_text(pilot.app)

    drive_tree(script)


def test_what_ifs_are_stacked_and_taken_back_one_by_one() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        for changes in ((Change("touch"),), (Change("frontmatter", "name", "Release undo"),)):
            remedy = Remedy(changes, "context", changes[0].kind, False)
            screen.searches.apply(screen.inspector.found, remedy, screen.asked)
            await settle(pilot)
        entry = screen.view.entry(screen.highlighted)
        assert (entry.title, entry.mtime_ms) == ("Release undo", NOW_MS)
        assert "+ 1 more" in screen_text(pilot.app)
        screen.action_take_back()
        await settle(pilot)
        entry = screen.view.entry(screen.highlighted)
        assert (entry.title, entry.mtime_ms) == ("Undoing a deploy", NOW_MS)
        screen.action_take_back()
        await settle(pilot)
        assert screen.view.entry(screen.highlighted).mtime_ms < NOW_MS
        assert screen.view.scanned is screen.recalls._recaller._pool

    drive_tree(script)


# While it looks


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """A search that finds one remedy, and then waits."""
    go_on = Event()
    remedy = Remedy((Change("touch"),), "manifest", "save it again", True)

    def slow(_result: Any, _target: Any, read_file: Any) -> Iterator[Remedy]:
        yield remedy
        go_on.wait(timeout=20)
        yield Remedy((Change("limit", "selected_docs", 9),), "context", "more of them", False)

    monkeypatch.setattr("memtui.tui.searches.find_remedies", slow)
    yield go_on
    go_on.set()


async def until(pilot: Pilot[Any], holds: Any) -> None:
    for _ in range(400):
        await pilot.pause(0.01)
        if holds():
            return
    raise AssertionError("it never came to that")


def test_remedies_follow_as_they_are_found(held: Event) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        screen.look_into(screen.view.by_fate[3])
        await until(pilot, lambda: screen.inspector.why.remedies)
        text = inspected(pilot)
        assert "✗ selection" in text
        assert "looking…" in text
        assert "1 save it again → manifest" in text
        held.set()
        await settle(pilot)
        text = inspected(pilot)
        assert "looking…" not in text
        assert "2 more of them → context" in text

    drive(make_app(), script, size=NARROW)


def test_a_newer_query_ends_the_search_and_its_findings_are_not_shown(held: Event) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        screen.look_into(screen.view.by_fate[3])
        await until(pilot, lambda: screen.inspector.why.remedies)
        old = screen.inspector.found
        before = screen.view
        screen.query_bar.input.value = "release"
        await until(pilot, lambda: screen.view is not before)
        held.set()
        await settle(pilot)
        screen.inspector.tell(old.with_more(searching=False))
        assert screen.inspector.found.view is screen.view

    drive(make_app(), script, size=NARROW)


def test_the_marked_remedy_stays_marked_when_a_better_one_is_found(held: Event) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        screen.look_into(screen.view.by_fate[3])
        await until(pilot, lambda: screen.inspector.why.remedies)
        why = screen.inspector.why
        why.move(0)
        found = why.found
        first = Remedy((Change("tools", remove=("x",)),), "context", "better", True)
        why.show(found.with_more(remedies=(first, *found.remedies)))
        assert why.remedy().detail == "save it again"
        assert why.remedy(1).detail == "better"
        held.set()

    drive(make_app(), script, size=NARROW)


# By mouse


def test_a_click_marks_a_remedy_and_a_second_one_tries_it() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        assert len(screen.inspector.why.remedies) > 1
        row = screen.inspector.why.rows.index(1)
        await pilot.click("#inspector", offset=(6, row + 1 - round(screen.inspector.scroll_y)))
        await settle(pilot)
        assert screen.inspector.why.cursor == 1
        assert screen.what_ifs == ()
        await pilot.click(
            "#inspector", offset=(6, row + 1 - round(screen.inspector.scroll_y)), times=2
        )
        await settle(pilot)
        assert len(screen.what_ifs) == 1

    drive_tree(script, size=NARROW)


def test_a_click_on_the_banner_takes_the_what_if_back() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        await pilot.press("1")
        await settle(pilot)
        assert screen.what_ifs
        await pilot.click("#what-if")
        await settle(pilot)
        assert screen.what_ifs == ()

    drive_tree(script, size=NARROW)


def test_the_palette_offers_a_remedy_and_taking_it_back() -> None:
    from memtui.tui.commands import BY_ID

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        await highlight(pilot, "/undo.md")
        assert BY_ID["apply-1"].allowed(screen.context)
        await screen.run_command(BY_ID["apply-1"])
        await settle(pilot)
        assert screen.what_ifs
        assert BY_ID["take-back"].allowed(screen.context)
        await screen.run_command(BY_ID["take-back"])
        await settle(pilot)
        assert screen.what_ifs == ()
        assert not BY_ID["take-back"].allowed(screen.context)

    drive_tree(script)


# Where nothing matches


def nearly_pool() -> Any:
    return pool_of(
        document("deploys.md", "Notes on a deploy", body="It runs at night."),
        document("misspelt.md", "How to rolback", mtime_ms=NOW_MS - 2 * DAY_MS),
        document("beyond.md", "A long one", body="word " * 300 + "kafka"),
        document("other.md", "Lunch"),
        skip=(skipped("broken.md"),),
    )


def test_without_a_hit_the_near_misses_are_in_the_pane_of_the_hits() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "2")
        screen = board(pilot)
        rows = screen._pane("hits").list.rows
        said = {item.key: (item.word, item.token) for item in rows.items}
        titles = {screen.view.entry(key).title: pair for key, pair in said.items()}
        assert titles["Notes on a deploy"] == ("deploy", "deployments")
        assert titles["How to rolback"] == ("rolback", "rollback")
        assert titles["A long one"][1] == "kafka"
        assert "Lunch" not in titles
        text = screen_text(pilot.app)
        assert "no memory has deployments · rollback" in text
        assert "word form" in text
        await pilot.press("j", "w")
        await settle(pilot)
        assert "≈ nearly" in inspected(pilot)

    drive(make_app(nearly_pool(), query="deployments rollback kafka"), script, size=WIDE)


def test_nothing_near_says_so() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "2")
        assert "no memory contains a token of the query: zzzzqqq" in screen_text(pilot.app)

    drive(make_app(nearly_pool(), query="zzzzqqq"), script, size=NARROW)


# Hostile text


HOSTILE = "[/] [@click=app.quit]x[/] \x1b[31mred\x1b[0m \x1b]0;owned\x07 \u202egnp"


@pytest.mark.parametrize("size", [WIDE, NARROW, SMALL])
def test_hostile_titles_and_words_are_shown_as_text(size: tuple[int, int]) -> None:
    pool = pool_of(
        document("evil.md", HOSTILE, description=HOSTILE, body=HOSTILE),
        *small_pool().documents,
        skip=(skipped("[/]\x1b[2J.md"),),
    )

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        for key in ("evil.md", ".md"):
            entries = screen.view.catalogue.entries.items()
            screen.look_into(next(k for k, each in entries if each.path.endswith(key)))
            await settle(pilot)
            await pilot.press("p")
            await pilot.press("enter")
            await settle(pilot)
            text = screen_text(pilot.app)
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert pilot.app.is_running

    drive(make_app(pool), script, size=size)


def test_a_what_if_is_not_kept_as_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        monkeypatch.setattr(screen.tracing, "shown", lambda recall: shown.append("kept"))
        await highlight(pilot, "/undo.md")
        await pilot.press("1")
        await settle(pilot)
        assert screen.hypothetical
        assert shown == []
        await pilot.press("u")
        await settle(pilot)
        assert shown == ["kept"]

    drive_tree(script)


def test_a_file_admitted_by_a_larger_limit_is_shown_and_goes_again(tmp_path: Path) -> None:
    body = "Never release on Friday. " * 30
    write_tree(tmp_path, {"big.md": note("Friday freeze", "release on Friday", body)})

    async def script(pilot: Pilot[Any]) -> None:
        screen = board(pilot)
        assert screen.view.counts[Fate.SKIPPED] == 1
        await highlight(pilot, "/big.md")
        remedies = screen.inspector.found.remedies
        assert remedies[0].changes[0].name == "file_bytes"
        await pilot.press("1")
        await settle(pilot)
        assert screen.view.fate_of[screen.highlighted] is Fate.SELECTED
        await pilot.press("u")
        await settle(pilot)
        assert screen.view.counts[Fate.SKIPPED] == 1

    app = tree_app(tmp_path, "release Friday", limits=Limits(file_bytes=200))
    drive(app, script, size=WIDE)
