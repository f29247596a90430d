"""What-if: how plans' costs move, and which plan wins, as numbers of the workload vary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planner.errors import PlanError
from planner.families.protocol import Family
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective
from planner.whatif.axes import FORM, Axis, fitted
from planner.whatif.cells import About, Cells
from planner.whatif.crossings.crossovers import Crossover, crossovers
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.plan_diagrams import plan_diagram
from planner.whatif.sweep_paths import path_in
from planner.workload.validation import unique
from planner.workload.workload import Workload

MOST_CELLS = 10_000
# Of two axes: beyond MOST_CELLS only the plans that win in some cells are priced in all.
MOST_IN_DIAGRAM = 250_000
MOST_PLANS = 100
# A diagram that is not smooth is refined for so many seconds.
MOST_REFINING = 8.0


@dataclass(frozen=True, slots=True)
class Sweep:
    """Costs of the plans that win somewhere and of the baseline; cells in row-major order.

    Crossovers are solved, so they may name plans that win between two cells only. Two axes have a
    plan diagram.
    """

    axes: tuple[Axis, ...]
    plans: tuple[str, ...]
    cost: tuple[tuple[float, ...], ...]
    winner: tuple[str, ...]
    crossovers: tuple[Crossover, ...]
    by: Objective
    about: About
    diagram: PlanDiagram | None = None


def sweep(
    workload: Workload,
    axes: Sequence[Axis],
    family: Family,
    by: str | None = None,
    units: UnitCosts | None = None,
) -> Sweep:
    """Price the plans of every cell: those that win somewhere, and the baseline.

    `by` names the objective that plans are ranked by; `units` turn work into seconds.
    """
    kept = checked(workload, axes)
    count = math.prod(len(axis.values) for axis in kept)
    cells = Cells(workload, kept, family, by, count, units)
    if len(kept) == 2:
        return _in_two(cells)
    places = list(product(*(axis.values for axis in kept)))
    found: tuple[Crossover, ...] = ()
    if len(kept) == 1:
        winner, found = crossovers(cells)
    else:
        winner = tuple(cells.winner(place) for place in places)
    first = cells.space(places[0])
    plans = _shown(winner, found, cells.named(first.rank(top=1).baseline, places[0]))
    scores = [cells.scores(place, plans) for place in places]
    cost = tuple(zip(*scores, strict=True))
    return Sweep(kept, plans, cost, winner, found, cells.by, cells.about)


def _in_two(cells: Cells) -> Sweep:
    found = plan_diagram(cells, MOST_REFINING)
    winners = [found.plans[place] for place in found.winner.tolist()]
    lasting = [plan for plan in found.plans if plan not in set(winners)]
    plans = _shown(winners, (), lasting[0] if lasting else winners[0])
    cost = {plan: tuple(row.tolist()) for plan, row in zip(found.plans, found.cost, strict=True)}
    return Sweep(
        cells.axes,
        plans,
        tuple(cost[plan] for plan in plans),
        tuple(winners),
        (),
        found.by,
        cells.about,
        found,
    )


def checked_ranges(workload: Workload, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes as ranges of numbers that the workload has."""
    unique((axis.path for axis in axes), "--vary")
    kept = tuple(fitted(workload, axis) for axis in axes)
    for axis in kept:
        path = path_in(workload, axis.path)
        # What is drawn lies between the ends: a range that begins at a value there is none of,
        # also after rounding, is a mistake.
        for end in (min(axis.values), max(axis.values)):
            path.change(end)
    return kept


def checked(workload: Workload, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes with values that their paths can take; a PlanError where they are no grid."""
    if not axes:
        raise PlanError(f"nothing varies; {FORM}", "--vary")
    unique((axis.path for axis in axes), "--vary")
    kept = tuple(fitted(workload, axis) for axis in axes)
    count = math.prod(len(axis.values) for axis in kept)
    most = MOST_IN_DIAGRAM if len(kept) == 2 else MOST_CELLS
    if count > most:
        raise PlanError(f"{count:,} cells; at most {most:,}: take fewer steps", "--vary")
    return kept


def _shown(winners: Sequence[str], found: Sequence[Crossover], baseline: str) -> tuple[str, ...]:
    """The plans that win most often, in the order of their first win, and the baseline."""
    every = [*winners, *(crossing.after for crossing in found)]
    frequent = {label for label, _ in Counter(every).most_common(MOST_PLANS)}
    shown = [label for label in dict.fromkeys(every) if label in frequent]
    return tuple(dict.fromkeys([*shown, baseline]))
