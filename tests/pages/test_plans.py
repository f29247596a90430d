"""The plans page: the answer, the ranking, drawings, details, the pinned baseline."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import planning, samples
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, table_with, texts

Go = Callable[[str], AppTest]


def test_the_answer_comes_first(go: Go) -> None:
    app = go("plans")
    assert "S1,S2,S3,S4 wins: 16,000 comparisons/s, 5.4x cheaper than the worst plan" in texts(app)
    assert "Prediction model: paper, Appendix A" in texts(app)


def test_the_ranking_has_the_named_plans(go: Go) -> None:
    table = table_with(go("plans"), "Rank")
    assert table["Plan"].iloc[0] == "S1,S2,S3,S4"
    assert table["Plan"].iloc[-1] == "S4,S3,S2,S1"
    assert table["Comparisons/s"].iloc[-1] == pytest.approx(86850)
    assert table["Against baseline"].iloc[-1] == "▲ 5.4x more"


def test_all_plans_on_demand(go: Go) -> None:
    app = go("plans")
    app.toggle(key="show-all").set_value(True).run()
    assert not app.exception
    assert len(table_with(app, "Rank")) == 48


@pytest.mark.parametrize("drawn", ["Join tree", "Loops"])
def test_the_chosen_plan_is_drawn(go: Go, drawn: str) -> None:
    app = go("plans")
    app.button_group(key="drawn-as").set_value(drawn).run()
    assert not app.exception
    if drawn == "Loops":
        assert any("for each tuple of S2" in shown.value for shown in app.code)
    else:
        assert "S4" in app.get("graphviz_chart")[0].proto.spec


def test_operators_are_drawn_whole_or_one_pipeline_at_a_time(app: AppTest, go: Go) -> None:
    go("plans")
    app.button_group(key="plan-detail").set_value("Operators").run()
    part = app.get("graphviz_chart")[-1].proto.spec
    pipelines = next(group for group in app.button_group if group.label == "Arrivals on")
    assert pipelines.value == "S1"
    pipelines.set_value("All arrivals").run()
    assert not app.exception
    whole = app.get("graphviz_chart")[-1].proto.spec
    assert whole.count("probe") > part.count("probe") > 0


def test_why_tells_the_search(go: Go) -> None:
    app = go("plans")
    app.button_group(key="plan-detail").set_value("Why it wins").run()
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


def test_eight_streams_show_ten_of_40320(app: AppTest) -> None:
    app.button(key="open-eight-way").click().run()
    assert not app.exception
    assert any("40,320" in toggle.label for toggle in app.toggle)
    table = table_with(app, "Rank")
    assert 2 <= len(table) <= planning.FEW + 3
    # The baseline stands behind the best from far below: its rank is not known.
    assert list(table["Rank"].dropna()) == list(range(1, len(table)))
    assert pd.isna(table["Rank"].iloc[-1])
    app.toggle(key="show-all").set_value(True).run()
    assert list(table_with(app, "Rank")["Rank"]) == list(range(1, 40_321))


def test_own_data_are_planned_from_their_statistics(app: AppTest) -> None:
    app.button(key="open-sensors-own-data").click().run()
    assert not app.exception
    assert "comparisons/s" in texts(app)


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
    assert "S1,S2,S3,S4 wins" in texts(app)


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
    assert spark.started == ["S1,S2,S3,S4", "S4,S3,S2,S1"]
    go("run")
    assert "Both plans gave the same 12,345 results" in texts(app)
