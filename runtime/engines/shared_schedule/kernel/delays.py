"""Delays added up: sums, largest ones, and histograms whose buckets are 1/32 of a power of two.

A block of results that are released together, or one after the other as they are found, goes to
all slots of a range; its count is added where the range begins and taken off where it ends.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from runtime.engines.kernels.inlining import part
from runtime.engines.shared_schedule.kernel.types import HIGH, LOW

# Delays below 64 ns have a bucket each; above, every power of two has 32. A bucket is 3% wide at
# most. The last one takes what is longer than two weeks.
FINE_BITS = 5
_OCTAVES = 51
BUCKETS = (_OCTAVES - FINE_BITS + 1) << FINE_BITS
SUM_BITS = 30
_REST = (1 << SUM_BITS) - 1


@intrinsic
def _leading_zeros(_context, _number):
    """Of a number that is not 0."""

    def generate(_codegen_context, builder, _signature, arguments):
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@part
def bucket_of(delay):
    """The bucket of a delay in nanoseconds."""
    if delay < 1 << FINE_BITS:
        return delay
    shift = 63 - FINE_BITS - _leading_zeros(delay)
    return min((shift << FINE_BITS) + (delay >> shift), BUCKETS - 1)


@part
def end_of(bucket):
    """The delay at which the next bucket begins."""
    if bucket < 1 << FINE_BITS:
        return bucket + 1
    return ((bucket & ((1 << FINE_BITS) - 1)) + (1 << FINE_BITS) + 1) << ((bucket >> FINE_BITS) - 1)


@part
def add_sum(sums, row, amount):
    """Add nanoseconds to a sum in two numbers."""
    sums[row, HIGH] += amount >> SUM_BITS
    sums[row, LOW] += amount & _REST


@part
def take_sum(sums, row, amount):
    """The same, taken off."""
    sums[row, HIGH] -= amount >> SUM_BITS
    sums[row, LOW] -= amount & _REST


@part
def add_together(sums, histogram, largest, begin, end, count, delay):
    """Results that are released at one time, to the slots from `begin` to `end`."""
    if count == 0 or begin == end:
        return
    bucket = bucket_of(delay)
    histogram[begin, bucket] += count
    histogram[end, bucket] -= count
    add_sum(sums, begin, count * delay)
    take_sum(sums, end, count * delay)
    for slot in range(begin, end):
        largest[slot] = max(largest[slot], delay)


@part
def add_as_found(sums, histogram, largest, begin, end, offsets, low, high, offsets_sum, waited):
    """Results offsets[low:high], each released at `waited` + its offset."""
    if low == high or begin == end:
        return
    most = waited + offsets[high - 1]
    total = (high - low) * waited + offsets_sum
    add_sum(sums, begin, total)
    take_sum(sums, end, total)
    for slot in range(begin, end):
        largest[slot] = max(largest[slot], most)
    # Offsets rise: a bucket takes a run of them.
    at = low
    while at < high:
        bucket = bucket_of(waited + offsets[at])
        limit = end_of(bucket)
        run = at + 1
        if most < limit or bucket == BUCKETS - 1:
            run = high
        else:
            limit -= waited
            while offsets[run] < limit:
                run += 1
        histogram[begin, bucket] += run - at
        histogram[end, bucket] -= run - at
        at = run
