"""What the loop kernel is given and returns: arrays under their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TIME, COUNT, RELATION, LANDMARK = range(4)
EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL = range(6)


class Rows(NamedTuple):
    """Arriving tuples. `rank` is their place in the arrival order, `place` that in their stream.

    `before` counts, for each count window, the tuples of its stream that arrived before; `keys` has
    a column per class of equal attributes, `values` one per attribute that is compared otherwise.
    A relation's row arrives when it begins, before tuples of that time; `until` says when it ends,
    and has no column in a join of streams alone.
    """

    source: np.ndarray
    ts: np.ndarray
    seq: np.ndarray
    rank: np.ndarray
    place: np.ndarray
    before: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    until: np.ndarray

    def take(self, chosen: np.ndarray | slice) -> Rows:
        """The chosen tuples, by mask, index or slice."""
        return Rows(*(column[chosen] for column in self))

    def followed_by(self, later: Rows) -> Rows:
        """These tuples and then the later ones."""
        return Rows(*(np.concatenate(pair) for pair in zip(self, later, strict=True)))


class Windows(NamedTuple):
    """Per source: the kind of its window (or that it is a relation), its length in microseconds or
    rows, and which column of `before` is its own. A lazy run acts at multiples of `tick`
    microseconds (0: at each arrival): it evaluates if `lazy`, and expires at every so many ticks
    (`expire_ticks`)."""

    kind: np.ndarray
    length: np.ndarray
    column: np.ndarray
    tick: int
    lazy: bool
    expire_ticks: int
    warmup: int
    end: int
    shares: int
    share: int


class Paths(NamedTuple):
    """The ways to reach the tuples of a window: all in arrival order, or by the bucket of a key.

    The first paths, one per source, are the windows in arrival order (their `key` is -1). Others
    are an index (`indexed`), or lay one key out for a scan of the whole window. `present` marks an
    index per value, which has no empty buckets to visit.
    """

    source: np.ndarray
    key: np.ndarray
    buckets: np.ndarray
    indexed: np.ndarray
    present: np.ndarray


class LoopTable(NamedTuple):
    """What each origin does: `orders[i]` from the outermost loop to the innermost, `depth[i]` the
    level of the new tuples, `path[i, level]` how the level's window is reached. The checks of level
    l of origin i stand in equal_*[equal_start[i, l]:equal_start[i, l + 1]]; theta_* likewise."""

    orders: np.ndarray
    depth: np.ndarray
    path: np.ndarray
    equal_start: np.ndarray
    equal_key: np.ndarray
    equal_with: np.ndarray
    theta_start: np.ndarray
    theta_value: np.ndarray
    theta_with: np.ndarray
    theta_other: np.ndarray
    theta_comparison: np.ndarray
    theta_offset: np.ndarray


class Filters(NamedTuple):
    """Conditions on arriving tuples, in the order they are evaluated: `value comparison constant`
    for one of the constants of a row."""

    source: np.ndarray
    value: np.ndarray
    comparison: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, filters: Sequence[Sequence[float]]) -> Filters:
        """From lists of [source, value, comparison, constant, more constants]."""
        columns = np.array([row[:3] for row in filters], np.int64).reshape(-1, 3)
        source, value, comparison = map(np.ascontiguousarray, columns.T)
        return cls(source, value, comparison, constant_rows([row[3:] for row in filters]))


def constant_rows(constants: Sequence[Sequence[float]]) -> np.ndarray:
    """A row of constants for each condition, filled up with NaN."""
    rows = np.full((len(constants), max(map(len, constants), default=1)), np.nan)
    for row, given in zip(rows, constants, strict=True):
        row[: len(given)] = given
    return rows


class LoopCounters(NamedTuple):
    """Counts of work: per origin and loop level, per filter, or per window (`held` in tuple-µs).

    `waited` has the results of the span and for how many µs they waited, all together; `longest`
    the longest wait of a result, by partition: so partitions add up.
    """

    comparisons: np.ndarray
    matches: np.ndarray
    evaluated: np.ndarray
    passed: np.ndarray
    arrivals: np.ndarray
    inserts: np.ndarray
    expirations: np.ndarray
    held: np.ndarray
    replicas: np.ndarray
    waited: np.ndarray
    longest: np.ndarray

    @classmethod
    def zero(cls, sources: int, filters: int, partitions: int = 1) -> LoopCounters:
        """Nothing counted yet."""
        by_level = (sources, sources - 1)
        shapes = (by_level, by_level, filters, filters, *([sources] * 5), 2, partitions)
        zeros = cls(*(np.zeros(shape, np.int64) for shape in shapes))
        return zeros._replace(held=np.zeros(sources, np.float64))


class LoopOutcome(NamedTuple):
    """What a batch produced, the tuples that stay, and where the run stands between ticks."""

    results: int
    digest: int
    rows: np.ndarray
    stay: Rows
    cursor: np.ndarray
