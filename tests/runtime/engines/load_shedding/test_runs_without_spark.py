"""Star joins stepped by hand: any cut, partitions, what a join says, and bad importance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.errors import RunError
from planner.families.load_shedding.labels import EXACT, LABELS, OFFLINE
from planner.families.load_shedding.plans import built
from planner.families.load_shedding.star import star_of
from planner.families.registry import family
from planner.files.tuple_table import ColumnData
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Span, Split
from runtime.engines.registry import engine, program_from_json
from tests.runtime import driving
from tests.runtime.shedding import (
    SECOND,
    Case,
    cases,
    driven,
    feed_of,
    instants_of,
    star_workload,
    stream_table,
    worked_example,
)


@given(cases(), st.sampled_from(LABELS), st.data())
def test_cuts_change_nothing(case: Case, policy: str, data: st.DataObject) -> None:
    if policy in OFFLINE and len(case.arms) > 2:
        policy = "DGL-S"
    whole = driven(case.workload, case.tables, policy)
    places = instants_of(feed_of(case.workload, case.tables, policy))
    cuts = data.draw(st.lists(st.sampled_from(places))) if places else []
    cut = driven(case.workload, case.tables, policy, cuts)
    assert cut.rows == whole.rows
    assert cut.tally.digest == whole.tally.digest
    for part in whole.tally.shed.keys() - {"optimum_seconds"}:
        assert cut.tally.shed[part] == whole.tally.shed[part]
    assert cut.tally.qualities == whole.tally.qualities
    for operator, cost in whole.tally.costs.items():
        assert cut.tally.costs[operator].as_dict() == pytest.approx(cost.as_dict())


@given(cases(least_arms=2))
def test_the_exact_answer_is_that_of_a_join(case: Case) -> None:
    workload = case.workload
    found = driven(workload, case.tables, EXACT).tally
    plan = family("join_order").space(workload).best()
    feed = engine("join_order").general().feed(plan, workload)(workload, case.tables)
    split, span = Split(1, None), Span(0, 20 * SECOND)
    given = driving.PlanInput(plan, workload, feed.schema, span, split)
    program = engine("join_order").general().compile(given)
    batch = Batch(feed.tuples, span.end, last=True).pack()
    joined = program.tally([program.step(None, batch, 0, most_rows=0).totals], plan)
    assert (found.results, found.digest) == (joined.results, joined.digest)


@given(cases(least_arms=2), st.sampled_from([EXACT, "SIMP-S", "RAND-S"]))
def test_partitions_by_key_find_the_same_exactly_and_have_parts_of_the_memory(
    case: Case, policy: str
) -> None:
    star = star_of(case.workload)
    assume(star.is_keyed)
    plan = built(case.workload.queries[0], star, policy).plan
    split = engine("load_shedding").split(plan, case.workload, 3)
    assert split.partitions == 3
    assert "memory is split" in split.caveat
    exact = driven(case.workload, case.tables, EXACT)
    found = driven(case.workload, case.tables, policy, split=split)
    if policy == EXACT:
        assert found.rows == exact.rows
        assert found.tally.digest == exact.tally.digest
    else:
        assert set(found.rows) <= set(exact.rows)
        assert found.tally.shed["memory"] == {
            arm.source.alias: arm.share // 3 * 3 for arm in star.arms
        }


def test_other_plans_run_in_one_partition() -> None:
    workload, _ = worked_example()
    star = star_of(workload)
    for label, reason in ((EXACT, "several attributes"), ("OSSJ", "one memory")):
        plan = built(workload.queries[0], star, label).plan
        split = engine("load_shedding").split(plan, workload, 4)
        assert split.partitions == 1
        assert reason in split.single


def test_a_program_travels_as_text() -> None:
    workload, tables = worked_example()
    plan = built(workload.queries[0], star_of(workload), "DGL-S").plan
    feed = feed_of(workload, tables, "DGL-S")
    split = engine("load_shedding").split(plan, workload, 1)
    program = driving.program_of(plan, workload, feed, Span(0, 6 * SECOND), split)
    assert program_from_json(program.to_json()) == program


def test_what_was_shed_is_told_by_time_and_by_key() -> None:
    workload = star_workload([10, 10], memory=2, relation=False)
    tables = {
        "R": stream_table([(t, t % 3, 1 + (t % 3), 1) for t in range(12)]),
        "S": stream_table([(t, 1, 2, 1) for t in range(12)]),
    }
    shed = driven(workload, tables, "SIMP-S").tally.shed
    assert shed["memory"] == {"R": 1, "S": 1}
    gone = {
        alias: own["replaced"] + own["not admitted"] for alias, own in shed["evictions"].items()
    }
    assert gone == {"R": 11, "S": 11}
    assert {alias: sum(own) for alias, own in shed["timeline"]["shed"].items()} == gone
    assert len(shed["timeline"]["shed"]["R"]) == 60
    assert shed["keys"]["S"] == [{"key": 1, "arrived": 12, "shed": 11}]
    assert sum(key["shed"] for key in shed["keys"]["R"]) == 11
    assert [key["arrived"] for key in shed["keys"]["R"]] == [4, 4, 4]


@pytest.mark.parametrize("value", [0.0, -1.0, 2e6, np.nan])
def test_an_importance_that_cannot_be_one_is_named(value: float) -> None:
    workload, tables = worked_example()
    worth = np.array([1, 2, value, 3, 4, 5], np.float64)
    columns = {**tables["S"].columns, "worth": ColumnData(worth)}
    tables["S"] = replace(tables["S"], columns=columns)
    with pytest.raises(RunError, match=r"S\.worth: the importance of row 3 is not above 0"):
        driven(workload, tables, EXACT)


def _memory(workload: Workload, memory: int) -> Workload:
    return replace(workload, execution=replace(workload.execution, memory=memory))


def test_micro_batches_depend_on_the_memory_only_where_tuples_are_known_beforehand() -> None:
    workload, _ = worked_example()
    star = star_of(workload)
    runs = engine("load_shedding")
    for label, depends in (("OSSJ", True), ("SJA-S", True), ("RAND-S", False), (EXACT, False)):
        plan = built(workload.queries[0], star, label).plan
        needs = [runs.feed_needs(plan, _memory(workload, memory)) for memory in (4, 6)]
        assert (needs[0] != needs[1]) == depends
