"""Re-planning: when the best order changes, what staying costs, and the threshold rule."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest

from planner.errors import PlanError
from planner.families.join_order import JoinOrder
from planner.report.replanning_report import against, answer, notes
from planner.whatif import replanning
from planner.whatif.rates import RateTrace, day_and_night
from planner.whatif.replanning import THRESHOLDS, bands, replan
from planner.workload.execution import Every, Execution
from planner.workload.workload import Workload
from tests.planner.workloads import EIGHT, HASHED, TABLE_5, TABLE_7, equality_join, self_join

FAMILY = JoinOrder()
WORKLOAD = equality_join(TABLE_7)
NAMES = ("S1", "S2", "S3", "S4")
#            S3,S1,S4,S2 is best | S4,S1,S2,S3 is best     | as before
SWAPPED = RateTrace(
    NAMES, (0, 500, 1000), ((11, 10, 1, 1), (11, 10, 10, 0.1), (11, 10, 1, 1)), 1500
)


def at(workload: Workload, rates: dict[str, float]) -> Workload:
    """The workload with these rates, built without the code under test."""
    streams = (replace(s, rate=rates.get(s.name, s.rate)) for s in workload.streams)
    return replace(workload, streams=tuple(streams))


def priced(workload: Workload, trace: RateTrace, labels: list[str]) -> list[tuple[float, ...]]:
    """What each plan costs per second in each interval."""
    cells = [at(workload, dict(zip(trace.streams, row, strict=True))) for row in trace.rates]
    return [FAMILY.space(cell).scores(labels) for cell in cells]


def total(costs: list[float], trace: RateTrace) -> float:
    return sum(c * s for c, s in zip(costs, trace.seconds, strict=True))


def random_trace(seed: int, rows: int = 12, names: tuple[str, ...] = NAMES) -> RateTrace:
    source = random.Random(seed)
    rates = [tuple(10 ** source.uniform(-1, 2) for _ in names) for _ in range(rows)]
    ends = [source.uniform(1, 1000) for _ in range(rows)]
    times = [sum(ends[:place]) for place in range(rows)]
    return RateTrace(names, tuple(times), tuple(rates), sum(ends))


def test_rates_that_swap_change_the_best_order() -> None:
    found = replan(WORKLOAD, SWAPPED, FAMILY, 0.5)
    assert found.oracle.plans == ("S3,S1,S4,S2", "S4,S1,S2,S3", "S3,S1,S4,S2")
    assert found.oracle.changed_at == (500, 1000)
    assert found.stay.plans == ("S3,S1,S4,S2",) * 3
    assert found.stay.costs[1] > 5.9 * found.oracle.costs[1]
    assert found.stay.total > found.hindsight.total > found.oracle.total
    assert list(bands(SWAPPED, found.oracle)) == [
        ("S3,S1,S4,S2", 0, 500),
        ("S4,S1,S2,S3", 500, 1000),
        ("S3,S1,S4,S2", 1000, 1500),
    ]
    assert list(bands(SWAPPED, found.stay)) == [("S3,S1,S4,S2", 0, 1500)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rows", [TABLE_5, TABLE_7])
def test_policies_agree_with_brute_force(seed: int, rows: tuple[tuple[float, float, int]]) -> None:
    workload, trace = equality_join(rows), random_trace(seed)
    orders = [",".join(order) for order in permutations(NAMES)]
    labels = [*orders, *(f"naive:{order}" for order in orders)]
    costs = priced(workload, trace, labels)
    found = replan(workload, trace, FAMILY, 0.3)
    assert found.oracle.costs == pytest.approx([min(row) for row in costs])
    singles = [total([row[place] for row in costs], trace) for place in range(len(labels))]
    assert found.hindsight.total == pytest.approx(min(singles))
    assert (found.compared, found.exact) == (48, True)
    first = labels.index(found.oracle.plans[0])
    assert costs[0][first] == min(costs[0])
    assert found.stay.total == pytest.approx(singles[first])
    for policy in (found.stay, found.rule, found.oracle, found.hindsight):
        paid = [row[labels.index(p)] for row, p in zip(costs, policy.plans, strict=True)]
        assert policy.costs == pytest.approx(paid)
        assert policy.total == pytest.approx(total(paid, trace))
        assert policy.total >= found.oracle.total * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_threshold_lies_between_staying_and_always_switching(seed: int) -> None:
    trace = random_trace(seed)
    never = replan(WORKLOAD, trace, FAMILY, 1e6)
    assert (never.rule.plans, never.rule.planned_at) == (never.stay.plans, ())
    always = replan(WORKLOAD, trace, FAMILY, 0.0)
    assert always.rule.costs == pytest.approx(always.oracle.costs)
    assert always.rule.planned_at == trace.times[1:], "every row has other rates"


def test_the_rule_compares_with_the_rates_of_the_last_planning() -> None:
    # Steps of 20%: a rule of 30% sees none of them alone, but two together, and the last fall.
    rates = (1.0, 1.2, 1.44, 1.728, 1.44, 1.1)
    trace = RateTrace(("S1",), tuple(range(6)), tuple((rate,) for rate in rates), 6)
    assert replan(WORKLOAD, trace, FAMILY, 0.3).rule.planned_at == (2, 5)
    assert replan(WORKLOAD, trace, FAMILY, 0.19).rule.planned_at == (1, 2, 3, 4, 5)
    # Down counts like up: from 2 to 1 is a factor of 2, a change of 100%.
    halved = RateTrace(("S1",), (0, 1), ((2.0,), (1.0,)), 2)
    assert replan(WORKLOAD, halved, FAMILY, 0.99).rule.planned_at == (1,)
    assert replan(WORKLOAD, halved, FAMILY, 1.0).rule.planned_at == ()


def test_streams_that_the_query_does_not_read_trigger_nothing() -> None:
    other = replace(WORKLOAD.streams[0], name="other")
    workload = replace(WORKLOAD, streams=(*WORKLOAD.streams, other))
    trace = RateTrace(("other",), (0, 1), ((1,), (100,)), 2)
    found = replan(workload, trace, FAMILY, 0.1)
    assert (found.rule.planned_at, found.oracle.planned_at) == ((), ())
    assert found.trace.streams == NAMES


def test_a_plan_stays_where_no_other_is_cheaper() -> None:
    workload = equality_join([(1, 10, 5)] * 3)
    rates = ((1, 1, 1), (2, 2, 2), (3, 3, 3))
    found = replan(workload, RateTrace(NAMES[:3], (0, 1, 2), rates, 3), FAMILY, 0.0)
    assert found.oracle.planned_at == (1, 2)
    assert found.oracle.changed_at == ()
    assert "is the best plan throughout" in answer(found)


def test_a_stream_that_falls_silent_costs_nothing_to_begin_with() -> None:
    trace = RateTrace(("S2",), (0, 500), ((10,), (0,)), 1000)
    found = replan(WORKLOAD, trace, FAMILY, 1e6)
    assert found.oracle.plans[1].startswith("S2,")
    assert found.oracle.costs[1] == 0
    assert found.stay.costs[1] > 0
    assert found.rule.planned_at == (500,), "from something to nothing is beyond every threshold"
    silent = RateTrace(NAMES, (0, 500), ((0,) * 4, (0,) * 4), 1000)
    quiet = replan(WORKLOAD, silent, FAMILY)
    assert (quiet.oracle.total, quiet.stay.total, quiet.oracle.changed_at) == (0, 0, ())
    near = RateTrace(("S2",), (0, 500), ((10,), (1e-7,)), 1000)
    almost = replan(WORKLOAD, near, FAMILY).stay.costs[1]
    assert found.stay.costs[1] == pytest.approx(almost, rel=1e-4), "nothing is the limit of little"


def test_intervals_shorter_than_windows_are_told() -> None:
    trace = RateTrace(("S1",), (0, 50, 150), ((1,), (2,), (3,)), 200)
    found = replan(WORKLOAD, trace, FAMILY)
    assert found.settled == (False, True, False)
    assert "2 of 3 intervals are shorter than the longest window" in notes(found)[0]
    assert notes(replan(WORKLOAD, SWAPPED, FAMILY)) == ()


def test_the_sweep_shows_both_axes_and_advises_the_fewest_plannings() -> None:
    trace = random_trace(11, rows=20)
    found = replan(WORKLOAD, trace, FAMILY, 0.33)
    assert [level for level, _ in found.sweep] == sorted({*THRESHOLDS, 0.33})
    for level, policy in found.sweep:
        assert policy == replan(WORKLOAD, trace, FAMILY, level).rule
    totals = {level: policy.total for level, policy in found.sweep}
    counts = {level: len(policy.planned_at) for level, policy in found.sweep}
    near = [level for level, cost in totals.items() if cost <= 1.01 * min(totals.values())]
    assert found.advised in near
    assert counts[found.advised] == min(counts[level] for level in near)
    assert found.under(0.5).rule == replan(WORKLOAD, trace, FAMILY, 0.5).rule


@pytest.mark.parametrize(
    "workload",
    [
        self_join(),
        equality_join(TABLE_5, HASHED),
        equality_join(TABLE_5, Execution(evaluate=Every(5))),
    ],
    ids=["self-join", "hashed", "lazy"],
)
def test_other_joins_are_followed_too(workload: Workload) -> None:
    found = replan(workload, day_and_night(workload), FAMILY)
    assert found.oracle.total <= found.rule.total <= found.stay.total * (1 + 1e-9)
    assert found.oracle.total <= found.hindsight.total <= found.stay.total * (1 + 1e-9)


def test_of_many_plans_those_that_win_somewhere_are_compared() -> None:
    workload = equality_join(EIGHT)
    found = replan(workload, day_and_night(workload), FAMILY)
    assert not found.exact
    assert found.compared == len(
        {FAMILY.space(found.trace.at(p, workload)).best().label for p in range(24)}
    )
    assert "others were not compared" in notes(found)[-1]


def test_the_answer_names_the_times_and_the_saving() -> None:
    said = answer(replan(WORKLOAD, SWAPPED, FAMILY, 0.5))
    assert said.startswith("Switching at 500 s and 1,000 s saves ")
    assert "x against staying with S3,S1,S4,S2" in said
    assert said.endswith("50% re-plans twice and costs as little as always switching.")
    assert "never re-plans and costs " in answer(replan(WORKLOAD, SWAPPED, FAMILY, 99.0))
    many = answer(replan(WORKLOAD, random_trace(3, rows=30), FAMILY))
    assert " times (first at " in many
    found = replan(WORKLOAD, SWAPPED, FAMILY)
    best = replace(found, oracle=replace(found.oracle, total=100))
    policies = [replace(found.rule, total=x) for x in (100, 102, 180, 250)]
    assert [against(best, policy) for policy in policies] == [
        *("the same", "2% more", "80% more", "2.5x"),
    ]
    most = replace(best, by=replace(best.by, best="highest"))
    policies = [replace(found.rule, total=x) for x in (100, 98)]
    assert [against(most, policy) for policy in policies] == ["the same", "2% less"]


def test_the_answer_where_switching_costs_nothing() -> None:
    workload = equality_join([(1, 10, 5), (2, 10, 50), (3, 10, 500)])
    # Nothing is compared while the first loop is empty: first S1 is silent, then S3.
    trace = RateTrace(NAMES[:3], (0, 1), ((0, 2, 3), (1, 2, 0)), 2)
    found = replan(workload, trace, FAMILY, 0.0)
    assert (found.oracle.total, found.stay.total > 0) == (0, True)
    assert "saves all the work against staying with S1," in answer(found)
    seldom = replace(found, rule=found.stay)
    assert "and costs more than always switching" in answer(seldom)


def test_what_cannot_be_followed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (-0.1, float("nan"), 1e9):
        with pytest.raises(PlanError, match="--threshold: must be"):
            replan(WORKLOAD, SWAPPED, FAMILY, wrong)
    long = equality_join([(1, 1e10, 5)] * 18)
    names = tuple(s.name for s in long.streams)
    huge = RateTrace(names, (0, 1), ((1.0,) * 18, (1e9,) * 18), 2)
    with pytest.raises(
        PlanError, match=r"^the trace, row 2: join_order: the windows' product is near 1e342"
    ):
        replan(long, huge, FAMILY)
    monkeypatch.setattr(replanning, "MOST_SECONDS", -1.0)
    with pytest.raises(PlanError, match="fewer intervals or streams"):
        replan(WORKLOAD, SWAPPED, FAMILY)
