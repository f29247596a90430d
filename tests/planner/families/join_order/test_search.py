"""Search: the exact program, the ranking and best-first agree with plain enumeration."""

from __future__ import annotations

import re
from itertools import islice, permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.join_order import JoinOrder
from planner.families.join_order.heuristic import MOST_MOVES
from planner.families.join_order.model import model_of
from planner.families.join_order.order_pricer import step_table
from planner.families.join_order.plans import algorithm_of
from planner.families.join_order.search import best_first, cost_to_go
from planner.plan.cost import UnitCosts, Units, rounded, total
from planner.seconds.units import default_units
from planner.workload.execution import Execution
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.spaces import ranked_by_seconds, why
from tests.planner.workloads import EIGHT, TABLE_5, TABLE_7, Row, equality_join

FAMILY = JoinOrder()

rates = st.sampled_from([0.5, 1, 2, 3, 10, 100])
seconds = st.sampled_from([0.5, 10, 50, 100, 200])
distinct = st.sampled_from([1, 2, 5, 40, 50, 65, 500])
rows = st.lists(st.tuples(rates, seconds, distinct), min_size=2, max_size=4)
executions = st.sampled_from(
    [
        Execution(),
        Execution(join="hash", buckets=7),
        Execution(join="hash"),
        Execution(join={"S1": "hash", "S2": "hash"}, buckets={"S1": 3}),
    ]
)
workloads = st.builds(equality_join, rows, executions)


def by_definition(workload: Workload) -> list[tuple[float, str]]:
    """Every order's comparisons, summed over the operators of its plan, cheapest first."""
    aliases = [source.alias for source in workload.queries[0].sources]
    found = []
    for order in permutations(aliases):
        plan = FAMILY.space(workload).plan(",".join(order))
        costs = FAMILY.space(workload).estimate(plan).costs
        found.append((total(costs, [plan.roots[0].id]).comparisons, plan.label))
    return sorted(found)


@examples(25)
@given(workloads)
def test_search_agrees_with_enumeration(workload: Workload) -> None:
    expected = by_definition(workload)
    model = model_of(workload)
    table = step_table(model)
    assert float(cost_to_go(table)[0]) == pytest.approx(expected[0][0], rel=1e-9)
    assert float(cost_to_go(table, worst=True)[0]) == pytest.approx(expected[-1][0], rel=1e-9)
    ranked = FAMILY.space(workload).rank()
    costs = {label: cost for cost, label in expected}
    in_order = [(rounded(c.score), c.label) for c in ranked.candidates]
    assert [score for score, _ in in_order] == sorted(score for score, _ in in_order)
    multiway = [(score, label) for score, label in in_order if algorithm_of(label) == "multiway"]
    assert multiway == sorted(multiway)
    found = {label: score for score, label in multiway}
    assert found == pytest.approx(costs, rel=1e-9)
    lazily = best_first(table, cost_to_go(table), model.aliases)
    assert [model.label(order) for _, order in lazily] == list(found)
    assert FAMILY.space(workload).best().label == ranked.best == in_order[0][1]


@examples(25)
@given(rows)
def test_renaming_streams_renames_labels_only(table: list[Row]) -> None:
    names = [f"S{place}" for place in range(1, len(table) + 1)]
    shifted = [*names[1:], names[0]]
    plain = equality_join(table)
    renamed = equality_join(table, names=shifted)
    again = dict(zip(names, shifted, strict=True))
    before = {c.label: c.score for c in FAMILY.space(plain).rank().candidates}
    after = {c.label: c.score for c in FAMILY.space(renamed).rank().candidates}
    renaming = re.compile("|".join(names))
    moved = {
        renaming.sub(lambda name: again[name[0]], label): cost for label, cost in before.items()
    }
    assert after == pytest.approx(moved)


@given(rows, st.sampled_from([2.0, 10.0]))
@examples(25)
def test_slower_streams_in_longer_windows_cost_less_in_proportion(
    table: list[Row], factor: float
) -> None:
    stretched = [(rate / factor, span * factor, values) for rate, span, values in table]
    before = FAMILY.space(equality_join(table)).rank(top=1).candidates[0]
    after = FAMILY.space(equality_join(stretched)).rank(top=1).candidates[0]
    assert after.score == pytest.approx(before.score / factor)


def test_the_best_and_the_baseline_are_listed_with_tags() -> None:
    ranking = FAMILY.space(equality_join(TABLE_7)).rank(top=3)
    assert [c.label for c in ranking.candidates] == [
        "S3,S1,S4,S2",
        "S4,S1,S3,S2",
        "S3,S4,S1,S2",
        "S1,S2,S3,S4",
    ]
    tags = [c.tags for c in ranking.candidates]
    assert tags == [("best", "augmented heuristic"), (), ("heuristic",), ("baseline",)]
    assert (ranking.considered, ranking.truncated) == (48, False)
    every = FAMILY.space(equality_join(TABLE_7)).rank().candidates
    multiway = [c for c in every if not c.label.startswith("naive:")]
    assert len(multiway) == len(every) - len(multiway) == 24
    assert "worst" in every[-1].tags, "naive orders count, too"


