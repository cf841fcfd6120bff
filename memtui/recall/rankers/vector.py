"""The ranker ``vector``: cosine between the embeddings of the query and of every memory."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from memtui.memory.document import Document, Pool
from memtui.recall.rankers.base import Embedder, RankerUnavailable, RankRequest, Scored, Vector
from memtui.text import cut

NO_ENDPOINT = (
    "no embeddings endpoint is configured: set MEMTUI_EMBEDDINGS_URL and MEMTUI_EMBEDDINGS_MODEL, "
    "or the table embeddings of the configuration"
)


def rank_by_vector(request: RankRequest) -> Scored:
    """Every eligible document whose cosine with the query is above 0; the cosine is the score."""
    embedder = request.embedder
    if embedder is None:
        raise RankerUnavailable("no-endpoint", NO_ENDPOINT)
    if not request.query.text.strip() or not request.eligible:
        return Scored({})
    asked = embedder.query(request.query.text)
    vectors = _vectors(request.pool, request.body_window_chars, embedder)
    if vectors and len(vectors[0]) != len(asked):
        detail = "the endpoint gives other vectors than before, of another length"
        raise RankerUnavailable("invalid-answer", detail)
    scores = {place: cosine(asked, vector) for place, vector in enumerate(vectors)}
    return Scored(request.eligible_only(scores))


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1, at most 1 whatever was rounded."""
    return min(1.0, float(sum(map(mul, one, other))))


def embedded_text(document: Document, body_window_chars: int) -> str:
    """What is embedded of a memory: title, description and the body that is scored."""
    parts = (document.title, document.description, cut(document.scored_body, body_window_chars))
    return "\n".join(part for part in parts if part.strip()) or document.relative_path


def _vectors(pool: Pool, body_window_chars: int, embedder: Embedder) -> Sequence[Vector]:
    """The vectors of a pool in its order, fetched once for each embedder and body window."""
    key = ("vector", embedder.space, body_window_chars)
    kept = pool.memo.get(key)
    if isinstance(kept, _Vectors) and kept.documents is pool.documents:
        return kept.vectors
    texts = [embedded_text(each, body_window_chars) for each in pool.documents]
    vectors = embedder.documents(texts)
    pool.memo[key] = _Vectors(pool.documents, vectors)
    return vectors


class _Vectors:
    def __init__(self, documents: tuple[Document, ...], vectors: Sequence[Vector]) -> None:
        self.documents = documents
        self.vectors = vectors
