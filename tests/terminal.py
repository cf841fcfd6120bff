"""A process in a pseudo-terminal of its own: what it writes, and the keys it is sent."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from types import TracebackType
from typing import Self

RESTORED = b"\x1b[?1049l"
MOUSE_OFF = b"\x1b[?1000l"
_NOT_HANDED_ON = ("NO_COLOR", "COLUMNS", "LINES")
"""Variables that say something else of the terminal than the terminal does."""
_MOVES_AND_COLOURS = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """Runs a command in a terminal of a given size; ends it when it is left."""

    def __init__(
        self, command: list[str], *, columns: int = 120, rows: int = 40, **environ: str
    ) -> None:
        self.master, slave = pty.openpty()
        self._size(columns, rows)
        clean = {key: value for key, value in os.environ.items() if key not in _NOT_HANDED_ON}
        self.output = b""
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**clean, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environ},
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def seconds(self) -> float:
        """Since the process was started."""
        return time.perf_counter() - self.started

    def read(self, seconds: float = 0.2) -> None:
        """Takes in what is written until nothing comes for a while."""
        while select.select([self.master], [], [], seconds)[0]:
            if not self._take():
                return

    def read_some(self, seconds: float = 0.1) -> None:
        """Takes in one piece of what is written, if anything comes."""
        if select.select([self.master], [], [], seconds)[0]:
            self._take()

    def _take(self) -> bool:
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def wait_for(self, text: bytes, seconds: float = 30, *, after: int = 0) -> None:
        """Reads until a text was written, by default at any time."""
        end = time.monotonic() + seconds
        while text not in self.output[after:]:
            alive = self.process.poll() is None and time.monotonic() < end
            assert alive, f"{text!r} not in {self.output[after:][-2000:]!r}"
            self.read_some()

    def drawn(self, after: int = 0) -> str:
        """The text that was written, without what moves the cursor and sets colours."""
        return _MOVES_AND_COLOURS.sub(b"", self.output[after:]).decode("utf-8", "replace")

    def wait_for_text(self, text: str, seconds: float = 30, *, after: int = 0) -> None:
        """Reads until a text was drawn, in one colour or in several."""
        end = time.monotonic() + seconds
        while text not in self.drawn(after):
            alive = self.process.poll() is None and time.monotonic() < end
            assert alive, f"{text!r} not in {self.drawn(after)[-2000:]!r}"
            self.read_some()

    def press(self, keys: bytes) -> None:
        """Sends keys, and takes in what they lead to."""
        os.write(self.master, keys)
        self.read(0.4)

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size; the kernel tells the process."""
        self._size(columns, rows)

    def end(self, seconds: float = 30) -> int:
        """The exit code, once the process has ended."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, "the process does not end"
            self.read(0.05)
        self.read(0.1)
        return self.process.returncode

    def hang_up(self) -> None:
        """Closes the terminal under the process, as a window that is closed does."""
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def close(self) -> None:
        """Kills what still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()
