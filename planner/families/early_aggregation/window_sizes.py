"""What probes find: how many tuples the window of each source holds, and entries its set.

Tumbling windows of one length grow together from nothing in every block, so that the mean of a
product of their contents is above the product of their means: a composite of k full windows is met
with 1/(k+1) of its full size on average. So contents are taken at phases of the block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from planner.joins.arrays import Floats
from planner.joins.keys import Spread, harmonic
from planner.joins.windows import JoinWindow

# Ranks that are taken one by one; those behind them stand in blocks that grow by a fiftieth.
_SINGLE = 256
_GROWTH = 1.02
_MOST_BLOCKS = 2048


class CellBlocks(NamedTuple):
    """Blocks of cells: how many each has, and which share of the tuples falls into each cell."""

    counts: Floats
    shares: Floats

    @property
    def number(self) -> float:
        return float(self.counts.sum())

    @property
    def weights(self) -> Floats:
        """The share of tuples in each block."""
        return self.counts * self.shares


def grid_of(spreads: Iterable[Spread]) -> Floats:
    """The first rank of each block, so that no spread begins or ends inside one; then the end."""
    spreads = list(spreads)
    first = min(low for low, _, _ in spreads)
    last = max(high for _, high, _ in spreads)
    edges = {float(edge) for low, high, _ in spreads for edge in (low, high + 1)}
    edges.update(float(rank) for rank in range(first, min(last, first + _SINGLE) + 1))
    edge = float(first + _SINGLE)
    while edge <= last:
        edges.add(edge)
        edge = float(int(edge * _GROWTH) + 1)
    return np.array(sorted(edges))


def on_grid(spread: Spread, grid: Floats) -> CellBlocks:
    """The values of one attribute, in the blocks of a grid; blocks outside have a share of 0."""
    first, last, exponent = spread
    counts = np.diff(grid)
    if not exponent:
        inside = (grid[:-1] >= first) & (grid[:-1] <= last)
        return CellBlocks(counts, inside / float(last - first + 1))
    below = np.array([harmonic(int(rank) - 1, exponent) if rank > 1 else 0.0 for rank in grid])
    masses = np.diff(below) * ((grid[:-1] >= first) & (grid[:-1] <= last))
    return CellBlocks(counts, masses / masses.sum() / counts)


def values_of(spread: Spread) -> CellBlocks:
    """The values of one attribute as cells."""
    first, last, exponent = spread
    if not exponent:
        count = float(last - first + 1)
        return CellBlocks(np.array([count]), np.array([1 / count]))
    return on_grid(spread, grid_of([spread]))


def with_missing(cells: CellBlocks, missing: float) -> CellBlocks:
    """The cells of an attribute, and one more for the share of tuples without a value of it.

    >>> with_missing(values_of((1, 2, 0.0)), 0.5).shares.tolist()
    [0.25, 0.5]
    """
    if not missing:
        return cells
    shares = np.append(cells.shares * (1 - missing), missing)
    return CellBlocks(np.append(cells.counts, 1.0), shares)


def crossed(parts: Iterable[CellBlocks]) -> CellBlocks:
    """The cells of several attributes together; none makes one cell for all tuples."""
    return reduce(_cross, parts, CellBlocks(np.ones(1), np.ones(1)))


def _cross(one: CellBlocks, other: CellBlocks) -> CellBlocks:
    counts = np.outer(one.counts, other.counts).ravel()
    shares = np.outer(one.shares, other.shares).ravel()
    if len(counts) <= _MOST_BLOCKS:
        return CellBlocks(counts, shares)
    # Cells whose shares are near stand together; their number and their tuples stay the same.
    there = shares > 0
    counts, shares = counts[there], shares[there]
    levels = np.log(shares)
    width = (levels.max() - levels.min()) / (_MOST_BLOCKS - 1) or 1.0
    block = ((levels - levels.min()) / width).astype(np.int64)
    together = np.bincount(block, counts).astype(np.float64)
    masses = np.bincount(block, counts * shares)
    kept = together > 0
    return CellBlocks(together[kept], masses[kept] / together[kept])


def filled(shares: Floats, tuples: float, varying: bool) -> Floats:
    """The chance that a cell with such a share of the tuples holds any of them.

    In a window over time the number of tuples varies (Poisson); in one of N rows it does not.
    """
    if varying:
        return -np.expm1(-tuples * shares)
    if not tuples:
        # Nothing fills no cell, not even the only one.
        return np.zeros(shares.shape)
    with np.errstate(divide="ignore"):
        chance = -np.expm1(tuples * np.log1p(-np.minimum(shares, 1.0)))
    # Less than a tuple on average is one now and then, never a part of one.
    return np.minimum(chance, tuples * shares)


def occupied(cells: CellBlocks, tuples: float, varying: bool) -> float:
    """How many cells a window of so many tuples is expected to fill.

    >>> ten = values_of((1, 10, 0.0))
    >>> occupied(ten, 1, varying=False), round(occupied(ten, 10, varying=False), 3)
    (1.0, 6.513)
    """
    return float(cells.counts @ filled(cells.shares, tuples, varying))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
# Parts of a block that have passed, and how much each counts.
PHASES: Floats = (1 + _NODES) / 2
WEIGHTS: Floats = _WEIGHTS / 2


@dataclass(frozen=True)
class Content:
    """One source: its window, the spreads of the attributes that make the cells of its set.

    `missing` has the share of tuples without a value, for each of its keys and then its groups: a
    set has cells for these, too.
    `clock` is the length of a tumbling window: windows with one clock fill together. `varying`
    says that the number of tuples in the window varies, as over time it does.
    """

    window: JoinWindow
    keys: tuple[Spread, ...]
    groups: tuple[Spread, ...]
    clock: str | None
    varying: bool
    missing: tuple[float, ...]

    @cached_property
    def cells(self) -> CellBlocks:
        return crossed(self.values)

    @cached_property
    def group_cells(self) -> CellBlocks:
        """The groups of the query that this source's own attributes make."""
        return crossed(self.values[len(self.keys) :])

    def beside(self, key: int) -> CellBlocks:
        """The cells of all attributes but this one of the keys."""
        return crossed(values for at, values in enumerate(self.values) if at != key)

    @cached_property
    def values(self) -> list[CellBlocks]:
        """The cells that each attribute of the set makes alone: keys first, then groups."""
        pairs = zip((*self.keys, *self.groups), self.missing, strict=True)
        return [with_missing(values_of(spread), missing) for spread, missing in pairs]

    @property
    def events(self) -> float:
        """Arrivals and departures per second that update and probe."""
        return self.window.rate * (2 if self.window.ends == "each" else 1)

    @cached_property
    def tuples(self) -> Floats:
        """Tuples of the window, at every phase."""
        if self.clock is None:
            return np.full(len(PHASES), self.window.tuples)
        return 2 * self.window.tuples * PHASES

    @cached_property
    def entries(self) -> Floats:
        """Entries of the set, at every phase."""
        if self.clock is None:
            return np.full(len(PHASES), occupied(self.cells, self.window.tuples, self.varying))
        return np.array([occupied(self.cells, float(t), self.varying) for t in self.tuples])

    @cached_property
    def filled_anyway(self) -> float:
        """The chance that the entry of a given tuple has others, on average over tuples."""
        chance = filled(self.cells.shares, self.mean(is_set=False), self.varying)
        return float(self.cells.weights @ chance)

    def mean(self, is_set: bool) -> float:
        """What a probe of the set, or of the window, may find, on average over phases."""
        return float(WEIGHTS @ (self.entries if is_set else self.tuples))
