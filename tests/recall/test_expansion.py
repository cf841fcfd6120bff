"""What is added to a query, from where, and that nothing is taken away."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.config import ConfigError, load_config
from memtui.memory.document import Pool
from memtui.recall.expansion import (
    LONGEST_WORD,
    MOST_FORMS,
    MOST_LABELS,
    MOST_TERMS,
    Expansion,
    stem_of,
)
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from memtui.recall.query import expand_query, parse_query
from memtui.recall.rankers.words import MOST_WORDS
from tests.helpers import NOW_MS, make_document, make_pool


def pool_of(*descriptions: str) -> Pool:
    return make_pool(
        *(
            make_document(f"{n}.md", title="T", description=text)
            for n, text in enumerate(descriptions)
        )
    )


def added(query: str, *descriptions: str) -> tuple[str, ...]:
    return Expansion()(query, pool_of(*descriptions))


# -- forms ----------------------------------------------------------------------------------------


def test_forms_of_a_word_that_the_pool_has() -> None:
    assert added("painted", "she paints", "a painting", "paint the wall", "a pain") == (
        "paint",
        "painting",
        "paints",
    )


def test_a_form_that_the_pool_does_not_have_is_not_added() -> None:
    assert added("painted", "nothing of the kind") == ()


def test_irregular_forms() -> None:
    assert added("When did he buy it?", "he bought two", "buying more") == ("buying", "bought")
    assert added("the children", "a child") == ("child",)
    assert added("whose wife", "their wives") == ("wives",)


def test_russian_forms() -> None:
    assert added("ответы", "готовый ответ") == ("ответ",)


def test_function_words_have_no_forms() -> None:
    assert added("what have they been doing", "having had it done, does it") == ()


def test_at_most_so_many_forms_of_a_word_the_most_frequent_first() -> None:
    forms = ["connects", "connected", "connecting", "connection", "connections", "connective",
             "connectively"]  # fmt: skip
    found = added("connect", *forms, "connections", "connections")
    assert len(found) == MOST_FORMS
    assert found[0] == "connections"


# -- identifiers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("fetchPage", {"fetch", "page"}),
        ("HTTPServer", {"http", "server"}),
        ("parse_json_file", {"parsejsonfile"}),
        ("fetch page", {"fetchpage"}),
        ("fetch-page", {"fetchpage"}),
    ],
)
def test_identifiers_are_split_and_joined(query: str, terms: set[str]) -> None:
    pool = pool_of("call fetchPage", "see parseJsonFile", "an HTTP server", "fetch the page")
    assert terms <= set(Expansion()(query, pool))


def test_a_joined_word_is_split_where_the_pool_writes_two() -> None:
    assert added("webhook", "the web hook fires") == ("web", "hook")
    assert added("carpet", "a car and a pet") == ()


# -- synonyms -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("letters", "terms"), [(LONGEST_WORD, 2), (LONGEST_WORD + 2, 0)])
def test_only_a_word_that_may_be_one_is_tried_as_two(letters: int, terms: int) -> None:
    one, two = "a" * (letters // 2), "b" * (letters // 2)
    assert len(added(one + two, f"{one} {two}")) == terms


def test_a_huge_word_has_no_other_form_and_is_its_own_stem() -> None:
    assert stem_of("deployments") == "deploy"
    assert stem_of("x" * 100_000 + "ments") == "x" * 100_000 + "ments"


def test_of_a_huge_query_the_first_words_are_expanded() -> None:
    filling = " ".join("q" * n for n in range(1, MOST_WORDS + 1))
    assert added(f"deployments {filling}", "we deploy it") == ("deploy",)
    assert added(f"{filling} deployments", "we deploy it") == ()


def test_synonyms_are_the_users_own() -> None:
    expand = Expansion({"k8s": ["Kubernetes"], "pull request": ["merge request", "MR-note"]})
    pool = pool_of("x")
    assert expand("our k8s cluster", pool) == ("kubernetes",)
    assert expand("the Pull Request", pool) == ("merge", "note")
    assert expand("pull the request", pool) == ()


def test_synonyms_come_from_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[synonyms]\nk8s = ["kubernetes"]\n')
    assert Expansion(load_config(path).synonyms)("k8s", pool_of("x")) == ("kubernetes",)


@pytest.mark.parametrize("line", ['synonyms = ["a"]', '[synonyms]\na = "b"', "[synonyms]\na = [1]"])
def test_synonyms_that_are_no_table_of_lists_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(line)
    with pytest.raises(ConfigError, match="synonyms must be a table with lists of texts"):
        load_config(path)


def test_an_endpoint_for_embeddings_comes_from_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[embeddings]\nurl = "http://localhost/v1"\nmodel = "m"\napi_key = "sk-1"\n')
    config = load_config(path)
    assert config.embeddings["model"] == "m"
    assert "sk-1" not in repr(config)
    path.write_text('[embeddings]\nkey = "m"\n')
    with pytest.raises(ConfigError, match="embeddings must be a table"):
        load_config(path)


# -- names ----------------------------------------------------------------------------------------


def test_what_a_named_memory_calls_itself_and_links_to() -> None:
    pool = make_pool(
        make_document(
            "a.md",
            title="Billing",
            body="See [[Ledger export|the export]] and [[nightly-run#when]].",
            frontmatter="name: Billing\naliases: [invoices, 'dunning']\ntags:\n  - money\n  - eur",
        ),
        make_document("b.md", title="Other", frontmatter="aliases: [never]"),
    )
    found = Expansion()("where is billing described?", pool)
    assert set(found) == {
        "invoices",
        "dunning",
        "money",
        "eur",
        "export",
        "ledger",
        "nightly",
        "run",
    }


def test_an_alias_leads_to_the_title() -> None:
    pool = make_pool(make_document(title="Ledger service", frontmatter="aliases: invoices"))
    assert Expansion()("our invoices", pool) == ("ledger", "service")


def test_of_a_memory_with_very_many_names_the_first_are_read() -> None:
    aliases = ", ".join("q" * n for n in range(3, MOST_LABELS + 3))
    pool = make_pool(make_document(title="Zanzibar", frontmatter=f"aliases: [{aliases}, omega]"))
    assert "qqq" in Expansion()("zanzibar", pool)
    assert Expansion()("omega", pool) == ()


def test_a_title_that_the_query_holds_in_part_is_not_named() -> None:
    pool = make_pool(make_document(title="Ledger service", frontmatter="aliases: invoices"))
    assert Expansion()("the ledger", pool) == ()


# -- the whole ------------------------------------------------------------------------------------

RICH = make_pool(
    make_document("a.md", title="Deploys", description="deployed and deploying fetchPage"),
    make_document("b.md", title="Runbook", description="He ran the web hook", body="[[Deploys]]"),
)


@given(st.text(max_size=80))
def test_any_query_expands_within_bounds_and_the_same_each_time(query: str) -> None:
    found = Expansion({"a": ["b c"]})(query, RICH)
    assert found == Expansion({"a": ["b c"]})(query, RICH)
    assert len(found) <= MOST_TERMS
    assert len(set(found)) == len(found)


def test_there_is_a_bound_to_what_is_added() -> None:
    expand = Expansion({"alpha": [f"word{n}" for n in range(500)]})
    assert len(expand("alpha", RICH)) == MOST_TERMS


@given(st.text(max_size=80))
def test_no_token_of_a_query_is_lost(query: str) -> None:
    plain = parse_query(query)
    expanded = expand_query(plain, RICH, Expansion())
    assert expanded.tokens == plain.tokens
    assert not set(expanded.added_terms) & set(plain.tokens)


def test_an_everyday_question_keeps_its_memory() -> None:
    pool = pool_of("I switched to a new billing app recently", "Something else that was used")
    for expand in (None, Expansion()):
        result = recall(
            "what have I used recently", pool, RecallOptions(expand=expand, now_ms=NOW_MS)
        )
        assert "0.md" in [each.relative_path for each in result.selection.documents]


def test_off_by_default_and_only_its_count_is_traced() -> None:
    plain = recall("deploy", RICH, RecallOptions(now_ms=NOW_MS))
    assert not plain.query.added_terms
    assert all(step.name != "query.expand" for step in plain.trace.steps)
    wide = recall("deploy", RICH, RecallOptions(expand=Expansion(), now_ms=NOW_MS))
    assert wide.query.added_terms == ("deploys", "deployed", "deploying")
    step = next(step for step in wide.trace.steps if step.name == "query.expand")
    assert step.meta == {"added": 3}


def test_nothing_is_traced_where_nothing_was_added() -> None:
    wide = recall("zzz", RICH, RecallOptions(expand=Expansion(), now_ms=NOW_MS))
    assert all(step.name != "query.expand" for step in wide.trace.steps)
