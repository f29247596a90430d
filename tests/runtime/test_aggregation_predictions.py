"""The samples of aggregations: what kernels count of every operator beside what was predicted."""

from __future__ import annotations

import pytest

from planner.checks import microseconds
from planner.command import read_workload
from planner.cost import COST_FIELDS, q_error
from planner.families import family
from runtime.aggregate_feed import aggregate_feed
from runtime.home import PROJECT
from runtime.in_process import counted
from runtime.prepare import generated, run_seconds
from runtime.programs.program import Span

FAMILY = family("early_aggregation")
# One run of ten minutes, as the samples ship: arrivals alone differ by 3% from their rates.
MOST = 1.1


@pytest.mark.parametrize(
    ("sample", "label"),
    [("network-packets", "EAP-11"), ("auctions", "LAP"), ("auctions", "EAP-111")],
)
def test_every_operator_of_a_sample_is_measured_as_predicted(sample: str, label: str) -> None:
    workload = read_workload(str(PROJECT / "sample_data" / f"{sample}.yaml"))
    plan = FAMILY.plan(workload, label)
    assert label in ("LAP", FAMILY.best(workload).label)
    predicted = FAMILY.estimate(plan, workload).costs
    span = Span(microseconds(workload.warmup), microseconds(run_seconds(workload)))
    merged = aggregate_feed(workload, generated(workload))
    measured = counted(plan, workload, merged, span).costs
    for operator in plan.operators():
        for field in COST_FIELDS:
            said, found = (getattr(costs[operator.id], field) for costs in (predicted, measured))
            error = q_error(said, found)
            assert error is not None, (operator, field, said, found)
            assert error < MOST, (operator, field, said, found)
