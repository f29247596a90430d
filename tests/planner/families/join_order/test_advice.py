"""Index advice: exact against trying every split, never worse than others, never of no use."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.join_order import JoinOrder
from planner.families.join_order.advice import advice_search
from planner.families.join_order.advice.advice_search import Advising
from planner.families.join_order.advice.bucket_costs import Choices, pricing_of
from planner.families.join_order.model import model_of
from planner.plan.cost import UnitCosts
from planner.plan.index_advice import MOST_BUCKETS, Advice, advised_execution
from planner.seconds.units import declared_units
from planner.workload.execution import Every, Execution
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.join_graphs import GRAPH_SAMPLES, chain, graph_join, mixed_join
from tests.planner.workloads import (
    EIGHT,
    SAMPLES,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    equality_join,
    self_join,
)

FAMILY = JoinOrder()
LAZY = Execution(evaluate=Every(5))
UNITS = {"compare": 1e-9, "insert": 1e-7, "expire": 1e-8, "output": 1e-7}
EVERY = SAMPLES | GRAPH_SAMPLES


def indexed(workload: Workload, buckets: tuple[int, ...]) -> Workload:
    """The workload with so many buckets for each source; one bucket is a scan."""
    counts = dict(zip((s.alias for s in workload.queries[0].sources), buckets, strict=True))
    execution = replace(
        workload.execution,
        join={alias: "hash" if count > 1 else "nested" for alias, count in counts.items()},
        buckets=counts,
    )
    return replace(workload, execution=execution)


def cost_of(workload: Workload, upkeep: bool = False) -> float:
    """The cost of the family's best plan, its operators added up where upkeep counts.

    With upkeep a plan that uses fewer indexes may be the cheapest, so that all plans are compared.
    """
    if not upkeep:
        return FAMILY.space(workload).rank(top=1).candidates[0].score
    ranking = FAMILY.space(workload).rank()
    return min(c.score + c.cost.inserts + c.cost.expirations for c in ranking.candidates)


def splits(workload: Workload, budget: int) -> list[tuple[int, ...]]:
    """Every way to give buckets to windows with one join attribute each, within the budget."""
    each = [1, *range(2, budget + 1)]
    found = product(each, repeat=len(workload.queries[0].sources))
    return [counts for counts in found if sum(c for c in counts if c > 1) <= budget]


rows = st.tuples(
    st.sampled_from([1.0, 3.0, 10.0]), st.sampled_from([0.2, 5.0, 20.0]), st.integers(1, 12)
)


@given(
    st.lists(rows, min_size=2, max_size=3),
    st.integers(1, 7),
    st.sampled_from([Execution(), LAZY, Execution(expire=Every(2)), Execution(join="hash")]),
    st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=3),
    st.booleans(),
)
@examples(25)
def test_exact_advice_is_what_trying_every_split_finds(
    rows: list[tuple[float, float, int]],
    budget: int,
    execution: Execution,
    zipf: list[float],
    upkeep: bool,
) -> None:
    workload = equality_join(rows, execution)
    streams = tuple(
        Stream(s.name, s.rate, {"attr": Attribute(s.attributes["attr"].distinct, zipf=e)})
        for s, e in zip(workload.streams, zipf, strict=False)
    )
    workload = replace(workload, streams=streams)
    advice = FAMILY.space(workload).advise(budget, upkeep)
    assert advice.method == "exact"
    tried = [cost_of(indexed(workload, counts), upkeep) for counts in splits(workload, budget)]
    assert advice.cost == pytest.approx(min(tried), rel=1e-9)


@pytest.mark.parametrize("execution", [Execution(), LAZY], ids=["eager", "lazy"])
def test_exact_advice_on_a_join_graph_is_what_trying_every_split_finds(
    execution: Execution,
) -> None:
    workload = graph_join([(2, 30), (5, 10), (3, 20)], chain(3), execution)
    advice = FAMILY.space(workload).advise(12)
    assert advice.method == "exact"
    # S2 joins on two attributes and keeps an index for each.
    tried = [
        cost_of(indexed(workload, (a, b, c)))
        for a, b, c in product(range(1, 13), range(1, 7), range(1, 13))
        if sum(taken for taken, count in ((a, a), (2 * b, b), (c, c)) if count > 1) <= 12
    ]
    assert advice.cost == pytest.approx(min(tried), rel=1e-9)
    assert [window.memory for window in advice.windows][1] in (0, 2 * advice.windows[1].buckets)


@pytest.mark.parametrize("upkeep", [False, True], ids=["comparisons", "upkeep"])
@pytest.mark.parametrize("workload", EVERY.values(), ids=EVERY)
def test_advice_is_never_worse_than_none_or_an_equal_split(
    workload: Workload, upkeep: bool
) -> None:
    advice = FAMILY.space(workload).advise(30, upkeep)
    assert advice.used <= 30
    for point in advice.curve:
        assert point.advised <= point.equal * (1 + 1e-9)
    costs = [point.advised for point in advice.curve]
    assert costs == sorted(costs, reverse=True), "more buckets never cost more"
    assert costs[0] == pytest.approx(advice.none.cost)
    assert costs[-1] == advice.cost
    assert all(w.saves >= 0 and w.buckets <= w.most_useful for w in advice.windows)


@pytest.mark.parametrize("workload", EVERY.values(), ids=EVERY)
def test_the_advised_cost_is_that_of_the_advised_plan(workload: Workload) -> None:
    advice = FAMILY.space(workload).advise(25)
    changed = replace(workload, execution=advised_execution(workload.execution, advice))
    assert FAMILY.space(changed).scores([advice.plan]) == pytest.approx((advice.cost,))
    assert FAMILY.space(changed).best().label == advice.plan
    bare = replace(workload, execution=replace(workload.execution, join="nested"))
    assert cost_of(bare) == pytest.approx(advice.none.cost)
    equal = indexed(workload, advice.equal.buckets)
    assert FAMILY.space(equal).scores([advice.equal.plan]) == pytest.approx((advice.equal.cost,))


@pytest.mark.parametrize("units", [None, UNITS], ids=["operations", "seconds"])
def test_with_upkeep_every_operator_is_paid_for(units: dict[str, float] | None) -> None:
    execution = Execution(evaluate=Every(5), unit_costs=units)
    workload = equality_join(TABLE_7, execution)
    clock: UnitCosts | None = declared_units(workload)
    advice = FAMILY.space(workload).advise(40, upkeep=True, units=clock)
    changed = replace(workload, execution=advised_execution(execution, advice))
    plan = FAMILY.space(changed).plan(advice.plan)
    costs = FAMILY.space(changed).estimate(plan).costs
    if clock is None:
        spent = sum(c.comparisons + c.inserts + c.expirations for c in costs.values())
    else:
        spent = sum(clock.seconds(op.kind, costs[op.id]) for op in plan.operators())
    assert advice.cost == pytest.approx(spent)
    assert advice.unit == ("operations/s" if clock is None else "s of work per s")


@pytest.mark.parametrize("execution", [Execution(), LAZY], ids=["eager", "lazy"])
@pytest.mark.parametrize("rows", [TABLE_5, TABLE_6, TABLE_7, EIGHT[:5]])
def test_plan_and_split_in_turn_comes_near_the_exact_one(
    rows: tuple[tuple[float, float, int], ...],
    execution: Execution,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workload = equality_join(rows, execution)
    exact = FAMILY.space(workload).advise(40)
    assert exact.method == "exact"
    monkeypatch.setattr(advice_search, "MOST_SUMS", 0)
    monkeypatch.setattr(advice_search, "MOST_BOXED_SOURCES", 0)
    greedy = FAMILY.space(workload).advise(40)
    assert greedy.method == "greedy"
    assert exact.cost <= greedy.cost * (1 + 1e-12)
    assert greedy.cost <= 1.05 * exact.cost


def test_a_search_that_is_cut_short_does_not_call_itself_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workload = equality_join(TABLE_7, LAZY)
    assert FAMILY.space(workload).advise(40).method == "exact"
    monkeypatch.setattr(advice_search, "MOST_BOXED", 0)
    assert FAMILY.space(workload).advise(40).method == "greedy"


def test_a_window_that_is_not_looked_up_by_equality_is_never_indexed() -> None:
    advice = FAMILY.space(mixed_join()).advise(100)
    by_source = {window.source: window for window in advice.windows}
    assert (by_source["C"].buckets, by_source["C"].most_useful) == (1, 1), "a band alone"
    assert by_source["R"].buckets > 1, "a relation is looked up like a window"


def test_buckets_that_gain_nothing_are_left() -> None:
    workload = equality_join([(10, 100, 4), (1, 100, 6)])
    advice = FAMILY.space(workload).advise(MOST_BUCKETS)
    assert [window.buckets for window in advice.windows] == [6, 6], "a bucket for every value"
    assert (advice.used, advice.curve[-1].budget) == (12, MOST_BUCKETS)
    per_value = replace(workload, execution=Execution(join="hash"))
    assert advice.cost == pytest.approx(cost_of(per_value))


def test_one_bucket_is_no_index() -> None:
    advice = FAMILY.space(equality_join(TABLE_5)).advise(1)
    assert (advice.used, advice.join, advice.buckets) == (0, "nested", {})
    assert (advice.cost, advice.worth_most) == (16000, None)
    assert advice.answer() == "Index nothing: a budget of 1 saves no comparisons."


def test_upkeep_makes_many_buckets_dear() -> None:
    """Expiring often, every bucket is visited often: Section 6.5's largest tables hurt."""
    workload = equality_join([(1, 10, 400), (1, 10, 400)], Execution(expire=Every(0.1)))
    free = FAMILY.space(workload).advise(400)
    dear = FAMILY.space(workload).advise(400, upkeep=True)
    assert free.used == 400
    assert dear.used < 50
    assert dear.cost < dear.equal.cost


