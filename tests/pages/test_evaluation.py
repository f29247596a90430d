"""The page of paper figures: curves at once, measuring in the background, claims and ratios."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.papers import figure_chart, figure_page, figure_tables
from pages.parts.shared import backend
from planner.experiments.registry import experiment, experiments
from planner.experiments.tran.curves import PRINTED, REFINED
from runtime.experiments import figure as figure_store
from runtime.experiments.figure import MeasuredFigure
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, charts, table_with, texts, until
from tests.pages.test_run import press

Go = Callable[[str], AppTest]


@pytest.fixture(autouse=True)
def nothing_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The benchmarks' figures are not there, unless a test puts some."""
    file = tmp_path / "paper_points.json.gz"
    monkeypatch.setattr(figure_store, "PAPER_POINTS", file)
    return file


def choose(app: AppTest, name: str) -> AppTest:
    wanted = experiment(name)
    app.selectbox(key="paper").set_value(wanted.paper).run()
    app.selectbox(key=f"figure of {wanted.paper}").set_value(wanted.figure).run()
    if len([known for known in experiments() if known.figure == wanted.figure]) > 6:
        app.selectbox(key=f"setting of {wanted.figure}").set_value(wanted.name).run()
    elif wanted.part:
        app.segmented_control(key=f"part of {wanted.figure}").set_value(wanted.name).run()
    assert not app.exception
    return app


def measured(app: AppTest, go: Go, name: str) -> MeasuredFigure:
    press(choose(app, name), "Measure on this machine")
    all_done()
    go("papers")
    figure = figure_store.kept(experiment(name))
    assert figure is not None
    return figure


def first_measured(name: str) -> None:
    """Wait until the runner's thread has measured a point."""

    def measured() -> bool:
        job = backend.measuring(name)
        return job is not None and job.entries[0].progress.batches_done > 0

    until(measured)


def test_predicted_curves_are_there_at_once(go: Go) -> None:
    app = go("papers")
    assert len(charts(app)) == 1
    assert "Predicted, Appendix A: 2 of 2 claims hold" in texts(app)
    choose(app, "figure-3b")
    assert "Predicted, as printed: 3 of 3 claims hold" in texts(app)
    assert "Predicted, composites limited to T: 2 of 3 claims hold" in texts(app)
    assert "The crossover comes from the paper's lazy model alone" in texts(app)
    assert not app.dataframe, "nothing was measured"


# Of figures that are alike in all but their numbers, one.
SHOWN = [
    *("figure-2", "figure-3b", "table-8", "figure-4b", "figure-10", "figures-6-to-9"),
    *("figure-11b-pull-up-0.1", "figure-18", "figure-19-uniform-12"),
]


@pytest.mark.parametrize("name", SHOWN)
def test_every_experiment_is_shown_before_and_after_it_was_measured(name: str, go: Go) -> None:
    app = choose(go("papers"), name)
    assert "Not measured yet" in texts(app)
    figure = measured(app, go, name)
    assert figure.complete
    assert "On the same tuples, all plans gave the same answer" in texts(app)
    assert "on this machine" in texts(app)
    rows = sum(p.measured for curve in experiment(name).curves for p in curve.points)
    assert len(table_with(app, "Curve")) == rows


def test_figures_in_seconds_are_predicted_only(go: Go) -> None:
    app = choose(go("papers"), "figure-6b-seconds")
    assert "Predicted, seconds by default unit costs: 3 of 3 claims hold" in texts(app)
    assert "these figures are not measured" in texts(app)
    assert not any(button.label.startswith("Measure") for button in app.button)


def test_measured_points_stand_on_their_curves(go: Go) -> None:
    figure = measured(go("papers"), go, "figure-3a")
    drawn = figure_chart.draw(experiment("figure-3a"), figure)
    by_name = {trace.name: trace for trace in drawn.data}
    assert {name for name in by_name if "predicted" in name} == {
        f"{subject}, predicted, {model}"
        for subject in ("NAIVE", "LAZY", "GENERAL")
        for model in ("composites limited to T", "as printed")
    }
    marks = by_name["LAZY, measured"]
    assert list(marks.x) == [1, 2, 5, 10, 20, 30, 40, 50]
    line = by_name["LAZY, predicted, composites limited to T"]
    assert marks.y[0] == pytest.approx(0.9 * line.y[0])
    assert len({trace.marker.symbol for name, trace in by_name.items() if "meas" in name}) == 3
    words = figure_chart.chart_alternative(experiment("figure-3a"), drawn)
    assert words.startswith("Figure 3(a): lazy evaluation, equal rates. Comparisons per second")
    assert "LAZY, measured: " in words


