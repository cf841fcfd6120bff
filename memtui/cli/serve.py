"""``serve``: the app in a browser of this machine. Nothing else imports the server's library."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import shlex
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager
from textual_serve.server import Server

import memtui
from memtui.cli.output import CommandError, Exit, clipped, narrate, write_json

PAGE = Path(__file__).parent / "page"
"""The folder with the page; what it shows comes from this machine alone."""
GRACE_S = 5.0
"""Seconds that a running app has to end when its page is closed."""
HANG_UP_S = 1.0
"""Seconds that a page has to agree that the connection ends."""
HEARTBEAT_S = 15.0
"""Seconds between two looks whether a page is still there."""
SIGNAL_CODES = {"SIGINT": int(Exit.INTERRUPTED), "SIGTERM": 143, "SIGHUP": 129}
"""Signals that end the server, and the exit code that says so."""


def serve(words: list[str], host: str, port: int, *, as_json: bool = False) -> int:
    """Serves the app with these options until a signal comes; returns the exit code.

    Raises:
        CommandError: the host is not this machine's own, or the port can not be taken.

    """
    stdout = sys.stdout

    def announce(address: str) -> None:
        narrate(f"the app is at {address} (Ctrl-C ends it)")
        if as_json:
            with redirect_stdout(stdout):
                write_json({"schema": "memtui.serve/1", "address": address})
            stdout.flush()

    with listening(loopback(host), port) as listener, redirect_stdout(sys.stderr):
        server = LocalServer(served_command(words), listener)
        return asyncio.run(_until_a_signal(server, listener, announce))


def served_command(words: list[str]) -> str:
    """The shell command that runs the app with these options, in this interpreter.

    Python does not look for modules in the current directory, which is a stranger's project; only
    memtui's own checkout is left as it is, since it may not be installed.
    """
    at_home = Path.cwd() == Path(memtui.__file__).parent.parent
    python = [sys.executable, *([] if at_home else ["-P"]), "-m", "memtui"]
    return "exec " * (os.name == "posix") + shlex.join([*python, *words])


def loopback(host: str) -> str:
    """The address of this machine itself that ``host`` means.

    Raises:
        CommandError: others could reach it.

    """
    address = "127.0.0.1" if host == "localhost" else host
    with suppress(ValueError):
        if ipaddress.ip_address(address).is_loopback:
            return address
    raise CommandError(
        f"--host must be 127.0.0.1 or ::1, not {clipped(host)!r}: there is no password, "
        "so only this machine may look"
    )


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens.

    Raises:
        CommandError: the address can not be taken.

    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise CommandError(
            f"port {port} of {host} can not be taken: {reason}; name another with --port, "
            "or 0 for a free one"
        ) from None
    with listener:
        yield listener


class OneLine(logging.Handler):
    """Says what the libraries report in one line each, without a traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        """Says one message."""
        narrate(record.getMessage().partition("\n")[0])


class ServedApp(AppService):
    """One app, which runs for one page and ends with it; and the page ends with the app."""

    def __init__(self, command: str, websocket: web.WebSocketResponse, files: DownloadManager):
        async def show(drawn: bytes) -> None:
            with suppress(ConnectionResetError):  # what an app draws that ends is still read
                await websocket.send_bytes(drawn)

        async def hang_up() -> None:
            await websocket.close()

        super().__init__(
            command,
            write_bytes=show,
            write_str=websocket.send_str,
            close=hang_up,
            download_manager=files,
        )

    async def run(self) -> None:
        """Passes on what the app draws until it ends, be it that it never began."""
        await super().run()
        await self.remote_close()

    async def end(self) -> None:
        """Asks the app to end, waits until it has, and kills it when that takes too long."""
        process = self._process
        assert process is not None
        try:
            await asyncio.wait_for(self.stop(), GRACE_S)
        except TimeoutError:
            process.kill()
        await process.wait()


class LocalServer(Server):
    """Serves one command to pages of its own address, and to nothing else.

    Any page in the browser may try to open a connection to this machine. A browser says in
    ``Origin`` whose page asks and in ``Host`` what name it asked for, so both must be ours.
    """

    def __init__(self, command: str, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        super().__init__(
            command,
            host,
            port,
            title="memtui",
            public_url=f"http://{shown}:{port}",
            templates_path=PAGE,
        )
        self._names = frozenset({f"{shown}:{port}", f"localhost:{port}"})
        self._open: set[web.WebSocketResponse] = set()

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._only_own_pages)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Prints no banner; the address is said once it can be opened."""

    async def on_shutdown(self, _app: web.Application) -> None:
        """Hangs up on every page, at which its app ends."""
        await asyncio.gather(*(each.close() for each in self._open))

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Runs one app for as long as its page is open."""
        websocket = web.WebSocketResponse(heartbeat=HEARTBEAT_S, timeout=HANG_UP_S)
        await websocket.prepare(request)
        app = ServedApp(self.command, websocket, self.download_manager)
        await app.start(*(_cells(request, name) for name in ("width", "height")))
        self._open.add(websocket)
        try:
            await self._process_messages(websocket, app)
        finally:
            self._open.discard(websocket)
            await app.end()
        return websocket

    @web.middleware
    async def _only_own_pages(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if request.host not in self._names or (
            origin is not None and origin.removeprefix("http://") not in self._names
        ):
            return web.Response(status=403, text="memtui serves pages of its own address only\n")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = self._policy
        return response

    @property
    def _policy(self) -> str:
        """What a browser may load for the page: nothing from any other machine."""
        socket_url = self.public_url.replace("http", "ws", 1)
        return (
            f"default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self' {socket_url}; "
            "frame-ancestors 'none'"
        )


def _cells(request: web.Request, name: str) -> int:
    """The width or the height that a page asks for, in cells."""
    text = request.query.get(name, "")
    cells = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
    return cells or {"width": 80, "height": 24}[name]


async def _until_a_signal(
    server: LocalServer, listener: socket.socket, announce: Callable[[str], None]
) -> int:
    logging.basicConfig(handlers=[OneLine(logging.WARNING)])
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    for name, code in SIGNAL_CODES.items():
        number = getattr(signal, name, None)
        if number is not None:
            with suppress(NotImplementedError):
                loop.add_signal_handler(number, end, code)
    runner = web.AppRunner(await server._make_app(), access_log=None, shutdown_timeout=2 * GRACE_S)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        announce(server.public_url)
        return await ended
    finally:
        await runner.cleanup()
