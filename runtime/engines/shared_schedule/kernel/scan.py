"""Pass 1: what each arriving tuple finds in each partial window, whatever the policy.

An arriving tuple k drops what left the largest window of the other stream, then scans the rest,
newest first; the j-th comparison of a partial window that is its i-th match is found
j * compare + i * output after the scan of that partial window began:

    other stream, oldest .. newest     x x x | o x x o x | x o x |  <- k
                                 dropped     2 partial   1  partial

That depends on arrivals alone. Only offsets are kept; policies say when scans begin.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.conditions import ALWAYS, holds
from runtime.engines.kernels.digest import result_hash
from runtime.engines.kernels.scan import matches
from runtime.engines.shared_schedule.kernel.types import COMPARISONS, EXPIRY_CHECKS, INSERTS

_ONE = np.uint64(1)


@njit(inline="always")
def _within(ts, warmup, end):
    """A time, moved into the measured span."""
    return min(max(ts, warmup), max(warmup, end))


@njit(cache=True, nogil=True)
def link_stored(arrived, line, cursor):
    """Link the stored tuples of each bucket, newest to oldest."""
    for i in range(2):
        for place in range(cursor.heads[i, 0], cursor.position[1 + i]):
            g = arrived.bucket[line.tuple_at[place]]
            line.older[place] = cursor.newest[i, g]
            cursor.newest[i, g] = place


# One long loop on purpose: a call inside it that takes arrays counts references, at half the speed.
@njit(cache=True, nogil=True)
def scan(  # noqa: C901
    arrived, line, cursor, predicates, windows, unit_costs, classes, span, outers, used, counts,
    found_counts, held, most_rows,
):  # fmt: skip
    """Let tuples arrive until all have, or until `outers` has no room for one more.

    `unit_costs` are picoseconds per comparison and output; `used` has how many outers and offsets
    there are. Adds to `counts`, `found_counts` and `held` (tuple-microseconds; batches take the
    time of what is stored off first). Returns results where they are kept: both members and the
    partial window. Where more than `most_rows` are to be kept, it stops; at 0 none are kept.
    """
    keep_results = most_rows > 0
    side, bucket, key, now, ts, hashes, turned, keys, values, bits = arrived
    tuple_at, line_keys, own, hash_at, turned_at, older = line
    position, heads, dropped, newest = cursor
    keyed, hashed, others, left, right, comparison, offset_of = predicates
    first, second, since, wanted, both = classes
    warmup, end = span
    outer_ts, outer_side, outer_dropped, spent, found, offsets_sum, start, offsets = outers
    results, counted_results, checks, digests = found_counts
    compare, output = unit_costs[0], unit_costs[1]

    widest = len(windows)
    number = len(first)
    checked = len(others) > 0 or len(left) > 0
    tails = position[1:]
    most = max(tails[0] - heads[0, widest], tails[1] - heads[1, widest]) + len(ts) - position[0]
    place_of = np.empty(most + 1, np.int64)
    nth_of = np.empty(most + 1 if hashed else 0, np.int64)
    examined = np.zeros(widest + 1, np.int64)
    # Of every match: the stored tuple, its partial window, and hashes where classes need them.
    inner = np.empty(most + 1, np.int64)
    part_of = np.empty(most + 1, np.int64)
    one_of = np.empty(most + 1 if number > 1 else 0, np.uint64)
    other_of = np.empty(most + 1 if number > 1 else 0, np.uint64)
    kept = np.empty((1024 if keep_results else 0, 3), np.int64)
    rows = 0
    waited = np.int64(0)

    while position[0] < len(ts) and used[0] < len(outer_ts):
        if keep_results and rows > most_rows:
            break
        k = position[0]
        i = side[k]
        o = 1 - i
        n = used[0]
        base = used[1]
        tail = tails[o]
        for p in range(1, widest):
            head = heads[o, p]
            while head < tail and now[k] - own[head] >= windows[p - 1]:
                head += 1
            heads[o, p] = head
        old_head = heads[o, widest]
        head = old_head
        while head < tail and now[k] - own[head] >= windows[widest - 1]:
            head += 1
        heads[o, 0] = tail

        # --- candidates, newest first, and comparisons by partial window
        fitting = tail - head
        if hashed:
            fitting = 0
            total = 0
            p = 1
            examined[:] = 0
            place = newest[o, bucket[k]]
            # Nothing is ever unlinked: what stands ahead of the head was dropped.
            while place >= head:
                while p < widest and place < heads[o, p]:
                    p += 1
                examined[p] += 1
                total += 1
                if line_keys[place] == key[k]:
                    place_of[fitting] = place
                    nth_of[fitting] = examined[p]
                    fitting += 1
                place = older[place]
        elif keyed:
            fitting = matches(line_keys, head, tail, key[k], place_of, 0)
        if base + fitting * number > len(offsets):
            break

        counted = np.int64(ts[k] >= warmup)
        counts[EXPIRY_CHECKS] += counted * (head - old_head + np.int64(head < tail))
        waited += (head - old_head) * _within(ts[k], warmup, end)
        heads[o, widest] = head
        dropped[o] += head - old_head

        # --- matches of all, which are the first class
        p = 1
        inside = np.int64(0)
        count = 0
        inside_sum = np.int64(0)
        for x in range(fitting):
            if hashed:
                place = place_of[x]
            elif keyed:
                place = place_of[fitting - 1 - x]
            else:
                place = tail - 1 - x
            if checked:
                u = tuple_at[place]
                a, b = (u, k) if o == 0 else (k, u)
                fits = True
                for c in range(len(others)):
                    fits = fits and keys[a, others[c]] == keys[b, others[c]]
                for c in range(len(left)):
                    if fits:
                        fits = holds(
                            comparison[c], values[a, left[c]], values[b, right[c]] + offset_of[c]
                        )
                if not fits:
                    continue
            while place < heads[o, p]:
                found[n, 0, p] = count
                offsets_sum[n, 0, p] = inside_sum
                inside = 0
                inside_sum = 0
                p += 1
            nth = nth_of[x] if hashed else heads[o, p - 1] - place
            inside += 1
            offset = (nth * compare + inside * output) // 1000
            offsets[base + count] = offset
            inside_sum += offset
            one = result_hash(hashes[k] ^ hash_at[place])
            digests[0, p, 0] += one
            if both:
                other = result_hash(turned[k] ^ turned_at[place])
                digests[0, p, 1] += other
                if number > 1:
                    other_of[count] = other
            if number > 1:
                one_of[count] = one
            if number > 1 or keep_results:
                inner[count] = tuple_at[place]
                part_of[count] = p
            count += 1
        for q in range(p, widest + 1):
            found[n, 0, q] = count
            offsets_sum[n, 0, q] = inside_sum if q == p else 0
        found[n, 0, 0] = 0
        start[n, 0] = base
        base += count

        # --- what each other class has of them
        for f in range(1, number):
            start[n, f] = base
            found[n, f, :] = 0
            offsets_sum[n, f, :] = 0
            for x in range(count):
                u = inner[x]
                p = part_of[x]
                if p > wanted[f]:
                    break
                a, b = (u, k) if o == 0 else (k, u)
                fits = True
                if since[f] > ALWAYS:
                    # Its query entered while the run was going: u may have come before.
                    checks[f, p] += counted
                    fits = ts[u] >= since[f]
                c = first[f]
                if fits and c >= 0:
                    checks[f, p] += counted
                    fits = (bits[a, c >> 6] >> np.uint64(c & 63)) & _ONE != 0
                c = second[f]
                if fits and c >= 0:
                    checks[f, p] += counted
                    fits = (bits[b, c >> 6] >> np.uint64(c & 63)) & _ONE != 0
                if fits:
                    offset = offsets[start[n, 0] + x]
                    offsets[base] = offset
                    base += 1
                    found[n, f, p] += 1
                    offsets_sum[n, f, p] += offset
                    digests[f, p, 0] += one_of[x]
                    if both:
                        digests[f, p, 1] += other_of[x]
            for p in range(1, widest + 1):
                found[n, f, p] += found[n, f, p - 1]

        # --- times and counts
        spent[n, 0] = 0
        for p in range(1, widest + 1):
            if not hashed:
                examined[p] = heads[o, p - 1] - heads[o, p]
            counts[COMPARISONS] += counted * examined[p]
            work = examined[p] * compare + (found[n, 0, p] - found[n, 0, p - 1]) * output
            spent[n, p] = spent[n, p - 1] + work // 1000
            for f in range(number):
                here = found[n, f, p] - found[n, f, p - 1]
                results[f, p] += here
                counted_results[f, p] += counted * here
        outer_ts[n] = ts[k] * 1000
        outer_side[n] = i
        outer_dropped[n] = dropped[o]
        used[0] += 1
        used[1] = base
        if keep_results:
            if rows + count > len(kept):
                larger = np.empty((max(2 * len(kept), rows + count), 3), np.int64)
                larger[:rows] = kept[:rows]
                kept = larger
            for x in range(count):
                kept[rows, 0] = inner[x] if o == 0 else k
                kept[rows, 1] = k if o == 0 else inner[x]
                kept[rows, 2] = part_of[x]
                rows += 1

        # --- k is stored
        if hashed:
            older[tails[i]] = newest[i, bucket[k]]
            newest[i, bucket[k]] = tails[i]
        tails[i] += 1
        counts[INSERTS] += counted
        waited -= _within(ts[k], warmup, end)
        position[0] += 1

    held[0] += waited
    return kept[:rows]
