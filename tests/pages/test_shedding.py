"""Shedding on the pages: the answer by memory, states of memory, what was shed, the bound."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.families.load_shedding import (
    aggregate_results,
    memory,
    shed_figures,
    shed_results,
)
from pages.parts.families.load_shedding.frontier_figure import (
    frontier_alternative,
    frontier_figure,
)
from pages.parts.report import report
from pages.parts.results import comparison
from planner.families.load_shedding.frontier import MemoryPoint, SplitPoint
from planner.families.load_shedding.read_backwards import memory_needed
from planner.plan.cost import Quality
from planner.workload.query import Aggregate
from runtime.runs.answer_groups import subset_of
from runtime.runs.history import History
from runtime.runs.records import Run
from runtime.runs.run_groups import by_plan
from runtime.runs.run_summary import summary_of
from tests.pages import conftest
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, charts, labelled, section, table_with, texts

Go = Callable[[str], AppTest]
# Not before so many redraws would a frontier of this size be drawn in vain.
MOST_REDRAWS = 60


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label.startswith(label)).click().run()
    assert not app.exception
    return app


def complete(app: AppTest) -> AppTest:
    """Draw again, as a browser does by itself, until the whole frontier is there."""
    for _ in range(MOST_REDRAWS):
        if "How much memory is enough?" in texts(app):
            return app
        app.run()
        assert not app.exception
    raise AssertionError("the frontier never came about")


@pytest.fixture
def worked(app: AppTest) -> AppTest:
    """The paper's worked example: small, so that everything is quick."""
    app.button(key="open-worked-star").click().run()
    assert not app.exception
    return complete(app)


# --- Plans ---------------------------------------------------------------------------------------


def test_the_frontier_has_a_line_for_every_policy_below_the_exact_one(worked: AppTest) -> None:
    chart = charts(worked)["Share of the importance that is found, by memory (predicted)"]
    lines = {trace["name"]: trace["y"] for trace in chart["data"]}
    assert {"OSSJ (knows the future)", "GAIN-S", "DGL-S", "EXACT (no bound)"} <= lines.keys()
    assert lines["EXACT (no bound)"] == [100, 100]
    best = lines["OSSJ (knows the future)"]
    for name in ("RAND-S", "SIMP-S", "DGL-S", "GAIN-S"):
        assert all(own <= most + 1e-6 for own, most in zip(lines[name], best, strict=True))
    assert [note["text"] for note in chart["layout"]["annotations"]] == ["memory now: 4"]
    assert "GAIN-S: " in chart["alt"]
    assert "with 4" in chart["alt"]
    assert "Simulated on a seeded sample: OSSJ" in texts(worked)


