"""The plans page: the answer, the ranking, drawings, details, the pinned baseline."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.plans import landscape
from pages.parts.shared import samples
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, loops, plan_canvas, table_with, texts

Go = Callable[[str], AppTest]

ORDER = "S1 first, then S2, S3, S4"


def drawn_landscape(app: AppTest) -> dict[str, Any]:
    """What the browser draws as the landscape."""
    (found,) = [
        own for own in app.get("bidi_component") if own.proto.component_name == "sluice-landscape"
    ]
    return json.loads(found.proto.json)


def test_the_answer_comes_first(go: Go) -> None:
    app = go("plans")
    assert f"{ORDER} wins: 16,000 comparisons per second of stream, 142x cheaper" in texts(app)


def test_the_ranking_has_the_named_plans(go: Go) -> None:
    table = table_with(go("plans"), "Rank")
    assert table["Label"].iloc[0] == "S1,S2,S3,S4"
    assert table["Known as"].iloc[1] == "runner-up"
    assert table["Label"].iloc[-1] == "naive:S4,S3,S2,S1"
    assert table["Known as"].iloc[-1] == "worst"
    assert table["Comparisons/s"].iloc[-1] == pytest.approx(2_269_650)
    assert table["Against baseline"].iloc[-1] == "▲ 142x more"


def test_all_plans_and_all_costs_on_demand(go: Go) -> None:
    app = go("plans")
    app.toggle(key="show-all").set_value(True).run()
    assert not app.exception
    assert len(table_with(app, "Rank")) == 48
    app.button_group(key="plan-detail").set_value("All costs").run()
    assert len(table_with(app, "Inserts/s")) == 48


@pytest.mark.parametrize("drawn", ["Join tree", "Loops"])
def test_the_chosen_plan_is_drawn(go: Go, drawn: str) -> None:
    app = go("plans")
    app.button_group(key="drawn-as").set_value(drawn).run()
    assert not app.exception
    if drawn == "Loops":
        assert any("for each tuple of S2" in line for line in loops(app))
    else:
        (tree,) = app.get("graphviz_chart")
        assert "S4" in tree.proto.spec


def test_the_canvas_shows_the_operators_and_folds_their_branches(app: AppTest, go: Go) -> None:
    go("plans")
    drawn = plan_canvas(app)
    assert {"stream S1", "S1 arrives", "output Q1"} <= {box["name"] for box in drawn["boxes"]}
    assert drawn["dearest"][0]["name"] == "S4 probes S1"
    assert "probe origin=S1" in drawn["text"], "the plan in words"
    state = {"opened": {"plan": drawn["plan"], "branches": [*drawn["every"], "<b>"]}}
    app.session_state["canvas-chosen"] = state
    app.run()
    assert not app.exception
    boxes = plan_canvas(app)["boxes"]
    assert len(boxes) == 25
    assert len([box for box in boxes if box["kind"] == "probe"]) == 12


def test_why_it_wins_is_said_in_causes_and_by_operator(go: Go) -> None:
    app = go("plans")
    app.button_group(key="plan-detail").set_value("Why it wins").run()
    assert not app.exception
    assert "S1 and S2 are joined first: no pair is more selective, with 200 results" in texts(app)
    rival = "S1 first, then S2, S4, S3"
    assert f"The next different plan is “{rival}”: 16,400 comparisons per second" in texts(app)
    app.toggle(key="beside-rival").set_value(True).run()
    compared = table_with(app, "Kind of work")
    assert compared["Kind of work"].iloc[0] == "Comparisons/s"
    assert any(rival in head for head in compared)


def test_why_tells_the_search(go: Go) -> None:
    app = go("plans")
    app.button_group(key="plan-detail").set_value("How it was searched").run()
    assert not app.exception
    steps = table_with(app, "Step")
    assert steps["Order"].iloc[-1] == "S1,S2,S3,S4"
    assert "The exact search over all 24 orders finds none cheaper." in texts(app)


def test_formulas_show_symbols_and_values(go: Go) -> None:
    app = go("plans")
    app.button_group(key="plan-detail").set_value("Formulas").run()
    assert not app.exception
    assert any(r"\lambda" in formula.value for formula in app.latex)
    assert any("3{,}000" in formula.value for formula in app.latex)


def test_a_pinned_baseline_is_compared_with(app: AppTest, go: Go) -> None:
    app.session_state["plan"] = "S4,S3,S2,S1"
    go("plans")
    next(b for b in app.button if b.label == "Pin as baseline").click().run()
    assert not app.exception
    table = table_with(app, "Rank")
    assert table["Against baseline"].iloc[0] == "▼ 5.4x less"
    assert any(b.label == "Run best and baseline on Spark" for b in app.button)
    next(b for b in app.button if b.label == "Unpin").click().run()
    assert table_with(app, "Rank")["Against baseline"].iloc[0] == "= baseline"


def test_the_landscape_of_eight_streams_is_thin_and_whole(app: AppTest) -> None:
    app.button(key="open-eight-way").click().run()
    assert not app.exception
    table = table_with(app, "Rank")
    assert list(table["Rank"])[:2] == [1, 2]
    assert list(table["Rank"])[-1] == 40_320
    drawn = drawn_landscape(app)
    assert landscape.MOST_POINTS / 2 < len(drawn["points"]) < 1.2 * landscape.MOST_POINTS
    assert drawn["points"][-1]["rank"] == 40_320
    marked = {mark for point in drawn["points"] for mark in point.get("marks", ())}
    assert {"best", "both heuristics", "baseline", "worst"} <= marked
    assert "All 40,320 plans" in texts(app)
    ties = next(toggle for toggle in app.toggle if "within 1%" in toggle.label)
    ties.set_value(True).run()
    assert len(table_with(app, "Rank")) == len(table) + int(ties.label.split()[0])
    # A plan in the middle of the curve, as a click on it chooses it.
    app.session_state["plan"] = drawn["points"][300]["label"]
    app.run()
    assert drawn["points"][300]["rank"] in list(table_with(app, "Rank")["Rank"])
    app.toggle(key="show-all").set_value(True).run()
    assert list(table_with(app, "Rank")["Rank"]) == list(range(1, 40_321))


def test_what_was_measured_is_beside_what_was_predicted(spark: FakeSpark, go: Go) -> None:
    app = go("plans")
    assert "Measured" not in table_with(app, "Rank")
    spark.gate.set()
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    go("plans")
    table = table_with(app, "Rank").set_index("Label")
    assert table["Measured"]["S1,S2,S3,S4"] == pytest.approx(14_400)
    assert table["Measured"].isna().any(), "not all plans were run"
    points = {point["label"]: point for point in drawn_landscape(app)["points"]}
    assert points["S1,S2,S3,S4"]["measured"]["score"] == "14,400 comparisons/s"


def test_own_data_are_planned_from_their_statistics(app: AppTest) -> None:
    app.button(key="open-sensors-own-data").click().run()
    assert not app.exception
    assert "comparisons per second of stream" in texts(app)


def test_what_is_not_covered_is_said(app: AppTest, go: Go) -> None:
    from planner.files.workload_file import load_workload

    text = (samples.FOLDER / "golab-table-5.yaml").read_text()
    app.session_state["workload"] = load_workload(text.replace("[RANGE 200]", "[TUMBLING 200]"))
    go("plans")
    assert "TUMBLING" in texts(app)


def test_a_lazy_join_is_planned_with_all_its_algorithms(app: AppTest, go: Go) -> None:
    from planner.files.workload_file import load_workload

    text = (samples.FOLDER / "golab-table-5.yaml").read_text()
    lazy = text.replace("execution: {join: nested}", "execution: {evaluate: {every: 5}}")
    app.session_state["workload"] = load_workload(lazy)
    go("plans")
    assert not app.exception
    assert f"{ORDER} wins" in texts(app)


HOSTILE = '<script>alert(1)</script> ![x](http://x) :red[x] $y$ "];node['


def test_hostile_names_are_shown_as_text(app: AppTest, go: Go) -> None:
    import json

    from planner.files.workload_file import load_workload

    quoted = HOSTILE.replace('"', '""')
    parts = {
        "version": 1,
        "name": HOSTILE,
        "streams": [
            {"name": HOSTILE, "rate": 3, "attributes": {"k": {"distinct": 5}}},
            {"name": "B", "rate": 2, "attributes": {"k": {"distinct": 5}}},
        ],
        "queries": [
            {
                "name": HOSTILE,
                "text": f'SELECT * FROM "{quoted}" [RANGE 9] x, B [RANGE 9] WHERE x.k = B.k',
            }
        ],
    }
    app.session_state["workload"] = load_workload(json.dumps(parts))
    for page in ("plans", "workload", "run", "results"):
        go(page)
        for element in app.markdown:
            assert not element.allow_html or HOSTILE not in element.value
            assert "![x]" not in element.value
            assert "<script>" not in element.value


def test_run_starts_best_and_worst_and_leads_to_results(spark: FakeSpark, go: Go) -> None:
    app = go("plans")
    spark.gate.clear()
    next(b for b in app.button if b.label == "Run best and worst on Spark").click().run()
    assert not app.exception
    spark.gate.set()
    all_done()
    assert spark.started == ["S1,S2,S3,S4", "naive:S4,S3,S2,S1"]
    go("run")
    assert "Both plans gave the same 12,345 results" in texts(app)
