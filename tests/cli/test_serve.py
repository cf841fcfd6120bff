"""``memtui serve``: the app over the WebSocket that a browser uses, and nobody else."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from memtui.cli.options import Options, parse_options
from memtui.cli.output import CommandError
from memtui.cli.serve import loopback, served_command
from tests.cli.running import assert_one_line, command, memtui, spawn

_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
F1, CTRL_Q = "\x1bOP", "\x11"


class Page:
    """What a browser does: it shows what the app draws, and sends what is typed."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        self.websocket = websocket
        self.drawn = ""

    async def shows(self, *texts: str) -> None:
        """Waits until every text was drawn since the last time."""
        found = ""
        while not all(text in found for text in texts):
            message = await self.websocket.receive(60)
            assert message.type is aiohttp.WSMsgType.BINARY, f"{message} after {found[-500:]!r}"
            self.drawn += message.data.decode()
            found = _ESCAPE.sub("", self.drawn)
        self.drawn = ""

    async def types(self, keys: str) -> None:
        await self.websocket.send_json(["stdin", keys])

    async def resizes(self, width: int, height: int) -> None:
        await self.websocket.send_json(["resize", {"width": width, "height": height}])

    async def closed(self) -> None:
        """Waits until the server hangs up."""
        while (await self.websocket.receive(60)).type is aiohttp.WSMsgType.BINARY:
            pass


@contextmanager
def serving(*words: object, **environ: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server of the app as a process, and its address, once that can be opened."""
    process = subprocess.Popen(
        command("serve", "--port", "0", *words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environ},
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline().decode()
        address = re.search(r"http://\S+", said)
        assert address, said
        yield process, address[0]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


Visit = Callable[[Page], Awaitable[None]]


def visit(address: str, script: Visit, *, width: int = 120, height: int = 40) -> None:
    """Runs a script on a page of the server."""

    async def main() -> None:
        query = f"/ws?width={width}&height={height}"
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(address + query, max_msg_size=0) as websocket,
        ):
            await script(Page(websocket))

    asyncio.run(main())


def status_of(address: str, **headers: str) -> tuple[int, str, str]:
    """Status, text and content policy of what an address answers."""

    async def main() -> tuple[int, str, str]:
        async with aiohttp.ClientSession() as session, session.get(address, headers=headers) as got:
            policy = got.headers.get("Content-Security-Policy", "")
            return got.status, await got.text(errors="replace"), policy

    return asyncio.run(main())


def processes_of_group(group: int) -> list[int]:
    """The processes that live in a process group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("latin-1").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def test_a_page_shows_the_demo_and_obeys_keys_and_a_new_size() -> None:
    async def script(page: Page) -> None:
        await page.shows("demo small", "1 pool", "4 manifest", "3 recency reserve")
        await page.types(" zebra")
        await page.shows("zebra")
        await page.types(F1)
        await page.shows("esc close")
        await page.types("q")
        await page.resizes(80, 24)
        await page.shows("4 Manifest", "5 Trace")
        await page.types(CTRL_Q)
        await page.closed()

    with serving("--demo", "small") as (_, address):
        visit(address, script, width=200, height=50)


def test_every_page_has_an_app_of_its_own_and_the_options_are_passed_on(tmp_path: Path) -> None:
    root = tmp_path / "it's $(touch owned) `a` root"
    (root / "notes").mkdir(parents=True)
    (root / "a.md").write_text("---\nname: Zebra crossing\ntype: user\n---\nx\n", "utf-8")

    async def script(page: Page) -> None:
        await page.shows("Zebra crossing", "manifest", "9,000")

    with serving("--project", root, "--set", "manifest_bytes=9000") as (_, address):
        visit(address, script, width=200, height=50)
        visit(address, script, width=200, height=50)
    assert not list(tmp_path.rglob("owned"))
    assert not Path("owned").exists()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["SIGINT", "SIGTERM", "SIGHUP"],
)
def test_a_signal_ends_the_server_and_the_apps_of_its_pages(number: int, code: int) -> None:
    async def script(page: Page) -> None:
        await page.shows("manifest")
        process.send_signal(number)
        await page.closed()

    with serving("--demo", "small") as (process, address):
        visit(address, script)
        out, err = process.communicate(timeout=60)
        assert process.returncode == code
        assert (out, err) == (b"", b"")
        if Path("/proc/self/stat").exists():
            assert processes_of_group(process.pid) == []


def test_an_app_ends_when_its_page_is_closed_and_when_its_server_is_killed() -> None:
    async def script(page: Page) -> None:
        await page.shows("manifest")

    async def kill(page: Page) -> None:
        await page.shows("manifest")
        process.kill()
        await page.closed()

    if not Path("/proc/self/stat").exists():
        pytest.skip("processes can not be listed here")
    with serving("--demo", "small") as (process, address):
        visit(address, script)
        wait_until(lambda: processes_of_group(process.pid) == [process.pid])
        visit(address, kill)
        process.communicate()
        wait_until(lambda: not processes_of_group(process.pid))


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits until something holds; the test's own timeout ends it."""
    while not holds():
        time.sleep(0.02)


