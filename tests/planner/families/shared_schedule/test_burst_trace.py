"""Traces of short bursts: one server, whole busy periods, the same work under every policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.families.registry import applicable, covering
from planner.families.shared_schedule import SharedSchedule
from planner.families.shared_schedule.delays.batches import SimultaneousBatch
from planner.families.shared_schedule.delays.burst_trace import burst_of, traced
from planner.families.shared_schedule.labels import LWO, MQT, SWF
from planner.families.shared_schedule.policies import Rule, Wanted, rule_of
from planner.families.shared_schedule.space import Schedules
from planner.families.shared_schedule.what_if import in_bursts, loaded, mean_burst
from tests.planner.chains import joined, joins

POLICIES = ["LWO", "SWF", "MQT", "FAIR", "OUT"]


def space_at(load: float) -> Schedules:
    workload = joins([joined(n) for n in (2, 5, 20)], rates=(40, 40))
    found = SharedSchedule().space(loaded(workload, load))
    assert isinstance(found, Schedules)
    return found


@pytest.mark.parametrize("label", POLICIES)
@pytest.mark.parametrize("load", [0.3, 0.9])
def test_one_server_works_without_a_pause(label: str, load: float) -> None:
    trace = space_at(load).trace(label)
    assert not trace.goes_on
    at = 0
    for scan in trace.scans:
        assert abs(scan.begin_ns - at) <= 2, "from the first arrival on, to a rounded nanosecond"
        assert scan.begin_ns >= trace.arrivals_ns[scan.outer] - 2
        at = scan.end_ns
    assert len(trace.scans) == 3 * len(trace.arrivals_ns)


def test_all_policies_do_the_same_work_and_give_the_same_results() -> None:
    space = space_at(0.9)
    traces = [space.trace(label) for label in POLICIES]
    assert len({trace.arrivals_ns for trace in traces}) == 1
    assert max(t.end_ns for t in traces) - min(t.end_ns for t in traces) <= 2
    assert len({sum(r.results for r in trace.releases) for trace in traces}) == 1


def test_queues_are_what_has_arrived_and_is_not_done() -> None:
    trace = space_at(0.9).trace("MQT")
    ends = {(scan.outer, scan.part): scan.end_ns for scan in trace.scans}
    steps = [dict(trace.waiting(part)) for part in range(3)]
    for now in sorted({time for own in steps for time in own}):
        waiting = sum(
            next(count for time, count in reversed(list(own.items())) if time <= now)
            for own in steps
        )
        arrived = [k for k, time in enumerate(trace.arrivals_ns) if time <= now]
        assert waiting == sum(ends[k, 2] > now for k in arrived)


def test_where_work_piles_up_the_first_tuples_are_taken() -> None:
    trace = space_at(3.0).trace("MQT")
    assert trace.goes_on
    assert 1 <= len(trace.arrivals_ns) <= 24


def rule(policy: str) -> Rule:
    wanted = Wanted((2, 3, 6), (1, 1, 1), (1, 1, 1), (1, 1, 1), (None,) * 3, lambda: [1.0] * 3)
    points = (0, 6) if policy == LWO else (0, 2, 3, 6)
    return rule_of(policy, points, wanted, "larger")


def test_a_batch_by_hand() -> None:
    """Two tuples at once, windows of 2, 3 and 6 tuples, a second a pair, all of them match."""
    batch = SimultaneousBatch(2, (2, 3, 6)).sample
    whole = traced(batch, False, (2, 3, 6), rule(LWO))
    assert [(s.outer, s.part) for s in whole.scans] == [(k, p) for k in (0, 1) for p in range(3)]
    assert not any(release.held for release in whole.releases)
    smallest = traced(batch, False, (2, 3, 6), rule(SWF))
    assert [(s.outer, s.part) for s in smallest.scans] == [(k, p) for p in range(3) for k in (0, 1)]
    # The second tuple's results of the smallest window wait until the first has done the others.
    held = {(r.outer, r.windows, r.at_ns // 10**9) for r in smallest.releases if r.held}
    assert held == {(1, (1,), 6), (1, (2,), 12)}
    through = traced(batch, False, (2, 3, 6), rule(MQT))
    assert [(s.outer, s.part) for s in through.scans[:4]] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_burst_begins_and_ends_with_an_idle_server() -> None:
    sample = space_at(0.9).predictions.sample
    burst, goes_on = burst_of(sample, 12)
    assert not goes_on
    assert abs(len(burst.ts) - 12) <= 3
    assert burst.ts[0] == 0
    assert np.all(np.cumsum(burst.spent[:-1, -1]) >= burst.ts[1:])


def test_what_if_changes_load_and_bursts_alone() -> None:
    workload = joins([joined(2), joined(5)])
    assert mean_burst(workload) == 1
    burst = in_bursts(loaded(workload, 0.5), 2.5)
    assert burst.execution.utilisation == 0.5
    assert mean_burst(burst) == 2.5
    assert in_bursts(burst, 1.0).streams == workload.streams


def test_a_workload_asks_for_schedules_by_what_it_states() -> None:
    workload = joins([joined(2), joined(5)])
    assert applicable(workload, "test").name == "sliced_chain"
    assert [found.name for found in covering(workload)] == ["sliced_chain", "shared_schedule"]
    assert applicable(loaded(workload, 0.7), "test").name == "shared_schedule"
    urgent = replace(workload.queries[0], deadline=0.5)
    workload = replace(workload, queries=(urgent, *workload.queries[1:]))
    assert applicable(workload, "test").name == "shared_schedule"
