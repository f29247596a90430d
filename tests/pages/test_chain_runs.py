"""Shared joins run from the pages: plans, changes while they run, and results by query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.run import change_editor
from pages.parts.workload import query_editors
from planner.families.registry import family
from planner.families.stages import planned_stages
from planner.numbers import unique_names
from planner.workload.execution import Change
from planner.workload.workload import Workload
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, labelled, section, table_with, texts, until
from tests.planner.chains import joined, joins

Go = Callable[[str], AppTest]


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


@pytest.fixture
def sensors(app: AppTest) -> AppTest:
    """The paper's two queries, in force."""
    app.button(key="open-temperature-humidity").click().run()
    assert not app.exception
    return app


def changing(*changes: Change) -> Workload:
    """Two queries, and what changes while they run."""
    workload = joins([joined(2), joined(9, "A.v > 50")])
    run = replace(workload.run, warmup=10.0, duration=90.0, changes=changes)
    return replace(workload, run=run)


def test_every_strategy_can_be_chosen(sensors: AppTest, go: Go) -> None:
    go("run")
    offered = labelled(sensors.multiselect, "Plans")
    assert offered.value == ["chain:0-60-3600", "unshared"]
    assert "CPU-Opt and Mem-Opt, 2 slices · best" in offered.options
    assert {
        "A join for each query (unshared) · baseline",
        "One join, filters after it (pull-up)",
    } <= set(offered.options)
    assert "28,800 tuples per plan" in texts(sensors), "4 tuples a second for two hours"


def test_results_are_told_by_query(spark: FakeSpark, sensors: AppTest, go: Go) -> None:
    press(go("run"), "Run on Spark")
    all_done()
    go("results")
    assert spark.started == ["chain:0-60-3600", "unshared"]
    assert "Both plans gave the same 24,690 results" in texts(sensors)
    section(sensors, "By query and answer")
    by_query = next(f.value for f in sensors.dataframe if "Query" in f.value)
    assert list(by_query["Query"]) == ["Q1", "Q2"]
    assert list(by_query["Results"]) == [12_345, 12_345]
    assert list(by_query["Same in all runs"]) == ["✓ 2 plans"] * 2
    assert "3 entries in the queue of a slice" in texts(sensors)
    assert "40 rows merged by a union" in texts(sensors)


def test_operators_of_a_shared_run(sensors: AppTest, go: Go) -> None:
    press(go("run"), "Run on Spark")
    all_done()
    section(go("results"), "By operator")
    sensors.button_group(key="operators-as").set_value("Table").run()
    assert not sensors.exception
    names = set(table_with(sensors, "Operator")["Operator"])
    assert {"slice [0, 60)", "probe [60, 3600)", "union Q2", "survive Temperature"} <= names


def test_parts_of_streams_are_told_where_their_codes_stand(sensors: AppTest, go: Go) -> None:
    go("run")
    labelled(sensors.multiselect, "Plans").set_value(["push-down"])
    press(sensors, "Run on Spark")
    all_done()
    section(go("results"), "By operator")
    for view in ("Bars", "Table"):
        sensors.button_group(key="operators-as").set_value(view).run()
        told = texts(sensors)
        assert "1/-: Temperature that pass Temperature.Value > 90 with all Humidity" in told
        assert "0/-: Temperature that do not pass Temperature.Value > 90 with all" in told


def test_answers_that_differ_are_told_by_query(spark: FakeSpark, sensors: AppTest, go: Go) -> None:
    spark.answer = lambda label: f"digest of {label}"
    press(go("run"), "Run on Spark")
    all_done()
    go("results")
    assert "The plans do not agree on Q1, Q2" in texts(sensors)
    section(sensors, "By query and answer")
    by_query = next(f.value for f in sensors.dataframe if "Query" in f.value)
    assert set(by_query["Same in all runs"]) == {"✗ no"}


def test_a_query_leaves_at_a_time(sensors: AppTest, go: Go) -> None:
    go("run")
    next(n for n in sensors.number_input if n.label.startswith("At (s")).set_value(5000.0).run()
    sensors.selectbox(key="change-query").set_value("Q2").run()
    press(sensors, "Add this change")
    assert sensors.session_state["workload"].run.changes == (Change(5000.0, remove="Q2"),)
    assert "at 5000 s, remove Q2" in texts(sensors)
    stages = next(f.value for f in sensors.dataframe if "What changes" in f.value)
    assert list(stages["Plan"]) == [f"CPU-Opt and Mem-Opt, {n}" for n in ("2 slices", "1 slice")]
    assert list(stages["Until (s)"]) == ["5000", "7200"]
    assert (
        stages["What changes"].iloc[1]
        == "Q2 is removed, the plan becomes CPU-Opt and Mem-Opt, 1 slice"
    )
    sensors.button(key="remove-change-0").click().run()
    assert sensors.session_state["workload"].run.changes == ()


def test_a_query_enters_and_the_plan_is_switched(sensors: AppTest, go: Go) -> None:
    go("run")
    sensors.button_group(key="change-what").set_value(change_editor.ADD).run()
    text = sensors.text_area(key="change-text")
    text.set_value(text.value.replace("60 MIN", "30 MIN")).run()
    press(sensors, "Add this change")
    sensors.button_group(key="change-what").set_value(change_editor.SWITCH).run()
    sensors.selectbox(key="change-plan").set_value("pull-up").run()
    press(sensors, "Add this change")
    first, second = sensors.session_state["workload"].run.changes
    assert first.add is not None
    assert first.add.name == "Q3"
    assert second.plan == "pull-up"
    stages = next(f.value for f in sensors.dataframe if "What changes" in f.value)
    assert list(stages["Queries"]) == [2, 3]
    assert list(stages["Plan"]) == [
        "CPU-Opt and Mem-Opt, 2 slices",
        "One join, filters after it (pull-up)",
    ]


