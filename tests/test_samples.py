"""The demos: the same on every machine, and each shows what it is there to show."""

from __future__ import annotations

import os
import re
import stat
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

import pytest

from memtui.samples import SCENARIOS, Demo, UnknownScenario, lay_out, temporary_demo
from memtui.samples.composed import sheet
from memtui.samples.written import microseconds, sample_folder

TYPES = {"user", "feedback", "project", "reference"}
MANIFEST_BYTES = 25_000
WINDOW = 1_200


@dataclass(frozen=True)
class Memory:
    """A memory as a very small reader sees it."""

    scope: str
    path: Path
    relative: str
    type: str
    title: str
    description: str
    body: str
    mtime_ns: int

    def line(self, folder: Path) -> str:
        """Its manifest line, as if the demo were in a temporary folder with a usual length."""
        usual = Path("/var/memtui-demo-abcd1234") / self.path.relative_to(folder.parent)
        time = datetime.fromtimestamp(self.mtime_ns / 1e9, tz=UTC)
        iso = time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"
        return f"- [{self.type}] {usual} ({iso}): {cut(self.description)}"


def cut(text: str, units: int = 512) -> str:
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore")


def read(scope: str, root: Path, path: Path) -> Memory | None:
    """A valid memory in the strict dialect, or with a nested type; None for anything else."""
    if path.is_symlink() or not path.is_file() or path.name == "MEMORY.md":
        return None
    text = path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    match = re.match(r"---\n(.*?)\n---(.*)", text, re.DOTALL)
    if match is None:
        return None
    fields = dict(re.findall(r"^(?:  )?(name|description|type):[ \t]*([^\n]*)$", match[1], re.M))
    if fields.get("type") not in TYPES:
        return None
    return Memory(
        scope,
        path,
        path.relative_to(root).as_posix(),
        fields["type"],
        fields["name"],
        fields.get("description", ""),
        match[2].strip(),
        path.stat().st_mtime_ns,
    )


def roots(demo: Demo) -> Iterator[tuple[str, Path]]:
    yield "project", demo.project
    if demo.user is not None:
        yield "user", demo.user


def memories(demo: Demo) -> list[Memory]:
    """Every memory, newest first."""
    found = [
        memory
        for scope, root in roots(demo)
        for path in root.rglob("*.md")
        if (memory := read(scope, root, path)) is not None
    ]
    return sorted(found, key=lambda memory: -memory.mtime_ns)


def tokens(query: str) -> list[str]:
    """Words of three letters or more, and pairs of CJK characters."""
    text = unicodedata.normalize("NFKC", query).lower()
    wide = re.findall("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", text)
    pairs = [run[at : at + 2] for run in wide for at in range(len(run) - 1)]
    return re.findall(r"[a-z0-9]{3,}", text) + pairs


def score(memory: Memory, query: str) -> int:
    def found(text: str, token: str) -> bool:
        return token in unicodedata.normalize("NFKC", text).lower()

    return sum(
        4 * found(memory.title, token)
        + 3 * found(memory.description, token)
        + found(cut(memory.body, WINDOW), token)
        for token in tokens(query)
    )


def candidates(demo: Demo, query: str, *, appended: bool = False) -> list[tuple[str, Memory]]:
    every = memories(demo)
    hits = sorted((each for each in every if score(each, query)), key=lambda m: -score(m, query))
    hits = hits[:180]
    recent = [each for each in every if each not in hits][: 200 - len(hits)]
    lexical = [("lexical", hit) for hit in hits]
    reserve = [("recent", each) for each in recent]
    if appended:
        return lexical + reserve
    pairs = zip_longest(lexical, reserve)
    return [each for pair in pairs for each in pair if each is not None]


@dataclass(frozen=True)
class Packing:
    packed: list[tuple[str, Memory]]
    skipped: list[tuple[str, Memory]]
    bytes: int
    packed_after_a_skip: int


