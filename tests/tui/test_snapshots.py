"""Pictures of the app, which the README shows too. Renew them with ``--snapshot-update``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.cli.reference import TOUR_DOCUMENT, TOUR_QUERY
from memtui.memory.document import Pool, Scope
from memtui.memory.edit import read_bytes
from memtui.memory.scan import Source, scan_pool
from memtui.samples import lay_out
from memtui.tui.themes import LIGHT
from memtui.tui.view.pinned import key_of_path
from tests.tui.driving import board, make_app, settle

SIZES = [(60, 15), (80, 24), (120, 40), (200, 50)]


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.jobs.stopwatch", lambda: 0.0)


def pressing(*keys: str) -> Any:
    async def script(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)

    return script


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_main_screen(snap_compare: Any, size: tuple[int, int]) -> None:
    assert snap_compare(make_app(), terminal_size=size, run_before=pressing("escape", "j"))


def test_manifest_narrow(snap_compare: Any) -> None:
    run = pressing("escape", "4", "j")
    assert snap_compare(make_app(), terminal_size=(80, 24), run_before=run)


def test_inspector_narrow(snap_compare: Any) -> None:
    run = pressing("escape", "enter")
    assert snap_compare(make_app(), terminal_size=(80, 24), run_before=run)


def test_light_theme(snap_compare: Any) -> None:
    app = make_app()
    app.theme = LIGHT.name
    assert snap_compare(app, terminal_size=(160, 46), run_before=pressing("escape", "j", "j"))


def test_limits(snap_compare: Any) -> None:
    run = pressing("escape", "l")
    assert snap_compare(make_app(), terminal_size=(120, 40), run_before=run)


HOME = "/home/mira/demo"
"""Where the memories of the demo are in every picture: the path counts in a manifest line."""


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Pool:
    """The memories of the demo, as they are on no real machine."""
    demo = lay_out("small", tmp_path)
    folder = str(demo.folder)

    def read_moved(path: str) -> bytes:
        return read_bytes(path.replace(HOME, folder))

    monkeypatch.setattr("memtui.tui.searches.read_bytes", read_moved)
    pool = scan_pool([Source(Scope.PROJECT, str(demo.project)), Source(Scope.USER, str(demo.user))])
    moved = (replace(each, path=each.path.replace(folder, HOME)) for each in pool.documents)
    scopes = (replace(each, root=each.root.replace(folder, HOME)) for each in pool.scopes)
    return replace(pool, documents=tuple(moved), scopes=tuple(scopes))


def test_ladder(snap_compare: Any, shop: Pool) -> None:
    (path,) = (each.path for each in shop.documents if each.path.endswith(TOUR_DOCUMENT))

    async def look(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        screen = board(pilot)
        screen.look_into(key_of_path(screen.view, path))
        await settle(pilot)

    app = make_app(shop, TOUR_QUERY)
    assert snap_compare(app, terminal_size=(96, 27), run_before=look)
