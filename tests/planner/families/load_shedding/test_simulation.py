"""Simulated shedding: the definition of the answer, and what every policy does with its share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import RunError
from planner.families.load_shedding.labels import (
    EXACT,
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    MOST_RESULTS,
    OFFLINE,
    ONLINE,
    OPTIMUM,
    RANDOM,
)
from planner.families.load_shedding.simulation.settings import REASONS, Settings, Simulated
from planner.families.load_shedding.simulation.simulate import Simulation, simulate
from planner.families.load_shedding.star import Star, star_of
from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from planner.workload.query import Column, Filter
from tests.oracles.stars import results
from tests.planner.families.load_shedding.cases import Case, cases
from tests.planner.stars import relation_table, star_workload, stream_table, worked_example


def test_the_worked_example() -> None:
    star, tables = worked_example()
    exact = simulate(star, tables, EXACT, Settings())
    assert (exact.results, exact.importance) == (15, 43_000_000)
    best = simulate(star, tables, OPTIMUM, Settings())
    assert (best.results, best.importance) == (11, 38_000_000)
    assert simulate(star, tables, MOST_RESULTS, Settings()).results == 12


@given(st.one_of(cases(arms=1), cases(arms=2), cases(arms=3, most=5)), st.booleans())
def test_the_exact_answer_is_the_definitions(case: Case, prefilter: bool) -> None:
    star, tables = case
    found = simulate(star, tables, EXACT, Settings(prefilter=prefilter))
    every = list(results(star, tables))
    assert (found.results, found.importance) == (len(every), sum(worth for _, worth in every))


@given(st.one_of(cases(), cases(arms=3)), st.sampled_from(ONLINE), st.booleans())
def test_every_tuple_is_accounted_for(case: Case, policy: str, prefilter: bool) -> None:
    star, tables = case
    found = simulate(star, tables, policy, Settings(prefilter=prefilter))
    assert found.results <= found.exact_results
    for arm in star.arms:
        gone = sum(found.evictions[arm.source.alias].values())
        assert 0 <= len(tables[arm.source.name]) - gone <= arm.share
        if not arm.share:
            assert found.held[arm.source.alias] == 0


@given(st.one_of(cases(), cases(arms=3)), st.booleans())
def test_with_room_for_all_every_policy_gives_the_exact_answer(case: Case, prefilter: bool) -> None:
    star, tables = case
    ample = [len(tables[arm.source.name]) for arm in star.arms]
    simulation = Simulation(star, tables)
    for policy in ONLINE + (OFFLINE if len(star.arms) == 2 else ()):
        found = simulation.run(policy, Settings(prefilter=prefilter), ample)
        assert (found.results, found.importance) == (found.exact_results, found.exact_importance)


@given(cases(), st.sampled_from(ONLINE))
@settings(max_examples=30)
def test_later_by_any_time_the_same_is_shed(case: Case, policy: str) -> None:
    star, tables = case
    later = {name: _later(table, 1_000_000_007) for name, table in tables.items()}
    one, other = (simulate(star, given_, policy, Settings()) for given_ in (tables, later))
    assert (one.importance, one.evictions) == (other.importance, other.evictions)


def _later(table: Table, by: int) -> Table:
    return Table(
        table.seq,
        table.ts + by,
        table.columns,
        None if table.begin is None else table.begin + by,
        None if table.end is None else table.end + by,
    )


# --- policies, tuple by tuple --------------------------------------------------------------------


def _only_r(
    keys: list[int], weights: list[float], later: list[int], lifetime: float = 10, memory: int = 2
) -> tuple[Star, dict[str, Table]]:
    """Tuples of R second by second, then so many of S: R keeps half of the memory."""
    star = star_of(star_workload(lifetime=lifetime, memory=memory, rows=None))
    count = len(keys)
    return star, {
        "R": stream_table(range(count), keys, weights),
        "S": stream_table([count + n for n in range(len(later))], later, [9] * len(later)),
    }


def _evicted(found: Simulated, alias: str) -> dict[str, int]:
    return {reason: n for reason, n in found.evictions[alias].items() if n}


def test_the_least_important_goes_and_of_equal_ones_the_oldest() -> None:
    #  R: 3 at 0, 5 at 1, 5 at 2 -> one place: 5 at 1 replaces 3, 5 at 2 replaces 5 at 1
    star, tables = _only_r([1, 2, 3], [3, 5, 5], [1, 2, 3])
    found = simulate(star, tables, IMPORTANCE, Settings())
    assert _evicted(found, "R") == {"replaced": 2}
    assert (found.results, found.importance) == (1, 5_000_000)


def test_matches_count_at_arrival_or_now() -> None:
    """s of key 1 comes first: r of key 1 has a match when it arrives. It is gone at 4, where R has
    to choose again: only a policy that looks again drops r of key 1 for the more important one."""
    star = star_of(star_workload(lifetime=4, memory=2, rows=None))
    tables = {
        "S": stream_table([0, 5], [1, 2], [9, 9]),
        "R": stream_table([1, 4], [1, 2], [3, 4]),
    }
    static = simulate(star, tables, IMPORTANCE_AND_MATCHES, Settings())
    assert _evicted(static, "R") == {"not admitted": 1, "expired": 1}
    now = simulate(star, tables, MATCHES_OF_NOW, Settings())
    assert _evicted(now, "R") == {"replaced": 1}
    assert now.importance == 3_000_000 + 4_000_000


def test_gain_and_loss_remembers_results() -> None:
    """r of key 1 was in a result at 1 and gained 4 * 9 / 10; less important without it."""
    star = star_of(star_workload(lifetime=10, memory=2, rows=None))
    tables = {
        "R": stream_table([0, 2, 3], [1, 2, 3], [4, 9, 9]),
        "S": stream_table([1, 4], [1, 1], [9, 9]),
    }
    kept = simulate(star, tables, GAIN_AND_LOSS, Settings(beta=0.5))
    assert _evicted(kept, "R") == {"not admitted": 2}
    assert kept.importance == 8_000_000
    # A loss of 4 leaves nothing: the less important of two without a priority goes.
    lost = simulate(star, tables, GAIN_AND_LOSS, Settings(beta=4))
    assert _evicted(lost, "R") == {"not admitted": 1, "replaced": 1}
    assert lost.importance == 4_000_000


def test_gain_is_what_has_arrived_before() -> None:
    """Key 1 came twice in S and key 2 never: r of key 1 is kept though it is less important."""
    star = star_of(star_workload(lifetime=10, memory=2, rows=None))
    tables = {
        "S": stream_table([0, 1, 5], [1, 1, 1], [9, 9, 9]),
        "R": stream_table([2, 3], [1, 2], [4, 9]),
    }
    found = simulate(star, tables, EXPECTED_GAIN, Settings())
    # (2 + 1) * 4 against (0 + 1) * 9, times about the same root of what is left.
    assert _evicted(found, "R") == {"not admitted": 1}


def test_of_equal_rates_the_one_that_lives_longer_is_kept() -> None:
    star, tables = _only_r([1, 1], [4, 4], [1], lifetime=10)
    found = simulate(star, tables, EXPECTED_GAIN, Settings())
    assert _evicted(found, "R") == {"replaced": 1}


def test_chance_is_the_seeds() -> None:
    workload = star_workload(memory=10)
    simulation = Simulation(star_of(workload), generate(workload, 200, 1))
    seeds = [simulation.run(RANDOM, Settings(seed=seed)).importance for seed in (1, 1, 2, 3)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3


# --- reasons -------------------------------------------------------------------------------------


def test_why_tuples_leave() -> None:
    """R keeps two: key 9 has no row, key 2's row ends at 3, key 1 expires at 4."""
    star = star_of(star_workload(lifetime=4, memory=4))
    tables = {
        "R": stream_table([0, 1, 2, 2, 9], [1, 2, 9, 3, 3], [5, 5, 5, 1, 1]),
        "S": stream_table([3], [1], [5]),
        "F": relation_table([(1, 1), (2, 1), (3, 1)], [(-1, 99), (-1, 3), (-1, 99)]),
    }
    found = simulate(star, tables, IMPORTANCE, Settings())
    assert found.evictions["R"] == dict(zip(REASONS, (1, 1, 1, 0, 1), strict=True))
    unfiltered = simulate(star, tables, IMPORTANCE, Settings(prefilter=False))
    assert unfiltered.evictions["R"] == dict(zip(REASONS, (0, 0, 1, 1, 2), strict=True))
    assert found.results == unfiltered.results + 1


