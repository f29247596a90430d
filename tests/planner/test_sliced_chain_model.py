"""The model of sliced joins against plans that are run tuple by tuple in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.groups import groups_of
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
from planner.plan.plan import Operator
from planner.workload.execution import DeclaredStatistic, Execution, RunSettings, Statistics
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from tests.planner.chain_simulation import Arrival, Counts, Simulation, arrivals, by_definition
from tests.planner.chains import COUNT_WINDOWS, FILTERED, HASHED, PER_VALUE, joined, joins, stream

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


def key_of(operator: Operator) -> tuple[Any, ...]:
    """By what the simulation counts an operator."""
    params = dict(operator.params)
    if operator.kind in ("survive", "split"):
        return operator.kind, params["source"]
    if operator.kind == "filter":
        return "filter", params["query"], params["condition"]
    if operator.kind == "output":
        return "output", params["query"]
    stored = operator
    while stored.kind != "slice":
        stored = stored.inputs[0]
    whose = [value for name, value in stored.params if name in ("query", "part")]
    condition = [params["condition"]] if operator.kind == "select" else []
    return operator.kind, params["start"], params["end"], *whose, *condition


def simulated(workload: Workload, label: str) -> tuple[dict[tuple[Any, ...], Counts], float]:
    """The counts of several runs together, and the seconds they measured."""
    (group,) = groups_of(workload)
    found: dict[tuple[Any, ...], Counts] = defaultdict(Counts)
    seconds = 0.0
    for seed in range(SEEDS):
        tuples = arrivals(workload, group, WARMUP + SECONDS, seed)
        run = Simulation(group, label, WARMUP).run(tuples, WARMUP + SECONDS)
        seconds += run.seconds
        for key, counts in run.counts.items():
            total = found[key]
            total.comparisons += counts.comparisons
            total.inserts += counts.inserts
            total.rows_out += counts.rows_out
            total.held += counts.held
    return found, seconds


def check(key: tuple[Any, ...], cost: Cost, counts: Counts, seconds: float) -> None:
    """What is counted lies as near to what is predicted as chance lets it."""
    compared = {
        "comparisons": (cost.comparisons, counts.comparisons),
        "inserts": (cost.inserts, counts.inserts),
        "rows_out": (cost.rows_out, counts.rows_out),
        "state_tuples": (cost.state_tuples, counts.held / 1e6),
    }
    if key[0] in ("survive", "split"):
        compared = {"comparisons": compared["comparisons"]}
    for field, (predicted, counted) in compared.items():
        # Many pairs are of few tuples.
        chance = 2.5 / math.sqrt(max(1.0, min(predicted, 6.0) * seconds))
        near = pytest.approx(predicted, rel=0.02 + chance)
        assert counted / seconds == near, (key, field)


@pytest.mark.parametrize("case", CASES)
def test_every_operator_does_what_the_model_says(case: str) -> None:
    workload, asked = CASES[case]
    plan = FAMILY.plan(workload, asked)
    costs = FAMILY.estimate(plan, workload).costs
    found, seconds = simulated(workload, plan.label)
    checked = 0
    for operator in plan.operators():
        if operator.kind not in ("arrive", "union"):
            check(key_of(operator), costs[operator.id], found[key_of(operator)], seconds)
            checked += 1
        elif operator.kind == "union" and plan.label.startswith("chain:"):
            entered = Cost(comparisons=costs[operator.id].comparisons)
            check(("entering",), entered, found[("entering",)], seconds)
    assert checked > len(workload.queries)


@pytest.mark.parametrize("label", ["unshared", "pull-up", "push-down", "chain:0-2-7-10"])
@pytest.mark.parametrize("execution", [HASHED, PER_VALUE])
def test_hashing_changes_the_price_of_probes_alone(label: str, execution: Execution) -> None:
    costs = []
    for method in (execution, Execution()):
        workload = joins(FILTERED, execution=method, streams=FEW_KEYS)
        plan = FAMILY.plan(workload, label)
        priced = FAMILY.estimate(plan, workload).costs
        costs.append([(operator.kind, priced[operator.id]) for operator in plan.operators()])
    for (kind, cost), (_, scanned) in zip(*costs, strict=True):
        expected = scanned.as_dict()
        if kind == "probe":
            assert cost.comparisons < scanned.comparisons
            expected["comparisons"] = cost.comparisons
        assert cost.as_dict() == pytest.approx(expected), kind


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_plan_gives_every_query_its_results_in_order(data: st.DataObject) -> None:
    texts = [
        joined(
            data.draw(st.sampled_from([1, 2, 3.5, 6])),
            *data.draw(st.lists(st.sampled_from(["A.v > 30", "A.v > 70", "B.v < 40"]), max_size=2)),
            right=data.draw(st.sampled_from([1, 2, 3.5, 6])),
        )
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    execution = data.draw(st.sampled_from([Execution(), HASHED, PER_VALUE]))
    workload = joins(texts, rates=(3, 2), execution=execution)
    (group,) = groups_of(workload)
    tuples = arrivals(workload, group, 15.0, seed=data.draw(st.integers(0, 99)))
    # Equal times are normal: half of the tuples are moved to whole seconds.
    tuples = [
        Arrival(t.ts - t.ts % 1_000_000 if t.number % 2 else t.ts, t.side, t.number, t.values)
        for t in tuples
    ]
    tuples.sort(key=lambda t: (t.ts, t.side, t.number))
    numbered = [0, 0]
    for place, one in enumerate(tuples):
        tuples[place] = Arrival(one.ts, one.side, numbered[one.side], one.values)
        numbered[one.side] += 1
    labels = [plan.label for plan in FAMILY.candidates(workload)]
    label = data.draw(st.sampled_from(labels))
    run = Simulation(group, label, 0.0).run(tuples, 15.0)
    for member in group.members:
        expected = by_definition(group, member, tuples)
        assert sorted(run.results[member.query]) == sorted(expected), label


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
    (group,) = groups_of(workload)
    sides, numbers = [0, 0, 0, 1, 1], [0, 1, 2, 0, 1]
    tuples = [
        Arrival(second * 1_000_000, side, number, {"k": 1, "v": 2, "u": 1})
        for second, (side, number) in enumerate(zip(sides, numbers, strict=True), start=1)
    ]
    run = Simulation(group, "chain:0-2-4", 0.0).run(tuples, 6.0)
    assert run.results["Q1"] == [(2, 0)]
    b1 = [pair for pair in run.results["Q2"] if pair[1] == 0]
    b2 = [pair for pair in run.results["Q2"] if pair[1] == 1]
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
    plan = FAMILY.plan(GIVEN, label)
    estimate = FAMILY.estimate(plan, GIVEN)
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
