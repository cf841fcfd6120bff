"""What a YAML reader says of a frontmatter block."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, ScalarNode

KNOWN_KEYS = ("name", "title", "description", "type")
"""The keys that a dialect takes a field from."""

_REFUSALS = (ValueError, RecursionError, TypeError, AttributeError)


class Cut(NamedTuple):
    """A value that ends earlier as YAML than its line does."""

    key: str
    """The key it belongs to."""
    kept: str
    """The value as YAML has it."""
    lost: str
    """The rest of the line, from the ``#`` on."""


def yaml_error(block: str) -> str | None:
    """What the YAML reader says of an invalid block, in one line; None if it is valid."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(block)
    try:
        node = loader.get_single_node()
        # A merge key can make a small block huge, and nothing of it is read.
        if node is not None and "<<" not in block:
            loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1} of the frontmatter: " if mark else ""
        return f"{where}{error.problem or error.context or 'invalid'}"
    except (yaml.YAMLError, *_REFUSALS) as error:
        return str(error).partition("\n")[0] or type(error).__name__
    finally:
        loader.dispose()
    return None


def comment_cuts(block: str) -> tuple[Cut, ...]:
    """The values of known keys that a comment cuts, in their order; none where YAML is invalid.

    Of a repeated key the last one counts, as for YAML readers.
    """
    if "#" not in block:
        return ()
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(block)
    try:
        node = loader.get_single_node()
    except (yaml.YAMLError, *_REFUSALS):
        return ()
    finally:
        loader.dispose()
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
