"""A view leaves as a link or a file, and comes back: workload, query, plan, baseline and page."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import links, views
from planner.errors import PlanError
from planner.files.workload_file import dump_workload
from tests.pages.helpers import fresh_app, texts

Go = Callable[[str], AppTest]
SHARED = "temperature-humidity"
PLAN, BASELINE = "S3,S4,S1,S2", "S1,S3,S4,S2"


def _chosen(app: AppTest) -> dict[str, object]:
    names = ("workload", "plan", "baseline", "query")
    return {name: app.session_state[name] for name in names if name in app.session_state}


def _with_choices(go: Go) -> AppTest:
    """Plans of a sample, with a plan chosen that is not the best, and a baseline pinned."""
    app = go("start")
    app.button(key="open-golab-table-7").click().run()
    app = go("plans")
    best = app.session_state["plan"]
    app.session_state["plan"] = PLAN
    app.session_state["baseline"] = BASELINE
    assert best not in (PLAN, BASELINE)
    return app.run()


def _at(app: AppTest, page: str) -> AppTest:
    """Another session that follows the link in this one's address."""
    fresh = fresh_app(**app.query_params)
    fresh.run().switch_page(f"pages/{page}.py").run()
    assert not fresh.exception
    return fresh


def _upload(app: AppTest, view: bytes) -> None:
    app.file_uploader(key="workload-file").set_value(("view.json", view, "application/json")).run()


def test_a_link_restores_plan_and_baseline(go: Go) -> None:
    app = _with_choices(go)
    assert app.query_params["sample"] == "golab-table-7"
    fresh = _at(app, "plans")
    assert _chosen(fresh) == _chosen(app)
    assert fresh.session_state["plan"] == PLAN
    assert fresh.session_state["baseline"] == BASELINE


def test_a_link_restores_the_query(go: Go) -> None:
    app = go("start")
    app.button(key=f"open-{SHARED}").click().run()
    app.session_state["query"] = "Q2"
    fresh = _at(go("plans"), "plans")
    assert fresh.session_state["query"] == "Q2"
    assert fresh.session_state["plan"] == app.session_state["plan"]


def test_a_file_restores_the_view_and_its_page(go: Go) -> None:
    app = _with_choices(go)
    view = {name: app.session_state[name] for name in ("plan", "baseline")}
    file = views.to_file("run", app.session_state["workload"], (None, False), view)

    fresh = fresh_app().run()
    _upload(fresh, file.encode())
    assert not fresh.exception
    assert _chosen(fresh) == _chosen(app)
    assert "Run on Spark" in [button.label for button in fresh.button], "the page it was taken from"


def test_a_workload_too_long_for_a_link_leaves_as_a_file(go: Go) -> None:
    app = _with_choices(go)
    assert "too long for a link" not in texts(app)
    noise = random.Random(1).randbytes(2 * links.LONGEST).hex()
    edited = app.session_state["workload"]
    settings = replace(edited.run, seed=edited.run.seed + 1)
    app.session_state["workload"] = replace(edited, description=noise, run=settings)
    app.run()
    assert not app.exception
    assert "too long for a link. Download the file" in texts(app)
    assert "workload" not in app.query_params


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sluice_view": 2}, "another version"),
        ({"page": "../../etc/passwd"}, "there is no page '../../etc/passwd'"),
        ({"page": 3}, "is not a complete view"),
        ({"view": {"plan": ["x"]}}, "every choice must be a text"),
        ({"workload": None}, "is not a complete view"),
        ({"workload": "version: 1\nstreams: [}"}, "view.json"),
        ({"data": "/etc"}, "/etc"),
    ],
)
def test_a_view_that_anyone_may_have_written(
    app: AppTest, change: dict[str, object], told: str
) -> None:
    workload = dump_workload(app.session_state["workload"])
    whole = {"sluice_view": 1, "page": "plans", "view": {}, "workload": workload}
    content = json.dumps(whole | change).encode()
    _upload(app, content)
    assert not app.exception
    assert app.error
    assert told in texts(app)


def test_damaged_json_is_told() -> None:
    content = b'{"sluice_view": 1, ' + b"[" * 100_000
    assert views.is_view(content)
    with pytest.raises(PlanError, match="its JSON is damaged"):
        views.open_file(content, "view.json")


@pytest.mark.usefixtures("spark")
def test_choices_that_do_not_exist_are_passed_over() -> None:
    fresh = fresh_app(sample=SHARED, plan="<script>", baseline="no", query="Q99")
    fresh.run().switch_page("pages/plans.py").run()
    assert not fresh.exception
    assert not fresh.error
    assert "wins" in texts(fresh)
