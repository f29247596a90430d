"""Pass 2: one server works through the outers under one policy, and delays are added up.

Nobody overtakes: outers that have reached a point are a beginning of all in arrival order, so a
queue is the outers between two points' counts, and its head is the oldest of them:

    outers, oldest .. newest     4 5 | 6 7 8 |   | 9 10 11
    reached                      w_2 | w_1 ..|   | nothing yet

At the end of a scan the policy chooses a queue; its head scans up to some window. While it scans no
older outer completes a window, so what it finds in a partial window is released as it is found to
all windows that the older ones have completed; other windows get it when the next older one has.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.inlining import part
from runtime.engines.shared_schedule.kernel.delays import add_as_found, add_sum, add_together
from runtime.engines.shared_schedule.kernel.types import (
    BUFFER_MAX,
    BUSY,
    DEADLINE,
    DONE_DROPPED,
    DONE_SIDE,
    FIRST_DROPPED,
    HELD,
    HELD_MAX,
    HELD_TIME,
    NOW,
    QUEUE_MAX,
    STRETCH,
    WAITED,
)

_HALF = np.uint64(32)
_LOWER = np.uint64(2**32 - 1)


@part
def _product(a, b):
    """The 128 bits of a product of two numbers that are not negative: upper and lower half."""
    x, y = np.uint64(a), np.uint64(b)
    low = (x & _LOWER) * (y & _LOWER)
    cross = (x >> _HALF) * (y & _LOWER) + (low >> _HALF)
    middle = (cross & _LOWER) + (x & _LOWER) * (y >> _HALF)
    high = (x >> _HALF) * (y >> _HALF) + (cross >> _HALF) + (middle >> _HALF)
    return high, (middle << _HALF) | (low & _LOWER)


@part
def compare_shares(waited, length, other_waited, other_length):
    """Of two shares waited / length: 1 where the first is larger, 0 where both are equal, or -1."""
    high, low = _product(waited, other_length)
    other_high, other_low = _product(other_waited, length)
    if high != other_high:
        return 1 if high > other_high else -1
    if low != other_low:
        return 1 if low > other_low else -1
    return 0


@part
def overlap(begin, end, warmup, stop):
    """How much of a time lies in the measured span."""
    return max(0, min(end, stop) - max(begin, warmup))


@part
def _held_time(held, begin, end, warmup, stop, offsets, low, high, offsets_sum):
    """How long results were held in a partial scan: those from before it, and those it found."""
    if begin >= warmup and end <= stop:
        return held * (end - begin) + (high - low) * (end - begin) - offsets_sum
    total = held * overlap(begin, end, warmup, stop)
    for n in range(low, high):
        total += overlap(begin + offsets[n], end, warmup, stop)
    return total


# One long loop on purpose, as in pass 1.
@njit(cache=True, nogil=True)
def serve(policy, outers, count, before, slots, span, server, delays, reach):  # noqa: C901
    """Take decisions while it is earlier than `reach`: all outers up to then are known.

    There are `count` outers, and `before` so many came before them. `slots[f, p]` is the first slot
    of class f whose window is p or larger. The server is moved on; delays are added to.
    """
    mode, points, rank, target, due, length, smaller, at_ends = policy
    ts, side, dropped, spent, found, offsets_sum, first, offsets = outers
    row, reached, upto, ended = server
    sums, histogram, largest, scans, measures = delays
    warmup, end = span
    last = len(points) - 1
    widest = points[last]
    classes = len(slots)
    now, held = row[NOW], row[HELD]

    while now < reach:
        seen = reached[0]
        while seen < count and ts[seen] <= now:
            seen += 1
        reached[0] = seen
        # The largest queue and buffer are those just before an outer is completed.
        if now >= warmup:
            waiting = seen - reached[last] + np.int64(row[DONE_SIDE] >= 0)
            measures[QUEUE_MAX] = max(measures[QUEUE_MAX], waiting)
            buffered = before + seen - row[FIRST_DROPPED] - row[FIRST_DROPPED + 1]
            measures[BUFFER_MAX] = max(measures[BUFFER_MAX], buffered)
        if row[DONE_SIDE] >= 0:
            row[FIRST_DROPPED + 1 - row[DONE_SIDE]] = row[DONE_DROPPED]
            row[DONE_SIDE] = -1
        if reached[last] == seen:
            if seen == count:
                break
            now = ts[seen]
            continue

        # --- the choice: from the largest window that somebody waits for to the smallest
        i = -1
        j = last
        older = last
        best = np.int64(0)
        for queue in range(last - 1, -1, -1):
            head = reached[queue + 1]
            if head == reached[queue]:
                continue
            if mode == STRETCH:
                value = now - ts[head]
                order = 1
                if i >= 0:
                    order = compare_shares(value, length[queue], best, length[i])
            else:
                value = -(ts[head] + due[queue]) if mode == DEADLINE else rank[queue, older]
                order = 1 if i < 0 or value > best else (0 if value == best else -1)
            if order > 0 or (order == 0 and smaller):
                i, j, best = queue, older, value
            older = queue
        goal = target[i, j]
        k = reached[i + 1]
        done = points[j]

        # --- how far the next outer has come: what it holds is released when k is done
        following = k + 1
        waiting_at = 0
        for point in range(i, 0, -1):
            if reached[point] > following:
                waiting_at = points[point]
                break

        counted = ts[k] >= warmup
        begun = now
        for p in range(points[i] + 1, points[goal] + 1):
            low, high = first[k, 0] + found[k, 0, p - 1], first[k, 0] + found[k, 0, p]
            finish = now + spent[k, p] - spent[k, p - 1]
            if at_ends or done < widest:
                measures[HELD_TIME] += _held_time(
                    held, now, finish, warmup, end, offsets, low, high, offsets_sum[k, 0, p]
                )
                held += high - low
            else:
                measures[HELD_TIME] += held * overlap(now, finish, warmup, end)
            if finish >= warmup:
                measures[HELD_MAX] = max(measures[HELD_MAX], held)
            if at_ends:
                known = upto[k]
                if done == widest:
                    held -= high - low if known == widest else found[k, 0, p]
                if counted:
                    delay = finish - ts[k]
                    for f in range(classes):
                        here = found[k, f, p] - found[k, f, p - 1]
                        begin = slots[f, p]
                        middle = max(begin, slots[f, known + 1])
                        stop = max(begin, slots[f, done + 1])
                        add_together(sums, histogram, largest, begin, middle, here, delay)
                        add_together(sums, histogram, largest, middle, stop, found[k, f, p], delay)
                upto[k] = done
                ended[k] = finish
            elif counted:
                for f in range(classes):
                    add_as_found(
                        sums, histogram, largest, slots[f, p], slots[f, done + 1],
                        offsets, first[k, f] + found[k, f, p - 1], first[k, f] + found[k, f, p],
                        offsets_sum[k, f, p], now - ts[k],
                    )  # fmt: skip
            if counted:
                add_sum(scans, p, finish - ts[k])
            # A scan that took no time ends when k does: it is not too early.
            if waiting_at > 0 and (not at_ends or ended[following] == finish):
                if p == widest:
                    held -= found[following, 0, waiting_at]
                upto[following] = p
                if ts[following] >= warmup:
                    for f in range(classes):
                        add_together(
                            sums, histogram, largest, slots[f, p], slots[f, p + 1],
                            found[following, f, waiting_at], finish - ts[following],
                        )  # fmt: skip
            now = finish

        for point in range(i + 1, goal + 1):
            reached[point] += 1
        measures[BUSY] += overlap(begun, now, warmup, end)
        if goal == last:
            measures[WAITED] += overlap(ts[k], now, warmup, end)
            row[DONE_SIDE] = side[k]
            row[DONE_DROPPED] = dropped[k]

    row[NOW], row[HELD] = now, held
