"""What-if: sliders that the verdict follows, scenarios, curves, diagrams, and links to them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.whatif import scenarios
from planner.whatif.sweep_paths import path_in
from tests.pages.helpers import all_done, fresh_app, labelled, texts

Go = Callable[[str], AppTest]
RATE = "streams.S1.rate"


def _open(go: Go, sample: str = "golab-table-7") -> AppTest:
    app = go("start")
    app.button(key=f"open-{sample}").click().run()
    return go("whatif")


def _slider(app: AppTest, title: str) -> object:
    return labelled(app.select_slider, title)


def test_the_verdict_follows_a_slider_and_goes_back(go: Go) -> None:
    app = _open(go)
    before = texts(app)
    slider = labelled(app.select_slider, "Rate of S1 (tuples/s)")
    slider.set_value(slider.options and app.session_state["workload"].stream("S1").rate * 10).run()
    assert not app.exception
    after = texts(app)
    assert after != before
    assert scenarios_of(app) == {RATE: app.session_state["workload"].stream("S1").rate * 10}
    labelled(app.button, "Undo").click().run()
    assert scenarios_of(app) == {}
    assert texts(app) == before


def scenarios_of(app: AppTest) -> dict[str, float]:
    return dict(app.session_state["whatif-set"])


def test_two_scenarios_are_pinned_and_compared(go: Go) -> None:
    app = _open(go)
    labelled(app.button, "Pin").click().run()
    app.session_state["whatif-set"] = {RATE: 200.0}
    app.text_input(key="whatif-name").set_value("Black Friday").run()
    labelled(app.button, "Pin").click().run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Scenario" in shown.value]
    assert list(table["Scenario"]) == ["Today", "Black Friday"]
    assert any("Plan of Today" in head for head in table)
    labelled(app.button, "Show Today").click().run()
    assert scenarios_of(app) == {}


@pytest.mark.parametrize("view", ["One number", "Two numbers", "Ranges"])
def test_axes_are_swept_and_a_link_restores_them(go: Go, view: str) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = view
    app.session_state["whatif-vary"] = "streams.S3.rate=1:60:40:log"
    app.session_state["whatif-size"] = 10
    app.run()
    assert not app.exception
    assert ("least worst regret" if view == "Ranges" else " win") in texts(app)
    fresh = fresh_app(**app.query_params)
    fresh.run().switch_page("pages/whatif.py").run()
    assert not fresh.exception
    assert fresh.session_state["whatif-view"] == view
    assert fresh.session_state["whatif-vary"].startswith("streams.S3.rate=1:60")


def test_a_cell_is_opened_and_measured(go: Go) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = "Two numbers"
    app.session_state["whatif-size"] = 10
    app.run()
    rate = labelled(app.select_slider, "Cell: Rate of S1 (tuples/s)")
    rate.set_value(rate.value).run()
    app.button(key="whatif-measure-cell").click().run()
    all_done()
    app.run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Cell" in shown.value]
    assert len(table) in (1, 2)
    app.button(key="whatif-measure-cells").click().run()
    all_done()
    app.run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Cell" in shown.value]
    assert len(set(table["Cell"])) >= 5
    assert "same winner in" in texts(app)
    app.button(key="whatif-open-cell").click().run()
    now = path_in(app.session_state["workload"], RATE).value
    assert now == pytest.approx(rate.value)


def test_changing_rates_are_a_path_through_the_diagram(go: Go) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = "Two numbers"
    app.session_state["whatif-size"] = 10
    app.run()
    labelled(app.selectbox, "Path of changing rates").set_value("Day and night").run()
    assert not app.exception
    assert "Along the path the best plan changes" in texts(app)
    assert "switching pays" in texts(app)


def test_a_figure_of_a_paper_opens_as_a_sweep(go: Go) -> None:
    app = go("papers")
    app.selectbox(key="paper").set_value("Tran & Lee 2007").run()
    app.button(key="open-sweep").click().run()
    assert not app.exception
    assert app.session_state["whatif-vary"].startswith("queries.Q1.windows.S1=1000:5000")
    assert "best changes" in texts(app)


def test_a_curve_that_varies_more_than_a_number_opens_as_a_sweep(go: Go) -> None:
    app = go("papers")
    app.selectbox(key="paper").set_value("Golab & Özsu 2003").run()
    app.button(key="open-sweep").click().run()
    assert not app.exception
    assert app.session_state["whatif-vary"].startswith("figure:")
    assert "a paper's curve" in texts(app)
    app.switch_page("pages/whatif.py").run()
    labelled(app.button, "Vary a number instead").click().run()
    assert "best changes" in texts(app)


def test_what_a_link_says_is_checked() -> None:
    assert scenarios._numbers({"a": 1, "b": "x", "c": True, "d": None}) == {"a": 1.0}
    assert scenarios._numbers("nothing") == {}
