"""An embeddings endpoint on 127.0.0.1 that behaves as badly as it is told to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.local_server import LocalServer, running

MEANINGS = (
    ("invoice", "billing", "payment", "money"),
    ("deploy", "release", "rollout", "ship"),
    ("dog", "puppy", "pet"),
)
"""Words of one meaning; the vector of a text counts them, so that nearness is known."""


def meaning(text: str) -> list[float]:
    folded = text.lower()
    return [float(sum(word in folded for word in words)) for words in MEANINGS] + [0.1]


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingsServer

    def log_message(self, *arguments: Any) -> None:
        """Silence."""

    def do_POST(self) -> None:
        server = self.server
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append({"path": self.path, **asked})
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        getattr(self, f"do_{server.behaviour}")(asked["input"])

    def do_GET(self) -> None:
        self.server.requests.append({"path": self.path, "input": []})
        self._send(200, b"{}")

    def do_answer(self, texts: list[str]) -> None:
        data = [{"index": place, "embedding": meaning(text)} for place, text in enumerate(texts)]
        self._send(200, json.dumps({"data": data[::-1]}).encode())

    def do_body(self, texts: list[str]) -> None:
        self._send(200, self.server.body)

    def do_status_500(self, texts: list[str]) -> None:
        self._send(500, self.headers["Authorization"].encode())

    def do_status_429(self, texts: list[str]) -> None:
        self._send(429, b"slow down, " + self.headers["Authorization"].encode())

    def do_redirect(self, texts: list[str]) -> None:
        self.send_response(302)
        self.send_header("Location", f"{self.server.url}/elsewhere")
        self.end_headers()

    def do_close(self, texts: list[str]) -> None:
        self.connection.close()

    def do_hang(self, texts: list[str]) -> None:
        self.server.released.wait(30)

    def do_trickle(self, texts: list[str]) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
        while not self.server.released.wait(0.05):
            self.wfile.write(b" ")

    def do_trickle_headers(self, texts: list[str]) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        while not self.server.released.wait(0.05):
            self.wfile.write(b"x")

    def do_huge(self, texts: list[str]) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(1_000):
            self.wfile.write(b" " * 1_000_000)

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class EmbeddingsServer(LocalServer):
    """Answers every request alike."""

    handler = _Handler

    def __init__(self) -> None:
        super().__init__()
        self.body = b""


@contextmanager
def embeddings_server() -> Iterator[EmbeddingsServer]:
    with running(EmbeddingsServer()) as server:
        yield server
