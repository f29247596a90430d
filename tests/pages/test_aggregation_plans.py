"""The plans page of an aggregation: pictures side by side, rules and sets, kinds of work."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.families.early_aggregation import gallery
from planner.families.early_aggregation import EarlyAggregation
from planner.workload.workload import Workload
from tests.pages.helpers import chart, series, table_with, texts
from tests.planner.aggregations import AGGREGATION_SAMPLES, aggregation

FAMILY = EarlyAggregation()


@pytest.fixture
def packets(app: AppTest) -> AppTest:
    """The plans of the sample with packets of two links."""
    app.button(key="open-network-packets").click().run()
    assert not app.exception
    return app


def many_sources(count: int) -> Workload:
    """A join of so many streams, with as many digits in its labels."""
    names = [f"S{place}" for place in range(count)]
    streams = {name: (1.0, {"j": 5, "g": 4}) for name in names}
    joined = " AND ".join(f"S0.j = {name}.j" for name in names[1:])
    sources = ", ".join(f"{name} [RANGE 5]" for name in names)
    text = f"SELECT S0.g, COUNT(*) FROM {sources} WHERE {joined} GROUP BY S0.g"
    return aggregation(text, None, streams, {})


def pictures(app: AppTest) -> list[str]:
    """The pictures of the gallery: not the operators of the chosen plan."""
    drawn = [chart.proto.spec for chart in app.get("graphviz_chart")]
    return [spec for spec in drawn if "arrive" not in spec]


def test_all_four_plans_stand_side_by_side(packets: AppTest) -> None:
    drawn = pictures(packets)
    assert [text.count("count(*)") for text in drawn] == [3, 2, 2, 1]
    assert "These are all 4 plans" in texts(packets)
    assert "Aggregate c and b before the join wins: 19,600 operations per second" in texts(packets)
    assert "c and b each have 9,730 groups in a window of 36,000" in texts(packets)
    assert {badge for badge in ("best", "baseline", "worst") if badge in texts(packets)} == {
        "best",
        "baseline",
        "worst",
    }


def test_a_picture_chooses_its_plan_and_the_table_another(packets: AppTest) -> None:
    packets.button(key="choose-EAP-10").click().run()
    assert not packets.exception
    assert packets.session_state["plan"] == "EAP-10"
    assert packets.button(key="choose-EAP-10").disabled
    assert not packets.button(key="choose-EAP-11").disabled
    packets.button(key="choose-LAP").click().run()
    assert packets.session_state["plan"] == "LAP"


def test_the_ranking_shows_the_score_it_ranks_by(packets: AppTest) -> None:
    table = table_with(packets, "Rank")
    assert list(table["Operations/s"]) == sorted(table["Operations/s"])
    assert table["Operations/s"].iloc[0] == pytest.approx(19_552, abs=1)
    packets.button_group(key="plan-detail").set_value("All costs").run()
    costs = table_with(packets, "Comparisons/s")
    assert costs["Comparisons/s"].iloc[0] < table["Operations/s"].iloc[0]


def test_kinds_of_work_are_stacked_over_plans_and_operators(packets: AppTest) -> None:
    packets.button_group(key="plan-detail").set_value("Work by kind").run()
    plans = chart(packets, "Operations by kind of work")
    assert "operations/s" in plans["alt"]
    packets.button_group(key="plan-detail").set_value("Cost by operator").run()
    operators = chart(packets, "Operations by kind of work")
    kinds = ["Probes", "Updates of sets", "Updates of the answer", "Inserts"]
    assert [bar["name"] for bar in plans["data"] if bar["type"] == "bar"] == kinds
    assert series(plans, "Probes")["y"] == ["EAP-11", "EAP-01", "EAP-10", "LAP"]
    assert "late aggregation" in series(operators, "Probes")["y"]


def test_rules_and_sizes_of_every_source(packets: AppTest) -> None:
    packets.button_group(key="plan-detail").set_value("Early aggregations").run()
    assert not packets.exception
    table = table_with(packets, "Groups by")
    assert list(table["Source"]) == ["c", "b"]
    assert table["Groups by"].iloc[1] == "b.source, b.destination, b.id"
    assert list(table["Tuples in window"]) == [36_000, 36_000]
    assert list(table["Entries expected"]) == [9_727, 9_727]
    assert list(table["Entries at most (paper)"]) == [10_000, 10_000]
    assert "Rule 1: c.source of GROUP BY also joins c" in texts(packets)
    assert "Rule 2: b has no aggregated attribute" in texts(packets)


@pytest.mark.parametrize("detail", ["Why it wins", "Cost by operator"])
def test_other_details_follow_the_chosen_plan(packets: AppTest, detail: str) -> None:
    packets.button_group(key="plan-detail").set_value(detail).run()
    assert not packets.exception


def test_formulas_name_the_letters_of_this_paper(packets: AppTest) -> None:
    packets.button_group(key="plan-detail").set_value("Formulas").run()
    assert not packets.exception
    assert "After Tran & Lee 2007" in texts(packets)
    assert "Golab" not in texts(packets)


def test_the_difference_to_lap_begins_with_the_score(packets: AppTest) -> None:
    packets.button_group(key="plan-detail").set_value("Difference to baseline").run()
    table = table_with(packets, "Kind of work")
    assert table["Kind of work"].iloc[0] == "Operations/s"
    assert table["In words"].iloc[0] == "▼ 3.7x less"


def test_plans_that_are_left_out_are_told_with_the_reason(app: AppTest) -> None:
    app.session_state["workload"] = AGGREGATION_SAMPLES["distinct"]
    app.switch_page("pages/plans.py").run()
    assert "There is no other plan." in texts(app)
    assert "3 plans are left out: " in texts(app)
    assert "does not follow from those of its parts" in texts(app)


def test_of_many_plans_the_instructive_ones_are_drawn(app: AppTest) -> None:
    app.session_state["workload"] = many_sources(5)
    app.switch_page("pages/plans.py").run()
    assert not app.exception
    assert len(pictures(app)) == gallery.MOST_PICTURES
    assert "of 32 plans" in texts(app)
    assert any("All 32" in toggle.label for toggle in app.toggle)


def test_the_chosen_plan_is_always_drawn() -> None:
    ranking = FAMILY.space(many_sources(5)).rank()
    middle = ranking.candidates[20].label
    drawn = [candidate.label for candidate in gallery.instructive(ranking, middle)]
    assert len(drawn) == gallery.MOST_PICTURES
    assert {middle, "LAP", ranking.best, ranking.candidates[-1].label} <= set(drawn)
    assert drawn == [c.label for c in ranking.candidates if c.label in drawn]


def test_the_worst_is_named_where_it_is_known() -> None:
    workload = many_sources(5)
    every, few = (FAMILY.space(workload).rank(top=top) for top in (None, 10))
    assert "LAP and the worst" in gallery.how_many(every, gallery.instructive(every, "LAP"))
    best = replace(few, candidates=tuple(c for c in few.candidates if "worst" not in c.tags))
    assert "the best ones and LAP" in gallery.how_many(best, gallery.instructive(best, "LAP"))


@pytest.mark.parametrize("name", ["one source", "distinct", "tumbling", "relation", "self-join"])
def test_plans_of_every_kind_of_aggregation_are_shown(app: AppTest, name: str) -> None:
    workload = AGGREGATION_SAMPLES[name]
    app.session_state["workload"] = workload
    app.switch_page("pages/plans.py").run()
    assert not app.exception
    assert len(pictures(app)) == FAMILY.space(workload).rank().considered
