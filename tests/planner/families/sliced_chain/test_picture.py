"""What pages show of shared joins: joins by age, who taps in, mergings, plans by kind of work."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest

from pages.parts.families.sliced_chain import optima
from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.chain_search.chains import MOST_DRAWN
from planner.families.sliced_chain.picture import KINDS, OVERHEAD
from planner.workload.execution import Execution
from planner.workload.workload import Workload
from tests.planner.chains import COUNT_WINDOWS, FILTERED, joined, joins

FAMILY = SlicedChain()
STRATEGIES = ("unshared", "pull-up", "push-down", "mem-opt", "cpu-opt")

TWO_GROUPS = joins([joined(2), "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.v = B.v", joined(9)])
UNEVEN = joins([joined(2, right=6), joined(9, "A.v > 50", right=3)])
WORKLOADS = {
    "filtered": joins(FILTERED),
    "rows": joins(COUNT_WINDOWS),
    "two groups": TWO_GROUPS,
    "uneven": UNEVEN,
}


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
@pytest.mark.parametrize("label", ["unshared", "pull-up", "mem-opt", "cpu-opt"])
def test_a_picture_holds_what_the_plan_is_priced_with(workload: Workload, label: str) -> None:
    pictures = FAMILY.space(workload).pictures(label)
    plan = FAMILY.space(workload).plan(label)
    costs = FAMILY.space(workload).estimate(plan).costs
    drawn = {join.operator: join for picture in pictures for join in picture.joins}
    stored = [op.id for op in plan.operators() if op.kind == "slice"]
    assert sorted(drawn) == sorted(stored)
    for operator, join in drawn.items():
        assert sum(join.tuples) == pytest.approx(costs[operator].state_tuples)
    tapped = [query for picture in pictures for tap in picture.taps for query in tap.queries]
    assert sorted(tapped) == sorted(query.name for query in workload.queries)


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_slices_of_a_chain_follow_one_another(workload: Workload) -> None:
    for picture in FAMILY.space(workload).pictures("mem-opt"):
        assert picture.is_chain
        assert picture.joins[0].start == 0
        assert all(before.end == after.start for before, after in pairwise(picture.joins))
        assert picture.joins[-1].end == picture.longest == max(t.longest for t in picture.taps)
        assert not any(join.name for join in picture.joins)


def test_queries_read_the_slices_that_their_windows_reach() -> None:
    (picture,) = FAMILY.space(joins([joined(2), joined(5), joined(9)])).pictures("chain:0-5-9")
    first, second = picture.joins
    assert first.queries == ("Q1", "Q2", "Q3")
    assert first.routed == ("Q1",), "its window ends inside the merged slice"
    assert first.inside == (2.0,)
    assert second.queries == ("Q3",)
    assert [tap.routed for tap in picture.taps] == [True, False, False]
    assert picture.merged == 1


def test_queries_with_equal_windows_tap_in_together() -> None:
    (picture,) = FAMILY.space(joins([joined(2), joined(5), joined(2, "A.v > 50")])).pictures(
        "mem-opt"
    )
    assert [tap.queries for tap in picture.taps] == [("Q1", "Q3"), ("Q2",)]
    assert picture.taps[0].conditions == ("all", "A.v > 50")


def test_what_is_let_in_is_told() -> None:
    workload = joins([joined(2), joined(5, "A.v > 50")])
    (chain,) = FAMILY.space(workload).pictures("mem-opt")
    assert [join.entry for join in chain.joins] == [("all", "all"), ("A.v > 50", "all")]
    assert chain.joins[1].shares == (pytest.approx(0.5), pytest.approx(1.0))
    (alone,) = FAMILY.space(workload).pictures("unshared")
    assert [(join.name, join.entry[0]) for join in alone.joins] == [
        ("Q1", "all"),
        ("Q2", "A.v > 50"),
    ]
    assert not alone.is_chain
    (parts,) = FAMILY.space(workload).pictures("push-down")
    assert {join.name for join in parts.joins} == {"A.v > 50 with all B", "other A with all B"}


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_kinds_of_work_add_up_to_the_score(workload: Workload) -> None:
    ranked = {c.label for c in FAMILY.space(workload).rank().candidates}
    labels = [label for label in STRATEGIES if label in ranked or label.endswith("-opt")]
    found = FAMILY.space(workload).balances(labels)
    for balance, score in zip(found, FAMILY.space(workload).scores(labels), strict=True):
        assert balance.score == pytest.approx(score)
        assert set(balance.work) <= set(KINDS)
        assert balance.state_bytes == pytest.approx(64 * balance.cost.state_tuples)


def test_the_overhead_of_slices_is_a_kind_of_its_own() -> None:
    workload = joins([joined(2), joined(5)], execution=Execution(c_sys=2))
    (balance,) = FAMILY.space(workload).balances(["mem-opt"])
    assert balance.work[OVERHEAD] == pytest.approx(2 * 2 * 50), "50 tuples/s into two slices"


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_the_shortest_path_is_that_of_networkx(workload: Workload) -> None:
    score = 0.0
    for mergings in FAMILY.space(workload).mergings("cpu-opt"):
        graph = optima.graph_of(mergings)
        last = len(mergings.boundaries) - 1
        cost = nx.shortest_path_length(graph, 0, last, weight="weight")
        assert sum(slice_.cost for slice_ in mergings.cheapest) == pytest.approx(cost)
        assert mergings.chosen == mergings.cheapest
        score += cost + mergings.ahead
    assert score == pytest.approx(FAMILY.space(workload).scores(["cpu-opt"])[0])


def test_apart_is_what_mem_opt_costs() -> None:
    workload = joins(FILTERED)
    (mergings,) = FAMILY.space(workload).mergings("pull-up")
    assert mergings.chosen == (), "it is no chain"
    apart = sum(slice_.apart for slice_ in mergings.cheapest) + mergings.ahead
    assert apart == pytest.approx(FAMILY.space(workload).scores(["mem-opt"])[0])


def test_many_windows_have_a_path_and_no_picture() -> None:
    workload = joins([joined(n) for n in range(1, MOST_DRAWN + 2)])
    (mergings,) = FAMILY.space(workload).mergings("mem-opt")
    assert mergings.every == ()
    assert len(mergings.chosen) == MOST_DRAWN + 1
    assert mergings.cheapest
