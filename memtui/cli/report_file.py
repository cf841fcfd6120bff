"""A file that a command writes where the user says: never in a memory store, and never over a file
that the command reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memtui.cli.output import CommandError
from memtui.memory.probe import root_around


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file to be written, checked before the work begins whose report it takes."""

    option: str
    """How the command calls it: ``--junit``."""
    typed: str
    """The path as it was typed; ``~`` is the home directory."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(os.path.expanduser(self.typed))

    def check(self, roots: Iterable[str], inputs: Iterable[str]) -> None:
        """Ends the command where the file can not, or must not, be written.

        Args:
            roots: memory roots, in which nothing is ever written.
            inputs: files that the command reads.

        Raises:
            CommandError: why not.

        """
        path = Path(os.path.realpath(self.path))
        if (root := root_around(str(path), roots)) is not None:
            self._refuse(f"memtui never writes in a memory store: {root}")
        for each in inputs:
            if _is_same(path, os.path.expanduser(each)):
                self._refuse("it is a file that this command reads")
        try:
            self._check_place(path)
        except OSError as error:
            self._refuse(str(error.strerror))

    def _check_place(self, path: Path) -> None:
        if path.is_dir():
            self._refuse("it is a folder")
        if not path.parent.is_dir():
            self._refuse("there is no such folder")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            self._refuse("it is read-only")

    def write(self, content: bytes) -> None:
        """Writes the file.

        Raises:
            CommandError: it can not be written.

        """
        try:
            self.path.write_bytes(content)
        except OSError as error:
            self._refuse(str(error.strerror))

    def _refuse(self, why: str) -> None:
        raise CommandError(f"{self.option} {self.typed} can not be written: {why}")


def _is_same(path: Path, other: str) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False
