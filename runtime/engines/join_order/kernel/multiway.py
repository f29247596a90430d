"""The eager multi-way join: an arriving tuple probes the other windows in its order.

Nested loops and hashing are one kernel: a window that is scanned whole has one bucket. Counters are
logical: under fragment and replicate every partition stores all tuples, and each tuple is counted
in the one partition whose turn it is.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit

from runtime.engines.kernels.digest import result_hash, tuple_hashes
from runtime.engines.kernels.scan import matches
from runtime.engines.kernels.windows import Tuples, bucket_of, lay_out


class JoinSpec(NamedTuple):
    """What is joined and how: one entry per source in FROM order; times in microseconds.

    `orders[i]` lists the sources that a tuple of source i probes, `checks[i]` how many checks are
    made when one leaves its window. Counting covers arrivals from `warmup` on; `end` closes the
    span over which state is averaged. `shares` and `share` say which tuples this partition counts
    under fragment and replicate (one share: all of them).
    """

    window: np.ndarray
    buckets: np.ndarray
    checks: np.ndarray
    orders: np.ndarray
    warmup: int
    end: int
    shares: int
    share: int


class Counters(NamedTuple):
    """Counts of work: per origin and loop level, or per window. `held` is in tuple-microseconds.

    It alone is a float: exact up to 2^53, and long windows of many tuples would overflow an int64.
    """

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
        zeros = cls(*(np.zeros(shape, np.int64) for shape in shapes))
        return zeros._replace(held=np.zeros(sources, np.float64))


class MultiwayOutcome(NamedTuple):
    """What a batch produced, and the tuples that stay in the windows after it.

    A row of `rows` holds the seq of each member in FROM order, and the result's time.
    """

    results: int
    digest: int
    rows: np.ndarray
    stay: Tuples


def join_batch(
    join: JoinSpec,
    stay: Tuples,
    arriving: Tuples,
    counters: Counters,
    until: int,
    last: bool,
    most_rows: int,
) -> MultiwayOutcome:
    """Join the arriving tuples with the windows; `until` is the time that the batch reaches.

    All windows are expired up to `until` at the end, whichever tuples this partition was given, so
    that counts do not depend on how tuples are split into partitions and batches. Up to `most_rows`
    results are kept: none at 0.
    """
    seen = stay.followed_by(arriving)
    layout = lay_out(seen.source, seen.key, join.buckets)
    hashes = tuple_hashes(seen.source, seen.seq)
    mine = hashes % np.uint64(join.shares) == np.uint64(join.share)
    results, digest, rows, stays = _join(
        join,
        seen,
        len(stay.ts),
        layout,
        hashes,
        hashes[layout.tuple_at],
        seen.ts[layout.queue],
        mine,
        counters,
        until,
        last,
        most_rows,
    )
    return MultiwayOutcome(results, int(digest), rows, seen.take(stays))


@cache
def load_kernels() -> None:
    """Compile the kernels for their one set of types, or load them; only the first call works."""
    one = np.ones(2, np.int64)
    join = JoinSpec(one, one, one, np.array([[1], [0]], np.int64), 0, 1, 1, 0)
    none = Tuples.empty()
    join_batch(join, none, none, Counters.zero(2), 0, last=True, most_rows=1)


@njit(inline="always")
def _held(ts, window, warmup, end):
    """How long a tuple stood in its window within the measured span."""
    return max(0, min(ts + window, end) - max(ts, warmup))


@njit(nogil=True)
def _grown(rows, used, more):
    """`rows` with room for so many more, twice as large if need be."""
    if used + more <= len(rows):
        return rows
    larger = np.empty((max(2 * len(rows), used + more), rows.shape[1]), np.int64)
    larger[:used] = rows[:used]
    return larger


# One long loop on purpose: a call inside it that takes arrays counts references, at half the speed.
@njit(cache=True, nogil=True)
def _join(  # noqa: C901
    join, seen, old, layout, hashes, hash_at, queue_ts, mine, counters, until, last, most_rows
):
    """Returns the number of results, their digest, their rows if kept, and who stays.

    Arrays are taken out of their tuples first: inside the loops that would count references.
    """
    keep_results = most_rows > 0
    full = False
    source, ts, seq, key_of = seen
    window, buckets, checks, orders, warmup, end, _shares, _share = join
    comparisons, matched, arrivals, inserts, expirations, held, replicas = counters
    first, bucket, start, keys, tuple_at, queue, queue_start = layout

    sources = len(window)
    levels = sources - 1
    head = start[:-1].copy()
    tail = start[:-1].copy()
    queue_head = queue_start[:-1].copy()
    queue_tail = queue_start[:-1].copy()
    for a in range(old):
        tail[bucket[a]] += 1
        queue_tail[source[a]] += 1

    widest = 0
    for g in range(len(start) - 1):
        widest = max(widest, start[g + 1] - start[g])
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
                        expirations[j] += checks[j]
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
        key = key_of[a]
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
                    rows = _grown(rows, results, hits)
                    for hit in range(hits):
                        b = tuple_at[found[base + hit]]
                        chosen[source[b]] = seq[b]
                        rows[results + hit] = chosen
                results += hits
                full = keep_results and results > most_rows
                if full:
                    break
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
        if full:
            break

    stays = np.zeros(len(ts), np.bool_)
    for j in range(sources):
        for q in range(queue_head[j], queue_tail[j]):
            a = queue[q]
            stays[a] = True
            if last and mine[a]:
                held[j] += _held(ts[a], window[j], warmup, end)
    return results, digest, rows[:results], stays
