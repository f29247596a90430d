"""What tests of pages share: waiting for runs, and reading a page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.parts.shared import backend


def all_done(most_seconds: float = 20.0) -> None:
    """Wait for the runner's thread to end its jobs."""
    deadline = time.monotonic() + most_seconds
    idle = threading.Event()
    while backend.runner().active() and time.monotonic() < deadline:
        idle.wait(0.01)
    assert not backend.runner().active()


def until(holds: Callable[[], bool], most_seconds: float = 20.0) -> None:
    """Wait for what another thread brings about."""
    deadline = time.monotonic() + most_seconds
    idle = threading.Event()
    while not holds() and time.monotonic() < deadline:
        idle.wait(0.01)
    assert holds()


def texts(app: AppTest) -> str:
    """Everything a user can read on the page, in one text."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info, app.success, app.code)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def reloaded(app: AppTest) -> AppTest:
    """Another session at the same address."""
    fresh = AppTest.from_file(app._script_path, default_timeout=30)
    for name, value in app.query_params.items():
        fresh.query_params[name] = value
    return fresh.run()
