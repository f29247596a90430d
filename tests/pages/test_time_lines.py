"""A run over time: what was seen beside what was declared, as figures and in words."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pages.parts.time_lines import adaptive_figure, adaptive_view, plans_figure, statistics_figure
from planner.adapt.spans import plan_spans
from planner.adapt.switches import OutOfReach, Switch
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.statistics.observed import BatchStatistics, KeyStatistics, Likely, StreamStatistics
from planner.statistics.observed_series import (
    BURSTS,
    DISTINCT,
    FILTERS,
    PAIRS,
    RATES,
    SKEW,
    series_of,
    summary,
)
from planner.workload.adapt import Adapt
from runtime.backends.kernels.hindsight import Graded, Hindsight

WORKLOAD = load_workload("""
version: 1
name: two
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 100}, v: {distinct: 10}}}
  - {name: B, rate: 20, attributes: {k: {distinct: 50}}}
queries:
  - {name: Q, text: "SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k AND A.v > 5"}
""")


def _batch(number: int, rate: float) -> BatchStatistics:
    keys = KeyStatistics(Likely(100, 99, 101), Likely(0, 0, 0.2), Likely(0.01, 0, 0.02))
    unsure = replace(keys, distinct=Likely(80, 60, None))
    streams = {
        "A": StreamStatistics(50, Likely(rate, rate - 2, rate + 2), Likely(1, 1, 1.1), {"k": keys}),
        "B": StreamStatistics(90, Likely(19, 17, 21), Likely(1, 1, 1.1), {"k": unsure}),
    }
    passed = {"A.v > 5": Likely(0.5, 0.45, 0.55)} if number else {}
    pairs = {"A.k = B.k": Likely(0.0101, 0.009, 0.0111)}
    return BatchStatistics(number, number * 5, number * 5 + 5, streams, pairs, passed)


OBSERVED = (_batch(0, 10), _batch(1, 80))


def test_every_statistic_is_a_series() -> None:
    series = series_of(OBSERVED, WORKLOAD)
    assert list(series) == [RATES, BURSTS, DISTINCT, SKEW, PAIRS, FILTERS]
    assert {one.name: one.declared for one in series[DISTINCT]} == {"A.k": 100, "B.k": 50}
    (pair,), (passed,) = series[PAIRS], series[FILTERS]
    assert (pair.declared, pair.differs) == (0.01, False)
    # Filters are counted after the warm-up only.
    assert passed.seen[0] is None
    assert passed.declared == pytest.approx(0.5)


def test_what_is_not_as_declared_is_said() -> None:
    series = series_of(OBSERVED, WORKLOAD)
    assert summary(series) == (
        "Last seen otherwise than declared: the rate of A is 80 (10 declared); "
        "the distinct values of B.k are 80 (50 declared)."
    )
    as_declared = series_of(OBSERVED[:1], replace(WORKLOAD, streams=WORKLOAD.streams))
    assert "the rate of A" not in summary(as_declared)


@pytest.mark.parametrize("name", [RATES, DISTINCT, FILTERS])
def test_a_figure_has_what_was_seen_and_what_was_declared(name: str) -> None:
    series = series_of(OBSERVED, WORKLOAD)[name]
    figure = statistics_figure.statistic(OBSERVED, name, series)
    lines = [trace for trace in figure.data if trace.showlegend is None]
    dashed = [trace for trace in figure.data if trace.line.dash == "dash"]
    assert [line.name for line in lines] == [one.name for one in series]
    assert [line.y[0] for line in dashed] == [one.declared for one in series]
    if name == RATES:
        assert list(lines[0].y) == [10, 10, 80, 80]
        assert list(lines[0].x) == [0, 5, 5, 10]
    text = statistics_figure.alternative(name, series)
    assert text.startswith(f"{name} over time")
    assert f"{series[0].name} from" in text


FOUND = Hindsight(
    ends=(10.0, 20.0, 40.0),
    adaptive=np.array([100.0, 310.0, 400.0]),
    static={
        "A,B": np.array([100.0, 900.0, 400.0]),
        "B,A": np.array([300.0, 300.0, 1200.0]),
        "B,C": np.array([500.0, 900.0, 1600.0]),
    },
    switches=(Switch(10_000_000, 1, "A,B", "B,A", "it costs less", 60.0, 10.0),),
)


# What is drawn of a run that adapts, without its tuples.
ADAPTED: Any = SimpleNamespace(
    id="adapted",
    workload=replace(WORKLOAD, run=replace(WORKLOAD.run, adapt=Adapt())),
    plan=SimpleNamespace(family="join_order", label="A,B"),
    switches=FOUND.switches,
    out_of_reach=(OutOfReach(5_000_000, "C,B", "another kernel runs it"),),
    status="finished",
    measurement=None,
)


def test_what_adapting_saved_is_drawn() -> None:
    lines = adaptive_figure.lines_of(FOUND, str)
    assert list(lines) == [
        adaptive_figure.ADAPTIVE,
        "Best plan that stays: A,B",
        "Worst plan that stays: B,C",
        adaptive_figure.LEAST,
    ]
    # Per second: the last batch is twice as long.
    assert lines[adaptive_figure.ADAPTIVE].tolist() == [10, 31, 20]
    assert lines[adaptive_figure.LEAST].tolist() == [10, 30, 20]
    drawn = adaptive_figure.work(FOUND, str)
    assert [trace.name for trace in drawn.data] == list(lines)
    assert list(drawn.data[0].x) == [0, 10, 10, 20, 20, 40]
    assert list(drawn.data[0].y) == [10, 10, 31, 31, 20, 20]
    assert [shape.x0 for shape in drawn.layout.shapes] == [10]
    assert "B,C: 3,000" in adaptive_figure.alternative(FOUND, str)


def test_a_plan_that_is_far_worse_does_not_hide_the_others() -> None:
    assert adaptive_figure.work(FOUND, str).layout.yaxis.type is None
    worst = np.array([0.0, 90_000.0, 60_000.0])
    drawn = adaptive_figure.work(replace(FOUND, static=FOUND.static | {"B,C": worst}), str)
    axis = drawn.layout.yaxis
    assert axis.type == "log"
    low, high = (10**end for end in axis.range)
    assert low <= 10 <= 9_000 <= high
    assert list(drawn.data[2].y) == [None, None, 9_000, 9_000, 3_000, 3_000]


def test_what_adapting_saved_is_said() -> None:
    assert adaptive_view.saving(FOUND, "A, then B", "B, then C") == (
        "This run did 810 operations, moving included. The best plan that stays (A, then B) did "
        "1,400, 73% more. The worst plan that stays (B, then C) did 3,000. The best plan of every "
        "batch would have done 800: this run did 1.2% more."
    )
    dear = replace(FOUND, adaptive=FOUND.adaptive * 2)
    assert "did 1,400, less: this run did 16% more." in adaptive_view.saving(dear, "one", "two")


def test_plans_are_drawn_over_time_with_why_they_were_switched_to() -> None:
    switches = (*FOUND.switches, Switch(25_000_000, 2, "B,A", "A,B", "it is over", 5.0, 0.0))
    spans = plan_spans("best", switches, 40)
    drawn = plans_figure.plans(spans, str)
    first, second = drawn.data
    assert (first.name, list(first.base), list(first.x)) == ("A,B", [0, 25], [10, 15])
    assert (second.name, list(second.base), list(second.x)) == ("B,A", [10], [15])
    assert second.customdata[0][2] == "<br>it costs less"
    assert plans_figure.alternative(spans, str) == (
        "Plans over time: A,B from 0 s, then B,A from 10 s, then A,B from 25 s, until 40 s."
    )


def test_switches_are_drawn_where_statistics_are() -> None:
    series = series_of(OBSERVED, WORKLOAD)[RATES]
    drawn = statistics_figure.statistic(OBSERVED, RATES, series, switches=FOUND.switches)
    assert [shape.x0 for shape in drawn.layout.shapes] == [10]
    assert "dotted: switches" in drawn.layout.title.text


def test_plans_that_are_not_ranked_by_work_are_compared_by_what_they_are_ranked_by() -> None:
    by = family("load_shedding").objective
    graded = Graded(by, 810.0, {"A,B": 700.0, "B,A": 900.0, "B,C": 300.0})
    found = replace(FOUND, graded=graded)
    assert (found.best, found.worst) == ("B,A", "B,C")
    assert adaptive_view.saving(found, "this", "that").startswith(
        "Importance: 810 in this run; 900 under the best plan that stays (this), "
        "300 under the worst (that)."
    )
