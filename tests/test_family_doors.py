"""A family is named, and its insides imported, in three registries and its own folders alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from planner.families.registry import FAMILIES
from runtime.data.folders import PROJECT

REGISTRIES = {
    PROJECT / "planner" / "families" / "registry.py",
    PROJECT / "runtime" / "engines" / "registry.py",
    PROJECT / "pages" / "parts" / "families" / "registry.py",
}
PAPERS = PROJECT / "planner" / "experiments"


@cache
def _mentions(file: Path) -> frozenset[str]:
    """Every word in an import, and every text that is one word."""
    return frozenset(_words(file))


def _words(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (word for alias in node.names for word in alias.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _strangers(name: str) -> Iterator[Path]:
    """The files that are neither the family's own nor registries."""
    for floor in ("planner", "runtime", "pages"):
        for file in (PROJECT / floor).rglob("*.py"):
            own = name in str(file.relative_to(PROJECT))
            if not own and file not in REGISTRIES and PAPERS not in file.parents:
                yield file


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_nobody_else_knows_a_family(family: object) -> None:
    names = {family.name, type(family).__name__}
    for file in _strangers(family.name):
        assert names.isdisjoint(_mentions(file)), f"{file} knows {family.name}"


def test_every_registry_names_every_family() -> None:
    for registry in REGISTRIES:
        for family in FAMILIES:
            assert {family.name, type(family).__name__} & _mentions(registry), registry
