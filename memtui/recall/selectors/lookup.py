"""The address of an endpoint, looked up where nobody has to wait for the answer.

A resolver may take half a minute to give up, and can not be interrupted. The client asks it in one
of the loop's own threads, which a process waits for when it ends; so it is asked here first.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit
from urllib.request import getproxies


async def has_address(url: str) -> bool:
    """Whether the host of a URL has an address; may be cancelled at any time.

    Where a proxy is set, which may know names that this machine does not, nothing is looked up.
    """
    import asyncio

    if any(scheme != "no" for scheme in getproxies()):
        return True
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bool] = loop.create_future()

    def take(found: bool) -> None:
        if not answer.done():
            answer.set_result(found)

    def look_up() -> None:
        try:
            found = bool(socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            found = False
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(take, found)

    threading.Thread(target=look_up, name="memtui-lookup", daemon=True).start()
    return await answer
