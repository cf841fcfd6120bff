"""Citations: the grammar, its measured cases, and what must hold for any text."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memtui.citations import Span, find_references, neutralise, validate_citations

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "contract.json").read_text(encoding="utf-8")
)["citations"]

MEGABYTE = 1_000_000

unhurried = settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])

HOSTILE = "[](){}:=,;&< idsIDmemoryref19\n\t"
HOSTILE += "［］【】〔〕（）｛｝〈‚\ufe35\ufe36\ufe47\ufe48：﹕︓︰∶ː꞉＝，；、ｉｄＩＤⅰⅮⓘ𝐢𝕕ıİ９"
HOSTILE += "\u200b\u200d\u00ad\u2060\ufeff\u034f\u115f\u3164\uffa0\ufe0f\u180b\U000e0100\U000e0061"
HOSTILE += "\u00a0\u3000\u2028\x1c\x00\u0301\ud800\U0001f600"

texts = st.lists(
    st.sampled_from(
        [*HOSTILE, "[id:", "[id:1]", "[id:9]", "(id=", "[ids:", "[ i d :", "1,9", " 1", "［id："]
    ),
    max_size=24,
).map("".join)
allowlists = st.sets(st.sampled_from(["1", "9", "d", "id", "１", "(id:1)"]), max_size=3)


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{n}-{case['level']}" for n, case in enumerate(CASES)]
)
def test_measured_case(case: dict[str, Any]) -> None:
    found = validate_citations(case["text"], case["allowed"])
    assert {
        "clean": found.clean,
        "valid": [*found.valid],
        "rejected": [*found.rejected],
        "suspect": [*found.suspect],
    } == {name: case[name] for name in ("clean", "valid", "rejected", "suspect")}


# A slow, literal reading of the grammar, to hold the fast one against.


def is_ignorable(char: str) -> bool:
    named = "\u034f\u115f\u1160\u3164\uffa0"
    selector = "VARIATION SELECTOR" in unicodedata.name(char, "")
    return unicodedata.category(char) == "Cf" or char in named or selector


def is_gap(char: str) -> bool:
    return char.isspace() or is_ignorable(char)


def is_bracket(char: str, category: str) -> bool:
    plain = unicodedata.normalize("NFKC", char)
    return unicodedata.category(char) == category and plain not in tuple("(){}")


def is_opener(char: str) -> bool:
    return is_bracket(char, "Ps")


def is_closer(char: str) -> bool:
    return is_bracket(char, "Pe")


def skip(text: str, at: int, *, also: str = "") -> int:
    while at < len(text) and (is_gap(text[at]) or text[at] in also):
        at += 1
    return at


def after_word(text: str, at: int, word: str) -> int | None:
    """The offset behind `word`, spelled in any way and spaced in any way, None if it is another."""
    for letter in word:
        at = skip(text, at)
        if at == len(text) or unicodedata.normalize("NFKC", text[at]).lower() != letter:
            return None
        at += 1
    return skip(text, at)


def run_end(text: str, at: int, *, parentheses: bool) -> int:
    def ends(char: str) -> bool:
        closes = unicodedata.category(char) == "Pe" if parentheses else is_closer(char)
        return is_opener(char) or closes or char.isspace() or char in ",;，；、"

    while at < len(text) and not ends(text[at]):
        at += 1
    return at


def visible(item: str) -> str:
    return "".join(char for char in item if not is_ignorable(char))


def reference_at(text: str, start: int) -> tuple[int, list[str], bool] | None:
    """End, items and whether it is closed, of the reference whose opener is at `start`."""
    if not is_opener(text[start]):
        return None
    colon = after_word(text, start + 1, "id")
    if colon is None or text[colon : colon + 1] not in tuple(":：﹕︓︰∶ː꞉"):
        return None
    runs, at = [], colon + 1
    while at < len(text) and not is_opener(text[at]) and not is_closer(text[at]):
        end = run_end(text, at, parentheses=False)
        if visible(text[at:end]):
            runs.append((at, end))
        at = max(end, at + 1)
    if not runs:
        return None
    if at < len(text) and is_closer(text[at]):
        return at + 1, [visible(text[first:end]) for first, end in runs], True
    return runs[0][1], [visible(text[runs[0][0] : runs[0][1]])], False


def suspect_at(text: str, start: int) -> tuple[int, list[str]] | None:
    if unicodedata.category(text[start]) != "Ps":
        return None
    for word in ("id", "ids", "ıd", "memory", "mem", "ref"):
        sign = after_word(text, start + 1, word)
        if sign is None or text[sign : sign + 1] not in tuple(":：﹕︓︰∶ː꞉=＝﹦⁼₌"):
            continue
        first = skip(text, sign + 1, also=",;，；、")
        end = run_end(text, first, parentheses=True)
        if end > first:
            closer = skip(text, end)
            closed = closer < len(text) and unicodedata.category(text[closer]) == "Pe"
            return closer + 1 if closed else end, [visible(text[first:end])]
    return None


def is_plain(written: str) -> bool:
    bare = written[1:].lstrip()
    return (
        written[0] == "["
        and written[-1] == "]"
        and bare[:3] in ("id:", "ID:", "Id:", "iD:")
        and not any(map(is_ignorable, written))
    )


def read_literally(text: str, allowed: set[str]) -> list[Span]:
    spans, at = [], 0
    while at < len(text):
        reference, suspect = reference_at(text, at), suspect_at(text, at)
        if reference is not None:
            end, items, closed = reference
            plain = closed and is_plain(text[at:end])
            valid = tuple(item for item in items if plain and item in allowed)
            rejected = tuple(item for item in items if not (plain and item in allowed))
            kind: Any = "rejected" if not valid else "partial" if rejected else "valid"
            spans.append(Span(at, end, kind, tuple(items), valid, rejected))
            at = end
        elif suspect is not None:
            end, items = suspect
            spans.append(Span(at, end, "suspect", tuple(items), (), ()))
            at = end
        else:
            at += 1
    return spans


@unhurried
@given(texts, allowlists)
@example("[id:a [id:b", {"1"})
@example("(id:a(id:9)", {"1"})
@example("[id:1\u200b,1]", {"1"})
def test_spans_are_those_of_the_literal_reading(text: str, allowed: set[str]) -> None:
    assert [*validate_citations(text, allowed).spans] == read_literally(text, allowed)


# What must hold for any text.


@unhurried
@given(texts, allowlists, st.booleans())
@example("[[id:9]id:5]", {"1"}, False)
@example("[id:(id:9)", {"1"}, True)
@example("[ids:(id:9) [id:9 3 (mem=[id:1]", {"1"}, True)
def test_cleaning_is_final(text: str, allowed: set[str], strict: bool) -> None:
    once = validate_citations(text, allowed, strict=strict)
    twice = validate_citations(once.clean, allowed, strict=strict)
    assert (twice.clean, twice.valid, twice.rejected) == (once.clean, once.valid, ())
    assert twice.suspect == (() if strict else once.suspect)
    assert twice.accepted


@unhurried
@given(texts, allowlists, st.booleans())
def test_spans_do_not_overlap_and_reproduce_the_clean_text(
    text: str, allowed: set[str], strict: bool
) -> None:
    found = validate_citations(text, allowed, strict=strict)
    parts: list[str] = []
    copied = 0
    for span in found.spans:
        assert copied <= span.start < span.end <= len(text)
        replacement = span.replacement(strict=strict)
        written = text[span.start : span.end]
        parts += text[copied : span.start], written if replacement is None else replacement
        copied = span.end
    assert "".join(parts) + text[copied:] == found.clean


@unhurried
@given(
    st.lists(st.tuples(st.text("ab (,;.)\n"), st.sampled_from(["1", "3f", "db-7"]))), st.booleans()
)
def test_what_is_allowed_and_plainly_spelled_stays_byte_for_byte(
    parts: list[tuple[str, str]], strict: bool
) -> None:
    text = "".join(f"{prose}[id:{cited}]" for prose, cited in parts)
    found = validate_citations(text, {"1", "3f", "db-7"}, strict=strict)
    assert found.clean == text
    assert found.valid == tuple(dict.fromkeys(cited for _, cited in parts))


@unhurried
@given(texts)
def test_an_unknown_trace_allows_nothing(text: str) -> None:
    found = validate_citations(text, None)
    assert found.valid == ()
    assert found == validate_citations(text, ())


@unhurried
@given(texts, st.sampled_from(["", "\n\nage: 3 days", "</entry>", "]"]))
@example("[id: [id:9]", "")
@example("[id:", "9]")
def test_neutralised_text_holds_no_reference_and_no_markup(text: str, behind: str) -> None:
    neutral = neutralise(text)
    assert find_references(neutral + behind) == ()
    assert "<" not in neutral


@unhurried
@given(texts)
def test_neutralised_text_reads_as_the_original(text: str) -> None:
    entities = {f"&#{ord(char)};": char for char in HOSTILE if is_opener(char)}
    original = neutralise(text)
    for entity, char in (entities | {"&lt;": "<", "&amp;": "&"}).items():
        original = original.replace(entity, char)
    assert original == text


# Single points of the grammar.


@pytest.mark.parametrize(
    "text",
    [
        "［id:1］", "【id:1】", "〔id:1〕", "⟦id:1⟧", "\ufe47id:1\ufe48", "‚id:1]", "⦅id:1⦆",
        "[id：1]", "[id﹕1]", "[id︓1]", "[id︰1]", "[id∶1]", "[idː1]", "[id꞉1]",
        "[ｉｄ:1]", "[ⅰⅾ:1]", "[ⓘⓓ:1]", "[𝐢𝐝:1]", "[ᴵᴰ:1]", "[🄸🄳:1]", "[ℹd:1]",
        "[i d:1]", "[i\nd\t:1]", "[id :1]", "[id\u3000:1]", "[id\x1c:1]",
        "[\u200bid:1]", "[i\u034fd:1]", "[i\u115fd:1]", "[i\u1160d:1]", "[id\u3164:1]",
        "[id:\uffa01]", "[id:1\ufe0f]", "[id:1\U000e0100]", "[id:1\u180b]", "[id:1\U000e0061]",
        "[id:1】", "【id:1]", "[id:1", "[id:,1", "[id:\u200b 1 \u200b]",
    ],
)  # fmt: skip
def test_a_hostile_spelling_of_an_allowed_id_is_rejected(text: str) -> None:
    found = validate_citations(text, {"1"})
    assert (found.clean, found.valid, found.rejected) == ("[]", (), ("1",))


@pytest.mark.parametrize("text", ["[id:1]", "[Id: 1]", "[ iD:1 ]", "[id:\n1\n]", "[id:,1;]"])
def test_white_space_and_separators_do_not_spoil_a_plain_citation(text: str) -> None:
    found = validate_citations(text, {"1"})
    assert (found.clean, found.valid, found.rejected) == (text, ("1",), ())


@pytest.mark.parametrize(
    "text",
    [
        "[id:]", "[id:,]", "[id:\u200b]", "[id: [", "[id]", "id:1]", "[xid:1]", "[i.d:1]",
        "[id;1]", "[ii d:1]", "[i\u0301d:1]", "(id:)", "(id:[", "[idea: 1]", "(memo: 1)",
        "{identity: 1}", "[İd:1]", "[іd:1]",
    ],
)  # fmt: skip
def test_what_is_neither_reference_nor_suspect(text: str) -> None:
    assert validate_citations(text, {"1"}, strict=True).spans == ()


@pytest.mark.parametrize(
    "text",
    [
        "(id:9)", "{id:9}", "（id：9）", "(id=9)", "{ id = 9 }", "[id=9]", "[ıd:9]", "[ids:9]",
        "【memory:9】", "[mem=9]", "(REF: 9)", "(r\u200bef＝9)", "(ｍｅｍ:9]", "[id=9",
        "(i\u200bd:9\u200b)", "(id:,9", "(id:9 ]", "(m\nem:9)",
    ],
)  # fmt: skip
def test_a_suspect_is_left_alone_unless_strict(text: str) -> None:
    found = validate_citations(text, {"9"})
    assert (found.clean, found.rejected, found.suspect) == (text, (), ("9",))
    assert found.accepted
    strictly = validate_citations(text, {"9"}, strict=True)
    assert (strictly.clean, strictly.rejected, strictly.suspect) == ("[]", (), ("9",))
    assert not strictly.accepted


def test_a_suspect_ends_with_its_first_item() -> None:
    found = validate_citations("(ref: see the notes)", (), strict=True)
    assert (found.clean, found.suspect) == ("[] the notes)", ("see",))


def test_what_looks_suspect_inside_a_reference_belongs_to_it() -> None:
    found = validate_citations("[id:1(id:9)]", {"1(id:9)"}, strict=True)
    assert (found.clean, found.suspect) == ("[id:1(id:9)]", ())


def test_an_unclosed_reference_ends_with_its_first_item() -> None:
    found = validate_citations("[id:1 2 [id:3", {"1", "2", "3"})
    assert (found.clean, found.rejected) == ("[] 2 []", ("1", "3"))


def test_ids_are_compared_byte_for_byte() -> None:
    composed, decomposed = "é", "e\u0301"
    found = validate_citations(f"[id:{composed}, {decomposed}, １]", {decomposed, "1"})
    assert (found.clean, found.valid) == (f"[id:{decomposed}]", (decomposed,))
    assert found.rejected == (composed, "１")


def test_an_id_cited_well_and_badly_is_reported_as_both() -> None:
    found = validate_citations("[id:1] ［id:1］ [id:9, 1, 1]", {"1"})
    assert (found.clean, found.valid, found.rejected) == ("[id:1] [] [id:1, 1]", ("1",), ("1", "9"))


def test_ids_are_reported_in_order_of_first_appearance() -> None:
    found = validate_citations("[id:9] [id:1, 7] [id:2] [id:7, 9]", {"2", "1"})
    assert (found.valid, found.rejected) == (("1", "2"), ("9", "7"))


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("a & b < c > [d]", "a &amp; b &lt; c > [d]"),
        ("&#91;id:9]", "&amp;#91;id:9]"),
        ("[id:9]", "&#91;id:9]"),
        ("【ｉｄ：9】", "&#12304;ｉｄ：9】"),
        ("[[id:9]]", "[&#91;id:9]]"),
        ("[id: [id:9]", "&#91;id: &#91;id:9]"),
        ("[id: [x]", "[id: [x]"),
        ("see [id:\n", "see &#91;id:\n"),
        ("f(id=9) {id: 9} [ids: 9]", "f(id=9) {id: 9} [ids: 9]"),
    ],
)
def test_neutralise(text: str, neutral: str) -> None:
    assert neutralise(text) == neutral


def test_two_fields_cannot_join_into_a_reference() -> None:
    assert find_references("\n".join(map(neutralise, ["a [", "id:9]"]))) != ()
    assert find_references(neutralise("a [\nid:9]")) == ()


# Linear time: each would run for hours if a character were read once per opener.


@pytest.mark.parametrize(
    ("lead", "unit"),
    [
        ("", "["), ("", "[id:"), ("", "[id:9"), ("", "[id:9 "), ("", "[id:1]"), ("", "[i"),
        ("", "("), ("", "(id:"), ("", "(id=9 "), ("", "(id:9 \u200b"), ("", "[ memory "),
        ("", "[id:1 (id:2 "),
        ("", "[i\u200bd:\u200b1]"), ("", "［ｉｄ：９］"), ("", "[id:\ud800]"), ("", "]"),
        ("[", " "), ("[i", " "), ("[", "\u200b"), ("(id", "\u200b"), ("[id:", "\u200b"),
        ("[id:9", "\u200b"), ("[id:", "9"), ("[id:", "9 "), ("[id:", ","), ("[id:9 ", "(ids "),
        ("(mem:9", " "), ("(id:", "("),
    ],
)  # fmt: skip
def test_a_megabyte_of_hostile_text_takes_linear_time(lead: str, unit: str) -> None:
    text = lead + unit * (MEGABYTE // len(unit))
    found = validate_citations(text, {"1"}, strict=True)
    assert len(found.clean) <= len(text)
    assert len(neutralise(text)) >= len(text)


def test_a_megabyte_of_different_citations_takes_linear_time() -> None:
    text = "".join(f"[id:1,{number:x}]" for number in range(MEGABYTE // 11))
    found = validate_citations(text, {"1"}, strict=True)
    assert set(found.clean.split("]")) == {"[id:1", "[id:1,1", ""}
