"""Seconds are those of this machine wherever numbers vary: calibrated units reach every space."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.families.join_order import JoinOrder
from planner.plan.cost import UnitCosts
from planner.seconds.units import default_units
from planner.whatif.along import sweep_along
from planner.whatif.axes import parse_axis
from planner.whatif.rates import day_and_night
from planner.whatif.replanning import replan
from planner.whatif.robust import robust_choice
from planner.whatif.sweeps import sweep
from tests.planner.workloads import TABLE_7, equality_join

WORKLOAD, FAMILY = equality_join(TABLE_7), JoinOrder()
AXES = [parse_axis("streams.S1.rate=1:50:4"), parse_axis("streams.S3.rate=1:50:3")]


def _twice(units: UnitCosts) -> UnitCosts:
    def doubled(kind: str) -> object:
        known = units.kinds[kind]
        return replace(known, **{name: 2 * getattr(known, name) for name in known.__slots__})

    return replace(units, kinds={kind: doubled(kind) for kind in units.kinds})


@pytest.mark.parametrize("count", [1, 2])
def test_a_sweep_is_in_the_seconds_of_this_machine(count: int) -> None:
    once, twice = (
        sweep(WORKLOAD, AXES[:count], FAMILY, "seconds", units)
        for units in (None, _twice(default_units()))
    )
    assert [[2 * cost for cost in row] for row in once.cost] == [
        pytest.approx(row) for row in twice.cost
    ]


def test_a_row_ranges_and_a_trace_are_too() -> None:
    units = _twice(default_units())
    along = [sweep_along("n", [WORKLOAD] * 2, FAMILY, "seconds", own) for own in (None, units)]
    assert 2 * along[0].cost[0][0] == pytest.approx(along[1].cost[0][0])
    robust = [robust_choice(WORKLOAD, AXES, FAMILY, "seconds", 9, own) for own in (None, units)]
    one, other = (found.of(found.expected).expected for found in robust)
    assert 2 * one == pytest.approx(other)
    trace = day_and_night(WORKLOAD)
    followed = [replan(WORKLOAD, trace, FAMILY, by="seconds", units=own) for own in (None, units)]
    assert 2 * followed[0].oracle.total == pytest.approx(followed[1].oracle.total)