def pack(demo: Demo, offered: list[tuple[str, Memory]]) -> Packing:
    packed: list[tuple[str, Memory]] = []
    skipped: list[tuple[str, Memory]] = []
    total = late = 0
    for origin, memory in offered:
        size = len(memory.line(demo.folder).encode()) + (1 if packed else 0)
        if total + size > MANIFEST_BYTES:
            skipped.append((origin, memory))
            continue
        packed.append((origin, memory))
        total += size
        late += bool(skipped)
    return Packing(packed, skipped, total, late)


def expected(demo: Demo) -> Memory:
    return next(each for each in memories(demo) if each.relative == demo.scenario.expected)


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Demo]:
    into = tmp_path_factory.mktemp("demos")
    return {name: lay_out(name, into) for name in SCENARIOS}


def snapshot(demo: Demo) -> dict[str, object]:
    """Names, kinds, bytes and ages of everything in a demo."""
    seen: dict[str, object] = {}
    for path in demo.folder.rglob("*"):
        name = path.relative_to(demo.folder).as_posix()
        mode = path.lstat().st_mode
        age = path.lstat().st_mtime_ns
        if stat.S_ISLNK(mode):
            seen[name] = ("link", os.readlink(path), age)
        elif stat.S_ISREG(mode):
            seen[name] = ("file", path.read_bytes(), age)
        else:
            seen[name] = (stat.S_IFMT(mode), None if stat.S_ISDIR(mode) else age)
    return seen


# ---------------------------------------------------------------- all of them


def test_there_are_five_scenarios_and_small_is_the_first() -> None:
    assert list(SCENARIOS) == ["small", "overflow", "two-scopes", "multibyte", "broken"]
    assert all(name == scenario.name for name, scenario in SCENARIOS.items())
    assert all(scenario.queries and scenario.summary for scenario in SCENARIOS.values())


