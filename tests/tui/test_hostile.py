"""Nothing that a memory, a query or a tool contains is parsed, run, or sent to the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.memory.document import Scope, SkippedFile
from tests.tui.driving import (
    ROOT,
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
    toasts,
    type_query,
)

HOSTILE = [
    "[/]",
    "[/foo] [b + should",
    "[TODO] [docs] - [x] done [[wiki]] [link=http://x]y",
    "[@click=app.quit]press[/]",
    "$nope [$nope] [not-a-style]x",
    "\x1b]0;owned\x07\x1b[2J\x1b]52;c;b3duZWQ=\x1b\\",
    "\x9b2J\x90q\x9c \x85 \x00\x07\x08",
    "\u202egpj.exe\u202c \u2066x\u2069 \u200b\u200e \ufeff",
    "\ud800 lone",
    "e\u0301\u0301\u0301 👨‍👩‍👧 ❤️ 🇩🇪 記憶 नमस्ते",
    "line one\nline two\r\nline three\ttab\u2028sep",
    "x" * 1_000_000,
    "",
]
FORBIDDEN = {*map(chr, range(32)), "\x7f", *map(chr, range(0x80, 0xA0))} - {"\n"}
FORBIDDEN |= set("\u202e\u202c\u2066\u2069\u200e\u2028\ufeff\ud800")


def hostile_pool() -> Any:
    documents = [
        document(
            f"file {number} [/].md",
            text,
            description=text,
            body=f"release {text}\n{text}",
            frontmatter=f"name: {text}",
            type=text[:20],
        )
        for number, text in enumerate(HOSTILE)
    ]
    skip = tuple(
        SkippedFile(f"{ROOT}/{text[:40]}", Scope.PROJECT, text[:40], "unreadable", text, text)
        for text in HOSTILE
    )
    return pool_of(*documents, skip=skip)


def check(pilot: Pilot[Any]) -> str:
    text = screen_text(pilot.app)
    assert not set(text) & FORBIDDEN
    return text


@pytest.mark.parametrize("size", [(160, 46), (80, 24)])
def test_every_pane_shows_hostile_text_as_text(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        for pane in "12345":
            await pilot.press(pane, "G")
            check(pilot)
        await pilot.press("1", "g", "enter")
        screen = board(pilot)
        for key in list(screen.view.catalogue.entries):
            screen.highlighted = key
            await pilot.pause()
            check(pilot)
            screen.inspector.action_last()
            await pilot.pause()
            check(pilot)
        assert pilot.app.is_running

    drive(make_app(hostile_pool(), query="release"), script, size=size)


def test_markup_stays_as_written() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "z")
        await settle(pilot)
        text = check(pilot)
        assert "[TODO] [docs] - [x] done [[wiki]]" in text
        assert "[@click=app.quit]press[/]" in text
        assert "␛]0;owned" in text

    drive(make_app(hostile_pool(), query="release"), script, size=(120, 70))


@pytest.mark.parametrize("text", HOSTILE[:-2], ids=range(len(HOSTILE) - 2))
def test_hostile_queries_filters_and_tools_do_no_harm(text: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, text)
        check(pilot)
        await pilot.press("escape", "f")
        board(pilot).pool.filter.value = text
        await settle(pilot)
        check(pilot)
        await pilot.press("escape", "escape", "t")
        pilot.app.screen.query_one("SafeInput").value = text  # type: ignore[attr-defined]
        await settle(pilot)
        check(pilot)
        await pilot.press("enter", "question_mark")
        check(pilot)

    drive(make_app(query=text), script)


def test_clicks_on_hostile_text_run_nothing() -> None:
    pool = pool_of(document("a.md", "[@click=app.quit]press me[/]", body="[@click=app.quit]x[/]"))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        rows = screen_text(pilot.app).splitlines()
        for y, row in enumerate(rows[:-1]):
            if "click=app.quit" in row:
                await pilot.click(offset=(row.index("click=app.quit"), y))
        await settle(pilot)
        assert pilot.app.is_running
        assert pilot.app.return_value is None

    drive(make_app(pool, query=""), script, size=(160, 46))


def test_toasts_quote_hostile_paths() -> None:
    pool = pool_of(document("[/] \x1b[2J \u202e.md", "A", path=f"{ROOT}/[/] \x1b[2J \u202e.md"))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "y")
        await settle(pilot)
        assert "[/] ␛[2J ⟨rlo⟩.md" in toasts(pilot.app)[-1]
        assert pilot.app.clipboard.endswith("[/] \x1b[2J \u202e.md")
        check(pilot)

    drive(make_app(pool), script)


def test_a_hostile_name_of_the_setup_is_shown_as_text() -> None:
    from dataclasses import replace

    async def script(pilot: Pilot[Any]) -> None:
        board(pilot).setup = replace(board(pilot).setup, name="[/] \x1b[2J")
        board(pilot).query_one("#title").refresh()
        await settle(pilot)
        assert "[/] ␛[2J" in check(pilot)

    drive(make_app(), script)
