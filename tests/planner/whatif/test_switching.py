"""What switching plans costs: state that the new plan needs and the old one has not."""

from __future__ import annotations

from planner.families.join_order import JoinOrder
from planner.families.registry import family
from planner.report.command import read_workload
from planner.whatif.rates import burst, day_and_night
from planner.whatif.replanning import replan
from planner.whatif.switching import narrowed, path_of, switching
from tests.planner.workloads import TABLE_7, equality_join


def test_join_orders_keep_the_same_windows_so_that_switching_is_free() -> None:
    workload = equality_join(TABLE_7)
    found = switching(workload, replan(workload, day_and_night(workload), JoinOrder()), JoinOrder())
    assert found.switches
    assert found.moved == 0
    assert found.pays


def test_chains_of_other_slices_move_what_those_hold() -> None:
    workload = read_workload("sample_data/thirty-six-windows.yaml", None)
    chains = family("sliced_chain")
    trace = burst(workload, "A", 30)
    followed = replan(workload, trace, chains)
    found = switching(workload, followed, chains)
    assert len(found.switches) == len(followed.oracle.changed_at)
    assert found.switches
    for switch in found.switches:
        place = trace.times.index(switch.at)
        space = chains.space(trace.at(place, workload))
        (plan,) = space.plans([switch.after])
        held = sum(cost.state_tuples for cost in space.estimate(plan).costs.values())
        assert 0 < switch.moved <= held
    assert found.moved == sum(switch.moved for switch in found.switches)


def test_a_path_has_the_rates_of_two_streams() -> None:
    workload = equality_join(TABLE_7)
    trace = narrowed(day_and_night(workload), ("S3", "S1"))
    assert trace.streams == ("S3", "S1")
    assert path_of(trace, ("S1",)) == tuple((rates[1],) for rates in trace.rates)
