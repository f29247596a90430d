"""A run changed from the Run page: asked for, made, told; and what it leaves in the workload."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import backend
from runtime.control.job_entry import JobEntry
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, labelled, section, texts, until
from tests.pages.test_chain_runs import press

Go = Callable[[str], AppTest]
LATE = (
    "SELECT * FROM Temperature A, Humidity B WHERE A.LocationId = B.LocationId AND {} > 3 "
    "WINDOW 10 MIN"
)


@pytest.fixture
def going(spark: FakeSpark, app: AppTest, go: Go) -> JobEntry:
    """A chain of the paper's two queries that runs until the gate is opened."""
    spark.gate.clear()
    app.button(key="open-temperature-humidity").click().run()
    go("run")
    labelled(app.multiselect, "Plans").set_value(["chain:0-60-3600"]).run()
    press(app, "Run on Spark")
    (job,) = backend.runner().active()
    until(lambda: job.entries[0].steering.open)
    app.run()
    app.run()
    return job.entries[0]


def _made(entry: JobEntry, count: int) -> None:
    until(lambda: [wish.answer for wish in entry.steering.wishes].count("made") == count)


def _pick(app: AppTest, what: str) -> None:
    app.segmented_control(key="steer-what").set_value(what).run()
    assert not app.exception


def test_queries_enter_leave_and_change_and_the_workload_has_it_in_the_end(
    spark: FakeSpark, going: JobEntry, app: AppTest, go: Go
) -> None:
    app.text_area(key="steer-add-Q3").set_value(LATE.format("B.Value")).run()
    press(app, "Add it now")
    _made(going, 1)
    _pick(app, "Remove a query")
    assert app.selectbox(key="steer-remove").options == ["Q1", "Q2", "Q3"]
    press(app, "Remove it now")
    _made(going, 2)
    _pick(app, "Change a query")
    app.text_area(key="steer-text-Q2").set_value(LATE.format("A.Value")).run()
    press(app, "Change it now")
    _made(going, 3)
    _pick(app, "Switch the plan")
    app.selectbox(key="steer-plan").set_value("pull-up").run()
    press(app, "Switch now")
    _made(going, 4)
    app.run()
    told = next(f.value for f in app.dataframe if "What changes" in f.value)
    assert "Q1 is removed, Q3 is added, Q2 changes" in told["What changes"].iloc[1]
    assert told["Plan"].iloc[1] == "One join, filters after it (pull-up)"

    spark.gate.set()
    all_done()
    go("run")
    assert app.session_state["workload"].run.changes[0].add.name == "Q3"
    assert len(app.session_state["workload"].run.changes) == 5
    section(go("results"), "By query and answer")
    by_query = next(f.value for f in app.dataframe if "Query" in f.value)
    assert list(by_query["Query"]) == ["Q1", "Q2", "Q3"]


def test_a_mistake_is_told_with_a_caret_and_the_run_goes_on(
    spark: FakeSpark, going: JobEntry, app: AppTest
) -> None:
    app.text_area(key="steer-add-Q3").set_value(LATE.format("B.Volue")).run()
    press(app, "Add it now")
    assert "Volue" in texts(app)
    assert "^" in texts(app)
    assert going.steering.wishes == ()
    _pick(app, "Remove a query")
    press(app, "Remove it now")
    _made(going, 1)
    press(app, "Remove it now")
    assert "leaves no query" in texts(app)
    spark.gate.set()
    all_done()


def test_a_run_that_is_changed_and_cancelled_stays_in_sight(
    spark: FakeSpark, going: JobEntry, app: AppTest, go: Go
) -> None:
    _pick(app, "Remove a query")
    press(app, "Remove it now")
    _made(going, 1)
    backend.runner().active()[0].cancel()
    all_done()
    go("run")
    changed = app.session_state["workload"]
    assert [change.remove for change in changed.run.changes] == ["Q1"]
    app.session_state["workload"] = going.request.workload
    go("run")
    assert app.session_state["workload"].run.changes == (), "taken out by the user: they stay out"
    spark.gate.set()
