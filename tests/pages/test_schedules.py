"""Schedules on the pages: a burst as it is served, delays for any load, the matrix, and results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.families.shared_schedule import (
    SharedScheduleView,
    burst_figure,
    matrix,
    response_times,
    windows,
)
from pages.parts.report import report
from pages.parts.shared import samples
from planner.families.shared_schedule import SharedSchedule
from planner.workload.workload import Workload
from runtime.runs.history import History
from tests.pages.helpers import (
    all_done,
    chart,
    charts,
    labelled,
    reloaded,
    section,
    series,
    table_with,
    texts,
)
from tests.planner.chains import joined, joins

RANKED_BY_WORST = ("Label", "Mean delay of the worst query (ms)")
Go = Callable[[str], AppTest]


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def slider(app: AppTest, label: str) -> Any:
    return next(s for s in app.slider if s.label == label)


@pytest.fixture
def seven(app: AppTest) -> AppTest:
    app.button(key="open-seven-windows").click().run()
    assert not app.exception
    return app


def test_a_workload_that_states_a_load_is_planned_for_delays(seven: AppTest) -> None:
    assert "Most queries first (MQT) wins: queries wait" in texts(seven)
    table = table_with(seven, "Rank")
    slices = "@chain:0-1-5-15-600"
    every = "LWO@chain:0-1-5-15-300-510-570-600"
    ranked = ["MQT", f"FAIR{slices}", f"SWF{slices}", "LWO", every, "OUT", "FAIR", "SWF"]
    assert list(table["Label"]) == ranked
    assert "Mean delay (ms)" in table


def test_another_kind_of_plans_can_be_chosen_and_is_kept(seven: AppTest) -> None:
    picker = next(group for group in seven.button_group if group.label == "Kind of plans")
    assert picker.options == ["Shared schedule", "Sliced chain"]
    picker.set_value("sliced_chain").run()
    assert not seven.exception
    assert "unshared" in set(table_with(seven, "Rank")["Label"])
    again = reloaded(seven)
    again.switch_page("pages/plans.py").run()
    assert "unshared" in set(table_with(again, "Rank")["Label"])


def choose(app: AppTest, name: str) -> AppTest:
    """Click a kind of objective on the switch in the head, or pick one of the delays."""
    if name[0].isupper():
        return labelled(app.button_group, "Best by").set_value(name)
    return labelled(app.selectbox, "Which delay").set_value(name)


def test_plans_are_ranked_by_what_is_chosen(seven: AppTest) -> None:
    switch = labelled(seven.button_group, "Best by")
    assert switch.options == ["Delay", "Work", "Time", "Memory"]
    picker = labelled(seven.selectbox, "Which delay")
    assert picker.options[:2] == ["Mean delay (ms)", "Mean delay of the worst query (ms)"]
    picker.set_value("worst-query").run()
    assert not seven.exception
    assert "no query waits more than" in texts(seven)
    assert "Mean delay of the worst query (ms)" in table_with(seven, "Rank")
    again = reloaded(seven)
    again.switch_page("pages/plans.py").run()
    assert "no query waits more than" in texts(again)


def test_every_objective_can_be_chosen(seven: AppTest) -> None:
    for name in ("p95", "output-delay", "stretch", "Work", "Time", "Memory"):
        choose(seven, name).run()
        assert not seven.exception, name
        assert " wins: " in texts(seven), name


def test_a_burst_is_drawn_for_the_chosen_policy_and_the_baseline(seven: AppTest) -> None:
    burst = chart(seven, "Who is scanned when")
    assert [a["text"] for a in burst["layout"]["annotations"]] == ["MQT", "LWO"]
    assert "ms" in burst["layout"]["xaxis3"]["title"]["text"]
    held = [trace for trace in burst["data"] if trace["name"] == "Held results leave"]
    assert len(held) == 2
    assert len(held[0]["x"]) > len(held[1]["x"]) == 0, "nobody waits for others under LWO"
    assert "tuple 12 arrives at" in burst["alt"]


def test_delays_of_all_policies_stand_beside_isolated_execution(seven: AppTest) -> None:
    delays = chart(seven, "Mean delay of results by query")
    names = [trace["name"] for trace in delays["data"]]
    assert names == ["MQT", "LWO", "OUT", "FAIR", "SWF", "By itself"]
    assert series(delays, "MQT")["x"][0] == "Q1 · 1 s"
    assert "(ms)" in delays["layout"]["yaxis"]["title"]["text"]
    assert "the load is about 4.8%, where policies look alike" in texts(seven)
    assert "simulated on a seeded sample" in texts(seven)


def test_sliders_change_the_picture_and_not_the_workload(seven: AppTest) -> None:
    before = seven.session_state["workload"]
    longest = max(series(chart(seven, "Mean delay of results"), "LWO")["y"])
    slider(seven, "Load of the server").set_value(50).run()
    assert not seven.exception
    delays = chart(seven, "at 50% load")
    assert max(series(delays, "LWO")["y"]) < longest / 2
    assert seven.session_state["workload"] == before
    slider(seven, "Mean burst size").set_value(3.0).run()
    assert chart(seven, "Median delay"), "there is no mean"


def test_a_load_is_applied_to_the_workload(seven: AppTest) -> None:
    slider(seven, "Load of the server").set_value(70).run()
    press(seven, "Set the workload to 70% load")
    assert seven.session_state["workload"].execution.utilisation == 0.7
    assert slider(seven, "Load of the server").value == 70


def test_without_a_steady_state_that_is_said(seven: AppTest) -> None:
    slider(seven, "Load of the server").set_value(120).run()
    assert not seven.exception
    assert "There is no steady state" in texts(seven)


def with_plan(app: AppTest, label: str) -> AppTest:
    found = samples.find("seven-windows")
    assert found is not None
    app.session_state["workload"], app.session_state["plan"] = found.workload, label
    app.session_state["data"], app.session_state["sort"] = None, False
    app.switch_page("pages/plans.py").run()
    assert not app.exception
    return app


def test_the_baseline_is_drawn_beside_the_best(app: AppTest) -> None:
    with_plan(app, "LWO")
    names = [a["text"] for a in chart(app, "Who is scanned when")["layout"]["annotations"]]
    assert names == ["LWO", "MQT"]


def test_the_matrix_names_the_winning_partial_window() -> None:
    workload = joins([joined(2), joined(3), joined(6)])
    entries = SharedSchedule().space(workload).matrix("MQT")
    table = matrix.matrix_table(entries, "s").set_index("From (s)")
    assert list(table.loc["0"]) == ["0.5 → 2", "0.667 → 3", "0.667 → 3"]
    assert list(table.loc["2"]) == ["", "1 → 3", "1 → 3"]
    assert list(table.loc["3"]) == ["", "", "0.333 → 6"]


def test_the_matrix_is_a_detail(seven: AppTest) -> None:
    seven.button_group(key="plan-detail").set_value("Matrix").run()
    assert "up to 600" in table_with(seven, "From (s)")


def test_a_policy_without_a_matrix_says_so(app: AppTest) -> None:
    with_plan(app, "SWF")
    app.button_group(key="plan-detail").set_value("Matrix").run()
    assert "SWF needs no matrix; this is the one of MQT" in texts(app)


def test_many_windows_stay_readable() -> None:
    workload = joins([joined(n) for n in range(1, 41)])
    space = SharedSchedule().space(_loaded(workload))
    trace = space.trace("MQT")
    figure = burst_figure.burst_figure(space.model, [("MQT", trace)])
    named = [trace.name for trace in figure.data if trace.showlegend and "[" in trace.name]
    assert 2 <= len(named) <= windows.FEW + 1
    assert len(windows.ends(range(40))) == windows.MOST_BARS


def test_all_that_wait_are_seen() -> None:
    space = SharedSchedule().space(_loaded(joins([joined(n) for n in (2, 5, 20)])))
    sides = [(label, space.trace(label)) for label in ("SWF", "LWO")]
    figure = burst_figure.burst_figure(space.model, sides)
    for axis, (_, trace) in zip(("y3", "y4"), sides, strict=True):
        levels = [own.y for own in figure.data if own.type == "scatter" and own.yaxis == axis]
        most = max(sum(column) for column in zip(*levels, strict=True))
        assert 1 <= most <= figure.layout.yaxis3.range[1]
        assert most == burst_figure._most_waiting(trace)


def test_names_do_not_act_in_figures() -> None:
    workload = _loaded(joins([joined(2), joined(5)]))
    named = replace(workload.queries[0], name="<b>Q")
    workload = replace(workload, queries=(named, *workload.queries[1:]))
    space = SharedSchedule().space(workload)
    figure = burst_figure.burst_figure(space.model, [("SWF", space.trace("SWF"))])
    assert "<b>Q" not in str(figure.to_dict())
    assert "<b>" not in windows.row_name(space.model, 0)


def _loaded(workload: Workload) -> Workload:
    return replace(workload, execution=replace(workload.execution, utilisation=0.9))


# --- Results --------------------------------------------------------------------------------------


@pytest.fixture
def ran(seven: AppTest, go: Go) -> AppTest:
    press(seven, "Run best and baseline on Spark")
    all_done()
    return go("results")


def test_results_speak_of_delays(ran: AppTest) -> None:
    assert "Most queries first (MQT) has a mean delay of 13." in texts(ran)
    table = table_with(ran, "Runs")
    assert list(table["Label"]) == ["MQT", "LWO"]


def test_results_follow_what_plans_are_ranked_by(ran: AppTest, go: Go) -> None:
    choose(go("plans"), "worst-query").run()
    assert not ran.exception
    worst = dict(zip(*(table_with(ran, "Rank")[c] for c in RANKED_BY_WORST), strict=True))
    go("results")
    assert "has a mean delay of the worst query of" in texts(ran)
    table = table_with(ran, "Runs")
    assert list(table["Predicted"]) == pytest.approx([worst["LWO"], worst["MQT"]], rel=0.05)
    assert list(table["Label"]) == ["LWO", "MQT"], "best first by what is chosen"
    alts = [drawn["alt"] for drawn in charts(ran).values()]
    assert any(alt.startswith("Mean delay of the worst query (ms), predicted") for alt in alts)
    assert "Mean delay of the worst query. " in texts(section(ran, "Difference"))
    assert labelled(go("run").multiselect, "Plans").value[0] == "LWO"


def test_the_objective_can_be_chosen_on_results_and_history_keeps_the_family_s(
    ran: AppTest, go: Go
) -> None:
    kept = {run.id: (run.predicted, run.measured) for run in History().summaries()}
    choose(ran, "Work").run()
    assert not ran.exception
    assert "made" in texts(ran)
    section(ran, "By operator")
    assert ran.button_group(key="operators-field-work").value == "comparisons"
    assert "comparisons per second of stream" in texts(ran)
    assert {run.id: (run.predicted, run.measured) for run in History().summaries()} == kept
    for page in ("plans", "run"):
        assert labelled(go(page).button_group, "Best by").value == "Work"
    assert not [box for box in ran.selectbox if box.label == "Which delay"]


def test_results_are_shown_by_every_objective(ran: AppTest) -> None:
    for name in ("stretch", "p95", "output-delay", "Time", "Memory"):
        choose(ran, name).run()
        assert not ran.exception, name


def test_all_policies_of_a_run_stand_side_by_side(ran: AppTest) -> None:
    section(ran, "By query and answer")
    assert "MQT: measured, with predicted marks" in charts(ran)
    policies = charts(ran)["All policies on the arrivals of this run, measured"]
    assert {"MQT", "LWO", "SWF", "By itself"} <= {trace["name"] for trace in policies["data"]}
    held = next(f.value for f in ran.dataframe if "Join buffer, most" in f.value)
    assert list(held["Queue / join buffer"]) == ["4%"] * 5
    ran.button_group(key="delay-figure").set_value("delay_ms_p95").run()
    assert not ran.exception


def test_the_three_clocks_are_labelled(ran: AppTest) -> None:
    section(ran, "By query and answer")
    for label in ("(a) Clock of work", "(b) Kernel seconds", "(c) Delivery"):
        assert label in texts(ran)
    assert "q-error" in texts(ran)
    assert "no policy delivers sooner than a batch is long" in texts(ran)


def test_the_report_has_the_delays_of_every_query_under_every_policy(ran: AppTest) -> None:
    assert not ran.exception
    runs = History().runs()
    text = report(runs)
    mqt = next(run for run in runs if run.plan.label == "MQT")
    tables = SharedScheduleView().report_tables(mqt)
    first, late, held = tables.values()
    assert list(first.columns[:2]) == ["Query", "MQT, predicted"]
    assert "By itself, measured" in first.columns
    assert first["Query"].tolist() == [f"Q{n}" for n in range(1, 8)]
    assert mqt.measurement is not None
    lwo = mqt.measurement.schedules["LWO"]["queries"]
    assert first["LWO, measured"].tolist() == [own["delay_ms"] for own in lwo.values()]
    assert list(late.columns) == list(first.columns)
    assert held.columns[0] == "Policy"
    assert ["95th percentile" in title for title in tables] == [False, True, False]
    for title in tables:
        assert text.count(f"<h3>{title}</h3>") == 2, "of MQT and of LWO"
    assert "By itself, measured" in text


def test_runs_of_another_kind_of_plans_are_not_compared(ran: AppTest) -> None:
    picker = next(group for group in ran.button_group if group.label == "Kind of plans")
    picker.set_value("sliced_chain").run()
    assert not ran.exception
    assert "No plan of this workload has been run yet" in texts(ran)


def test_a_policy_without_a_mean_has_none_in_the_table() -> None:
    table = response_times.buffers_table({"MQT": {"queries": {"Q1": {}}, "busy": None}})
    assert table["Mean delay (ms)"].iloc[0] is None
    assert table["Busy"].iloc[0] == "–"
