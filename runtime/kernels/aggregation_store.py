"""What is probed: tuples of windows, or entries of aggregation sets, in chains by bucket."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from runtime.kernels.aggregation_groups import better
from runtime.kernels.aggregation_types import GREATEST, LEAST, NOTHING, SUM
from runtime.kernels.windows import bucket_of


class Store(NamedTuple):
    """Chains of tuples or of entries: per path and bucket the first, per path and one the next.

    Entries are the cells of sources with an early aggregation: how many tuples each holds, their
    sums and extrema, one tuple that stands for all, and the chain of its tuples.
    """

    head: np.ndarray
    after: np.ndarray
    before: np.ndarray
    rows: np.ndarray
    sums: np.ndarray
    present: np.ndarray
    best: np.ndarray
    example: np.ndarray
    first: np.ndarray
    next_in: np.ndarray
    last_in: np.ndarray
    alive: np.ndarray
    # Live tuples, and entries, per source.
    tuples: np.ndarray
    entries: np.ndarray


def empty_store(paths: int, buckets: int, tuples: int, cells: int, shape: tuple[int, int]) -> Store:
    """Room for the tuples of a batch; `shape` is that of sources and aggregates."""
    things = max(tuples, cells, 1)
    sources, aggregates = shape
    return Store(
        np.full(max(buckets, 1), -1, np.int32),
        np.full((paths, things), -1, np.int32),
        np.full((paths, things), -1, np.int32),
        np.zeros(cells, np.int64),
        np.zeros((cells, aggregates), np.int64),
        np.zeros((cells, aggregates), np.int64),
        np.full((cells, aggregates), NOTHING, np.int64),
        np.full(cells, -1, np.int64),
        np.full(cells, -1, np.int32),
        np.full(max(tuples, 1), -1, np.int32),
        np.full(max(tuples, 1), -1, np.int32),
        np.zeros(max(tuples, 1), np.bool_),
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
    )


@njit(nogil=True)
def _link(thing, example, s, paths, first_bucket, keys, store):
    """Put a tuple or an entry at the front of its bucket in every path of its source."""
    for x in range(len(paths.source)):
        if paths.source[x] != s:
            continue
        key = keys[example, paths.key[x]] if paths.key[x] >= 0 else np.int32(0)
        bucket = first_bucket[x] + bucket_of(key, paths.buckets[x])
        following = store.head[bucket]
        store.after[x, thing] = following
        store.before[x, thing] = -1
        if following >= 0:
            store.before[x, following] = thing
        store.head[bucket] = thing


@njit(nogil=True)
def _unlink(thing, example, s, paths, first_bucket, keys, store):
    for x in range(len(paths.source)):
        if paths.source[x] != s:
            continue
        ahead, behind = store.before[x, thing], store.after[x, thing]
        if behind >= 0:
            store.before[x, behind] = ahead
        if ahead >= 0:
            store.after[x, ahead] = behind
        else:
            key = keys[example, paths.key[x]] if paths.key[x] >= 0 else np.int32(0)
            store.head[first_bucket[x] + bucket_of(key, paths.buckets[x])] = behind


@njit(nogil=True)
def enter(u, sources, functions, paths, first_bucket, seen, store):
    """Put a tuple into its window, and into its entry where its source is aggregated early."""
    s = seen.source[u]
    store.alive[u] = True
    store.tuples[s] += 1
    if not sources.early[s]:
        _link(u, u, s, paths, first_bucket, seen.keys, store)
        return
    e = sources.first_cell[s] + seen.cell[u]
    store.rows[e] += 1
    for a in range(len(functions.function)):
        value = seen.amounts[u, a]
        if functions.source[a] != s or value == NOTHING:
            continue
        store.present[e, a] += 1
        if functions.function[a] == SUM:
            store.sums[e, a] += value
        elif better(functions.function[a], value, store.best[e, a]):
            store.best[e, a] = value
    following = store.first[e]
    store.next_in[u] = following
    store.last_in[u] = -1
    if following >= 0:
        store.last_in[following] = u
    store.first[e] = u
    if store.rows[e] == 1:
        store.example[e] = u
        store.entries[s] += 1
        _link(e, u, s, paths, first_bucket, seen.keys, store)


@njit(nogil=True)
def leave(  # noqa: C901
    u, sources, functions, paths, first_bucket, seen, store,
):  # fmt: skip
    """Take a tuple out. Returns how often an extremum was recomputed and the tuples examined."""
    s = seen.source[u]
    store.alive[u] = False
    store.tuples[s] -= 1
    if not sources.early[s]:
        _unlink(u, u, s, paths, first_bucket, seen.keys, store)
        return 0, 0
    e = sources.first_cell[s] + seen.cell[u]
    ahead, behind = store.last_in[u], store.next_in[u]
    if behind >= 0:
        store.last_in[behind] = ahead
    if ahead >= 0:
        store.next_in[ahead] = behind
    else:
        store.first[e] = behind
    store.rows[e] -= 1
    recomputed, examined = 0, 0
    for a in range(len(functions.function)):
        value = seen.amounts[u, a]
        if functions.source[a] != s or value == NOTHING:
            continue
        store.present[e, a] -= 1
        function = functions.function[a]
        if function == SUM:
            store.sums[e, a] -= value
        elif store.present[e, a] == 0:
            store.best[e, a] = NOTHING
        elif function in (LEAST, GREATEST) and value == store.best[e, a]:
            recomputed += 1
            store.best[e, a] = NOTHING
            v = store.first[e]
            while v >= 0:
                examined += 1
                other = seen.amounts[v, a]
                if other != NOTHING and better(function, other, store.best[e, a]):
                    store.best[e, a] = other
                v = store.next_in[v]
    if store.rows[e] == 0:
        store.entries[s] -= 1
        _unlink(e, store.example[e], s, paths, first_bucket, seen.keys, store)
    return recomputed, examined
