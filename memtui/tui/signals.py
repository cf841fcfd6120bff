"""Signals that end the app, also those that come before it listens to them."""

from __future__ import annotations

import signal

SIGNAL_CODES = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}
"""Signals that end the app, and the exit code that says so."""


def signals_wait(wait: bool) -> None:
    """Holds these signals back, or lets them and those that wait come; where the system can.

    The terminal is the app's before the app can listen: a signal between the two would leave it
    as it is.
    """
    if hasattr(signal, "pthread_sigmask"):
        numbers = [number for name in SIGNAL_CODES if (number := getattr(signal, name, None))]
        signal.pthread_sigmask(signal.SIG_BLOCK if wait else signal.SIG_UNBLOCK, numbers)
