"""The rankers beside the lexical one: what they find, how they fuse, and what they say if not."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.endpoint import Endpoint, Secret
from memtui.limits import Limits
from memtui.memory.document import Document, Pool
from memtui.memory.edit import with_document
from memtui.recall.expansion import Expansion
from memtui.recall.funnel import reproduction
from memtui.recall.options import RANKER_NAMES, OptionError, RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.query import expand_query, parse_query
from memtui.recall.rank import rank_lexically
from memtui.recall.rankers import bm25 as bm25_module
from memtui.recall.rankers import embeddings as embeddings_module
from memtui.recall.rankers.base import RankerUnavailable, Ranking, normalised_score
from memtui.recall.rankers.choose import choose_embedder
from memtui.recall.rankers.embeddings import EndpointEmbedder
from memtui.recall.rankers.fuzzy import allowed_edits
from memtui.recall.rankers.registry import RANKERS, rank_all, ranks_by_ranker
from memtui.recall.record import recall_record
from memtui.samples.talks import load_talks, talk_pool, write_talk
from tests.bench.bench_rankers import first_rank, metrics
from tests.embeddings_server import EmbeddingsServer, embeddings_server
from tests.helpers import DAY_MS, NOW_MS, load, make_document, make_pool

LIMITS = Limits()
KEY = "sk-very-secret-0123456789"
WITHOUT_MODEL = [name for name in RANKERS if name != "vector"]

POOL = make_pool(
    make_document(
        "billing.md", title="Billing app", description="I switched to a new one recently"
    ),
    make_document("deploy.md", title="Deployments", description="Roll out on Fridays is forbidden"),
    make_document("dog.md", title="The dog", description="A puppy that likes running", body="Bark"),
    make_document("meeting.md", title="会議", description="来週の会議は火曜日に移動した"),
    make_document("coffee.md", title="Café crème", description="The barista knows"),
)


def ranked(name: str, query: str, pool: Pool = POOL, **options: Any) -> Ranking:
    asked = parse_query(query, LIMITS.query_tokens)
    return rank_all(name, pool, pool.documents, asked, LIMITS, **options)


def paths(ranking: Ranking) -> list[str]:
    return [hit.document.relative_path for hit in ranking.hits]


# -- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", load("contract.json")["fts"], ids=str)
def test_scores_are_normalised_by_the_strongest_hit(case: dict[str, Any]) -> None:
    assert normalised_score(case["rank"], case["max_magnitude"]) == pytest.approx(
        case["score"], rel=1e-12
    )


@pytest.mark.parametrize("name", ["bm25", "fuzzy"])
def test_the_best_hit_scores_1_and_none_more_or_0(name: str) -> None:
    ranking = ranked(name, "the billing app and the dog that is running")
    scores = [hit.score for hit in ranking.hits]
    assert scores[0] == 1
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert [hit.rank for hit in ranking.hits] == list(range(1, len(scores) + 1))


def test_points_of_any_hit_are_the_lexical_ones() -> None:
    query = "new billing app"
    lexical = {hit.document.id: hit.points for hit in ranked("lexical", query).hits}
    for name in WITHOUT_MODEL:
        for hit in ranked(name, query).hits:
            assert hit.points == lexical.get(hit.document.id, type(hit.points)()), name


def test_lexical_is_exactly_the_scorer_of_the_contract() -> None:
    query = parse_query("what have I switched to recently", LIMITS.query_tokens)
    ranking = rank_all("lexical", POOL, POOL.documents, query, LIMITS, most=1)
    assert ranking.hits == rank_lexically(POOL, POOL.documents, query.terms, 1200)


# -- bm25 -----------------------------------------------------------------------------------------


def test_bm25_finds_another_form_of_a_word() -> None:
    assert paths(ranked("bm25", "rolled"))[0] == "deploy.md"
    assert not ranked("lexical", "rolled").hits


def test_expanded_bm25_finds_a_form_that_the_stemmer_of_sqlite_does_not_know() -> None:
    assert not ranked("bm25", "deployed").hits
    query = expand_query(parse_query("deployed"), POOL, Expansion())
    assert paths(rank_all("bm25", POOL, POOL.documents, query, LIMITS)) == ["deploy.md"]


def test_bm25_finds_cjk_without_spaces_in_it() -> None:
    assert paths(ranked("bm25", "火曜日"))[0] == "meeting.md"
    assert paths(ranked("bm25", "会議はいつ"))[0] == "meeting.md"
    assert not ranked("bm25", "木曜会").hits


def test_bm25_finds_words_too_short_to_be_tokens() -> None:
    pool = make_pool(make_document("ci.md", title="CI", description="It is red"), *POOL.documents)
    assert paths(ranked("bm25", "CI", pool))[0] == "ci.md"


def test_bm25_ignores_accents_and_width() -> None:
    assert paths(ranked("bm25", "cafe"))[0] == "coffee.md"
    assert paths(ranked("bm25", "ｂｉｌｌｉｎｇ"))[0] == "billing.md"


def test_bm25_knows_a_word_that_every_memory_has() -> None:
    pool = make_pool(
        *(make_document(f"{n}.md", title="note", description=f"alpha {n}") for n in range(3))
    )
    assert len(ranked("bm25", "alpha", pool).hits) == 3


@pytest.mark.parametrize(
    "query",
    [
        '"', "'", 'a" OR "b', "NEAR(a b)", "title: dog", "dog AND", "-dog", "dog*", "^dog", "(dog",
        "dog) OR (", "{title}: dog", "\0dog", "dog\0", "\ud800 dog", "%_", "a" * 5_000, "️‍🐶",
        " ".join(f"word{n}" for n in range(2_000)), "", "  ", "हिन्दी", "۰۱۲", "ﷺ", "🚀", "。、",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", WITHOUT_MODEL)
def test_no_query_is_a_syntax_error(name: str, query: str) -> None:
    ranking = ranked(name, query)
    assert ranking.ranker == name
    assert not ranking.missing


@given(st.text(max_size=60))
def test_bm25_takes_any_text(query: str) -> None:
    assert ranked("bm25", query).ranker == "bm25"


@given(st.lists(st.text(max_size=40), max_size=4))
def test_bm25_indexes_any_text(texts: list[str]) -> None:
    documents = [
        make_document(f"{n}.md", title=text, description=text, body=text)
        for n, text in enumerate(texts)
    ]
    assert ranked("bm25", "any", make_pool(*documents)).ranker == "bm25"


def test_only_the_window_of_a_body_is_indexed() -> None:
    pool = make_pool(make_document(title="a", body="x " * 600 + "needle"))
    assert not ranked("bm25", "needle", pool).hits
    wide = Limits(body_window_chars=2_000)
    query = parse_query("needle")
    assert rank_all("bm25", pool, pool.documents, query, wide).hits


def test_the_index_is_built_once_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    original = bm25_module.Index._fill

    def counted(self: Any, texts: Any) -> None:
        built.append(len(texts))
        original(self, texts)

    monkeypatch.setattr(bm25_module.Index, "_fill", counted)
    pool = make_pool(*POOL.documents)
    for name in ("bm25", "hybrid", "bm25"):
        ranked(name, "dog", pool)
    assert built == [len(pool.documents)]


def test_a_changed_pool_is_indexed_anew() -> None:
    pool = make_pool(*POOL.documents)
    assert not ranked("bm25", "zeppelin", pool).hits
    changed = with_document(pool, replace(pool.documents[0], title="Zeppelin"), LIMITS)
    assert len(ranked("bm25", "zeppelin", changed).hits) == 1
    assert len(ranked("fuzzy", "zepelin", changed).hits) == 1


@pytest.mark.parametrize("name", WITHOUT_MODEL)
def test_only_eligible_memories_are_found(name: str) -> None:
    eligible = POOL.documents[1:]
    asked = parse_query("the new billing app and the dog")
    found = rank_all(name, POOL, eligible, asked, LIMITS).order
    assert POOL.documents[0].id not in found
    assert POOL.documents[2].id in found


@pytest.mark.parametrize("name", WITHOUT_MODEL)
def test_equal_scores_stand_newest_first_then_in_pool_order(name: str) -> None:
    pool = make_pool(
        make_document("a.md", title="same words", mtime_ms=NOW_MS - DAY_MS, body="b"),
        make_document("b.md", title="same words", mtime_ms=NOW_MS, body="b"),
        make_document("c.md", title="same words", mtime_ms=NOW_MS - DAY_MS, body="b"),
    )
    assert paths(ranked(name, "same words", pool)) == ["b.md", "a.md", "c.md"]


# -- no query is lost to stop words ---------------------------------------------------------------


@pytest.mark.parametrize("expand", [None, Expansion()])
@pytest.mark.parametrize("name", WITHOUT_MODEL)
@pytest.mark.parametrize(
    "query",
    ["what have I used recently", "what have i", "to a", "What did I switch to?", "recently"],
)
def test_no_query_is_lost_to_function_words(
    name: str, query: str, expand: Expansion | None
) -> None:
    if query == "to a" and name == "lexical":
        pytest.skip("the contract's scorer knows no word of two letters")
    pool = make_pool(
        make_document(
            "billing.md",
            title="Billing",
            description="What can I say: I have switched to a new billing app recently",
        ),
        *POOL.documents[1:],
    )
    result = recall(query, pool, RecallOptions(ranker=name, expand=expand, now_ms=NOW_MS))
    assert result.ranker == name
    assert "billing.md" in [hit.document.relative_path for hit in result.hits]
    assert "billing.md" in [each.relative_path for each in result.selection.documents]


def test_function_words_move_no_memory_past_a_telling_word() -> None:
    pool = make_pool(
        make_document("a.md", title="What did they do", description="When did what and how"),
        make_document("b.md", title="Zeppelin", description="It flew"),
    )
    assert paths(ranked("bm25", "When and how did they build the zeppelin?", pool))[0] == "b.md"


# -- talks ----------------------------------------------------------------------------------------


def turns(*texts: tuple[str, str]) -> Pool:
    return make_pool(
        *(
            make_document(f"t{n}.md", title=who, description=text, mtime_ms=NOW_MS + n)
            for n, (who, text) in enumerate(texts)
        )
    )


TALK = turns(
    ("Ada", "Did you hear about the harvest festival?"),
    ("Bo", "We danced until the morning."),
    ("Ada", "I was at work, sadly."),
    ("Bo", "Next time then. The morning train was late."),
    ("Ada", "Bo, you should have called me in the morning."),
    ("Bo", "I know."),
)


def test_a_fragment_leans_on_the_one_before_it() -> None:
    assert paths(ranked("bm25", "festival morning", TALK))[:2] == ["t0.md", "t1.md"]


def test_a_memory_with_a_body_stands_for_itself() -> None:
    whole = make_pool(*(replace(each, body="More of it.") for each in TALK.documents))
    scores = {
        hit.document.relative_path: hit.score for hit in ranked("bm25", "morning", whole).hits
    }
    alone = {hit.document.relative_path: hit.score for hit in ranked("bm25", "morning", TALK).hits}
    assert scores["t3.md"] != alone["t3.md"]
    assert ranked("bm25", "festival", whole).order == (whole.documents[0].id,)


def test_who_is_asked_about_counts_by_who_speaks() -> None:
    assert paths(ranked("bm25", "When did Bo see the morning?", TALK))[0] in ("t1.md", "t3.md")
    assert "t4.md" in paths(ranked("bm25", "When did Bo see the morning?", TALK))


# -- fuzzy ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["biling", "billnig", "bilding ap", "recentyl"])
def test_fuzzy_finds_a_misspelling(query: str) -> None:
    assert paths(ranked("fuzzy", query))[0] == "billing.md"
    assert not ranked("lexical", query.split()[0]).hits


def test_fuzzy_finds_a_word_that_begins_so() -> None:
    assert paths(ranked("fuzzy", "deploy"))[0] == "deploy.md"


@pytest.mark.parametrize(
    ("word", "edits"),
    [
        ("dog", 0),
        ("dogs", 1),
        ("billing", 1),
        ("deployed", 2),
        ("x" * 64, 2),
        ("x" * 65, 0),
        ("v1.2", 0),
        ("sha256", 0),
    ],
)
def test_short_and_huge_words_and_numbers_are_not_misspelled(word: str, edits: int) -> None:
    assert allowed_edits(word) == edits


# -- hybrid ---------------------------------------------------------------------------------------


def test_hybrid_is_the_sum_of_reciprocal_ranks() -> None:
    query = "what did the new dog like"
    lists = [ranked(name, query).ranks for name in ("lexical", "bm25")]
    hits = ranked("hybrid", query).hits
    assert {hit.document.id for hit in hits} == set(lists[0]) | set(lists[1])
    for hit in hits:
        expected = sum(
            1 / (60 + ranks[hit.document.id]) for ranks in lists if hit.document.id in ranks
        )
        assert hit.score == pytest.approx(expected, rel=1e-12)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_expanded_hybrid_is_not_led_by_function_words() -> None:
    pool = make_pool(
        make_document("a.md", title="What they did when", description="how did what and when they"),
        make_document("b.md", title="Zeppelin", description="It flew"),
    )
    query = expand_query(
        parse_query("When and how did they build the zeppelin?"), pool, Expansion()
    )
    found = rank_all("hybrid", pool, pool.documents, query, LIMITS, expanded=True)
    assert paths(found)[0] == "b.md"


# -- the pipeline ---------------------------------------------------------------------------------


def many(count: int = 60) -> Pool:
    return make_pool(
        *(
            make_document(f"{n}.md", title=f"Note {n}", description="alpha beta", body="x")
            for n in range(count)
        )
    )


@pytest.mark.parametrize("name", [each for each in WITHOUT_MODEL if each != "lexical"])
def test_ranked_retrieval_is_cut_at_the_planned_limit(name: str) -> None:
    result = recall("alpha", many(), RecallOptions(ranker=name, now_ms=NOW_MS))
    assert len(result.hits) == result.budget.candidates == 15
    assert len(result.ranking.order) == 60
    assert result.ranking.order[:15] == tuple(hit.document.id for hit in result.hits)
    step = next(step for step in result.trace.steps if step.name == f"rank.{name}")
    assert (step.meta["hits"], step.meta["found"]) == (15, 60)
    assert result.trace.mode == f"{name}/heuristic"
    assert recall_record(result, traced=False)["ranker"] == name
    assert f"ranked by {name}" in reproduction(result)


def test_lexical_is_never_cut() -> None:
    assert len(recall("alpha", many(), RecallOptions(now_ms=NOW_MS)).hits) == 60


def test_the_lexical_trace_step_is_what_it_was() -> None:
    result = recall("alpha", many(), RecallOptions(now_ms=NOW_MS))
    step = next(step for step in result.trace.steps if step.name == "rank.lexical")
    assert step.meta == {"tokens": 1, "hits": 60}
    assert not result.warnings


def test_an_unknown_ranker_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match="no ranker is called 'pagerank'"):
        recall("alpha", POOL, RecallOptions(ranker="pagerank"))


# -- a ranker that can not run --------------------------------------------------------------------


def step_of(result: Recall) -> dict[str, Any]:
    step = next(step for step in result.trace.steps if step.name == f"rank.{result.ranker}")
    return dict(step.meta)


def test_vector_without_an_endpoint_falls_back_to_hybrid_and_says_so() -> None:
    result = recall("billing app", POOL, RecallOptions(ranker="vector", now_ms=NOW_MS))
    assert result.ranker == "hybrid"
    assert step_of(result)["asked"] == "vector"
    assert step_of(result)["missing"] == ("vector: no-endpoint",)
    assert len(result.warnings) == 1
    assert "the ranker vector could not run" in result.warnings[0]
    assert "ranked by hybrid instead" in result.warnings[0]
    assert recall_record(result, traced=False)["ranker"] == "hybrid"


@pytest.fixture
def no_fts5(monkeypatch: pytest.MonkeyPatch) -> None:
    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            return super().execute(sql.replace("fts5(", "no_fts5("), *arguments)

    connect = sqlite3.connect
    monkeypatch.setattr(
        bm25_module.sqlite3,
        "connect",
        lambda path, **named: connect(path, **named, factory=Connection),
    )


@pytest.mark.usefixtures("no_fts5")
@pytest.mark.parametrize("name", ["bm25", "hybrid", "vector"])
def test_without_fts5_the_lexical_ranker_ranks_and_says_so(name: str) -> None:
    pool = make_pool(*POOL.documents)
    result = recall("billing app", pool, RecallOptions(ranker=name, now_ms=NOW_MS))
    assert result.ranker == "lexical"
    assert result.hits == recall("billing app", pool, RecallOptions(now_ms=NOW_MS)).hits
    assert result.trace.mode == "lexical/heuristic"
    assert step_of(result)["asked"] == name
    assert any(each.endswith("no-fts5") for each in step_of(result)["missing"])
    assert any("this SQLite has no FTS5" in each for each in result.warnings)


# -- vector ---------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with embeddings_server() as running:
        yield running


def embedder(server: EmbeddingsServer, cache: Path | None = None, **named: Any) -> EndpointEmbedder:
    return EndpointEmbedder(Endpoint(server.url, "tiny", Secret(KEY)), cache, **named)


def test_vector_finds_by_meaning(server: EmbeddingsServer) -> None:
    ranking = ranked("vector", "payment", embedder=embedder(server))
    assert ranking.ranker == "vector"
    assert paths(ranking)[0] == "billing.md"
    assert all(0 < hit.score <= 1 for hit in ranking.hits)
    assert ranking.hits[0].points.total == 0
    assert server.requests[0]["path"] == "/v1/embeddings"
    assert server.requests[0]["model"] == "tiny"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_hybrid_takes_vector_in_where_it_is_configured(server: EmbeddingsServer) -> None:
    using = embedder(server)
    lists = [
        ranked(name, "payment app", embedder=using).ranks for name in ("lexical", "bm25", "vector")
    ]
    for hit in ranked("hybrid", "payment app", embedder=using).hits:
        found = [ranks[hit.document.id] for ranks in lists if hit.document.id in ranks]
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in found), rel=1e-12)


def test_vectors_are_kept_by_content_and_queries_are_not(
    server: EmbeddingsServer, tmp_path: Path
) -> None:
    cache = tmp_path / "state" / "embeddings.db"
    ranked(
        "vector", "secret question", make_pool(*POOL.documents), embedder=embedder(server, cache)
    )
    assert [len(each["input"]) for each in server.requests] == [1, 5]
    pool = make_pool(replace(POOL.documents[0], title="Changed"), *POOL.documents[1:])
    ranked("vector", "secret question", pool, embedder=embedder(server, cache))
    assert [len(each["input"]) for each in server.requests] == [1, 5, 1, 1]
    with sqlite3.connect(cache) as connection:
        rows = connection.execute("SELECT space, text_hash, vector FROM embeddings").fetchall()
    assert len(rows) == 6
    assert b"secret" not in cache.read_bytes()
    assert b"Billing" not in cache.read_bytes()
    assert KEY.encode() not in cache.read_bytes()


def test_another_model_does_not_see_the_vectors_of_this_one(
    server: EmbeddingsServer, tmp_path: Path
) -> None:
    one = embedder(server, tmp_path / "e.db")
    other = replace(one, endpoint=replace(one.endpoint, model="large"))
    one.documents(["dog"])
    other.documents(["dog"])
    one.documents(["dog"])
    assert [each["model"] for each in server.requests] == ["tiny", "large"]


def test_texts_are_asked_for_in_batches_and_each_once(server: EmbeddingsServer) -> None:
    texts = [f"dog {n % 150}" for n in range(300)]
    vectors = embedder(server).documents(texts)
    assert [len(each["input"]) for each in server.requests] == [64, 64, 22]
    assert len(vectors) == 300
    assert all(math.isclose(math.hypot(*each), 1, rel_tol=1e-6) for each in vectors)


def test_a_warm_pool_asks_only_for_the_query(server: EmbeddingsServer) -> None:
    pool = make_pool(*POOL.documents)
    using = embedder(server)
    for _ in range(3):
        ranked("vector", "dog", pool, embedder=using)
    assert [len(each["input"]) for each in server.requests] == [1, 5, 1, 1]


@pytest.mark.parametrize("broken", ["folder", "garbage", "read-only"])
def test_a_cache_that_can_not_be_used_costs_only_time(
    server: EmbeddingsServer, tmp_path: Path, broken: str
) -> None:
    cache = tmp_path / "e.db"
    if broken == "folder":
        cache.mkdir()
    elif broken == "garbage":
        cache.write_bytes(b"no database at all" * 100)
    else:
        (tmp_path / "file").write_text("")
        cache = tmp_path / "file" / "e.db"
    ranking = ranked("vector", "dog", make_pool(*POOL.documents), embedder=embedder(server, cache))
    assert ranking.ranker == "vector"


def test_the_cache_does_not_grow_without_end(
    server: EmbeddingsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings_module, "MOST_KEPT", 3)
    using = embedder(server, tmp_path / "e.db")
    using.documents([f"dog {n}" for n in range(5)])
    with sqlite3.connect(tmp_path / "e.db") as connection:
        assert connection.execute("SELECT count(*) FROM embeddings").fetchone() == (3,)


BODIES = {
    "no JSON": b"<html>",
    "no object": b"[]",
    "no data": b"{}",
    "prose around": b'Here: {"data": []}',
    "too few": b'{"data": []}',
    "no embedding": b'{"data": [{"index": 0}]}',
    "empty embedding": b'{"data": [{"embedding": []}]}',
    "texts": b'{"data": [{"embedding": ["a"]}]}',
    "not a number": b'{"data": [{"embedding": [NaN, 1]}]}',
    "huge number": b'{"data": [{"embedding": [1e999]}]}',
    "truth": b'{"data": [{"embedding": [true]}]}',
    "long whole number": b'{"data": [{"embedding": [1' + b"0" * 400 + b"]}]}",
    "wrong index": b'{"data": [{"index": 7, "embedding": [1]}]}',
    "unhashable index": b'{"data": [{"index": [], "embedding": [1]}]}',
    "deep": b"[" * 100_000,
    "a list of texts": b'{"data": ["a"]}',
    "not UTF-8": b"\xff\xfe",
    "empty": b"",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_an_answer_that_is_no_list_of_embeddings_is_refused(
    server: EmbeddingsServer, body: bytes
) -> None:
    server.behaviour, server.body = "body", body
    ranking = ranked("vector", "dog", embedder=embedder(server))
    assert ranking.ranker == "hybrid"
    assert [each.code for each in ranking.missing] == ["invalid-answer"]


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("status_500", "http-status"),
        ("status_429", "http-status"),
        ("redirect", "http-status"),
        ("close", "no-connection"),
        ("hang", "timed-out"),
        ("trickle", "timed-out"),
        ("trickle_headers", "timed-out"),
        ("huge", "too-large"),
    ],
)
def test_a_server_that_misbehaves_is_named_and_hybrid_ranks(
    server: EmbeddingsServer, behaviour: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings_module, "MOST_RESPONSE_BYTES", 2_000_000)
    server.behaviour = behaviour
    started = time.monotonic()
    patience = 10.0 if code == "too-large" else 0.3
    using = embedder(server, request_timeout_s=patience)
    result = recall("dog", POOL, RecallOptions(ranker="vector", embedder=using, now_ms=NOW_MS))
    assert time.monotonic() - started < 8
    assert result.ranker == "hybrid"
    assert step_of(result)["missing"] == (f"vector: {code}",)
    everything = f"{result.warnings} {recall_record(result, traced=True)} {result!r}"
    assert KEY not in everything
    assert all("elsewhere" not in each["path"] for each in server.requests)


def test_a_server_that_is_not_there_is_named() -> None:
    nowhere = EndpointEmbedder(Endpoint("http://127.0.0.1:9/v1", "tiny", Secret(KEY)))
    ranking = ranked("hybrid", "dog", embedder=nowhere)
    assert ranking.ranker == "hybrid"
    assert [each.ranker for each in ranking.missing] == ["vector"]
    assert "ranked by hybrid without it" in ranking.warnings[0]


def test_an_endpoint_that_is_too_slow_for_a_large_pool_is_named(server: EmbeddingsServer) -> None:
    using = embedder(server, total_timeout_s=0.0)
    with pytest.raises(RankerUnavailable, match="0 of 1 memories in 0 s"):
        using.documents(["dog"])


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (Endpoint("", "tiny"), "no URL is set"),
        (Endpoint("http://localhost/v1", ""), "no model is set"),
        (Endpoint("ftp://localhost", "tiny"), "no http or https URL"),
        (Endpoint("http://localhost/v1", "tiny", Secret(f"{KEY}\n")), "API key has a character"),
    ],
)
def test_an_endpoint_that_is_half_configured_says_what_is_missing(
    endpoint: Endpoint, words: str
) -> None:
    ranking = ranked("vector", "dog", embedder=EndpointEmbedder(endpoint))
    assert words in ranking.warnings[0]
    assert KEY not in ranking.warnings[0]


def test_the_environment_wins_over_the_configuration(tmp_path: Path) -> None:
    table = {"url": "http://localhost:1/v1", "model": "a", "api_key": KEY}
    chosen = choose_embedder({"MEMTUI_EMBEDDINGS_MODEL": "b"}, table, tmp_path)
    assert isinstance(chosen, EndpointEmbedder)
    assert (chosen.endpoint.model, chosen.cache) == ("b", tmp_path / "embeddings.db")
    assert KEY not in repr(chosen)
    assert choose_embedder({}, {}, tmp_path) is None


# -- side by side ---------------------------------------------------------------------------------


def test_the_ranks_of_every_ranker_stand_side_by_side(server: EmbeddingsServer) -> None:
    query = parse_query("payment app")
    found = ranks_by_ranker(POOL, POOL.documents, query, LIMITS, embedder=embedder(server))
    assert found.rankers == tuple(RANKERS)
    assert not found.missing
    for name in RANKERS:
        expected = ranked(name, "payment app", embedder=embedder(server)).ranks
        ranks = {key: each[name] for key, each in found.ranks.items() if name in each}
        assert ranks == expected, name


def test_a_ranker_that_can_not_run_has_no_column() -> None:
    found = ranks_by_ranker(POOL, POOL.documents, parse_query("dog"), LIMITS)
    assert found.rankers == ("lexical", "bm25", "fuzzy", "hybrid")
    assert [each.ranker for each in found.missing] == ["vector"]
    assert all("vector" not in ranks for ranks in found.ranks.values())


# -- the invented talks ---------------------------------------------------------------------------


def test_a_title_from_a_file_name_that_is_no_utf8_ends_no_ranker() -> None:
    pool = make_pool(make_document("a.md", title="caf\udce9 crème"), *POOL.documents)
    query = parse_query("crème")
    for name in WITHOUT_MODEL:
        assert rank_all(name, pool, pool.documents, query, LIMITS).ranks
    assert "bm25" in ranks_by_ranker(pool, pool.documents, query, LIMITS).rankers


def test_the_talks_have_the_shape_they_say() -> None:
    talks = load_talks()
    assert len(talks) == 3
    for talk in talks:
        known = {turn.path for turn in talk.turns}
        assert len(known) == len(talk.turns) >= 200
        assert len(talk.questions) >= 60
        assert len(talk.speakers) == 2
        assert all(set(question.relevant) <= known for question in talk.questions)
        assert all(not each.body and each.description for each in talk_pool(talk).documents)


def test_a_talk_reads_from_files_as_it_is_made(tmp_path: Path) -> None:
    from memtui.memory.document import Scope
    from memtui.memory.scan import Source, scan_pool

    talk = load_talks()[0]
    write_talk(talk, tmp_path)
    pool = scan_pool([Source(Scope.PROJECT, str(tmp_path), "claude")], LIMITS)

    def plain(each: Document) -> tuple[str, str, str, str, float]:
        return each.id, each.title, each.description, each.body, each.mtime_ms

    assert [plain(each) for each in pool.documents] == [
        plain(each) for each in talk_pool(talk).documents
    ]


def test_on_the_talks_every_step_helps() -> None:
    talks = [(talk, talk_pool(talk)) for talk in load_talks()]

    def measured(name: str, expanded: bool) -> dict[str, float]:
        return metrics(
            [
                first_rank(pool, question.query, question.relevant_ids, name, expanded)
                for talk, pool in talks
                for question in talk.questions
            ]
        )

    lexical, bm25 = measured("lexical", False), measured("bm25", False)
    hybrid = measured("hybrid", True)
    assert bm25["any@10"] > 1.2 * lexical["any@10"]
    assert hybrid["any@10"] > 1.3 * lexical["any@10"]
    assert bm25["mrr"] > 1.3 * lexical["mrr"]
    assert hybrid["mrr"] > 1.5 * lexical["mrr"]


def test_the_names_that_can_be_asked_for_are_those_of_the_registry() -> None:
    assert tuple(RANKERS) == RANKER_NAMES