def test_what_cannot_happen_is_told_and_changes_nothing(sensors: AppTest, go: Go) -> None:
    go("run")
    sensors.button_group(key="change-what").set_value(change_editor.ADD).run()
    sensors.text_area(key="change-text").set_value("SELECT nonsense").run()
    press(sensors, "Add this change")
    assert sensors.error
    assert sensors.session_state["workload"].run.changes == ()
    sensors.button_group(key="change-what").set_value(change_editor.REMOVE).run()
    for query in ("Q1", "Q2"):
        sensors.selectbox(key="change-query").set_value(query).run()
        press(sensors, "Add this change")
    assert "leaves no query" in texts(sensors)
    assert len(sensors.session_state["workload"].run.changes) == 1


def test_a_run_shows_what_has_changed(spark: FakeSpark, app: AppTest, go: Go) -> None:
    spark.gate.clear()
    spark.reached_share = 0.5
    app.session_state["workload"] = changing(Change(40, remove="Q1"), Change(70, plan="pull-up"))
    press(go("run"), "Run on Spark")
    # The runner's thread tells how far it is when it gets to it.
    until(lambda: "At 50 s of stream time" in texts(app.run()))
    assert (
        "At 50 s of stream time: 1 query, CPU-Opt and Mem-Opt, 1 slice since 40 s (Q1 is removed"
        in texts(app)
    )
    assert "at 70 s the plan becomes One join, filters after it (pull-up)" in texts(app)
    stages = next(f.value for f in app.dataframe if "Now" in f.value)
    assert list(stages["Now"]) == ["done", "now", "ahead"]
    spark.gate.set()
    all_done()
    section(go("results"), "By query and answer")
    assert "### Stages" in texts(app)
    stages = next(f.value for f in app.dataframe if "What changes" in f.value)
    assert list(stages["Queries"]) == [2, 1, 1]
    by_query = next(f.value for f in app.dataframe if "Query" in f.value)
    assert list(by_query["Query"]) == ["Q1", "Q2"]


def test_a_change_after_the_end_is_warned_of(app: AppTest, go: Go) -> None:
    app.session_state["workload"] = changing(Change(500, remove="Q1"))
    go("run")
    assert "this change never happens: at 500 s, remove Q1" in texts(app)


def test_operators_that_are_alike_get_unique_names() -> None:
    assert unique_names(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_a_query_that_changes_its_window_is_another() -> None:
    workload = changing(Change(40, remove="Q1"))
    again = replace(workload.queries[1], name="Q1")
    workload = changing(Change(40, remove="Q1"), Change(40, add=again))
    stages = planned_stages(family("sliced_chain"), workload, "pull-up")
    assert change_editor.table(stages, 100.0)["What changes"].iloc[1] == "Q1 changes"


# --- many queries on the Workload page ------------------------------------------------------------


def test_many_queries_are_a_list_with_one_to_edit(app: AppTest, go: Go) -> None:
    app.button(key="open-thirty-six-windows").click().run()
    go("workload")
    assert len(app.text_area) == 1
    listed = next(f.value for f in app.dataframe if "Text" in f.value)
    assert len(listed) == 36
    app.text_input(key="query-search").set_value("range 29.5").run()
    assert not app.exception
    listed = next(f.value for f in app.dataframe if "Text" in f.value)
    assert list(listed["Query"]) == ["Q35"]
    assert "[RANGE 29.5]" in labelled(app.text_area, "Q35").value
    labelled(app.text_area, "Q35").set_value(
        labelled(app.text_area, "Q35").value.replace("29.5", "29.25")
    ).run()
    assert not app.exception
    workload = app.session_state["workload"]
    assert workload.longest_window == 30
    assert "29.25" in workload.query("Q35").text


def test_a_query_is_copied_and_taken_out(app: AppTest, go: Go) -> None:
    app.button(key="open-thirty-six-windows").click().run()
    go("workload")
    press(app, "Add a copy")
    assert len(app.session_state["workload"].queries) == 37
    press(app, "Remove")
    assert len(app.session_state["workload"].queries) == 36
    app.text_input(key="query-search").set_value("no such text").run()
    assert "None of 36 queries contains this text" in texts(app)
    assert len(app.text_area) == 1


def test_words_find_queries() -> None:
    queries = [{"name": "Q1", "text": "FROM A [RANGE 5]"}, {"name": "Q2", "text": "FROM B"}]
    assert query_editors.matching(queries, "") == [0, 1]
    assert query_editors.matching(queries, "range a") == [0]
    assert query_editors.matching(queries, "q2") == [1]


def test_two_queries_have_a_box_each_and_their_windows(sensors: AppTest, go: Go) -> None:
    go("workload")
    assert len(sensors.text_area) == 2
    for query, window in (("Q2", "RANGE 3600"), ("Q1", "RANGE 60")):
        next(box for box in sensors.selectbox if box.label == "of").set_value(query).run()
        assert not sensors.exception
        shown = next(f.value for f in sensors.dataframe if "Window" in f.value)
        assert set(shown["Window"]) == {window}
