"""Careful looks at a file system that is not ours: nothing here raises, blocks or writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

Identity = tuple[int, int] | str


class Listing(NamedTuple):
    """What a folder holds."""

    folders: tuple[str, ...]
    """Absolute paths of its folders and of the links to folders in it, by name."""
    failed: bool
    """Whether it is there but could not be listed; a missing folder holds nothing."""


def is_folder(path: str) -> bool:
    """Whether a path leads to a folder, links followed."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def identity(path: str) -> Identity:
    """A value that two paths share when they lead to the same folder."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)


def root_around(path: str, roots: Iterable[str]) -> str | None:
    """The root that a path lies in, or is, links followed; None if it lies in none of them."""
    real = PurePath(os.path.realpath(path))
    inside = (root for root in roots if root and real.is_relative_to(os.path.realpath(root)))
    return next(inside, None)


def folders_in(path: str) -> Listing:
    """The folders directly in a folder."""
    try:
        with os.scandir(path) as listing:
            found = [entry.path for entry in listing if is_folder(entry.path)]
    except (FileNotFoundError, NotADirectoryError):
        return Listing((), False)
    except (OSError, ValueError):
        return Listing((), True)
    return Listing(tuple(sorted(found)), False)


def read_beginning(path: str, limit: int) -> str | None:
    """The first ``limit`` bytes of a regular file as text; None where there is no such file."""
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return os.read(descriptor, limit).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)
