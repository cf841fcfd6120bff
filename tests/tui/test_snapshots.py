"""Pictures of the sample tree at four sizes. Renew them with ``--snapshot-update``."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.tui.themes import LIGHT
from tests.tui.driving import make_app, settle

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