@pytest.mark.parametrize("name", SCENARIOS)
def test_two_layouts_are_equal_to_the_byte_and_the_nanosecond(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = lay_out(name, tmp_path / "a"), lay_out(name, tmp_path / "b")
    assert snapshot(first) == snapshot(second)
    assert first.now_ms == second.now_ms


@pytest.mark.parametrize("name", SCENARIOS)
def test_everything_is_written_below_one_new_folder(name: str, tmp_path: Path) -> None:
    demo = lay_out(name, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert demo.folder == tmp_path / name
    for _, root in roots(demo):
        assert root.is_dir()
        assert demo.folder in root.parents
    with pytest.raises(FileExistsError):
        lay_out(name, tmp_path)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_dialect_is_what_the_folders_say(name: str, demos: dict[str, Demo]) -> None:
    demo = demos[name]
    for _, root in roots(demo):
        assert f".{demo.scenario.dialect}" in root.parts


@pytest.mark.parametrize("name", SCENARIOS)
def test_ages_are_from_minutes_to_four_hundred_days_before_now(
    name: str, demos: dict[str, Demo]
) -> None:
    demo = demos[name]
    now_ns = demo.now_ms * 1_000_000
    for memory in memories(demo):
        assert 60e9 < now_ns - memory.mtime_ns <= 400 * 86_400e9, memory.relative


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_two_ages_are_equal_but_for_the_pair_with_one_title(
    name: str, demos: dict[str, Demo]
) -> None:
    ages = [memory.mtime_ns for memory in memories(demos[name])]
    assert len(ages) - len(set(ages)) == (1 if name == "broken" else 0)


@pytest.mark.parametrize("name", ["small", "overflow", "two-scopes", "multibyte"])
def test_no_two_memories_are_alike(name: str, demos: dict[str, Demo]) -> None:
    every = memories(demos[name])
    for text in ("title", "description", "body"):
        assert len({getattr(memory, text) for memory in every}) == len(every), text


@pytest.mark.parametrize("name", ["overflow", "two-scopes", "multibyte"])
def test_no_placeholder_is_left_open(name: str, demos: dict[str, Demo]) -> None:
    for memory in memories(demos[name]):
        assert "{" not in memory.title + memory.description + memory.body, memory.relative


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_type_and_an_index_is_there(name: str, demos: dict[str, Demo]) -> None:
    assert {memory.type for memory in memories(demos[name])} == TYPES
    assert (demos[name].project / "MEMORY.md").is_file()


def test_an_unknown_name_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownScenario) as caught:
        lay_out("huge", tmp_path)
    assert str(caught.value) == (
        "no demo named 'huge'; there are small, overflow, two-scopes, multibyte, broken"
    )
    assert isinstance(caught.value, KeyError)
    with pytest.raises(UnknownScenario), temporary_demo("huge"):
        pass


@pytest.mark.parametrize("name", ["small", "broken"])
def test_a_temporary_demo_is_gone_afterwards(name: str) -> None:
    with temporary_demo(name) as demo:
        into = demo.folder.parent
        assert into.name.startswith("memtui-demo-")
        assert demo.project.is_dir()
    assert not into.exists()


def test_a_temporary_demo_is_gone_after_an_error_too() -> None:
    with pytest.raises(ZeroDivisionError), temporary_demo("broken") as demo:
        into = demo.folder.parent
        raise ZeroDivisionError
    assert not into.exists()


def test_there_are_at_least_eighty_facts_and_a_dozen_in_cjk() -> None:
    facts = sheet().facts
    assert len(facts) >= 80
    assert len({fact.slug for fact in facts}) == len(facts)
    assert {fact.type for fact in facts} == TYPES
    assert sum(fact.language != "en" for fact in facts) >= 12
    assert len({fact.topic for fact in facts}) >= 20


def test_an_age_is_read_in_days_hours_and_minutes() -> None:
    assert microseconds("1d 2h 3m") == (24 * 60 + 2 * 60 + 3) * 60_000_000
    for text in ("", "soon", "3", "3d4h", "-1d"):
        with pytest.raises(ValueError, match="not an age"):
            microseconds(text)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_age_in_a_table_belongs_to_a_file(name: str) -> None:
    folder = sample_folder() / name
    table = tomllib.loads((folder / "ages.toml").read_text(encoding="utf-8"))
    for scope, ages in table.items():
        for path in ages:
            assert (folder / scope / path).is_file(), path


# ---------------------------------------------------------------- small


def test_small_is_about_forty_files_in_both_styles(demos: dict[str, Demo]) -> None:
    every = memories(demos["small"])
    assert 35 <= len(every) <= 45
    texts = [memory.path.read_text(encoding="utf-8") for memory in every]
    nested = [text for text in texts if "\nmetadata:\n  type: " in text]
    flat = [text for text in texts if "\ntype: " in text.split("\n---", 1)[0]]
    assert len(nested) >= 8
    assert len(flat) >= 8
    assert len(nested) + len(flat) == len(texts)
    assert any("[[" in text for text in texts)
    for letters in ("[\u4e00-\u9fff]{4}", "[\u3040-\u30ff]{3}", "[\uac00-\ud7af]{2}"):
        assert any(re.search(letters, text) for text in texts)


def test_small_finds_the_runbook_and_loses_what_says_it_in_other_words(
    demos: dict[str, Demo],
) -> None:
    demo = demos["small"]
    query = demo.scenario.queries[0]
    ranked = sorted(memories(demo), key=lambda memory: -score(memory, query))
    assert ranked[0].relative == "project_release_rollback.md"
    lost = expected(demo)
    assert score(lost, query) == 0
    assert "releasing" in lost.description
    assert sum(score(memory, query) > 0 for memory in ranked) > 5


def test_small_has_an_answer_past_the_scored_window(demos: dict[str, Demo]) -> None:
    query = demos["small"].scenario.queries[0]
    late = [
        memory
        for memory in memories(demos["small"])
        if score(memory, query) == 0 and all(t in memory.body[WINDOW:] for t in ("roll", "release"))
    ]
    assert [memory.relative for memory in late] == ["project_migrations_expand_contract.md"]


def test_links_of_small_lead_somewhere(demos: dict[str, Demo]) -> None:
    for _, root in roots(demos["small"]):
        stems = {path.stem for path in root.rglob("*.md")}
        for path in root.rglob("*.md"):
            text = path.read_text(encoding="utf-8")
            assert set(re.findall(r"\[\[([^\]]+)\]\]", text)) <= stems, path.name
        index = (root / "MEMORY.md").read_text(encoding="utf-8")
        linked = re.findall(r"\]\(([^)]+)\)", index)
        assert all((root / link).is_file() for link in linked)
        orphans = stems - {Path(link).stem for link in linked} - {"MEMORY"}
        assert orphans <= {"project_undo_bad_deploy"}


# ---------------------------------------------------------------- overflow


def test_overflow_has_one_match_and_it_is_the_oldest(demos: dict[str, Demo]) -> None:
    demo = demos["overflow"]
    every = memories(demo)
    query = demo.scenario.queries[0]
    assert demo.user is None
    assert len(every) == 251
    assert [memory for memory in every if score(memory, query)] == [every[-1]] == [expected(demo)]
    assert expected(demo) not in every[:200]


def test_overflow_packs_the_target_first_and_bytes_bind(demos: dict[str, Demo]) -> None:
    demo = demos["overflow"]
    offered = candidates(demo, demo.scenario.queries[0])
    packing = pack(demo, offered)
    assert len(offered) == 200
    assert packing.packed[0] == ("lexical", expected(demo))
    assert 90 <= len(packing.packed) <= 110
    assert packing.bytes <= MANIFEST_BYTES
    assert packing.skipped


def test_overflow_loses_an_appended_reserve(demos: dict[str, Demo]) -> None:
    demo = demos["overflow"]
    query = demo.scenario.queries[1]
    assert sum(score(memory, query) > 0 for memory in memories(demo)) >= 180
    mixed, appended = (
        pack(demo, candidates(demo, query, appended=appended)) for appended in (False, True)
    )
    assert sum(origin == "recent" for origin, _ in mixed.packed) == 20
    assert sum(origin == "recent" for origin, _ in appended.packed) <= 1


# ---------------------------------------------------------------- two-scopes


def test_two_scopes_shrinks_three_hundred_lines_to_about_a_hundred(demos: dict[str, Demo]) -> None:
    demo = demos["two-scopes"]
    every = memories(demo)
    assert sum(memory.scope == "project" for memory in every) == 150
    assert sum(memory.scope == "user" for memory in every) == 150
    for query in demo.scenario.queries:
        packing = pack(demo, candidates(demo, query))
        assert 90 <= len(packing.packed) <= 150
        assert {memory.scope for _, memory in packing.packed} == {"project", "user"}


def test_two_scopes_expects_one_that_is_too_old_for_the_reserve(demos: dict[str, Demo]) -> None:
    demo = demos["two-scopes"]
    query = demo.scenario.queries[0]
    assert score(expected(demo), query) == 0
    assert expected(demo) not in [memory for _, memory in candidates(demo, query)]


# ---------------------------------------------------------------- multibyte


def test_multibyte_stays_below_the_ceiling_and_short_lines_follow_a_skipped_one(
    demos: dict[str, Demo],
) -> None:
    demo = demos["multibyte"]
    assert len(memories(demo)) == 120
    for query in demo.scenario.queries:
        packing = pack(demo, candidates(demo, query))
        assert packing.bytes <= MANIFEST_BYTES
        assert packing.skipped
    packing = pack(demo, candidates(demo, demo.scenario.queries[0]))
    assert packing.packed_after_a_skip >= 1
    assert len(packing.skipped[0][1].line(demo.folder).encode()) > 600


def test_multibyte_expects_one_whose_line_does_not_fit(demos: dict[str, Demo]) -> None:
    demo = demos["multibyte"]
    query = demo.scenario.queries[0]
    assert score(expected(demo), query) == 0
    assert ("recent", expected(demo)) in pack(demo, candidates(demo, query)).skipped


def test_multibyte_descriptions_are_more_bytes_than_characters(demos: dict[str, Demo]) -> None:
    every = memories(demos["multibyte"])
    wide = [m for m in every if len(m.description.encode()) > 1.5 * len(m.description)]
    assert len(wide) > 110
    assert any("\u200d" in memory.description for memory in every)


# ---------------------------------------------------------------- broken


def text_of(demo: Demo, path: str) -> str:
    return (demo.project / path).read_bytes().decode("utf-8", errors="replace")


def test_broken_has_a_file_for_every_reason_that_any_system_can_hold(
    demos: dict[str, Demo],
) -> None:
    demo = demos["broken"]
    assert not text_of(demo, "loose-notes.md").startswith("---")
    assert text_of(demo, "project/half-written.md").count("---") == 1
    bom = (demo.project / "project/byte-order-mark.md").read_bytes()
    assert bom.startswith(b"\xef\xbb\xbf---\n")
    assert "type:" not in text_of(demo, "project/warehouse-hours.md")
    assert "\ntype: note\n" in text_of(demo, "reference/price-api-note.md")
    assert "\nmetadata:\n  type: feedback\n" in text_of(demo, str(demo.scenario.expected))
    assert (demo.project / "reference/pasted-log.md").stat().st_size > 1_048_576


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a privilege there")
def test_broken_has_links_that_lead_nowhere_and_outside(demos: dict[str, Demo]) -> None:
    demo = demos["broken"]
    for name in ("reference/loop-a.md", "reference/loop-b.md"):
        with pytest.raises(OSError):
            (demo.project / name).read_bytes()
    dangling = demo.project / "project/renamed-runbook.md"
    assert dangling.is_symlink()
    assert not dangling.exists()
    assert demo.project in dangling.resolve().parents or dangling.parent.samefile(demo.project)
    outside = demo.project / "user/private-notes.md"
    assert outside.read_text(encoding="utf-8").startswith("---\nname: Private notes\n")
    assert demo.project.resolve() not in outside.resolve().parents
    assert demo.folder.resolve() in outside.resolve().parents
    assert (demo.project / "linked-folder").is_dir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs there")
def test_broken_has_a_fifo(demos: dict[str, Demo]) -> None:
    path = demos["broken"].project / "project/agent-pipe.md"
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_broken_has_a_memory_for_every_finding(demos: dict[str, Demo]) -> None:
    demo = demos["broken"]
    by_path = {memory.relative: memory for memory in memories(demo)}
    assert ": " in by_path["project/colon-in-description.md"].description
    assert " #" in by_path["reference/ticket-numbers.md"].description
    assert by_path["reference/no-description.md"].description == ""
    assert len(by_path["project/long-description.md"].description) > 512
    assert len(by_path["project/long-body.md"].body) > WINDOW
    assert text_of(demo, "project/two-types.md").count("\ntype: ") == 2
    twins = [by_path[f"project/double-title-{letter}.md"] for letter in "ab"]
    assert twins[0].title == twins[1].title
    near = [by_path[f"feedback/near-twin-{number}.md"].body for number in (1, 2)]
    assert near[0] != near[1]
    assert "[[queue-pools]]" in by_path["project/deploy-hosts.md"].body
    with pytest.raises(UnicodeDecodeError):
        (demo.project / "reference/latin-1.md").read_bytes().decode()
    assert b"\r\n" in (demo.project / "project/windows-lines.md").read_bytes()


def test_broken_attacks_a_terminal_and_markup(demos: dict[str, Demo]) -> None:
    everything = "\n".join(
        memory.title + memory.description + memory.body for memory in memories(demos["broken"])
    )
    attacks = (
        "[/]",
        "[@click=app.quit]",
        "[TODO]",
        "\x1b]0;owned\x07",
        "\x1b[2J",
        "\x9b",
        "\x1b]52;",
        "\u202e",
        "\u200b",
        "\u200d",
        "e\u0301",
        "\x00",
    )
    for attack in attacks:
        assert attack in everything, repr(attack)


def test_the_index_of_broken_is_too_long_with_dead_links_and_orphans(
    demos: dict[str, Demo],
) -> None:
    root = demos["broken"].project
    lines = (root / "MEMORY.md").read_text(encoding="utf-8").splitlines()
    links = [re.findall(r"\]\((.+)\)", line) for line in lines]
    alive = [number for number, link in enumerate(links, 1) if link and (root / link[0]).exists()]
    dead = [link for link in links if link and not (root / link[0]).exists()]
    assert len(lines) > 200
    assert len(dead) > 200
    assert alive[0] < 200 < alive[-1]
    linked = {link[0] for link in links if link}
    assert any(m.relative not in linked for m in memories(demos["broken"]) if m.scope == "project")
