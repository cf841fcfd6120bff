"""The readers: how each agent turns the text of a file into the fields of a memory.

``qwen`` is the strict line reader of qwen-code 0.24, exact to the byte (`tests/data/parse.json`).
``claude`` is tolerant: what python-frontmatter reads, recovered line by line where the YAML is
invalid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from memtui.memory.document import MEMORY_TYPES, SkipReason
from memtui.memory.frontmatter import KNOWN_KEYS, InvalidYaml, yaml_node
from memtui.text import JS_SPACE, js_trim, single_spaced

if TYPE_CHECKING:
    from frontmatter.default_handlers import YAMLHandler
    from yaml.nodes import MappingNode, Node

Dialect = Literal["qwen", "claude"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

_JS_LINE = re.compile("[\n\r\u2028\u2029]")
_JS_UNUSUAL_END = re.compile("[\r\u2028\u2029]")
_READ_KEYS = frozenset({"name", "title", "description", "type"})
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_LINE_KEY = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:(.*)$")
_NESTED_TYPE = re.compile(r"^[ \t]+type[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_PLAIN_VALUE = (
    "(?!\\d{4}-|0[bx]|[\\d_]{4000})"
    "[^\\W_][^\n:#\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]*"
)
"""A value of which YAML makes a text, a number or a truth; it refuses numbers of 4,301 digits."""
_PLAIN_LINE = f"(?:[a-z_]{{1,1000}}: {_PLAIN_VALUE}\n)"
"""YAML refuses a key of more than 1,024 characters."""
_PLAIN_NESTED = f"(?:metadata: ?\n(?:  [A-Za-z_]{{1,1000}}: {_PLAIN_VALUE}\n)++)?+"
_PLAIN_FILE = re.compile(f"---\n({_PLAIN_LINE}++{_PLAIN_NESTED}{_PLAIN_LINE}*+)---\n")
_NULL_TAG = "tag:yaml.org,2002:null"
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_REMEDIES: dict[str, str] = {
    "no-frontmatter": "start the file with a line ---, then name:, description: and type:, "
    "then a line ---",
    "unclosed-frontmatter": "close the frontmatter with a line --- before the body",
    "byte-order-mark": "save the file as UTF-8 without a byte-order mark",
    "type-missing": f"add a line type: with one of {', '.join(MEMORY_TYPES)}",
    "type-unknown": f"set type: to one of {', '.join(MEMORY_TYPES)}, without quotes or comments",
    "type-nested": "move type: to column 0 of the frontmatter",
}


class Reading(NamedTuple):
    """The fields that a dialect found in one file."""

    type: str
    title: str
    description: str
    body: str
    frontmatter: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a dialect does not take a file for a memory."""

    reason: SkipReason
    detail: str
    remedy: str


def dialect_of_root(root: str) -> Dialect:
    """``qwen`` for a root inside a folder named ``.qwen``, else ``claude``."""
    return "qwen" if ".qwen" in PurePath(root).parts else "claude"


def decode(content: bytes) -> tuple[str, bool]:
    """The text of a file and whether it was valid UTF-8; bad bytes become U+FFFD."""
    try:
        return content.decode(), True
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace"), False


def read(dialect: Dialect, content: bytes, name: str) -> Reading | Unread:
    """Reads the bytes of the file ``name`` as ``dialect`` does."""
    text, valid = decode(content)
    flags = () if valid else ("invalid-utf8",)
    if dialect == "qwen":
        return read_qwen(text, flags)
    return read_claude(text, name, flags)


# -- qwen: the strict line reader -----------------------------------------------------------------


def read_qwen(text: str, flags: tuple[str, ...] = ()) -> Reading | Unread:
    """The strict reading: line by line, nothing interpreted, ``type`` required at column 0."""
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if not text.startswith("---\n"):
        return _no_fence(text)
    end = text.find("\n---", 4)
    if end < 0:
        return unread("unclosed-frontmatter", "no line after the first begins with ---")
    block = text[4:end]
    values = _first_values(block)
    memory_type = values.get("type", "")
    if memory_type not in MEMORY_TYPES:
        return _bad_type(block, memory_type)
    title = values.get("name") or values.get("title") or memory_type
    body = js_trim(text[end + 4 :])
    return Reading(memory_type, title, values.get("description", ""), body, block, flags)


def _first_values(block: str) -> dict[str, str]:
    """The first value of each known key that stands in column 0 with its colon after it."""
    values: dict[str, str] = {}
    lines = _JS_LINE.split(block) if _JS_UNUSUAL_END.search(block) else block.split("\n")
    for line in lines:
        key, colon, rest = line.partition(":")
        if key in _READ_KEYS and colon and key not in values:
            value = rest.strip(JS_SPACE)
            if value:
                values[key] = value
    return values


def _no_fence(text: str) -> Unread:
    if text.startswith("\ufeff---"):
        return unread(
            "byte-order-mark", "the file begins with U+FEFF, so its first line is not ---"
        )
    first = _JS_LINE.split(text[:80], maxsplit=1)[0]
    if first.strip() == "---":
        return unread("no-frontmatter", "the first line has white space after ---")
    if text.lstrip().startswith("---\n"):
        return unread("no-frontmatter", "blank lines stand before the first ---")
    return unread("no-frontmatter", "the first line is not ---")


