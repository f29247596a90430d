"""A sweep along a row of workloads that differ in more than one number, such as a paper's curve.

Every workload is planned; between two of them nothing is known, so crossovers are not solved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from planner.errors import PlanError
from planner.families.protocol import Family
from planner.plan.cost import UnitCosts
from planner.whatif.axes import Axis
from planner.whatif.cells import Cells, Values
from planner.whatif.sweeps import MOST_PLANS, Sweep
from planner.workload.workload import Workload


class _Row(Cells):
    """Cells that are these workloads, at the numbers from 1 on."""

    def __init__(
        self,
        name: str,
        row: Sequence[Workload],
        family: Family,
        by: str | None,
        units: UnitCosts | None,
    ) -> None:
        numbers = tuple(float(place) for place in range(1, len(row) + 1))
        super().__init__(row[0], [Axis(name, numbers)], family, by, len(row), units)
        self._row = dict(zip(numbers, row, strict=True))
        self._is_lasting = True

    def workload_at(self, values: Values) -> Workload:
        return self._row[values[0]]

    def _corners(self) -> Iterable[Values]:
        return [(value,) for value in self._row]

    def axis_is_whole(self, axis: Axis) -> bool:  # noqa: ARG002 - places are counted
        return True

    def score(self, values: Values, label: str) -> float:
        """What a plan scores; not a number where this workload has no such plan."""
        try:
            return self.scores(values, [label])[0]
        except PlanError:
            return math.nan


def sweep_along(
    name: str,
    row: Sequence[Workload],
    family: Family,
    by: str | None = None,
    units: UnitCosts | None = None,
) -> Sweep:
    """Price the plans that win in some of these workloads, and the baseline, in all of them."""
    cells = _Row(name, row, family, by, units)
    places = [(value,) for value in cells.axes[0].values]
    winner = tuple(cells.winner(place) for place in places)
    first = cells.space(places[0])
    baseline = cells.named(first.rank(top=1).baseline, places[0])
    plans = tuple(dict.fromkeys([*winner, baseline]))[:MOST_PLANS]
    cost = tuple(tuple(cells.score(place, plan) for place in places) for plan in plans)
    return Sweep(cells.axes, plans, cost, winner, (), cells.by, cells.about)
