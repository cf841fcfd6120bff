"""How often the garbage collector looks for cycles while the app is used."""

from __future__ import annotations

import gc

ALLOCATIONS = 50_000
"""Objects to be made before the youngest are looked at; Python's own number is 700."""


def collect_rarely() -> None:
    """Looks for cycles rarely, and never among what exists already.

    One drawn frame makes tens of thousands of short-lived objects. With Python's own threshold
    each one makes the collector walk through everything that is alive, the memories included,
    which takes longer than drawing it.
    """
    gc.set_threshold(ALLOCATIONS, 20, 20)
    gc.freeze()
