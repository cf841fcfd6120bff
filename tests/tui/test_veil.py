from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.tui.veil import STRETCH, UNKNOWN, Veil
from tests.tui.test_hostile import FORBIDDEN

ANY = st.text(st.characters(exclude_categories=()))


@given(st.lists(ANY))
def test_what_was_hidden_comes_back(texts: list[str]) -> None:
    veil = Veil()
    hidden = [veil.hide(text) for text in texts]
    plain = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
    assert [veil.reveal(each) for each in hidden] == plain
    assert veil.reveal("".join(hidden)) == "".join(plain)


@given(ANY)
def test_what_is_drawn_is_harmless_and_as_long_as_what_is_edited(text: str) -> None:
    veil = Veil()
    hidden = veil.hide(text)
    drawn = veil.drawn(hidden)
    assert len(drawn) == len(hidden)
    assert not set(drawn) & (FORBIDDEN - {"\t"})
    assert "\n".join(drawn.split("\n")) == "\n".join(drawn.splitlines() or [""]) + (
        "\n" if drawn.endswith("\n") else ""
    )


def test_the_pictures_of_control_characters() -> None:
    veil = Veil()
    drawn = veil.drawn(veil.hide("a\x1b[2J\x07\x9b\u200b\u202e\U000f0000b"))
    assert drawn == f"a␛[2J␇{UNKNOWN * 4}b"
    assert cell_len(drawn) == 11


def test_a_long_text_is_folded_into_one_character() -> None:
    veil = Veil()
    text = "[id:1] " * 1_000 + "\x1b"
    hidden = veil.fold(text, 10)
    assert veil.drawn(hidden) == f"[id:1] [id{STRETCH}"
    assert veil.reveal(hidden) == text
    assert list(veil.stretches(f"x{hidden}y")) == [(11, len(text) - 10)]
    assert veil.undrawn(hidden) == len(text) - 10


def test_a_placeholder_in_a_text_can_not_stand_for_what_another_text_hid() -> None:
    veil = Veil()
    hidden = veil.hide("\x1b")
    assert veil.reveal(veil.hide(hidden)) == hidden
    assert veil.hide(hidden) != hidden
