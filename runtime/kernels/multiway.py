"""The eager multi-way join: an arriving tuple probes the other windows in its order.

Nested loops and hashing are one kernel: a window that is scanned whole has one bucket. Counters are
logical: under fragment and replicate every partition stores all tuples, and each tuple is counted
in the one partition whose turn it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from runtime.kernels.digest import result_hash, tuple_hashes
from runtime.kernels.scan import matches
from runtime.kernels.windows import Tuples, bucket_of, lay_out


class Join(NamedTuple):
    """What is joined and how: one entry per source in FROM order; times in microseconds.

    `orders[i]` lists the sources that a tuple of source i probes. Counting covers arrivals from
    `warmup` on; `end` closes the span over which state is averaged. `shares` and `share` say which
    tuples this partition counts under fragment and replicate (one share: all of them).
    """

    window: np.ndarray
    buckets: np.ndarray
    orders: np.ndarray
    warmup: int
    end: int
    shares: int
    share: int


class Counters(NamedTuple):
    """Counts of work: per origin and loop level, or per window. `held` is in tuple-microseconds."""

    comparisons: np.ndarray
    matches: np.ndarray
    arrivals: np.ndarray
    inserts: np.ndarray
    expirations: np.ndarray
    held: np.ndarray
    replicas: np.ndarray

    @classmethod
    def zero(cls, sources: int) -> Counters:
        """Nothing counted yet."""
        by_level = (sources, sources - 1)
        shapes = (by_level, by_level, sources, sources, sources, sources, sources)
        return cls(*(np.zeros(shape, np.int64) for shape in shapes))


class Outcome(NamedTuple):
    """What a batch produced, and the tuples that stay in the windows after it.

    A row of `rows` holds the seq of each member in FROM order, and the result's time.
    """

    results: int
    digest: int
    rows: np.ndarray
    stay: Tuples


def join_batch(
    join: Join,
    stay: Tuples,
    arriving: Tuples,
    counters: Counters,
    until: int,
    last: bool,
    keep_results: bool,
) -> Outcome:
    """Join the arriving tuples with the windows; `until` is the time that the batch reaches.

    All windows are expired up to `until` at the end, whichever tuples this partition was given, so
    that counts do not depend on how tuples are split into partitions and batches.
    """
    seen = stay.followed_by(arriving)
    results, digest, rows, staying = _join(
        join,
        seen,
        len(stay.ts),
        tuple_hashes(seen.source, seen.seq),
        counters,
        until,
        last,
        keep_results,
    )
    return Outcome(results, int(digest), rows, seen.take(staying))


@njit(inline="always")
def _held(ts, window, warmup, end):
    """How long a tuple stood in its window within the measured span."""
    return max(0, min(ts + window, end) - max(ts, warmup))


@njit(cache=True, nogil=True)
def _join(join, seen, old, hashes, counters, until, last, keep_results):
    """Returns the number of results, their digest, their seqs if kept, and who stays.

    Arrays are taken out of their tuples first: inside the loops that would count references.
    """
    source, ts, seq, keys_in = seen
    window, buckets, orders, warmup, end, shares, share = join
    comparisons, matched, arrivals, inserts, expirations, held, replicas = counters
    layout = lay_out(source, keys_in, buckets)
    first, bucket, keys, tuple_at = layout.first, layout.bucket, layout.keys, layout.tuple_at
    queue = layout.queue
    queue_ts = ts[queue]
    hash_at = hashes[tuple_at]
    mine = hashes % np.uint64(shares) == np.uint64(share)

    sources = len(window)
    levels = sources - 1
    head = layout.start[:-1].copy()
    tail = layout.start[:-1].copy()
    queue_head = layout.queue_start[:-1].copy()
    queue_tail = layout.queue_start[:-1].copy()
    for a in range(old):
        tail[bucket[a]] += 1
        queue_tail[source[a]] += 1

    widest = np.max(np.diff(layout.start))
    found = np.empty(levels * widest, np.int64)
    count = np.zeros(levels, np.int64)
    following = np.zeros(levels, np.int64)
    target = np.zeros(levels, np.int64)
    prefix = np.zeros(levels, np.uint64)
    chosen = np.zeros(sources + 1, np.int64)
    rows = np.empty((1024 if keep_results else 0, sources + 1), np.int64)
    results = 0
    digest = np.uint64(0)

    # One turn more than there are arrivals: the last one only expires, up to `until`.
    for a in range(old, len(ts) + 1):
        arriving = a < len(ts)
        now = ts[a] if arriving else until
        counted = np.int64(mine[a] and now >= warmup) if arriving else np.int64(0)
        for j in range(sources):
            oldest = queue_head[j]
            youngest = queue_tail[j]
            while oldest < youngest and now - queue_ts[oldest] >= window[j]:
                b = queue[oldest]
                head[bucket[b]] += 1
                if mine[b]:
                    # Counted at the instant the tuple leaves its window, not at the arrival that
                    # finds it gone: partitions see different arrivals, yet their counts add up.
                    if ts[b] + window[j] >= warmup:
                        expirations[j] += 1 if buckets[j] == 1 else 2
                    held[j] += _held(ts[b], window[j], warmup, end)
                oldest += 1
            queue_head[j] = oldest
            expirations[j] += counted
        if not arriving:
            break
        i = source[a]
        tail[bucket[a]] += 1
        queue_tail[i] += 1
        if not mine[a]:
            replicas[i] += np.int64(now >= warmup)
            continue
        inserts[i] += counted
        arrivals[i] += counted
        key = keys_in[a]
        for step in range(levels):
            j = orders[i, step]
            target[step] = first[j] + bucket_of(key, buckets[j])
        chosen[i] = seq[a]
        chosen[sources] = now
        prefix[0] = hashes[a]
        level = 0
        while level >= 0:
            g = target[level]
            base = level * widest
            hits = matches(keys, head[g], tail[g], key, found, base)
            comparisons[i, level] += counted * (tail[g] - head[g])
            matched[i, level] += counted * hits
            if level == levels - 1:
                members = prefix[level]
                for hit in range(base, base + hits):
                    digest += result_hash(members ^ hash_at[found[hit]])
                if keep_results:
                    while results + hits > len(rows):
                        rows = np.concatenate((rows, np.empty_like(rows)))
                    for hit in range(hits):
                        b = tuple_at[found[base + hit]]
                        chosen[source[b]] = seq[b]
                        rows[results + hit] = chosen
                results += hits
                level -= 1
            else:
                count[level] = base + hits
                following[level] = base
            # Back to the innermost loop that has a match left, and down again from there.
            while level >= 0 and following[level] == count[level]:
                level -= 1
            if level >= 0:
                place = found[following[level]]
                following[level] += 1
                prefix[level + 1] = prefix[level] ^ hash_at[place]
                if keep_results:
                    b = tuple_at[place]
                    chosen[source[b]] = seq[b]
                level += 1

    stays = np.zeros(len(ts), np.bool_)
    for j in range(sources):
        for q in range(queue_head[j], queue_tail[j]):
            a = queue[q]
            stays[a] = True
            if last and mine[a]:
                held[j] += _held(ts[a], window[j], warmup, end)
    return results, digest, rows[:results], stays
