"""What a run has counted so far is what a run would count that ends there."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import pairwise

import pytest

from planner.families.registry import chosen_plan, family
from planner.files.workload_file import load_workload
from planner.statistics.generate import generate
from runtime.data.batch import Batch
from runtime.data.feed import Span
from tests.runtime.driving import counted, feed_of, program_of, split_of

_TEXT = """
version: 1
name: so far
streams:
  - {{name: A, rate: 8, attributes: {{k: {{distinct: 6}}, v: {{distinct: 9}}}}}}
  - {{name: B, rate: 5, attributes: {{k: {{distinct: 6}}, v: {{distinct: 9}}}}}}
relations:
  - {{name: R, rows: 20, attributes: {{k: {{distinct: 6}}}}, changes: {{inserts: 1, deletes: 1}}}}
queries: [{queries}]
execution: {{{execution}}}
"""
_JOIN = "{name: Q1, text: 'SELECT * FROM A [RANGE 4], B [RANGE 7] WHERE A.k = B.k'}"
_THETA = (
    "{name: Q1, text: 'SELECT * FROM A [RANGE 4], B [ROWS 9], R "
    "WHERE A.k = R.k AND A.v < B.v AND B.v > 4'}"
)
_SHARED = f"{_JOIN}, {{name: Q2, text: 'SELECT * FROM A [RANGE 2], B [RANGE 2] WHERE A.k = B.k'}}"
_GROUPS = (
    "{name: Q1, text: 'SELECT A.k, COUNT(*), SUM(B.v) FROM A [RANGE 4], B [RANGE 7] "
    "WHERE A.k = B.k GROUP BY A.k'}"
)
_SECONDS, _WARMUP, _BATCH = 30, 6_000_000, 60


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize(
    ("name", "label", "queries", "execution"),
    [
        ("join_order", "best", _JOIN, ""),
        ("join_order", "best", _JOIN, "join: hash"),
        ("join_order", "best", _THETA, ""),
        ("join_order", "best", _JOIN, "expire: {every: 2}"),
        ("sliced_chain", "mem-opt", _SHARED, ""),
        ("early_aggregation", "EAP-11", _GROUPS, "join: hash"),
    ],
)
def test_counts_so_far(
    name: str, label: str, queries: str, execution: str, partitions: int
) -> None:
    workload = load_workload(_TEXT.format(queries=queries, execution=execution))
    plan = chosen_plan(family(name).space(workload), label)
    merged = feed_of(plan, workload)(workload, generate(workload, _SECONDS, seed=2))
    split = split_of(plan, workload, partitions)
    span = Span(_WARMUP, _SECONDS * 1_000_000)
    program = program_of(plan, workload, merged, span, split)
    states: list[bytes | None] = [None] * split.partitions
    totals = [b""] * split.partitions
    checked = 0
    for start, end in pairwise(range(0, len(merged.tuples.ts), _BATCH)):
        tuples = merged.tuples.take(slice(start, end))
        until = int(tuples.ts[-1])
        shares = split.share(tuples) or [tuples] * split.partitions
        for partition, share in enumerate(shares):
            step = program.step(states[partition], Batch(share, until, False).pack(), partition, 0)
            states[partition], totals[partition] = step.state, step.totals
        so_far = program.tally(totals, plan, until)
        if until <= _WARMUP:
            assert not so_far.costs
            continue
        whole = counted(
            plan,
            workload,
            replace(merged, tuples=merged.tuples.take(slice(0, end))),
            Span(_WARMUP, until),
        )
        assert so_far.results == whole.results
        assert so_far.costs.keys() == whole.costs.keys()
        for operator, cost in whole.costs.items():
            assert astuple(so_far.costs[operator]) == pytest.approx(astuple(cost)), operator
        checked += 1
    assert checked >= 3
