"""What it costs to append a stream after a set of streams, for all sets at once, in arrays.

Sizes depend on the set alone, and so does the cost w(P, j) of appending stream j after the set P:
origins in P probe j with the join of P, every other origin i with the join of P and i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from planner.families.join_order.model import JoinModel, scan_fraction

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weights:
    """What one comparison and one row passed down are worth in a score."""

    comparison: float = 1.0
    row: float = 0.0


COMPARISONS = Weights()


@dataclass(frozen=True, slots=True, eq=False)
class StepTable:
    """`costs[j, P]`: appending stream j after the set P (bit i of P: stream i); j not in P."""

    costs: Floats

    @property
    def count(self) -> int:
        """How many streams are joined."""
        return int(self.costs.shape[0])

    def price(self, orders: Sequence[Sequence[int]] | Ints) -> Floats:
        """The score of every order, one order a row."""
        places = np.asarray(orders, dtype=np.int64).reshape(-1, self.count)
        prefix = np.zeros(len(places), dtype=np.int64)
        total = np.zeros(len(places))
        for step in range(self.count):
            following = places[:, step]
            total += self.costs[following, prefix]
            prefix |= np.left_shift(1, following)
        return total


# Two tables of twenty streams fill 340 MB; more would not serve a page that shows one workload.
@lru_cache(maxsize=2)
def step_table(model: JoinModel, weights: Weights = COMPARISONS) -> StepTable:
    """The table of one join under these weights."""
    sizes, least = _sizes(model)
    count = len(model.windows)
    inverse = np.array([1 / window.seconds for window in model.windows])
    members = np.zeros(1)
    for value in inverse:
        members = np.concatenate([members, members + value])
    kinds, kind_of = np.unique(least, return_inverse=True)
    costs = np.empty((count, len(sizes)))
    for target, window in enumerate(model.windows):
        scanned = np.array([window.tuples * scan_fraction(int(kind), window) for kind in kinds])
        work = sizes * (weights.comparison * scanned)[kind_of]
        if weights.row:
            work += weights.row * _with_member(sizes, target)
        costs[target] = _over_origins(work, target, inverse, members)
    return StepTable(costs)


def _sizes(model: JoinModel) -> tuple[Floats, Ints]:
    """phi and the fewest distinct values of every set; both are 1 for the empty set."""
    sizes = np.ones(1)
    least = np.full(1, np.iinfo(np.int64).max)
    for window in model.windows:
        sizes = np.concatenate([sizes, sizes * (window.tuples / window.distinct)])
        least = np.concatenate([least, np.minimum(least, window.distinct)])
    least[0] = 1
    return sizes * least, least


def _with_member(values: Floats, place: int) -> Floats:
    """The value of each set with one stream added."""
    halves = values.reshape(-1, 2, 1 << place)
    return np.repeat(halves[:, 1:, :], 2, axis=1).reshape(-1)


def _over_origins(work: Floats, target: int, inverse: Floats, members: Floats) -> Floats:
    """Sum over origins i: those in P bring work(P) / T_i, the others work(P + i) / T_i."""
    total = work * members
    for origin, per_second in enumerate(inverse):
        if origin == target:
            continue
        shape = (-1, 2, 1 << origin)
        total.reshape(shape)[:, 0, :] += work.reshape(shape)[:, 1, :] * per_second
    return total
