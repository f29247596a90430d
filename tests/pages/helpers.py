"""What tests of pages share: waiting for runs, and reading a page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementList

from pages.parts.shared import backend
from runtime.data.folders import PROJECT

APP = PROJECT / "app.py"
# Seconds after which something hangs. Nothing that works takes as long, on whatever machine.
PATIENCE = 600.0


def fresh_app(**query: str) -> AppTest:
    """The app in a session of its own, not run yet, at an address with this query."""
    fresh = AppTest.from_file(str(APP), default_timeout=PATIENCE)
    for name, value in query.items():
        fresh.query_params[name] = value
    return fresh


def all_done() -> None:
    """Wait for the runner's thread to end its jobs."""
    until(lambda: not backend.runner().active())


def until(holds: Callable[[], bool]) -> None:
    """Wait for what another thread brings about."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)


def texts(app: AppTest) -> str:
    """Everything a user can read on the page, in one text."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info, app.success, app.code)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def labelled(elements: ElementList, label: str) -> Any:
    """The only one of these elements with this label."""
    (found,) = [element for element in elements if element.label == label]
    return found


def table_with(app: AppTest, column: str) -> pd.DataFrame:
    """The only table of the page that has this column."""
    (found,) = [shown.value for shown in app.dataframe if column in shown.value]
    return found


def reloaded(app: AppTest) -> AppTest:
    """Another session at the same address."""
    return fresh_app(**app.query_params).run()
