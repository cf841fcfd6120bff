"""What is said about a query under its input."""

from __future__ import annotations

from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.view import View


def about_query(view: View) -> Line:
    """The tokens that are looked for, or why there are none; warnings of the recall first."""
    recall = view.recall
    if recall.warnings:
        others = len(recall.warnings) - 1
        more = f" (and {others} more)" if others else ""
        return line(Piece(f"! {recall.warnings[0]}{more}", "warning"))
    if not view.catalogue.entries:
        return line(Piece("the store is empty: there is nothing to recall", "warning"))
    if not recall.query.text.strip():
        return line(Piece("no query: the reserve alone fills the manifest", "muted"))
    if not recall.query.terms:
        return line(Piece("no token: a word needs 3 letters, CJK text 2 characters", "warning"))
    tokens = Piece("looks for " + " · ".join(recall.query.terms), "muted")
    if not recall.hits:
        return line(Piece("no lexical hit: ", "warning"), tokens)
    return line(tokens)
