"""The plans page of shared joins: the chain, the ledger, the mergings, memory against CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.canvas.scene import MOST_BOXES
from pages.parts.families.sliced_chain import chain_figures, chain_view, ledger, optima
from pages.parts.plans import difference
from planner.families.sliced_chain import SlicedChain
from planner.plan.difference import ComparedPlan
from planner.workload.workload import Workload
from tests.pages.helpers import chart, labelled, plan_canvas, series, table_with, texts
from tests.planner.chains import COUNT_WINDOWS, FILTERED, joined, joins

Go = Callable[[str], AppTest]
FAMILY = SlicedChain()
HELD = "who holds what"


def opened(app: AppTest, workload: Workload) -> AppTest:
    app.session_state["workload"] = workload
    app.switch_page("pages/plans.py").run()
    assert not app.exception
    return app


def detail(app: AppTest, name: str) -> AppTest:
    app.button_group(key="plan-detail").set_value(name).run()
    assert not app.exception
    return app


def to_scale(app: AppTest) -> AppTest:
    app.button_group(key="drawn-as").set_value("Slices to scale").run()
    assert not app.exception
    return app


@pytest.fixture
def sensors(app: AppTest) -> AppTest:
    """The plans of the paper's two queries."""
    app.button(key="open-temperature-humidity").click().run()
    assert not app.exception
    return app


def test_queries_that_share_are_planned_together(sensors: AppTest) -> None:
    assert labelled(sensors.selectbox, "Query").value == ""
    assert "Both queries together" in labelled(sensors.selectbox, "Query").options
    assert "CPU-Opt and Mem-Opt, 2 slices wins" in texts(sensors)
    assert set(table_with(sensors, "Rank")["Label"]) == {
        "chain:0-60-3600",
        "chain:0-3600",
        "unshared",
        "pull-up",
        "push-down",
    }


def test_one_query_can_still_be_planned_alone(sensors: AppTest) -> None:
    labelled(sensors.selectbox, "Query").set_value("Q2").run()
    assert not sensors.exception
    assert "A,B" in set(table_with(sensors, "Rank")["Label"])
    labelled(sensors.selectbox, "Query").set_value("").run()
    assert "unshared" in set(table_with(sensors, "Rank")["Label"])


def test_queries_that_cannot_share_say_why(app: AppTest) -> None:
    three = "SELECT COUNT(*) FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k"
    opened(app, joins([joined(2), three]))
    assert labelled(app.selectbox, "Query").options == ["Q1", "Q2"]
    (caption,) = (found for found in app.caption if found.value == "planned one by one")
    assert "Queries are planned one by one: Q2 aggregates" in caption.help


def test_the_chain_is_drawn_to_scale(sensors: AppTest) -> None:
    chain = chart(to_scale(sensors), HELD)
    slices, selection = series(chain, "Slice"), series(chain, "Selection on Temperature")
    assert (slices["base"], slices["x"]) == ([0, 60], [60, 3540])
    assert selection["x"] == [60]
    assert "Temperature.Value > 90" in selection["text"][0]
    high = series(chain, "Temperature held")["width"]
    assert high[1] == pytest.approx(high[0] / 10, rel=0.1), "a tenth survives beyond a minute"
    assert "Age of the tuples held (s)" in chain["layout"]["xaxis"]["title"]["text"]
    assert "Q2 up to 3600 s" in chain["alt"]
    assert "[60, 3600) s" in chain["alt"]


def test_kinds_of_work_are_stacked_over_strategies(sensors: AppTest) -> None:
    work = chart(detail(sensors, "Work by kind"), "Comparisons by kind of work")
    assert series(work, "Probe")["y"] == ["unshared", "pull-up", "push-down", "mem-opt = cpu-opt"]
    kinds = [bar["name"] for bar in work["data"] if bar["type"] == "bar"]
    assert kinds == ["Probe", "Purge", "Route", "Select", "Union", "Filter"]


