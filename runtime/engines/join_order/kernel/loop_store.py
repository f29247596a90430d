"""What is held of each source while loops run: windows as moving ends, relations as loose rows.

Tuples of a window leave in the order in which they came, so a bucket is a stretch of the layout. A
relation's rows end in any order: the last of a bucket is put in the place of one that ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class LoopStore(NamedTuple):
    """A bucket g holds the places head[g]:tail[g] of the layout. `gone` marks tuples that have
    left. Of relations, `come` counts the rows that came into each bucket, and `slot` says where an
    entry of the layout stands."""

    head: np.ndarray
    tail: np.ndarray
    gone: np.ndarray
    come: np.ndarray
    slot: np.ndarray


@njit(nogil=True)
def empty_store(layout, tuples, relations):
    """Nothing is held yet."""
    start = layout.start[:-1]
    return LoopStore(
        start.copy(),
        start.copy(),
        np.zeros(tuples, np.bool_),
        np.zeros(len(start) if relations else 0, np.int64),
        np.zeros(len(layout.tuple_at) if relations else 0, np.int64),
    )


# Called for every tuple, these are given arrays alone: a tuple of arrays is copied at each call.
@njit(nogil=True)
def insert(a, i, path_source, bucket, queue_start, nth, tail):
    """Put the tuple a of source i into every path of its source."""
    for x in range(len(path_source)):
        if path_source[x] == i:
            # Tuples of path x stand at queue_start[x] among the entries.
            tail[bucket[queue_start[x] + nth[a]]] += 1


@njit(nogil=True)
def remove(u, j, path_source, bucket, queue_start, nth, head):
    """Take u, the oldest tuple of its source, out of every path of its source."""
    for x in range(len(path_source)):
        if path_source[x] == j:
            head[bucket[queue_start[x] + nth[u]]] += 1


@njit(nogil=True)
def insert_row(a, i, paths, layout, nth, store):
    """Put the row a of a relation into every path of its source."""
    for x in range(len(paths.source)):
        if paths.source[x] == i:
            g = layout.bucket[layout.queue_start[x] + nth[a]]
            # Rows that ended made room before the place that the layout has for this one.
            _put(layout, store, store.tail[g], layout.start[g] + store.come[g])
            store.come[g] += 1
            store.tail[g] += 1


@njit(nogil=True)
def remove_row(u, j, paths, layout, nth, store):
    """Take the row u of a relation out of every path of its source."""
    for x in range(len(paths.source)):
        if paths.source[x] == j:
            entry = layout.queue_start[x] + nth[u]
            g = layout.bucket[entry]
            store.tail[g] -= 1
            _put(layout, store, store.slot[entry], store.tail[g])


@njit(inline="always")
def _put(layout, store, to, laid):
    """Move what stands at one place of the layout to another."""
    layout.keys[to] = layout.keys[laid]
    layout.tuple_at[to] = layout.tuple_at[laid]
    store.slot[layout.tuple_at[to]] = to


@njit(nogil=True)
def indexes_of(j, paths):
    """How many indexes stand on source j."""
    count = 0
    for x in range(len(paths.source)):
        count += np.int64(paths.indexed[x] and paths.source[x] == j)
    return count
