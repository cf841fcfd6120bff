"""The configuration file: what it may say, and one clear line for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.config import Config, ConfigError, config_path, load_config
from memtui.tui.run import check_config


def write(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_file_that_is_not_there_is_an_empty_one(tmp_path: Path) -> None:
    assert load_config(tmp_path / "nowhere.toml") == Config()


def test_the_environment_names_the_file() -> None:
    assert config_path({"MEMTUI_CONFIG": "/somewhere/memtui.toml"}) == Path(
        "/somewhere/memtui.toml"
    )
    assert config_path({}).name == "config.toml"


def test_every_key_is_read(tmp_path: Path) -> None:
    text = 'theme = "nord"\nagent = "qwen"\ndialect = "auto"\nroots = ["/a", "/b"]\n'
    text += '[keys]\nwhy = "w,f3"\n[limits]\nselected_docs = 7\n'
    config = load_config(write(tmp_path, text))
    assert (config.theme, config.agent, config.dialect) == ("nord", "qwen", "auto")
    assert (config.roots, config.keys, config.limits) == (
        ("/a", "/b"),
        {"why": "w,f3"},
        {"selected_docs": 7},
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('colour = "red"', "colour"),
        ("theme = 3", "theme"),
        ('agent = "copilot"', "claude or qwen"),
        ('dialect = "latin"', "auto or qwen or claude"),
        ("dialect = 1", "auto or qwen or claude"),
        ("roots = [1]", "roots"),
        ("keys = { why = 1 }", "keys"),
        ("limits = { selected_docs = true }", "limits"),
        ("limits = { selected_docs = 0 }", "selected_docs"),
        ("limits = { nonsense = 1 }", "nonsense"),
        ("limits = { candidate_docs = 3 }", "recent_reserve"),
        ("theme =", "TOML"),
        ("theme = '\x00'", "TOML"),
        pytest.param("roots = " + "[" * 5_000, "nested too deeply", id="nested"),
        pytest.param("#" * 1_000_001, "more than 1,000,000 bytes", id="large"),
    ],
)
def test_what_it_may_not_say_is_one_line_that_names_the_file(
    tmp_path: Path, text: str, names: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    message = str(error.value)
    assert str(path) in message
    assert names in message
    assert "\n" not in message


def test_bytes_that_are_no_utf8_and_a_folder_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'theme = "\xff"')
    for broken in (path, tmp_path):
        with pytest.raises(ConfigError, match=str(broken)):
            load_config(broken)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (Config(keys={"qiut": "Q"}), "keys: no command is called 'qiut'; did you mean quit"),
        (Config(keys={"zzzzzz": "Q"}), "keys: no command is called 'zzzzzz'; there are: "),
        (Config(theme="memtui-drak"), "theme: there is no 'memtui-drak'; did you mean memtui-dark"),
    ],
)
def test_a_name_that_the_app_does_not_know_is_told_with_the_file_and_what_is_like_it(
    config: Config, said: str, own_environment: Path
) -> None:
    with pytest.raises(ConfigError) as refused:
        check_config(config)
    assert str(refused.value).startswith(f"{own_environment / 'config.toml'}: {said}")
