"""The selector that a word names: ``heuristic``, ``model``, ``replay:FILE`` or ``manual:FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.recall.options import OptionError

if TYPE_CHECKING:
    from memtui.recall.selectors.base import Selector

SELECTOR_FORMS = ("heuristic", "model", "replay:FILE", "manual:FILE")
ENVIRONMENT = "MEMTUI_SELECTOR"
"""What the names of the environment's variables begin with."""


def choose_selector(
    word: str, environ: Mapping[str, str], table: Mapping[str, str]
) -> Selector | None:
    """The selector that a word names; None for the heuristic.

    Args:
        word: one of ``SELECTOR_FORMS``.
        environ: may name the endpoint of a model.
        table: the table ``selector`` of the configuration, which may name it too.

    Raises:
        OptionError: no selector is called so, or its file can not be used.

    """
    if word == "heuristic":
        return None
    from memtui.endpoint import Endpoint
    from memtui.recall.selectors.endpoint import ModelSelector
    from memtui.recall.selectors.given import AnswerFileError, ManualSelector, ReplaySelector

    kind, _, path = word.partition(":")
    try:
        if word == "model":
            return ModelSelector(Endpoint.from_settings(ENVIRONMENT, environ, table))
        if kind == "replay" and path:
            return ReplaySelector.from_file(path)
        if kind == "manual" and path:
            return ManualSelector.from_file(path)
    except AnswerFileError as error:
        raise OptionError(str(error)) from None
    forms = ", ".join(SELECTOR_FORMS)
    raise OptionError(f"no selector is called {word[:40]!r}; there are: {forms}")
