"""Texts of one piece, repeated: what reads and rewrites them takes time by their length."""

from __future__ import annotations

import pytest

from memtui.memory.rewrite import repaired_text, with_key
from memtui.text import display_line, display_text
from tests.hostile.growth import grows_linearly


@pytest.mark.parametrize("piece", ["\n", " ", " \n", "-", "---\n", "\x1b", "\u202e", "\u200d"])
def test_a_text_of_one_piece_takes_time_in_proportion_to_its_length(piece: str) -> None:
    def work(text: str) -> None:
        with_key(text, "name", "x", "claude")
        with_key(text, "name", "x", "qwen")
        repaired_text(text, "a.md", "claude")
        display_text(text, multiline=True)
        display_line(text)

    assert grows_linearly(work, lambda size: piece * size + "!", 1_000)