def test_an_app_that_can_not_start_ends_its_page_and_says_why(tmp_path: Path) -> None:
    async def script(page: Page) -> None:
        await page.closed()

    config = tmp_path / "config.toml"
    config.write_text("", "utf-8")
    with serving("--demo", "small", MEMTUI_CONFIG=str(config)) as (process, address):
        config.write_text("theme = 'no such theme'", "utf-8")
        visit(address, script)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert out == b""
        assert b"no such theme" in err
        assert b"Traceback" not in err


def test_the_page_needs_no_other_machine() -> None:
    with serving("--demo", "small") as (_, address):
        status, page, policy = status_of(address)
        assert status == 200
        host = address.removeprefix("http://")
        assert set(re.findall(r"(?:https?|wss?)://[^\s\"/;]+", page + policy)) == {f"ws://{host}"}
        loaded = re.findall(r'(?:href|src)="(static/[^"]+)"|url\("(static/[^"]+)"\)', page)
        assert len(loaded) == 4
        for names in loaded:
            assert status_of(f"{address}/{''.join(names)}")[0] == 200


def test_a_page_of_another_origin_and_another_name_for_this_machine_are_refused() -> None:
    with serving("--demo", "small") as (_, address):
        port = address.rpartition(":")[2]
        for headers in (
            {"Origin": "http://example.org"},
            {"Origin": "null"},
            {"Origin": f"https://127.0.0.1:{port}"},
            {"Origin": "http://127.0.0.1:1"},
            {"Host": "example.org"},
            {"Host": f"example.org:{port}"},
        ):
            for path in ("/", "/ws", "/static/js/textual.js"):
                assert status_of(address + path, **headers)[0] == 403, headers
        for name in ("127.0.0.1", "localhost"):
            own = {"Origin": f"http://{name}:{port}", "Host": f"{name}:{port}"}
            assert status_of(address, **own)[0] == 200


def test_the_address_is_data_with_json() -> None:
    with serving("--demo", "small", "--json") as (process, address):
        assert process.stdout is not None
        lines = b"".join(process.stdout.readline() for _ in range(4))
        assert json.loads(lines) == {"schema": "memtui.serve/1", "address": address}


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = spawn("serve", "--demo", "small", "--port", port)
    assert result.code == 2
    assert_one_line(result)
    assert f"port {port}" in result.err
    assert "--port" in result.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", "", "127.0.0.1.x"])
def test_a_host_that_others_can_reach_is_refused(host: str) -> None:
    result = memtui("serve", "--demo", "small", "--port", "0", "--host", host)
    assert result.code == 2
    assert_one_line(result)
    assert "127.0.0.1" in result.err


def test_the_addresses_of_this_machine_are_taken() -> None:
    assert [loopback(each) for each in ("127.0.0.1", "localhost", "127.0.0.2", "::1")] == [
        "127.0.0.1",
        "127.0.0.1",
        "127.0.0.2",
        "::1",
    ]
    with pytest.raises(CommandError):
        loopback("10.0.0.1")


@pytest.mark.parametrize(
    "words",
    [
        ["--demo", "nowhere"],
        ["--set", "nonsense=1"],
        ["--demo", "small", "--project", "x"],
        ["--port", "70000"],
        ["--ranker", "nonsense"],
    ],
    ids=" ".join,
)
def test_what_the_app_would_refuse_is_refused_before_anything_is_served(words: list[str]) -> None:
    result = memtui("serve", *words)
    assert result.code == 2
    assert_one_line(result)


def test_options_mean_the_same_when_they_are_typed_again() -> None:
    typed = Options(
        project="-a b",
        db=("x y", "--set"),
        tool=("grep; rm", "$HOME"),
        limit=7,
        expand=True,
        set_=("manifest_bytes=9000", "query_tokens=3"),
        ablate=("scan=capped",),
        now="-5",
        recency="modified",
        demo="",
    )
    assert parse_options(typed.words()) == typed
    assert parse_options(Options().words()) == Options()
    assert shlex.split(served_command(typed.words()))[-len(typed.words()) :] == typed.words()


def test_the_app_is_run_by_this_interpreter_and_takes_no_module_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(served_command([]))
    assert words[-4:] == [sys.executable, "-P", "-m", "memtui"]


def test_the_missing_extra_is_one_line_that_says_what_to_install() -> None:
    code = "import sys; sys.modules['textual_serve'] = None\n"
    code += "from memtui.cli import run; sys.exit(run(['serve', '--demo', 'small']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr == b"memtui: serve needs an extra: pip install 'memtui[serve]'\n"
