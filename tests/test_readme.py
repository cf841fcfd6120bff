"""The README says what the code does: its tables are made from it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from memtui.cli.reference import updated

README = Path(__file__).parent.parent / "README.md"


def test_the_tables_are_up_to_date() -> None:
    text = README.read_text("utf-8")
    assert updated(text) == text, "run: python3 .ci/dev.py readme"


def test_the_picture_is_there() -> None:
    text = README.read_text("utf-8")
    picture = unquote(text.split("](", 1)[1].split(")", 1)[0])
    assert (README.parent / picture).is_file()
