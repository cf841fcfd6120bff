"""Candidates: lexical hits, a reserve of recent documents, and how they are interleaved."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.limits import Limits
from memtui.memory.document import Document, Scope
from memtui.memory.scan import capped
from memtui.recall.candidates import Candidate, choose_candidates, every_document
from memtui.recall.options import ABLATIONS, Ablations, OptionError, RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.rank import rank_lexically
from tests.helpers import DAY_MS, NOW_MS, make_document, make_pool


def named(count: int, matching: int, ages: list[int] | None = None) -> tuple[Document, ...]:
    """Documents of which the last ones say apple, a day apart or of the ages given."""
    return tuple(
        make_document(
            f"{place:03}.md",
            title="an apple" if place >= count - matching else "a pear",
            mtime_ms=NOW_MS - (ages[place] if ages else place) * DAY_MS,
        )
        for place in range(count)
    )


def offered(
    documents: tuple[Document, ...], limits: Limits, **how: object
) -> tuple[Candidate, ...]:
    pool = make_pool(*documents)
    hits = rank_lexically(pool, documents, ("apple",), limits.body_window_chars)
    return choose_candidates(hits, documents, limits, **how)  # type: ignore[arg-type]


@given(
    st.lists(st.integers(0, 5), min_size=0, max_size=25),
    st.integers(0, 25),
    st.integers(0, 12),
    st.integers(0, 12),
)
def test_hits_and_reserve_take_turns_within_the_ceilings(
    ages: list[int], matching: int, most: int, reserve: int
) -> None:
    limits = Limits(candidate_docs=max(most, reserve), recent_reserve=reserve)
    documents = named(len(ages), min(matching, len(ages)), ages)
    candidates = offered(documents, limits)
    lexical = [each.document for each in candidates if each.origin == "lexical"]
    recent = [each.document for each in candidates if each.origin == "recent"]

    assert len({each.document.id for each in candidates}) == len(candidates)
    assert len(candidates) == min(limits.candidate_docs, len(documents))
    assert len(lexical) == min(matching, len(ages), limits.lexical_docs)
    assert [each.position for each in candidates] == list(range(1, len(candidates) + 1))
    turns = min(len(lexical), len(recent))
    assert [each.origin for each in candidates[: 2 * turns]] == ["lexical", "recent"] * turns
    assert len({each.origin for each in candidates[2 * turns :]}) <= 1
    rest = [each for each in documents if each not in lexical]
    assert recent == sorted(rest, key=lambda each: -each.mtime_ms)[: len(recent)]

    appended = offered(documents, limits, reserve="appended")
    assert [each.document for each in appended] == lexical + recent


def test_the_reserve_keeps_its_slots_however_many_hits_there_are() -> None:
    candidates = offered(named(300, 300), Limits())
    assert len(candidates) == 200
    assert sum(each.origin == "lexical" for each in candidates) == 180


def test_a_recent_document_that_is_a_hit_beyond_the_slots_may_come_by_the_reserve() -> None:
    limits = Limits(candidate_docs=4, recent_reserve=2)
    candidates = offered(named(6, 6), limits)
    assert [each.origin for each in candidates] == ["lexical", "recent"] * 2
    assert [each.document.relative_path[:3] for each in candidates] == ["000", "002", "001", "003"]


def test_the_capped_design_offers_every_document_in_pool_order() -> None:
    documents = (*named(3, 1), make_document("u.md", scope=Scope.USER))
    assert [each.document for each in every_document(documents)] == list(documents)


@given(st.sampled_from(sorted(ABLATIONS)), st.integers(0, 1))
def test_an_ablation_departs_from_the_design_in_one_thing(name: str, place: int) -> None:
    value = ABLATIONS[name][place]
    ablations = Ablations.parse({name: value})
    assert ablations.changed() == ({name: value} if place else {})


def test_an_ablation_that_there_is_not_is_refused_with_those_there_are() -> None:
    for values in ({"rescan": "capped"}, {"scan": "some"}, {"": ""}):
        try:
            Ablations.parse(values)
        except OptionError as error:
            assert "\n" not in str(error)
        else:
            raise AssertionError(values)


def test_the_capped_scan_leaves_out_what_is_not_managed() -> None:
    documents = named(4, 1)
    pool = make_pool(*documents)
    pool = type(pool)(documents=documents, unmanaged=frozenset({documents[3].id}))
    assert capped(pool).documents == documents[:3]
    assert recall("apple", pool).selection.documents == documents[3:]
    ablated = recall("apple", pool, RecallOptions(ablations=Ablations(scan="capped")))
    assert ablated.selection.documents == ()
    assert ablated.pool.beyond == documents[3:]
