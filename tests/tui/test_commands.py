import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.commands import (
    COMMANDS,
    EVERYWHERE,
    INPUTS,
    Context,
    Fact,
    Place,
    Target,
    hints,
    is_letter,
    key_at,
    keys_table,
)
from memtui.tui.view.footer import drawn_hints, footer
from memtui.tui.view.pieces import text_of

ALL = frozenset(Fact) - {Fact.NO_STORE}


def test_ids_are_unique() -> None:
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)


def test_no_key_means_two_things_in_one_place() -> None:
    for place in EVERYWHERE:
        keys = [key for command in COMMANDS if place in command.where for key in command.keys]
        assert len(keys) == len(set(keys)), place


def test_every_command_is_explained() -> None:
    for command in COMMANDS:
        assert command.title
        assert command.help.endswith(".")


def test_in_an_input_the_footer_shows_keys_that_are_no_text() -> None:
    for place in INPUTS:
        context = Context(place, ALL)
        shown = [key_at(command, place) for command in hints(context)]
        own = ["F2"] if place is Place.ANSWER else []
        assert shown == [*own, "esc", "F1", "ctrl+q"]


def test_the_footer_has_at_most_six_hints_and_ends_with_help_and_quit() -> None:
    for place in (Place.LIST, Place.INSPECTOR, Place.NOTICE):
        shown = hints(Context(place, ALL))
        assert len(shown) <= 6
        assert [key_at(command, place) for command in shown[-2:]] == ["?", "q"]


@given(st.integers(10, 240), st.sampled_from(sorted(EVERYWHERE)))
def test_help_and_quit_are_visible_at_every_width(width: int, place: Place) -> None:
    placed = footer(Context(place, ALL), width, {})
    assert placed[-1].right <= width
    assert [hint.command.id for hint in placed[-2:]] == ["help", "quit"]
    assert len(text_of(drawn_hints(placed))) <= width


def test_a_hint_shows_the_key_of_the_users_keymap() -> None:
    placed = footer(Context(Place.LIST, ALL), 100, {"query": ("ctrl+f",)})
    (shown,) = (hint for hint in placed if hint.command.id == "query")
    assert text_of(shown.pieces) == "ctrl+f query"


def test_what_needs_a_store_is_not_hinted_at_without_one() -> None:
    shown = [command.id for command in hints(Context(Place.NOTICE, frozenset({Fact.NO_STORE})))]
    assert shown[0] == "demo"
    assert "query" not in shown


def test_the_table_names_every_command() -> None:
    table = keys_table()
    for command in COMMANDS:
        assert f"| {command.title} |" in table
    assert "| `/` |" in table


def test_letters_are_told_from_other_keys() -> None:
    assert is_letter("q")
    assert is_letter("question_mark")
    assert not is_letter("f1")
    assert not is_letter("ctrl+q")


def test_dialog_keys_are_not_in_the_palette() -> None:
    assert all(command.offered == (command.target is not Target.DIALOG) for command in COMMANDS)


def test_the_registry_loads_no_textual() -> None:
    code = "import sys, memtui.tui.commands as c; c.keys_table(); print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_title_fits_its_column_in_the_help() -> None:
    from memtui.tui.view.help import TITLE_CELLS

    assert all(len(command.title) <= TITLE_CELLS for command in COMMANDS)
