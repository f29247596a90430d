"""What keeps one's way easy to find: few modules a folder, and a family in few lines."""

from __future__ import annotations

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
