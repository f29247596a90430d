"""What kernels count on generated tuples beside what the model predicts, averaged over seeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.families.registry import family
from planner.plan.cost import Cost, total
from planner.statistics.generate import generate
from planner.workload.execution import Execution, RunSettings
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.join_feeds import loop_feed
from runtime.engines.join_feeds import multiway_feed as feed
from tests.planner.join_graphs import growing_join
from tests.planner.workloads import (
    HASHED,
    HYBRID,
    PER_VALUE,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    equality_join,
)
from tests.runtime.driving import counted

TOLERANCE = 0.05
SEEDS = range(4)
# More buckets than any stream has values.
MANY_BUCKETS = Execution(join="hash", buckets=1000)

# Seconds of stream time after which a mean over the seeds is known to 2 or 3%. It takes long where
# few tuples join anything: in table 6 one of S2 in a hundred, and then it joins very much.
WORKLOADS = {
    "table 5": (equality_join(TABLE_5), 20_000),
    "table 6": (equality_join(TABLE_6), 20_000),
    "table 7": (equality_join(TABLE_7), 5_000),
    "table 5, 5 buckets": (equality_join(TABLE_5, HASHED), 20_000),
    "table 6, per value": (equality_join(TABLE_6, PER_VALUE), 20_000),
    "table 7, hybrid": (equality_join(TABLE_7, HYBRID), 5_000),
    "table 7, many buckets": (equality_join(TABLE_7, MANY_BUCKETS), 5_000),
}


def _measured(workload: Workload, labels: list[str], seconds: int, seed: int) -> list[Cost]:
    """The cost of each plan on the same tuples."""
    warmup = workload.warmup
    merged = feed(workload, generate(workload, warmup + seconds, seed))
    span = Span(microseconds(warmup), microseconds(warmup + seconds))
    costs = []
    for plan in family("join_order").space(workload).plans(labels):
        tally = counted(plan, workload, merged, span)
        costs.append(total(tally.costs, [root.id for root in plan.roots]))
    return costs


def _predicted(workload: Workload, label: str) -> Cost:
    plan = family("join_order").space(workload).plan(label)
    estimate = family("join_order").space(workload).estimate(plan)
    return total(estimate.costs, [root.id for root in plan.roots])


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name.startswith("table 6") else [])
        for name in WORKLOADS
    ],
)
def test_measured_work_is_as_predicted(name: str) -> None:
    workload, seconds = WORKLOADS[name]
    labels = [family("join_order").space(workload).best().label, "S1,S2,S3,S4"]
    by_seed = [_measured(workload, labels, seconds, seed) for seed in SEEDS]
    for label, costs in zip(labels, zip(*by_seed, strict=True), strict=True):
        in_all = sum(costs, Cost()).as_dict()
        mean = {name: value / len(SEEDS) for name, value in in_all.items()}
        assert mean == pytest.approx(_predicted(workload, label).as_dict(), rel=TOLERANCE)


def test_a_landmark_join_is_measured_as_at_the_middle_of_its_span() -> None:
    """Two windows that grow all the time, one of them behind a filter of several constants."""
    workload = replace(growing_join(), run=RunSettings(duration=1_000))
    space = family("join_order").space(workload)
    plan = space.plan(space.best().label)
    predicted = space.estimate(plan).costs
    merged = loop_feed(workload, generate(workload, 1_000, seed=3))
    measured = counted(plan, workload, merged, Span(0, 1_000_000_000)).costs
    for operator in plan.operators():
        expected = predicted[operator.id].as_dict()
        assert measured[operator.id].as_dict() == pytest.approx(expected, rel=0.1), operator
    assert all(cost.expirations == 0 for cost in measured.values())
