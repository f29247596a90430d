"""What probes find: how many tuples the window of each source holds, and entries its set.

Tumbling windows of one length grow together from nothing in every block, so that the mean of a
product of their contents is above the product of their means: a composite of k full windows is met
with 1/(k+1) of its full size on average. So contents are taken at phases of the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.families.early_aggregation.cells import (
    Cells,
    crossed,
    filled,
    occupied,
    values_of,
    with_missing,
)
from planner.joins.arrays import Floats
from planner.joins.keys import Spread
from planner.joins.windows import JoinWindow

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
    def cells(self) -> Cells:
        """The cells of the set."""
        return crossed(self.values)

    @cached_property
    def group_cells(self) -> Cells:
        """The groups of the query that this source's own attributes make."""
        return crossed(self.values[len(self.keys) :])

    def beside(self, key: int) -> Cells:
        """The cells of all attributes but this one of the keys."""
        return crossed(values for at, values in enumerate(self.values) if at != key)

    @cached_property
    def values(self) -> list[Cells]:
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
        return float((self.cells.counts * self.cells.shares) @ chance)

    def held(self, is_set: bool) -> Floats:
        """What a probe of the set, or of the window, may find, at every phase."""
        return self.entries if is_set else self.tuples

    def mean(self, is_set: bool) -> float:
        """The same on average."""
        return float(WEIGHTS @ self.held(is_set))


def mean_product(contents: Sequence[Content], parts: Iterable[tuple[int, bool]]) -> float:
    """The mean of the product of these contents: (source, whether its set is meant)."""
    by_clock: dict[str | None, Floats] = {}
    for place, is_set in parts:
        content = contents[place]
        before = by_clock.get(content.clock, np.ones(len(PHASES)))
        by_clock[content.clock] = before * content.held(is_set)
    found = 1.0
    for product in by_clock.values():
        found *= float(WEIGHTS @ product)
    return found
