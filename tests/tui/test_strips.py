import pytest
from rich.cells import cell_len

from memtui.recall.options import Ablations
from memtui.tui.view.pieces import richest, text_of, width_of
from memtui.tui.view.strips import (
    ARROW,
    drawn,
    funnel_line,
    funnel_two_lines,
    stage_at,
    title_lines,
)
from tests.tui.test_view import view_of


@pytest.mark.parametrize("width", range(40, 240))
def test_the_funnel_is_never_cut(width: int) -> None:
    view = view_of()
    assert width_of(drawn(funnel_line(view, width))) <= width
    for stages in funnel_two_lines(view, width):
        assert width_of(drawn(stages)) <= width


@pytest.mark.parametrize("width", [160, 200])
def test_the_wide_funnel_names_every_stage(width: int) -> None:
    text = text_of(drawn(funnel_line(view_of(), width - 2)))
    for name in ("pool 30", "eligible", "lexical", "reserve", "manifest", "selected", "context"):
        assert name in text
    assert "━" in text
    assert "/25,000 B" in text


def test_the_narrow_funnel_says_what_binds() -> None:
    first, second = funnel_two_lines(view_of(), 78)
    assert "packed" in text_of(drawn(first))
    assert "nothing binds" in text_of(drawn(second))


def test_every_cell_of_a_stage_leads_to_its_pane() -> None:
    stages = funnel_line(view_of(), 158)
    text = text_of(drawn(stages))
    for name, pane in (("lexical", "hits"), ("reserve", "reserve"), ("manifest", "manifest")):
        found = stage_at(stages, cell_len(text[: text.index(name)]))
        assert found is not None
        assert found.pane == pane
    assert stage_at(stages, width_of(stages[0].pieces)) is None
    assert stage_at(stages, 10_000) is None
    assert ARROW.text in text


def test_the_title_says_what_is_reproduced() -> None:
    text = text_of(richest(title_lines("shop", view_of()), 160))
    assert "ranked as qwen-code 0.24, read as claude" in text
    assert "project 29 · user 1" in text


def test_the_title_shows_an_ablation() -> None:
    view = view_of(ablations=Ablations(reserve="appended"))
    assert "! reserve appended" in text_of(richest(title_lines("shop", view), 160))
    assert "! ablated" in text_of(richest(title_lines("shop", view), 80))


@pytest.mark.parametrize("width", range(1, 200, 7))
def test_the_title_fits(width: int) -> None:
    assert width_of(richest(title_lines("shop", view_of()), width)) <= width
