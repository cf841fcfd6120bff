"""The manifest: its lines, its times, and packing under a ceiling of bytes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.limits import Limits
from memtui.recall.candidates import Candidate
from memtui.recall.manifest import Manifest, iso_time, manifest_line, pack_manifest
from tests.helpers import make_document

descriptions = st.lists(
    st.text(st.sampled_from("ab é漢🚀"), max_size=40).map(str.strip), max_size=12
)


def candidates_of(texts: list[str]) -> list[Candidate]:
    return [
        Candidate(make_document(f"{place}.md", description=text), "lexical", place)
        for place, text in enumerate(texts, start=1)
    ]


def packed(texts: list[str], ceiling: int, packing: str = "pack") -> Manifest:
    limits = Limits(manifest_bytes=ceiling)
    return pack_manifest(candidates_of(texts), len(texts), limits, packing)  # type: ignore[arg-type]


@given(descriptions, st.integers(0, 700))
def test_the_total_is_that_of_the_text_and_within_the_ceiling(
    texts: list[str], ceiling: int
) -> None:
    for packing in ("pack", "prefix"):
        manifest = packed(texts, ceiling, packing)
        assert manifest.bytes == len(manifest.text.encode()) <= ceiling
        assert manifest.lines == len(manifest.packed)
        if manifest.lines:
            assert manifest.text.split("\n") == [
                manifest_line(each.document, 512) for each in manifest.packed
            ]


@given(descriptions, st.integers(0, 700))
def test_a_skipped_line_does_not_fit_and_a_packed_one_does(texts: list[str], ceiling: int) -> None:
    total = 0
    for verdict in packed(texts, ceiling).verdicts:
        size = len(manifest_line(verdict.document, 512).encode()) + (total > 0)
        assert verdict.bytes == size
        assert verdict.packed == (total + size <= ceiling)
        assert verdict.bytes_missing == max(0, total + size - ceiling)
        total += size if verdict.packed else 0
        assert (verdict.cumulative, verdict.bytes_left) == (total, ceiling - total)


@given(descriptions, st.integers(0, 700))
def test_prefix_packing_ends_at_the_first_line_that_does_not_fit(
    texts: list[str], ceiling: int
) -> None:
    pack, prefix = packed(texts, ceiling), packed(texts, ceiling, "prefix")
    fits = [verdict.packed for verdict in prefix.verdicts]
    assert fits == sorted(fits, reverse=True)
    assert pack.text.startswith(prefix.text)
    first = next((place for place, each in enumerate(pack.verdicts) if not each.packed), None)
    assert prefix.lines == (len(texts) if first is None else first)


def test_a_long_line_is_skipped_and_a_later_short_one_is_packed() -> None:
    manifest = packed(["a", "b" * 300, "c"], 200)
    assert [each.packed for each in manifest.verdicts] == [True, False, True]
    assert [each.line for each in manifest.verdicts] == [1, None, 2]
    assert manifest.binds == "bytes"


def test_it_says_what_binds() -> None:
    offered = candidates_of(["a", "b"])
    assert pack_manifest(offered, 2, Limits()).binds == "pool"
    assert pack_manifest(offered, 3, Limits()).binds == "candidates"
    assert pack_manifest(offered, 3, Limits(manifest_bytes=100)).binds == "bytes"
    assert pack_manifest([], 0, Limits()).text == ""


def test_a_line_has_type_path_time_and_a_cut_description() -> None:
    document = make_document("x.md", description="🚀" * 300, mtime_ms=1_700_000_000_000.9)
    line = manifest_line(document, 5)
    assert line == "- [project] /memory/x.md (2023-11-14T22:13:20.000Z): 🚀🚀"
    plain = make_document("x.md", type="", mtime_ms=0.0)
    assert manifest_line(plain, 5) == "- /memory/x.md (1970-01-01T00:00:00.000Z)"


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), timezones=st.just(UTC)))
def test_times_are_written_as_the_calendar_says(moment: datetime) -> None:
    epoch_ms = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=epoch_ms)
    wanted = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert iso_time(float(epoch_ms)) == wanted


@pytest.mark.parametrize(
    ("epoch_ms", "written"),
    [
        (1_700_000_000_000.25, "2023-11-14T22:13:20.000Z"),
        (-0.9, "1970-01-01T00:00:00.000Z"),
        (-1.5, "1969-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
        (-62_198_755_200_000, "-000001-01-01T00:00:00.000Z"),
        (8.64e15, "+275760-09-13T00:00:00.000Z"),
        (-8.64e15, "-271821-04-20T00:00:00.000Z"),
    ],
)
def test_times_beyond_four_digits_are_written_as_javascript_does(
    epoch_ms: float, written: str
) -> None:
    assert iso_time(epoch_ms) == written
