"""The engine that the faces share: one scan, one recall, one trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engine import Engine
from memtui.memory.document import RootNotFound, Scope, ScopeFailed
from memtui.memory.scan import Source
from memtui.recall.options import RecallOptions
from memtui.setup import Setup, sources_for
from memtui.state import TraceStore
from memtui.traces import StateError
from tests.helpers import NOW_MS, write_memory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / ".qwen" / "memory"
    write_memory(folder, "apples.md", title="How apples are kept")
    write_memory(folder, "pears.md", title="Pears")
    return folder


def engine_of(root: Path, **options: object) -> Engine:
    asked = RecallOptions(now_ms=NOW_MS, **options)  # type: ignore[arg-type]
    return Engine(Setup(sources=(Source(Scope.PROJECT, str(root)),), options=asked))


def test_an_engine_that_was_given_no_root_reads_nothing() -> None:
    engine = Engine(Setup())
    assert not engine.setup.reads_something
    assert engine.scan().documents == ()
    assert engine.recall("apples").selection.strategy == "none"


def test_a_recall_scans_inside_its_trace_and_is_recorded(root: Path) -> None:
    engine = engine_of(root, source="api")
    result = engine.recall("apples")
    assert [each.title for each in result.selection.documents] == ["How apples are kept"]
    assert engine.record(result)
    assert TraceStore().get(result.trace.trace_id) == result.trace


@pytest.mark.parametrize(
    ("asked", "requested", "effective"),
    [(50, 50, 20), ("7 or so", 7, 7), (0, 10, 10), (None, 5, 5), (-3, 10, 10), (3.9, 3, 3)],
)
def test_any_limit_is_clamped_and_says_so(
    root: Path, asked: object, requested: int, effective: int
) -> None:
    budget = engine_of(root, requested_limit=asked).recall("apples").budget
    assert (budget.requested, budget.effective) == (requested, effective)
    assert budget.capped == (requested > effective)


def test_each_recall_reads_the_tree_again(root: Path) -> None:
    engine = Engine(Setup(sources=(Source(Scope.PROJECT, str(root)),)), keep_documents=True)
    assert len(engine.recall("apples").hits) == 1
    write_memory(root, "pears.md", title="Pears and apples", mtime_ms=NOW_MS + 1)
    write_memory(root, "more.md", title="More apples")
    assert len(engine.recall("apples").hits) == 3
    (root / "more.md").unlink()
    assert len(engine.recall("apples").hits) == 2


def test_a_pool_can_be_shared_by_recalls(root: Path) -> None:
    engine = engine_of(root)
    pool = engine.scan()
    (root / "apples.md").unlink()
    assert engine.recall("apples", pool).pool is pool


def test_uses_are_counted_for_what_a_context_has_shown(root: Path) -> None:
    engine = engine_of(root)
    shown, unseen = engine.recall("apples"), engine.recall("zebra")
    for result in (shown, shown, unseen):
        assert engine.record(result)
    uses = engine.uses(shown.pool)
    assert {name: use.count for name, use in uses.items()} == {shown.context.kept[0]: 2}
    assert engine_of(root.parent).uses(engine_of(root.parent).scan()) == {}


def test_uses_count_for_a_root_however_its_path_is_written(root: Path) -> None:
    engine = engine_of(root)
    assert engine.record(engine.recall("apples"))
    other = engine_of(root / ".." / root.name)
    assert other.uses(other.scan()) == engine.uses(engine.scan()) != {}


def test_a_document_that_the_context_has_no_room_for_is_no_use(root: Path) -> None:
    engine = engine_of(root)
    limits = engine.setup.options.limits.with_values({"context_chars": 100})
    engine.with_options(limits=limits)
    result = engine.recall("apples")
    assert result.selection.ids
    assert engine.record(result)
    assert engine.uses(result.pool) == {}


def test_a_store_that_can_not_be_used_fails_nothing(root: Path, own_environment: Path) -> None:
    (own_environment / "state").write_text("in the way")
    engine = engine_of(root)
    result = engine.recall("apples")
    assert engine.record(result) is False
    assert engine.uses(result.pool) == {}


def test_roots_that_can_not_be_used(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RootNotFound):
        engine_of(tmp_path / "nowhere").recall("apples")
    with pytest.raises(ScopeFailed):
        engine_of(tmp_path / "file").recall("apples")
    roots = ((Scope.PROJECT, str(root)), (Scope.USER, str(tmp_path / "file")), (Scope.TEAM, None))
    setup = Setup(sources=sources_for(roots, None))
    result = Engine(setup).recall("apples")
    assert not result.pool.complete
    assert len(result.warnings) == 1
    assert len(result.hits) == 1
    assert setup.source_of(Scope.USER) == setup.sources[1]
    assert setup.source_of(Scope.TEAM) is None


@pytest.mark.parametrize("inside", ["", "state", "linked"])
def test_a_state_among_the_memories_is_refused_and_nothing_is_written(
    root: Path, inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = root / inside
    if inside == "linked":
        folder = tmp_path / "linked"
        folder.symlink_to(root, target_is_directory=True)
    monkeypatch.setenv("MEMTUI_STATE", str(folder))
    engine = engine_of(root)
    before = sorted(root.rglob("*"))
    result = engine.recall("apples")
    assert not engine.record(result)
    with pytest.raises(StateError, match="lies in a memory store, where memtui never writes"):
        engine.store_trace(result)
    assert engine.uses(result.pool) == {}
    assert sorted(root.rglob("*")) == before
