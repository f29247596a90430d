"""Changing rates on the plans page: sources, the answer, the table, thresholds, mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.plans import replanning, replanning_figures
from pages.parts.shared import samples
from planner.errors import PlanError
from planner.families.join_order import JoinOrder
from planner.files.rate_files import read_trace
from planner.whatif.rates import RateTrace, burst
from planner.whatif.replanning import replan
from runtime.data.run_data import data_digest
from runtime.runs.history import History
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import all_done, texts

Go = Callable[[str], AppTest]


@pytest.fixture
def opened(app: AppTest, go: Go) -> AppTest:
    """The plans of Table 7 with its details on changing rates."""
    app.button(key="open-golab-table-7").click().run()
    go("plans")
    app.button_group(key="plan-detail").set_value("Changing rates").run()
    assert not app.exception
    return app


def test_the_answer_comes_first_and_follows_the_burst(opened: AppTest) -> None:
    assert "Switching at 500 s and 1,000 s saves" in texts(opened)
    factor = next(box for box in opened.number_input if "Rate during" in box.label)
    factor.set_value(1.0).run()
    assert not opened.exception
    assert "S3,S1,S4,S2 is the best plan throughout" in texts(opened)


def test_another_threshold_is_another_answer(opened: AppTest) -> None:
    assert "a threshold of 20% re-plans twice and costs as little" in texts(opened)
    opened.select_slider(key="threshold").set_value(19.0).run()
    assert not opened.exception
    assert "a threshold of 1900% never re-plans and costs" in texts(opened)
    tables = {element.value.columns[0]: element.value for element in opened.dataframe}
    assert tables["Threshold"].set_index("Threshold").loc["1900%", "Re-plannings"] == 0
    costs = tables["Policy"].set_index("Policy")["Compared with always best"]
    assert costs["Always the best plan"] == "the same"
    assert costs["Re-plan beyond 1900%"] == costs["Stay with the first plan"]


def test_a_day_has_its_night(opened: AppTest) -> None:
    opened.button_group(key="rates-from").set_value("Day and night").run()
    assert not opened.exception
    assert "times (first at" in texts(opened)


def test_a_file_waits_until_it_is_there(opened: AppTest) -> None:
    opened.button_group(key="rates-from").set_value("A file").run()
    assert not opened.exception
    assert "The last row may have only a time" in texts(opened)
    assert "Switching" not in texts(opened)
    content = (samples.FOLDER / "rates-table-7.csv").read_bytes()
    opened.file_uploader(key="rates-file").upload("rates.csv", content, "text/csv").run()
    assert not opened.exception
    assert "Switching 4 times (first at 1,200 s) saves 2.4x" in texts(opened)


def test_a_bad_file_is_told_its_place(opened: AppTest) -> None:
    opened.button_group(key="rates-from").set_value("A file").run()
    opened.file_uploader(key="rates-file").upload(
        "r.csv", b"time,S1\n0,1\n5,-2\n", "text/csv"
    ).run()
    assert not opened.exception
    assert "r.csv: row 2, column S1**: must be a rate from 0" in texts(opened)


def test_a_table_is_read_as_a_file_is() -> None:
    workload = next(s for s in samples.every() if s.id == "golab-table-7").workload
    nothing = float("nan")
    rows = [(0, 11), (900, nothing), (nothing, nothing), (300, 5.5)]
    table = pd.DataFrame(rows, columns=["time", "S1"], index=[0, 1, 2, 7])
    trace = replanning.from_table(table, workload)
    assert (trace.times, trace.end) == ((0, 300), 900), "an added row falls into its place"
    assert trace.rates == ((11, 10, 1, 1), (5.5, 10, 1, 1))
    table.loc[9] = (500, nothing)
    with pytest.raises(PlanError, match="the table: row 3, column S1: is empty"):
        replanning.from_table(table, workload)
    table.loc[9] = (nothing, 4)
    with pytest.raises(PlanError, match="the table: a row has no time"):
        replanning.from_table(table, workload)


def test_own_data_give_their_rates(app: AppTest) -> None:
    app.button(key="open-sensors-own-data").click().run()
    app.button_group(key="plan-detail").set_value("Changing rates").run()
    app.button_group(key="rates-from").set_value("Own data").run()
    assert not app.exception
    assert "best plan throughout" in texts(app) or "Switching" in texts(app)


def test_a_run_gives_its_rates(opened: AppTest, spark: FakeSpark, go: Go) -> None:
    assert spark.gate.is_set()
    next(b for b in opened.button if b.label.startswith("Run best and")).click().run()
    all_done()
    history = History()
    for run in history.runs():
        history.save(replace(run, data_digest=data_digest(run.workload, None)))
    go("plans")
    opened.button_group(key="plan-detail").set_value("Changing rates").run()
    opened.button_group(key="rates-from").set_value("A run").run()
    assert not opened.exception
    assert "best plan throughout" in texts(opened) or "Switching" in texts(opened)
    for run in history.runs():
        history.save(replace(run, data_digest="other"))
    next(box for box in opened.number_input if "Interval" in box.label).set_value(500.0).run()
    assert "its data have changed since" in texts(opened)


def test_hostile_names_are_shown_as_text(app: AppTest, go: Go) -> None:
    import json

    from planner.files.workload_file import load_workload
    from tests.pages.test_plans import HOSTILE

    quoted = HOSTILE.replace('"', '""')
    stream = {"rate": 3, "attributes": {"k": {"distinct": 5}}}
    text = f'SELECT * FROM "{quoted}" [RANGE 9] x, B [RANGE 9] WHERE x.k = B.k'
    parts = {
        "version": 1,
        "streams": [{"name": HOSTILE, **stream}, {"name": "B", **stream}],
        "queries": [{"name": "Q", "text": text}],
    }
    app.session_state["workload"] = load_workload(json.dumps(parts))
    go("plans")
    app.button_group(key="plan-detail").set_value("Changing rates").run()
    assert not app.exception
    assert not any("![x]" in element.value for element in app.markdown)


def test_figures_show_every_interval_and_plan() -> None:
    workload = next(s for s in samples.every() if s.id == "golab-table-7").workload
    trace = read_trace((samples.FOLDER / "rates-table-7.csv").read_bytes(), "f")
    found = replan(workload, trace, JoinOrder(), 0.5)
    rates = replanning_figures.rates(found.trace)
    assert [line.name for line in rates.data] == ["S1", "S2", "S3", "S4"]
    assert list(rates.data[2].y) == [1, 1.3, 10, 9, 1, 1, 1], "the last value holds to the end"
    shown = replanning_figures.plans(found)
    bands = {(bar.name, row) for bar in shown.data for row in bar.y}
    assert ("S4,S1,S2,S3", "Always best") in bands
    assert ("S3,S1,S4,S2", "Stay") in bands
    lengths = [x for bar in shown.data for x in bar.x]
    assert sum(lengths) == pytest.approx(3 * 7200), "three policies, each over the whole trace"
    costs = replanning_figures.costs(found, "comparisons")
    assert [len(line.y) for line in costs.data] == [7, 7, 7]
    assert costs.layout.yaxis.type == "log"
    swept = replanning_figures.thresholds(found).data[0]
    assert "50% to 400%" in swept.text
    silent = replan(workload, RateTrace(("S1",), (0, 500), ((0,), (5,)), 900), JoinOrder())
    assert replanning_figures.rates(silent.trace).layout.yaxis.type is None, "no log of 0"


def test_general_plans_have_unique_names_in_the_bands() -> None:
    long = [f"general:S1=S1,S2;S2={order}" for order in ("S1,S2", "S2,S1")]
    named = replanning_figures._names(["S1,S2", *long])
    assert list(named.values()) == [
        "S1,S2",
        "general, an order per stream",
        "general, an order per stream (2)",
    ]


def test_a_burst_may_be_a_silence_but_not_too_much() -> None:
    workload = next(s for s in samples.every() if s.id == "golab-table-5").workload
    assert burst(workload, "S1", 0.0).rates[1][0] == 0
    with pytest.raises(PlanError, match="row 2, column S1: must be a rate"):
        burst(workload, "S1", 1e9)
