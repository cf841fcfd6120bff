"""The user's configuration: a TOML file under the platform's config directory."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path

CONFIG_KEYS: Mapping[str, str] = {
    "theme": "name of the theme of the app",
    "agent": "whose stores to prefer: claude or qwen",
    "dialect": "how to read every root: qwen or claude",
    "roots": "list of further folders with memories, for `memtui scan --all` and `o` in the app",
    "keys": "table: name of a command of the app to the keys that run it",
    "limits": "table: field of the limits to its value",
}
"""Every key of the file with its meaning."""


class ConfigError(ValueError):
    """The configuration can not be used. ``str()`` is one clear line that names the file."""


@dataclass(frozen=True, slots=True)
class Config:
    """What the user configured; each field is a key of ``CONFIG_KEYS``."""

    theme: str | None = None
    """Name of a theme."""
    agent: str | None = None
    """``claude`` or ``qwen``."""
    dialect: str | None = None
    """``qwen`` or ``claude``."""
    roots: tuple[str, ...] = ()
    """Further folders."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Command to keys, comma-separated."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Field of ``Limits`` to value."""


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """The file: ``$MEMTUI_CONFIG``, else ``config.toml`` in the platform's config directory."""
    environ = os.environ if environ is None else environ
    named = environ.get("MEMTUI_CONFIG")
    return Path(named) if named else user_config_path("memtui", appauthor=False) / "config.toml"


def load_config(path: Path | None = None) -> Config:
    """Reads the configuration; a file that is not there is an empty one.

    Raises:
        ConfigError: it can not be read, is no TOML, or has a key or a value that is not known.

    """
    path = path or config_path()
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise ConfigError(f"{path} can not be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    unknown = [key for key in values if key not in CONFIG_KEYS]
    if unknown:
        known = ", ".join(CONFIG_KEYS)
        raise ConfigError(f"{path}: no key is called {unknown[0]!r}; there are: {known}")
    for key, value in values.items():
        _check(path, key, value)
    values["roots"] = tuple(values.get("roots", ()))
    return Config(**values)


def _check(path: Path, key: str, value: object) -> None:
    if key == "roots":
        good = isinstance(value, list) and all(isinstance(each, str) for each in value)
        wanted = "a list of texts"
    elif key in ("keys", "limits"):
        kind = str if key == "keys" else int
        good = isinstance(value, dict) and all(type(each) is kind for each in value.values())
        wanted = f"a table with {'texts' if kind is str else 'whole numbers'}"
    else:
        good, wanted = isinstance(value, str), "a text"
    if not good:
        raise ConfigError(f"{path}: {key} must be {wanted}")
