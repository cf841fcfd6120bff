"""Case files: what is read, and the line and the words for everything that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.evaluate.cases import Case, CaseError, case_line, parse_cases, read_cases

GOOD = '{"id": "a", "query": "q", "relevant": []}'


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(CaseError) as caught:
        parse_cases(text.encode() if isinstance(text, str) else text)
    return [str(each) for each in caught.value.problems]


def test_a_case_has_every_field() -> None:
    record = {
        "id": "a",
        "query": "how",
        "relevant": ["x.md", "y.md", "x.md"],
        "pool": "demo:small",
        "recent_tools": ["shell"],
        "category": "english",
        "note": "why it is here",
    }
    (case,) = parse_cases(json.dumps(record).encode())
    assert case == Case(
        "a", "how", ("x.md", "y.md"), "demo:small", ("shell",), "english", "why it is here"
    )


def test_what_is_optional_may_be_null_or_left_out() -> None:
    text = '{"id": "a", "query": "", "relevant": [], "pool": null, "category": null}'
    assert parse_cases(text.encode()) == (Case("a", "", ()),)


def test_json_and_json_lines_give_the_same() -> None:
    lines = [GOOD, GOOD.replace('"a"', '"b"')]
    spread = "[\n  " + ",\n\n  ".join(lines) + "\n]\n"
    dense = "[" + ",".join(lines) + "]"
    assert (
        parse_cases("\n".join(lines).encode())
        == parse_cases(spread.encode())
        == parse_cases(dense.encode())
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n  \n"])
def test_line_ends_and_blank_lines_do_not_matter(end: str) -> None:
    text = "\ufeff" + end.join([GOOD, GOOD.replace('"a"', '"b"')]) + end
    assert [case.id for case in parse_cases(text.encode())] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "there is no case in it"),
        ("[]", "there is no case in it"),
        ("\n\n", "there is no case in it"),
        (f"{GOOD}\nnonsense", "line 2: no JSON: Expecting value (column 1)"),
        (f'{GOOD}\n{{"id": "b",', "line 2: no JSON: Expecting property name"),
        (f"{GOOD} {GOOD}", "line 1: no JSON: Extra data (column 43); a line holds one case"),
        (f"{GOOD},\n{GOOD}", "line 1: no JSON: Extra data (column 42); a line holds one case"),
        ("7", "line 1: a case is an object, not a number"),
        ("null", "line 1: a case is an object, not null"),
        (f'{GOOD}\n\n["a"]', "line 3: a case is an object, not a list"),
        ('{"query": "q", "relevant": []}', "line 1: id is missing"),
        ('{"id": "a", "relevant": []}', "line 1: query is missing"),
        ('{"id": "a", "query": "q"}', "line 1: relevant is missing"),
        ('{"id": "", "query": "q", "relevant": []}', "line 1: id is empty"),
        ('{"id": 7, "query": "q", "relevant": []}', "line 1: id is a text, not a number"),
        ('{"id": "a", "query": null, "relevant": []}', "line 1: query is a text, not null"),
        ('{"id": "a", "query": "q", "relevant": "x.md"}', "relevant is a list of texts, not a"),
        ('{"id": "a", "query": "q", "relevant": null}', "relevant is a list of texts, not null"),
        ('{"id": "a", "query": "q", "relevant": [7]}', "and holds a number"),
        ('{"id": "a", "query": "q", "relevant": [""]}', "and holds an empty one"),
        ('{"id": "a", "query": "q", "relevant": [true]}', "and holds a truth value"),
        ('{"id": "a", "query": "q", "relevant": [], "pool": 1}', "pool is a text, not a number"),
        ('{"id": "a", "query": "q", "relevant": [], "category": []}', "category is a text, not"),
        ('{"id": "a", "query": "q", "relevant": [], "recent_tools": "x"}', "recent_tools is a"),
        ('{"id": "a", "query": "q", "relevent": []}', "no such key: 'relevent'; there are: id,"),
        ('{"id": "a", "id": "b", "query": "q", "relevant": []}', "the key 'id' stands twice"),
        (f"{GOOD}\n{GOOD}", "line 2: id 'a' is taken by line 1"),
        (f"[{GOOD}\n,7]", "line 2: a case is an object, not a number"),
        (f"[\n{GOOD}\n{GOOD}]", "line 3: no JSON: the array wants , or ] here"),
        (f"[\n{GOOD},\n]", "line 3: no JSON: Expecting value"),
        (f"[{GOOD}", "line 1: no JSON: the array wants , or ] here"),
        (f"[{GOOD}]\nmore", "line 1: no JSON: something follows the array"),
        ("[" * 100_000, "line 1: no JSON: "),
        ("[" + "{" * 10, "line 1: no JSON: "),
        ('{"a":' * 100_000, "line 1: no JSON: nested too deep"),
    ],
)
def test_a_malformed_file_is_refused_with_the_line_and_what_is_wrong(
    text: str, complaint: str
) -> None:
    assert any(complaint in each for each in problems(text))


def test_a_case_over_several_lines_is_one_problem_and_what_follows_is_read() -> None:
    spread = json.dumps(json.loads(GOOD), indent=2)
    assert problems(f"{spread}\n\n{spread},\nnonsense") == [
        "line 1: one case over several lines: give it one line, or make the file an array",
        "line 7: one case over several lines: give it one line, or make the file an array",
        "line 12: no JSON: Expecting value (column 1)",
    ]


def test_a_case_with_very_many_keys_is_one_short_complaint() -> None:
    keys = {f"key-{number}": number for number in range(100_000)}
    (problem,) = problems(json.dumps({**json.loads(GOOD), **keys}))
    assert problem.startswith("line 1: no such key: 'key-0', 'key-1', 'key-2', 'key-3', 'key-4', …")
    assert len(problem) < 200


@pytest.mark.parametrize("text", [f"\n{GOOD}\n\n{{}}", f"\n[{GOOD},\n\n{{}}]"])
def test_a_case_knows_its_line(text: str) -> None:
    text = text.replace("{}", GOOD.replace('"a"', '"b"'))
    assert [case.line for case in parse_cases(text.encode())] == [2, 4]


def test_bytes_that_are_no_utf8_have_a_line_too() -> None:
    assert problems(GOOD.encode() + b"\n\xff\xfe") == ["line 2: no UTF-8"]


def test_every_problem_is_told_and_not_only_the_first() -> None:
    text = f'{GOOD}\nnonsense\n{{"id": 1, "query": 2}}\n{GOOD}'
    assert problems(text) == [
        "line 2: no JSON: Expecting value (column 1)",
        "line 3: relevant is missing",
        "line 3: id is a text, not a number",
        "line 3: query is a text, not a number",
        "line 4: id 'a' is taken by line 1",
    ]


def test_a_file_that_can_not_be_read_is_one_line(tmp_path: Path) -> None:
    for name in ("missing.jsonl", "."):
        with pytest.raises(CaseError, match="can not be read"):
            read_cases(str(tmp_path / name))


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "~nobody-of-this-name/cases.jsonl"])
def test_a_name_that_leads_nowhere_is_one_line(name: str) -> None:
    with pytest.raises(CaseError, match="can not be read"):
        read_cases(name)


def test_a_file_without_an_end_is_not_read_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.evaluate.cases.MOST_FILE_BYTES", 1_000)
    with pytest.raises(CaseError, match="it holds more than 1,000 bytes"):
        read_cases("/dev/zero" if Path("/dev/zero").exists() else __file__)


TEXTS = st.text(max_size=20)
CASES = st.builds(
    Case,
    id=st.text(min_size=1, max_size=20),
    query=TEXTS,
    relevant=st.lists(st.text(min_size=1, max_size=9), max_size=3, unique=True).map(tuple),
    pool=TEXTS,
    recent_tools=st.lists(st.text(min_size=1, max_size=9), max_size=3, unique=True).map(tuple),
    category=TEXTS,
    note=TEXTS,
)


@given(CASES)
def test_a_case_that_is_written_is_read_back(case: Case) -> None:
    line = case_line(case)
    assert line.endswith("\n") and line.count("\n") == 1
    assert parse_cases(line.encode("utf-8", "surrogatepass")) == (case,)


@given(st.binary(max_size=80))
def test_no_bytes_at_all_end_in_anything_but_cases_or_a_complaint(content: bytes) -> None:
    try:
        assert parse_cases(content)
    except CaseError as error:
        assert error.problems