def test_the_ledger_holds_plans_against_each_other(sensors: AppTest) -> None:
    detail(sensors, "Ledger")
    plans, held, reads = (table_with(sensors, name) for name in ("Joins", "Keeps", "Window (s)"))
    assert list(plans["Plan"]) == ["unshared", "pull-up", "push-down", "mem-opt = cpu-opt"]
    assert list(plans["Joins"]) == [2, 1, 2, 2]
    assert plans["Bytes held"].iloc[3] == 514_496
    assert plans["CPU against unshared"].iloc[1] == "▲ 9x more"
    assert list(held["Temperature held"]) == [121, 708]
    assert list(held["Queries"]) == [2, 1]
    assert reads.to_dict("list") == {
        "Query": ["Q1", "Q2"],
        "Window (s)": ["60", "3600"],
        "[0, 60)": ["●", "●"],
        "[60, 3600)": ["", "●"],
    }


def test_the_graph_of_mergings_marks_the_shortest_path(sensors: AppTest) -> None:
    detail(sensors, "Mergings")
    graph = chart(sensors, "All possible slices")
    names = [trace["name"] for trace in graph["data"]]
    assert "Shortest path (CPU-Opt)" in names
    assert "30,248" in str(graph["data"]), "the slice that merges both"
    assert list(table_with(sensors, "Slice")["Slice"]) == ["[0, 60)", "[60, 3600)"]
    assert "the cheapest path goes from 0 to 60 to 3600" in graph["alt"]


def test_a_front_of_one_point_is_a_sentence(sensors: AppTest) -> None:
    detail(sensors, "Memory and CPU")
    assert "One chain is best in both memory and CPU: " in texts(sensors)
    assert "CPU: chain:" not in texts(sensors)
    assert "comparisons per second of stream" in texts(sensors)


@pytest.mark.parametrize("name", ["Cost by operator", "Why it wins", "All costs", "Formulas"])
def test_other_details_are_shown(sensors: AppTest, name: str) -> None:
    detail(sensors, name)


def test_many_windows_stay_readable(app: AppTest) -> None:
    app.button(key="open-two-hundred-alerts").click().run()
    assert not app.exception
    assert "47 chosen plans, as there are too many to compare" in texts(app)
    chain = chart(to_scale(app), HELD)
    ticks = chain["layout"]["yaxis"]["ticktext"]
    assert len(ticks) == 3 + 40, "five queries each tap in with one of forty windows"
    assert ticks[3] == "R1, R41 and 3 more · 5 s"
    detail(app, "Mergings")
    assert "40 different windows make 820 possible slices" in texts(app)
    assert len(table_with(app, "Slice")) == 10
    detail(app, "Memory and CPU")
    assert "5 chains that no other beats in both, exactly" in texts(app)
    curve = chart(app, "Memory against CPU")
    assert len(series(curve, "Chains that no other beats in both")["x"]) == 5
    app.button_group(key="drawn-as").set_value("Operators").run()
    drawn = plan_canvas(app)
    assert len(drawn["boxes"]) <= MOST_BOXES, "421 operators in folded branches"
    names = {box["name"] for box in drawn["boxes"]}
    assert {"slice [0, 60)", "slices [200, 600)", "queries R1 to R200"} <= names


def test_rows_are_cut_in_their_middle_and_that_is_said(app: AppTest) -> None:
    to_scale(opened(app, joins([joined(n) for n in range(1, 51)])))
    assert "Drawn are the 20 shortest and the 20 longest of 50 windows of queries" in texts(app)
    (picture,) = FAMILY.space(joins([joined(n) for n in range(1, 51)])).pictures("unshared")
    assert len(chain_figures.joins_shown(picture)) == chain_figures.MOST_ROWS


@pytest.mark.parametrize("label", ["unshared", "pull-up", "push-down"])
def test_strategies_are_drawn_too(app: AppTest, label: str) -> None:
    workload = joins(FILTERED)
    app.session_state["plan"] = label
    opened(app, workload)
    to_scale(app)
    assert chart(app, f"{label}: {HELD}")


