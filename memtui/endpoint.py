"""An OpenAI-compatible endpoint: where it is, which model it has, and a key that is never shown."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import urlsplit

_URL = re.compile(r"https?://[!-~]+", re.IGNORECASE)
_HEADER_TEXT = re.compile(r"[!-~]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Secret:
    """A text that is used and never shown: it has no place in a ``repr``, an export or a pickle."""

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one call that needs it."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "Secret(set)" if self._text else "Secret(not set)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __deepcopy__(self, _memo: object) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What is needed to ask a model."""

    url: str = field(default="", repr=False)
    """The base URL, as in ``http://localhost:11434/v1``; not shown, it may hold a password."""
    model: str = ""
    """The name of the model."""
    key: Secret = field(default_factory=Secret)
    """The API key; many local servers want none."""

    @classmethod
    def from_settings(
        cls, prefix: str, environ: Mapping[str, str], table: Mapping[str, str]
    ) -> Endpoint:
        """The endpoint that the environment and a table of the configuration name.

        Args:
            prefix: of the variables: ``MEMTUI_SELECTOR`` for ``MEMTUI_SELECTOR_URL``, ``_MODEL``
                and ``_API_KEY``, which win over the table.
            environ: the environment.
            table: ``url``, ``model`` and ``api_key``.

        """

        def setting(name: str) -> str:
            return (environ.get(f"{prefix}_{name.upper()}") or table.get(name) or "").strip()

        return cls(setting("url"), setting("model"), Secret(setting("api_key")))

    @property
    def problem(self) -> str | None:
        """Why it can not be asked, in one line without a secret; None if it can."""
        if not self.url:
            return "no URL is set"
        if not _is_url(self.url):
            return "the URL is no http or https URL"
        if not self.model:
            return "no model is set"
        if _SURROGATE.search(self.model):
            return "the name of the model is no valid text"
        if not _HEADER_TEXT.fullmatch(self.key.reveal()):
            return "the API key has a character that no header can carry"
        return None


def _is_url(text: str) -> bool:
    if not _URL.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        if "[" in parts.netloc:
            ipaddress.IPv6Address(parts.hostname or "")
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
