"""Keeps the developer's environment and the clock out of the tests of the app."""

from __future__ import annotations

import pytest
from textual.widgets import Input


@pytest.fixture(autouse=True)
def quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "VISUAL", "EDITOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr("textual.constants.DEFAULT_THEME", "textual-dark")
    monkeypatch.setattr(Input, "cursor_blink", False)
    monkeypatch.setattr("memtui.tui.tracing.REST_S", 3600.0)
