"""Keeps what belongs to the developer out of every test: home, configuration and state."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a home, a configuration and a state that no other test sees."""
    folder = tmp_path_factory.mktemp("environment")
    (folder / "home").mkdir()
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("MEMTUI_STATE", str(folder / "state"))
    monkeypatch.setenv("MEMTUI_CONFIG", str(folder / "config.toml"))
    for name in ("NO_COLOR", "TEXTUAL_THEME", "MEMTUI_TRACE_RETENTION_DAYS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("MEMTUI_TRACE_MAX_ROWS", raising=False)
    return folder
