"""The samples of aggregations: what kernels count of every operator beside what was predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.plan.cost import COST_FIELDS, Cost, q_error
from planner.plan.plan import Plan
from planner.report.command import read_workload
from planner.statistics.generate import generate
from planner.workload.validation import microseconds
from runtime.data.feed import Span
from runtime.data.folders import PROJECT
from runtime.data.run_data import generated, run_seconds
from runtime.engines.early_aggregation.feed import aggregate_feed
from tests.runtime.driving import counted

FAMILY = family("early_aggregation")
# One run of ten minutes, as the samples ship: arrivals alone differ by 3% from their rates.
MOST = 1.1


@pytest.mark.parametrize(
    ("sample", "label"),
    [("network-packets", "EAP-11"), ("auctions", "LAP"), ("auctions", "EAP-111")],
)
def test_every_operator_of_a_sample_is_measured_as_predicted(sample: str, label: str) -> None:
    workload = read_workload(str(PROJECT / "sample_data" / f"{sample}.yaml"))
    plan = FAMILY.space(workload).plan(label)
    assert label in ("LAP", FAMILY.space(workload).best().label)
    predicted = FAMILY.space(workload).estimate(plan).costs
    span = Span(microseconds(workload.warmup), microseconds(run_seconds(workload)))
    merged = aggregate_feed(workload, generated(workload))
    measured = counted(plan, workload, merged, span).costs
    _check(plan, predicted, measured)


CHANGING = """
version: 1
name: flows of customers that come and go
streams:
  - {name: A, rate: 4, attributes: {k: {distinct: 20}, c: {distinct: 30}, x: {distinct: 50}}}
  - {name: B, rate: 3, attributes: {k: {distinct: 25}}}
relations:
  - name: R
    rows: 60
    attributes: {c: {distinct: 30}, p: {distinct: 5}}
    changes: {inserts: 2, deletes: 2}
queries:
  - name: Q1
    text: |
      SELECT R.p, MAX(A.x) FROM A [RANGE 20], R, B [RANGE 20]
      WHERE A.k = B.k AND A.c = R.c GROUP BY R.p
  - name: Q2
    text: SELECT R.p, COUNT(*) FROM A [ROWS 80], R WHERE A.c = R.c GROUP BY R.p
execution: {join: hash}
run: {seed: 2, duration: 1500}
"""


@pytest.mark.parametrize("place", [0, 1])
def test_rows_that_ended_are_probed_until_they_are_needed_no_more(place: int) -> None:
    both = load_workload(CHANGING)
    workload = replace(both, queries=(both.queries[place],))
    plan = FAMILY.space(workload).plan("LAP")
    seconds = workload.warmup + workload.run.duration
    span = Span(microseconds(workload.warmup), microseconds(seconds))
    merged = aggregate_feed(workload, generate(workload, seconds, workload.run.seed))
    predicted = FAMILY.space(workload).estimate(plan).costs
    (table,) = (op.id for op in plan.operators() if op.kind == "table")
    assert predicted[table].state_tuples == pytest.approx(60 + 2 * 20)
    _check(plan, predicted, counted(plan, workload, merged, span).costs)


def _check(plan: Plan, predicted: Mapping[str, Cost], measured: Mapping[str, Cost]) -> None:
    for operator in plan.operators():
        for field in COST_FIELDS:
            said, found = (getattr(costs[operator.id], field) for costs in (predicted, measured))
            error = q_error(said, found)
            assert error is not None, (operator, field, said, found)
            assert error < MOST, (operator, field, said, found)
