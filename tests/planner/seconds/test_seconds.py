"""Seconds of plans: those of a ranking are the sum over operators, under every kernel's units."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner.families.registry import FAMILIES
from planner.files.data_folder import PROJECT
from planner.files.workload_file import load_workload
from planner.plan.cost import UnitCosts, Units
from planner.seconds.kernel_work import RunShape, kernel_seconds
from planner.seconds.units import default_units, units_of
from planner.workload.execution import Execution
from planner.workload.workload import Workload
from tests.planner.spaces import ranked_by_seconds

SAMPLES = [
    "auctions", "customer-flows", "golab-table-7", "lazy-join", "network-links", "shop-alerts",
    "temperature-humidity",
]  # fmt: skip


def _sample(name: str) -> Workload:
    file: Path = PROJECT / "sample_data" / f"{name}.yaml"
    return load_workload(file.read_bytes(), file.name)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_ranking_says_the_seconds_of_its_plans(name: str) -> None:
    workload = _sample(name)
    for known in FAMILIES:
        if known.refuses(workload) is not None:
            continue
        space = known.space(workload)
        by_seconds = ranked_by_seconds(space, 8)
        seconds = [c.seconds for c in by_seconds.candidates[:8] if c.seconds is not None]
        assert seconds == sorted(seconds)
        for candidate in (*by_seconds.candidates[:4], *space.rank(top=4).candidates):
            plan = space.plan(candidate.label)
            work = space.kernel_work(plan, space.estimate(plan).costs)
            spent = work.seconds(default_units())
            # Windows are priced as a scan finds them, or as they are on average: lazy ones differ.
            assert candidate.seconds == pytest.approx(spent, rel=0.02), candidate.label
            assert work.batch.kind == f"{work.kernel} batch"
            assert work.batch.kind in default_units().kinds


def test_declared_unit_costs_come_before_those_of_the_machine() -> None:
    workload = _sample("golab-table-5")
    calibrated = UnitCosts(Units(compare=1.0), "calibrated on this machine")
    assert units_of(workload) is default_units()
    assert units_of(workload, calibrated) is calibrated
    declared = replace(workload, execution=Execution(unit_costs={"compare": 2.0}))
    assert units_of(declared, calibrated).default == Units(compare=2.0)


def test_a_run_takes_longer_with_more_batches_and_copies() -> None:
    workload = _sample("golab-table-5")
    (known, *_) = FAMILIES
    space = known.space(workload)
    plan = space.best()
    work = space.kernel_work(plan, space.estimate(plan).costs)

    def seconds(shape: RunShape) -> float:
        return kernel_seconds(work, default_units(), workload.longest_window, 600, shape)

    assert seconds(RunShape(20)) > seconds(RunShape(1))
    assert seconds(RunShape(1, 2, replicated=True)) > seconds(RunShape(1, 2))
    steady = kernel_seconds(work, default_units(), 0, 600)
    assert steady > seconds(RunShape(1)), "windows fill up first"
