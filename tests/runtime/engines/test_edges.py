"""At the edges of what is allowed every family plans, runs and gives the answer of the definition.

Or it says in one sentence why it does not; nothing else is ever raised.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import SluiceError
from planner.families.protocol import PlanSpace
from planner.families.registry import FAMILIES
from planner.files.tuple_table import Table
from planner.plan.plan import Plan
from planner.statistics.inference import infer
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.kernels.digest import digest_of
from tests.examples import examples
from tests.oracles.aggregations import Definition
from tests.oracles.joins import Data, results_of
from tests.runtime.aggregating import aggregated
from tests.runtime.driving import feed_of, program_of, split_of, stepped, tables_of
from tests.runtime.edges import KINDS, Edges

MOST_RUN = 4
SPAN = Span(1_000_000, 3_000_001)
seeds = st.integers(0, 10**9)


@given(seeds)
@examples(12)
def test_joins(seed: int) -> None:
    _check(*Edges(seed).join(), seed)


@given(seeds)
@examples(12)
def test_shared_joins(seed: int) -> None:
    _check(*Edges(seed).shared(), seed)


@given(seeds)
@examples(12)
def test_aggregations(seed: int) -> None:
    _check(*Edges(seed).aggregation(), seed)


def _check(workload: Workload, data: Data, seed: int) -> None:
    tables = tables_of(data, KINDS)
    if seed % 3 == 0:
        # What a user's own data say of the statistics: shares of 0 and 1, empty files.
        unknown = replace(
            workload, streams=tuple(replace(s, attributes={}) for s in workload.streams)
        )
        workload, _ = infer(unknown, tables)
    for known in FAMILIES:
        reason = known.refuses(workload)
        if reason is not None:
            assert "\n" not in reason.strip()
            continue
        space = known.space(workload)
        for plan in _some_plans(space):
            _check_estimate(space, plan)
            # A sum may be too large, a number stand for a missing one: that is said, and no more.
            with suppress(SluiceError):
                if workload.queries[0].aggregates:
                    _check_aggregation(workload, data, tables, plan)
                else:
                    _check_join(workload, data, tables, plan, seed)


def _some_plans(space: PlanSpace) -> list[Plan]:
    listed = list(islice(space.candidates(), MOST_RUN))
    return list({plan.label: plan for plan in [*listed, space.best()]}.values())


def _check_estimate(space: PlanSpace, plan: Plan) -> None:
    for cost in space.estimate(plan).costs.values():
        for field, value in cost.as_dict().items():
            assert math.isfinite(value), field
            assert value >= 0, field


def _check_join(
    workload: Workload, data: Data, tables: dict[str, Table], plan: Plan, seed: int
) -> None:
    expected = {}
    for query in workload.queries:
        rows = results_of(replace(workload, queries=(query,)), data)
        seqs = np.array(rows, np.int64).reshape(len(rows), len(query.sources) + 1)[:, :-1]
        expected[query.name] = len(rows), int(digest_of(np.ascontiguousarray(seqs)))
    merged = feed_of(plan, workload)(workload, tables)
    split = split_of(plan, workload, 1 + seed % 3)
    program = program_of(plan, workload, merged, SPAN, split)
    cuts = range(0, len(merged.tuples.ts), 1 + seed % 7)
    _, totals = stepped(program, split, merged, cuts, keep_rows=False)
    tally = program.tally(totals, plan)
    found = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
    assert found == expected, plan.label


def _check_aggregation(
    workload: Workload, data: Data, tables: dict[str, Table], plan: Plan
) -> None:
    found = aggregated(workload, tables, plan)
    definition = Definition(workload, data)
    assert found.answer == (definition.final() if definition.arrivals else {}), plan.label
