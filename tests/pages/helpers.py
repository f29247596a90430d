"""What tests of pages share: waiting for runs, and reading a page."""

from __future__ import annotations

import json
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
# What is written over the boxes that files are dropped on.
OPEN = "A workload (YAML or JSON) or a view"
DROP = "CSV, TSV, JSON lines or Parquet"


def fresh_app(**query: str) -> AppTest:
    """The app in a session of its own, not run yet, at an address with this query.

    All samples are unfolded on its start page, so that each can be opened.
    """
    fresh = AppTest.from_file(str(APP), default_timeout=PATIENCE)
    fresh.session_state["more-samples"] = True
    for name, value in query.items():
        fresh.query_params[name] = value
    return fresh


def canvases(app: AppTest) -> list[dict[str, Any]]:
    """What every plan canvas of the page draws; its `text` is the plan in words."""
    drawn = (found.proto for found in app.get("bidi_component"))
    return [json.loads(one.json) for one in drawn if one.component_name == "sluice-canvas"]


def plan_canvas(app: AppTest) -> dict[str, Any]:
    """What the only plan canvas of the page draws."""
    (drawn,) = canvases(app)
    return drawn


def loops(app: AppTest) -> list[str]:
    """The lines of every plan that is shown as nested loops."""
    drawn = (found.proto for found in app.get("bidi_component"))
    every = (json.loads(one.json) for one in drawn if one.component_name == "sluice-loops")
    return [text for shown in every for nest in shown["nests"] for text, _ in nest]


def charts(app: AppTest) -> dict[str, dict[str, Any]]:
    """Every chart of the page by its title; `alt` is what it says in words."""
    drawn = [json.loads(one.proto.spec) | {"alt": one.proto.alt} for one in app.get("plotly_chart")]
    return {chart["layout"]["title"]["text"]: chart for chart in drawn}


def chart(app: AppTest, title: str) -> dict[str, Any]:
    """The only chart of the page that has this in its title."""
    (found,) = [drawn for name, drawn in charts(app).items() if title in name]
    return found


def series(drawn: dict[str, Any], name: str) -> dict[str, Any]:
    """The only series of a chart with this name."""
    (found,) = [one for one in drawn["data"] if one.get("name") == name]
    return found


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


def section(app: AppTest, name: str) -> AppTest:
    """Results with this section below the plan."""
    app.button_group(key="results-section").set_value(name).run()
    assert not app.exception
    return app
