"""The events of an aggregation in turn: tuples arrive, leave by the clock, or are displaced."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.kernels.aggregation_groups import has_extrema
from runtime.kernels.aggregation_store import enter, leave
from runtime.kernels.aggregation_types import COUNT, LANDMARK, NOTHING, RELATION, TIME, TUMBLING
from runtime.kernels.aggregation_walk import ANY_GROUP, walk

# Of the events at one time, tuples leave first. A tuple that is displaced leaves with the arrival
# that displaces it, right after it.
_LEFT, _ARRIVED, _DISPLACED, _ENDED = range(4)
_FAR = np.iinfo(np.int64).max


@njit(nogil=True)
def _leaves(u, sources, seen):
    """When a tuple leaves its window by the clock; far away where it does not."""
    s = seen.source[u]
    if sources.kind[s] == TIME:
        return seen.ts[u] + sources.length[s]
    if sources.kind[s] == TUMBLING and not sources.block:
        return (seen.ts[u] // sources.length[s] + 1) * sources.length[s]
    return _FAR


@njit(nogil=True)
def _released(row, now, sources, seen, store, queue, starts, oldest):
    """When a row that ends is taken out: once no tuple is there that arrived before its end.

    Until then it is needed, to take away again what it joined.
    """
    end = seen.until[row, 0]
    if end == _FAR or not store.alive[row]:
        return _FAR
    when = end
    for s in range(len(sources.kind)):
        if sources.kind[s] == LANDMARK:
            return _FAR
        if sources.kind[s] == TIME or sources.kind[s] == TUMBLING:
            when = max(when, end + sources.length[s])
        elif sources.kind[s] == COUNT and oldest[s] < starts[s + 1]:
            first = queue[oldest[s]]
            if store.alive[first]:
                if seen.ts[first] < end:
                    return _FAR
                when = max(when, now)
    return when


@njit(nogil=True)
def _passed(now, span, sources, clock, store, groups, counters):
    """Count what was held from where the clock stands until now."""
    begin, stop = max(clock[0], span.warmup), min(now, span.end)
    if stop > begin:
        for s in range(len(sources.kind)):
            # Every partition holds replicas: one counts them. By key, each has its own.
            if span.share == 0:
                counters.held[s] += float(stop - begin) * store.tuples[s]
                counters.set_held[s] += float(stop - begin) * store.entries[s]
        counters.late_held[0] += float(stop - begin) * groups.sizes[1]
    clock[0] = max(clock[0], now)


@njit(nogil=True)
def _with_rows(rows, size, more):
    """The same rows with room for more."""
    if size + more <= len(rows):
        return rows
    larger = np.empty((2 * (size + more), rows.shape[1]), np.int64)
    larger[:size] = rows[:size]
    return larger


@njit(nogil=True)
def _write(row, at, slot, groups):
    """A group as it is now, from a column on."""
    row[at] = groups.key[slot]
    row[at + 1] = groups.rows[slot]
    at += 2
    for a in range(groups.sums.shape[1]):
        row[at] = groups.sums[slot, a]
        row[at + 1] = groups.present[slot, a]
        row[at + 2] = groups.best[slot, a]
        at += 3


@njit(nogil=True)
def _close_block(
    blocks, closed, following, span, sources, functions, paths, first_bucket, seen, store, groups,
    values, clock, counters, queue, starts, oldest,
):  # fmt: skip
    """Windows of one length end together: the output is read, and begun anew."""
    _passed((clock[1] + 1) * sources.block, span, sources, clock, store, groups, counters)
    blocks = _with_rows(blocks, closed, groups.sizes[1])
    for slot in range(groups.sizes[0]):
        if groups.rows[slot] > 0:
            blocks[closed, 0] = clock[1] * sources.block
            _write(blocks[closed], 1, slot, groups)
            closed += 1
    for s in range(len(sources.kind)):
        while sources.kind[s] == TUMBLING and oldest[s] < starts[s + 1]:
            gone = queue[oldest[s]]
            if not store.alive[gone]:
                break
            leave(gone, sources, functions, paths, first_bucket, seen, store)
            oldest[s] += 1
    groups.table[:] = -1
    groups.rows[:] = 0
    groups.sums[:] = 0
    groups.present[:] = 0
    groups.best[:] = NOTHING
    groups.stamp[:] = -1
    groups.sizes[:2] = 0
    values.key[:] = -1
    values.rows[:] = 0
    values.sizes[0] = 0
    clock[1] = following
    return blocks, closed


@njit(nogil=True)
def _recompute(
    slot, sources, functions, loops, paths, first_bucket, seen, store, groups, values, touched,
    scratch, counters, counted,
):  # fmt: skip
    """The extrema of a group, gathered anew from all that is stored."""
    start = sources.walked_from
    groups.best[slot] = NOTHING
    thing = store.head[first_bucket[start]]
    while thing >= 0:
        # Plain types, as for a tuple that arrives: the walk is compiled once.
        example = store.example[thing] if sources.early[start] else thing
        counters.late[2] += counted
        own = groups.key[slot] // sources.radix[start] % sources.digits[start]
        if seen.group[example] == own:
            _, _, _, _, examined = walk(
                np.int64(start), np.int64(thing), 1, np.int64(slot), 0, sources, functions, loops,
                paths, first_bucket, seen, store, groups, values, touched, scratch,
                counters.comparisons, counters.matches,
            )  # fmt: skip
            counters.late[2] += counted * examined
        thing = store.after[start, thing]
    counters.late[1] += counted


@njit(cache=True, nogil=True)
def run_events(  # noqa: C901
    span, sources, functions, paths, loops, first_bucket, seen, passed, old, mine, queue, starts,
    ending, store, groups, values, clock, counters, until, last, keep_changes,
):  # fmt: skip
    """Event after event until the batch is done; returns the output, its changes, closed blocks."""
    count, aggregates = len(sources.kind), len(functions.function)
    oldest = starts[:count].copy()
    touched = np.zeros(len(groups.key) + 2, np.int64)
    extreme = has_extrema(functions.function)
    scratch = np.zeros((9, max(count, aggregates)), np.int64)
    changes = np.empty((1024 if keep_changes else 1, 5 + 3 * aggregates), np.int64)
    blocks = np.empty((64, 3 + 3 * aggregates), np.int64)
    changed, closed = 0, 0
    indexes = np.zeros(count, np.int64)
    for x in range(len(paths.source)):
        indexes[paths.source[x]] += paths.indexed[x]
    for u in range(old):
        enter(u, sources, functions, paths, first_bucket, seen, store)
    a = old
    arrived = -1  # the last arrival
    displaced = -1  # a tuple that it pushed out of its count window
    ended = 0  # rows of relations that are taken out, in `ending`
    while True:
        # The next event: a tuple pushed out, one that leaves by the clock, or an arrival.
        arriving = a < len(seen.ts)
        horizon = seen.ts[a] if arriving else until
        if sources.block and horizon // sources.block != clock[1]:
            blocks, closed = _close_block(
                blocks, closed, horizon // sources.block, span, sources, functions, paths,
                first_bucket, seen, store, groups, values, clock, counters, queue, starts, oldest,
            )  # fmt: skip
        u, phase = -1, _ARRIVED
        if displaced >= 0:
            u, phase, now = displaced, _DISPLACED, clock[0]
        else:
            now = horizon
            for s in range(count):
                if sources.kind[s] == COUNT or sources.kind[s] == LANDMARK:
                    continue
                if sources.kind[s] == RELATION or oldest[s] == starts[s + 1]:
                    continue
                first = queue[oldest[s]]
                if not store.alive[first]:
                    continue
                left = _leaves(first, sources, seen)
                sooner = left < now or (left == now and u < 0)
                if left <= horizon and (
                    sooner or (left == now and seen.rank[first] < seen.rank[u])
                ):
                    u, phase, now = first, _LEFT, left
            if ended < len(ending):
                row = ending[ended]
                left = _released(row, clock[0], sources, seen, store, queue, starts, oldest)
                if left <= now:
                    u, phase, now = row, _ENDED, left
            if u < 0 and not arriving:
                break
        _passed(now, span, sources, clock, store, groups, counters)
        counted = np.int64(span.warmup <= now <= span.end)
        sign = 1 if phase == _ARRIVED else -1
        if phase == _ARRIVED:
            u = a
            arrived = a
            a += 1
        s = seen.source[u]
        own = counted * np.int64(mine[u])
        if phase == _ARRIVED and sources.kind[s] == COUNT and oldest[s] < starts[s + 1]:
            first = queue[oldest[s]]
            if store.alive[first] and seen.number[first] <= seen.number[u] - sources.length[s]:
                displaced = first
        if not passed[u]:
            continue
        if phase == _ARRIVED:
            if sources.kind[s] != RELATION:
                for other in range(count):
                    if sources.kind[other] == TIME or sources.kind[other] == TUMBLING:
                        counters.expirations[other] += own
            counters.inserts[s] += own
            counters.replicas[s] += counted - own
            enter(u, sources, functions, paths, first_bucket, seen, store)
        else:
            if phase == _ENDED:
                ended += 1
            else:
                displaced = -1
                oldest[s] += 1
            counters.expirations[s] += own * (1 + indexes[s])
            again, looked = leave(u, sources, functions, paths, first_bucket, seen, store)
            counters.set_recomputed[s] += own * again
            counters.set_examined[s] += own * looked
        # The rows of a relation are in its set before the first tuple: no event updates it.
        if sources.early[s] and sources.kind[s] != RELATION:
            counters.set_updates[s] += own
        if sources.kind[s] == RELATION or not mine[u]:
            continue
        groups.sizes[2] += 1
        touched[0] = 0
        groups, values, touched, combined, _ = walk(
            np.int64(s), np.int64(u), sign, np.int64(ANY_GROUP), counted, sources, functions, loops,
            paths, first_bucket, seen, store, groups, values, touched, scratch,
            counters.comparisons, counters.matches,
        )  # fmt: skip
        counters.late[0] += counted * combined
        counters.late[3] += counted * touched[0]
        if not (keep_changes or extreme):
            continue
        for t in range(1, touched[0] + 1):
            slot = touched[t]
            in_doubt = groups.doubt[slot]
            groups.doubt[slot] = 0
            # A group that is empty by now has no extremum.
            if in_doubt and groups.rows[slot]:
                _recompute(
                    slot, sources, functions, loops, paths, first_bucket, seen, store, groups,
                    values, touched, scratch, counters, counted,
                )  # fmt: skip
            if keep_changes:
                changes = _with_rows(changes, changed, 1)
                changes[changed, 0], changes[changed, 1] = now, np.int64(phase != _LEFT)
                changes[changed, 2] = (
                    seen.rank[u]
                    if phase == _LEFT
                    else 2 * seen.rank[arrived] + np.int64(phase == _DISPLACED)
                )
                _write(changes[changed], 3, slot, groups)
                changed += 1
    _passed(max(until, span.end) if last else until, span, sources, clock, store, groups, counters)
    return groups, values, changes[:changed], blocks[:closed]
