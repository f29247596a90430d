"""The lower envelope of the plans' costs along one axis: which plan is best from where to where.

Between two cells with the winners A and B, the value is solved at which A and B cost the same, and
all plans are compared there. Where a third plan C wins, both sides are searched again:

    cost  A\\            /          A beats B on the left and B beats A on the right,
            \\   B  ___/           but C is below both where they meet:
           ---\\-.--/------ C       A|C and C|B are the crossovers.
               '.x'

Between two cells with one winner, plans that dip below it are looked for: in the prices of many
values at once where costs are smooth, else at a few values. Of plans that cost the same the one
that was best before stays, so that ties are no crossovers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from planner.solving import where_lost
from planner.whatif.cells import Cells
from planner.whatif.crossings.dips import dips

# Plans that tie in the first cell part at once if that is within so much of the next one.
_AT_ONCE = 1e-6


@dataclass(frozen=True, slots=True)
class WinnerChange:
    """Where the best plan changes, between two neighbouring cells."""

    at: float
    before: str
    after: str
    neighbours: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Walk:
    """The best plan of each cell, and its changes between them."""

    winners: tuple[str, ...]
    changes: tuple[WinnerChange, ...]


class Envelope:
    """The winners along one axis."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        (self._axis,) = cells.axes
        self._is_whole = cells.axis_is_whole(self._axis)
        self._changes: list[WinnerChange] = []

    def walked(self) -> Walk:
        """Follow the best plan from the first cell to the last."""
        values = self._axis.values
        between = dips(self._cells)
        running = self._winner(values[0])
        winners = [running]
        for low, high in pairwise(values):
            for one, other in pairwise((low, *between(low, high), high)):
                running = self._followed(one, other, running, (low, high))
            winners.append(running)
        if self._changes and self._is_at_once(self._changes[0]):
            # The plans tie in the first cell alone: the one that goes on has it too.
            winners[0] = self._changes.pop(0).after
        return Walk(tuple(winners), tuple(self._changes))

    def _is_at_once(self, change: WinnerChange) -> bool:
        """Whether two plans part right after the first cell."""
        first, second = self._axis.values[:2]
        near = abs(change.at - first) <= _AT_ONCE * abs(second - first)
        return near and self._ties(first, change.before, change.after)

    def _winner(self, value: float) -> str:
        return self._cells.winner((value,))

    def _followed(
        self, low: float, high: float, before: str, neighbours: tuple[float, float]
    ) -> str:
        """The best plan at the higher of two values; it is `before` at the lower one."""
        after = self._winner(high)
        if after == before or self._ties(high, before, after):
            return before
        at = self._meeting(low, high, before, after)
        third = self._winner(at)
        is_met = third in (before, after) or at in (low, high)
        if is_met or self._ties(at, third, before) or self._ties(at, third, after):
            self._changes.append(WinnerChange(at, before, after, neighbours))
            return after
        return self._followed(at, high, self._followed(low, at, before, neighbours), neighbours)

    def _ties(self, at: float, one: str, other: str) -> bool:
        return self._cells.ties((at,), one, other)

    def _meeting(self, low: float, high: float, before: str, after: str) -> float:
        """From which value on `after` is the better one of the two."""
        by, tied = self._cells.by, self._ties(low, before, after)

        def lead(value: float) -> float:
            """By how much `before` is ahead. Where the two cost the same at first, it is until they
            part."""
            if tied and self._ties(value, before, after):
                return math.ulp(0.0)
            ahead, behind = self._cells.scores((value,), (before, after))
            return by.signed(behind) - by.signed(ahead)

        return _halved(lead, low, high) if self._is_whole else where_lost(lead, low, high)


def _halved(lead: Callable[[float], float], low: float, high: float) -> float:
    """The same for whole numbers."""
    while abs(high - low) > 1:
        middle = float(round((low + high) / 2))
        low, high = (middle, high) if lead(middle) > 0 else (low, middle)
    return high
