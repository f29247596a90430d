"""The results page: predicted beside measured, the badge, exports and the history."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.results import exports, past_runs
from pages.parts.shared import samples
from planner.plan.cost import Timings
from runtime.runs.history import History
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import (
    all_done,
    canvases,
    charts,
    labelled,
    plan_canvas,
    section,
    table_with,
    texts,
)

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
    assert "No plan of this workload has been run yet" in texts(app)
    assert any(link.proto.page.endswith("run") for link in app.page_link)


def test_predicted_stands_beside_measured(results: AppTest) -> None:
    answer = (
        "S1 first, then S2, S3, S4 made 14,400 comparisons per second of stream, predicted "
        "within 11% (16,000)"
    )
    assert answer in texts(results)
    heading = next(text for text in results.markdown if text.value.startswith("#### "))
    assert heading.help.startswith("q-error 1.11 ▲ over")
    assert "Prediction model: paper, Appendix A" in texts(results)
    table = table_with(results, "Runs")
    assert list(table["Label"]) == ["S1,S2,S3,S4", "naive:S4,S3,S2,S1"]
    assert set(table["Prediction"]) == {"1.11 ▲ over"}
    assert len(charts(results)) == 2
    assert "Spark's own overhead is 83% of these runs" in texts(results), "0.25 s of 1.5"


def test_time_is_what_the_clock_says(results: AppTest) -> None:
    """Of what was counted, nothing is said beside it that contradicts it."""
    slow = History().runs()[-1]
    assert slow.measurement is not None
    timed = replace(slow.measurement, timings=Timings(2.0, 1.5, 0.8))
    History().save(replace(slow, measurement=timed))
    results.run()
    fast = "Fixed loops S4, S3, S2, S1 (naive)"
    assert f"By time, “{fast}” was faster: 0.25 s in kernels" in texts(results)
    assert "Kernel s, predicted" not in table_with(results, "Runs")
    labelled(results.button_group, "Best by").set_value("Time").run()
    assert not results.exception
    told = texts(results)
    assert f"{fast} took 0.25 s in kernels, predicted within 25% (0.2 s)" in told
    assert "Do not trust the model's kernel seconds here" in told
    assert "calibrate this one first" in told
    assert list(table_with(results, "Runs")["Measured"]) == [0.8, 0.25]


def test_operators_as_table_and_on_the_plan(results: AppTest) -> None:
    section(results, "By operator")
    results.button_group(key="operators-as").set_value("Table").run()
    assert not results.exception
    table = table_with(results, "Operator")
    assert len(table) == 12
    assert table["q-error"].iloc[0] == pytest.approx(1 / 0.9)
    arrived = next(box for box in plan_canvas(results)["boxes"] if box["name"] == "S1 arrives")
    assert arrived["measured"] == "measured 3,420 · 1.11 ▲ over"
    assert arrived["ratio"] == pytest.approx(0.9)


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
    History().save(replace(before, data_digest="other"))
    results.run()
    assert not results.exception
    assert list(table_with(results, "Runs")["Label"]) == [newest.plan.label]


def test_the_model_is_judged_and_its_errors_are_explained(results: AppTest) -> None:
    told = texts(results)
    lead = "Trust the model's choice by comparisons here, but not its figures"
    assert f"{lead}: q-error 1.11 at most over 2 plans" in told
    assert "in the predicted order (Kendall's tau 1)" in told
    assert "its choice (" in told
    section(results, "By operator")
    assert "Where the model is wrong about this run" in texts(results)


def test_reasons_of_one_run_are_told_once(results: AppTest) -> None:
    section(results, "By operator")
    looked_at = labelled(results.selectbox, "Run")
    for run in looked_at.options:
        looked_at.select(run).run()
        lines = [line for line in texts(results).splitlines() if line.startswith("- ")]
        assert lines
        assert len(set(lines)) == len(lines)


def test_repeats_are_told_with_their_spread(results: AppTest) -> None:
    first = History().runs()[-1]
    assert first.measurement is not None
    for number, seconds in enumerate((4.0, 9.0)):
        timed = replace(first.measurement, timings=Timings(10.0, seconds, 0.5))
        History().save(replace(first, id=f"again-{number}", measurement=timed))
    results.run()
    assert not results.exception
    row = table_with(results, "Runs").set_index("Label").loc[first.plan.label]
    assert (row["Runs"], row["Engine s"], row["Kernel s"]) == (3, 4.0, 0.5)
    assert row["Min to max"] == "0.25 to 0.5 s"


def test_a_cancelled_run_is_marked(results: AppTest) -> None:
    for run in History().runs():
        assert run.measurement is not None
        broken_off = replace(run.measurement, answers={}, results={}, reached=120.0)
        History().save(replace(run, status="cancelled", measurement=broken_off))
    results.run()
    assert not results.exception
    assert set(table_with(results, "Runs")["Plan"]) == {
        "S1 first, then S2, S3, S4 (cancelled)",
        "Fixed loops S4, S3, S2, S1 (naive) (cancelled)",
    }
    assert (
        "was cancelled after 120 s of stream time. Its figures cover the time until then"
        in texts(results)
    )


def test_two_runs_are_compared_by_operator(results: AppTest) -> None:
    key = "runs-difference-as"
    section(results, "Difference")
    whole = table_with(results, "Kind of work")
    assert whole["Difference, measured"].iloc[0] == pytest.approx(0.9 * (2_269_650 - 16_000))
    results.button_group(key=key).set_value("By operator").run()
    table = table_with(results, "Operator")
    assert {"only S1 first, then S2, S3, S4", "only Fixed loops S4, S3, S2, S1 (naive)"} <= set(
        table["In"]
    )
    results.selectbox(key="runs-difference-field-work").set_value("state_tuples").run()
    assert set(table_with(results, "Operator")["In"]) == {"both"}
    results.button_group(key=key).set_value("Picture").run()
    assert not results.exception
    _, first, second = canvases(results)
    assert any(box["alone"] for box in first["boxes"])
    assert not all(box["alone"] for box in first["boxes"])
    assert first["plan"] != second["plan"]


def test_the_history_is_searched_and_filtered(results: AppTest) -> None:
    History().note(History().runs()[0].id, "for the talk")
    section(results, "History")
    results.button_group(key="history-of").set_value("All workloads").run()
    assert not results.exception
    assert list(table_with(results, "Started")["Status"]) == ["finished", "finished"]
    results.text_input(key="history-search").set_value("TALK").run()
    assert list(table_with(results, "Started")["Note"]) == ["for the talk"]
    results.selectbox(key="history-status").set_value("failed").run()
    assert not results.exception
    assert "No run matches." in texts(results)


def test_a_long_history_goes_on(results: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_runs, "A_PAGE", 1)
    section(results, "History")
    newest, oldest = History().summaries()
    assert list(table_with(results, "Started")["Run"]) == [newest.id]
    results.number_input(key="history-page").set_value(2).run()
    assert not results.exception
    assert list(table_with(results, "Started")["Run"]) == [oldest.id]


def test_a_run_is_noted_pinned_and_deleted(results: AppTest) -> None:
    chosen = History().summaries()[1]
    results.session_state["history-This workload-0"] = {"selection": {"rows": [1], "columns": []}}
    section(results, "History")
    results.text_input(key=f"note-{chosen.id}").set_value("kept").run()
    next(b for b in results.button if b.label == "Pin as baseline").click().run()
    assert not results.exception
    pinned = History().summaries()[1]
    assert (pinned.note, pinned.baseline) == ("kept", True)
    section(results, "Difference")
    assert results.selectbox(key="difference-second").options[0].endswith("baseline · kept")
    results.session_state["history-This workload-0"] = {"selection": {"rows": [1], "columns": []}}
    section(results, "History")
    results.button(key=f"delete-{chosen.id}").click().run()
    assert not results.exception
    assert [run.id for run in History().summaries()] == [History().runs()[0].id]


def test_a_broken_history_is_set_aside(results: AppTest) -> None:
    History().file.write_bytes(b"not a database, but long enough to be read as one" * 100)
    results.run()
    assert not results.exception
    results.run()
    assert not results.exception
    assert History().runs() == []


def test_exports_are_safe_and_complete(results: AppTest) -> None:
    assert results.download_button
    runs = History().runs()
    plan = replace(runs[0].plan, label="=HYPERLINK(1)")
    rows = list(csv.DictReader(io.StringIO(exports.to_csv([replace(runs[0], plan=plan)]))))
    assert rows[0]["plan"] == "'=HYPERLINK(1)"
    assert {row["field"] for row in rows} >= {"comparisons", "inserts", "state_tuples"}
    documents = json.loads(exports.to_json(runs))
    assert {document["label"] for document in documents} == {"S1,S2,S3,S4", "naive:S4,S3,S2,S1"}


def test_seconds_are_of_runs_that_can_be_compared(results: AppTest) -> None:
    """A paced run waits: its seconds stand apart, and what is left out is told."""
    first = History().runs()[-1]
    slowly = replace(first.request, pace=10.0)
    History().save(replace(first, id="paced", request=slowly, started=first.started + 100))
    results.run()
    assert not results.exception
    told = texts(results)
    assert "Left out, as seconds cannot be compared: stream, kernels, at a pace of 10 s" in told
    assert "Seconds of each plan: stream, kernels" in figure_titles(results)
    chosen = results.selectbox(key="seconds-of-runs")
    chosen.select(chosen.options[1]).run()
    assert "at a pace of 10 s per second" in figure_titles(results)
    results.button_group(key="seconds-of").set_value("Whole runs").run()
    assert "Start: until Spark and the kernels were ready" in texts(results)


def figure_titles(app: AppTest) -> str:
    """The titles of all charts of the page."""
    return "\n".join(charts(app))


def test_runs_of_the_commands_on_own_data_are_found(app: AppTest, go: Go) -> None:
    """The commands run a workload as it is declared; the pages fill in what its data tell."""
    sample = samples.find("sensors-own-data")
    assert sample is not None
    app.button(key="open-sensors-own-data").click().run()
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    for run in History().runs():
        assert run.request.workload.digest != sample.workload.digest
        History().forget(run.id)
        History().save(replace(run, request=replace(run.request, workload=sample.workload)))
    go("results")
    assert "Both plans gave the same" in texts(app)


def test_the_canvas_opens_on_the_plan_of_the_headline(results: AppTest) -> None:
    newest, before = History().runs()
    for run in (newest, before):
        assert run.measurement is not None
        costs = run.measurement.costs
        factor = 0.001 if run.plan.label.startswith("naive") else 1.0
        less = {
            name: replace(cost, comparisons=cost.comparisons * factor)
            for name, cost in costs.items()
        }
        History().save(replace(run, measurement=replace(run.measurement, costs=less)))
    results.run()
    assert not results.exception
    heading = next(text for text in results.markdown if text.value.startswith("#### "))
    assert heading.value.startswith("#### Fixed loops S4, S3, S2, S1"), heading.value
    shown = labelled(results.selectbox, "Run")
    assert shown.options[0].startswith("Fixed loops S4, S3, S2, S1 (naive)")
    assert "naive:S4,S3,S2,S1" in plan_canvas(results)["title"]
