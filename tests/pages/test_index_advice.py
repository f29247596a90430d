"""Index advice among the details of a plan: the answer, the picture, and using it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.families.join_order import index_advice
from pages.parts.shared import samples
from planner.families.join_order import JoinOrder
from planner.families.join_order.titles import title
from planner.families.registry import plan_title
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload
from tests.pages.helpers import labelled, table_with, texts

Go = Callable[[str], AppTest]


@pytest.fixture
def advised(go: Go) -> AppTest:
    """The advice for the sample that is open at first: Table 5."""
    app = go("plans")
    app.button_group(key="plan-detail").set_value("Index advice").run()
    assert not app.exception
    return app


def in_force(app: AppTest) -> Workload:
    workload: Workload = app.session_state["workload"]
    return workload


def test_the_answer_is_the_planners(advised: AppTest) -> None:
    advice = JoinOrder().space(in_force(advised)).advise(40)
    assert advice.answer() in texts(advised)
    assert "Exact: no other split" in texts(advised)
    assert f"Best plan with these indexes: {plan_title('join_order', advice.plan)}." in texts(
        advised
    )
    table = table_with(advised, "Access")
    assert list(table["Window"]) == ["S1", "S2", "S3", "S4"]
    assert "Takes" not in table, "each window has one index"
    assert list(table["Per bucket"]) == pytest.approx(
        [window.saves_per_bucket for window in advice.windows], abs=0.5
    )
    assert sum("saves most" in access for access in table["Access"]) == 1


def test_another_budget_is_another_answer(advised: AppTest) -> None:
    advised.number_input(key="advice-budget").set_value(3).run()
    assert not advised.exception
    assert JoinOrder().space(in_force(advised)).advise(3).answer() in texts(advised)
    assert "scan" in list(table_with(advised, "Access")["Access"])
    advised.toggle(key="advice-upkeep").set_value(True).run()
    assert "fewer operations than without indexes" in texts(advised)


def test_the_advised_indexes_can_be_put_to_use(advised: AppTest) -> None:
    advice = JoinOrder().space(in_force(advised)).advise(40)
    advised.button(key="use-advice").click().run()
    assert not advised.exception
    workload = in_force(advised)
    assert (workload.execution.join, workload.execution.buckets) == (advice.join, advice.buckets)
    assert f"{title(advice.plan)} wins" in texts(advised), "the page plans with them"
    assert advised.session_state["plan"] == advice.plan
    assert advised.button(key="use-advice").disabled
    assert advised.button(key="use-advice").label == "These indexes are in use"


def test_a_draft_with_a_mistake_is_not_lost(app: AppTest, go: Go) -> None:
    go("workload")
    wrong = "SELECT * FROM S1 [RANGE fifty]"
    labelled(app.text_area, "Q1").set_value(wrong).run()
    go("plans")
    app.button_group(key="plan-detail").set_value("Index advice").run()
    app.button(key="use-advice").click().run()
    assert not app.exception
    assert in_force(app).execution.join == "hash"
    go("workload")
    assert labelled(app.text_area, "Q1").value == wrong


def test_no_index_is_said_too(advised: AppTest) -> None:
    advised.number_input(key="advice-budget").set_value(1).run()
    assert not advised.exception
    assert "Index nothing: a budget of 1 saves no comparisons." in texts(advised)


def test_a_window_without_equality_is_told() -> None:
    parts = {
        "version": 1,
        "streams": [
            {"name": name, "rate": 2, "attributes": {"k": {"distinct": 9}, "x": {"distinct": 9}}}
            for name in "ABC"
        ],
        "queries": [
            {
                "text": "SELECT * FROM A [RANGE 9], B [RANGE 9], C [RANGE 9] "
                "WHERE A.k = B.k AND B.x < C.x"
            }
        ],
    }
    advice = JoinOrder().space(load_workload(json.dumps(parts))).advise(20)
    told = [index_advice._access(window, advice) for window in advice.windows]
    assert told[2] == "scan (no equality)"
    assert advice.windows[0].buckets > 1


def test_the_picture_shows_three_uses_of_a_budget() -> None:
    workload = next(s.workload for s in samples.every() if "Table 5" in s.workload.name)
    advice = JoinOrder().space(workload).advise(40)
    figure = index_advice.cost_by_budget(advice)
    assert [trace.name for trace in figure.data] == ["Advised", "Equal split", "No index"]
    assert figure.data[0].y[-1] == advice.cost
    assert set(figure.data[2].y) == {advice.none.cost}
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == (
        "Budget (buckets over all windows)",
        "Comparisons/s (stream time)",
    )
