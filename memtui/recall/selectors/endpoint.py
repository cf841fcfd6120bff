"""A model at an OpenAI-compatible chat endpoint; whatever it does ends as a text or a refusal."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from memtui.endpoint import Endpoint
from memtui.recall.selection import Answer, Refusal, validate_answer
from memtui.recall.selectors.base import ANSWER_SCHEMA, SelectorRequest, selector_prompt
from memtui.recall.selectors.lookup import has_address

MOST_RESPONSE_BYTES = 1_000_000
"""A longer response is not read to its end."""
_PATH = "/chat/completions"
_NO_KEY = "none"
"""What is sent where no key is set: the client must not look for one of its own."""
_NOBODY = "nobody can be reached at the address of the endpoint"
_ENVIRONMENT_UNUSABLE = (
    "the client can not use what the environment says of proxies or certificates "
    "(ALL_PROXY, HTTP_PROXY, HTTPS_PROXY, SSL_CERT_FILE, SSL_CERT_DIR)"
)


class _Stop(Exception):
    """No error: it carries a refusal out of the client."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class ModelSelector:
    """Asks a model, once and without a retry."""

    endpoint: Endpoint
    """Where it is."""
    name: str = "model"
    replayable: bool = False

    async def warm_up(self) -> None:
        """Imports the client, in a thread; it takes a second."""
        import asyncio

        if self.endpoint.problem is None:
            await asyncio.to_thread(_can_import)

    async def answer(self, request: SelectorRequest, /) -> Answer:
        """What the model says; the caller sets the time limit and may cancel."""
        import asyncio

        problem = self.endpoint.problem
        if problem is not None:
            return Refusal("not-configured", problem)
        if not await asyncio.to_thread(_can_import):
            return Refusal("extra-missing", "a model needs: pip install 'memtui[model]'")
        if not await has_address(self.endpoint.url):
            return Refusal("connection-closed", _NOBODY)
        try:
            conversation = await asyncio.to_thread(_Conversation, self.endpoint)
        except (OSError, ValueError, ImportError):
            return Refusal("not-configured", _ENVIRONMENT_UNUSABLE)
        return self._without_key(await conversation.ask(request), request)

    def _without_key(self, answer: Answer, request: SelectorRequest) -> Answer:
        """The answer, or its refusal: servers repeat what they are sent, and a refusal is shown."""
        if isinstance(answer, Refusal):
            return answer
        key = self.endpoint.key.reveal()
        found = validate_answer(answer, request.manifest, request.limit, secret=key)
        return found if isinstance(found, Refusal) else answer


def _can_import() -> bool:
    try:
        import openai  # noqa: F401
    except ImportError:
        return False
    return True


class _Conversation:
    """One client for one request. Made in a thread: it reads certificates."""

    def __init__(self, endpoint: Endpoint) -> None:
        import openai

        self._endpoint = endpoint
        self._refusals: list[Refusal] = []
        self._http: Any = openai.DefaultAsyncHttpxClient(
            event_hooks={"response": [self._look_at_status]},
            follow_redirects=False,
            timeout=None,
        )
        # The library under it, whose errors a stream raises as they are, has changed its name.
        self._library: Any = importlib.import_module(
            openai.DefaultAsyncHttpxClient.__bases__[0].__module__
        )

    async def ask(self, request: SelectorRequest) -> Answer:
        """The text of the answer, or why there is none. Errors are not shown: they hold secrets."""
        import openai

        try:
            async with self._http:
                body = await self._body(openai, request)
        except _Stop as stop:
            return stop.refusal
        except self._library.InvalidURL:
            return Refusal("not-configured", "the URL is no http or https URL")
        except (openai.OpenAIError, self._library.HTTPError) as error:
            closed = "the endpoint gave no complete answer"
            if isinstance(error.__cause__, self._library.ConnectError):
                closed = _NOBODY
            return self._refusals[0] if self._refusals else Refusal("connection-closed", closed)
        return _text_of(body)

    async def _body(self, openai: Any, request: SelectorRequest) -> bytes:
        endpoint = self._endpoint
        client = openai.AsyncOpenAI(
            base_url=endpoint.url.rstrip("/").removesuffix(_PATH),
            api_key=endpoint.key.reveal() or _NO_KEY,
            http_client=self._http,
            max_retries=0,
        )
        client.organization = client.project = None  # not from the environment, as these are:
        client._custom_headers = {}  # there is no public way to send none
        schema = {"name": "selection", "strict": True, "schema": ANSWER_SCHEMA}
        body = bytearray()
        async with client.chat.completions.with_streaming_response.create(
            model=endpoint.model,
            messages=selector_prompt(request),
            temperature=0,
            response_format={"type": "json_schema", "json_schema": schema},
            extra_headers={"Accept-Encoding": "identity"},
        ) as response:
            async for part in response.iter_bytes():
                body += part
                if len(body) > MOST_RESPONSE_BYTES:
                    raise _Stop(Refusal("too-large", f"over {MOST_RESPONSE_BYTES:,} bytes"))
        return bytes(body)

    async def _look_at_status(self, response: Any) -> None:
        """Ends the call before the body of an error is read, which nothing would bound."""
        if not response.is_success:
            refusal = Refusal("http-status", _status(response.status_code))
            self._refusals.append(refusal)
            raise _Stop(refusal)


def _status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _text_of(body: bytes) -> Answer:
    """The text in a chat completion."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return Refusal("invalid-json", "the response is not JSON")
    try:
        text = value["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        return Refusal("invalid-json", "the response is no chat completion")
    return text if isinstance(text, str) else Refusal("invalid-json", "the response has no text")
