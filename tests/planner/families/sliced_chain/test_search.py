"""CPU-Opt and the trade-off of memory and CPU: exact on random workloads, whatever the search."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given

from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.chain_search.chains import GroupChains, Places
from planner.families.sliced_chain.space import ChainPlans
from planner.plan.cost import total
from planner.workload.execution import Execution
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.chains import FILTERED, HASHED, PER_VALUE, joined, joins
from tests.planner.spaces import why

FAMILY = SlicedChain()
CONDITIONS = ["A.v > 30", "A.v > 60", "A.v > 90", "B.v < 40", "A.u > 50"]


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    lengths = st.integers(1, 40).map(lambda tenths: tenths / 10)
    even = draw(st.booleans())
    texts = []
    for _ in range(draw(st.integers(1, 6))):
        left = draw(lengths)
        right = left if even else draw(lengths)
        asked = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True))
        texts.append(joined(left, *asked, right=right))
    methods = [Execution(), HASHED, PER_VALUE]
    execution = replace(draw(st.sampled_from(methods)), c_sys=draw(st.sampled_from([0, 0.5, 4])))
    rates = draw(st.sampled_from([(0.5, 2), (5, 5), (60, 20)]))
    return joins(texts, rates=rates, execution=execution)


def every_merging(chains: GroupChains) -> list[Places]:
    last = chains.edges.last
    inner = range(1, last)
    return [(*c, last) for n in range(last) for c in combinations(inner, n)]


@examples(40)
@given(workload=workloads())
def test_cpu_opt_is_the_cheapest_of_all_mergings(workload: Workload) -> None:
    (chains,) = ChainPlans(workload).chains
    assume(chains.edges.last <= 9)
    least = min(map(chains.score, every_merging(chains)))
    assert chains.score(chains.cheapest) == pytest.approx(least, rel=1e-9)


@examples(25)
@given(workload=workloads(), data=st.data())
def test_slices_are_priced_as_their_operators_are(workload: Workload, data: st.DataObject) -> None:
    plans = ChainPlans(workload)
    (chains,) = plans.chains
    places = tuple(sorted(data.draw(st.sets(st.integers(1, chains.edges.last)))))
    label = plans.label([(*(p for p in places if p < chains.edges.last), chains.edges.last)])
    plan = FAMILY.space(workload).plan(label)
    costs = FAMILY.space(workload).estimate(plan).costs
    priced = total(costs, [root.id for root in plan.roots])
    assert plans.cost(label).as_dict() == pytest.approx(priced.as_dict(), rel=1e-9)


@examples(25)
@given(workload=workloads())
def test_the_trade_off_has_every_chain_that_none_beats(workload: Workload) -> None:
    (chains,) = ChainPlans(workload).chains
    assume(2 <= chains.edges.last <= 8)
    points = [(chains.score(p), chains.state(p)) for p in every_merging(chains)]
    front = chains.front
    assert front.epsilon == 0
    found = [(point.cost, point.state) for point in front.points]
    for cost, state in points:
        beaten = [c <= cost * (1 + 1e-6) and s <= state * (1 + 1e-6) for c, s in found]
        assert any(beaten), "a point of the front is as good"
    for cost, state in found:
        assert not any(c < cost * (1 - 1e-9) and s < state * (1 - 1e-9) for c, s in points)


def test_a_thinned_trade_off_says_how_far_off_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [joined(n / 2, f"A.v > {5 * n}") for n in range(1, 19)]
    workload = joins(texts, rates=(20, 20), execution=Execution(c_sys=40))
    (exact,) = FAMILY.space(workload).trade_off()
    assert exact.epsilon == 0
    monkeypatch.setattr(
        "planner.families.sliced_chain.chain_search.pareto._MOST_STEPS", 18 * 18 * 9
    )
    (thinned,) = FAMILY.space(workload).trade_off()
    assert len(thinned.labels) <= 10 < len(exact.labels)
    assert 0 < thinned.epsilon < 1
    for cost, state in zip(exact.scores, exact.state_tuples, strict=True):
        near = [
            s
            for c, s in zip(thinned.scores, thinned.state_tuples, strict=True)
            if c <= cost * (1 + 1e-9)
        ]
        assert min(near) * (1 - thinned.epsilon) <= state * (1 + 1e-9)


@pytest.mark.parametrize(
    ("rate", "told"), [(40.0, " of them are long enough"), (0.01, "None is long enough")]
)
def test_it_is_told_whether_the_inequality_was_used(rate: float, told: str) -> None:
    texts = [
        f"SELECT * FROM A [RANGE {n / 4}], B [RANGE {n / 4}] WHERE A.v = B.v" for n in range(1, 301)
    ]
    workload = joins(texts, rates=(rate, rate))
    assert f"{told} for the quadrangle inequality" in " ".join(why(FAMILY.space(workload)))


def test_without_filters_the_trade_off_is_one_point() -> None:
    workload = joins([joined(5), joined(10), joined(30)])
    (found,) = FAMILY.space(workload).trade_off()
    assert len(found.labels) == 1
    assert "All chains hold the same tuples" in " ".join(why(FAMILY.space(workload)))


def test_mem_opt_holds_least_and_as_much_as_the_largest_join_alone() -> None:
    plain = joins([joined(5), joined(10), joined(30)])
    alone = joins([joined(30)])
    held = [
        total(FAMILY.space(w).estimate(FAMILY.space(w).plan(label)).costs, ()).state_tuples
        for w, label in ((plain, "mem-opt"), (alone, "unshared"))
    ]
    assert held[0] == pytest.approx(held[1])
    plans = ChainPlans(joins(FILTERED))
    (chains,) = plans.chains
    least = chains.state(chains.every)
    assert all(least <= chains.state(p) * (1 + 1e-9) for p in every_merging(chains))


def test_many_windows_list_the_instructive_chains() -> None:
    workload = joins([joined(n, f"A.v > {2 * n}") for n in range(1, 31)])
    ranking = FAMILY.space(workload).rank()
    assert ranking.truncated
    assert ranking.considered == len(ranking.candidates) < 1_000
    tagged = {tag: c.label for c in ranking.candidates for tag in c.tags}
    assert {"mem-opt", "cpu-opt", "best", "baseline"} <= set(tagged)
    assert FAMILY.space(workload).plan("cpu-opt").label == tagged["cpu-opt"]


def test_overhead_of_slices_makes_cpu_opt_merge() -> None:
    texts = [joined(n) for n in range(1, 13)]
    counts = [
        FAMILY.space(joins(texts, execution=Execution(c_sys=c_sys)))
        .plan("cpu-opt")
        .label.count("-")
        for c_sys in (0, 20, 1e6)
    ]
    assert counts[0] > counts[1] > counts[2] == 1
