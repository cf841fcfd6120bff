"""The exact prompt of a selector, to be read and copied."""

from __future__ import annotations

import json

from textual.app import ComposeResult
from textual.containers import Vertical

from memtui.recall.selection import encodable
from memtui.recall.selectors.base import SelectorRequest, selector_prompt
from memtui.text import utf8_bytes
from memtui.tui.bindings import bindings_of
from memtui.tui.paint import paragraphs
from memtui.tui.screens.dialog import TRIAL_STYLES, Dialog
from memtui.tui.view.selecting import prompt_lines, prompt_text
from memtui.tui.widgets.scrolled_text import ScrolledText

SHOWN_CHARS = 60_000
"""Most of one message that is drawn."""


class PromptScreen(Dialog[None]):
    """What a model is told, message by message."""

    CSS_PATH = TRIAL_STYLES
    BINDINGS = bindings_of("copy-text", "copy-json")

    def __init__(self, request: SelectorRequest) -> None:
        super().__init__()
        self._messages = selector_prompt(request)

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        with Vertical(id="frame", classes="tall"):
            yield ScrolledText(id="text")

    def on_mount(self) -> None:
        """Writes the prompt."""
        size = utf8_bytes(prompt_text(self._messages))
        self.label(f"prompt, {size:,} B", "copy-text", "copy-json")
        text = self.query_one(ScrolledText)
        text.update(paragraphs(prompt_lines(self._messages, SHOWN_CHARS)))
        text.focus()

    def action_copy_text(self) -> None:
        """Copies the texts of the messages."""
        self._copy(prompt_text(self._messages), "the prompt")

    def action_copy_json(self) -> None:
        """Copies the messages as an endpoint takes them."""
        self._copy(json.dumps(self._messages, ensure_ascii=False, indent=2), "the messages")

    def _copy(self, text: str, what: str) -> None:
        self.app.copy_to_clipboard(encodable(text))
        self.notify(f"{what}: sent to the clipboard of the terminal", markup=False)
