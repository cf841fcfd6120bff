"""Embeddings from an OpenAI-compatible endpoint, kept by content hash in memtui's own state.

The standard library asks: one POST a batch needs no client, and so no extra. The file holds hashes
and vectors, never a text; a query is not kept at all. Errors name neither key, URL nor anything
that the endpoint said, which may hold both.
"""

from __future__ import annotations

import hashlib
import json
import math
import queue
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from memtui.endpoint import Endpoint
from memtui.recall.rankers.base import RankerUnavailable, Vector

BATCH_TEXTS = 64
"""Most texts of one request."""
REQUEST_TIMEOUT_S = 15.0
"""Ceiling of one request, seconds."""
TOTAL_TIMEOUT_S = 60.0
"""Ceiling of all requests of one ranking, seconds; what came until then is kept."""
MOST_RESPONSE_BYTES = 32_000_000
"""A longer answer is refused."""
MOST_KEPT = 50_000
"""Vectors that are kept; the oldest go first."""

_PATH = "/embeddings"
_CHUNK_BYTES = 65_536
_SCHEMA = """CREATE TABLE IF NOT EXISTS embeddings (
    space TEXT NOT NULL, text_hash TEXT NOT NULL, vector BLOB NOT NULL,
    UNIQUE (space, text_hash))"""
_KEEP = "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)"
_FIND = "SELECT vector FROM embeddings WHERE space = ? AND text_hash = ?"
_SWEEP = """DELETE FROM embeddings WHERE rowid <=
    (SELECT rowid FROM embeddings ORDER BY rowid DESC LIMIT 1 OFFSET ?)"""


@dataclass(frozen=True, slots=True)
class EndpointEmbedder:
    """Asks an endpoint for what the cache does not hold."""

    endpoint: Endpoint
    """Where it is."""
    cache: Path | None = None
    """The file in which vectors are kept; None for none."""
    request_timeout_s: float = REQUEST_TIMEOUT_S
    """Ceiling of one request, seconds."""
    total_timeout_s: float = TOTAL_TIMEOUT_S
    """Ceiling of all requests for the documents of one ranking, seconds."""

    @property
    def space(self) -> str:
        """A hash of the URL and the model."""
        return _hash(f"{_address(self.endpoint.url)}\0{self.endpoint.model}")

    def query(self, text: str, /) -> Vector:
        """The vector of a query."""
        return _ask(self.endpoint, [text], self.request_timeout_s)[0]

    def documents(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """A vector for each text, from the cache or from the endpoint."""
        hashes = [_hash(text) for text in texts]
        with _opened(self.cache) as cache:
            known = dict(_kept(cache, self.space, dict.fromkeys(hashes)))
            wanted = {
                key: text for key, text in zip(hashes, texts, strict=True) if key not in known
            }
            self._fetch(wanted, known, cache)
        lengths = {len(vector) for vector in known.values()}
        if len(lengths) > 1:
            detail = "the endpoint gave vectors of several lengths"
            raise RankerUnavailable("invalid-answer", detail)
        return [known[key] for key in hashes]

    def _fetch(
        self,
        wanted: Mapping[str, str],
        known: dict[str, Vector],
        cache: sqlite3.Connection | None,
    ) -> None:
        """Asks batch by batch; every batch is kept at once."""
        ends = time.monotonic() + self.total_timeout_s
        keys = list(wanted)
        for start in range(0, len(keys), BATCH_TEXTS):
            left = ends - time.monotonic()
            if left <= 0:
                done = f"{start:,} of {len(keys):,} memories in {self.total_timeout_s:g} s"
                raise RankerUnavailable("timed-out", f"the endpoint embedded {done}; ask again")
            batch = keys[start : start + BATCH_TEXTS]
            timeout = min(left, self.request_timeout_s)
            vectors = _ask(self.endpoint, [wanted[key] for key in batch], timeout)
            known.update(zip(batch, vectors, strict=True))
            _keep(cache, self.space, dict(zip(batch, vectors, strict=True)))


# -- the endpoint ---------------------------------------------------------------------------------


def _ask(endpoint: Endpoint, texts: Sequence[str], timeout_s: float) -> list[Vector]:
    """One request, in a thread that is left to itself when the time is over."""
    if endpoint.problem is not None:
        raise RankerUnavailable("no-endpoint", f"of the embeddings endpoint, {endpoint.problem}")
    answers: queue.SimpleQueue[bytes | RankerUnavailable] = queue.SimpleQueue()
    ends = time.monotonic() + timeout_s

    def run() -> None:
        try:
            answers.put(_post(endpoint, texts, timeout_s, ends))
        except RankerUnavailable as error:
            answers.put(error)

    threading.Thread(target=run, name="memtui-embeddings", daemon=True).start()
    try:
        answer = answers.get(timeout=timeout_s)
    except queue.Empty:
        answer = RankerUnavailable("timed-out", f"the endpoint gave no answer in {timeout_s:g} s")
    if isinstance(answer, RankerUnavailable):
        raise answer
    return _vectors(answer, len(texts))


def _post(endpoint: Endpoint, texts: Sequence[str], timeout_s: float, ends: float) -> bytes:
    """The body of the answer."""
    body = {"model": endpoint.model, "input": list(texts), "encoding_format": "float"}
    headers = {"Content-Type": "application/json", "User-Agent": "memtui"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key.reveal()}"
    try:
        request = urllib.request.Request(
            _address(endpoint.url), json.dumps(body).encode(), headers, method="POST"
        )
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=timeout_s) as response:
            return _read(response, ends)
    except urllib.error.HTTPError as error:
        error.close()
        raise RankerUnavailable("http-status", f"the endpoint answered {error.code}") from None
    except TimeoutError:
        detail = f"the endpoint gave no answer in {timeout_s:g} s"
        raise RankerUnavailable("timed-out", detail) from None
    except (OSError, HTTPException, ValueError):
        detail = "the endpoint can not be reached, or closed the connection"
        raise RankerUnavailable("no-connection", detail) from None