def test_eight_streams_have_no_room_for_naive_orders() -> None:
    ranking = FAMILY.space(equality_join(EIGHT)).rank(top=2)
    assert (ranking.considered, ranking.truncated) == (factorial(8), False)
    ((label, why),) = ranking.excluded
    assert label == "naive:S1,S2,S3,S4,S5,S6,S7,S8"
    assert "40,320 naive orders" in why
    assert FAMILY.space(equality_join(EIGHT)).plan(label).label == label


def test_many_streams_are_ranked_without_listing_all() -> None:
    workload = equality_join([*EIGHT, *EIGHT[:4]])
    ranking = FAMILY.space(workload).rank(top=20)
    scores = [c.score for c in ranking.candidates]
    assert len(scores) == 21
    assert scores == sorted(scores)
    assert (ranking.considered, ranking.truncated) == (factorial(12), True)
    assert ranking.candidates[0].score == pytest.approx(
        FAMILY.space(workload).scores([ranking.best])[0]
    )


def test_equal_streams_rank_by_label_alone() -> None:
    names = [f"S{place}" for place in range(1, 13)]
    workload = equality_join([(2, 10, 30)] * 12)
    model = model_of(workload)
    table = step_table(model)
    lazily = best_first(table, cost_to_go(table), model.aliases)
    labels = [model.label(order) for _, order in islice(lazily, 2)]
    expected = sorted(names, key=lambda name: name + ",")
    assert labels == [",".join(expected), ",".join([*expected[:-2], expected[-1], expected[-2]])]


UNITS = UnitCosts(Units(2.0, 5.0, 7.0, 0.0, 11.0), "declared")


@examples(15)
@given(workloads)
def test_seconds_are_the_sum_over_operators(workload: Workload) -> None:
    ranking = ranked_by_seconds(FAMILY.space(workload, UNITS), None)
    for candidate in ranking.candidates[:24]:
        plan = FAMILY.space(workload).plan(candidate.label)
        costs = FAMILY.space(workload).estimate(plan).costs
        spent = sum(UNITS.seconds(op.kind, costs[op.id]) for op in plan.operators())
        assert candidate.seconds == candidate.score == pytest.approx(spent)
    scores = [rounded(c.score) for c in ranking.candidates]
    assert ranking.by.figure == "seconds"
    assert scores == sorted(scores)


def test_without_unit_costs_there_are_defaults() -> None:
    workload = equality_join(TABLE_5)
    assert ranked_by_seconds(FAMILY.space(workload), 3) == ranked_by_seconds(
        FAMILY.space(workload, default_units()), 3
    )
    assert all(c.seconds for c in FAMILY.space(workload).rank(top=3).candidates)


def test_many_fast_streams_are_moved_one_by_one() -> None:
    slow = [(1.0, 100.0, 50 + place) for place in range(8)]
    fast = [(20.0, 100.0, 900 + place) for place in range(6)]
    trace = FAMILY.space(equality_join([*slow, *fast])).heuristic()
    kept = trace.steps[-1]
    assert kept.kind == "keep"
    assert trace.augmented_cost <= trace.heuristic_cost
    assert int(kept.text.split()[1].replace(",", "")) <= MOST_MOVES


def test_the_trace_names_the_pair_the_fast_stream_and_the_gain() -> None:
    steps = FAMILY.space(equality_join(TABLE_7)).heuristic().steps
    assert steps[0].text.startswith("S3 and S4 join most selectively")
    assert [s.text.split()[0] for s in steps if s.kind == "fast"] == ["S1", "S2"]
    moves = {s.label: s.cost for s in steps if s.kind == "move"}
    assert moves["S3,S1,S4,S2"] == pytest.approx(47976.9, abs=0.05)
    assert (steps[-1].kind, steps[-1].label) == ("keep", "S3,S1,S4,S2")


def test_the_answer_says_who_wins_why_and_what_comes_close() -> None:
    def answer(workload: Workload) -> str:
        return FAMILY.space(workload).explanation(FAMILY.space(workload).rank(top=10)).answer

    assert answer(equality_join(TABLE_5)) == (
        "S1 first, then S2, S3, S4 wins: 16,000 comparisons per second of stream, 142x cheaper "
        "than the worst plan; the query is written in this order already."
    )
    assert " cheaper than the order as written, " in answer(equality_join(TABLE_5[::-1]))
    assert answer(equality_join(TABLE_7)).endswith("; 1 other plan is as cheap.")
    assert answer(equality_join(TABLE_5[:2])).endswith("both orders cost the same.")


def test_why_sets_the_exact_search_beside_the_heuristic() -> None:
    assert "finds none cheaper" in why(FAMILY.space(equality_join(TABLE_5)))[-1]
    hybrid = Execution(join={"S1": "hash", "S3": "hash"}, buckets={"S1": 7})
    assert "above it" in why(FAMILY.space(equality_join(TABLE_7, hybrid)))[-1]
