"""The model of sliced joins against plans that are run tuple by tuple in plain Python."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.model import model_of
from planner.families.sliced_chain.published_model import (
    TwoQueries,
    pull_up,
    push_down,
    savings,
    state_slice,
    two_queries,
)
from planner.plan.cost import Cost
from planner.workload.execution import DeclaredStatistic, Execution, RunSettings, Statistics
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.engines.sliced_chain.simulation import ChainSimulation, Counts, built
from tests.examples import examples
from tests.oracles.joins import Data, results_of
from tests.planner.chains import (
    COUNT_WINDOWS,
    FILTERED,
    HASHED,
    PER_VALUE,
    joined,
    joins,
    stream,
    tuples_of,
)

FAMILY = SlicedChain()
WARMUP, SECONDS = 20.0, 120.0
SEEDS = 3

SLOW: dict[str, Any] = {"rates": (5.0, 3.0), "run": RunSettings(warmup=WARMUP, duration=SECONDS)}
ZIPF = (
    Stream("A", 5, {"k": Attribute(10, zipf=0.7), "v": Attribute(100), "u": Attribute(100)}),
    Stream("B", 3, {"k": Attribute(10, zipf=0.3), "v": Attribute(100)}),
)
FEW_KEYS = (stream("A", 5), Stream("B", 3, {"k": Attribute(4), "v": Attribute(100)}))

CASES = {
    "windows alone": (joins([joined(2), joined(5), joined(10)], **SLOW), "chain:0-2-10"),
    "a rare tuple": (joins([joined(1), joined(2), joined(3)], rates=(0.8, 1.2)), "mem-opt"),
    "filters, mem-opt": (joins(FILTERED, **SLOW), "mem-opt"),
    "filters, merged": (joins(FILTERED, **SLOW), "chain:0-5-10"),
    "filters, unshared": (joins(FILTERED, **SLOW), "unshared"),
    "filters, pull-up": (joins(FILTERED, **SLOW), "pull-up"),
    "filters, push-down": (joins([*FILTERED[:2], FILTERED[3]], **SLOW), "push-down"),
    "buckets": (joins(FILTERED, execution=HASHED, **SLOW), "chain:0-2-7-10"),
    "per value": (joins(FILTERED, execution=PER_VALUE, **SLOW), "chain:0-2-7-10"),
    "per value, Zipf": (joins(FILTERED, execution=PER_VALUE, streams=ZIPF, **SLOW), "chain:0-5-10"),
    "keys that B lacks": (
        joins(FILTERED, execution=PER_VALUE, streams=FEW_KEYS, **SLOW),
        "chain:0-5-10",
    ),
    "rows": (joins(COUNT_WINDOWS, **SLOW), "mem-opt"),
    "rows, merged": (joins(COUNT_WINDOWS, **SLOW), "chain:0-20-60"),
}


def carried(
    workload: Workload, label: str, data: Data, warmup: float, end: float
) -> ChainSimulation:
    """The plan carried out tuple by tuple."""
    counts = Counts(round(warmup * 1e6), round(end * 1e6))
    run = ChainSimulation(workload, built(workload, label), counts)
    run.run(data)
    return run


@pytest.mark.parametrize("case", CASES)
def test_every_operator_does_what_the_model_says(case: str) -> None:
    """What is counted is as near to what is predicted as chance lets it."""
    workload, asked = CASES[case]
    plan = FAMILY.space(workload).plan(asked)
    predicted = FAMILY.space(workload).estimate(plan).costs
    end = WARMUP + SECONDS
    runs = [
        carried(workload, plan.label, tuples_of(workload, end, seed), WARMUP, end).counts
        for seed in range(SEEDS)
    ]
    for operator in plan.operators():
        found = sum((run.cost(operator.id) for run in runs), Cost()).as_dict()
        for field, expected in predicted[operator.id].as_dict().items():
            # Many pairs are of few tuples.
            chance = 2.5 / math.sqrt(max(1.0, min(expected, 6.0) * SECONDS * SEEDS))
            near = pytest.approx(expected, rel=0.02 + chance)
            assert found[field] / SEEDS == near, (operator, field)


@pytest.mark.parametrize("label", ["unshared", "pull-up", "push-down", "chain:0-2-7-10"])
@pytest.mark.parametrize("execution", [HASHED, PER_VALUE])
def test_hashing_changes_the_price_of_probes_alone(label: str, execution: Execution) -> None:
    costs = []
    for method in (execution, Execution()):
        workload = joins(FILTERED, execution=method, streams=FEW_KEYS)
        plan = FAMILY.space(workload).plan(label)
        priced = FAMILY.space(workload).estimate(plan).costs
        costs.append([(operator.kind, priced[operator.id]) for operator in plan.operators()])
    for (kind, cost), (_, scanned) in zip(*costs, strict=True):
        expected = scanned.as_dict()
        if kind == "probe":
            assert cost.comparisons < scanned.comparisons
            expected["comparisons"] = cost.comparisons
        assert cost.as_dict() == pytest.approx(expected), kind


@examples(25)
@given(st.data())
def test_every_plan_gives_every_query_its_results_in_order(choose: st.DataObject) -> None:
    texts = [
        joined(
            choose.draw(st.sampled_from([1, 2, 3.5, 6])),
            *choose.draw(
                st.lists(st.sampled_from(["A.v > 30", "A.v > 70", "B.v < 40"]), max_size=2)
            ),
            right=choose.draw(st.sampled_from([1, 2, 3.5, 6])),
        )
        for _ in range(choose.draw(st.integers(1, 4)))
    ]
    execution = choose.draw(st.sampled_from([Execution(), HASHED, PER_VALUE]))
    workload = joins(texts, rates=(3, 2), execution=execution)
    data = tuples_of(workload, 15.0, seed=choose.draw(st.integers(0, 99)))
    # Equal times are normal: half of the tuples are moved to whole seconds.
    moved = {
        name: sorted(
            (
                (ts - ts % 1_000_000 if n % 2 else ts, values)
                for n, (ts, values) in enumerate(items)
            ),
            key=lambda item: item[0],
        )
        for name, items in data.items()
    }
    label = choose.draw(
        st.sampled_from([plan.label for plan in FAMILY.space(workload).candidates()])
    )
    run = carried(workload, label, moved, 0.0, 15.0)
    for query in workload.queries:
        expected = results_of(workload.only(query.name), moved)
        found = run.results[query.name]
        assert sorted(found) == expected, label
        assert [row[-1] for row in found] == sorted(row[-1] for row in expected)


def test_the_chain_of_table_2_as_corrected() -> None:
    """a1 a2 a3 b1 b2, one a second, every a joins every b; windows of 2 and 4 seconds.

        t   arrives   A::[0,2)   A::[2,4)   results
        4   b1        a3         a1 a2      b1 with a3, then with a1 and a2
        5   b2                   a2 a3      b2 with a2 and a3; a1 is 4 s old and gone

    The paper keeps a2 in the first slice at 4 s, and a1 in the second: it purges at > there.
    """
    workload = joins(
        ["SELECT * FROM A [RANGE 2], B [RANGE 2] WHERE A.k <> B.v",
         "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.k <> B.v"]
    )  # fmt: skip
    values = {"k": 1, "v": 2, "u": 1}
    seconds = {"A": (1, 2, 3), "B": (4, 5)}
    data = {name: [(second * 1_000_000, values) for second in at] for name, at in seconds.items()}
    results = carried(workload, "chain:0-2-4", data, 0.0, 6.0).results
    assert results["Q1"] == [(2, 0, 4_000_000)]
    b1, b2 = ([row[:2] for row in results["Q2"] if row[1] == b] for b in (0, 1))
    assert sorted(b1) == [(0, 0), (1, 0), (2, 0)]
    assert sorted(b2) == [(1, 1), (2, 1)], "a1 is 4 s old: the window is half-open"


GIVEN = joins(
    [
        "SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k",
        "SELECT * FROM A [RANGE 30], B [RANGE 30] WHERE A.k = B.k AND A.v > 60",
    ],
    rates=(50, 50),
)


@pytest.mark.parametrize(
    ("label", "equation"),
    [("pull-up", pull_up), ("push-down", push_down), ("mem-opt", state_slice)],
)
def test_equations_1_to_3_are_the_sum_of_what_stands_beside_the_figures(
    label: str, equation: Any
) -> None:
    settings_of = two_queries(model_of(GIVEN))
    assert settings_of == TwoQueries(50, 10, 30, pytest.approx(0.4), pytest.approx(0.1))
    plan = FAMILY.space(GIVEN).plan(label)
    estimate = FAMILY.space(GIVEN).estimate(plan)
    sums = {"comparisons": 0.0, "state_tuples": 0.0}
    for operator in plan.operators():
        last = {}
        for formula in estimate.formulas[operator.id]:
            if formula.field in sums:
                last[formula.field] = formula.result
        for field, value in last.items():
            sums[field] += value
    printed = equation(settings_of)
    assert sums["state_tuples"] == pytest.approx(printed.state)
    assert sums["comparisons"] == pytest.approx(printed.comparisons)


def test_equation_4_follows_from_the_others_at_high_rates() -> None:
    given_ = TwoQueries(1e9, 10, 30, 0.4, 0.1)
    found = savings(given_.ratio, given_.filtered, given_.joined)
    one, two, three = pull_up(given_), push_down(given_), state_slice(given_)
    assert found.state_of_pull_up == pytest.approx(1 - three.state / one.state)
    assert found.state_of_push_down == pytest.approx(1 - three.state / two.state)
    assert found.comparisons_of_pull_up == pytest.approx(1 - three.comparisons / one.comparisons)
    assert found.comparisons_of_push_down == pytest.approx(1 - three.comparisons / two.comparisons)


def test_declared_shares_of_nested_filters_stay_nested() -> None:
    shares = {"Q2: A.v > 50": 0.3, "Q3: A.v > 80": 0.2}
    statistics = Statistics(filters={k: DeclaredStatistic(v) for k, v in shares.items()})
    texts = [joined(2), joined(5, "A.v > 50"), joined(10, "A.v > 80")]
    model = model_of(joins(texts, statistics=statistics)).groups[0]
    assert model.stored[0].tolist() == pytest.approx([1.0, 0.3, 0.2, 0.0])
