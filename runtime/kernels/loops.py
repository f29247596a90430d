"""Nested loops in any order: lazy or eager, any predicates, time and count windows.

The multi-way kernel knows one case and is fast at it; this one knows all of them. For each origin
the loops run in an order of their own, and the new tuples may stand at any depth. The outermost
loop compares nothing, and decides which partition does the work: counts of partitions add up.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit

from runtime.kernels.digest import result_hash, tuple_hashes
from runtime.kernels.loop_types import (
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    TIME,
    Filters,
    LoopCounters,
    LoopOutcome,
    Loops,
    Paths,
    Rows,
    Windows,
)
from runtime.kernels.scan import matches
from runtime.kernels.windows import bucket_of, lay_out


def loop_batch(
    windows: Windows,
    paths: Paths,
    loops: Loops,
    filters: Filters,
    stay: Rows,
    arriving: Rows,
    cursor: np.ndarray,
    counters: LoopCounters,
    last: bool,
    keep_results: bool,
) -> LoopOutcome:
    """Join the arriving tuples. `cursor` holds the next tick and the rank evaluated up to."""
    arriving_hashes = tuple_hashes(arriving.source, arriving.seq)
    passing = _filtered(windows, filters, arriving, arriving_hashes, counters)
    seen = stay.followed_by(arriving.take(passing))
    hashes = tuple_hashes(seen.source, seen.seq)
    mine = hashes % np.uint64(windows.shares) == np.uint64(windows.share)
    of_source = [np.flatnonzero(seen.source == j) for j in range(len(windows.kind))]
    nth = np.empty(len(seen.ts), np.int64)
    for members in of_source:
        nth[members] = np.arange(len(members))
    # A tuple stands once in every path of its source.
    member = np.concatenate([of_source[source] for source in paths.source])
    path_of = np.repeat(
        np.arange(len(paths.source)), [len(of_source[source]) for source in paths.source]
    )
    key_of = np.where(
        paths.key[path_of] < 0, 0, seen.keys[member, np.maximum(paths.key[path_of], 0)]
    ).astype(np.int32)
    layout = lay_out(path_of, key_of, paths.buckets)
    results, digest, rows, stays = _run(
        windows, paths, loops, seen, len(stay.ts), hashes, mine, layout, member, nth,
        cursor, counters, last, keep_results,
    )  # fmt: skip
    return LoopOutcome(results, int(digest), rows, seen.take(stays), cursor)


@cache
def load_loop_kernels() -> None:
    """Compile the kernels for their one set of types, or load them; only the first call works."""
    zero, one = np.zeros(2, np.int64), np.ones(2, np.int64)
    none = np.zeros(0, np.int64)
    windows = Windows(zero, one, zero, 0, False, 1, 0, 1, 1, 0)
    paths = Paths(np.arange(2), np.full(2, -1), one, zero, zero)
    order = np.array([[0, 1], [1, 0]], np.int64)
    starts = np.zeros((2, 3), np.int64)
    loops = Loops(
        order, zero, order, starts, none, none, starts, none, none, none, none, np.zeros(0)
    )
    filters = Filters(none, none, none, np.zeros(0))
    rows = Rows(
        np.zeros(0, np.int16), none, none, none, none, np.zeros((0, 0), np.int64),
        np.zeros((0, 0), np.int32), np.zeros((0, 0)),
    )  # fmt: skip
    counters = LoopCounters.zero(2, 0)
    loop_batch(windows, paths, loops, filters, rows, rows, np.array([1, -1]), counters, True, True)


@njit(inline="always")
def _holds(comparison, left, right):
    """Whether the comparison holds; with a missing value (NaN) none does."""
    if comparison == LESS:
        return left < right
    if comparison == LESS_EQUAL:
        return left <= right
    if comparison == GREATER:
        return left > right
    if comparison == GREATER_EQUAL:
        return left >= right
    if comparison == EQUAL:
        return left == right
    return left < right or left > right


@njit(cache=True, nogil=True)
def _filtered(windows, filters, arriving, hashes, counters):
    """Which arriving tuples pass the filters of their source."""
    passing = np.ones(len(arriving.ts), np.bool_)
    for a in range(len(arriving.ts)):
        mine = hashes[a] % np.uint64(windows.shares) == np.uint64(windows.share)
        counted = np.int64(mine and arriving.ts[a] >= windows.warmup)
        counters.arrivals[arriving.source[a]] += counted
        for f in range(len(filters.source)):
            if filters.source[f] == arriving.source[a] and passing[a]:
                counters.evaluated[f] += counted
                value = arriving.values[a, filters.value[f]]
                passing[a] = _holds(filters.comparison[f], value, filters.constant[f])
                counters.passed[f] += counted * np.int64(passing[a])
    return passing


@njit(inline="always")
def _in_window(u, k, j, kind, length, column, ts, rank, place, before):
    """Whether u, of source j, is in its window when k arrives."""
    if rank[u] >= rank[k]:
        return False
    if kind[j] == TIME:
        return ts[k] - ts[u] < length[j]
    return before[k, column[j]] - place[u] <= length[j]


@njit(cache=True, nogil=True)
def _evaluate(  # noqa: C901
    i, fresh, counted, windows, loops, paths, seen, hashes, mine, layout, member, head, tail,
    found, widest, counters, keep_results, rows, results,
):  # fmt: skip
    """All results whose last member is one of the fresh tuples of source i, each once."""
    # Arrays are taken out of their tuples first: inside the loop that would count references.
    _source, ts, seq, rank, place, before, keys, values = seen
    kind, length, column = windows.kind, windows.length, windows.column
    orders, depths, path, equal_start, equal_key, equal_with = loops[:6]
    theta_start, theta_value, theta_with, theta_other, theta_comparison, theta_offset = loops[6:]
    order, depth = orders[i], depths[i]
    comparisons, matched = counters.comparisons, counters.matches
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
                fits = _holds(
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
        if keep_results:
            if results == len(rows):
                larger = np.empty((2 * len(rows), rows.shape[1]), np.int64)
                larger[:results] = rows
                rows = larger
            for j in range(sources):
                rows[results, j] = seq[bound[j]]
            rows[results, sources] = ts[bound[i]]
        results += 1
    return results, digest, rows


@njit(cache=True, nogil=True)
def _run(  # noqa: C901
    windows, paths, loops, seen, old, hashes, mine, layout, member, nth, cursor, counters, last,
    keep_results,
):  # fmt: skip
    """Returns the number of results, their digest, their rows if kept, and who stays."""
    source, ts = seen.source, seen.ts
    kind, length, column = windows.kind, windows.length, windows.column
    warmup, end, tick = windows.warmup, windows.end, windows.tick
    sources = len(kind)
    path_start = layout.queue_start  # tuples of path x stand at path_start[x] in `member`
    head = layout.start[:-1].copy()
    tail = layout.start[:-1].copy()
    filled = np.zeros(len(paths.source), np.int64)
    gone = np.zeros(len(ts), np.bool_)
    widest = 1
    for g in range(len(layout.start) - 1):
        widest = max(widest, layout.start[g + 1] - layout.start[g])
    found = np.empty(sources * widest, np.int64)
    rows = np.empty((1024 if keep_results else 1, sources + 1), np.int64)
    results = 0
    digest = np.uint64(0)
    pending = 0  # the first tuple that has not been evaluated
    while pending < old and seen.rank[pending] <= cursor[1]:
        pending += 1
    one = np.zeros(1, np.int64)

    for a in range(len(ts) + 1):
        arriving = a < len(ts)
        if not arriving and not last:
            break
        # What the clock reaches before this arrival; at the end, all of the span.
        while tick > 0 and a >= old:
            now = cursor[0] * tick
            if arriving and now >= ts[a]:
                break
            if not arriving and now > end and (not windows.lazy or pending == a):
                break
            counted = np.int64(warmup < now <= end)
            if windows.lazy and pending < a:
                for i in range(sources):
                    size = 0
                    for b in range(pending, a):
                        size += np.int64(source[b] == i)
                    fresh = np.empty(size, np.int64)
                    size = 0
                    for b in range(pending, a):
                        if source[b] == i:
                            fresh[size] = b
                            size += 1
                    if size:
                        results, more, rows = _evaluate(
                            i, fresh, counted, windows, loops, paths, seen, hashes, mine, layout,
                            member, head, tail, found, widest, counters, keep_results, rows,
                            results,
                        )  # fmt: skip
                        digest += more
                cursor[1] = seen.rank[a - 1]
                pending = a
            if cursor[0] % windows.expire_ticks == 0:
                for x in range(len(paths.source)):
                    j = paths.source[x]
                    if paths.indexed[x] and windows.share == 0:
                        visits = filled[x] if paths.present[x] else paths.buckets[x]
                        counters.expirations[j] += counted * visits
                for j in range(sources):
                    scanned = True
                    for x in range(sources, len(paths.source)):
                        scanned = scanned and not (paths.indexed[x] and paths.source[x] == j)
                    if scanned and windows.share == 0:
                        counters.expirations[j] += counted
                    g = layout.first[j]
                    while head[g] < tail[g]:
                        u = member[layout.tuple_at[head[g]]]
                        if kind[j] == TIME:
                            leaves = ts[u] + length[j] <= now
                        else:
                            leaves = (
                                arriving and seen.place[u] < seen.before[a, column[j]] - length[j]
                            )
                        if not leaves:
                            break
                        _remove(u, j, now, counted, windows, paths, layout, path_start, nth, head,
                                tail, filled, gone, ts, mine, counters, 1)  # fmt: skip
            cursor[0] += 1
        if not arriving:
            break
        i = source[a]
        now = ts[a]
        counted = np.int64(a >= old and mine[a] and now >= warmup)
        if a >= old and tick == 0:
            for j in range(sources):
                g = layout.first[j]
                if kind[j] == TIME:
                    counters.expirations[j] += counted
                indexes = 0
                for x in range(sources, len(paths.source)):
                    indexes += np.int64(paths.indexed[x] and paths.source[x] == j)
                while head[g] < tail[g]:
                    u = member[layout.tuple_at[head[g]]]
                    if kind[j] == TIME:
                        leaves = now - ts[u] >= length[j]
                        left = ts[u] + length[j]
                    else:
                        leaves = seen.place[u] < seen.before[a, column[j]] - length[j]
                        left = now
                    if not leaves:
                        break
                    _remove(u, j, left, np.int64(left >= warmup), windows, paths, layout,
                            path_start, nth, head, tail, filled, gone, ts, mine, counters,
                            1 + indexes)  # fmt: skip
        if a >= old:
            if mine[a]:
                counters.inserts[i] += counted
            else:
                counters.replicas[i] += np.int64(now >= warmup)
            if not windows.lazy:
                one[0] = a
                results, more, rows = _evaluate(
                    i, one, np.int64(now >= warmup), windows, loops, paths, seen, hashes, mine,
                    layout, member, head, tail, found, widest, counters, keep_results, rows,
                    results,
                )  # fmt: skip
                digest += more
                cursor[1] = seen.rank[a]
        for x in range(len(paths.source)):
            if paths.source[x] == i:
                g = layout.bucket[path_start[x] + nth[a]]
                filled[x] += np.int64(head[g] == tail[g])
                tail[g] += 1

    stays = ~gone
    if last:
        for u in range(len(ts)):
            if not gone[u] and mine[u]:
                j = source[u]
                until = end
                if kind[j] == TIME and tick == 0:
                    until = min(end, ts[u] + length[j])
                counters.held[j] += max(0, until - max(ts[u], warmup))
    return results, digest, rows[:results], stays


@njit(nogil=True)
def _remove(
    u, j, left, counted, windows, paths, layout, path_start, nth, head, tail, filled, gone, ts,
    mine, counters, checks,
):  # fmt: skip
    """Take u out of every path of its window; it leaves the window at the time `left`."""
    gone[u] = True
    for x in range(len(paths.source)):
        if paths.source[x] == j:
            g = layout.bucket[path_start[x] + nth[u]]
            head[g] += 1
            filled[x] -= np.int64(head[g] == tail[g])
    if mine[u]:
        counters.expirations[j] += checks * counted
        counters.held[j] += max(0, min(left, windows.end) - max(ts[u], windows.warmup))