def section_6_5() -> Workload:
    """Three slow streams and one fifty times faster, evaluated and expired every 5 s."""
    return equality_join([(1, 100, 50), (1, 100, 50), (1, 100, 50), (50, 100, 50)], LAZY)


@pytest.mark.parametrize("upkeep", [False, True], ids=["comparisons", "upkeep"])
@pytest.mark.parametrize("average", [2, 4, 8, 12])
def test_the_papers_strategies_are_never_cheaper(average: int, upkeep: bool) -> None:
    workload = section_6_5()
    total = 4 * average
    strategies = [(average,) * 4]
    strategies += [(b, b, b, total - 3 * b) for b in (1, 5, 10) if total - 3 * b > b]
    advice = FAMILY.space(workload).advise(total, upkeep)
    costs = [cost_of(indexed(workload, counts), upkeep) for counts in strategies]
    assert all(advice.cost <= cost * (1 + 1e-9) for cost in costs)
    assert advice.equal.cost == pytest.approx(costs[0])


def test_the_answer_names_buckets_and_gains() -> None:
    advice = FAMILY.space(equality_join(TABLE_5)).advise(60)
    counts = advice.buckets
    listed = f"S1 with {counts['S1']}, S2 with {counts['S2']}, S3 with {counts['S3']}"
    gain = f"{16000 / advice.cost:.2g}x fewer comparisons than without indexes"
    assert advice.answer().startswith(f"Index {listed} and S4 with {counts['S4']} buckets: {gain},")
    most = advice.worth_most
    assert most is not None
    assert most.saves_per_bucket == max(w.saves / w.buckets for w in advice.windows)


