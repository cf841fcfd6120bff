"""The user's configuration: a TOML file under the platform's config directory."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path

from memtui.limits import LimitError, Limits

CONFIG_KEYS: Mapping[str, str] = {
    "theme": "name of the theme of the app",
    "agent": "whose stores to prefer: claude or qwen",
    "dialect": "how to read every root: qwen or claude",
    "roots": "list of further folders with memories, for `memtui scan --all` and `o` in the app",
    "keys": "table: name of a command of the app to the keys that run it, comma-separated",
    "limits": "table: field of the limits to its value",
    "selector": "table: url, model and api_key of an OpenAI-compatible chat endpoint, for "
    "`--selector model`; the environment wins",
    "embeddings": "table: url, model and api_key of an OpenAI-compatible embeddings endpoint, for "
    "`--ranker vector` and `hybrid`; the environment wins",
    "synonyms": "table: word to a list of what else it may be called, for `--expand`",
}
"""Every key of the file with its meaning."""

ENVIRONMENT: Mapping[str, str] = {
    "MEMTUI_CONFIG": "the configuration file, in place of the platform's",
    "MEMTUI_STATE": "the folder of memtui's own database, in place of the platform's",
    "MEMTUI_TRACE_RETENTION_DAYS": "days that traces are kept: 7, or 1 to 365",
    "MEMTUI_TRACE_MAX_ROWS": "most traces that are kept: 10,000, or 100 to 100,000",
    "MEMTUI_SELECTOR_URL": "chat endpoint of `--selector model`",
    "MEMTUI_SELECTOR_MODEL": "name of its model",
    "MEMTUI_SELECTOR_API_KEY": "its key",
    "MEMTUI_EMBEDDINGS_URL": "embeddings endpoint of `--ranker vector` and `hybrid`",
    "MEMTUI_EMBEDDINGS_MODEL": "name of its model",
    "MEMTUI_EMBEDDINGS_API_KEY": "its key",
    "VISUAL": "editor of `e` in the app; else `EDITOR`",
    "EDITOR": "the same, where `VISUAL` is not set",
    "NO_COLOR": "no colours, if it is not empty",
    "TEXTUAL_THEME": "theme of the app, where the configuration names none",
    "CLAUDE_CONFIG_DIR": "where Claude Code keeps its memories, as it reads it itself",
    "QWEN_CODE_MEMORY_BASE_DIR": "where Qwen Code keeps its memories, as it reads it itself; "
    "else `QWEN_RUNTIME_DIR` or `QWEN_HOME`",
    "QWEN_RUNTIME_DIR": "the same",
    "QWEN_HOME": "the same",
    "QWEN_CODE_MEMORY_LOCAL": "`1`: Qwen Code's memories are in `.qwen/memory` of the project",
    "QWEN_CODE_MEMORY_PROJECT_SCOPE": "`workspace`: of this very directory, not of its repository",
}
"""Every environment variable that a user sets, with its meaning."""

MOST_BYTES = 1_000_000
"""Most bytes that are read: a device has no end."""
ENDPOINT_TABLES = ("selector", "embeddings")
"""Keys whose table names an OpenAI-compatible endpoint."""
ENDPOINT_KEYS = ("url", "model", "api_key")


CHOICES: Mapping[str, tuple[str, ...]] = {
    "agent": ("claude", "qwen"),
    "dialect": ("auto", "qwen", "claude"),
}
"""Keys that take one of a few words."""


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
    selector: Mapping[str, str] = field(default_factory=dict, repr=False)
    """``url``, ``model`` and ``api_key`` of the model that selects; not shown."""
    embeddings: Mapping[str, str] = field(default_factory=dict, repr=False)
    """``url``, ``model`` and ``api_key`` of the model that embeds; not shown."""
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Word to what else it may be called."""


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
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ConfigError(f"{path} holds more than {MOST_BYTES:,} bytes")
        values = tomllib.loads(content.decode("utf-8"))
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise ConfigError(f"{path} can not be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply") from None
    unknown = [key for key in values if key not in CONFIG_KEYS]
    if unknown:
        known = ", ".join(CONFIG_KEYS)
        raise ConfigError(f"{path}: no key is called {unknown[0]!r}; there are: {known}")
    for key, value in values.items():
        _check(path, key, value)
    try:
        Limits().with_values(values.get("limits", {}))
    except LimitError as error:
        raise ConfigError(f"{path}: {error}") from None
    values["roots"] = tuple(values.get("roots", ()))
    synonyms = values.get("synonyms", {})
    values["synonyms"] = {word: tuple(others) for word, others in synonyms.items()}
    return Config(**values)


def _check(path: Path, key: str, value: object) -> None:
    if key in CHOICES:
        good, wanted = value in CHOICES[key], " or ".join(CHOICES[key])
    elif key == "roots":
        good, wanted = _are_texts(value), "a list of texts"
    elif key == "synonyms":
        good = isinstance(value, dict) and all(map(_are_texts, value.values()))
        wanted = "a table with lists of texts"
    elif key in ENDPOINT_TABLES:
        good = isinstance(value, dict) and all(
            name in ENDPOINT_KEYS and isinstance(each, str) for name, each in value.items()
        )
        wanted = f"a table with texts for {', '.join(ENDPOINT_KEYS)}"
    elif key in ("keys", "limits"):
        kind = str if key == "keys" else int
        good = isinstance(value, dict) and all(type(each) is kind for each in value.values())
        wanted = f"a table with {'texts' if kind is str else 'whole numbers'}"
    else:
        good, wanted = isinstance(value, str), "a text"
    if not good:
        raise ConfigError(f"{path}: {key} must be {wanted}")


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
