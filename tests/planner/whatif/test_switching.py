"""What switching plans costs: the price that runs pay, too."""

from __future__ import annotations

import pytest

from planner.families.capabilities import Switching
from planner.families.join_order import JoinOrder
from planner.families.protocol import Family
from planner.families.registry import family
from planner.report.command import read_workload
from planner.report.replanning_report import replan_document, replan_text, switching_cost
from planner.whatif.rates import RateTrace, burst, day_and_night
from planner.whatif.replanning import Replanning, replan
from planner.workload.workload import Workload
from tests.planner.workloads import TABLE_7, equality_join


def _priced_as_runs(workload: Workload, found: Replanning, chosen: Family) -> list[float]:
    prices = []
    for switch in found.oracle.switches:
        place = found.trace.times.index(switch.at)
        space = chosen.space(found.trace.at(place, workload))
        switching = space.capability(Switching)
        assert switching is not None
        plans = space.plan(switch.before), space.plan(switch.after)
        assert switching.why_not_switched(*plans) is None
        prices.append(switching.moved(*plans).operations)
    return prices


def test_join_orders_without_an_index_keep_the_same_windows_so_that_switching_is_free() -> None:
    workload = equality_join(TABLE_7)
    found = replan(workload, day_and_night(workload), JoinOrder())
    assert found.oracle.switches
    assert found.oracle.switching == 0
    assert found.pays
    assert "take no work" in switching_cost(found)


@pytest.mark.parametrize("sample", ["network-packets", "thirty-six-windows"])
def test_a_switch_costs_what_a_run_counts_for_it(sample: str) -> None:
    workload = read_workload(f"sample_data/{sample}.yaml", None)
    chosen = family("early_aggregation" if sample == "network-packets" else "sliced_chain")
    stream = workload.streams[0].name
    found = replan(workload, burst(workload, stream, 30), chosen, by=None)
    prices = _priced_as_runs(workload, found, chosen)
    assert [switch.operations for switch in found.oracle.switches] == pytest.approx(prices)
    assert found.oracle.switching == pytest.approx(sum(prices))
    document = replan_document(workload, chosen.name, found)
    assert document["policies"]["oracle"]["switching_operations"] == pytest.approx(sum(prices))


def test_an_aggregation_that_is_built_anew_may_not_pay() -> None:
    workload = read_workload("sample_data/network-packets.yaml", None)
    chosen = family("early_aggregation")
    rates = [[s.rate or 1.0 for s in workload.streams], [0.001, 10.0]]
    names = tuple(s.name for s in workload.streams)
    for seconds, pays in ((1e-6, False), (1e6, True)):
        times = tuple(seconds * place for place in range(4))
        rows = tuple(tuple(rates[place % 2]) for place in range(4))
        found = replan(workload, RateTrace(names, times, rows, 4 * seconds), chosen)
        if not found.oracle.switching:
            pytest.fail(f"the plans do not change by work: {found.oracle.plans}")
        assert found.pays is pays
        said = "pays." if pays else "does not pay."
        assert said in switching_cost(found)
        assert switching_cost(found) in replan_text(workload, found)


def test_plans_of_other_kernels_begin_with_empty_windows() -> None:
    workload = equality_join(TABLE_7)
    space = JoinOrder().space(workload)
    from planner.whatif.switching import switch_at

    found = switch_at(3.0, space, "S1,S2,S3,S4", "naive:S1,S2,S3,S4")
    held = sum(cost.state_tuples for cost in space.estimate(space.plan(found.after)).costs.values())
    assert found.restarts
    assert found.operations == pytest.approx(held)


def test_a_path_has_the_rates_of_two_streams() -> None:
    workload = equality_join(TABLE_7)
    trace = day_and_night(workload).narrowed(("S3", "S1"))
    assert trace.streams == ("S3", "S1")
    assert trace.of_streams(("S1",)) == tuple((rates[1],) for rates in trace.rates)
