"""CPU-Opt and the trade-off of memory and CPU: exact on random workloads, whatever the search."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

from planner.cost import total
from planner.execution import Execution
from planner.families.sliced_chain import SlicedChain, search
from planner.families.sliced_chain.chains import GroupChains, Places
from planner.families.sliced_chain.edges import Edges
from planner.families.sliced_chain.groups import Condition, Member, groups_of
from planner.families.sliced_chain.model import GroupModel, model_of
from planner.families.sliced_chain.ranking import Plans
from planner.workload import Workload
from tests.planner.chains import FILTERED, HASHED, PER_VALUE, joined, joins

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


@settings(max_examples=40, deadline=None)
@given(workload=workloads())
def test_cpu_opt_is_the_cheapest_of_all_mergings(workload: Workload) -> None:
    (chains,) = Plans(model_of(workload)).chains
    assume(chains.edges.last <= 9)
    least = min(map(chains.score, every_merging(chains)))
    assert chains.score(chains.cheapest) == pytest.approx(least, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(workload=workloads(), data=st.data())
def test_slices_are_priced_as_their_operators_are(workload: Workload, data: st.DataObject) -> None:
    plans = Plans(model_of(workload))
    (chains,) = plans.chains
    places = tuple(sorted(data.draw(st.sets(st.integers(1, chains.edges.last)))))
    label = plans.label([(*(p for p in places if p < chains.edges.last), chains.edges.last)])
    plan = FAMILY.plan(workload, label)
    costs = FAMILY.estimate(plan, workload).costs
    priced = total(costs, [root.id for root in plan.roots])
    assert plans.cost(label).as_dict() == pytest.approx(priced.as_dict(), rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    steps=st.lists(st.integers(1, 400), min_size=4, max_size=150),
    rate=st.sampled_from([0.3, 3.0, 40.0]),
    keys=st.sampled_from([2, 10, 100]),
)
def test_the_fast_search_finds_what_the_plain_one_does(
    steps: list[int], rate: float, keys: int
) -> None:
    edges = edges_of(np.cumsum(steps) * 10_000, rate, keys)
    first = edges.comparisons(np.zeros(1, np.int64), np.arange(edges.last + 1)) + edges.unions
    assume(search.is_monotone(edges.comparisons, edges.lengths, edges.dense_from))
    plain = search.shortest(edges.comparisons, first)
    fast = search.shortest_monotone(edges.comparisons, first)
    assert fast.cost == pytest.approx(plain.cost, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(steps=st.lists(st.integers(1, 400), min_size=4, max_size=40), rate=st.floats(0.1, 60))
def test_the_inequality_is_not_claimed_where_it_fails(steps: list[int], rate: float) -> None:
    edges = edges_of(np.cumsum(steps) * 10_000, rate, 10)
    if not search.is_monotone(edges.comparisons, edges.lengths, edges.dense_from):
        return
    places = np.arange(edges.last + 1)
    costs = np.full((edges.last + 1,) * 2, np.nan)
    starts, ends = np.triu_indices(edges.last + 1, 1)
    costs[starts, ends] = edges.comparisons(places[starts], places[ends])
    for i, j in combinations(range(1, edges.last), 2):
        if j > i + 1:
            crossed = costs[i, j + 1] + costs[i + 1, j]
            assert costs[i, j] + costs[i + 1, j + 1] <= crossed * (1 + 1e-9)


def edges_of(windows: Any, rate: float, keys: int) -> Edges:
    """The slices of many windows, without a query text for each."""
    workload = joins([joined(1)], rates=(rate, rate))
    for name in ("A", "B"):
        known = workload.stream(name)
        spread = replace(known.attributes["k"], distinct=keys)
        changed = replace(known, attributes={**known.attributes, "k": spread})
        streams = tuple(changed if s.name == name else s for s in workload.streams)
        workload = replace(workload, streams=streams)
    (group,) = groups_of(workload)
    open_ = (Condition(), Condition())
    members = tuple(Member("Q1", (int(w), int(w)), open_) for w in windows)
    return Edges(GroupModel(workload, replace(group, members=members)))


def test_two_thousand_windows_are_searched_exactly() -> None:
    rng = np.random.default_rng(1)
    edges = edges_of(np.unique(rng.integers(1, 30_000_000, 2_000)), 50.0, 10)
    first = edges.comparisons(np.zeros(1, np.int64), np.arange(edges.last + 1)) + edges.unions
    path = search.shortest(edges.comparisons, first)
    starts, ends = np.array((0, *path.ends[:-1])), np.array(path.ends)
    cost = edges.comparisons(starts, ends).sum() + edges.unions[ends[0]]
    assert path.cost == pytest.approx(cost)
    # No end can be left out to gain: every two slices are cheaper than the one they would make.
    merged = edges.comparisons(starts[1:-1], ends[2:])
    each = edges.comparisons(starts[1:], ends[1:])
    assert np.all(each[:-1] + each[1:] <= merged * (1 + 1e-9))


@settings(max_examples=25, deadline=None)
@given(workload=workloads())
def test_the_trade_off_has_every_chain_that_none_beats(workload: Workload) -> None:
    (chains,) = Plans(model_of(workload)).chains
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
    (exact,) = FAMILY.trade_off(workload)
    assert exact.epsilon == 0
    monkeypatch.setattr("planner.families.sliced_chain.pareto._MOST_STEPS", 18 * 18 * 9)
    (thinned,) = FAMILY.trade_off(workload)
    assert len(thinned.labels) <= 10 < len(exact.labels)
    assert 0 < thinned.epsilon < 1
    for cost, state in zip(exact.scores, exact.state_tuples, strict=True):
        near = [
            s
            for c, s in zip(thinned.scores, thinned.state_tuples, strict=True)
            if c <= cost * (1 + 1e-9)
        ]
        assert min(near) * (1 - thinned.epsilon) <= state * (1 + 1e-9)


@pytest.mark.parametrize(("rate", "told"), [(40.0, "holds"), (2.8, "was not found to hold")])
def test_it_is_told_whether_the_inequality_was_used(rate: float, told: str) -> None:
    texts = [
        f"SELECT * FROM A [RANGE {n / 4}], B [RANGE {n / 4}] WHERE A.v = B.v" for n in range(1, 301)
    ]
    workload = joins(texts, rates=(rate, rate))
    assert f"The quadrangle inequality {told}" in " ".join(FAMILY.why(workload))


def test_without_filters_the_trade_off_is_one_point() -> None:
    workload = joins([joined(5), joined(10), joined(30)])
    (found,) = FAMILY.trade_off(workload)
    assert len(found.labels) == 1
    assert "All chains hold the same tuples" in " ".join(FAMILY.why(workload))


def test_mem_opt_holds_least_and_as_much_as_the_largest_join_alone() -> None:
    plain = joins([joined(5), joined(10), joined(30)])
    alone = joins([joined(30)])
    held = [
        total(FAMILY.estimate(FAMILY.plan(w, label), w).costs, ()).state_tuples
        for w, label in ((plain, "mem-opt"), (alone, "unshared"))
    ]
    assert held[0] == pytest.approx(held[1])
    plans = Plans(model_of(joins(FILTERED)))
    (chains,) = plans.chains
    least = chains.state(chains.every)
    assert all(least <= chains.state(p) * (1 + 1e-9) for p in every_merging(chains))


def test_many_windows_list_the_instructive_chains() -> None:
    workload = joins([joined(n, f"A.v > {2 * n}") for n in range(1, 31)])
    ranking = FAMILY.rank(workload, None)
    assert ranking.truncated
    assert ranking.considered == len(ranking.candidates) < 1_000
    tagged = {tag: c.label for c in ranking.candidates for tag in c.tags}
    assert {"mem-opt", "cpu-opt", "best", "baseline"} <= set(tagged)
    assert FAMILY.plan(workload, "cpu-opt").label == tagged["cpu-opt"]


def test_overhead_of_slices_makes_cpu_opt_merge() -> None:
    texts = [joined(n) for n in range(1, 13)]
    counts = [
        FAMILY.plan(joins(texts, execution=Execution(c_sys=c_sys)), "cpu-opt").label.count("-")
        for c_sys in (0, 20, 1e6)
    ]
    assert counts[0] > counts[1] > counts[2] == 1
