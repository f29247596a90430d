"""Every figure of every page has a title, units, a legend that can be read, and words."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import backend, charts, samples
from pages.parts.time_lines import adaptive_view
from runtime.data.folders import PROJECT
from tests.pages import conftest
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, canvases, labelled, section, until
from tests.pages.test_shedding import AGGREGATES
from tests.pages.test_time_lines import FOUND

Go = Callable[[str], AppTest]
DRAWN_BY = ("show", "show_work", "pick", "picture")
# The details of Plans that have figures, and the modules whose figures are seen with each sample.
DETAILS = {
    "golab-table-7": [
        "Cost by operator",
        "Operators",
        "Difference to baseline",
        "Changing rates",
        "Index advice",
    ],
    "auctions": ["Cost by operator", "Operators"],
    "temperature-humidity": ["Mergings", "Memory and CPU", "Cost by operator", "Operators"],
    "seven-windows": ["Matrix", "Cost by operator", "Operators"],
    "worked-star": ["Memory states", "Cost by operator", "Operators"],
}
PICTURES = {"golab-table-7": ["Join tree", "Loops"]}
SEEN_WITH = {
    "golab-table-7": {
        "index_advice",
        "join_order",
        "protocol",
        "replanning",
        "run_views",
        "run_figures",
    },
    "auctions": {"early_aggregation", "gallery", "run_views", "run_figures"},
    "temperature-humidity": {"chain_view", "ledger", "optima", "run_views"},
    "seven-windows": {"what_if", "response_times", "run_views"},
    "worked-star": {"memory", "memory_states", "shed_results", "run_views"},
}
SEEN_WHILE_IT_RUNS = {"sliced_chain"}
SEEN_WHAT_IF = {"sliders", "one_axis", "two_axes"}
SEEN_OF_PAPERS = {"figure_page"}
SEEN_OF_AGGREGATES = {"aggregate_results"}
SEEN_OVER_TIME = {"statistics_view", "adaptive_view"}
# Names beyond this are cut, or push the others out of sight.
LONGEST_NAME = 60


def test_all_modules_that_draw_are_looked_at() -> None:
    """A new one must be added to what is seen below, and so be looked at."""
    drawing = set()
    for file in (PROJECT / "pages").rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(file.read_text())))
        if any(_draws(node) for node in calls):
            drawing.add(file.parent.stem if file.stem == "__init__" else file.stem)
    assert drawing == {
        *SEEN_WHILE_IT_RUNS,
        *SEEN_WHAT_IF,
        *SEEN_OF_PAPERS,
        *SEEN_OF_AGGREGATES,
        *SEEN_OVER_TIME,
    }.union(*SEEN_WITH.values())


def _draws(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in DRAWN_BY
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "charts"
    )


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The modules whose figures were drawn since the test began."""
    seen: set[str] = set()

    def noting(draw: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            seen.add(sys._getframe(1).f_globals["__name__"].rpartition(".")[2])
            return draw(*args, **kwargs)

        return noted

    for name in DRAWN_BY:
        monkeypatch.setattr(charts, name, noting(getattr(charts, name)))
    return seen


@pytest.mark.parametrize("sample", DETAILS)
def test_figures_of_plans_and_results(app: AppTest, go: Go, drawing: set[str], sample: str) -> None:
    found = samples.find(sample)
    assert found is not None
    app.session_state["workload"] = found.workload
    app.session_state["data"], app.session_state["sort"] = found.data, False
    go("plans")
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    go("plans")
    for picture in PICTURES.get(sample, ()):
        app.button_group(key="drawn-as").set_value(picture).run()
        _check(app)
    for detail in DETAILS[sample]:
        app.button_group(key="plan-detail").set_value(detail).run()
        assert not app.exception
        _check(app)
    go("results")
    app.button_group(key="seconds-of").set_value("Whole runs").run()
    assert _check(app) >= 2
    section(app, "By operator").button_group(key="operators-as").set_value("Picture").run()
    assert not app.exception
    assert _check(app)
    _check(section(app, "By query and answer"))
    assert drawing >= SEEN_WITH[sample]


def test_figures_while_a_plan_runs(
    spark: FakeSpark, app: AppTest, go: Go, drawing: set[str]
) -> None:
    spark.gate.clear()
    app.button(key="open-temperature-humidity").click().run()
    go("run")
    labelled(app.multiselect, "Plans").set_value(["chain:0-60-3600"]).run()
    next(b for b in app.button if b.label == "Run on Spark").click().run()
    (job,) = backend.runner().active()
    until(lambda: job.entries[0].steering.open)
    app.run()
    assert not app.exception
    assert _check(app)
    assert drawing >= SEEN_WHILE_IT_RUNS


def test_figures_of_aggregates_over_what_was_kept(
    app: AppTest, go: Go, drawing: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shed = conftest._shed
    monkeypatch.setattr(
        conftest, "_shed", lambda *given: {**shed(*given), "aggregates": AGGREGATES}
    )
    app.button(key="open-worked-star").click().run()
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    go("results")
    assert _check(section(app, "By query and answer"))
    assert drawing >= SEEN_OF_AGGREGATES


@pytest.mark.parametrize(
    ("view", "module"),
    [("Sliders", "sliders"), ("One number", "one_axis"), ("Two numbers", "two_axes")],
)
def test_figures_of_what_if(
    app: AppTest, go: Go, drawing: set[str], view: str, module: str
) -> None:
    app.button(key="open-golab-table-7").click().run()
    app.session_state["whatif-view-buttons"] = view
    app.session_state["whatif-size"] = 10
    go("whatif")
    assert _check(app)
    assert module in drawing


def test_figures_over_time(drawing: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def page() -> None:
        from pages.parts.time_lines import adaptive_view, statistics_view
        from tests.pages.test_time_lines import ADAPTED, OBSERVED, WORKLOAD

        statistics_view.show(OBSERVED, WORKLOAD, "run")
        adaptive_view.show(ADAPTED)

    found = replace(FOUND, static={label: FOUND.static[label] for label in ("A,B", "B,A")})
    monkeypatch.setattr(adaptive_view, "_found", lambda *_: found)
    app = AppTest.from_function(page).run()
    labelled(app.button, "Compare with plans that stay").click().run()
    assert not app.exception
    assert _check(app) == 3
    assert drawing >= SEEN_OVER_TIME


def test_figures_of_papers(go: Go, drawing: set[str]) -> None:
    app = go("papers")
    assert _check(app)
    assert drawing >= SEEN_OF_PAPERS


def test_pictures_of_cards_have_words(app: AppTest) -> None:
    assert len(app.image) >= 6
    for image in app.image:
        assert "join" in image.proto.imgs[0].alt or "aggregation" in image.proto.imgs[0].alt


def _check(app: AppTest) -> int:
    """Look at all figures of the page; how many charts there are."""
    found = app.get("plotly_chart")
    for chart in found:
        spec = json.loads(chart.proto.spec)
        title = spec["layout"]["title"]["text"]
        assert len(title) > 8
        assert len(chart.proto.alt) > 30, title
        _check_axes(title, spec["layout"])
        _check_legend(title, spec)
    for picture in app.get("graphviz_chart"):
        assert len(picture.proto.alt) > 20
    for drawn in canvases(app):
        assert len(drawn["text"]) > 20
    return len(found)


def _check_axes(title: str, layout: dict[str, Any]) -> None:
    axes = [axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]
    titled = [axis for axis in axes if axis.get("title", {}).get("text")]
    named = [axis for axis in axes if _of_names(axis) or not _shown(axis)]
    assert len(titled) + len(named) >= len(axes), title
    assert titled or not any(map(_shown, axes)), f"{title}: no axis says its unit"


def _check_legend(title: str, spec: dict[str, Any]) -> None:
    """Names of its own for all that a legend shows, where there is more than one thing to tell."""
    shown = [trace for trace in spec["data"] if trace.get("showlegend", _is_listed(trace))]
    if spec["layout"].get("showlegend") is False or not shown:
        told = [trace for trace in spec["data"] if not _told_in_place(trace)]
        assert len(told) <= 1, f"{title}: nothing tells its series apart"
        return
    names = [trace.get("name", "") for trace in shown]
    assert all(0 < len(name) <= LONGEST_NAME for name in names), f"{title}: {names}"
    assert len(set(names)) == len(names), f"{title}: {names}"


def _is_listed(trace: dict[str, Any]) -> bool:
    """Whether Plotly lists such a trace in the legend where nothing else is said."""
    return trace.get("type") != "heatmap"


def _told_in_place(trace: dict[str, Any]) -> bool:
    """Whether a series carries its own texts, or says nothing: a line to guide the eye."""
    return bool(trace.get("text")) or trace.get("hoverinfo") == "skip" or "colorbar" in trace


def _of_names(axis: dict[str, Any]) -> bool:
    """Whether names stand along the axis, and no numbers that need a unit."""
    return axis.get("type") == "category" or not all(
        text.replace(".", "").isdigit() for text in axis.get("ticktext", ["0"])
    )


def _shown(axis: dict[str, Any]) -> bool:
    return axis.get("visible") is not False and axis.get("showticklabels") is not False
