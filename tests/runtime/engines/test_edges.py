"""At the edges of what is allowed every family plans, runs and gives the answer of the definition.

Or it says in one sentence why it does not; nothing else is ever raised.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from planner.errors import SluiceError
from planner.families.load_shedding.labels import EXACT, OFFLINE, ONLINE
from planner.families.protocol import Family, PlanSpace
from planner.families.registry import FAMILIES, family
from planner.files.tuple_table import Table
from planner.plan.plan import Plan
from planner.statistics.inference import infer
from planner.workload.query import Aggregate, Query
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.kernels.digest import digest_of
from tests.fuzzing import EFFORTS
from tests.oracles.aggregations import Answer, Definition
from tests.oracles.joins import Data, results_of
from tests.runtime.aggregating import aggregated
from tests.runtime.driving import feed_of, program_of, split_of, stepped, tables_of
from tests.runtime.edges import KINDS, Edges

# Whatever plans also runs, but for what only its tuples show: a sum that is too large, or a number
# that stands for a missing one.
REFUSED = re.compile("too large|beyond 64 bits|missing|importance of row")
MOST_RUN = 4
# Of all plans these keep the results that they can.
SHEDDING = (*OFFLINE, *ONLINE)
# Of the largest number of a column, what rounding may change a value by.
ROUNDING = 2.0**-46
SPAN = Span(1_000_000, 3_000_001)
Fuzzed = Callable[[str, Callable[[int], None]], None]
Draw = Callable[[Edges], tuple[Workload, Data]]
Check = Callable[[Edges, Workload, Data, dict[str, Table]], Callable[[Plan], None]]


def _tried(draw: Draw) -> Callable[[int], None]:
    """What is tried with a seed."""

    def check(seed: int) -> None:
        edges = Edges(seed)
        _check(edges, *draw(edges))

    return check


def test_joins(fuzzed: Fuzzed) -> None:
    fuzzed("joins", _tried(Edges.join))


def test_shared_joins(fuzzed: Fuzzed) -> None:
    fuzzed("shared joins", _tried(Edges.shared))


def test_aggregations(fuzzed: Fuzzed) -> None:
    fuzzed("aggregations", _tried(Edges.aggregation))


def test_bounded_joins(fuzzed: Fuzzed) -> None:
    fuzzed("bounded joins", _tried(Edges.bounded))


def test_bounded_aggregations(fuzzed: Fuzzed) -> None:
    fuzzed("bounded aggregations", _tried(Edges.bounded_aggregation))


def test_a_bounded_join_of_which_all_keys_are_missing() -> None:
    def keyless(seed: int) -> bool:
        workload, data = Edges(seed).bounded()
        (key, *_) = workload.queries[0].predicates
        items = data[key.left.alias]
        fits = family("load_shedding").refuses(workload) is None
        return fits and len(items) > 1 and all(i[1][key.left.attribute] is None for i in items)

    _tried(Edges.bounded)(next(filter(keyless, range(10_000))))


def test_every_family_is_fuzzed() -> None:
    draws = (Edges.join, Edges.shared, Edges.aggregation, Edges.bounded, Edges.bounded_aggregation)
    made = [draw(Edges(seed))[0] for seed in range(40) for draw in draws]
    for known in FAMILIES:
        assert any(known.refuses(workload) is None for workload in made), known.name


def test_the_shares_of_fuzzers_are_all_of_the_hour() -> None:
    assert math.isclose(sum(effort.share for effort in EFFORTS.values()), 1)


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
    for known in fitting:
        space = known.space(workload)
        is_right = _check_of(known, workload)(edges, workload, data, tables)
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


def _check_of(known: Family, workload: Workload) -> Check:
    if not workload.queries[0].aggregates:
        return _join_check
    return _estimate_check if known.name == "load_shedding" else _aggregation_check


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
        _check_groups(workload, data, found.answer, expected)

    return is_right


def _check_groups(workload: Workload, data: Data, found: Answer, expected: Answer) -> None:
    (query,) = workload.queries
    assert found.keys() == expected.keys()
    for group, values in expected.items():
        for aggregate, value, own in zip(query.aggregates, values, found[group], strict=True):
            assert _is_same(query, aggregate, data, own, value), (group, aggregate.name)


def _is_same(query: Query, aggregate: Aggregate, data: Data, found: Any, expected: Any) -> bool:
    """Whether a figure is right: of fractions, and of means, up to what rounding leaves."""
    rounded = aggregate.function in ("sum", "avg") and isinstance(found, float)
    if not rounded or aggregate.column is None or expected is None:
        return bool(found == expected)
    column = aggregate.column
    values = [item[1][column.attribute] for item in data[query.source(column.alias).name]]
    largest = max((abs(value) for value in values if value is not None), default=0)
    added = math.prod(len(data[source.name]) for source in query.sources)
    # A mean is rounded as its values are, a sum as often as they are added.
    return abs(found - expected) <= Fraction(largest) * added * Fraction(ROUNDING)


def _estimate_check(
    edges: Edges, workload: Workload, data: Data, tables: dict[str, Table]
) -> Callable[[Plan], None]:
    """What checks aggregates of which tuples may have been shed: where none was, they are right."""
    definition = Definition(workload, data)
    (query,) = workload.queries
    expected = {} if not definition.arrivals else definition.final()
    if not query.group_by and definition.arrivals:
        # Where nothing is joined, nothing is counted.
        expected.setdefault((), tuple(0 for _ in query.aggregates))

    def is_right(plan: Plan) -> None:
        merged = feed_of(plan, workload)(workload, tables)
        split = split_of(plan, workload, edges.partitions())
        program = program_of(plan, workload, merged, SPAN, split)
        _, totals = stepped(program, split, merged, edges.cuts(len(merged.tuples.ts)), False)
        figures = program.tally(totals, plan).shed["aggregates"]
        answer = {(own["group"],) if query.group_by else (): own for own in figures["answer"]}
        whole = plan.label == EXACT or set(figures["meanings"]) == {"exact"}
        for figure in ("exact", "found") if whole else ("exact",):
            found = {group: tuple(own[figure]) for group, own in answer.items()}
            _check_groups(workload, data, found, expected)

    return is_right