def test_filters_leave_tuples_and_rows_out() -> None:
    conditions = (
        Filter(Column("R", "importance"), ">", 2),
        Filter(Column("F", "s"), "<>", 2),
    )
    star = star_of(star_workload(lifetime=4, memory=20, filters=conditions))
    tables = {
        "R": stream_table([0, 0], [1, 1], [5, 1]),
        "S": stream_table([1, 1], [1, 2], [5, 5]),
        "F": relation_table([(1, 1), (1, 2)], [(-1, 99)] * 2),
    }
    found = simulate(star, tables, EXACT, Settings())
    assert (found.results, found.importance) == (1, 5_000_000)
    assert sum(found.evictions["R"].values()) == 0


@pytest.mark.parametrize("wrong", [0.0, -1.0, 1e7, float("nan")])
def test_an_importance_that_cannot_be_one_is_named(wrong: float) -> None:
    star, tables = worked_example()
    tables["S"] = stream_table(range(3), [1, 3, 3], [1, wrong, 2])
    with pytest.raises(RunError, match=r"^S\.importance: the importance of row 2 is not above 0"):
        simulate(star, tables, EXACT, Settings())


def test_what_is_counted_in_the_span() -> None:
    workload = star_workload(memory=10)
    star, tables = star_of(workload), generate(workload, 300, 1)
    second = 1_000_000
    whole = simulate(star, tables, IMPORTANCE, Settings(until=300 * second))
    parts = [
        simulate(star, tables, IMPORTANCE, Settings(since=begin * second, until=end * second))
        for begin, end in ((0, 100), (100, 300))
    ]
    assert {p.importance for p in (whole, *parts)} == {whole.importance}
    for name in ("arrived", "with_row", "admitted", "compared", "probed", "found", "held"):
        by_part = [getattr(part.counts["R"], name) for part in parts]
        assert sum(by_part) == getattr(whole.counts["R"], name), name
    assert whole.counts["R"].arrived == 300
    assert sum(counts.found for counts in whole.counts.values()) == whole.results
    assert whole.held["R"] == pytest.approx(whole.counts["R"].held / (300 * second))
    # Tuples that fill the share at once keep it filled.
    assert 4.9 < whole.held["R"] <= 5


def test_our_policy_leads_in_the_papers_setting() -> None:
    workload = star_workload(memory=10)
    leads = []
    for seed in range(3):
        simulation = Simulation(star_of(workload), generate(workload, 800, 50_000 + seed))
        found = {p: simulation.run(p, Settings()).importance for p in ONLINE}
        ours = found.pop(EXPECTED_GAIN)
        leads.append(ours / max(found.values()))
    assert float(np.mean(leads)) > 1.1


def test_arms_of_unlike_shares() -> None:
    star, tables = worked_example()
    first, second = star.arms
    uneven = replace(star, arms=(replace(first, share=6), replace(second, share=0)))
    found = simulate(uneven, tables, IMPORTANCE, Settings())
    assert found.held["S"] == 0
    assert found.counts["S"].admitted == 0
    assert found.evictions["S"]["not admitted"] + found.evictions["S"]["no match"] == 6
