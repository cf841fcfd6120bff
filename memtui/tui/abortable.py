"""An embedder that can be given up: a thread that waits for an endpoint must not hold the app."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from memtui.recall.options import RecallOptions
from memtui.recall.rankers.base import Embedder, RankerUnavailable, Vector

LOOK_S = 0.05
"""How often it is looked whether the answer is still wanted, seconds."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class AbortableEmbedder:
    """Asks another embedder, until an event is set."""

    embedder: Embedder
    """Who is asked."""
    stop: threading.Event
    """Nobody wants the answer any more."""

    @property
    def space(self) -> str:
        """That of the embedder."""
        return self.embedder.space

    def documents(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """As the embedder does."""
        return self._ask(lambda: self.embedder.documents(texts))

    def query(self, text: str, /) -> Vector:
        """As the embedder does."""
        return self._ask(lambda: self.embedder.query(text))

    def _ask(self, ask: Callable[[], Answer]) -> Answer:
        answers: queue.SimpleQueue[tuple[Answer | None, Exception | None]] = queue.SimpleQueue()

        def run() -> None:
            try:
                answers.put((ask(), None))
            except Exception as error:  # raised again below, in the thread that asked
                answers.put((None, error))

        threading.Thread(target=run, name="memtui-embedder", daemon=True).start()
        while not self.stop.is_set():
            try:
                answer, error = answers.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if error is not None:
                raise error
            return answer  # type: ignore[return-value]
        raise RankerUnavailable("cancelled", "it was not waited for")


def abortable(options: RecallOptions, stop: threading.Event) -> RecallOptions:
    """The options with an embedder that is given up as soon as ``stop`` is set."""
    if options.embedder is None:
        return options
    return replace(options, embedder=AbortableEmbedder(options.embedder, stop))
