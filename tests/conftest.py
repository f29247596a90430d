"""The order of all tests."""

from __future__ import annotations

import pytest

_FOLDERS = ("runtime", "e2e", "pages", "planner")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that no process is left with it at the end.

    Journeys come after the tests of the runtime, which have all kernels compiled.
    """
    items.sort(key=lambda item: _place(item.nodeid))


def _place(node: str) -> int:
    folders = node.split("/")[:-1]
    return next((n for n, folder in enumerate(_FOLDERS) if folder in folders), len(_FOLDERS))
