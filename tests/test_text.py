"""Counting, cutting, and text that may be shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text import chars, cut, display_line, display_text, js_trim, utf8_bytes

texts = st.text(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from("a\u0301🚀漢\u200d"))
)
hostile = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from(
            "\x1b\x9b\x07\r\n\t\u202e\u2066\u200b\u200d\ufe0f\ufe01\U000e0041👩🐈⬛a[m"
        ),
    )
)


def utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(texts)
def test_chars_are_utf16_code_units(text: str) -> None:
    assert chars(text) == utf16_units(text)


@given(texts, st.integers(-3, 30))
def test_a_cut_is_the_longest_prefix_that_fits(text: str, limit: int) -> None:
    head = cut(text, limit)
    assert text.startswith(head)
    assert utf16_units(head) <= max(0, limit)
    assert head == text or utf16_units(text[: len(head) + 1]) > max(0, limit)


def test_a_cut_never_leaves_half_a_surrogate_pair() -> None:
    assert [cut("a🚀b", limit) for limit in range(5)] == ["", "a", "a", "a🚀", "a🚀b"]


@given(texts)
def test_bytes_are_those_of_utf8(text: str) -> None:
    assert utf8_bytes(text) == len(text.encode("utf-8", "surrogatepass"))


def moves_or_hides(text: str) -> list[str]:
    """Characters that no terminal may get, joiners inside an emoji and visible Cf aside."""
    visible = (
        "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    )
    return [
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and character not in visible + "\u200d"
    ]


@given(hostile)
def test_no_character_that_moves_or_hides_survives(text: str) -> None:
    assert moves_or_hides(display_text(text)) == []
    assert set(moves_or_hides(display_text(text, multiline=True))) <= {"\n"}


@given(hostile)
def test_text_that_was_made_visible_stays_as_it_is(text: str) -> None:
    once = display_text(text)
    assert display_text(once) == once
    several = display_text(text, multiline=True)
    assert display_text(several, multiline=True) == several


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧‍👦", "🐈‍⬛", "❤️‍🔥", "👩🏽‍💻", "🙂‍↔️", "#️⃣ ☎️", "漢字かな", "קלט"]
)
def test_pictures_and_scripts_stay_whole(text: str) -> None:
    assert display_text(text) == text


@pytest.mark.parametrize(
    "text",
    ["pay\u200dpal", "а\u200dб", "👩\u200d\u200d👩", "👩\u200d", "a\ufe0f\u200d👩", "\ue000\u200d"],
)
def test_a_joiner_outside_an_emoji_is_made_visible(text: str) -> None:
    assert "\u200d" not in display_text(text)


def test_private_use_characters_stay_what_they_are() -> None:
    assert display_text("icon \ue000 \x1b") == "icon \ue000 ␛"


@pytest.mark.parametrize(
    "hidden", ["\U000e0041", "\ufe05", "\U000e0100", "\u3164", "\u115f", "\u034f"]
)
def test_text_hidden_in_invisible_characters_is_made_visible(hidden: str) -> None:
    assert hidden not in display_text(f"a{hidden}b")


@given(hostile, st.integers(1, 30))
def test_a_line_for_display_is_one_line(text: str, limit: int) -> None:
    assert "\n" not in display_line(text, limit)


def test_trim_is_that_of_javascript() -> None:
    assert js_trim("\ufeff\u00a0\u3000\n x \u2029") == "x"
    assert js_trim("\x85\x1cx\x1f") == "\x85\x1cx\x1f"
