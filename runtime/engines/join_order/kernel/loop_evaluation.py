"""One evaluation of nested loops: every result whose last member is one of the new tuples.

A relation's row joins where it is active at the arrival of every stream's tuple of the result.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.conditions import holds
from runtime.engines.kernels.digest import result_hash
from runtime.engines.kernels.loop_types import (
    LANDMARK,
    RELATION,
    TIME,
)
from runtime.engines.kernels.scan import matches
from runtime.engines.kernels.windows import bucket_of


@njit(inline="always")
def _in_window(u, k, j, kind, length, column, ts, rank, place, before):
    """Whether u, of source j, is in its window when k arrives."""
    if rank[u] >= rank[k]:
        return False
    if kind[j] == TIME:
        return ts[k] - ts[u] < length[j]
    if kind[j] == LANDMARK:
        return True
    return before[k, column[j]] - place[u] <= length[j]


@njit(cache=True, nogil=True)
def evaluate(  # noqa: C901
    i, fresh, now, counted, windows, loops, paths, seen, hashes, mine, layout, member, head, tail,
    found, widest, counters, most_rows, rows, results, until,
):  # fmt: skip
    """All results whose last member is one of the fresh tuples of source i, each once, at `now`.

    Where rows are kept it stops after more than `most_rows`. Without relations `until` is None:
    then it is compiled without what they need.
    """
    # Arrays are taken out of their tuples first: inside the loop that would count references.
    _source, ts, seq, rank, place, before, keys, values, _until = seen
    kind, length, column = windows.kind, windows.length, windows.column
    orders, depths, path, equal_start, equal_key, equal_with = loops[:6]
    theta_start, theta_value, theta_with, theta_other, theta_comparison, theta_offset = loops[6:]
    order, depth = orders[i], depths[i]
    comparisons, matched = counters.comparisons, counters.matches
    waited, longest, share = counters.waited, counters.longest, windows.share
    path_key, path_buckets = paths.key, paths.buckets
    first_bucket, laid_keys, tuple_at = layout.first, layout.keys, layout.tuple_at
    sources = len(order)
    cursor = np.zeros(sources, np.int64)
    stop = np.zeros(sources, np.int64)
    bound = np.zeros(sources, np.int64)  # by source
    prefix = np.zeros(sources + 1, np.uint64)
    digest = np.uint64(0)
    level = 0
    opening = True
    while level >= 0:
        s = order[level]
        x = path[i, level]
        keyed = level != depth and path_key[x] >= 0
        if opening:
            opening = False
            if level == depth:
                cursor[level] = 0
                stop[level] = len(fresh)
                examined = len(fresh)
            else:
                key = np.int32(0)
                if keyed:
                    first = equal_start[i, level]
                    key = keys[bound[equal_with[first]], equal_key[first]]
                g = first_bucket[x] + bucket_of(key, path_buckets[x])
                examined = tail[g] - head[g]
                if keyed:
                    base = level * widest
                    cursor[level] = base
                    stop[level] = base + matches(laid_keys, head[g], tail[g], key, found, base)
                else:
                    cursor[level] = head[g]
                    stop[level] = tail[g]
            if level > 0:
                comparisons[i, level - 1] += counted * examined
        if cursor[level] == stop[level]:
            level -= 1
            continue
        at = cursor[level]
        cursor[level] += 1
        if level == depth:
            u = fresh[at]
        elif keyed:
            u = member[tuple_at[found[at]]]
        else:
            u = member[tuple_at[at]]
        if level == 0 and not mine[u]:
            continue
        fits = True
        first = equal_start[i, level] + np.int64(keyed)
        for c in range(first, equal_start[i, level + 1]):
            column_of = equal_key[c]
            fits = fits and keys[u, column_of] == keys[bound[equal_with[c]], column_of]
        for c in range(theta_start[i, level], theta_start[i, level + 1]):
            if fits:
                right = values[bound[theta_with[c]], theta_other[c]]
                fits = holds(
                    theta_comparison[c],
                    values[u, theta_value[c]],
                    right + theta_offset[c],
                )
        if fits and level > depth:
            fits = _in_window(u, bound[i], s, kind, length, column, ts, rank, place, before)
        elif fits and level == depth:
            for above in range(level):
                j = order[above]
                fits = fits and _in_window(
                    bound[j], u, j, kind, length, column, ts, rank, place, before
                )
        if until is not None:
            for above in range(level):
                j = order[above]
                if kind[s] == RELATION and kind[j] != RELATION:
                    fits = fits and ts[u] <= ts[bound[j]] < until[u, 0]
                elif kind[s] != RELATION and kind[j] == RELATION:
                    fits = fits and ts[bound[j]] <= ts[u] < until[bound[j], 0]
        if not fits:
            continue
        if level > 0:
            matched[i, level - 1] += counted
        bound[s] = u
        prefix[level + 1] = prefix[level] ^ hashes[u]
        if level < sources - 1:
            level += 1
            opening = True
            continue
        digest += result_hash(prefix[sources])
        if windows.lazy:
            waits = now - ts[bound[i]]
            waited[0] += counted
            waited[1] += counted * waits
            longest[share] = max(longest[share], counted * waits)
        if most_rows > 0:
            if results == len(rows):
                larger = np.empty((2 * len(rows), rows.shape[1]), np.int64)
                larger[:results] = rows
                rows = larger
            for j in range(sources):
                rows[results, j] = seq[bound[j]]
            rows[results, sources] = ts[bound[i]]
        results += 1
        if 0 < most_rows < results:
            break
    return results, digest, rows
