"""Ends the app when its terminal is gone, also where the system sends no signal for that."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TextIO


@contextmanager
def ended_by_hangup(stream: TextIO | None) -> Iterator[None]:
    """Within it, this process gets SIGHUP once the other end of a terminal is closed.

    The system sends it only to those whose controlling terminal it is; for all others Textual 8.2
    would go on reading a terminal that is gone, without a pause and without an end. Does nothing
    where a hang-up can not be waited for.

    Args:
        stream: what keys are read from; nothing is done if it is no terminal.

    """
    waits = hasattr(select, "poll") and hasattr(signal, "SIGHUP")
    if stream is None or not waits or not stream.isatty():
        yield
        return
    woken, wake = os.pipe()
    watcher = Thread(target=_wait, args=(stream.fileno(), woken), name="hang-up", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        os.close(wake)
        watcher.join()
        os.close(woken)


def _wait(terminal: int, woken: int) -> None:
    """Waits until the terminal hangs up, or until nobody needs to know any more."""
    poll = select.poll()
    poll.register(terminal, 0)
    poll.register(woken, 0)
    happened = dict(poll.poll())
    if woken not in happened and happened.get(terminal, 0) & select.POLLHUP:
        os.kill(os.getpid(), signal.SIGHUP)
