"""The citation area: what is pasted is checked as it is, and drawn as it may be."""

from __future__ import annotations

import time
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.strip import Strip

from memtui.citations import validate_citations
from memtui.tui.view.citations import Allowlist, checked, counts, in_rows, placed
from memtui.tui.view.pieces import text_of
from memtui.tui.widgets.citation_area import CitationArea
from tests.tui.driving import board, drive, make_app, screen_text, settle, toasts
from tests.tui.test_hostile import HOSTILE, check

SIZES = [(160, 45), (120, 40), (80, 24), (60, 15)]


def area(pilot: Pilot[Any]) -> CitationArea:
    return board(pilot).trace.citations


async def paste(pilot: Pilot[Any], text: str) -> None:
    """Opens the area and pastes as a terminal does."""
    if not area(pilot).editor.has_focus:
        await pilot.press("escape", "v")
    pilot.app.post_message(events.Paste(text))
    await settle(pilot)


def allowed(pilot: Pilot[Any]) -> str:
    """An id that the recall of the fixed pool may be cited by."""
    return str(board(pilot).view.recall.context.kept[0])


@pytest.mark.parametrize("size", SIZES)
def test_every_reference_is_marked_at_every_size(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await paste(pilot, f"See [id:{allowed(pilot)}], [id:99] and (id=7).")
        text = screen_text(pilot.app)
        assert f"[id:{allowed(pilot)}]✓" in text
        assert "[id:99]✗" in text
        assert "(id=7)?" in text
        assert "1 valid · 1 rejected · 1 suspect" in text
        assert "against this recall" in text
        assert text.splitlines()[-1].split()[:4] == ["F2", "copy", "clean", "text"]

    drive(make_app(), script, size=size)


def test_it_is_checked_while_one_types() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "v", *"q [id:9")
        await settle(pilot)
        assert area(pilot).found.rejected == ("9",)
        assert "1 rejected" in screen_text(pilot.app)
        await pilot.press(*["backspace"] * 6)
        await settle(pilot)
        assert area(pilot).found.spans == ()
        assert area(pilot).editor.text == "q"
        assert pilot.app.is_running

    drive(make_app(), script)


def styled(strips: list[Strip], text: str) -> list[Any]:
    """The styles in which a text is drawn."""
    return [
        segment.style
        for strip in strips
        for segment in strip
        if segment.text == text and segment.style is not None
    ]


def test_references_are_marked_in_the_editor_by_more_than_colour() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        valid = f"[id:{allowed(pilot)}]"
        await paste(pilot, f"x {valid} y\n[id:99] z (id=7)")
        editor = area(pilot).editor
        strips = [editor.render_line(y) for y in range(editor.size.height)]
        assert styled(strips, valid)[0].underline
        assert styled(strips, "[id:99]")[0].strike
        assert styled(strips, "(id=7)")[0].italic
        await pilot.press("X")
        await settle(pilot)
        strips = [editor.render_line(y) for y in range(editor.size.height)]
        assert styled(strips, "[id:99]")[0].strike

    drive(make_app(), script)


def test_the_clean_text_is_copied_byte_for_byte() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = f"a\x1b[31m\u200b [id:{allowed(pilot)}] b [id:99]\n\U000f0000 \x85 é 👨‍👩‍👧\ttab"
        await paste(pilot, text)
        await pilot.press("f2")
        await settle(pilot)
        assert pilot.app.clipboard == text.replace("[id:99]", "[]")
        assert "clean text sent to the clipboard" in toasts(pilot.app)[-1]
        assert "1 reference replaced" in toasts(pilot.app)[-1]
        pilot.app.copy_to_clipboard("")
        await pilot.press("escape", "y")
        await settle(pilot)
        assert pilot.app.clipboard == text.replace("[id:99]", "[]")

    drive(make_app(), script)


def test_without_an_answer_there_is_nothing_to_copy() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "v", "f2")
        await settle(pilot)
        assert "nothing was pasted" in toasts(pilot.app)[-1]
        assert "Paste an answer" in screen_text(pilot.app)
        assert f"{allowed(pilot)}  " in screen_text(pilot.app)

    drive(make_app(), script, size=(80, 24))


SPELLINGS = [
    "[id:{}\u200b]",
    "[\u200bid:{}]",
    "[id\ufe0f:{}]",
    "[id:\x1b{}]",
    "[id:{}\x00]",
    "［id:{}］",
    "[id\r\n:{}]",
    "[id:{}\U000f0000]",
    "[id\u2028:{}]",
    "[ıd:{}]",
    "[id:{}\u00ad, 99]",
    "⟨id:{}⟩",
]


