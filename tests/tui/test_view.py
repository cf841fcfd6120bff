from dataclasses import replace

from memtui.limits import Limits
from memtui.memory.document import Pool, Scope, ScopeReport
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import recall
from memtui.tui.view.fates import Fate
from memtui.tui.view.ledger import manifest_pane
from memtui.tui.view.lists import hits_pane, pool_pane, reserve_pane
from memtui.tui.view.pieces import text_of
from memtui.tui.view.rows import PaneView
from memtui.tui.view.view import PoolOrder, View
from tests.tui.driving import NOW_MS, document, pool_of, skipped, small_pool


def view_of(
    query: str = "roll back a release", pool: Pool | None = None, **changes: object
) -> View:
    pool = pool or small_pool()
    options = RecallOptions(now_ms=NOW_MS, **changes)  # type: ignore[arg-type]
    return View.of(recall(query, pool, options), pool, 12.0)


def fates(view: View) -> dict[str, Fate]:
    return {view.entry(key).relative_path: fate for key, fate in view.fate_of.items()}


def cells(pane: PaneView) -> list[list[str]]:
    return [[text_of(cell) for cell in pane.rows.cells(index)] for index in range(len(pane.rows))]


def test_every_document_and_every_skipped_file_has_a_fate() -> None:
    limits = Limits(candidate_docs=10, recent_reserve=5, manifest_bytes=700)
    found = fates(view_of(limits=limits, recent_tools=("fetch_page",)))
    assert len(found) == 32
    assert found["rollback.md"] is Fate.SELECTED
    assert found["fetch.md"] is Fate.NOISE
    assert found["broken.md"] is Fate.SKIPPED
    assert found["note-32.md"] is Fate.POOL
    assert Fate.PACKED in found.values()
    assert Fate.CANDIDATE in found.values()


def test_a_selected_document_without_room_in_the_context_is_cut() -> None:
    view = view_of(limits=Limits(context_chars=900))
    assert view.recall.context.dropped
    assert all(view.fate_of[key] is Fate.CUT for key in view.recall.context.dropped)


def test_excluded_documents_stay_visible() -> None:
    pool = small_pool()
    pool = replace(pool, documents=pool.documents[1:], excluded=pool.documents[:1])
    assert fates(view_of(pool=pool))["rollback.md"] is Fate.LEFT_OUT


def test_a_capped_scan_leaves_the_others_visible() -> None:
    pool = small_pool()
    outside = frozenset(each.id for each in pool.documents[10:])
    view = view_of(pool=replace(pool, unmanaged=outside), ablations=Ablations(scan="capped"))
    assert {view.fate_of[key] for key in outside} == {Fate.LEFT_OUT}


def test_by_fate_the_selected_come_first_and_plain_documents_last() -> None:
    view = view_of(limits=Limits(candidate_docs=5, recent_reserve=2))
    met = [view.fate_of[key] for key in view.ordered(PoolOrder.FATE)]
    order = list(Fate)
    assert met == sorted(met, key=order.index)
    assert met[0] is Fate.SELECTED
    assert met[-1] is Fate.POOL


def test_every_order_lists_every_entry_once() -> None:
    view = view_of()
    for order in PoolOrder:
        assert sorted(view.ordered(order)) == sorted(view.catalogue.entries)


def test_by_scope_the_project_stands_before_the_user() -> None:
    view = view_of()
    scopes = [view.catalogue.entries[key].scope for key in view.ordered(PoolOrder.SCOPE)]
    assert scopes == sorted(scopes, key=list(Scope).index)


def test_two_skipped_files_of_one_name_keep_two_rows() -> None:
    view = view_of(pool=pool_of(document("a.md", "A"), skip=(skipped("x"), skipped("x"))))
    assert len(view.catalogue.entries) == 3


def test_a_skipped_file_says_why_in_the_pool() -> None:
    rows = cells(pool_pane(view_of(), PoolOrder.FATE))
    row = next(row for row in rows if "broken.md" in row[3])
    assert row[0] == "✗"
    assert "type-missing" in row[3]


def test_the_pool_says_how_many_a_filter_lets_through() -> None:
    view = view_of()
    keys = frozenset(list(view.catalogue.entries)[:3])
    pane = pool_pane(view, PoolOrder.FATE, keys)
    assert len(pane.rows) == 3
    assert text_of(pane.title[0]) == "1 pool 3 of 32"


def test_the_pool_says_that_a_scope_is_missing() -> None:
    pool = small_pool()
    failed = ScopeReport(Scope.TEAM, "/team", "claude", "failed", error="Permission denied")
    view = view_of(pool=replace(pool, scopes=(*pool.scopes, failed)))
    assert "incomplete" in text_of(pool_pane(view, PoolOrder.FATE).title[0])


def test_hits_say_where_the_points_come_from() -> None:
    rows = cells(hits_pane(view_of()))
    assert rows[0][:2] == ["1", "29"] or rows[0][0] == "1"
    points = rows[0][1]
    assert sum(int(cell) for cell in rows[0][3:7] if cell != "·") == int(points)


def test_hits_without_a_token_say_why() -> None:
    assert "three letters" in hits_pane(view_of("ab")).rows.nothing
    assert "type a query" in hits_pane(view_of("  ")).rows.nothing
    assert "zebra" in hits_pane(view_of("zebra")).rows.nothing


def test_the_reserve_is_in_order_of_age_and_names_the_slot() -> None:
    view = view_of()
    pane = reserve_pane(view)
    keys = [pane.rows.key(index) for index in range(len(pane.rows))]
    times = [view.catalogue.entries[key].mtime_ms for key in keys]
    assert times == sorted(times, reverse=True)
    slots = {row[2] for row in cells(pane)}
    assert "by score" in slots
    assert any(slot.startswith("slot ") for slot in slots)


def test_an_appended_reserve_shows_how_little_of_it_is_packed() -> None:
    limits = Limits(manifest_bytes=400)
    pane = reserve_pane(view_of(limits=limits, ablations=Ablations(reserve="appended")))
    assert text_of(pane.subtitle[0]).startswith("reserve packed ")
    assert text_of(pane.subtitle[0]).endswith("· appended")


def test_the_manifest_lists_every_candidate_with_a_verdict() -> None:
    view = view_of(limits=Limits(manifest_bytes=1_500))
    pane = manifest_pane(view)
    assert len(pane.rows) == len(view.recall.candidates)
    missed = [row for row in cells(pane) if row[2] == "✗"]
    assert missed
    assert all(row[4].startswith("needs ") for row in missed)
    assert "first miss #" in text_of(pane.subtitle[0])


def test_the_byte_counter_fits_every_width() -> None:
    pane = manifest_pane(view_of())
    assert pane.head is not None
    for width in range(120):
        assert len(text_of(pane.head(width))) <= width


def test_an_empty_store_says_so() -> None:
    view = view_of(pool=pool_of())
    assert pool_pane(view, PoolOrder.FATE).rows.nothing == "the store is empty"
    assert "no document" in manifest_pane(view).rows.nothing
