"""Nested loops in any order: lazy or eager, any predicates, windows and relations.

The multi-way kernel knows one case and is fast at it; this one knows all of them. For each origin
the loops run in an order of their own, and the new tuples may stand at any depth. The outermost
loop compares nothing, and decides which partition does the work: counts of partitions add up.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit

from runtime.engines.join_order.kernel.loop_evaluation import evaluate
from runtime.engines.join_order.kernel.loop_store import (
    empty_store,
    indexes_of,
    insert,
    insert_row,
    remove,
    remove_row,
)
from runtime.engines.kernels.conditions import filtered
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.kernels.loop_types import (
    LANDMARK,
    RELATION,
    TIME,
    Filters,
    LoopCounters,
    LoopOutcome,
    LoopTable,
    Paths,
    Rows,
    Windows,
)
from runtime.engines.kernels.windows import lay_out


def loop_batch(
    windows: Windows,
    paths: Paths,
    loops: LoopTable,
    filters: Filters,
    stay: Rows,
    arriving: Rows,
    cursor: np.ndarray,
    counters: LoopCounters,
    last: bool,
    most_rows: int,
) -> LoopOutcome:
    """Join the arriving tuples. `cursor` holds the next tick and the rank evaluated up to.

    Up to `most_rows` results are kept: none at 0.
    """
    arriving_hashes = tuple_hashes(arriving.source, arriving.seq)
    passing = filtered(windows, filters, arriving, arriving_hashes, counters)
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
    of_relations = np.flatnonzero(windows.kind[seen.source] == RELATION)
    ending = of_relations[np.argsort(seen.until[of_relations].reshape(-1), kind="stable")]
    results, digest, rows, stays = _run(
        windows, paths, loops, seen, len(stay.ts), hashes, mine, layout, member, nth, ending,
        seen.until if seen.until.shape[1] else None, cursor, counters, last, most_rows,
    )  # fmt: skip
    return LoopOutcome(results, int(digest), rows, seen.take(stays), cursor)


@cache
def load_loop_kernels(relations: bool) -> None:
    """Compile the kernels with or without relations, or load them; only the first call works."""
    zero, one = np.zeros(2, np.int64), np.ones(2, np.int64)
    none = np.zeros(0, np.int64)
    windows = Windows(zero, one, zero, 0, False, 1, 0, 1, 1, 0)
    paths = Paths(np.arange(2), np.full(2, -1), one, zero, zero)
    order = np.array([[0, 1], [1, 0]], np.int64)
    starts = np.zeros((2, 3), np.int64)
    loops = LoopTable(
        order, zero, order, starts, none, none, starts, none, none, none, none, np.zeros(0)
    )
    filters = Filters.of([])
    rows = Rows(
        np.zeros(0, np.int16), none, none, none, none, np.zeros((0, 0), np.int64),
        np.zeros((0, 0), np.int32), np.zeros((0, 0)), np.zeros((0, int(relations)), np.int64),
    )  # fmt: skip
    # As a batch's are, which share its memory.
    arriving = Rows(*(np.frombuffer(b"", c.dtype).reshape(c.shape) for c in rows))
    counters = LoopCounters.zero(2, 0)
    loop_batch(windows, paths, loops, filters, rows, arriving, np.array([1, -1]), counters, True, 1)


@njit(cache=True, nogil=True)
def _run(  # noqa: C901
    windows, paths, loops, seen, old, hashes, mine, layout, member, nth, ending, until, cursor,
    counters, last, most_rows,
):  # fmt: skip
    """Returns the number of results, their digest, their rows if kept, and who stays."""
    # Arrays are taken out of their tuples once: what is called for every tuple is given them alone.
    # Numbers are int64 throughout: `evaluate` would be compiled for each type that it is given.
    source, ts, place, before = seen.source, seen.ts, seen.place, seen.before
    kind, length, column, path_source = windows.kind, windows.length, windows.column, paths.source
    first, bucket, queue_start = layout.first, layout.bucket, layout.queue_start
    tuple_at, expirations, held = layout.tuple_at, counters.expirations, counters.held
    warmup, end, tick = windows.warmup, windows.end, windows.tick
    sources = len(kind)
    store = empty_store(layout, len(ts), len(ending) > 0)
    head, tail, gone = store.head, store.tail, store.gone
    indexes = np.zeros(sources, np.int64)
    for j in range(sources):
        indexes[j] = indexes_of(j, paths)
    widest = np.int64(1)
    for g in range(len(layout.start) - 1):
        widest = max(widest, layout.start[g + 1] - layout.start[g])
    found = np.empty(sources * widest, np.int64)
    rows = np.empty((1024 if most_rows > 0 else 1, sources + 1), np.int64)
    results = np.int64(0)
    digest = np.uint64(0)
    ended = np.int64(0)  # rows of relations that have ended, in `ending`
    pending = np.int64(0)  # the first tuple that has not been evaluated
    while pending < old and seen.rank[pending] <= cursor[1]:
        pending += 1
    one = np.zeros(1, np.int64)

    for a in range(len(ts) + 1):
        arriving = a < len(ts)
        if (not arriving and not last) or 0 < most_rows < results:
            break
        # What the clock reaches before this arrival; at the end, all of the span.
        while tick > 0 and a >= old:
            now = cursor[0] * tick
            if arriving and now >= ts[a]:
                break
            idle = not windows.lazy or pending == a
            if not arriving and now > end and idle:
                break
            if idle:
                skipped = _idle_ticks(a, ended, windows, paths, layout, member, seen, ending, until,
                                      store, indexes, cursor, counters)  # fmt: skip
                cursor[0] += skipped
                if skipped:
                    continue
            counted = np.int64(warmup < now <= end)
            if windows.lazy and pending < a:
                for i in range(sources):
                    fresh = _of_source(i, pending, a, source)
                    if len(fresh) and kind[i] != RELATION:
                        results, more, rows = evaluate(
                            i, fresh, now, counted, windows, loops, paths, seen, hashes, mine,
                            layout, member, store.head, store.tail, found, widest, counters,
                            most_rows, rows, results, until,
                        )  # fmt: skip
                        digest += more
                cursor[1] = seen.rank[a - 1]
                pending = a
            if until is not None and windows.lazy:
                ended = _end_rows(ended, now, windows, paths, layout, ending, seen, nth, store,
                                  indexes, mine, counters)  # fmt: skip
            if cursor[0] % windows.expire_ticks == 0:
                _expire_at_tick(now, counted, a, windows, paths, layout, member, seen, nth, store,
                                indexes, mine, counters)  # fmt: skip
            cursor[0] += 1
            if 0 < most_rows < results:
                break
        if not arriving:
            break
        i = np.int64(source[a])
        now = ts[a]
        if a >= old:
            counted = np.int64(now >= warmup)
            if until is not None and not windows.lazy:
                ended = _end_rows(ended, now, windows, paths, layout, ending, seen, nth, store,
                                  indexes, mine, counters)  # fmt: skip
            if tick == 0 and kind[i] != RELATION:
                _expire_at_arrival(
                    a, counted, warmup, end, kind, length, column, path_source, first, bucket,
                    queue_start, tuple_at, member, ts, place, before, nth, head, tail, gone,
                    indexes, mine, expirations, held,
                )  # fmt: skip
            if mine[a]:
                counters.inserts[i] += counted
            else:
                counters.replicas[i] += counted
            if not windows.lazy and kind[i] != RELATION:
                one[0] = a
                results, more, rows = evaluate(
                    i, one, now, counted, windows, loops, paths, seen, hashes, mine, layout,
                    member, store.head, store.tail, found, widest, counters, most_rows, rows,
                    results, until,
                )  # fmt: skip
                digest += more
                cursor[1] = seen.rank[a]
        if kind[i] == RELATION:
            insert_row(a, i, paths, layout, nth, store)
        else:
            insert(a, i, path_source, bucket, queue_start, nth, tail)

    stays = ~store.gone
    if last:
        for u in np.flatnonzero(stays & mine):
            left = min(end, _leaves(u, windows, seen))
            counters.held[source[u]] += max(0, left - max(ts[u], warmup))
    return results, digest, rows[:results], stays


@njit(nogil=True)
def _of_source(i, start, stop, source):
    """The tuples of source i among those from start to stop."""
    size = 0
    for b in range(start, stop):
        size += np.int64(source[b] == i)
    found = np.empty(size, np.int64)
    size = 0
    for b in range(start, stop):
        if source[b] == i:
            found[size] = b
            size += 1
    return found


@njit(nogil=True)
def _leaves(u, windows, seen):
    """When u leaves if nothing arrives any more; after the span, where that is not known."""
    j = seen.source[u]
    if windows.kind[j] == RELATION and not windows.lazy:
        return seen.until[u, 0]
    if windows.kind[j] == TIME and windows.tick == 0:
        return seen.ts[u] + windows.length[j]
    return windows.end


@njit(nogil=True)
def _end_rows(
    ended, now, windows, paths, layout, ending, seen, nth, store, indexes, mine, counters
):
    """Take out the rows of relations that end by now; how many have ended in all.

    A row leaves at its end. Where evaluation is lazy it stays for the tuples that came before, and
    leaves after their evaluation. A change is told to the relation: nothing is visited to find it.
    """
    while ended < len(ending) and seen.until[ending[ended], 0] <= now:
        u = ending[ended]
        j = seen.source[u]
        left = now if windows.lazy else seen.until[u, 0]
        counted = np.int64(windows.warmup <= left <= windows.end)
        remove_row(u, j, paths, layout, nth, store)
        store.gone[u] = True
        if mine[u]:
            counters.expirations[j] += counted * (1 + indexes[j])
            counters.held[j] += _held(seen.ts[u], left, windows.warmup, windows.end)
        ended += 1
    return ended


@njit(inline="always")
def _held(ts, left, warmup, end):
    """How long a tuple was held within the span, in microseconds."""
    return max(0, min(left, end) - max(ts, warmup))


@njit(nogil=True)
def _idle_ticks(
    a, ended, windows, paths, layout, member, seen, ending, until, store, indexes, cursor, counters
):  # fmt: skip
    """How many of the next ticks, before a arrives, only see that nothing has left.

    What they look at is counted for all of them together: between rare tuples there may be
    millions.
    """
    tick, every = windows.tick, windows.expire_ticks
    busy = _first_to_leave(a, windows, layout, member, seen, store)
    if until is not None and windows.lazy and ended < len(ending):
        busy = min(busy, until[ending[ended], 0])
    begin, last = cursor[0], (busy - 1) // tick
    if last < begin:
        return np.int64(0)
    counted_from = max(begin, windows.warmup // tick + 1)
    counted = min(last, windows.end // tick) // every - (counted_from - 1) // every
    for j in range(len(windows.kind)):
        if windows.kind[j] == RELATION or windows.kind[j] == LANDMARK or windows.share != 0:
            continue
        visits = 1
        if indexes[j]:
            visits, _ = _visit(j, begin * tick, a, windows, paths, layout, member, seen, store)
        counters.expirations[j] += max(0, counted) * visits
    return last + 1 - begin


@njit(nogil=True)
def _first_to_leave(a, windows, layout, member, seen, store):
    """When the next tuple leaves by the clock, or else a arrives, or else the span ends."""
    first = seen.ts[a] if a < len(seen.ts) else windows.end + 1
    for j in range(len(windows.kind)):
        g = layout.first[j]
        if windows.kind[j] == RELATION or windows.kind[j] == LANDMARK:
            continue
        if store.head[g] < store.tail[g]:
            u = member[layout.tuple_at[store.head[g]]]
            if windows.kind[j] == TIME:
                first = min(first, seen.ts[u] + windows.length[j])
            elif _has_left(u, j, first, a, windows, seen):
                # More rows have come since: it leaves at the next tick that looks.
                first = seen.ts[u]
    return first


@njit(nogil=True)
def _expire_at_tick(
    now, counted, a, windows, paths, layout, member, seen, nth, store, indexes, mine, counters
):
    """Visit every window and all buckets of its indexes; take out the tuples that have left."""
    for j in range(len(windows.kind)):
        if windows.kind[j] == RELATION or windows.kind[j] == LANDMARK:
            continue
        visits, stale = 1, True
        if indexes[j]:
            visits, stale = _visit(j, now, a, windows, paths, layout, member, seen, store)
        if windows.share == 0:
            counters.expirations[j] += counted * visits
        g = layout.first[j]
        while stale and store.head[g] < store.tail[g]:
            u = member[layout.tuple_at[store.head[g]]]
            if not _has_left(u, j, now, a, windows, seen):
                break
            remove(u, j, paths.source, layout.bucket, layout.queue_start, nth, store.head)
            store.gone[u] = True
            if mine[u]:
                counters.expirations[j] += counted
                counters.held[j] += _held(seen.ts[u], now, windows.warmup, windows.end)


@njit(nogil=True)
def _visit(j, now, a, windows, paths, layout, member, seen, store):
    """Look into every bucket of a window's indexes: how many there are, and whether one is stale.

    An index per value has no empty buckets.
    """
    visits, stale = 0, False
    for x in range(len(paths.source)):
        if paths.source[x] != j or not paths.indexed[x]:
            continue
        for g in range(layout.first[x], layout.first[x] + paths.buckets[x]):
            if store.head[g] < store.tail[g]:
                visits += 1
                u = member[layout.tuple_at[store.head[g]]]
                stale = stale or _has_left(u, j, now, a, windows, seen)
            elif not paths.present[x]:
                visits += 1
    return visits, stale


@njit(nogil=True)
def _has_left(u, j, now, a, windows, seen):
    """Whether the tuple u of source j is out of its window now, before the arrival of a."""
    if windows.kind[j] == TIME:
        return seen.ts[u] + windows.length[j] <= now
    arriving = a < len(seen.ts)
    return arriving and seen.place[u] < seen.before[a, windows.column[j]] - windows.length[j]


@njit(nogil=True)
def _expire_at_arrival(
    a, counted, warmup, end, kind, length, column, path_source, first, bucket, queue_start,
    tuple_at, member, ts, place, before, nth, head, tail, gone, indexes, mine, expirations, held,
):  # fmt: skip
    """Look at every window when a arrives, and take out the tuples that have left."""
    now = ts[a]
    for j in range(len(kind)):
        if kind[j] == RELATION or kind[j] == LANDMARK:
            continue
        g = first[j]
        if kind[j] == TIME and mine[a]:
            expirations[j] += counted
        while head[g] < tail[g]:
            u = member[tuple_at[head[g]]]
            if kind[j] == TIME:
                leaves = now - ts[u] >= length[j]
                left = ts[u] + length[j]
            else:
                leaves = place[u] < before[a, column[j]] - length[j]
                left = now
            if not leaves:
                break
            remove(u, j, path_source, bucket, queue_start, nth, head)
            gone[u] = True
            if mine[u]:
                expirations[j] += np.int64(left >= warmup) * (1 + indexes[j])
                held[j] += _held(ts[u], left, warmup, end)
