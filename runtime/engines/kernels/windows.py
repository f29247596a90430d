"""The windows of a join as arrays: what is laid out for scanning, and what is kept between batches.

All tuples that a batch can see (those still in their windows, then the arriving ones) are laid out
once, contiguous by source and bucket in arrival order. A window is then a pair of moving ends:
inserting advances the tail of a bucket, expiring its head, and a probe scans keys[head:tail].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from runtime.engines.kernels.scan import PADDING


class Tuples(NamedTuple):
    """Tuples as columns: the place of the source in FROM, arrival time, seq, and join key."""

    source: np.ndarray
    ts: np.ndarray
    seq: np.ndarray
    key: np.ndarray

    @classmethod
    def empty(cls) -> Tuples:
        """No tuples."""
        return cls(
            np.empty(0, np.int16),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.empty(0, np.int32),
        )

    @property
    def keys(self) -> np.ndarray:
        """The key as the one column of keys."""
        return self.key.reshape(-1, 1)

    def followed_by(self, later: Tuples) -> Tuples:
        """These tuples and then the later ones."""
        return Tuples(*(np.concatenate(pair) for pair in zip(self, later, strict=True)))

    def take(self, chosen: np.ndarray | slice) -> Tuples:
        """The chosen tuples, by mask, index or slice."""
        return Tuples(*(column[chosen] for column in self))


class WindowLayout(NamedTuple):
    """Tuples by source and bucket. Buckets of all sources are numbered through from `first`.

    `tuple_at` says which tuple a place of `keys` holds; `queue` holds the tuples of each source in
    arrival order, from `queue_start` on.
    """

    first: np.ndarray
    bucket: np.ndarray
    start: np.ndarray
    keys: np.ndarray
    tuple_at: np.ndarray
    queue: np.ndarray
    queue_start: np.ndarray


@njit(inline="always")
def bucket_of(key, buckets):
    """The bucket of a key: simple modular division, as in the paper.

    A division costs as much as ten comparisons, so it is left out where its result is plain.
    """
    if buckets == 1:
        return 0
    return key if 0 <= key < buckets else key % buckets


@njit(cache=True, nogil=True)
def lay_out(source, key, buckets):
    """Sort tuples by source and bucket, keeping arrival order inside each."""
    count = len(source)
    first = np.zeros(len(buckets) + 1, np.int64)
    for j in range(len(buckets)):
        first[j + 1] = first[j] + buckets[j]
    bucket = np.empty(count, np.int64)
    start = np.zeros(first[-1] + 1, np.int64)
    queue_start = np.zeros(len(buckets) + 1, np.int64)
    for a in range(count):
        j = source[a]
        bucket[a] = first[j] + bucket_of(key[a], buckets[j])
        start[bucket[a] + 1] += 1
        queue_start[j + 1] += 1
    for g in range(first[-1]):
        start[g + 1] += start[g]
    for j in range(len(buckets)):
        queue_start[j + 1] += queue_start[j]
    keys = np.zeros(count + PADDING, np.int32)
    tuple_at = np.empty(count, np.int64)
    queue = np.empty(count, np.int64)
    bucket_fill = start[:-1].copy()
    queue_fill = queue_start[:-1].copy()
    for a in range(count):
        g = bucket[a]
        keys[bucket_fill[g]] = key[a]
        tuple_at[bucket_fill[g]] = a
        bucket_fill[g] += 1
        queue[queue_fill[source[a]]] = a
        queue_fill[source[a]] += 1
    return WindowLayout(first, bucket, start, keys, tuple_at, queue, queue_start)
