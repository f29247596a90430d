"""Every policy on random arrivals: answers of isolated execution, delays to the nanosecond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.stages import PlannedStage
from planner.joins.query_groups import groups_of
from planner.workload.workload import Workload
from runtime.engines.kernels.digest import digest_of
from runtime.engines.registry import program_from_json
from runtime.engines.shared_schedule import batch, state
from runtime.engines.shared_schedule.kernel.types import HELD_TIME, WAITED
from runtime.engines.shared_schedule.schedule_program import OWN
from tests.examples import examples
from tests.oracles.joins import Data, results_of
from tests.runtime.schedule_checks import Comparison, outers_of
from tests.runtime.schedule_counts import Counts
from tests.runtime.scheduling import SPAN, feed_of, labels, plan_of, scheduled, tuples, workloads

FEW = examples(30)


@FEW
@given(st.data(), workloads(), tuples(), st.sets(st.integers(1, 50)))
def test_every_policy_is_as_the_simulator_has_it(
    choose: st.DataObject, workload: Workload, data: Data, cuts: set[int]
) -> None:
    label = choose.draw(labels(workload))
    found = scheduled(workload, feed_of(workload, data), label, sorted(cuts))
    assert program_from_json(found.program.to_json()) == found.program
    stage = PlannedStage(None, workload, plan_of(workload, label), {})
    expected = Comparison([stage], data, found).check()
    (group,) = groups_of(workload)
    for query in workload.queries:
        turned = query.sources[0].name != group.streams[0]
        in_order = [seqs[::-1] if turned else seqs for seqs in expected[query.name]]
        assert [row[:2] for row in found.rows[query.name]] == in_order
        by_definition = results_of(workload.only(query.name), data)
        assert sorted(found.rows[query.name]) == by_definition
        seqs = np.array(by_definition, np.int64).reshape(-1, 3)[:, :2]
        assert found.tally.by_query[query.name] == (len(by_definition), int(digest_of(seqs)))


@FEW
@given(st.data(), workloads(), tuples(), st.sets(st.integers(1, 50)))
def test_nothing_depends_on_where_batches_are_cut(
    choose: st.DataObject, workload: Workload, data: Data, cuts: set[int]
) -> None:
    label = choose.draw(labels(workload))
    feed = feed_of(workload, data)
    whole, cut = (scheduled(workload, feed, label, sorted(at)) for at in (set(), cuts))
    assert whole.rows == cut.rows
    assert whole.tally.schedules == cut.tally.schedules
    for name, counts in whole.counters._asdict().items():
        assert np.array_equal(counts, getattr(cut.counters, name)), name


@FEW
@given(workloads(), tuples())
def test_nothing_depends_on_how_much_room_there_is(workload: Workload, data: Data) -> None:
    feed = feed_of(workload, data)
    usual = scheduled(workload, feed, "SWF")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batch, "CHUNK_OFFSETS", 1)
        patched.setattr(state, "CHUNK_OUTERS", 1)
        found = scheduled(workload, feed, "SWF")
    assert found.rows == usual.rows
    for name, counts in usual.counters._asdict().items():
        assert np.array_equal(counts, getattr(found.counters, name)), name


@FEW
@given(st.data(), workloads(), tuples(), st.sets(st.integers(1, 50)))
def test_operators_count_what_they_do(
    choose: st.DataObject, workload: Workload, data: Data, cuts: set[int]
) -> None:
    """Policies differ in what waits, and in routes, which check windows inside slices."""
    feed, counted = feed_of(workload, data), []
    for label in (choose.draw(labels(workload)), "LWO"):
        found = scheduled(workload, feed, label, sorted(cuts))
        stages = [PlannedStage(None, workload, plan_of(workload, label), {})]
        expected = Counts(stages, data, outers_of(stages, data)).costs()
        own = found.program.alias if found.program.alias >= 0 else OWN
        waited = found.counters.measures[own, 0]
        for operator in stages[0].plan.operators():
            cost = found.tally.costs[operator.id].as_dict()
            if operator.kind == "schedule":
                held = (waited[WAITED] + waited[HELD_TIME]) / 1e9
                assert cost.pop("state_tuples") == held / SPAN.seconds
            plain = {name: expected[operator.id].as_dict()[name] for name in cost}
            assert cost == pytest.approx(plain), operator
        work = [op for op in stages[0].plan.operators() if op.kind not in ("route", "schedule")]
        counted.append([(op.kind, found.tally.costs[op.id]) for op in work])
    assert counted[0] == counted[1]
