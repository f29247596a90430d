"""What every family must hold when its plans are run: all of them give the reference answer."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from planner.families.protocol import Family
from planner.families.registry import FAMILIES
from planner.files.tuple_table import Table
from planner.plan.plan import Plan
from planner.statistics.generate import generate
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.kernels.digest import digest_of
from tests.examples import times
from tests.oracles.in_duckdb.aggregations import duckdb_answer
from tests.oracles.in_duckdb.joins import duckdb_rows
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES
from tests.planner.workloads import SAMPLES
from tests.runtime.aggregating import aggregated
from tests.runtime.driving import feed_of, program_of, split_of, stepped

# Of each workload, spread over all that are listed; more in `./check --all`.
MOST_RUN = times(5)
MOST_LISTED = 24
# Long enough for results, short enough that DuckDB can list them.
SECONDS = {
    "self-join": 25.0,
    "table 6": 130.0,
    "table 6, per value": 130.0,
    "packets": 500.0,
    "auctions": 500.0,
    "default setting": 7.0,
    **dict.fromkeys(CHAIN_SAMPLES, 15.0),
}

CASES = [
    pytest.param(known, workload, SECONDS.get(name, 100.0), id=f"{known.name}: {name}")
    for known in FAMILIES
    for name, workload in (SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES).items()
    if known.refuses(workload) is None
]


@pytest.mark.parametrize(("known", "workload", "seconds"), CASES)
def test_every_candidate_gives_the_reference_answer(
    known: Family, workload: Workload, seconds: float
) -> None:
    tables = generate(workload, seconds, seed=13)
    if workload.queries[0].aggregates:
        _check_aggregation(known, workload, tables)
    else:
        _check_join(known, workload, tables, seconds)


def _some_plans(known: Family, workload: Workload) -> list[Plan]:
    listed = list(islice(known.space(workload).candidates(), MOST_LISTED))
    return listed[:: -(-len(listed) // MOST_RUN)]


def _check_aggregation(known: Family, workload: Workload, tables: dict[str, Table]) -> None:
    rows = duckdb_answer(workload.queries[0], tables)
    assert rows
    digests = set()
    for number, plan in enumerate(_some_plans(known, workload)):
        partitions, batch = 1 + number % 3, 40 + 370 * (number % 5)
        arrivals = sum(len(table) for table in tables.values())
        found = aggregated(workload, tables, plan, partitions, range(0, 2 * arrivals, batch))
        assert [(*group, *values) for group, values in found.answer.items()] == rows, plan.label
        digests.add((found.tally.results, found.tally.digest))
    assert [results for results, _ in digests] == [len(rows)]


def _check_join(
    known: Family, workload: Workload, tables: dict[str, Table], seconds: float
) -> None:
    span = Span(0, round(seconds * 1_000_000))
    expected = {}
    for query in workload.queries:
        rows = duckdb_rows(query, tables, [stream.name for stream in workload.streams])
        assert rows
        expected[query.name] = len(rows), int(digest_of(np.array(rows, np.int64)[:, :-1]))
    for number, plan in enumerate(_some_plans(known, workload)):
        partitions, batch = 1 + number % 3, 40 + 37 * (number % 5)
        merged = feed_of(plan, workload)(workload, tables)
        split = split_of(plan, workload, partitions)
        program = program_of(plan, workload, merged, span, split)
        cuts = range(0, len(merged.tuples.ts), batch)
        _, totals = stepped(program, split, merged, cuts, keep_rows=False)
        tally = program.tally(totals, plan)
        found = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
        assert found == expected, plan.label
