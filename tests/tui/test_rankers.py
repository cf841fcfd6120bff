"""Rankers in the app: one chosen, all side by side, and the expansion of the query."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.config import Config
from memtui.recall.options import RecallOptions
from memtui.recall.rankers.base import RankerUnavailable
from memtui.recall.rankers.registry import ranks_by_ranker
from memtui.tui.abortable import AbortableEmbedder, abortable
from memtui.tui.asking import EMBEDDINGS, while_typing, who_is_asked
from memtui.tui.screens.rankers import RankerScreen, RankersScreen
from memtui.tui.view.side_by_side import APART, BEST, Ranks
from memtui.tui.view.view import View
from memtui.tui.widgets.row_list import RowList
from tests.tui.driving import (
    NOW_MS,
    board,
    document,
    drive,
    make_app,
    pool_of,
    screen_text,
    settle,
    small_pool,
    type_query,
)
from tests.tui.test_hostile import check, hostile_pool
from tests.tui.test_selector import until


class Embedder:
    """Longer texts are nearer; may wait until it is let go."""

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.go = threading.Event()
        self.go.set()

    @property
    def space(self) -> str:
        return "test"

    def documents(self, texts: Sequence[str], /) -> list[list[float]]:
        return [[1.0, 0.0] if "backup" in text else [0.6, 0.8] for text in texts]

    def query(self, text: str, /) -> list[float]:
        self.queries.append(text)
        self.go.wait(20)
        return [1.0, 0.0]


def with_embedder(embedder: Embedder, **fields: Any) -> RecallOptions:
    return RecallOptions(now_ms=NOW_MS, embedder=embedder, **fields)


async def press_ranker(pilot: Pilot[Any], name: str) -> None:
    await pilot.press("escape", "b")
    await pilot.pause()
    rows = pilot.app.screen.query_one(RowList)
    await pilot.press("g", *["j"] * rows.rows.places[name])


def test_another_ranker_ranks_and_its_scores_are_no_points() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await press_ranker(pilot, "bm25")
        assert "scores from 0 to 1" in screen_text(pilot.app)
        await pilot.press("enter")
        await settle(pilot)
        assert board(pilot).view.recall.ranker == "bm25"
        text = screen_text(pilot.app)
        assert "2 bm25 hits" in text
        assert "1.000" in text
        assert "0–1" in text
        assert "pts" not in text
        assert "ranked by bm25, packed as qwen-code" in text
        assert "bm25 3/180" in text
        await press_ranker(pilot, "lexical")
        await pilot.press("enter")
        await settle(pilot)
        assert "2 lexical hits" in screen_text(pilot.app)
        assert "pts" in screen_text(pilot.app)

    drive(make_app(), script, size=(160, 45))


def test_a_ranker_is_chosen_from_the_palette() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "ctrl+p", *"rank by fuzzy")
        await pilot.pause(0.3)
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert board(pilot).view.recall.ranker == "fuzzy"

    drive(make_app(), script)


def test_a_ranker_that_can_not_run_says_so_and_what_ranks_instead() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await press_ranker(pilot, "vector")
        text = screen_text(pilot.app)
        assert "can not run: no embeddings endpoint" in text
        said = str(pilot.app.screen.query_one("#said", Static).content)
        assert "hybrid ranks instead" in said
        await pilot.press("enter")
        await settle(pilot)
        assert board(pilot).view.recall.ranker == "hybrid"
        assert "the ranker vector could not run" in screen_text(pilot.app)

    drive(make_app(), script, size=(200, 50))


def test_no_endpoint_is_asked_while_typing() -> None:
    embedder = Embedder()
    options = with_embedder(embedder, ranker="vector")
    assert who_is_asked(options) == EMBEDDINGS
    assert while_typing(options).embedder is None
    assert not who_is_asked(while_typing(options))

    async def script(pilot: Pilot[Any]) -> None:
        await type_query(pilot, "where are the backups")
        assert embedder.queries == []
        assert "enter asks the embeddings" in screen_text(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: board(pilot).view.recall.ranker == "vector")
        assert embedder.queries == ["where are the backups"]
        assert "2 vector hits" in screen_text(pilot.app)

    drive(make_app(options=options), script)


def test_an_endpoint_that_hangs_is_stopped_with_esc_and_holds_nothing() -> None:
    embedder = Embedder()
    embedder.go.clear()

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: bool(embedder.queries))
        assert "embeddings … " in screen_text(pilot.app)
        await pilot.press("escape")
        await until(pilot, lambda: not board(pilot).asking.running)
        await settle(pilot)
        assert "embeddings: stopped" in screen_text(pilot.app)

    drive(make_app(options=with_embedder(embedder, ranker="vector")), script)
    embedder.go.set()


def test_an_embedder_is_given_up_and_its_errors_are_passed_on() -> None:
    embedder, stop = Embedder(), threading.Event()
    asking = abortable(with_embedder(embedder), stop).embedder
    assert isinstance(asking, AbortableEmbedder)
    assert asking.space == "test"
    assert asking.query("x") == [1.0, 0.0]

    def refuse(_texts: Sequence[str]) -> list[list[float]]:
        raise RankerUnavailable("http-status", "no")

    embedder.documents = refuse  # type: ignore[method-assign]
    with pytest.raises(RankerUnavailable, match="no"):
        asking.documents(["x"])
    stop.set()
    with pytest.raises(RankerUnavailable, match="not waited for"):
        asking.query("x")
    assert abortable(RecallOptions(), stop).embedder is None


def test_all_rankers_stand_side_by_side_and_enter_highlights() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "B")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, RankersScreen)
        text = screen_text(pilot.app)
        for name in ("lexical↓", "bm25", "fuzzy", "hybrid"):
            assert name in text
        assert "vector can not run: no embeddings endpoint" in text
        await pilot.press("S")
        await settle(pilot)
        assert "bm25↓" in screen_text(pilot.app)
        await pilot.press("g", "j")
        wanted = screen.query_one(RowList).key
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.screen is board(pilot)
        assert board(pilot).highlighted == wanted

    drive(make_app(), script, size=(160, 45))


def test_a_heading_is_clicked_to_sort_and_b_recalls_with_it() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "B")
        await settle(pilot)
        rows = pilot.app.screen.query_one(RowList)
        heading = screen_text(pilot.app).splitlines()[rows.region.y]
        await pilot.click(rows, offset=(heading.index("fuzzy") - rows.region.x, 0))
        await settle(pilot)
        assert "fuzzy↓" in screen_text(pilot.app)
        await pilot.press("b")
        await settle(pilot)
        assert board(pilot).view.recall.ranker == "fuzzy"

    drive(make_app(), script, size=(120, 40))


def test_rows_are_sorted_by_the_best_rank_and_by_how_far_they_are_apart() -> None:
    pool = small_pool()
    from memtui.recall.pipeline import recall

    made = recall("roll back a release", pool, RecallOptions(now_ms=NOW_MS))
    found = ranks_by_ranker(pool, made.eligible, made.query, made.options.limits)
    ranks = Ranks(View.of(made, pool, 0.0), found)
    best = [min(found.ranks[each].values()) for each in ranks.sorted_by(BEST)]
    assert best == sorted(best)
    assert set(ranks.sorted_by(APART)) == set(found.ranks)
    lexical = [found.ranks[each].get("lexical", 999) for each in ranks.sorted_by("lexical")]
    assert lexical == sorted(lexical)


def test_one_key_expands_the_query_and_shows_the_terms() -> None:
    pool = pool_of(
        document("a.md", "Billing app", description="We chose a new invoicing tool"),
        document("b.md", "Unrelated note", description="Nothing here"),
    )

    async def script(pilot: Pilot[Any]) -> None:
        assert board(pilot).view.recall.hits == ()
        await pilot.press("escape", "plus")
        await settle(pilot)
        recall = board(pilot).view.recall
        assert "chose" in recall.query.added_terms
        text = screen_text(pilot.app)
        assert "looks for chosen + chose" in text
        assert "expanded" in text.splitlines()[0]
        assert [hit.document.title for hit in recall.hits] == ["Billing app"]
        await pilot.press("plus")
        await settle(pilot)
        assert board(pilot).view.recall.query.added_terms == ()

    drive(make_app(pool, "chosen"), script)


def test_synonyms_of_the_configuration_are_used() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", "plus")
        await settle(pilot)
        assert "backup" in board(pilot).view.recall.query.added_terms

    config = Config(synonyms={"safety copy": ("backup",)})
    drive(make_app(query="safety copy", config=config), script)


@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24), (60, 15)])
@pytest.mark.parametrize("key", ["b", "B"])
def test_the_dialogs_fit_and_show_hostile_titles_as_text(size: tuple[int, int], key: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape", key)
        await settle(pilot)
        for _ in range(12):
            await pilot.press("j")
            check(pilot)
        frame = pilot.app.screen.query_one("#frame")
        assert isinstance(pilot.app.screen, RankerScreen | RankersScreen)
        assert frame.region.right <= size[0]
        assert frame.region.bottom <= size[1]
        assert "esc close" in screen_text(pilot.app)

    drive(make_app(hostile_pool(), "release"), script, size=size)


@pytest.mark.parametrize("ranker", ["bm25", "fuzzy", "hybrid"])
def test_the_inspector_says_what_a_score_is(ranker: str) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        board(pilot).action_rank_by(ranker)
        await settle(pilot)
        await pilot.press("escape", "2", "enter")
        await settle(pilot)
        assert f"(0 to 1) by {ranker}, 1st of" in screen_text(pilot.app)
        assert "24 points" not in screen_text(pilot.app)

    drive(make_app(), script, size=(80, 45))
