"""Results that are kept take time of their own, by every kernel."""

from __future__ import annotations

import pytest

from planner.plan.cost import Cost, UnitCosts, Units
from planner.seconds.kernel_work import KernelWork, RunShape, Work, kernel_seconds
from planner.seconds.units import default_units


def test_rows_that_are_kept_take_their_own_time() -> None:
    operators = (Work("k output", Cost(rows_out=100.0)), Work("k insert", Cost(inserts=10.0)))
    work = KernelWork("k", operators, Work("k batch", Cost()))
    units = UnitCosts(Units(), "", {"k keep rows": Units(output=1e-3), "k insert": Units(insert=1)})
    counted, kept = (
        kernel_seconds(work, units, 0.0, 5.0, RunShape(keeps_rows=keeps)) for keeps in (False, True)
    )
    assert counted == pytest.approx(50)
    assert kept == pytest.approx(counted + 0.5)


def test_every_kernel_has_a_default_for_rows_that_are_kept() -> None:
    kinds = default_units().kinds
    for kernel in {kind.split()[0] for kind in kinds}:
        assert kinds[f"{kernel} keep rows"].output > 0, kernel
