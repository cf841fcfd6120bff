"""What a YAML reader says of a frontmatter block, in time that grows with the block alone."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node, ScalarNode

KNOWN_KEYS = ("name", "title", "description", "type")
"""The keys that a dialect takes a field from."""

_INT_TAG = "tag:yaml.org,2002:int"
_STR_TAG = "tag:yaml.org,2002:str"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_VALUE_TAG = "tag:yaml.org,2002:value"
_REFUSALS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What YAML readers raise, errors of their own aside, on text that they can not take."""


class InvalidYaml(Exception):
    """A block is no valid YAML. ``str()`` is one line that says where and why."""


class Cut(NamedTuple):
    """A value that ends earlier as YAML than its line does."""

    key: str
    """The key it belongs to."""
    kept: str
    """The value as YAML has it."""
    lost: str
    """The rest of the line, from the ``#`` on."""


def yaml_node(block: str) -> Node | None:
    """What a block holds, as it stands in the text; None if it is empty.

    Everything in it is converted as a YAML reader would, to learn whether it can be.

    Raises:
        InvalidYaml: a YAML reader would raise.

    """
    import yaml

    try:
        loader = _checker()(block)
    except (yaml.YAMLError, *_REFUSALS) as error:  # a character that YAML does not allow
        raise InvalidYaml(_said(error)) from None
    try:
        node: Node | None = loader.get_single_node()
        if node is not None:
            loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1} of the frontmatter: " if mark else ""
        raise InvalidYaml(f"{where}{error.problem or error.context or 'invalid'}") from None
    except (yaml.YAMLError, *_REFUSALS) as error:
        raise InvalidYaml(_said(error)) from None
    finally:
        loader.dispose()
    return node


def yaml_error(block: str) -> str | None:
    """What the YAML reader says of an invalid block, in one line; None if it is valid."""
    try:
        yaml_node(block)
    except InvalidYaml as error:
        return str(error)
    return None


def _said(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


@cache
def _checker() -> Any:
    """A YAML reader that raises as the safe one does, and keeps nothing of a mapping.

    A few lines can ask the safe one for more than they hold: mappings merged into one another,
    numbers to base 60 of any length, and keys that were chosen to have one hash.
    """
    import yaml
    from yaml.constructor import ConstructorError

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Checker(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            if not isinstance(node, yaml.MappingNode):
                problem = f"expected a mapping node, but found {node.id}"
                raise ConstructorError(None, None, problem, node.start_mark)
            for key, value in node.value:
                if key.tag == _MERGE_TAG:
                    self._check_merged(value, deep)
                    continue
                key.tag = _STR_TAG if key.tag == _VALUE_TAG else key.tag
                if not isinstance(self.construct_object(key, deep=deep), Hashable):
                    raise ConstructorError(None, None, "found unhashable key", key.start_mark)
                self.construct_object(value, deep=deep)
            return {}

        def _check_merged(self, value: Any, deep: bool) -> None:
            several = isinstance(value, yaml.SequenceNode)
            for each in value.value if several else [value]:
                if not isinstance(each, yaml.MappingNode):
                    problem = f"expected a mapping for merging, but found {each.id}"
                    raise ConstructorError(None, None, problem, each.start_mark)
                merged = self.__dict__.setdefault("merged", set())
                if id(each) not in merged:
                    merged.add(id(each))
                    self.construct_mapping(each, deep)

    def _check_int(loader: Any, node: Any) -> int:
        digits = loader.construct_scalar(node).replace("_", "")
        digits = digits[1:] if digits[:1] in ("+", "-") else digits
        if ":" not in digits or digits[0] == "0":
            return int(loader.construct_yaml_int(node))
        for part in digits.split(":"):
            int(part)
        return 0

    Checker.add_constructor(_INT_TAG, _check_int)
    return Checker


def comment_cuts(block: str) -> tuple[Cut, ...]:
    """The values of known keys that a comment cuts, in their order; none where YAML is invalid.

    Of a repeated key the last one counts, as for YAML readers.
    """
    if "#" not in block:
        return ()
    import yaml

    try:
        node = yaml_node(block)
    except InvalidYaml:
        return ()
    if not isinstance(node, yaml.MappingNode):
        return ()
    values = _plain_values(node, KNOWN_KEYS)
    for key, value in node.value:
        if key.value == "metadata" and isinstance(value, yaml.MappingNode):
            nested = _plain_values(value, ("type",))
            values |= {f"metadata.{name}": scalar for name, scalar in nested.items()}
    cuts = (_cut_of(key, scalar, block) for key, scalar in values.items())
    return tuple(cut for cut in cuts if cut is not None)


def _plain_values(node: MappingNode, keys: tuple[str, ...]) -> dict[str, ScalarNode]:
    """The unquoted values of some keys of a mapping."""
    from yaml.nodes import ScalarNode

    values: dict[str, ScalarNode] = {}
    for key, value in node.value:
        if not isinstance(key, ScalarNode) or key.value not in keys:
            continue
        values.pop(key.value, None)
        if isinstance(value, ScalarNode) and not value.style:
            values[key.value] = value
    return values


def _cut_of(key: str, value: ScalarNode, block: str) -> Cut | None:
    end = value.end_mark.index
    rest = block[end : block.find("\n", end) + 1 or None].strip()
    return Cut(key, str(value.value), rest) if rest.startswith("#") else None
