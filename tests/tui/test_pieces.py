import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.tui.view.columns import Column, fit_columns, headings, lay_out
from memtui.tui.view.pieces import Piece, clip, fitted, line, richest, safe, text_of, width_of

AWKWARD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("👨‍👩‍👧❤️記憶é\u200b\u202e\x1b\x9b\u0301🇩🇪한글 […"),
    ),
    max_size=40,
)


@given(AWKWARD, st.integers(0, 30), st.booleans())
def test_a_fitted_text_has_exactly_the_width(text: str, width: int, right: bool) -> None:
    shown = fitted(safe([Piece(text)]), width, right=right)
    assert cell_len(text_of(shown)) == width


@given(AWKWARD, AWKWARD, st.integers(0, 30))
def test_a_clipped_line_is_never_wider_than_asked(one: str, other: str, width: int) -> None:
    assert width_of(clip(safe([Piece(one), Piece(other, "accent")]), width)) <= width


def test_a_clipped_line_says_that_something_is_missing() -> None:
    assert text_of(clip(line("release ", "rollback"), 10)) == "release r…"


def test_a_wide_character_is_not_cut_in_half() -> None:
    assert text_of(fitted(line("記憶"), 3)) == "記…"
    assert text_of(fitted(line("記憶"), 2)) == "… "


def test_the_richest_form_that_fits_is_chosen() -> None:
    forms = [line("everything"), line("some"), line("x")]
    assert [text_of(richest(forms, width)) for width in (10, 9, 4, 2, 0)] == [
        "everything",
        "some",
        "some",
        "x",
        "",
    ]


@pytest.mark.parametrize("text", ["\x1b]0;owned\x07", "\x9b2J", "a\u202eb", "x\x00y", "\x1b[31m"])
def test_no_control_character_survives(text: str) -> None:
    shown = text_of(safe([Piece(text)]))
    assert not set(shown) & set("\x1b\x9b\u202e\x00\x07")


COLUMNS = (
    Column("a", 3, right=True),
    Column("b", 4, drop=1),
    Column("c", 4, drop=2),
    Column("d", 5, flexible=True),
)


def test_the_flexible_column_takes_what_is_left() -> None:
    assert fit_columns(COLUMNS, 30) == ((0, 3), (1, 4), (2, 4), (3, 16))


def test_the_highest_number_is_dropped_first() -> None:
    assert fit_columns(COLUMNS, 18) == ((0, 3), (1, 4), (3, 9))
    assert fit_columns(COLUMNS, 10) == ((0, 3), (3, 6))


@given(st.lists(AWKWARD, min_size=4, max_size=4), st.integers(9, 60))
def test_every_row_has_the_width_of_the_list(texts: list[str], width: int) -> None:
    fit = fit_columns(COLUMNS, width)
    row = lay_out([line(text) for text in texts], COLUMNS, fit)
    assert cell_len(text_of(row)) == width
    assert cell_len(text_of(headings(COLUMNS, fit))) == width
