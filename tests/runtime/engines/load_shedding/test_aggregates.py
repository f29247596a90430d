"""COUNT and SUM over joins that shed: exact, by definition, and right on average by chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import RunError
from planner.families.load_shedding import aggregates
from planner.families.load_shedding.labels import EXACT, LABELS, OFFLINE
from planner.families.load_shedding.plans import built
from planner.families.load_shedding.star import star_of
from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from planner.workload.query import Aggregate, Column
from planner.workload.streams import Attribute
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.load_shedding import aggregation
from runtime.engines.protocol import PlanInput
from runtime.engines.registry import engine
from tests.oracles.shedding import Result, all_results
from tests.runtime.driving import stepped
from tests.runtime.shedding import (
    SECOND,
    Case,
    cases,
    driven,
    feed_of,
    instants_of,
    star_workload,
)

_SEEDS = 300


def aggregated(workload: Workload, group: Column | None = None) -> Workload:
    """COUNT(*) and SUM(R.v), by a group if one is given."""
    own = (Aggregate("count"), Aggregate("sum", Column("R", "v")))
    (query,) = workload.queries
    query = replace(query, aggregates=own, group_by=() if group is None else (group,))
    return replace(workload, queries=(query,))


def found_by(workload: Workload, tables: dict[str, Table], label: str) -> dict[str, Any]:
    found: dict[str, Any] = driven(workload, tables, label).tally.shed["aggregates"]
    return found


# --- by definition -------------------------------------------------------------------------------


def _by_definition(
    case: Case, results: Iterable[Result], now: int, group: str | None
) -> dict[Any, list[float]]:
    """The aggregates over what the windows hold at a time, of all results of the run."""
    sums: dict[Any, list[float]] = {}
    items = [{item.nth: item for item in arm} for arm in case.arms]
    for members, _ in results:
        chosen = [items[arm][nth] for arm, nth in enumerate(members)]
        if all(0 <= now - i.ts < case.lifetimes[i.arm] for i in chosen):
            key = None if group is None else _value(case, group, "key", members["RST".index(group)])
            own = sums.setdefault(key, [0.0, 0.0])
            own[0] += 1
            own[1] += _value(case, "R", "v", members[0])
    return sums


def _value(case: Case, stream: str, attribute: str, nth: int) -> int:
    return int(case.tables[stream].columns[attribute].values[nth])


@given(cases(least_arms=1), st.booleans())
def test_exact_aggregates_are_those_of_the_definition(case: Case, grouped: bool) -> None:
    group = "RST"[len(case.arms) - 1] if grouped else None
    workload = aggregated(case.workload, Column(group, "key") if group else None)
    found = found_by(workload, case.tables, EXACT)
    last = max((int(t.ts[-1]) for n, t in case.tables.items() if n != "F" and len(t)), default=-1)
    results = all_results(case.arms, case.rows, case.lifetimes)
    expected = _by_definition(case, results, last, group)
    answer = {own["group"]: own["found"] for own in found["answer"]}
    if not grouped and last >= 0:
        expected.setdefault(None, [0.0, 0.0])
    assert answer == expected
    assert all(own["error"] == [0.0, 0.0] for own in found["answer"])
    assert found["meanings"] == ["exact", "exact"]
    for own in found["over_time"]:
        at = round(own["at"] * SECOND)
        assert own["found"] == own["exact"]
        assert own["found"] == _by_definition(case, results, at, None).get(None, [0.0, 0.0])


@given(cases(least_arms=2), st.sampled_from(LABELS), st.data())
def test_cuts_change_no_aggregate(case: Case, policy: str, data: st.DataObject) -> None:
    if policy in OFFLINE and len(case.arms) > 2:
        policy = "RAND-S"
    workload = aggregated(case.workload, Column("S", "key"))
    places = instants_of(feed_of(workload, case.tables, policy))
    cuts = data.draw(st.lists(st.sampled_from(places))) if places else []
    whole = found_by(workload, case.tables, policy)
    cut = driven(workload, case.tables, policy, cuts).tally.shed["aggregates"]
    for part in ("answer", "over_time"):
        assert len(whole[part]) == len(cut[part])
        for one, other in zip(whole[part], cut[part], strict=True):
            for figure in ("found", "error", "exact"):
                assert other[figure] == pytest.approx(one[figure], abs=1e-6)


# --- by chance -----------------------------------------------------------------------------------


def _estimates(workload: Workload, tables: dict[str, Table]) -> list[dict[str, Any]]:
    """What RAND-S finds under many seeds, on the same tuples."""
    plan = built(workload.queries[0], star_of(workload), "RAND-S").plan
    runs, feed = engine("load_shedding"), feed_of(workload, tables, "RAND-S")
    split = runs.split(plan, workload, 1)
    span = Span(0, int(feed.tuples.ts[-1]) + 1)
    found = []
    for seed in range(_SEEDS):
        seeded = replace(workload, run=replace(workload.run, seed=seed))
        program = runs.compile(PlanInput(plan, seeded, feed.schema, span, split))
        _, totals = stepped(program, split, feed, (), keep_rows=False)
        found.append(program.tally(totals, plan).shed["aggregates"])
    return found


def _by_chance(relation: bool) -> Workload:
    """Two of three tuples can be kept; with a relation two of three that have a row."""
    made = star_workload([90, 90], 84 if relation else 120, relation, one_key=True)
    own = {"key": Attribute(30, 1.0)}
    streams = tuple(replace(s, attributes={**s.attributes, **own}) for s in made.streams)
    relations = tuple(replace(r, rows=40, attributes={**r.attributes, "a": Attribute(30)})
                      for r in made.relations)  # fmt: skip
    return replace(made, streams=streams, relations=relations)


@pytest.mark.parametrize("relation", [False, True])
def test_chance_estimates_aggregates_and_their_error_without_a_bias(relation: bool) -> None:
    workload = aggregated(_by_chance(relation), Column("S", "v"))
    every = _estimates(workload, generate(workload, 270, seed=3))
    assert every[0]["meanings"] == ["unbiased", "unbiased"]
    covered = []
    for part, n in [("over_time", 9), ("over_time", -1), ("answer", 0), ("answer", 3)]:
        own = [found[part][n] for found in every]
        exact = np.array(own[0]["exact"])
        found, errors = (np.array([one[figure] for one in own]) for figure in ("found", "error"))
        assert (exact > 30).all()
        mean, spread = found.mean(axis=0), found.std(axis=0)
        # 3.3 standard errors: by chance one mean in a thousand lies further away.
        assert (np.abs(mean - exact) < 3.3 * spread / np.sqrt(_SEEDS)).all(), (mean, exact)
        # A variance over 300 seeds is itself known to some 8%.
        assert np.square(errors).mean(axis=0) == pytest.approx(found.var(axis=0), rel=0.25)
        low, high = (np.array([one[figure] for one in own]) for figure in ("low", "high"))
        covered.append(((low <= exact) & (exact <= high)).mean(axis=0))
    # Groups are small: their estimates are less normal than those of all results.
    assert np.mean(covered[:2]) == pytest.approx(0.95, abs=0.02)
    assert np.mean(covered) > 0.9


def test_other_policies_say_what_they_are() -> None:
    workload = aggregated(_by_chance(relation=False))
    tables = generate(workload, 270, seed=3)
    found = found_by(workload, tables, "SIMP-S")
    assert found["meanings"] == ["lower bound", "of what was found"]
    (answer,) = found["answer"]
    assert answer["error"] == answer["low"] == answer["high"] == [None, None]
    assert 0 < answer["found"][0] < answer["exact"][0]
    ample = replace(workload, execution=replace(workload.execution, memory=1000))
    for policy in ("SIMP-S", "RAND-S"):
        found = found_by(ample, tables, policy)
        assert found["meanings"] == ["exact", "exact"]
        assert found["answer"][0]["found"] == found["answer"][0]["exact"]


@pytest.mark.parametrize(("memory", "unbiased"), [(1, False), (2, True), (4, True)])
def test_with_hardly_any_place_there_is_no_error_or_no_estimate(
    memory: int, unbiased: bool
) -> None:
    workload = aggregated(_by_chance(relation=False))
    workload = replace(workload, execution=replace(workload.execution, memory=memory))
    shed = driven(workload, generate(workload, 270, seed=3), "RAND-S").tally.shed
    assert ("estimates" in shed) == unbiased
    assert shed["aggregates"]["meanings"][0] == ("unbiased" if unbiased else "lower bound")
    has_error = shed["aggregates"]["answer"][0]["error"][0] is not None
    assert has_error == (memory == 4)


def test_errors_are_left_out_where_they_would_take_much_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workload = aggregated(_by_chance(relation=False), Column("S", "v"))
    tables = generate(workload, 270, seed=3)
    all_of_them = 120 * 3 * (aggregates.EVALUATIONS + 5)
    for most, of_groups, of_all in ((all_of_them, True, True), (all_of_them - 1, False, True),
                                    (100, False, False)):  # fmt: skip
        monkeypatch.setattr(aggregation, "MOST_MOMENTS", most)
        found = found_by(workload, tables, "RAND-S")
        assert (found["answer"][0]["error"][0] is not None) == of_groups
        assert (found["over_time"][-1]["error"][0] is not None) == of_all


def test_partitions_choose_independently_and_estimate_the_same() -> None:
    workload = aggregated(_by_chance(relation=False))
    tables = generate(workload, 270, seed=3)
    plan = built(workload.queries[0], star_of(workload), "RAND-S").plan
    split = engine("load_shedding").split(plan, workload, 2)
    tally = driven(workload, tables, "RAND-S", split=split).tally
    (answer,) = tally.shed["aggregates"]["answer"]
    assert abs(answer["found"][0] - answer["exact"][0]) < 4 * answer["error"][0]


def test_too_many_groups_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = aggregated(_by_chance(relation=False), Column("S", "key"))
    tables = generate(workload, 270, seed=3)
    monkeypatch.setattr(aggregation, "MOST_GROUPS", 10)
    with pytest.raises(RunError, match=r"groups by S.key, which has \d+ values; at most 10 groups"):
        found_by(workload, tables, "RAND-S")
