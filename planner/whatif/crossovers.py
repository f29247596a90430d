"""Where the winner changes along one axis, solved: the lower envelope of the plans' costs.

Between two cells with the winners A and B, the value is solved at which A and B cost the same, and
all plans are compared there. Where a third plan C wins, both sides are searched again:

    cost  A\\            /          A beats B on the left and B beats A on the right,
            \\   B  ___/           but C is below both where they meet:
           ---\\-.--/------ C       A|C and C|B are the crossovers.
               '.x'

Between two cells with one winner the middle is planned too. A plan that wins at no cell, at no
middle and at no meeting point is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from planner.plan.cost import Estimate, rounded
from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan
from planner.whatif.cells import Cells
from planner.whatif.sweep_paths import path_in

# A crossover is solved to so much of its value.
_NEAR = 1e-10
# Costs that differ by less are the same.
_TIE = 1e-9
_MOST_STEPS = 200


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
    """Where on one axis the winner changes; `cause` is None where costs are no sum of operators."""

    at: float
    before: str
    after: str
    cause: CrossoverCause | None = None


def crossovers(cells: Cells) -> tuple[Crossover, ...]:
    """Every change of the winner along the one axis of these cells, in the axis's order."""
    (axis,) = cells.axes
    envelope = _Envelope(cells)
    found: list[Crossover] = []
    for low, high in pairwise(axis.values):
        found += envelope.between(low, high)
    return tuple(found)


class _Envelope:
    """The winners along one axis."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        (self._axis,) = cells.axes
        self._is_whole = path_in(cells.workload, self._axis.path).integer

    def between(self, low: float, high: float) -> Iterator[Crossover]:
        """The crossovers between two neighbouring cells."""
        if self._winner(low) != self._winner(high):
            yield from self._split(low, high, (low, high))
            return
        middle = self._middle(low, high)
        if middle not in (low, high) and self._winner(middle) != self._winner(low):
            yield from self._split(low, middle, (low, high))
            yield from self._split(middle, high, (low, high))

    def _winner(self, value: float) -> str:
        return self._cells.winner((value,))

    def _middle(self, low: float, high: float) -> float:
        middle = self._axis.between(low, high)
        return float(round(middle)) if self._is_whole else middle

    def _split(
        self, low: float, high: float, neighbours: tuple[float, float]
    ) -> Iterator[Crossover]:
        before, after = self._winner(low), self._winner(high)
        if before == after:
            return
        at = self._meeting(low, high, before, after)
        third = self._winner(at)
        if third in (before, after) or at in (low, high) or self._ties(at, third, before):
            said = at if self._is_whole else float(f"{at:.9g}")
            yield Crossover(said, before, after, self._cause(neighbours, (before, after)))
            return
        yield from self._split(low, at, neighbours)
        yield from self._split(at, high, neighbours)

    def _ties(self, at: float, one: str, other: str) -> bool:
        first, second = self._cells.scores((at,), (one, other))
        return math.isclose(first, second, rel_tol=_TIE)

    def _meeting(self, low: float, high: float, before: str, after: str) -> float:
        """From which value on `after` is the better one of the two."""
        by = self._cells.objective((low,))

        def lead(value: float) -> float:
            """By how much `before` is ahead; of equals the one that comes first by its label."""
            ahead, behind = self._cells.scores((value,), (before, after))
            if rounded(ahead) == rounded(behind):
                return math.copysign(math.ulp(0.0), 1 if before < after else -1)
            return by.signed(behind) - by.signed(ahead)

        return _halved(lead, low, high) if self._is_whole else _solved(lead, low, high)

    def _cause(
        self, neighbours: tuple[float, float], labels: tuple[str, str]
    ) -> CrossoverCause | None:
        """The operator that changes the difference of two plans most, from cell to cell."""
        part = self._cells.objective(neighbours[:1]).part
        if part is None:
            return None
        sides = []
        for value in neighbours:
            space = self._cells.space((value,))
            plans = space.plans(labels)
            sides.append([_by_operator(plan, space.estimate(plan), part) for plan in plans])
        names = dict.fromkeys(name for side in sides for plan in side for name in plan)

        def figures(side: list[dict[str, float]], name: str) -> tuple[float, float]:
            one, other = side
            return one.get(name, 0.0), other.get(name, 0.0)

        def change(name: str) -> float:
            (one, other), (one_then, other_then) = (figures(side, name) for side in sides)
            return abs((one_then - other_then) - (one - other))

        name = max(names, key=change)
        return CrossoverCause(name, figures(sides[0], name), figures(sides[1], name))


def _by_operator(plan: Plan, estimate: Estimate, part: str) -> dict[str, float]:
    """What the operators of each name cost: ids name windows, which may vary."""
    found: dict[str, float] = {}
    for operator in plan.operators():
        name = operator_name(operator)
        found[name] = found.get(name, 0.0) + getattr(estimate.costs[operator.id], part)
    return found


def _solved(lead: Callable[[float], float], low: float, high: float) -> float:
    """Where the lead is lost: by regula falsi, and every third step a halving.

    Of two values that are as close as can be told, the one where it is lost.
    """
    ahead, behind = lead(low), lead(high)
    # Where the two tie at an end, the family may have its own way to choose between them.
    if ahead <= 0:
        return low
    if behind > 0:
        return high
    for step in range(_MOST_STEPS):
        near = _NEAR * max(abs(high), abs(low))
        if abs(high - low) <= near:
            break
        value = (low + high) / 2
        if step % 3 < 2:
            # Next to an end that has nearly met, a step beyond the meeting point ends the search.
            least = near / 2 / abs(high - low)
            share = min(max(ahead / (ahead - behind), least), 1 - least)
            value = low + share * (high - low)
        found = lead(value)
        if found > 0:
            low, ahead = value, found
        else:
            high, behind = value, found
    return high


def _halved(lead: Callable[[float], float], low: float, high: float) -> float:
    """The same for whole numbers."""
    while abs(high - low) > 1:
        middle = float(round((low + high) / 2))
        low, high = (middle, high) if lead(middle) > 0 else (low, middle)
    return high
