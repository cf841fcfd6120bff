from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.view.marks import marked, match_spans


def found(text: str, *tokens: str) -> list[str]:
    return [text[start:end] for start, end in match_spans(text, tokens)]


def test_matches_are_marked_as_written() -> None:
    assert found("Release ROLLBACK", "roll", "release") == ["Release", "ROLL"]


def test_overlapping_matches_are_joined() -> None:
    assert found("部署后怎么", "部署", "署后") == ["部署后"]


def test_a_folded_match_leads_back_to_the_text() -> None:
    assert found("ｄｅｐｌｏｙ now", "deploy") == ["ｄｅｐｌｏｙ"]
    assert found("cafe\u0301 au lait", "café") == ["cafe\u0301"]
    assert found("ﬁle", "fil") == ["ﬁl"]


@given(st.text(max_size=60), st.lists(st.text(max_size=4), max_size=4))
def test_marking_changes_no_text(text: str, tokens: list[str]) -> None:
    pieces = marked(text, match_spans(text, tokens))
    assert "".join(piece.text for piece in pieces) == text
