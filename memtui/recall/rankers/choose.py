"""The embedder that the environment or the configuration names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.endpoint import Endpoint

if TYPE_CHECKING:
    from memtui.recall.rankers.base import Embedder

ENVIRONMENT = "MEMTUI_EMBEDDINGS"
"""What the names of the environment's variables begin with."""
CACHE_NAME = "embeddings.db"
"""The file beside memtui's database in which vectors are kept."""


def choose_embedder(
    environ: Mapping[str, str], table: Mapping[str, str], state_folder: Path | None
) -> Embedder | None:
    """The embedder that is configured; None if none is. Asks nobody and opens nothing.

    Args:
        environ: ``MEMTUI_EMBEDDINGS_URL``, ``_MODEL`` and ``_API_KEY`` win over the table.
        table: the table ``embeddings`` of the configuration: ``url``, ``model``, ``api_key``.
        state_folder: where vectors are kept; None keeps none.

    """
    endpoint = Endpoint.from_settings(ENVIRONMENT, environ, table)
    if not endpoint.url and not endpoint.model:
        return None
    from memtui.recall.rankers.embeddings import EndpointEmbedder  # loads an HTTP client

    return EndpointEmbedder(endpoint, state_folder and state_folder / CACHE_NAME)
