"""The events of an aggregation in turn: tuples arrive, leave by the clock, or are displaced."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.early_aggregation.kernel.changes import (
    close_block,
    longer,
    with_rows,
    write_group,
)
from runtime.engines.early_aggregation.kernel.distinct_values import values_with_room
from runtime.engines.early_aggregation.kernel.groups import with_room
from runtime.engines.early_aggregation.kernel.layout import PATH_FIRST, PATH_KEY, PATH_SOURCE
from runtime.engines.early_aggregation.kernel.store import copy_row, enter, forget_window, leave
from runtime.engines.early_aggregation.kernel.types import (
    A_BEST,
    BROUGHT,
    COUNT,
    EACH,
    GROUP_DOUBT,
    GROUP_KEY,
    GROUP_ROWS,
    LANDMARK,
    NOTHING,
    RELATION,
    ROW_PART,
    TIME,
    TUMBLING,
)
from runtime.engines.early_aggregation.kernel.walk import ANY_GROUP, walk
from runtime.engines.kernels.inlining import part, seldom_part

# Of the events at one time, tuples leave first. A tuple that is displaced leaves with the arrival
# that displaces it, right after it.
_LEFT, _ARRIVED, _DISPLACED, _ENDED = range(4)
_FAR = np.iinfo(np.int64).max


@part
def _leaves(kind, length, block, ts):
    """When a tuple leaves its window by the clock; far away where it does not."""
    if kind == TIME:
        return ts + length
    if kind == TUMBLING and not block:
        return (ts // length + 1) * length
    return _FAR


@part
def _released(row, now, kind, length, ts, until, alive, queue, starts, oldest):
    """When a row that ends is taken out: once no tuple is there that arrived before its end.

    Until then it is needed, to take away again what it joined.
    """
    end = until[row, 0]
    if end == _FAR or not alive[row]:
        return _FAR
    when = end
    for s in range(len(kind)):
        if kind[s] == LANDMARK:
            return _FAR
        if kind[s] == TIME or kind[s] == TUMBLING:
            when = max(when, end + length[s])
        elif kind[s] == COUNT and oldest[s] < starts[s + 1]:
            first = queue[oldest[s]]
            if alive[first]:
                if ts[first] < end:
                    return _FAR
                when = max(when, now)
    return when


@part
def _passed(now, span, clock, tuples, entries, there, held, set_held, late_held):
    """Count what was held from where the clock stands until now."""
    begin, stop = max(clock[0], span.warmup), min(now, span.end)
    if stop > begin:
        for s in range(len(tuples)):
            # Every partition holds replicas: one counts them. By key, each has its own.
            if span.share == 0:
                held[s] += float(stop - begin) * tuples[s]
                set_held[s] += float(stop - begin) * entries[s]
        late_held[0] += float(stop - begin) * there
    clock[0] = max(clock[0], now)


@part
def _first_to_leave(horizon, kind, length, block, ts, rank, alive, queue, starts, oldest):
    """Which tuple leaves next by the clock, by the horizon, and when; -1 where none does."""
    u, when = -1, horizon
    for s in range(len(kind)):
        if (kind[s] == TIME or kind[s] == TUMBLING) and oldest[s] < starts[s + 1]:
            first = queue[oldest[s]]
            if alive[first]:
                left = _leaves(kind[s], length[s], block, ts[first])
                if left < when or (left == when and (u < 0 or rank[first] < rank[u])):
                    u, when = first, left
    return u, when


@part
def _plain_path(s, paths):
    """The path in which the rows of a source stand in one bucket."""
    x = 0
    while paths[x, PATH_SOURCE] != s or paths[x, PATH_KEY] >= 0:
        x += 1
    return x


@seldom_part
def _gather_anew(
    slot, s, radix, distinct, digits, possible, kind, function, of, loops, ts, until, attributes,
    rows, flat, paths, start, filled, held, flat_held, table, sizes, values, touched, scratch,
    found, slots, base, walked, comparisons, matches,
):  # fmt: skip
    """Gather the extrema of a group from all that is stored; returns how many rows were examined.

    It is walked through from the rows of source s that have its part of the group.
    """
    for column in range(BROUGHT + A_BEST, held.shape[1], EACH):
        held[slot, column] = NOTHING
    share = held[slot, GROUP_KEY] // radix[s] % digits[s] * radix[s]
    bucket = paths[_plain_path(s, paths), PATH_FIRST]
    walked[1] = filled[bucket]
    for row in range(start[bucket], start[bucket] + filled[bucket]):
        if rows[row, ROW_PART] == share:
            copy_row(rows, row, 0)
            # Plain types instead of literals: the walk is compiled once.
            walk(
                np.int64(1), s, np.int64(1), slot, np.int64(0), distinct, digits, possible, kind,
                function, of, loops, ts, until, attributes, rows, flat, paths, start, filled, held,
                flat_held, table, sizes, values, touched, scratch, found, slots, base, walked,
                comparisons, matches,
            )  # fmt: skip
    return walked[1]


@njit(cache=True, nogil=True)
def run_events(  # noqa: C901
    span, sources, functions, loops, seen, passed, old, mine, queue, starts, ending, indexes, store,
    groups, values, clock, counters, until, last, extreme, distinct, most_rows,
):  # fmt: skip
    """Event after event until the batch is done; returns the output, its changes, closed blocks."""
    keep_changes = most_rows > 0
    # Arrays are taken out of their tuples once: doing so counts references.
    kind, length, early, first_cell, radix, digits, block, walked_from = sources
    function, of = functions
    source, ts, _seq, rank, keys, attributes, ends, group, cell, amounts, number = seen
    rows, paths, start, filled = store.rows, store.paths, store.start, store.filled
    alive, tuples, entries = store.alive, store.tuples, store.entries
    comparisons, matches, late = counters.comparisons, counters.matches, counters.late
    held_time, set_time, late_time = counters.held, counters.set_held, counters.late_held
    inserts, expirations, replicas = counters.inserts, counters.expirations, counters.replicas
    set_updates, set_recomputed = counters.set_updates, counters.set_recomputed
    set_examined = counters.set_examined
    count, aggregates = len(kind), len(function)
    # Plain types instead of literals: what they are given to is then compiled once.
    none, plus, any_group = np.int64(0), np.int64(1), np.int64(ANY_GROUP)
    possible = plus
    for s in range(count):
        possible *= digits[s]
    oldest = starts[:count].copy()
    flat = rows.reshape(-1)
    touched = np.zeros(len(groups.held) + 2, np.int64)
    scratch = np.zeros((3, max(count, 2)), np.int64)
    found = np.empty(len(ts), np.int64)
    slots = np.empty(len(ts), np.uint64)
    walked = np.zeros(2, np.int64)
    base = np.zeros((aggregates, EACH), np.int64)
    changes = np.empty((1024 if keep_changes else 1, 5 + EACH * aggregates), np.int64)
    blocks = np.empty((64, 3 + EACH * aggregates), np.int64)
    changed = closed = none
    for u in range(old):
        s = np.int64(source[u])
        into = first_cell[s] + cell[u] if early[s] else -1
        enter(u, s, into, group[u] * radix[s], keys, amounts, function, of, store)
    a = old
    arrived = -1  # the last arrival
    displaced = -1  # a tuple that it pushed out of its count window
    ended = 0  # rows of relations that are taken out, in `ending`
    level, done = none, False  # where the walk of an event is to go on, 0 where there is none
    while not done:
        # Room is made here only: what is assigned anew in the loop below is counted in its every
        # turn.
        if level > 0:
            groups = with_room(groups, possible)
            touched = longer(touched, len(groups.held) + 2)
        elif level < 0:
            values = values_with_room(values, len(ts) * aggregates)
            level = -level
        held, table, sizes = groups
        flat_held = held.reshape(-1)
        while True:
            if level == 0:
                if keep_changes and changed + closed > most_rows:
                    done = True
                    break
                # The next event: a tuple pushed out, one that leaves by the clock, or an arrival.
                arriving = a < len(ts)
                horizon = ts[a] if arriving else until
                if block and horizon // block != clock[1]:
                    _passed(
                        (clock[1] + 1) * block, span, clock, tuples, entries, sizes[1], held_time,
                        set_time, late_time,
                    )  # fmt: skip
                    blocks, closed = close_block(blocks, closed, clock[1] * block, groups, values)
                    clock[1] = horizon // block
                    for s in range(count):
                        if kind[s] == TUMBLING:
                            begun = oldest[s]
                            while oldest[s] < starts[s + 1] and alive[queue[oldest[s]]]:
                                oldest[s] += 1
                            forget_window(s, early[s], queue[begun : oldest[s]], store)
                u, phase, now = -1, _ARRIVED, horizon
                if displaced >= 0:
                    u, phase, now = displaced, _DISPLACED, clock[0]
                else:
                    u, now = _first_to_leave(
                        horizon, kind, length, block, ts, rank, alive, queue, starts, oldest
                    )
                    phase = _LEFT if u >= 0 else _ARRIVED
                    if ended < len(ending):
                        row = ending[ended]
                        left = _released(
                            row, clock[0], kind, length, ts, ends, alive, queue, starts, oldest
                        )
                        if left <= now:
                            u, phase, now = row, _ENDED, left
                    if u < 0 and not arriving:
                        done = True
                        break
                _passed(now, span, clock, tuples, entries, sizes[1], held_time, set_time, late_time)
                counted = np.int64(span.warmup <= now <= span.end)
                if phase == _ARRIVED:
                    u = a
                    arrived = a
                    a += 1
                s = np.int64(source[u])
                own = counted * np.int64(mine[u])
                if phase == _ARRIVED and kind[s] == COUNT and oldest[s] < starts[s + 1]:
                    first = queue[oldest[s]]
                    if alive[first] and number[first] <= number[u] - length[s]:
                        displaced = first
                if not passed[u]:
                    continue
                into = first_cell[s] + cell[u] if early[s] else -1
                share = group[u] * radix[s]
                if phase == _ARRIVED:
                    if kind[s] != RELATION:
                        for other in range(count):
                            if kind[other] == TIME or kind[other] == TUMBLING:
                                expirations[other] += own
                    inserts[s] += own
                    replicas[s] += counted - own
                    enter(u, s, into, share, keys, amounts, function, of, store)
                else:
                    if phase == _ENDED:
                        ended += 1
                    else:
                        displaced = -1
                        oldest[s] += 1
                    expirations[s] += own * (1 + indexes[s])
                    again, looked = leave(u, s, into, share, keys, amounts, function, of, store)
                    set_recomputed[s] += own * again
                    set_examined[s] += own * looked
                # The rows of a relation are in its set before the first tuple: no event updates it.
                if early[s] and kind[s] != RELATION:
                    set_updates[s] += own
                if kind[s] == RELATION or not mine[u]:
                    continue
                sizes[2] += 1
                touched[0] = walked[0] = 0
                sign = plus if phase == _ARRIVED else -plus
                level = plus
            level = walk(
                level, s, sign, any_group, counted, distinct, digits, possible, kind, function, of,
                loops, ts, ends, attributes, rows, flat, paths, start, filled, held, flat_held,
                table, sizes, values, touched, scratch, found, slots, base, walked, comparisons,
                matches,
            )  # fmt: skip
            if level != 0:
                break
            late[0] += counted * walked[0]
            late[3] += counted * touched[0]
            if not (keep_changes or extreme):
                continue
            for t in range(1, touched[0] + 1):
                slot = touched[t]
                # A group that is empty by now has no extremum.
                if held[slot, GROUP_DOUBT] and held[slot, GROUP_ROWS]:
                    late[1] += counted
                    late[2] += counted * _gather_anew(
                        slot, walked_from, radix, distinct, digits, possible, kind, function, of,
                        loops, ts, ends, attributes, rows, flat, paths, start, filled, held,
                        flat_held, table, sizes, values, touched, scratch, found, slots, base,
                        walked, comparisons, matches,
                    )  # fmt: skip
                held[slot, GROUP_DOUBT] = 0
                if keep_changes:
                    changes = with_rows(changes, changed, 1)
                    changes[changed, 0], changes[changed, 1] = now, np.int64(phase != _LEFT)
                    changes[changed, 2] = (
                        rank[u]
                        if phase == _LEFT
                        else 2 * rank[arrived] + np.int64(phase == _DISPLACED)
                    )
                    write_group(changes, changed, 3, slot, held)
                    changed += 1
    end = max(until, span.end) if last else until
    _passed(end, span, clock, tuples, entries, groups.sizes[1], held_time, set_time, late_time)
    return groups, values, changes[:changed], blocks[:closed]
