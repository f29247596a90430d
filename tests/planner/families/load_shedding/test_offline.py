"""The best tuples to keep: the flow against the paper's graph, brute force and the simulation."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import RunError
from planner.families.load_shedding.labels import MOST_RESULTS, ONLINE, OPTIMUM
from planner.families.load_shedding.offline import matches
from planner.families.load_shedding.offline.flow import best_leaves
from planner.families.load_shedding.offline.matches import Worth
from planner.families.load_shedding.offline.state_graph import state_graphs
from planner.families.load_shedding.simulation.settings import Settings
from planner.families.load_shedding.simulation.simulate import Simulation, simulate
from planner.families.load_shedding.star import Star, star_of
from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from tests.oracles.stars import kept_results
from tests.planner.families.load_shedding.cases import Case, cases
from tests.planner.stars import SECOND, star_workload, stream_table, worked_example

WORTHS: tuple[Worth, ...] = ("importance", "results")


def test_the_worked_example() -> None:
    star, tables = worked_example()
    assert best_leaves(star, tables).gained == 38_000_000
    assert best_leaves(star, tables, "results").gained == 12
    for prefilter in (True, False):
        graphs = state_graphs(star, tables, prefilter=prefilter)
        assert graphs.gained == 38_000_000
        # r(1) and s(1), r(2) and s(2), r(3) and s(3): the paper's SA graph.
        assert graphs.together == 9_000_000
        leaves = {g.alias: g.leaves(tables[g.alias].ts) for g in graphs.arms}
        found = simulate(star, tables, OPTIMUM, Settings(leaves=leaves))
        assert (found.results, found.importance) == (11, 38_000_000)


def test_more_matches_than_can_be_weighed_are_refused_before_memory_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    star, tables = worked_example()
    monkeypatch.setattr(matches, "MOST_MATCHES", 3)
    with pytest.raises(RunError, match=r"weighs every two tuples that match, and \d+ do"):
        best_leaves(star, tables)


def test_the_graph_of_the_worked_example_is_the_papers() -> None:
    """Pre-filtering keeps r(4) out, and s(0): the first states hold r(0) and nothing."""
    star, tables = worked_example()
    of_r, of_s = state_graphs(star, tables).arms
    assert list(of_r.layers[0].most) == [(0,)]
    assert list(of_s.layers[0].most) == [()]
    assert set(of_s.layers[3].most) == {(1, 2), (1, 3), (2, 3)}
    graph = of_r.to_networkx()
    assert graph.number_of_nodes() == 1 + of_r.states
    steps = list(enumerate(((), *of_r.path), -1))
    walked = sum(graph.edges[one, other]["worth"] for one, other in pairwise(steps))
    assert walked == of_r.gained
    without = state_graphs(star, tables, prefilter=False, edges=False).arms[0]
    assert without.states > of_r.states
    assert not any(layer.edges for layer in without.layers)


@given(cases(), st.sampled_from(WORTHS), st.booleans())
def test_graph_and_flow_agree(case: Case, worth: Worth, prefilter: bool) -> None:
    star, tables = case
    graphs = state_graphs(star, tables, worth, prefilter, edges=False)
    assert graphs.gained == best_leaves(star, tables, worth).gained


@given(cases(most=4))
@settings(max_examples=40)
def test_no_leave_times_beat_the_flow(case: Case) -> None:
    star, tables = case
    best = {worth: best_leaves(star, tables, worth).gained for worth in WORTHS}
    tried = [0, 0]
    for leaves in _all_leaves(star, tables):
        count, worth = kept_results(star, tables, leaves)
        tried = [max(tried[0], worth), max(tried[1], count)]
    assert tried == [best["importance"], best["results"]]


def _all_leaves(star: Star, tables: dict[str, Table]) -> list[dict[str, np.ndarray]]:
    """All leave times that fit into the shares; with two arms, each with the other's best."""
    times = sorted({int(ts) for arm in star.arms for ts in tables[arm.source.name].ts})
    by_arm = []
    for arm in star.arms:
        ts = tables[arm.source.name].ts
        choices = [
            [t for t in [*times, times[-1] + 1] if own <= t <= max(own, own + arm.lifetime)]
            for own in ts.tolist()
        ]
        fitting = [
            np.array(leaves)
            for leaves in product(*choices)
            if all(((ts <= t) & (t < np.array(leaves))).sum() <= arm.share for t in times)
        ]
        by_arm.append((arm.source.alias, fitting))
    (first, ones), (second, others) = by_arm
    nothing = {alias: fitting[0] for alias, fitting in by_arm}
    sums = []
    # The arms are independent: what one gains does not depend on what the other keeps.
    for alias, fitting in by_arm:
        found = [kept_results(star, tables, {**nothing, alias: leaves}) for leaves in fitting]
        sums.append([max(range(len(found)), key=lambda n: found[n][pick]) for pick in (0, 1)])
    return [{first: ones[one], second: others[other]} for one, other in zip(*sums, strict=True)]


@given(cases(), st.booleans())
def test_kept_until_they_leave_tuples_find_what_the_flow_says(case: Case, prefilter: bool) -> None:
    star, tables = case
    for policy, worth in ((OPTIMUM, "importance"), (MOST_RESULTS, "results")):
        best = best_leaves(star, tables, worth)
        chosen = Settings(leaves=best.by_alias, prefilter=prefilter)
        found = simulate(star, tables, policy, chosen)
        assert (found.results if worth == "results" else found.importance) == best.gained
        assert found == simulate(star, tables, policy, Settings(prefilter=prefilter))


@given(cases(most=9), st.booleans())
def test_no_online_policy_beats_the_optimum(case: Case, prefilter: bool) -> None:
    simulation = Simulation(*case)
    best = simulation.run(OPTIMUM, Settings()).importance
    most = simulation.run(MOST_RESULTS, Settings()).results
    for policy in ONLINE:
        found = simulation.run(policy, Settings(prefilter=prefilter))
        assert found.importance <= best
        assert found.results <= most


@pytest.mark.parametrize("share", [1, 5, 20, 30, 49, 50])
def test_the_optimum_of_the_papers_setting_is_found_when_simulated(share: int) -> None:
    workload = star_workload(memory=2 * share, churn=0.1)
    star, tables = star_of(workload), generate(workload, 400, 3)
    best = best_leaves(star, tables)
    found = simulate(star, tables, OPTIMUM, Settings(leaves=best.by_alias))
    assert found.importance == best.gained
    assert max(found.held.values()) <= share
    if share == 50:
        assert found.importance == found.exact_importance


def test_importance_far_apart_does_not_overflow() -> None:
    star = star_of(star_workload(lifetime=5, memory=2, rows=None))
    times = list(range(30))
    weights = [1e6 if n % 3 else 0.000001 for n in times]
    tables = {name: stream_table(times, [n % 2 for n in times], weights) for name in "RS"}
    best = best_leaves(star, tables)
    assert simulate(star, tables, OPTIMUM, Settings()).importance == best.gained


def test_of_one_stream_nothing_is_kept() -> None:
    workload = star_workload(arms=1, memory=1, rows=30)
    star, tables = star_of(workload), generate(workload, 60, 1)
    best = best_leaves(star, tables)
    exact = simulate(star, tables, "EXACT", Settings())
    assert best.gained == exact.importance == exact.exact_importance
    assert best_leaves(star, tables, "results").gained == exact.results
    assert np.array_equal(best.by_alias["R"], tables["R"].ts)
    assert tables["R"].ts[1] == SECOND
