"""What the aggregation kernel is given and returns: arrays under their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TIME, COUNT, RELATION, TUMBLING, LANDMARK = range(5)
ROWS, PRESENT, SUM, LEAST, GREATEST, DISTINCT = range(6)
# An amount that is missing.
NOTHING = np.iinfo(np.int64).min

# The columns of what is stored: the tuples a row stands for (1: itself), its part of the key of a
# group, the tuple or cell it is, a tuple that stands for it. Then per aggregate what it brings:
# the sum, how many values are present, the extremum. Its keys come last.
ROW_TUPLES, ROW_PART, ROW_THING, ROW_EXAMPLE = range(4)
# The columns of a group: its key, its rows, the last event that touched it, and whether its
# extremum may have left with that event. Then the same three per aggregate.
GROUP_KEY, GROUP_ROWS, GROUP_STAMP, GROUP_DOUBT = range(4)
# Where those of the first aggregate are in both, and which is which.
BROUGHT = 4
A_SUM, A_PRESENT, A_BEST = range(3)
EACH = 3


class AggregationArrivals(NamedTuple):
    """Arriving tuples, as the loop kernel has them, and what is aggregated of them.

    `group` is the code of a tuple's own grouping attributes; `cell` that of those and of all its
    attributes that are joined, which is its place in an aggregation set. `amounts` has a column per
    aggregate: the tuple's value as a whole number, or NOTHING. `number` counts the tuples of the
    source of a count window, those that no filter lets pass included.
    """

    source: np.ndarray
    ts: np.ndarray
    seq: np.ndarray
    rank: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    until: np.ndarray
    group: np.ndarray
    cell: np.ndarray
    amounts: np.ndarray
    number: np.ndarray

    @property
    def key(self) -> np.ndarray:
        """The keys of the first class: tuples are shared out by them where there is no other."""
        return self.keys[:, 0]

    def take(self, chosen: np.ndarray | slice) -> AggregationArrivals:
        """The chosen tuples, by mask, index or slice."""
        return AggregationArrivals(*(column[chosen] for column in self))

    def followed_by(self, later: AggregationArrivals) -> AggregationArrivals:
        """These tuples and then the later ones."""
        return AggregationArrivals(
            *(np.concatenate(pair) for pair in zip(self, later, strict=True))
        )


class AggregationSpan(NamedTuple):
    """When work is counted, in microseconds, and which share of the tuples probes here."""

    warmup: int
    end: int
    shares: int
    share: int


class Sources(NamedTuple):
    """Per source: the kind of its window, its length in microseconds or rows, whether it carries an
    early aggregation, and where its cells begin among those of all (one more than sources).

    A group's key is a number whose digit of each source is that source's group: the digit is worth
    `radix`, and there are `digits` of them. `block` is the common length of tumbling windows that
    are dropped together; 0 where none are.
    """

    kind: np.ndarray
    length: np.ndarray
    early: np.ndarray
    first_cell: np.ndarray
    radix: np.ndarray
    digits: np.ndarray
    block: int
    # The stream from which a group is walked through when its extremum is looked for anew.
    walked_from: int


class Functions(NamedTuple):
    """The aggregates: what is computed, and of which source's attribute (-1: of rows)."""

    function: np.ndarray
    source: np.ndarray


class GroupSlots(NamedTuple):
    """The output set, in slots that are found by an open table of their keys.

    `held` has a row of columns (above) per slot. A group without rows keeps its slot and is absent.
    Where tuples are replicated, partitions have parts of groups: what one adds another may take
    away, so parts may be below 0.
    """

    held: np.ndarray
    table: np.ndarray
    # How many slots are used, how many groups are there, and events seen.
    sizes: np.ndarray


class Values(NamedTuple):
    """How often each value of a DISTINCT aggregate occurs in a group: an open table."""

    key: np.ndarray
    code: np.ndarray
    rows: np.ndarray
    sizes: np.ndarray


class AggregationCounters(NamedTuple):
    """Counts of work: per origin and level, per filter, per source, or one for the output.

    `held` and the like are in tuple-microseconds or group-microseconds.
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
    set_updates: np.ndarray
    set_recomputed: np.ndarray
    set_examined: np.ndarray
    set_held: np.ndarray
    # Updates, recomputations, entries they examined, changes of groups.
    late: np.ndarray
    late_held: np.ndarray

    @classmethod
    def zero(cls, sources: int, filters: int) -> AggregationCounters:
        """Nothing counted yet."""
        level = (sources, max(1, sources - 1))
        shapes = [level, level, filters, filters, *([sources] * 9), 4, 1]
        zeros = cls(*(np.zeros(shape, np.int64) for shape in shapes))
        return zeros._replace(
            held=np.zeros(sources), set_held=np.zeros(sources), late_held=np.zeros(1)
        )