def _read(response: Any, ends: float) -> bytes:
    body = bytearray()
    while chunk := response.read1(_CHUNK_BYTES):
        body += chunk
        if len(body) > MOST_RESPONSE_BYTES:
            detail = f"the endpoint's answer is over {MOST_RESPONSE_BYTES:,} bytes"
            raise RankerUnavailable("too-large", detail)
        if time.monotonic() > ends:
            raise TimeoutError
    return bytes(body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key goes where the user sent it and nowhere else."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        """No request follows."""


def _address(url: str) -> str:
    return url.rstrip("/").removesuffix(_PATH) + _PATH


def _vectors(answer: bytes, count: int) -> list[Vector]:
    """The vectors in an answer, in the order of the texts, each of length 1."""
    try:
        entries = json.loads(answer)["data"]
        by_index = {entry.get("index", place): entry for place, entry in enumerate(entries)}
        vectors = [_unit(by_index[place]["embedding"]) for place in range(count)]
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        vectors = []
    good = len(vectors) == count == len(entries) if vectors else False
    if not good or len({len(vector) for vector in vectors}) > 1:
        detail = "the endpoint's answer is no list of one embedding for each text"
        raise RankerUnavailable("invalid-answer", detail)
    return vectors


def _unit(numbers: Sequence[float]) -> Vector:
    """The vector at length 1; one of length 0 stays.

    Raises:
        ValueError: it is empty, or holds something that is no finite number.

    """
    if not isinstance(numbers, list) or not numbers:
        raise ValueError
    if not all(type(each) in (int, float) and math.isfinite(each) for each in numbers):
        raise ValueError
    length = math.sqrt(math.fsum(each * each for each in numbers)) or 1.0
    return array("f", [each / length for each in numbers])


# -- the cache ------------------------------------------------------------------------------------


@contextmanager
def _opened(path: Path | None) -> Iterator[sqlite3.Connection | None]:
    """The cache; None where there is none or it can not be used, which only costs time."""
    connection = None
    if path is not None:
        with suppress(OSError, sqlite3.Error):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=1.0)
            connection.execute(_SCHEMA)
    if connection is None:
        yield None
        return
    with closing(connection):
        yield connection


def _kept(
    cache: sqlite3.Connection | None, space: str, hashes: Mapping[str, None]
) -> Iterator[tuple[str, Vector]]:
    if cache is None:
        return
    with suppress(sqlite3.Error, ValueError):
        for each in hashes:
            row = cache.execute(_FIND, (space, each)).fetchone()
            if row is not None:
                yield each, _from_bytes(row[0])


def _keep(cache: sqlite3.Connection | None, space: str, vectors: Mapping[str, Vector]) -> None:
    if cache is None:
        return
    with suppress(sqlite3.Error), cache:
        cache.executemany(
            _KEEP, ((space, key, array("f", vector).tobytes()) for key, vector in vectors.items())
        )
        cache.execute(_SWEEP, (MOST_KEPT,))


def _from_bytes(blob: bytes) -> Vector:
    vector = array("f")
    vector.frombytes(blob)
    return vector


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