def test_the_frontier_is_drawn_bit_by_bit(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    memory._known.clear()
    monkeypatch.setattr(memory, "_AT_ONCE", 0.0)
    app.button(key="open-worked-star").click().run()
    assert "Trying other sizes of memory: 1 of " in texts(app)
    assert "Plans, best first" in texts(app), "the page does not wait for all sizes"
    assert "How much memory is enough?" in texts(complete(app))


def test_results_can_count_instead_of_importance(worked: AppTest) -> None:
    worked.button_group(key="frontier-by").set_value("recall").run()
    assert not worked.exception
    assert "Share of the results that is found, by memory (predicted)" in charts(worked)


def test_the_frontier_is_read_backwards(worked: AppTest) -> None:
    slider = next(s for s in worked.slider if s.label == "Wished share of the importance")
    slider.set_value(5).run()
    least = table_with(worked, "Known by")
    assert (least["Memory"] <= 4).all()
    slider = next(s for s in worked.slider if s.label == "Wished share of the importance")
    slider.set_value(100).run()
    most = table_with(worked, "Known by")
    assert most["Memory"].iloc[-1] > least["Memory"].iloc[-1]
    assert set(most["Known by"]) <= {"simulated", "closed form"}
    press(worked, "Set the memory to ")
    assert worked.session_state["workload"].execution.memory == most["Memory"].iloc[0]


def test_memory_can_be_changed_where_plans_are_shown(worked: AppTest) -> None:
    field = next(n for n in worked.number_input if n.label == "Memory (tuples)")
    field.set_value(2).run()
    assert not worked.exception
    assert worked.session_state["workload"].execution.memory == 2
    field = next(n for n in worked.number_input if n.label == "Memory (tuples)")
    field.set_value(400).run()
    assert "Nothing is shed here" in texts(worked)


def test_memory_between_two_sizes_is_on_a_straight_line() -> None:
    points = [
        MemoryPoint(10, "SIMP-S", 20, 0.1, "simulated"),
        MemoryPoint(30, "SIMP-S", 60, 0.5, "a formula"),
        MemoryPoint(10, "RAND-S", 10, 0.1, "a formula"),
        MemoryPoint(30, "RAND-S", 40, 0.3, "a formula"),
    ]
    found = memory_needed(points, 0.5, "importance", 100)
    assert [(own.label, own.memory) for own in found] == [("SIMP-S", 25), ("RAND-S", None)]
    assert memory_needed(points, 0.1, "recall", 100)[0].memory == 10
    frame = memory.needed_table(found)
    assert frame["Memory"].isna().tolist() == [False, True]


def test_what_is_split_is_compared_with_one_memory() -> None:
    points = [SplitPoint(n, "SIMP-S", 100 / n, 0.5 / n, "simulated") for n in (1, 2, 4)]
    assert list(memory.split_table(points)["Of one memory"]) == ["100%", "50%", "25%"]


def test_streams_with_different_keys_cannot_be_split(worked: AppTest) -> None:
    assert "joined on different attributes" in texts(worked)


def test_a_frontier_of_one_size_can_be_drawn() -> None:
    exact = MemoryPoint(4, "EXACT", 0.0, 1.0, "a formula")
    points = [exact, MemoryPoint(4, "SIMP-S", 0.0, 1.0, "a formula")]
    assert len(frontier_figure(points, "importance", exact, 4, "SIMP-S").data) == 2
    assert "100% with 4" in frontier_alternative(points, "importance", exact)


# --- the states of memory ------------------------------------------------------------------------


def states(app: AppTest) -> AppTest:
    app.button_group(key="plan-detail").set_value("Memory states").run()
    assert not app.exception
    return app


def test_states_of_the_worked_example_are_drawn_step_by_step(worked: AppTest) -> None:
    states(worked)
    assert "OSSJ finds 38 importance: 18 (R) + 11 (S) + 9 by tuples that arrive together" in texts(
        worked
    )
    assert "At 5 s there are 4 states. The best path stores R(2) R(5)" in texts(worked)
    assert list(table_with(worked, "Kept")["Kept"])[3:] == ["until 5 s", "never", "to the end"]
    slider = next(s for s in worked.select_slider if s.label == "Up to the instant")
    slider.set_value(2.0).run()
    assert not worked.exception
    assert "At 2 s there are 3 states. The best path stores R(0) R(2)" in texts(worked)
    worked.button_group(key="states-of").set_value("S").run()
    assert not worked.exception


def test_many_states_are_not_drawn_and_the_reason_is_said(app: AppTest) -> None:
    app.button(key="open-suspicious-payments").click().run()
    assert not app.exception
    states(app)
    assert "The state graph is not drawn: every choice of tuples" in texts(app)
    assert "at most 150 can be drawn" in texts(app)


# --- Results -------------------------------------------------------------------------------------


@pytest.fixture
def ran(worked: AppTest, go: Go, spark: FakeSpark) -> AppTest:
    spark.answer = lambda label: f"digest of {label}"
    press(worked, "Run best and baseline on Spark")
    all_done()
    return go("results")


def test_a_part_of_the_answer_is_no_fault(ran: AppTest) -> None:
    assert not ran.error
    (badge,) = [line for line in texts(ran).splitlines() if "subset" in line]
    assert "Keep all tuples (EXACT) gave all 12,345 results" in badge
    assert "of the results" in badge
    assert "50% of the importance" in badge


def test_the_exact_plan_is_no_choice(ran: AppTest) -> None:
    assert "run another plan to compare" in texts(ran)
    assert not labelled(ran.selectbox, "Run").options[0].startswith("EXACT")


def test_results_say_what_was_shed_why_and_when(ran: AppTest) -> None:
    section(ran, "By query and answer")
    assert list(table_with(ran, "Share")["Answer"]) == ["Importance", "Results"]
    why = table_with(ran, "Not let in")
    assert list(why["Stream"]) == ["p", "l"]
    assert list(why["Replaced"]) == [20, 20]
    assert "What was shed when" in charts(ran)
    suffered = charts(ran)["Which keys of p suffered"]
    assert [trace["x"] for trace in suffered["data"]] == [[60], [45]]
    assert "<b>" not in json.dumps(suffered["data"])


def _runs() -> list[Run]:
    history = History()
    return [history.get(summary.id) for summary in history.summaries()]


@pytest.mark.usefixtures("ran")
def test_equal_policies_on_equal_data_must_agree() -> None:
    shed = next(run for run in _runs() if run.plan.label != "EXACT")
    assert subset_of(shed) is not None
    assert shed.measurement is not None
    other = replace(shed, id="again", measurement=replace(shed.measurement, answers={"star": "0"}))
    same, words = comparison.same_answer([shed, other])
    assert not same
    assert "do not agree" in words
    parted = replace(other, partitions=4)
    same, words = comparison.same_answer([shed, parted])
    assert same
    assert "(4 partitions)" in words
    summaries = [summary_of(run) for run in (shed, parted)]
    assert by_plan([replace(summaries[0], measured=1.0), summaries[1]])[0].same_counts
    assert not by_plan([replace(summaries[0], measured=1.0), summaries[0]])[0].same_counts


@pytest.mark.usefixtures("ran")
def test_a_whole_answer_must_be_the_exact_one() -> None:
    exact, shed = sorted(_runs(), key=lambda run: run.plan.label)
    assert shed.measurement is not None
    whole = {name: Quality(recall=1.0) for name in shed.measurement.qualities}
    claimed = replace(shed, measurement=replace(shed.measurement, qualities=whole))
    same, _ = comparison.same_answer([exact, claimed])
    assert not same, "all results were found, and the digests differ"


@pytest.mark.usefixtures("ran")
def test_the_report_has_what_was_shed() -> None:
    text = report(_runs())
    assert "Why tuples were not kept" in text
    assert "The answer beside the exact one" in text
    assert "Not let in" in text


AGGREGATES: dict[str, Any] = {
    "names": ["count(*)", "sum(p.v)"],
    "meanings": ["unbiased", "unbiased"],
    "grouped": True,
    "answer": [
        {
            "group": "<b>east",
            "found": [100.0, 510.0],
            "error": [10.0, None],
            "low": [80.4, None],
            "high": [119.6, None],
            "exact": [104.0, 520.0],
        }
    ],
    "over_time": [
        {
            "at": at,
            "found": [100.0, 510.0],
            "error": [10.0, None],
            "low": [80.4, None],
            "high": [119.6, None],
            "exact": [104.0, 520.0],
        }
        for at in (5.0, 10.0)
    ],
}


def test_aggregates_have_their_interval_beside_the_exact_figure(
    worked: AppTest, go: Go, spark: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    shed = conftest._shed
    monkeypatch.setattr(
        conftest, "_shed", lambda *given: {**shed(*given), "aggregates": AGGREGATES}
    )
    spark.answer = lambda label: f"digest of {label}"
    press(worked, "Run best and baseline on Spark")
    all_done()
    app = section(go("results"), "By query and answer")
    shown = table_with(app, "Aggregate")
    assert list(shown["Group"]) == ["<b>east"] * 2
    assert shown["From"].iloc[0] == 80.4
    assert list(shown["Exact"]) == [104, 520]
    assert "95% interval" in texts(app)
    chart = charts(app)["count(*) over the windows, over time"]
    assert [trace["name"] for trace in chart["data"]] == ["95% interval", "Exact", "Found"]
    without = charts(app)["sum(p.v) over the windows, over time"]
    assert [trace["name"] for trace in without["data"]] == ["Exact", "Found"]
    assert "Aggregates over the windows at the last tuple" in report(_runs())
    text = aggregate_results.over_time_alternative(AGGREGATES, 0)
    assert "at 5 s 100 ± 19.6 (exact 104)" in text


@pytest.mark.usefixtures("ran")
def test_results_of_a_join_that_aggregates_are_counted_not_its_groups() -> None:
    runs = []
    for run in _runs():
        query = replace(run.workload.queries[0], aggregates=(Aggregate("count"),))
        runs.append(replace(run, workload=replace(run.workload, queries=(query,))))
    _, words = comparison.same_answer(runs)
    assert "Keep all tuples (EXACT) gave all 12,345 results" in words
    assert "groups" not in words


def test_aggregates_of_other_policies_are_no_estimates() -> None:
    found = {**AGGREGATES, "meanings": ["lower bound", "of what was found"]}
    meanings = list(aggregate_results.answer_table(found)["Meaning"])
    assert meanings == ["lower bound", "of the results found; no estimate"]
    assert "RAND-S gives estimates" in aggregate_results._caption(found)
    exact = {**AGGREGATES, "meanings": ["exact", "exact"]}
    assert "Nothing was shed" in aggregate_results._caption(exact)
    unknown = {**AGGREGATES, "answer": [{**AGGREGATES["answer"][0], "error": [None, None]}]}
    assert "No interval is known here" in aggregate_results._caption(unknown)


def test_time_lines_have_a_text_alternative() -> None:
    timeline = {"from": 10.0, "every": 5.0, "shed": {"R": [0, 3], "S": [0, 0]}}
    text = shed_figures.timeline_alternative(timeline)
    assert "R: 3, most (3) from 15 s; S: 0." in text
    assert "1: 2 of 4" in shed_figures.keys_alternative("R", [{"key": 1, "arrived": 4, "shed": 2}])


def test_results_say_how_long_tuples_waited_and_who_was_dropped() -> None:
    processor = {"buffer": 7, "served": 1200, "mean_wait": 1.25, "longest_wait": 4.0}
    words = shed_results.waiting_words(processor)
    assert "1,200 tuples were served, 1.25 s after they came on average and 4 s at most" in words
    assert "at most 7 may wait" in words
    assert "any number may wait" in shed_results.waiting_words({**processor, "buffer": None})
    shed = {"evictions": {"R": {"expired": 2, "processor short": 3}}, "memory": {"R": 4}}
    assert "Processor short" not in shed_results.evictions_table(shed)
    table = shed_results.evictions_table({**shed, "processor": processor})
    assert table["Processor short"].tolist() == [3]


def test_a_part_of_nothing_is_all() -> None:
    assert shed_results.share(0, 0) == "all of nothing"
    assert shed_results.share(None, 3) == "–"
