"""One switch, Work | Time | Memory, on Plans, What-if, Run and Results: all on them follows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import samples
from planner.families.registry import family
from planner.plan.by_operator import CPU, by_operator
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import (
    all_done,
    charts,
    labelled,
    loops,
    plan_canvas,
    section,
    table_with,
    texts,
)

Go = Callable[[str], AppTest]
HEADS = {"Work": "Comparisons/s", "Time": "CPU µs/s", "Memory": "Tuples held"}


def switched(app: AppTest, kind: str) -> AppTest:
    labelled(app.button_group, "Best by").set_value(kind).run()
    assert not app.exception
    return app


@pytest.fixture
def lazy(session: AppTest) -> AppTest:
    """A workload whose winner by work is not the one by time."""
    session.query_params["sample"] = "lazy-join"
    return session


def detail(app: AppTest, name: str) -> AppTest:
    app.button_group(key="plan-detail").set_value(name).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.usefixtures("lazy")
def test_bars_and_formulas_of_plans_follow(go: Go, kind: str) -> None:
    app = switched(go("plans"), kind)
    (bars,) = charts(detail(app, "Cost by operator"))
    assert bars.startswith(f"{HEADS[kind]} by operator")
    detail(app, "Difference to baseline")
    if kind == "Time":
        # The baseline, in the order as written, is the fastest.
        assert "This plan is the baseline" in texts(app)
    # A choice under one objective is none under another.
    detail(app, "Cost by operator")
    labelled(app.button_group, "Kind of work").set_value("inserts").run()
    other = "Memory" if kind != "Memory" else "Time"
    (bars,) = charts(switched(app, other))
    assert bars.startswith(f"{HEADS[other]} by operator")


def test_the_bars_of_time_add_up_to_the_plan_s_time() -> None:
    found = samples.find("lazy-join")
    assert found is not None
    space = family("join_order").space(found.workload)
    plan, time = space.best(), space.objective("seconds")
    estimate = space.estimate(plan)
    spent = by_operator(plan, estimate.costs, CPU, time)
    assert sum(spent.values()) == pytest.approx(1e6 * (time.of(plan, estimate) or 0.0))
    # Time cannot be split where only some operators were counted.
    some = dict(list(estimate.costs.items())[:3])
    assert by_operator(plan, some, CPU, time) == {}


@pytest.mark.parametrize(
    ("kind", "unit"), [("Work", "comparisons per second"), ("Time", "CPU"), ("Memory", "tuples in")]
)
@pytest.mark.usefixtures("lazy")
def test_loops_and_the_canvas_follow(go: Go, kind: str, unit: str) -> None:
    app = switched(go("plans"), kind)
    drawn = plan_canvas(app)
    shares = {one["name"]: one["share"] for one in drawn["dearest"]}
    assert shares
    app.button_group(key="drawn-as").set_value("Loops").run()
    assert f"In brackets: {unit}" in texts(app)
    mark = {"Work": "/s]", "Time": "s]", "Memory": " held]"}[kind]
    costly = [line for line in loops(app) if "for each tuple" in line and "[" in line]
    assert costly
    assert all(line.endswith(mark) for line in costly)
    assert (kind == "Time") == any("µs]" in line or "ns]" in line for line in costly)


@pytest.mark.usefixtures("lazy")
def test_the_verdict_and_its_causes_follow(go: Go) -> None:
    app = detail(go("plans"), "Why it wins")
    assert "An order of its own for each stream wins: 4,560 comparisons" in texts(app)
    assert "needs more comparisons per second of stream for" in texts(app)
    switched(app, "Time")
    assert "S1 first, then S2, S3, S4 wins: 12 µs of CPU per second of stream" in texts(app)
    assert "It needs more CPU for" in texts(app)
    switched(app, "Memory")
    assert "All plans come to the same: 2,640 tuples held" in texts(app)
    assert "wins" not in texts(app).replace("Why it wins", "")


@pytest.mark.usefixtures("lazy")
def test_run_and_what_if_follow(go: Go) -> None:
    app = go("run")
    by_work = labelled(app.multiselect, "Plans").value
    switched(app, "Time")
    by_time = labelled(app.multiselect, "Plans").value
    assert by_time[0] == "S1,S2,S3,S4" != by_work[0]
    assert "S1 first, then S2, S3, S4 wins: 12 µs of CPU" in texts(go("whatif"))
    switched(app, "Work")
    assert "An order of its own for each stream wins" in texts(app)


@pytest.mark.usefixtures("lazy")
def test_the_bars_of_results_follow(spark: FakeSpark, go: Go) -> None:
    app = go("plans")
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    assert len(spark.started) == 2
    section(go("results"), "By operator")
    for kind, head in HEADS.items():
        switched(app, kind)
        (bars,) = charts(app)
        assert bars.startswith(f"{head} of ")
        said = "Measured: the work that was counted, at this machine's unit costs" in texts(app)
        assert said == (kind == "Time")
    section(app, "Difference")
    assert table_with(app, "Kind of work")["Kind of work"].iloc[0] == HEADS["Memory"]
