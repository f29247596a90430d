"""At the edges of what is allowed every family plans, runs and gives the answer of the definition.

Or it says in one sentence why it does not; nothing else is ever raised.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from planner.errors import SluiceError
from planner.families.load_shedding.labels import OFFLINE, ONLINE
from planner.families.protocol import PlanSpace
from planner.families.registry import FAMILIES
from planner.files.tuple_table import Table
from planner.plan.plan import Plan
from planner.statistics.inference import infer
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.kernels.digest import digest_of
from tests.examples import fuzzed
from tests.oracles.aggregations import Definition
from tests.oracles.joins import Data, results_of
from tests.runtime.aggregating import aggregated
from tests.runtime.driving import feed_of, program_of, split_of, stepped, tables_of
from tests.runtime.edges import KINDS, Edges

# Whatever plans also runs, but for what only its tuples show: a sum that is too large, or a number
# that stands for a missing one.
REFUSED = re.compile("too large|missing|importance of row")
MOST_RUN = 4
# Of all plans these keep the results that they can.
SHEDDING = (*OFFLINE, *ONLINE)
SPAN = Span(1_000_000, 3_000_001)
seeds = st.integers(0, 10**9)


@given(seeds)
@fuzzed(12)
def test_joins(seed: int) -> None:
    edges = Edges(seed)
    _check(edges, *edges.join())


@given(seeds)
@fuzzed(12)
def test_shared_joins(seed: int) -> None:
    edges = Edges(seed)
    _check(edges, *edges.shared())


@given(seeds)
@fuzzed(12)
def test_aggregations(seed: int) -> None:
    edges = Edges(seed)
    _check(edges, *edges.aggregation())


# All keys of a stream are missing.
@example(4524)
@given(seeds)
@fuzzed(12)
def test_bounded_joins(seed: int) -> None:
    edges = Edges(seed)
    _check(edges, *edges.bounded())


def test_every_family_is_fuzzed() -> None:
    made = [
        draw(Edges(seed))[0]
        for seed in range(40)
        for draw in (Edges.join, Edges.shared, Edges.aggregation, Edges.bounded)
    ]
    for known in FAMILIES:
        assert any(known.refuses(workload) is None for workload in made), known.name


def _check(edges: Edges, workload: Workload, data: Data) -> None:
    generated = edges.generated(workload) if edges.chance.random() < 0.3 else None
    data = generated or data
    tables = tables_of(data, KINDS)
    unknown = edges.chance.random() < 0.3
    if unknown:
        # What a user's own data say of the statistics: shares of 0 and 1, empty files.
        workload = replace(
            workload, streams=tuple(replace(s, attributes={}) for s in workload.streams)
        )
    if unknown or generated is None:
        # As for every run on a user's own data.
        workload, _ = infer(workload, tables)
    fitting = []
    for known in FAMILIES:
        reason = known.refuses(workload)
        if reason is None:
            fitting.append(known)
        else:
            assert "\n" not in reason.strip()
    if not fitting:
        return
    check = _aggregation_check if workload.queries[0].aggregates else _join_check
    is_right = check(edges, workload, data, tables)
    for known in fitting:
        space = known.space(workload)
        for plan in _some_plans(space):
            _check_estimate(space, plan)
            try:
                is_right(plan)
            except SluiceError as error:
                if not REFUSED.search(str(error)):
                    raise


def _some_plans(space: PlanSpace) -> list[Plan]:
    listed = list(islice(space.candidates(), MOST_RUN))
    return list({plan.label: plan for plan in [*listed, space.best()]}.values())


def _check_estimate(space: PlanSpace, plan: Plan) -> None:
    for cost in space.estimate(plan).costs.values():
        for field, value in cost.as_dict().items():
            assert math.isfinite(value), field
            assert value >= 0, field


def _join_check(
    edges: Edges, workload: Workload, data: Data, tables: dict[str, Table]
) -> Callable[[Plan], None]:
    """What checks the answer of a plan. Under a bound of memory it may be a part of the answer."""
    wanted, expected = {}, {}
    for query in workload.queries:
        rows = results_of(replace(workload, queries=(query,)), data)
        seqs = np.array(rows, np.int64).reshape(len(rows), len(query.sources) + 1)[:, :-1]
        wanted[query.name] = rows
        expected[query.name] = len(rows), int(digest_of(np.ascontiguousarray(seqs)))

    def is_right(plan: Plan) -> None:
        merged = feed_of(plan, workload)(workload, tables)
        split = split_of(plan, workload, edges.partitions())
        program = program_of(plan, workload, merged, SPAN, split)
        ts, cuts = merged.tuples.ts, edges.cuts(len(merged.tuples.ts))
        if merged.whole_instants:
            cuts = [int(np.searchsorted(ts, ts[cut])) for cut in cuts]
        rows, totals = stepped(program, split, merged, cuts, keep_rows=True)
        tally = program.tally(totals, plan)
        found = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
        if plan.label in SHEDDING:
            (every,) = wanted.values()
            assert not Counter(rows) - Counter(every), plan.label
            assert tally.results == len(rows), plan.label
        else:
            assert found == expected, plan.label

    return is_right


def _aggregation_check(
    edges: Edges, workload: Workload, data: Data, tables: dict[str, Table]
) -> Callable[[Plan], None]:
    definition = Definition(workload, data)
    expected = definition.final() if definition.arrivals else {}

    def is_right(plan: Plan) -> None:
        tuples = sum(len(data[source.name]) for source in workload.queries[0].sources)
        found = aggregated(workload, tables, plan, edges.partitions(), edges.cuts(tuples))
        assert found.answer == expected, plan.label

    return is_right
