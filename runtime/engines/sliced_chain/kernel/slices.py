"""A sliced window join: one slice of a chain is given the queue of the one before it.

Each arriving tuple passes along a chain as a female, which is stored, and as a male, which purges
and probes the other side and goes on to the next slice. A micro-batch is run slice after slice;
queues keep the arrival order. What is stored is purged in that order too; where slices are hashed,
tuples of a bucket are linked for probes. A regular join is a slice that starts at 0 and is followed
by none.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.conditions import ALWAYS, Predicates, holds
from runtime.engines.kernels.digest import result_hash
from runtime.engines.kernels.scan import PADDING, matches
from runtime.engines.sliced_chain.kernel.types import (
    FOUND,
    INSERTS,
    LOOKS,
    PASSED,
    PROBES,
    PURGES,
    REPLICAS,
    ROUTED,
    ROUTES,
    Members,
    Passage,
    Slice,
    SliceResults,
    SliceSpan,
)

_ONE = np.uint64(1)
_NOWHERE = -1


def run_slice(
    members: Members,
    predicates: Predicates,
    piece: Slice,
    span: SliceSpan,
    before: Passage,
    counts: np.ndarray,
    selects: np.ndarray,
    held: np.ndarray,
    newest: np.ndarray,
    begun: int,
    until: int,
    most_rows: int,
) -> tuple[SliceResults, Passage]:
    """Run a batch through a slice; `before` has what it stores, and the queue that it is given.

    Adds to `counts`, to `selects` (per pair: looks and passes), and to `held`, in tuple-µs from
    `begun`, when the last batch ended, to `until`, when this one does. `newest` has room for every
    side and bucket where slices are hashed; it is given, and left, as `no_newest` made it. Where
    more than `most_rows` results are to be kept, it stops; at 0 none are kept.
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
        newest,
        begun,
        until,
        most_rows,
    )
    held += waited
    return SliceResults(results, counted, digests, kept), passage


def no_newest(buckets: int) -> np.ndarray:
    """By side and bucket where the newest stored tuple stands: nowhere."""
    return np.full((2, buckets), _NOWHERE, np.int64)


@njit(inline="always")
def _within(ts, warmup, end):
    """A time, moved into the measured span."""
    return min(max(ts, warmup), max(warmup, end))


# One long loop on purpose: a call inside it that takes arrays counts references, at half the speed.
@njit(cache=True, nogil=True)
def _run(  # noqa: C901
    members, predicates, piece, span, before, counts, selects, results, counted_results, digests,
    newest, begun, until, most_rows,
):  # fmt: skip
    """Returns the results where they are kept, what the slice leaves behind, and tuple-µs held."""
    keep_results = most_rows > 0
    side, bucket, key, own, now, ts, mine, survival, reach = members[:9]
    hashes, turned, keys, values, bits = members[9:]
    keyed, hashed, others, left, right, comparison, offset = predicates
    ends, following, windows, inside, whole, conditions, wanted, since = piece
    warmup, end = span
    stored_first, stored_second, events, causes = before
    pairs = wanted.shape[1]

    # Both sides in one array, each oldest first: purges move its head on, inserts its tail.
    room = np.zeros(2, np.int64)
    room[0] = len(stored_first)
    room[1] = len(stored_second)
    for e in range(len(events)):
        if events[e] % 2 == 0:
            room[side[events[e] // 2]] += 1
    base = room[0] + PADDING
    line = np.empty(base + room[1] + PADDING, np.int64)
    line_key = np.zeros(base + room[1] + PADDING, np.int32)
    # The place of the tuple that was stored before this one in its bucket.
    older = np.empty(len(line) if hashed else 0, np.int64)
    head = np.array([0, base])
    tail = np.array([0, base])
    found = np.empty(max(room[0], room[1]) + 1, np.int64)
    most = len(stored_first) + len(stored_second) + len(events)
    next_events = np.empty(most, np.int64)
    next_causes = np.empty(most, np.int64)
    sent = 0
    kept = np.empty((1024 if keep_results else 0, 4), np.int64)
    rows = 0
    # Entering takes the time off, leaving adds it: no tuple's time of entering need be kept.
    entered = _within(begun, warmup, end)
    waited = np.int64(0)

    for i in range(2):
        stored = stored_first if i == 0 else stored_second
        for u in stored:
            line[tail[i]] = u
            line_key[tail[i]] = key[u]
            if hashed:
                older[tail[i]] = newest[i, bucket[u]]
                newest[i, bucket[u]] = tail[i]
            tail[i] += 1
            waited -= np.int64(mine[u]) * entered

    for e in range(len(events)):
        if keep_results and rows > most_rows:
            break
        k = events[e] // 2
        male = events[e] % 2 == 1
        time = ts[causes[e]]
        if not male:
            i = side[k]
            line[tail[i]] = k
            line_key[tail[i]] = key[k]
            if hashed:
                older[tail[i]] = newest[i, bucket[k]]
                newest[i, bucket[k]] = tail[i]
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
            examined = tail[o] - head[o]
            fitting = examined
            if hashed:
                examined, fitting = 0, 0
                place = newest[o, bucket[k]]
                # Nothing is ever unlinked: what stands ahead of the head was purged.
                while place >= head[o]:
                    examined += 1
                    if line_key[place] == key[k]:
                        found[fitting] = place
                        fitting += 1
                    place = older[place]
            elif keyed:
                fitting = matches(line_key, head[o], tail[o], key[k], found, 0)
            counts[PROBES] += counted * examined
            for n in range(fitting):
                # Oldest first, as a scan finds them.
                if hashed:
                    u = line[found[fitting - 1 - n]]
                elif keyed:
                    u = line[found[n]]
                else:
                    u = line[head[o] + n]
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
                taken = False
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
                        taken = True
                        selects[p, PASSED] += counted
                        results[row, p] += 1
                        counted_results[row, p] += counted
                        digests[row, p, 0] += one
                        digests[row, p, 1] += other
                if keep_results and taken:
                    if rows == len(kept):
                        larger = np.empty((2 * len(kept), 4), np.int64)
                        larger[:rows] = kept
                        kept = larger
                    kept[rows, 0] = a
                    kept[rows, 1] = b
                    kept[rows, 2] = o
                    kept[rows, 3] = segment
                    rows += 1
                    if rows > most_rows:
                        break
        if reach[k] > following:
            next_events[sent] = 2 * k + 1
            next_causes[sent] = k
            sent += 1

    for i in range(2):
        for place in range(head[i], tail[i]):
            waited += np.int64(mine[line[place]]) * _within(until, warmup, end)
        if hashed:
            for place in range(i * base, tail[i]):
                newest[i, bucket[line[place]]] = _NOWHERE

    passage = Passage(
        line[head[0] : tail[0]].copy(),
        line[head[1] : tail[1]].copy(),
        next_events[:sent],
        next_causes[:sent],
    )
    return kept[:rows], passage, waited