@pytest.mark.parametrize("spelling", SPELLINGS, ids=range(len(SPELLINGS)))
def test_what_can_not_be_drawn_counts_all_the_same(spelling: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        kept = board(pilot).view.recall.context.kept
        text = f"so {spelling.format(kept[0])} it is"
        ends = text.replace("\r\n", "\n")
        await paste(pilot, text)
        expected = validate_citations(ends, kept)
        assert area(pilot).found == expected
        check(pilot)
        await pilot.press(*"abc", *["backspace"] * 3, "home", "x", "backspace")
        await settle(pilot)
        assert area(pilot).found == expected

    drive(make_app(), script)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("size", [(160, 45), (60, 15)])
def test_hostile_answers_do_no_harm(text: str, size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        answer = f"{text} [id:{text[:50]}] [id:99]"
        await paste(pilot, answer)
        check(pilot)
        await pilot.press("ctrl+c", "f2", "f7", "ctrl+c", "ctrl+x", "ctrl+v", "ctrl+z", "escape")
        await settle(pilot)
        check(pilot)
        await pilot.press("G", "j", "k", "g", "y", "escape", "escape")
        check(pilot)
        assert pilot.app.is_running

    drive(make_app(), script, size=size)


def test_copying_in_the_editor_gives_what_was_pasted() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = "a\x1b\u200b[id:9]" + "z" * 20_000
        await paste(pilot, text)
        await pilot.press("f7", "ctrl+c")
        assert pilot.app.clipboard == text
        pilot.app.copy_to_clipboard("")
        await pilot.press("ctrl+x")
        assert pilot.app.clipboard == text
        await pilot.press("ctrl+v")
        await settle(pilot)
        assert area(pilot).editor.veil.reveal(area(pilot).editor.text) == text

    drive(make_app(), script)


def test_a_megabyte_is_checked_whole_and_does_not_stop_the_typing() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        text = "[id:1] and (id=2)\n" * 56_000
        await pilot.press("escape", "v")
        started = time.perf_counter()
        await paste(pilot, text)
        assert time.perf_counter() - started < 10
        slowest = 0.0
        for key in "hello":
            began = time.perf_counter()
            await pilot.press(key)
            slowest = max(slowest, time.perf_counter() - began)
        assert slowest < 1
        await settle(pilot)
        found = area(pilot).found
        assert len(found.spans) == 112_000
        assert len(area(pilot).editor.text) < 10_000
        assert "⋯" in "".join(
            area(pilot).editor.get_line(row).plain
            for row in range(area(pilot).editor.document.line_count)
        )
        assert "more characters, checked but not drawn" in "".join(
            text_of(each) for each in checked(found, text, Allowlist())
        )
        await pilot.press("f2")
        await settle(pilot)
        assert pilot.app.clipboard == ("[] and (id=2)\n" * 56_000) + "hello"

    drive(make_app(), script)


def test_the_verdict_follows_the_recall() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        first = allowed(pilot)
        await paste(pilot, f"[id:{first}]")
        assert area(pilot).found.valid == (first,)
        board(pilot).query_bar.input.value = "zebra"
        await settle(pilot)
        assert area(pilot).found.rejected == (first,)
        assert "0 ids may be cited" in screen_text(pilot.app)

    drive(make_app(), script)


def test_escape_leads_out_step_by_step() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = board(pilot).trace
        await paste(pilot, "q [id:9]")
        await pilot.press("escape")
        assert pane.citations.verdict.has_focus
        await pilot.press("escape")
        assert pane.list.has_focus
        await pilot.press("v")
        assert pane.citations.editor.has_focus
        assert pane.citations.editor.text == "q [id:9]"
        await pilot.press("tab")
        assert board(pilot).current == "inspector"
        await pilot.press("5")
        assert pane.list.has_focus
        assert not pane.citations.display

    drive(make_app(), script, size=(80, 24))


def test_the_help_knows_the_place() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "v", "f1")
        await settle(pilot)
        assert "typing an answer" in screen_text(pilot.app)
        assert "Copy the clean text" in screen_text(pilot.app)

    drive(make_app(), script)


def test_the_palette_copies_the_clean_text() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await paste(pilot, "x [id:9]")
        await pilot.press("ctrl+p", *"copy the clean")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.clipboard == "x []"

    drive(make_app(), script)


# The parts


def test_a_mark_of_several_rows_is_in_each_of_them() -> None:
    rows = in_rows("ab\n\ncd [e]", [(1, 5, "rejected"), (7, 10, "valid")])
    assert rows == {
        0: [(1, 2, "rejected")],
        1: [(0, 0, "rejected")],
        2: [(0, 1, "rejected"), (3, 6, "valid")],
    }


def test_marks_behind_a_stretch_stand_where_the_editor_has_them() -> None:
    text = "[id:1]" + "x" * 100 + "[id:2]" + "x" * 50 + "[id:3]"
    spans = validate_citations(text, ("1",)).spans
    assert list(placed(spans, [])) == [(s.start, s.end, s.kind) for s in spans]
    stretches = [(6, 100), (13, 50)]
    assert list(placed(spans, stretches)) == [
        (0, 6, "valid"),
        (7, 13, "rejected"),
        (14, 20, "rejected"),
    ]
    assert list(placed(spans, [(8, 110)])) == [
        (0, 6, "valid"),
        (53, 59, "rejected"),
    ]


def test_each_id_is_listed_with_what_is_said_about_it() -> None:
    text = "[id:a, b] [ID:a] [id:a\u200b] (ref: z)"
    found = validate_citations(text, ("a",))
    lines = [text_of(each) for each in checked(found, text, Allowlist(("a",), "this recall"))]
    assert lines[-4:] == [
        "✓ a  not in this pool",
        "✗ b  may not be cited",
        "✗ a  allowed, but not spelled [id:…]",
        "? z  looks like a citation and is none",
    ]
    assert text_of(counts(found)[0]) == "1 valid · 2 rejected · 1 suspect"


def test_an_unknown_trace_allows_nothing_and_says_so() -> None:
    unknown = Allowlist(None, "trace 12345678")
    assert "trace 12345678 is unknown: nothing may be cited" in text_of(unknown.against[0])
    found = validate_citations("[id:a]", unknown.ids)
    assert "the trace is unknown" in text_of(checked(found, "[id:a]", unknown)[-1])
