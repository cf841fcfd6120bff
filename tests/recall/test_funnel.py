"""The funnel: the whole recall in one line."""

from __future__ import annotations

from memtui.limits import Limits
from memtui.memory.document import Pool, Scope, ScopeReport
from memtui.recall.funnel import funnel, reproduction
from memtui.recall.options import RecallOptions
from memtui.recall.pipeline import recall
from tests.helpers import make_document, make_pool


def line(pool: Pool, **options: object) -> str:
    asked = RecallOptions(**options)  # type: ignore[arg-type]
    return " → ".join(stage.text for stage in funnel(recall("apple", pool, asked)))


def orchard(count: int = 30, matching: int = 25) -> Pool:
    return make_pool(
        *(
            make_document(f"{place}.md", title="an apple" if place < matching else "a pear")
            for place in range(count)
        )
    )


def test_every_stage_has_its_count_and_its_ceiling() -> None:
    shown = line(orchard(), limits=Limits(candidate_docs=20, recent_reserve=5))
    assert shown.startswith(
        "pool 30 → eligible 30 → lexical 25/15 → reserve 5 → candidates 20/20 → manifest 20 "
    )
    assert "/ 25,000 B (candidates bind) → selected 5 → context " in shown
    assert shown.endswith("/12,000")


def test_it_says_what_binds() -> None:
    assert "(nothing binds)" in line(orchard(3))
    assert "(bytes bind)" in line(orchard(3), limits=Limits(manifest_bytes=100))


def test_the_capped_design_reserves_nothing_and_has_no_ceiling() -> None:
    shown = line(orchard(300), design="capped")
    assert "lexical 25 → reserve 0 → candidates 300 → manifest 300 " in shown
    assert " B (no ceiling) → selected 5" in shown


def test_it_says_what_is_reproduced_and_what_is_not() -> None:
    def read_as(*dialects: str) -> str:
        scopes = tuple(
            ScopeReport(scope, "/memory", dialect, "ok")
            for scope, dialect in zip(Scope, dialects, strict=False)
        )
        return reproduction(recall("apple", Pool(scopes=scopes)))

    assert read_as("qwen", "qwen") == "ranked as qwen-code 0.24, read as qwen"
    mixed = read_as("qwen", "claude")
    assert mixed.startswith("ranked as qwen-code 0.24, read as qwen and claude")
    assert "Claude Code's own ranking is not reproduced" in mixed
    assert read_as() == "ranked as qwen-code 0.24, read as nothing"
