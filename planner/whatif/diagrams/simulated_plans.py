"""A diagram of plans that are simulated: some cells are, each on tuples of its own, all are fitted.

The cells are spread over both axes, and each has another seed, so that chance in one says nothing
about the next. `response_surface` evens it out, and says how much of it is left: where that is more
than what the best plan leads by, chance decides. A plan that was better than another in none of the
simulated cells, on the same tuples, is taken to be so nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from planner.families.capabilities import SampledScores
from planner.families.grid_pricing import GridPrices, GridPricing
from planner.joins.arrays import Bools, Floats
from planner.whatif.cells import SURE, TIE, Cells, Values
from planner.whatif.diagrams.plan_diagram import PlanDiagram, of_prices
from planner.whatif.diagrams.response_surface import Place, ResponseSurface, surfaces

# So many cells are simulated; the next number only if that takes about so many steps in all. Steps
# are those of the samples, and not of a clock: every machine draws the same diagram.
_COUNTS = (9, 16, 25, 36, 49, 64, 81)
_MOST_STEPS = 900_000
# At least so many of them must say something of every plan.
_LEAST_SHARE = 2 / 3
# A plan that is never better is put behind those it ties with by this much: it wins nowhere.
_BEHIND = 1e-6
# Steps along the two axes that spread any number of places evenly (the plastic number).
_STEPS = 0.7548776662466927, 0.5698402909980532


def from_simulations(cells: Cells) -> PlanDiagram | None:
    """The diagram; None where nothing is simulated, or too many cells say nothing of some plan."""
    if not cells.is_simulated:
        return None
    samples = _Samples(cells)
    places = list(spread_places((len(cells.axes[0].values), len(cells.axes[1].values))))
    done = 0
    for count in (min(most, len(places)) for most in _COUNTS):
        if done and samples.steps * count / done > _MOST_STEPS:
            break
        for number in range(done, count):
            samples.add(places[number], number)
        done = count
        if len(samples.places) < _LEAST_SHARE * done:
            return None
    return samples.diagram()


def spread_places(shape: Place) -> Iterator[Place]:
    """Corners, middles of edges and the centre, then places between them, spread evenly."""
    ends = [dict.fromkeys((0, count - 1, (count - 1) // 2)) for count in shape]
    places: dict[Place, None] = dict.fromkeys(product(ends[0], ends[1]))
    for number in range(1, _COUNTS[-1] + 1):
        shares = ((0.5 + number * step) % 1 for step in _STEPS)
        row, column = (int(share * count) for share, count in zip(shares, shape, strict=True))
        places[row, column] = None
    yield from places


class _Samples:
    """The scores of all plans in the cells that were simulated, and their errors as shares."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self.places: list[Place] = []
        self.steps = 0
        self._scores: list[Floats] = []
        self._errors: list[list[float]] = []
        middle = tuple(axis.values[(len(axis.values) - 1) // 2] for axis in cells.axes)
        self._pricing = cells.space(middle).capability(GridPricing)
        parts = self._pricing.price_parts(cells.by) if self._pricing is not None else None
        self._structure = None if parts is None else parts.structure
        self._labels: tuple[str, ...] = ()
        if self._pricing is not None and parts is not None:
            self._labels = self._pricing.combined(parts.values[None, :], cells.by).labels

    def _at(self, place: Place) -> Values:
        one, other = (axis.values for axis in self._cells.axes)
        return one[place[0]], other[place[1]]

    def add(self, place: Place, number: int) -> None:
        """Simulate a cell on the sample with this number. It is left out where it does not have the
        plans of the middle cell (a sample may be too small for some), or where a score is 0."""
        by = self._cells.by
        space = self._cells.resampled(self._at(place), number)
        pricing, sampled = space.capability(GridPricing), space.capability(SampledScores)
        parts = pricing.price_parts(by) if pricing is not None else None
        if sampled is not None:
            self.steps += sampled.simulated_steps
        if parts is None or sampled is None or parts.structure != self._structure:
            return
        if not np.all((parts.values > 0) & np.isfinite(parts.values)):
            return
        self.places.append(place)
        self._scores.append(parts.values)
        self._errors.append([sampled.standard_error(label, by) for label in self._labels])

    def diagram(self) -> PlanDiagram:
        cells, (one, other) = self._cells, (axis.values for axis in self._cells.axes)
        scores = np.array(self._scores)
        surface = surfaces((one, other), self.places, scores, np.array(self._errors))
        never_better = self._never_better(scores)
        logs = self._behind(surface.values, never_better)
        assert self._pricing is not None, "cells were priced"
        prices = self._pricing.combined(np.exp(logs), cells.by)
        errors = np.array(self._errors).mean(axis=1)
        winner = [prices.labels[place] for place in prices.best.tolist()]
        return of_prices(
            cells,
            prices,
            winner,
            len(self.places),
            "simulated in some cells",
            float(self._unsure(surface, prices, never_better).mean()),
            (float(np.median(errors)), float(errors.max())),
        )

    def _never_better(self, scores: Floats) -> Bools:
        """By plan and other plan: whether it was better in no simulated cell."""
        signed = scores if self._cells.by.is_lowest else -scores
        one, other = signed[:, :, None], signed[:, None, :]
        return np.asarray(np.all(one >= other - TIE * np.abs(other), axis=0))

    def _behind(self, logs: Floats, never_better: Bools) -> Floats:
        """What is fitted, with plans behind those that they never were better than."""
        found, sign = logs.copy(), 1 if self._cells.by.is_lowest else -1
        for plan, others in enumerate(never_better & ~never_better.T):
            if others.any():
                ahead = (sign * logs[:, others]).max(axis=1) + _BEHIND
                found[:, plan] = sign * np.maximum(sign * logs[:, plan], ahead)
        return found

    def _unsure(self, surface: ResponseSurface, prices: GridPrices, never_better: Bools) -> Bools:
        """The cells in which another plan may be the best one."""
        errors = np.array(self._errors)
        eligible = [self._cells.by.eligible(label) for label in self._labels]
        found = np.zeros(len(prices.best), dtype=np.bool_)
        for best in np.unique(prices.best).tolist():
            here = prices.best == best
            for rival in np.flatnonzero(eligible & ~never_better[:, best]).tolist():
                pair = [best, rival]
                missed = _variance(surface.spread, pair)
                # Beyond what samples of this size are off by, it is a shape that is not followed.
                misfit = max(0.0, missed - float((errors[:, pair] ** 2).sum(axis=1).mean()))
                lead = np.abs(surface.values[here, best] - surface.values[here, rival])
                found[here] |= lead <= SURE * np.sqrt(missed * surface.weight[here] + misfit)
        return found


def _variance(spread: Floats, pair: Sequence[int]) -> float:
    """The variance of the ratio of two plans."""
    one, other = pair
    return max(0.0, float(spread[one, one] + spread[other, other] - 2 * spread[one, other]))