def test_experiments_stand_under_their_paper_and_figure(go: Go) -> None:
    app = choose(go("papers"), "figure-8c")
    assert list(app.selectbox(key="paper").options) == [
        "Golab & Özsu 2003", "Tran & Lee 2007", "Wang et al. 2006", "Hammad et al. 2003",
        "Towne et al. 2007",
    ]  # fmt: skip
    figures = list(app.selectbox(key="figure of Tran & Lee 2007").options)
    assert len(figures) == 6
    assert figures[0] == "Figure 6: two-way hash join"
    parts = app.selectbox(key="setting of Figure 8: three-way hash join").options
    assert list(parts) == [
        "(a) window size", "(b) groups", "(c) rate", "(d) selectivity",
        "(a) window size, in seconds", "(b) groups, in seconds", "(c) rate, in seconds",
        "(d) selectivity, in seconds",
    ]  # fmt: skip
    assert "Predicted, expected entries: 2 of 2 claims hold" in texts(app)
    go("plans")
    go("papers")
    assert "All plans increase linearly" in texts(app), "the choice outlives a change of page"


def test_figures_stand_beside_those_of_another_plan(go: Go) -> None:
    chosen = experiment("figure-18-mostly-small-0.2-0.4")
    figure = measured(go("papers"), go, chosen.name)
    shown = figure.shown(chosen)
    assert {m.value("rate") for m in shown.values()} == {1.0}, "all rates are the same"
    frame, points = figure_tables.point_table(chosen, figure)
    assert set(frame["Measured"]) == {1.0}
    assert set(frame["Tuples/s"]) == set(frame["Tuples/s, pull-up"]) == {1000.0}
    assert frame["Predicted"].tolist() == [point.predicted for point in points]


def test_savings_are_drawn_as_curves_and_as_a_surface(go: Go) -> None:
    name = "figure-11a-pull-up"
    figure = measured(go("papers"), go, name)
    app = choose(go("papers"), name)
    app.segmented_control(key=f"drawn of {name}").set_value("Surface").run()
    assert not app.exception
    assert len(charts(app)) == 1
    chosen = experiment(name)
    assert chosen.surface is not None
    drawn = figure_chart.draw_surface(chosen, chosen.surface(), figure)
    surface, points = drawn.data
    assert surface.name == "Equation 4, as printed"
    assert len(points.x) == len(points.y) == len(points.z) == 20
    own, other = (figure.points[p.key].values[0] for p in (chosen.points[0], chosen.points[1]))
    assert points.z[0] == pytest.approx(1 - own / other)
    assert set(points.y) == {0.2, 0.5, 0.8, 1.0}
    words = figure_chart.surface_alternative(chosen, chosen.surface())
    assert "Equation 4, as printed: 0.451" in words


def test_the_printed_model_is_drawn_when_asked_for(go: Go) -> None:
    app = choose(go("papers"), "figure-8c")
    pills = app.button_group(key="models of figure-8c")
    assert pills.value == [REFINED]
    figure = measured(app, go, "figure-8c")
    chosen = experiment("figure-8c")
    own, every = (
        {trace.name for trace in figure_chart.draw(chosen, figure, models).data}
        for models in ([REFINED], None)
    )
    assert len(own) == 16, "eight lines, and the marks on them"
    assert {name.split(", ", 2)[2] for name in every - own} == {PRINTED}
    assert len(every - own) == 8
    pills = app.button_group(key="models of figure-8c")
    pills.set_value([REFINED, PRINTED]).run()
    assert not app.exception


def test_models_are_laid_beside_what_was_measured(go: Go) -> None:
    app = go("papers")
    measured(app, go, "figure-7a")
    assert "expected entries compared with measured: :material/check: holds" in texts(app)
    assert "30 of 30 pairs of plans in the same order" in texts(app)
    assert "after 20 s of warm-up" in texts(app)