def _bad_type(block: str, found: str) -> Unread:
    if found:
        return unread("type-unknown", f"type is {found[:60]!r}")
    nested = _NESTED_TYPE.search(block)
    if nested:
        value = js_trim(nested.group(1))
        return unread("type-nested", f"type: {value[:60]} is indented, so it is not seen")
    return unread("type-missing", "the frontmatter has no type")


def unread(reason: SkipReason, detail: str) -> Unread:
    """A reason of the frontmatter kind, with its remedy."""
    return Unread(reason, detail, _REMEDIES[reason])


# -- claude: the tolerant reader ------------------------------------------------------------------


def read_claude(text: str, name: str, flags: tuple[str, ...] = ()) -> Reading | Unread:
    """The tolerant reading: YAML where it is valid, line by line where it is not."""
    if text.startswith("\ufeff"):
        text = text[1:]
        flags = (*flags, "byte-order-mark")
    text = text.replace("\r\n", "\n").strip()
    plain = _PLAIN_FILE.match(text)
    if plain:
        block, body = plain.group(1), text[plain.end() :].strip()
        fields = _plain_fields(block)
    else:
        handler = _yaml_handler()
        if not handler.detect(text):
            return Reading("", _fallback_title(text, name), "", text, "", flags)
        try:
            block, body = handler.split(text)
        except ValueError:
            return unread("unclosed-frontmatter", "the frontmatter is opened but never closed")
        block, body = block.removeprefix("\n"), body.strip()
        found = _yaml_fields(block)
        fields = _recovered_fields(block) if found is None else found
        if found is None:
            flags = (*flags, "yaml-invalid")
    title = single_spaced(fields.get("name") or fields.get("title") or "")
    return Reading(
        type=fields.get("type", ""),
        title=title or _fallback_title(body, name),
        description=single_spaced(fields.get("description", "")),
        body=body,
        frontmatter=block,
        flags=flags,
    )


def _fallback_title(body: str, name: str) -> str:
    """The first heading, or the stem of the file name."""
    heading = _HEADING.search(body)
    title = single_spaced(heading.group(1).rstrip().rstrip("#")) if heading else ""
    return title or PurePath(name).stem


@cache
def _yaml_handler() -> YAMLHandler:
    from frontmatter.default_handlers import YAMLHandler

    return YAMLHandler()


def _plain_fields(block: str) -> dict[str, str]:
    """The fields of a block so plain that YAML can read nothing else in it."""
    fields: dict[str, str] = {}
    nested_type = ""
    for line in block.split("\n"):
        key, _, value = line.partition(": ")
        text = "" if value in _NULLS else value.strip()
        if key == "  type":
            nested_type = text
        else:
            fields[key] = text
    if not fields.get("type"):
        fields["type"] = nested_type
    return fields


def _yaml_fields(block: str) -> dict[str, str] | None:
    """The fields as YAML has them, scalars in their source text; None if it is invalid."""
    from yaml.nodes import MappingNode

    try:
        node = yaml_node(block)
    except InvalidYaml:
        return None
    if not isinstance(node, MappingNode):
        return {}
    fields = _texts(node, block, KNOWN_KEYS)
    metadata = _value_of(node, "metadata")
    if not fields.get("type") and isinstance(metadata, MappingNode):
        fields["type"] = _texts(metadata, block, ("type",)).get("type", "")
    return fields


def _texts(node: MappingNode, block: str, keys: tuple[str, ...]) -> dict[str, str]:
    """Key to the text of its value; the last of a repeated key, as YAML readers take it.

    Only of the keys that are asked for: what many aliases stand for is longer than any block.
    """
    from yaml.nodes import ScalarNode

    values = {
        key.value: value
        for key, value in node.value
        if isinstance(key, ScalarNode) and key.value in keys
    }
    return {name: _text(value, block) for name, value in values.items()}


def _text(value: Node, block: str) -> str:
    from yaml.nodes import ScalarNode

    if not isinstance(value, ScalarNode):
        return block[value.start_mark.index : value.end_mark.index].strip()
    return "" if value.tag == _NULL_TAG else str(value.value).strip()


def _value_of(node: MappingNode, name: str) -> Node | None:
    found = None
    for key, value in node.value:
        if getattr(key, "value", None) == name:
            found = value
    return found


def _recovered_fields(block: str) -> dict[str, str]:
    """The fields of invalid YAML, line by line; a ``type`` is taken wherever it stands."""
    fields: dict[str, str] = {}
    for line in block.splitlines():
        match = _LINE_KEY.match(line)
        if match and not fields.get(match.group(1)):
            fields[match.group(1)] = _unquoted(match.group(2).strip())
    if not fields.get("type"):
        nested = _NESTED_TYPE.search(block)
        fields["type"] = _unquoted(nested.group(1).strip()) if nested else ""
    return fields


def _unquoted(value: str) -> str:
    """``value`` without the quotes, where all of it is one quoted YAML scalar."""
    if value[:1] not in ("'", '"') or value[-1:] != value[:1] or len(value) < 2:
        return value
    from yaml.nodes import ScalarNode

    try:
        node = yaml_node(value)
    except InvalidYaml:
        return value
    return str(node.value) if isinstance(node, ScalarNode) and node.style else value
