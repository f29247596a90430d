"""Many joins in one run: each query has its isolated answer, and every count is as it should be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.registry import family
from planner.families.sliced_chain.labels import STRATEGIES
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.data.feed import Span, Split
from runtime.engines.kernels.digest import digest_of
from runtime.engines.pair_feed import pair_feed
from runtime.engines.protocol import Tally
from runtime.engines.registry import program_from_json
from runtime.engines.sliced_chain.simulation import ChainSimulation, Counts, built
from tests.examples import examples
from tests.oracles.joins import Data, results_of
from tests.runtime.driving import counted, program_of
from tests.runtime.driving import feed_of as feed_of_plan
from tests.runtime.slicing import (
    SPAN,
    STREAMS,
    feed_of,
    labels,
    mem_opt,
    sliced,
    tuples,
    workloads,
)

_STREAMS = tuple(
    Stream(name, rate=1.0, attributes={"k": Attribute(3), "v": Attribute(5)}) for name in STREAMS
)
_EQUAL = (Predicate(Column("A", "k"), "=", Column("B", "k")),)

FEW = examples(30)


def _sources(seconds: float) -> tuple[Source, Source]:
    window = TimeWindow(seconds)
    return Source("A", "A", window), Source("B", "B", window)


def _answers(workload: Workload, data: Data) -> dict[str, list[tuple[int, ...]]]:
    """Every query alone, by definition."""
    return {q.name: results_of(workload.only(q.name), data) for q in workload.queries}


@FEW
@given(st.data(), workloads(), tuples(), st.integers(1, 3), st.sets(st.integers(1, 60)))
def test_every_query_has_its_isolated_answer_in_order(
    choose: st.DataObject, workload: Workload, data: Data, partitions: int, cuts: set[int]
) -> None:
    label = choose.draw(labels(workload))
    found = sliced(workload, feed_of(workload, data), label, partitions, sorted(cuts))
    for query, expected in _answers(workload, data).items():
        assert sorted(found.rows[query]) == expected, query
        assert [row[-1] for row in found.rows[query]] == sorted(row[-1] for row in expected)
        seqs = np.array(expected, np.int64).reshape(-1, 3)[:, :2]
        assert found.tally.by_query[query] == (len(expected), int(digest_of(seqs)))
    digests = (digest for _, digest in found.tally.by_query.values())
    assert found.tally.digest == sum(digests) % 2**64


@FEW
@given(st.data(), workloads(), tuples(), st.integers(1, 3), st.sets(st.integers(1, 60)))
def test_counts_are_those_of_a_plain_simulation(
    choose: st.DataObject, workload: Workload, data: Data, partitions: int, cuts: set[int]
) -> None:
    label = choose.draw(labels(workload))
    found = sliced(workload, feed_of(workload, data), label, partitions, sorted(cuts))
    carried = ChainSimulation(workload, built(workload, label), Counts(SPAN.warmup, SPAN.end))
    carried.run(data)
    assert found.rows == carried.results
    costs = found.tally.costs
    assert costs.keys() == carried.operators.keys()
    for name, operator in carried.operators.items():
        expected = carried.counts.cost(name).as_dict()
        assert costs[name].as_dict() == pytest.approx(expected, abs=1e-9), operator


def _without_filters(workload: Workload) -> Workload:
    queries = tuple(replace(query, filters=()) for query in workload.queries)
    return replace(workload, queries=queries)


def _state(tally: Tally) -> float:
    return sum(cost.state_tuples for cost in tally.costs.values())


@FEW
@given(workloads(), tuples())
def test_the_state_of_mem_opt_is_that_of_the_largest_join_alone(
    workload: Workload, data: Data
) -> None:
    plain = _without_filters(workload)
    feed = feed_of(plain, data)
    # One join over the largest windows of each group, which is what pull-up runs.
    assert _state(sliced(plain, feed, mem_opt(plain)).tally) == pytest.approx(
        _state(sliced(plain, feed, "pull-up").tally)
    )


@FEW
@given(st.data(), workloads(hashed=True), tuples(), st.integers(1, 3))
def test_hashing_changes_what_probes_look_at_and_nothing_else(
    choose: st.DataObject, workload: Workload, data: Data, partitions: int
) -> None:
    label = choose.draw(labels(workload))
    nested = replace(workload, execution=Execution())
    found, expected = (sliced(w, feed_of(w, data), label, partitions) for w in (workload, nested))
    assert found.rows == expected.rows
    operators = [built(w, label).plan.operators() for w in (workload, nested)]
    for one, other in zip(*operators, strict=True):
        assert one.kind == other.kind
        cost, scanned = found.tally.costs[one.id], expected.tally.costs[other.id]
        if one.kind == "probe":
            assert scanned.rows_out <= cost.comparisons <= scanned.comparisons
            cost = replace(cost, comparisons=scanned.comparisons)
        assert cost == scanned, one


@pytest.mark.parametrize("execution", [Execution(), Execution("hash", 2), Execution("hash")])
@pytest.mark.parametrize("label", ["pull-up", "chain:0-2-6"])
def test_tuples_that_join_nothing_are_purged_all_the_same(label: str, execution: Execution) -> None:
    """A has a key that B never has, one a second; B comes at 0.5, 1.5 and so on, windows of 6 s."""
    queries = tuple(Query(f"Q{n}", _sources(n), _EQUAL) for n in (2, 6))
    workload = Workload("two", _STREAMS, queries, execution=execution)
    data: Data = {
        "A": [(n * 1_000_000, {"k": 1, "v": 0}) for n in range(100)],
        "B": [(n * 1_000_000 + 500_000, {"k": 2, "v": 0}) for n in range(100)],
        "C": [],
    }
    found = sliced(workload, feed_of(workload, data), label, span=Span(50_000_000, 100_000_000))
    # Each is held until the first of the other stream that is 6 s younger, or more: 6.5 s.
    assert _state(found.tally) == pytest.approx(6.5 + 6.5)


@pytest.mark.parametrize("label", [*STRATEGIES, "chain:0-2-6"])
def test_a_program_is_the_same_after_its_journey_as_text(label: str) -> None:
    first = Query("Q1", _sources(2), _EQUAL, (Filter(Column("A", "v"), ">", 2),))
    second = Query("Q2", _sources(6), _EQUAL, (Filter(Column("B", "v"), "=", 1),))
    workload = Workload("two", _STREAMS, (first, second))
    feed = feed_of(workload, {name: [(0, {"k": 1, "v": 1})] for name in STREAMS})
    plan = built(workload, label).plan
    program = program_of(plan, workload, feed, SPAN, Split(2, None))
    assert program_from_json(program.to_json()) == program


def test_each_answer_is_that_of_the_query_alone_by_join_order() -> None:
    first = Query("Q1", _sources(2), _EQUAL, (Filter(Column("A", "v"), ">", 2),))
    second = Query("Q2", _sources(6)[::-1], _EQUAL)
    workload = Workload("two", _STREAMS, (first, second))
    tables = generate(workload, 15.0, seed=6)
    shared = family("sliced_chain").space(workload).plan("cpu-opt")
    together = counted(shared, workload, pair_feed(workload, tables), SPAN)
    for query in workload.queries:
        alone = workload.only(query.name)
        plan = family("join_order").space(alone).best()
        tally = counted(plan, alone, feed_of_plan(plan, alone)(alone, tables), SPAN)
        assert tally.results > 0
        assert together.by_query[query.name] == (tally.results, tally.digest)


@pytest.mark.parametrize("label", STRATEGIES)
def test_filters_that_no_tuple_passes_give_nothing(label: str) -> None:
    """Push-down has no join then: no part of A serves the query."""
    never = (Filter(Column("A", "v"), "<", 1), Filter(Column("A", "v"), ">", 1))
    workload = Workload("none", _STREAMS, (Query("Q1", _sources(3), _EQUAL, never),))
    found = sliced(workload, pair_feed(workload, generate(workload, 15.0, seed=6)), label)
    assert found.rows == {"Q1": []}
    assert found.tally.by_query == {"Q1": (0, 0)}
