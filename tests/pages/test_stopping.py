"""Closing the tab ends planning: Streamlit asks the script to stop, and planning notices."""

from __future__ import annotations

import threading
import time
from typing import Any, NoReturn
from unittest.mock import MagicMock

import pytest
import streamlit as st
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import app_test
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from planner.families.registry import family
from planner.time_limit import check
from tests.pages.helpers import PATIENCE, fresh_app


def test_a_tab_that_is_closed_asks_its_script_to_stop() -> None:
    """What the server does where a browser is gone; what comes of it is below."""
    manager = WebsocketSessionManager(MagicMock(), MagicMock(), MagicMock(), MagicMock())
    open_tab = MagicMock()
    manager._active_session_info_by_id["tab"] = open_tab
    manager.disconnect_session("tab")
    open_tab.session.request_script_stop.assert_called_once_with()


@pytest.mark.usefixtures("spark")
def test_planning_ends_when_its_script_is_asked_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()
    runners: list[LocalScriptRunner] = []

    def endless(*_: object) -> NoReturn:
        begun.set()
        deadline = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < deadline:
                check()
                time.sleep(0.001)
        except BaseException:
            ended.set()
            raise
        raise AssertionError("planning was never ended")

    def noted(*arguments: Any, **named: Any) -> LocalScriptRunner:
        runners.append(LocalScriptRunner(*arguments, **named))
        return runners[-1]

    app = fresh_app(sample="golab-table-7").run()
    app.switch_page("pages/plans.py")
    # Whoever planned it before must not have done so for this tab.
    st.cache_resource.clear()
    monkeypatch.setattr(type(family("join_order")), "space", endless)
    monkeypatch.setattr(app_test, "LocalScriptRunner", noted)
    opened = threading.Thread(target=app.run)
    opened.start()
    assert begun.wait(PATIENCE)
    assert not ended.is_set()
    runners[-1].request_stop()
    assert ended.wait(PATIENCE)
    opened.join(PATIENCE)
    assert not opened.is_alive()
    assert not app.exception