def test_the_exact_curve_is_the_advice_for_every_budget() -> None:
    workload = equality_join(TABLE_6)
    advice = FAMILY.space(workload).advise(30)
    assert advice.curve_method == "exact"
    for point in advice.curve[1::5]:
        assert FAMILY.space(workload).advise(point.budget).cost == pytest.approx(point.advised)


def test_self_joins_and_many_streams_are_advised() -> None:
    assert FAMILY.space(self_join()).advise(20).method == "exact"
    sixteen = [(1 + place % 3, 10.0, 20 + place) for place in range(16)]
    advice: Advice = FAMILY.space(equality_join(sixteen)).advise(40)
    assert advice.method == "greedy"
    assert advice.cost < advice.equal.cost


@pytest.mark.parametrize("budget", [0, -3, MOST_BUCKETS + 1])
def test_a_budget_out_of_range_is_said(budget: int) -> None:
    with pytest.raises(PlanError, match=f"buckets: must be from 1 to {MOST_BUCKETS:,}"):
        FAMILY.space(equality_join(TABLE_5)).advise(budget)


def test_the_tables_price_every_choice_as_the_family_does() -> None:
    workload = self_join()
    model = model_of(workload)
    choices = Choices(model, pricing_of(model, upkeep=False, units=None), 18)
    search = Advising(choices)
    for budget in range(0, 19, 3):
        found = search.best(budget)
        assert found.cost == pytest.approx(cost_of(indexed(workload, found.buckets)))
