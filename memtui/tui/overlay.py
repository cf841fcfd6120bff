"""The pool as it would be with other limits or with some memories changed; nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from memtui.limits import Limits
from memtui.memory.document import Document, Pool
from memtui.memory.edit import admitted, pool_as_of, with_document

OWN_MEMOS = "tui."
"""How the names begin of what the app keeps about a pool; it belongs to that pool alone."""


def pool_under(
    scanned: Pool, read_with: Limits, limits: Limits, changed: Sequence[Document] = ()
) -> Pool:
    """The pool that a scan with ``limits`` would find, some memories changed.

    Args:
        scanned: the pool as it was read.
        read_with: the limits that it was read with.
        limits: those to have it under; a larger ``file_bytes`` reads the files that it lets in.
        changed: memories as they would be, each in place of what is at its path.

    """
    pool = scanned
    if limits.file_bytes > read_with.file_bytes:
        pool = admitted(pool, limits)
    if limits.capped_scan_docs != read_with.capped_scan_docs:
        pool = pool_as_of(pool, inf, limits)
    for document in changed:
        pool = with_document(pool, document, limits)
    if pool is not scanned:
        for name in [each for each in pool.memo if str(each).startswith(OWN_MEMOS)]:
            del pool.memo[name]
    return pool
