"""Crossovers: where the best plan along one axis changes, because of what, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan
from planner.whatif.cells import Cells
from planner.whatif.crossings.envelope import Envelope, WinnerChange


@dataclass(frozen=True, slots=True)
class CrossoverCause:
    """The operator whose cost makes two plans cross: what it costs in each, before and after.

    `before` has the two plans at the cell before the crossover, `after` at the cell after it.
    """

    operator: str
    before: tuple[float, float]
    after: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where on one axis the winner changes; `cause` is None where costs are no sum of operators.

    Where costs are simulated, `between` are the values between which the two plans are closer than
    chance can tell.
    """

    at: float
    before: str
    after: str
    cause: CrossoverCause | None = None
    between: tuple[float, float] | None = None


def crossovers(cells: Cells) -> tuple[tuple[str, ...], tuple[Crossover, ...]]:
    """The best plan of each cell along the one axis, and every change of it, in the axis's order.

    Of plans that cost the same the one that was best before stays.
    """
    found = Envelope(cells).walked()
    return found.winners, tuple(_said(cells, change) for change in found.changes)


def _said(cells: Cells, change: WinnerChange) -> Crossover:
    at = float(f"{change.at:.9g}")
    # Rounding must not take the place out of its neighbours, or change their order.
    low, high = sorted(change.neighbours)
    at = change.at if not low < at < high else at
    cause = _cause(cells, change)
    return Crossover(at, change.before, change.after, cause, _unsure(cells, change))


def _unsure(cells: Cells, change: WinnerChange) -> tuple[float, float] | None:
    """The cells around a crossover up to which the two plans are closer than chance can tell."""
    values = cells.axes[0].values
    labels = change.before, change.after
    low, high = (values.index(value) for value in change.neighbours)

    def unsure(place: int) -> bool:
        return cells.within_chance((values[place],), *labels)

    if not any(cells.errors((values[place],), labels) != (0.0, 0.0) for place in (low, high)):
        return None
    while low > 0 and unsure(low):
        low -= 1
    while high < len(values) - 1 and unsure(high):
        high += 1
    return values[low], values[high]


def _cause(cells: Cells, change: WinnerChange) -> CrossoverCause | None:
    """The operator that changes the difference of two plans most, from cell to cell."""
    labels = change.before, change.after
    sides: list[list[dict[str, float]]] = []
    for value in change.neighbours:
        space, by = cells.space((value,)), cells.objective((value,))
        plans = list(space.plans(labels))
        spread = [by.by_operator(plan, space.estimate(plan)) for plan in plans]
        pairs = zip(plans, spread, strict=True)
        sides.append([_by_name(plan, own) for plan, own in pairs if own is not None])
    if any(len(side) < len(labels) for side in sides):
        return None
    names = dict.fromkeys(name for side in sides for plan in side for name in plan)

    def figures(side: list[dict[str, float]], name: str) -> tuple[float, float]:
        one, other = side
        return one.get(name, 0.0), other.get(name, 0.0)

    def difference(name: str) -> float:
        (one, other), (one_then, other_then) = (figures(side, name) for side in sides)
        return abs((one_then - other_then) - (one - other))

    name = max(names, key=difference)
    return CrossoverCause(name, figures(sides[0], name), figures(sides[1], name))


def _by_name(plan: Plan, spread: Mapping[str, float]) -> dict[str, float]:
    """What the operators of each name add up to: ids name windows, which may vary."""
    found: dict[str, float] = {}
    for operator in plan.operators():
        name = operator_name(operator)
        found[name] = found.get(name, 0.0) + spread[operator.id]
    return found