def test_rows_and_groups(app: AppTest) -> None:
    other = "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.v = B.v"
    to_scale(opened(app, joins([*COUNT_WINDOWS, other])))
    assert "(rows)" in chart(app, HELD)["layout"]["xaxis"]["title"]["text"]
    app.selectbox(key="drawn-group").set_value(1).run()
    assert not app.exception
    assert "(s)" in chart(app, HELD)["layout"]["xaxis"]["title"]["text"]
    for name in ("Mergings", "Memory and CPU", "Cost by operator"):
        detail(app, name)


def test_the_chosen_chain_stands_beside_the_optima() -> None:
    workload = joins(FILTERED)
    ranking = FAMILY.space(workload).rank()
    other = next(c.label for c in ranking.candidates if c.label.startswith("chain") and not c.tags)
    named = chain_view.strategies(ranking, other)
    assert next(iter(named)) == "unshared"
    assert named[other] == other
    assert len(set(named.values())) == len(named)


def test_names_do_not_act_in_figures() -> None:
    workload = joins([joined(2), joined(5)])
    named = replace(workload.queries[0], name="<b>Q")
    (picture,) = FAMILY.space(replace(workload, queries=(named, *workload.queries[1:]))).pictures(
        "mem-opt"
    )
    figure = chain_figures.drawn(picture, "<b>x</b>")
    written = str(figure.to_dict())
    assert "&lt;b>Q" in written
    assert "<b>" not in written


def test_the_trade_off_marks_the_chosen_chain() -> None:
    workload = joins([joined(2), joined(4, "A.v > 60"), joined(9, "A.v > 90")], rates=(40, 40))
    (found,) = FAMILY.space(workload).trade_off()
    figure = optima.trade_off_figure(found, "Comparisons/s", found.labels[0])
    assert "The chosen chain" in [trace.name for trace in figure.data]
    assert found.labels[0] in optima.trade_off_alternative(found, "Comparisons/s")


def test_joins_whose_short_names_are_equal_have_columns_of_their_own() -> None:
    """Push-down's parts may differ in the middle of their names alone, which is cut out."""
    asked = [["A.v > 60", f"B.v <= {most}", "B.u <= 50"] for most in (40, 50)]
    workload = joins(
        [joined(5), *(joined(15, *conditions) for conditions in asked), joined(30, "B.u > 30")]
    )
    (picture,) = chain_view.pictures(workload, "push-down")
    reading = ledger.reading_table(picture).set_index("Query")
    for query in ("Q1", "Q2", "Q3", "Q4"):
        read = [join for join in picture.joins if query in join.queries]
        assert len(read) == sum(cell != "" for cell in reading.loc[query][1:])


def test_queries_whose_short_names_are_equal_have_bars_of_their_own() -> None:
    workload = joins([joined(5), joined(5)])
    long = [f"alerts of the region {side} of the river" for side in ("west", "east")]
    named = [replace(q, name=name) for q, name in zip(workload.queries, long, strict=True)]
    workload = replace(workload, queries=tuple(named))
    plan = FAMILY.space(workload).plan("unshared")
    bars = ledger.of_joins(plan, FAMILY.space(workload).estimate(plan))
    assert sum("slice" in name for name, _ in bars) == 2


def test_chains_whose_short_names_are_equal_have_columns_of_their_own() -> None:
    windows = range(1, 40)
    workload = joins([joined(seconds) for seconds in windows])
    ends = [[0, *(s for s in windows if s != left_out)] for left_out in (18, 20)]
    plans = [FAMILY.space(workload).plan(f"chain:{'-'.join(map(str, chosen))}") for chosen in ends]
    first, second = (
        ComparedPlan(plan.label, plan, FAMILY.space(workload).estimate(plan).costs)
        for plan in plans
    )
    table = difference.whole_table(first, second, ["comparisons"])
    expected = [side.whole("comparisons") for side in (first, second)]
    assert list(table.iloc[0, 1:3]) == pytest.approx(expected)
