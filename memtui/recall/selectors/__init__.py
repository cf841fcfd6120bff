"""Selectors: who is asked which documents of a manifest are to be read.

``base`` says what a selector is, ``endpoint`` asks a model, ``given`` holds answers that exist
already, ``choose`` makes one from the word on a command line.
"""

from memtui.recall.selectors.base import (
    Selector,
    SelectorRequest,
    ask,
    ask_and_wait,
    selector_prompt,
)

__all__ = ["Selector", "SelectorRequest", "ask", "ask_and_wait", "selector_prompt"]
