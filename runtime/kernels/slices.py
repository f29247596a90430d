"""A sliced window join: one slice of a chain is given the queue of the one before it.

Each arriving tuple passes along a chain as a female, which is stored, and as a male, which purges
and probes the other side and goes on to the next slice. A micro-batch is run slice after slice; a
queue keeps the arrival order, by bucket where slices are hashed: a bucket is a chain of its own.
A regular join is a slice that starts at 0 and is followed by none.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.kernels.digest import result_hash
from runtime.kernels.loop_evaluation import holds
from runtime.kernels.scan import PADDING, matches
from runtime.kernels.slice_types import (
    ALWAYS,
    FOUND,
    INSERTS,
    LOOKS,
    PASSED,
    PROBES,
    PURGES,
    REPLICAS,
    ROUTED,
    ROUTES,
    Found,
    Members,
    Passage,
    Predicates,
    Slice,
    Span,
)

_ONE = np.uint64(1)


def run_slice(
    members: Members,
    predicates: Predicates,
    piece: Slice,
    span: Span,
    before: Passage,
    counts: np.ndarray,
    selects: np.ndarray,
    held: np.ndarray,
    begun: int,
    until: int,
    keep_results: bool,
) -> tuple[Found, Passage]:
    """Run a batch through a slice; `before` has what it stores, and the queue that it is given.

    Adds to `counts`, to `selects` (per pair: looks and passes), and to `held`, in tuple-µs from
    `begun`, when the last batch ended, to `until`, when this one does.
    """
    segments = int(piece.inside.sum()) + 2
    pairs = len(piece.wanted[0])
    results = np.zeros((segments, pairs), np.int64)
    counted = np.zeros((segments, pairs), np.int64)
    digests = np.zeros((segments, pairs, 2), np.uint64)
    kept, passage, waited = _run(
        members,
        predicates,
        piece,
        span,
        before,
        counts,
        selects,
        results,
        counted,
        digests,
        begun,
        until,
        keep_results,
    )
    held += waited
    return Found(results, counted, digests, kept), passage


@njit(inline="always")
def _within(ts, warmup, end):
    """A time, moved into the measured span."""
    return min(max(ts, warmup), max(warmup, end))


# One long loop on purpose: a call inside it that takes arrays counts references, at half the speed.
@njit(cache=True, nogil=True)
def _run(  # noqa: C901
    members, predicates, piece, span, before, counts, selects, results, counted_results, digests,
    begun, until, keep_results,
):  # fmt: skip
    """Returns the results where they are kept, what the slice leaves behind, and tuple-µs held."""
    side, bucket, key, own, now, ts, mine, survival, reach = members[:9]
    hashes, turned, keys, values, bits = members[9:]
    keyed, others, left, right, comparison, offset = predicates
    ends, following, windows, inside, whole, conditions, wanted, since = piece
    warmup, end = span
    stored_first, stored_second, events, causes = before
    pairs = wanted.shape[1]

    # Both sides in one array: a bucket's tuples stand one after another, oldest first.
    room = np.zeros(2, np.int64)
    room[0] = len(stored_first)
    room[1] = len(stored_second)
    for e in range(len(events)):
        if events[e] % 2 == 0:
            room[side[events[e] // 2]] += 1
    base = room[0] + PADDING
    line = np.empty(base + room[1] + PADDING, np.int64)
    line_key = np.zeros(base + room[1] + PADDING, np.int32)
    head = np.array([0, base])
    tail = np.array([0, base])
    found = np.empty(max(room[0], room[1]) + 1, np.int64)
    stay_first = np.empty(room[0], np.int64)
    stay_second = np.empty(room[1], np.int64)
    stays = np.zeros(2, np.int64)
    most = len(stored_first) + len(stored_second) + len(events)
    next_events = np.empty(most, np.int64)
    next_causes = np.empty(most, np.int64)
    sent = 0
    kept = np.empty((1024 if keep_results else 0, 4), np.int64)
    rows = 0
    # Entering takes the time off, leaving adds it: no tuple's time of entering need be kept.
    entered = _within(begun, warmup, end)
    waited = np.int64(0)

    at_first, at_second, at_event = 0, 0, 0
    while at_first < len(stored_first) or at_second < len(stored_second) or at_event < len(events):
        here = np.int64(2**62)
        if at_first < len(stored_first):
            here = min(here, bucket[stored_first[at_first]])
        if at_second < len(stored_second):
            here = min(here, bucket[stored_second[at_second]])
        if at_event < len(events):
            here = min(here, bucket[events[at_event] // 2])
        head[0] = tail[0]
        head[1] = tail[1]
        while at_first < len(stored_first) and bucket[stored_first[at_first]] == here:
            u = stored_first[at_first]
            line[tail[0]] = u
            line_key[tail[0]] = key[u]
            tail[0] += 1
            waited -= np.int64(mine[u]) * entered
            at_first += 1
        while at_second < len(stored_second) and bucket[stored_second[at_second]] == here:
            u = stored_second[at_second]
            line[tail[1]] = u
            line_key[tail[1]] = key[u]
            tail[1] += 1
            waited -= np.int64(mine[u]) * entered
            at_second += 1

        while at_event < len(events) and bucket[events[at_event] // 2] == here:
            k = events[at_event] // 2
            male = events[at_event] % 2 == 1
            cause = causes[at_event]
            time = ts[cause]
            at_event += 1
            if not male:
                i = side[k]
                line[tail[i]] = k
                line_key[tail[i]] = key[k]
                tail[i] += 1
                if mine[k]:
                    counts[INSERTS] += np.int64(time >= warmup)
                    waited -= _within(time, warmup, end)
                else:
                    counts[REPLICAS] += np.int64(time >= warmup)
                continue
            counted = np.int64(mine[k] and time >= warmup)
            o = 1 - side[k]
            while head[o] < tail[o]:
                counts[PURGES] += counted
                u = line[head[o]]
                if now[k] - own[u] < ends[o]:
                    break
                head[o] += 1
                waited += np.int64(mine[u]) * _within(time, warmup, end)
                if survival[u] > following:
                    next_events[sent] = 2 * u
                    next_causes[sent] = k
                    sent += 1
            if mine[k]:
                counts[PROBES] += counted * (tail[o] - head[o])
                examined = tail[o] - head[o]
                if keyed:
                    examined = matches(line_key, head[o], tail[o], key[k], found, 0)
                for n in range(examined):
                    u = line[found[n]] if keyed else line[head[o] + n]
                    a, b = (u, k) if o == 0 else (k, u)
                    fits = True
                    for c in range(len(others)):
                        fits = fits and keys[a, others[c]] == keys[b, others[c]]
                    for c in range(len(left)):
                        if fits:
                            fits = holds(
                                comparison[c], values[a, left[c]], values[b, right[c]] + offset[c]
                            )
                    if not fits:
                        continue
                    counts[FOUND] += counted
                    age = now[k] - own[u]
                    segment = 0
                    for w in range(inside[o]):
                        segment += np.int64(age >= windows[o, w])
                    counts[ROUTES] += counted * inside[o]
                    counts[ROUTED] += counted * (inside[o] - segment + whole[o])
                    one = result_hash(hashes[a] ^ hashes[b])
                    other = result_hash(turned[a] ^ turned[b])
                    row = segment + o * (inside[0] + 1)
                    for p in range(pairs):
                        if segment >= wanted[o, p]:
                            continue
                        fits = True
                        if since[p] > ALWAYS:
                            # Its query entered while the run was going: u may have come before.
                            selects[p, LOOKS] += counted
                            fits = ts[u] >= since[p]
                        c = conditions[0, p]
                        if fits and c >= 0:
                            selects[p, LOOKS] += counted
                            fits = (bits[a, c >> 6] >> np.uint64(c & 63)) & _ONE != 0
                        c = conditions[1, p]
                        if fits and c >= 0:
                            selects[p, LOOKS] += counted
                            fits = (bits[b, c >> 6] >> np.uint64(c & 63)) & _ONE != 0
                        if fits:
                            selects[p, PASSED] += counted
                            results[row, p] += 1
                            counted_results[row, p] += counted
                            digests[row, p, 0] += one
                            digests[row, p, 1] += other
                    if keep_results:
                        if rows == len(kept):
                            larger = np.empty((2 * len(kept), 4), np.int64)
                            larger[:rows] = kept
                            kept = larger
                        kept[rows, 0] = a
                        kept[rows, 1] = b
                        kept[rows, 2] = o
                        kept[rows, 3] = segment
                        rows += 1
            if reach[k] > following:
                next_events[sent] = 2 * k + 1
                next_causes[sent] = k
                sent += 1

        for i in range(2):
            for place in range(head[i], tail[i]):
                u = line[place]
                waited += np.int64(mine[u]) * _within(until, warmup, end)
                if i == 0:
                    stay_first[stays[0]] = u
                else:
                    stay_second[stays[1]] = u
                stays[i] += 1

    passage = Passage(
        stay_first[: stays[0]], stay_second[: stays[1]], next_events[:sent], next_causes[:sent]
    )
    return kept[:rows], passage, waited
