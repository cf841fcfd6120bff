"""A store whose every field is an attack of its own, and what is told apart by its name."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import NOW_MS, write_file

QUERY = "apples"


def attack(name: str) -> str:
    """What a terminal would obey: title, colour, clear, clipboard, C1, order, erasure, markup."""
    return (
        f"{name}\x1b]0;{name}\x07\x1b[2J\x1b]52;c;b3du\x1b\\\x9b31m\x90q\x9c\x85"
        f"\u202e\u2066\u200b\u2028\ufeff\x08\x7f[@click=app.quit]{name}[/] [red]{QUERY}"
    )


def shown(name: str) -> bytes:
    """How the attack of a field begins where it is shown and not obeyed."""
    return f"{name}␛]0;{name}".encode()


@dataclass(frozen=True)
class Stage:
    """Where everything is."""

    root: Path
    database: Path
    cases: Path
    replay: Path
    traces: Path

    @property
    def options(self) -> list[str]:
        """The options of a command that read all of it."""
        return [
            *("--project", str(self.root), "--db", str(self.database)),
            *("--tool", attack("tool"), "--now", str(int(NOW_MS))),
        ]


def set_up(folder: Path) -> Stage:
    """Lays everything out in a folder."""
    root = folder / f"{attack('root').replace('/', '')}"
    _memories(root)
    database = folder / "memory.db"
    _rows(database)
    replay = folder / "replay.json"
    replay.write_text(json.dumps({"*": {"selected": [attack("model")]}}), "utf-8")
    traces = folder / "traces.db"
    _traces(traces)
    return Stage(root, database, _cases(folder), replay, traces)


def _memories(root: Path) -> None:
    fields = {"name": "ttl", "description": "desc", "type": "type", "other": "othr"}
    lines = [f"{key}: {json.dumps(attack(name))}" for key, name in fields.items()]
    body = f"{QUERY} [[{attack('link')}]]\n{attack('body')}\n" + f"{QUERY} and more\n" * 80
    whole = "\n".join(["---", *lines, "---", body]).encode()
    write_file(root, "plain.md", whole, NOW_MS - 1)
    name = attack("file").replace("/", "")
    write_file(root, f"{name}.md", b"---\nname: Apples by file\ntype: user\n---\n", NOW_MS - 2)
    folder = attack("fold").replace("/", "")
    write_file(root, f"{folder}/in.md", b"---\nname: Apples in it\ntype: user\n---\n", NOW_MS - 3)
    invalid = f"---\nname: {attack('yaml')}: x: y\ntype: user\n---\n"
    write_file(root, "invalid.md", invalid.encode(), NOW_MS - 4)
    write_file(root, "twin.md", whole, NOW_MS - 5)
    skip = attack("skip").replace("/", "")
    write_file(root, f"{skip}.md", f"---\n{attack('open')}".encode(), NOW_MS - 6)
    write_file(root, "-rf.md", b"---\nname: Apples with a dash\ntype: user\n---\n", NOW_MS - 7)
    write_file(root, "bad.md", b"---\nname: apples \xff\xfe\ntype: user\n---\n\x00", NOW_MS - 8)
    index = f"# {attack('head')}\n- [{attack('entr')}](gone.md) {attack('hook')}\n"
    index += f"- [x]({attack('targ').replace(' ', '')})\n"
    write_file(root, "MEMORY.md", index.encode())


def _rows(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, sync_id TEXT, session_id TEXT, "
            "type TEXT, title TEXT, content TEXT, project TEXT, scope TEXT, topic_key TEXT, "
            "created_at TEXT, updated_at TEXT, deleted_at TEXT)"
        )
        for number, deleted in ((1, None), (2, "2026-01-01")):
            values = [attack(f"row{name}") for name in ("T", "N", "C")]
            connection.execute(
                "INSERT INTO observations VALUES (?, ?, 's', ?, ?, ?, ?, 'project', ?, ?, ?, ?)",
                (number, attack("rowS"), *values, attack("rowP"), attack("rowK"), 1, 1, deleted),
            )
        connection.commit()


def _cases(folder: Path) -> Path:
    path = folder / "cases.jsonl"
    case = {
        "id": attack("case"),
        "query": f"{QUERY} {attack('ques')}",
        "relevant": ["invalid.md"],
        "category": attack("catg"),
        "recent_tools": [attack("ctool")],
    }
    path.write_text(json.dumps(case) + "\n", "utf-8")
    return path


def _traces(path: Path) -> None:
    step = {
        "name": attack("step"),
        "at": attack("sat"),
        "elapsedMs": 1,
        "meta": {attack("meta"): 1},
    }
    columns = "trace_id, source, mode, query_hash, kept_ids, steps, started_at"
    kept, steps = json.dumps([attack("kept")]), json.dumps([step])
    values = [attack("trid"), attack("srce"), attack("mode"), attack("hash"), kept, steps, 1]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE recall_traces ({columns})")
        connection.execute("INSERT INTO recall_traces VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        connection.commit()


_OWN_CONTROL = re.compile(
    rb"\x1b\[[0-9;:?<>=]*(?:\$[pw]|[mHKJhltucqnA-G])"  # what Textual draws, asks and switches with
    rb"|\x1b\]22;[a-z-]*\x07"  # the shape of the pointer
    rb"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07"  # what is sent to the clipboard
    rb"|\x1b\[\?[0-9;]*\$?[a-z]|\x1b[78=>]|\x1b\[[0-9]* q"
)
_OBEYED = re.compile(
    "[\x00-\x07\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


def obeyed(output: bytes) -> list[str]:
    """What a terminal would act on in an output, beyond what an app draws with."""
    text = _OWN_CONTROL.sub(b"", output).decode("utf-8", "replace")
    return [repr(text[max(0, m.start() - 20) : m.end() + 20]) for m in _OBEYED.finditer(text)]
