"""A chat endpoint on 127.0.0.1 that behaves as badly as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.local_server import LocalServer, running


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        """Silence."""

    def do_POST(self) -> None:
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.requests.append(json.loads(body))
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        server.asked.set()
        getattr(self, f"do_{server.behaviour}")()

    def do_answer(self) -> None:
        self.server.released.wait(self.server.delay_s)
        message = {"role": "assistant", "content": self.server.text}
        self._send(200, json.dumps({"choices": [{"index": 0, "message": message}]}).encode())

    def do_held(self) -> None:
        """Answers when it is released."""
        self.server.released.wait(30)
        self.do_answer()

    def do_body(self) -> None:
        self._send(200, self.server.text.encode())

    def do_hang(self) -> None:
        self.server.released.wait(30)
        self.close_connection = True

    def do_trickle(self) -> None:
        self._head(200, 10_000)
        while not self.server.released.wait(0.05):
            self.wfile.write(b" ")
            self.wfile.flush()

    def do_close(self) -> None:
        self.close_connection = True

    def do_truncate(self) -> None:
        self._head(200, 10_000)
        self.wfile.write(b'{"choices": [')
        self.close_connection = True

    def do_huge(self) -> None:
        """Never ends; the client has to."""
        self._head(200, 10**12)
        self._flood()

    def do_huge_error(self) -> None:
        self._head(500, 10**12)
        self._flood()

    def _flood(self) -> None:
        block = b" " * 65_536
        while not self.server.released.is_set():
            self.wfile.write(block)

    def do_redirect(self) -> None:
        self.send_response(307)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, body: bytes) -> None:
        self._head(status, len(body))
        self.wfile.write(body)

    def _head(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def __getattr__(self, name: str) -> Any:
        """``status_500`` and the like; the body repeats the key, as real servers do."""
        if not name.startswith("do_status_"):
            raise AttributeError(name)
        key = self.headers.get("Authorization", "")
        message = json.dumps({"error": {"message": f"no good: {key}", "code": "x"}})
        return lambda: self._send(int(name.removeprefix("do_status_")), message.encode())


class ChatServer(LocalServer):
    """Answers every request alike."""

    handler = _Handler

    def __init__(self) -> None:
        super().__init__()
        self.text = "{}"
        self.delay_s = 0.0
        self.asked = threading.Event()


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    with running(ChatServer()) as server:
        yield server