def test_a_mark_leads_to_its_workload(go: Go) -> None:
    figure = measured(go("papers"), go, "figure-3b")
    chosen = experiment("figure-3b")
    drawn = figure_chart.draw(chosen, figure)
    (marks,) = [trace for trace in drawn.data if trace.name == "GENERAL, as printed, measured"]
    point = figure_page.point_at(chosen, {"customdata": marks.customdata[-1]})
    assert point is not None
    assert point.x == 50
    assert point.plan.endswith("S4=S1,S2,S3,S4")
    assert figure_page.point_at(chosen, {"x": 3}) is None, "a line has no marks"


def test_table_8_has_ratios_to_the_paper(go: Go) -> None:
    figure = measured(go("papers"), go, "table-8")
    frame, points = figure_tables.point_table(experiment("table-8"), figure)
    assert len(frame) == len(points) == 16
    first = frame.iloc[0]
    assert (first["Curve"], first["Algorithm"], first["Paper"]) == ("Best plan", "Eager NLJ", 1614)
    assert first["Ours / paper"] == pytest.approx(1000 / 1614)
    assert frame.iloc[3]["Paper, relative to first"] == pytest.approx(11540 / 1614)
    assert frame.iloc[3]["Relative to first"] == pytest.approx(1.0)


def test_progress_is_shown_and_found_again_on_return(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    app = press(choose(go("papers"), "table-8"), "Measure on this machine")
    first_measured("table-8")
    app.run()
    assert any("measurement 1 of 80" in bar.proto.text.replace("\\", "") for bar in app.progress)
    go("run")
    assert "best and worst plan of Table 5's query** · running" in texts(app)
    go("papers")
    assert any(button.label.startswith("Cancel Table 8") for button in app.button)
    assert len(backend.runner().active()) == 1
    backend.measure("table-8")
    assert len(backend.runner().active()) == 1, "a second click starts nothing"
    spark.gate.set()
    all_done()


def test_what_was_measured_before_a_cancel_is_kept(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    app = press(choose(go("papers"), "table-8"), "Measure on this machine")
    first_measured("table-8")
    next(button for button in app.button if button.label.startswith("Cancel")).click().run()
    all_done()
    go("papers")
    assert "1 of 80 measurements" in texts(app)
    spark.gate.set()
    press(app, "Measure the rest")
    all_done()
    go("papers")
    assert "80 of 80 measurements" in texts(app)
    press(app, "Measure again")
    all_done()
    assert len(spark.started) == 3


def test_a_failure_is_told(spark: FakeSpark, go: Go) -> None:
    spark.fails_with = "the disk is full"
    app = press(choose(go("papers"), "table-8"), "Measure on this machine")
    all_done()
    go("papers")
    assert "the disk is full" in texts(app)


def test_figures_of_another_machine_are_labelled(go: Go, nothing_shipped: Path) -> None:
    app = go("papers")
    figure = measured(app, go, "table-8")
    figure_store.figure_file(experiment("table-8")).unlink()
    content = json.dumps({"table-8": figure.to_json()})
    nothing_shipped.write_bytes(gzip.compress(content.encode()))
    go("papers")
    assert "on another machine" in texts(app)
    assert any(button.label == "Measure on this machine" for button in app.button)


def test_a_damaged_file_counts_as_absent(go: Go) -> None:
    app = choose(go("papers"), "table-8")
    file = figure_store.figure_file(experiment("table-8"))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{")
    go("papers")
    assert any(button.label == "Measure on this machine" for button in app.button)


def test_a_batch_that_no_stream_has_is_measured_beside_the_equations(go: Go) -> None:
    app = go("papers")
    assert measured(app, go, "schedule-figure-2b").complete
    assert "Predicted, Equations 1 and 2: 2 of 2 claims hold" in texts(app)
    assert len(table_with(app, "Curve")) == 2 * 14, "two models of seven windows"


@pytest.mark.parametrize(
    "name", ["schedule-figure-8-median", "schedule-figure-8-mean", "schedule-memory-0.7"]
)
def test_delays_and_buffers_are_shown_as_counts_are(name: str, go: Go) -> None:
    app = go("papers")
    figure = measured(app, go, name)
    assert figure.complete
    rows = table_with(app, "Curve")
    assert len(rows) == len(experiment(name).points)
    assert ("Predicted" in rows) == bool(experiment(name).models)
