"""The results page: predicted beside measured, the badge, exports and the history."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import comparison, exports
from planner.errors import RunError
from runtime.history import History
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, texts

Go = Callable[[str], AppTest]


@pytest.fixture
def results(spark: FakeSpark, go: Go) -> AppTest:
    """The results page after two plans were run."""
    app = go("plans")
    next(b for b in app.button if b.label == "Run best and worst on Spark").click().run()
    all_done()
    go("results")
    assert len(spark.started) == 2
    return app


def test_nothing_run_yet_leads_to_run(go: Go) -> None:
    app = go("results")
    assert "Nothing of this workload has been measured yet" in texts(app)
    assert app.page_link[-1].proto.page.endswith("run")


def test_predicted_stands_beside_measured(results: AppTest) -> None:
    assert "S1,S2,S3,S4 made 14,400 comparisons/s, 16,000 predicted (q-error 1.11 ▲ over)" in texts(
        results
    )
    assert "Predicted by the model: paper, Appendix A" in texts(results)
    table = results.dataframe[0].value
    assert list(table["Plan"]) == ["S1,S2,S3,S4", "S4,S3,S2,S1"]
    assert set(table["Prediction"]) == {"1.11 ▲ over"}
    assert len(results.get("plotly_chart")) == 3


def test_operators_as_table_and_picture(results: AppTest) -> None:
    results.button_group(key="operators-as").set_value("Table").run()
    assert not results.exception
    table = results.dataframe[1].value
    assert len(table) == 12
    assert table["q-error"].iloc[0] == pytest.approx(1 / 0.9)
    results.button_group(key="operators-as").set_value("Picture").run()
    assert not results.exception
    assert "q-error 1.11 ▲ over" in results.get("graphviz_chart")[0].proto.spec


def test_answers_that_differ_are_shown_in_red(spark: FakeSpark, go: Go) -> None:
    spark.answer = lambda label: label
    app = go("plans")
    next(b for b in app.button if b.label == "Run best and worst on Spark").click().run()
    all_done()
    go("results")
    assert "The plans do not agree" in texts(app)
    assert app.error


def test_runs_on_other_data_are_not_compared(results: AppTest) -> None:
    newest, before = History().runs()
    assert comparison.same_data([newest, replace(before, data_digest="other")]) == [newest]
    assert comparison.same_data([]) == []
    assert not results.exception


def test_the_history_lists_runs_and_opens_them(results: AppTest) -> None:
    history = next(group for group in results.button_group if group.label == "History")
    history.set_value("All workloads").run()
    assert not results.exception
    assert list(results.dataframe[1].value["Status"]) == ["finished", "finished"]


def test_a_broken_history_is_told(results: AppTest) -> None:
    History().file.write_bytes(b"not a database, but long enough to be read as one" * 100)
    results.run()
    assert not results.exception
    assert "the history cannot be used" in texts(results)
    with pytest.raises(RunError):
        History().runs()


def test_exports_are_safe_and_complete(results: AppTest) -> None:
    assert results.download_button
    runs = History().runs()
    plan = replace(runs[0].plan, label="=HYPERLINK(1)")
    rows = list(csv.DictReader(io.StringIO(exports.to_csv([replace(runs[0], plan=plan)]))))
    assert rows[0]["plan"] == "'=HYPERLINK(1)"
    assert {row["field"] for row in rows} >= {"comparisons", "inserts", "state_tuples"}
    documents = json.loads(exports.to_json(runs))
    assert {document["label"] for document in documents} == {"S1,S2,S3,S4", "S4,S3,S2,S1"}


def test_over_and_under_have_colours_of_their_own() -> None:
    colours = {comparison.fill(100, 50), comparison.fill(50, 100), comparison.fill(100, 101)}
    assert len(colours) == 3
