"""What is said about a query under its input."""

from __future__ import annotations

from memtui.tui.view.pieces import Line, Piece, line
from memtui.tui.view.view import View


def about_query(view: View, state: Line = ()) -> Line:
    """The tokens that are looked for, or why there are none; warnings of the recall first.

    Args:
        view: the recall.
        state: what is to be said before all of that, about the selector.

    """
    if state:
        return (*state, Piece(" · ", "muted"), *_about(view))
    return _about(view)


def _about(view: View) -> Line:
    recall = view.recall
    refused = recall.selection.refused is not None  # which is said of the selector, not here
    warnings = recall.warnings[:-1] if refused else recall.warnings
    if warnings:
        more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
        return line(Piece(f"! {warnings[0]}{more}", "warning"))
    if not view.catalogue.entries:
        return line(Piece("the store is empty: there is nothing to recall", "warning"))
    if not recall.query.text.strip():
        return line(Piece("no query: the reserve alone fills the manifest", "muted"))
    if not recall.query.terms:
        return line(Piece("no token: a word needs 3 letters, CJK text 2 characters", "warning"))
    tokens = line(Piece("looks for " + " · ".join(recall.query.tokens), "muted"))
    added = recall.query.added_terms
    if added:
        tokens = (*tokens, Piece(" + ", "muted"), Piece(" · ".join(added), "accent"))
    if not recall.hits:
        return (Piece(f"no {recall.ranker} hit: ", "warning"), *tokens)
    return tokens
