"""What the demos must show on the command line."""

from __future__ import annotations

from pathlib import Path

from memtui.samples import SCENARIOS
from tests.cli.running import memtui

TARGET = "project/norway-parcels.md"
FIRST, SECOND = SCENARIOS["overflow"].queries[:2]


def paths_in(answer: dict[str, object], ids: list[str]) -> list[str]:
    documents: dict[str, dict[str, str]] = answer["documents"]  # type: ignore[assignment]
    return [documents[each]["relative_path"] for each in ids]


def test_overflow_the_capped_scan_never_sees_the_target(overflow: Path) -> None:
    words = ["recall", FIRST, "--project", overflow, "--json", "--ablate", "scan=capped"]
    answer = memtui(*words).json
    assert answer["pool"]["scopes"][0]["documents"] == 200
    assert answer["pool"]["documents"] == len(answer["documents"]) == 200
    assert TARGET not in paths_in(answer, list(answer["documents"]))
    assert TARGET not in answer["manifest"]["text"]


def test_overflow_recall_packs_the_target_first_and_the_reserve_too(overflow: Path) -> None:
    answer = memtui("recall", FIRST, "--project", overflow, "--json").json
    packed = [each for each in answer["candidates"] if each["packed"]]
    assert len(answer["candidates"]) == 200
    assert paths_in(answer, [packed[0]["id"]]) == [TARGET]
    assert answer["manifest"]["text"].split("\n")[0].split(" (")[0].endswith(TARGET)
    assert sum(each["origin"] == "recent" for each in packed) >= 20
    assert answer["manifest"]["bytes"] <= 25_000
    assert answer["manifest"]["binds"] == "bytes"
    assert answer["documents"][packed[0]["id"]]["managed"] is False
    text = memtui("recall", FIRST, "--project", overflow).out
    assert "(bytes bind)" in text


def test_overflow_an_appended_reserve_is_not_packed(overflow: Path) -> None:
    words = ["recall", SECOND, "--project", overflow, "--json"]
    origins = {}
    for name, more in (("real", []), ("appended", ["--ablate", "reserve=appended"])):
        answer = memtui(*words, *more).json
        origins[name] = [each["origin"] for each in answer["candidates"] if each["packed"]]
    assert origins["real"].count("recent") >= 20
    assert origins["appended"].count("recent") == 0


def test_two_scopes_are_three_hundred_lines_before_and_about_a_hundred_after() -> None:
    query = SCENARIOS["two-scopes"].queries[0]
    answer = memtui("compare", query, "--demo", "two-scopes", "--preset", "capped", "--json").json
    assert answer["before"]["manifest"]["lines"] == 300
    assert 90 <= answer["after"]["manifest"]["lines"] <= 150


def test_overflow_compared_with_the_design_before(overflow: Path) -> None:
    words = ["compare", FIRST, "--project", overflow, "--preset", "capped", "--json"]
    answer = memtui(*words).json
    assert answer["before"]["manifest"]["lines"] == 200
    assert paths_in(answer, answer["gained"])[:1] == [TARGET]


def test_multibyte_stays_below_the_ceiling_and_packs_past_a_long_line() -> None:
    for query in SCENARIOS["multibyte"].queries:
        answer = memtui("recall", query, "--demo", "multibyte", "--json").json
        assert len(answer["manifest"]["text"].encode()) == answer["manifest"]["bytes"] <= 25_000
        packed = [each["packed"] for each in answer["candidates"]]
        assert False in packed
        assert True in packed[packed.index(False) :]
