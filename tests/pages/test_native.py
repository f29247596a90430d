"""Spark's own operators on the pages: chosen, refused before the start, shown, and exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from pages.parts.results.comparison import by_operator, fields
from pages.parts.results.spark_metrics import joins
from runtime.runs.history import History
from runtime.runs.records import Run
from tests.pages.helpers import all_done, section, texts
from tests.pages.test_run import press
from tests.planner.chains import CHAIN_SAMPLES
from tests.runtime.run_records import a_run

Go = Callable[[str], AppTest]

JOIN = {
    "join": "S1 with S2",
    "rows": 50,
    "rows_out": 0.25,
    "state_rows": 1100.5,
    "state_bytes": 2**20,
    "rows_dropped_as_late": 0,
    "update_ms": 1500,
    "remove_ms": 20,
    "commit_ms": 30,
}


def _native_run() -> Run:
    """A finished run on Spark's own operators."""
    run = a_run("native", started=2000.0)
    assert run.measurement is not None
    (root,) = run.plan.roots
    told = {
        "cost": {"rows_out": 0.25, "state_tuples": 1100.5},
        "operators": {root.id: {"rows_out": 0.25}},
        "joins": [JOIN],
        "phases_ms": {"addBatch": 4000, "triggerExecution": 5000},
        "input_rows": 10,
    }
    timings = replace(run.measurement.timings, kernel=None)
    measurement = replace(run.measurement, costs={}, timings=timings, spark=told)
    return replace(run, request=replace(run.request, backend="native"), measurement=measurement)


def _choose(app: AppTest) -> AppTest:
    next(radio for radio in app.radio if radio.label == "Operators").set_value("native").run()
    assert not app.exception
    return app


def test_the_choice_reaches_the_run(go: Go) -> None:
    app = _choose(go("run"))
    assert "Spark's own operators count no comparisons." in texts(app)
    assert "comparisons in all" not in texts(app)
    press(app, "Run on Spark")
    all_done()
    assert {run.request.backend for run in History().runs()} == {"native"}


def test_a_plan_that_spark_cannot_run_is_refused_before_the_start(app: AppTest, go: Go) -> None:
    app.session_state["workload"] = CHAIN_SAMPLES["count windows"]
    _choose(go("run"))
    assert "A of Q1 has the window" in texts(app)
    assert next(b for b in app.button if b.label == "Run on Spark").disabled


def test_what_spark_counted_stands_on_results(app: AppTest, go: Go) -> None:
    run = _native_run()
    app.session_state["workload"] = run.workload
    History().save(run)
    go("results")
    assert "which do not count comparisons" in texts(app)
    assert "addBatch 4" in texts(section(app, "By operator"))
    frame = next(f.value for f in app.dataframe if "State rows" in f.value.columns)
    assert frame["Join"].tolist() == ["S1 with S2"]
    assert frame["State, MB"].tolist() == [1.0]


def test_what_spark_counted_of_an_operator_stands_beside_what_was_predicted() -> None:
    native = _native_run()
    measured = [found for _, _, found in by_operator(native, "rows_out") if found is not None]
    assert measured == [0.25]
    assert [found for _, _, found in by_operator(native, "comparisons") if found] == []
    # What is looked at first is what there is.
    assert fields(native)[0] == "rows_out"
    assert fields(a_run("kernels"))[0] == "comparisons"


def test_what_was_not_measured_stays_empty() -> None:
    missing = dict.fromkeys(("state_rows", "state_bytes", "update_ms", "remove_ms"))
    frame = joins([{**JOIN, **missing}])
    assert frame[["State rows", "State, MB", "Update s"]].isna().all(axis=None)
