"""The results page of an aggregation: operations, recomputations, sets, and the kept answer."""

from __future__ import annotations

import csv
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.results import answer_tables, comparison, exports
from runtime.data.folders import answers_home
from runtime.runs.history import History
from runtime.runs.result_files import MOST_CHANGES, expected_changes, folder_for
from runtime.runs.run_groups import predicted_cost, scores
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, section, table_with, texts
from tests.planner.aggregations import AGGREGATION_SAMPLES

GROUPS = pa.table({"S1.g": [1, 2], "min(S1.x)": [3, 4], "sum(S2.x)": [5, 6], "count(*)": [7, 8]})
CHANGES = pa.table(
    {"ts": [float(n) for n in range(1500)], "S1.g": list(range(1500)), "present": [True] * 1500}
)


@pytest.fixture
def results(app: AppTest, spark: FakeSpark) -> AppTest:
    """The results page after the best plan and LAP of an aggregation with MIN were run."""
    app.session_state["workload"] = AGGREGATION_SAMPLES["sliding"]
    app.switch_page("pages/plans.py").run()
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    app.switch_page("pages/results.py").run()
    assert not app.exception
    assert len(spark.started) == 2
    return app


def test_plans_are_compared_by_what_they_are_ranked_by(results: AppTest) -> None:
    newest = History().runs()[0]
    expected, found = scores(newest)
    cost = predicted_cost(newest)
    assert expected == pytest.approx(cost.comparisons + cost.inserts + cost.group_updates)
    assert found is not None
    assert 0.9 * expected < found < expected
    assert "594 operations per second of stream" in texts(results)
    table = table_with(results, "Runs")
    assert list(table["Predicted"]) == sorted(table["Predicted"])
    assert "Both plans gave the same 12,345 groups" in texts(results)


def test_recomputations_and_sets_stand_beside_their_predictions(results: AppTest) -> None:
    (early,) = [run for run in History().runs() if run.plan.label != "LAP"]
    found = comparison.by_operator(early, "recomputations")
    assert [name for name, _, _ in found][-1] == "late aggregation"
    assert all(predicted > 0 for _, predicted, _ in found)
    held = [name for name, _, _ in comparison.by_operator(early, "state_tuples")]
    assert any(name.startswith("early aggregation") for name in held)
    section(results, "By operator")
    kinds = results.button_group(key="operators-field-work")
    assert "Operations/s" in kinds.options[0]
    kinds.set_value("recomputations").run()
    assert not results.exception
    rows = csv.DictReader(io.StringIO(exports.to_csv([early])))
    assert {"recomputations", "group_updates"} <= {row["field"] for row in rows}


def test_an_answer_that_was_not_kept_is_said(results: AppTest) -> None:
    assert "The answer of this run was not kept" in texts(section(results, "By query and answer"))


def test_the_kept_answer_and_its_changes_are_shown(results: AppTest) -> None:
    for run in History().runs():
        folder = run.request.results
        assert folder is not None
        assert folder.parent == answers_home()
        folder.mkdir(parents=True)
        pq.write_table(GROUPS, folder / "Q1.parquet")
        pq.write_table(CHANGES, folder / "Q1.changes.parquet")
    section(results, "By query and answer")
    assert not results.exception
    assert len(table_with(results, "S1.g")) == 2
    assert "2 groups" in texts(results)
    results.button_group(key="answer-as").set_value(answer_tables.CHANGES).run()
    assert list(table_with(results, "ts")["ts"].iloc[:2]) == [1499.0, 1498.0]
    assert "1,500 changes, newest first; 1,000 are shown" in texts(results)
    for file in answers_home().glob("*/Q1.parquet"):
        file.write_bytes(b"no parquet")
    results.run()
    assert not results.exception
    assert "the kept answer cannot be read" in texts(results)
    assert results.button_group(key="results-section").value, "the rest of the page is there"


def test_an_answer_is_kept_only_where_asked_for(app: AppTest, spark: FakeSpark) -> None:
    app.session_state["workload"] = AGGREGATION_SAMPLES["sliding"]
    app.switch_page("pages/run.py").run()
    app.checkbox(key="keep-answers").set_value(False).run()
    next(b for b in app.button if b.label == "Run on Spark").click().run()
    all_done()
    assert spark.started
    assert {run.request.results for run in History().runs()} == {None}


def test_too_many_changes_are_not_kept() -> None:
    workload = AGGREGATION_SAMPLES["default setting"]
    assert expected_changes(workload, "early_aggregation", "LAP") > MOST_CHANGES
    assert folder_for(workload, "early_aggregation", "LAP") is None


def test_csv_of_an_answer_is_safe() -> None:
    table = pa.table({"=g": ["=1+1", None, "plain"], "sum": [-1, 2, 3]})
    rows = list(csv.reader(io.StringIO(exports.table_to_csv(table))))
    assert rows == [["'=g", "sum"], ["'=1+1", "-1"], ["", "2"], ["plain", "3"]]
