"""What keeps things easy to find: few modules a folder, one class a name, short families."""

from __future__ import annotations

import ast
from collections import Counter

from runtime.data.folders import PROJECT

MOST_MODULES = 15
MOST_LINES_OF_A_FAMILY = 150


def test_no_folder_has_too_many_modules() -> None:
    modules = Counter(
        module.parent.relative_to(PROJECT)
        for layer in ("planner", "runtime", "pages")
        for module in (PROJECT / layer).rglob("*.py")
        if module.name != "__init__.py"
    )
    crowded = {str(folder): count for folder, count in modules.items() if count > MOST_MODULES}
    assert crowded == {}


def test_a_made_up_family_is_short() -> None:
    lines = (PROJECT / "tests" / "thinning.py").read_text().splitlines()
    assert len(lines) < MOST_LINES_OF_A_FAMILY


def test_a_name_of_a_class_is_used_once() -> None:
    places: dict[str, list[str]] = {}
    for layer in ("planner", "runtime", "pages"):
        for module in sorted((PROJECT / layer).rglob("*.py")):
            for node in ast.walk(ast.parse(module.read_text())):
                if isinstance(node, ast.ClassDef):
                    place = f"{module.relative_to(PROJECT)}:{node.lineno}"
                    places.setdefault(node.name, []).append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
