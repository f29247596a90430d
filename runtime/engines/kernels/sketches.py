"""Sketches of the tuples of a batch: what arrived, at how many times, and how keys are spread.

One pass over a batch adds to three kinds of arrays, whose sizes do not depend on the tuples:

    arrived   how many tuples each source has
    minima    of all different values in a register, the least hash: how many different ones there
              are follows from the mean (of times; of keys that are more than there are counters)
    counters  how often each key came, by its hash where keys are more than counters

Beside them `add_filtered` counts what passes conditions, and `sampled` keeps the tuples with the
least hashes: of parts together they are the least of all.

Of a source with many tuples only those of some times are looked at (`masks`): all of a burst, or
none. Which times these are does not depend on how tuples are shared out.

Counts of parts add up, and so do their minima by the lesser one: sketches of the partitions of a
batch, or of several batches, together are exactly those of all their tuples. Apache DataSketches
takes values one by one from Python (70 to 80 ns each, where a kernel takes about 300 for a tuple),
and its estimates depend on how values were shared out: that is why these are our own.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.conditions import holds_for_any

REGISTERS = 1024
COUNTERS = 2048
# How many tuples a sample has, and the hash of a place that is not taken.
SAMPLE = 512
UNTAKEN = np.uint64(2**64 - 1)
# What a register holds that no value has reached: hashes have 31 bits.
NOTHING = 2**31 - 1

_SHIFT = np.uint64(33)
_REGISTER_SHIFT = np.uint64(64 - 10)
_COUNTER_SHIFT = np.uint64(64 - 11)
# Times are chosen by bits in the middle of a product: there they depend on all lower ones.
_MASK_SHIFT = np.uint64(32)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# So many tuples at a time fit into the nearest caches.
_BLOCK = 4096


@njit(inline="always")
def _mixed(value):
    """SplitMix64's finisher: every bit of the value reaches every bit of the hash."""
    mixed = np.uint64(value) + _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))


@njit(inline="always")
def _note(minima, mixed):
    """A value's hash: its upper bits choose the register, the lower ones are kept if least."""
    register = mixed >> _REGISTER_SHIFT
    rest = np.int32((mixed << np.uint64(10)) >> _SHIFT)
    minima[register] = min(minima[register], rest)


@njit(inline="always")
def _is_taken(ts, mask):
    """Whether what arrived at this time is looked at: all of one time, or nothing."""
    return (np.uint64(ts) * _GOLDEN) >> _MASK_SHIFT & mask == 0


@njit(cache=True, nogil=True)
def add_to_sketch(
    source, ts, keys, column_of, row_of, masks, arrived, taken, times, values, counters
):
    """Add the tuples of a batch: all are counted, and of a source with a mask some are looked at.

    `column_of[source, key]` is the column of a source's key (-1: it is not watched); a source
    without any, such as a relation, has -1 before its columns. A column has a counter for every
    key, or a row of `values` (`row_of`; -1: none) and counters for hashes.

    Most tuples are only counted: that is done in blocks that stay in the cache, in loops without a
    branch. Returned are the tuples that some source looks at, for what looks at their values.
    """
    before = np.full(len(arrived), -1, np.int64)
    rows, found = np.empty(len(source), np.int64), 0
    # Keys beyond the last one that is watched have no column.
    watched = column_of.shape[1] - 1
    # What a source with more bits looks at, one with fewer does too.
    least = masks.min()
    for begin in range(0, len(source), _BLOCK):
        sources = source[begin : begin + _BLOCK]
        for place in range(len(arrived)):
            if column_of[place, 0] >= 0:
                arrived[place] += _how_many(sources, place)
        taken_here = _put_taken(ts[begin : begin + _BLOCK], begin, least, rows[found:])
        own = rows[found : found + taken_here]
        found += taken_here
        found_keys = _gathered(keys, own, watched)
        for n in range(len(own)):
            at, place = ts[own[n]], source[own[n]]
            if column_of[place, 0] < 0 or not _is_taken(at, masks[place]):
                continue
            taken[place] += 1
            # Tuples of one burst come one after the other.
            if at != before[place]:
                before[place] = at
                _note(times[place], _mixed(at))
            for key in range(watched):
                column = column_of[place, key + 1]
                if column < 0:
                    continue
                if row_of[column] < 0:
                    counters[column, found_keys[key, n]] += 1
                else:
                    mixed = _mixed(found_keys[key, n])
                    _note(values[row_of[column]], mixed)
                    counters[column, (mixed >> np.uint64(20)) & np.uint64(COUNTERS - 1)] += 1
    return rows[:found]


@njit(nogil=True)
def _how_many(source, place):
    """How many tuples are of a source."""
    count = 0
    for i in range(len(source)):
        count += source[i] == place
    return count


@njit(nogil=True)
def _put_taken(ts, begin, mask, rows):
    """Put the numbers of the tuples that are looked at into `rows`, and say how many they are."""
    count = 0
    for i in range(len(ts)):
        rows[count] = begin + i
        count += _is_taken(ts[i], mask)
    return count


@njit(nogil=True)
def _gathered(keys, rows, watched):
    """The keys of some tuples: read together, so that one does not wait for the other."""
    found = np.empty((watched, len(rows)), keys.dtype)
    for key in range(watched):
        for n in range(len(rows)):
            found[key, n] = keys[rows[n], key]
    return found


@njit(cache=True, nogil=True)
def add_filtered(filters, rows, source, ts, values, masks, filtered):
    """Count for each filter the tuples of its source that are looked at, and those that pass it."""
    for i in rows:
        if not _is_taken(ts[i], masks[source[i]]):
            continue
        for f in range(len(filters.source)):
            if filters.source[f] == source[i]:
                filtered[f, 0] += 1
                value = values[i, filters.value[f]]
                passing = holds_for_any(filters.comparison[f], value, filters.constant[f])
                filtered[f, 1] += np.int64(passing)


@njit(cache=True, nogil=True)
def rows_taken(rows, source, ts, place, mask):
    """Those of some tuples that are of a source and that it looks at."""
    found, count = np.empty(len(rows), np.int64), 0
    for i in rows:
        if source[i] == place and _is_taken(ts[i], mask):
            found[count] = i
            count += 1
    return found[:count]


def sampled(seq, values):
    """The tuples with the least hashes of their numbers: the hashes, and their values."""
    hashes, sample = np.full(SAMPLE, UNTAKEN, np.uint64), np.full(SAMPLE, np.nan)
    mixed = _mixed_all(seq)
    least = np.argpartition(mixed, SAMPLE)[:SAMPLE] if len(mixed) > SAMPLE else slice(None)
    order = np.argsort(mixed[least])
    hashes[: len(order)], sample[: len(order)] = mixed[least][order], values[least][order]
    return hashes, sample


def _mixed_all(numbers):
    mixed = numbers.astype(np.uint64) + _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))
