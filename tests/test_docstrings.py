"""Every public name says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "memtui"
MODULES = sorted(PACKAGE.rglob("*.py"))

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public_names(node: Documented, name: str) -> Iterator[tuple[str, Documented]]:
    """A module with its public classes, functions and methods, by name."""
    yield name, node
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            if not each.name.startswith("_") and not _sets_a_property(each):
                yield f"{name}.{each.name}", each
        elif isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
            yield from public_names(each, f"{name}.{each.name}")


def _sets_a_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("setter", "deleter")
        for each in function.decorator_list
    )


def fields_without(node: ast.ClassDef) -> Iterator[str]:
    """Public fields of a frozen dataclass that no docstring follows."""
    for statement, following in pairwise([*node.body, ast.Pass()]):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        told = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if not told and not statement.target.id.startswith("_"):
            yield statement.target.id


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_public_name_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    missing = [
        name
        for name, node in public_names(tree, path.stem)
        if not (ast.get_docstring(node) or "").strip()
    ]
    assert missing == []


def test_every_field_of_what_users_set_and_read_has_a_docstring() -> None:
    for module in ("limits", "config", "memory/document", "recall/options", "recall/trace"):
        tree = ast.parse((PACKAGE / f"{module}.py").read_text("utf-8"))
        for _, node in public_names(tree, module):
            if isinstance(node, ast.ClassDef) and any(
                "frozen=True" in ast.unparse(each) for each in node.decorator_list
            ):
                assert list(fields_without(node)) == [], node.name
