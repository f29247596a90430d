"""Kernels stop when they have found more rows than a step may keep, in every family."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from planner.families.registry import FAMILIES
from planner.files.tuple_table import ColumnData, Table
from planner.files.workload_file import load_workload
from runtime.data.batch import Batch
from runtime.data.feed import Span, Split
from runtime.engines.registry import engine
from runtime.engines.result_rows import TooManyRowsError
from tests.runtime.driving import program_of

TUPLES, MOST_ROWS = 1_500, 5_000
TEXT = """
version: 1
name: many rows
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 1}, v: {distinct: 9}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 1}, v: {distinct: 9}}}
queries:
  - {name: Q, text: "SELECT %s FROM A [RANGE 9999], B [RANGE 9999] WHERE A.k = B.k%s"}
execution: {%s}
"""
WORKLOADS = {
    "join_order": ("*", "", ""),
    "loops": ("*", " AND A.v <= B.v", ""),
    "early_aggregation": ("A.v, COUNT(*)", " GROUP BY A.v", ""),
    "sliced_chain": ("*", "", ""),
    "shared_schedule": ("*", "", "unit_costs: {compare: 1.0e-6}"),
    "load_shedding": ("*", "", "memory: 2000"),
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_step_stops_at_the_most_rows(name: str) -> None:
    # Over a million results, or thousands of changes.
    workload = load_workload((TEXT % WORKLOADS[name]).encode())
    family = next(f for f in FAMILIES if f.name == name.replace("loops", "join_order"))
    assert family.refuses(workload) is None
    plan = next(iter(family.space(workload).candidates()))
    columns = {
        "k": ColumnData(np.ones(TUPLES, np.int64)),
        "v": ColumnData(np.arange(TUPLES) % 9),
    }
    table = Table(np.arange(TUPLES), np.arange(TUPLES) * 1000, columns)
    feed = engine(family.name).feed(plan, workload)(workload, {"A": table, "B": table})
    program = program_of(plan, workload, feed, Span(0, 10**7), Split(1, None))
    program.load()
    batch = Batch(feed.tuples, 10**7, last=True).pack()
    most = 1_000 if name == "early_aggregation" else MOST_ROWS
    tracemalloc.start()
    try:
        with pytest.raises(TooManyRowsError, match="or the windows"):
            program.step(None, batch, 0, most)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # All results would take 50 MB; one tuple may have as many as are in a window.
    assert peak < 12 * 2**20
    assert len(program.step(None, batch, 0, 0).rows) <= 1
