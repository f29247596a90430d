"""The order of all tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Journeys come last: other tests have compiled the kernels by then, so none waits for it."""
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)
