"""A star join under a memory bound, instant by instant: one stateful loop over its arrivals.

An instant is all tuples of one time: (1) what has expired or lost its last row leaves, (2) arrivals
are admitted or shed, (3) every arrival probes what remains, and (4) the admitted ones are stored.
The processor serves instants in order, each as of its own time; those that come meanwhile wait.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.load_shedding.kernel.choosing import choose, learn, store
from runtime.engines.load_shedding.kernel.keep import admit, kept_of, show
from runtime.engines.load_shedding.kernel.leaving import (
    count_end,
    count_row,
    count_stored,
    drop_unmatched,
    expire,
)
from runtime.engines.load_shedding.kernel.probe import collect, combine, found_of, more_nodes
from runtime.engines.load_shedding.kernel.relation import (
    begin_row,
    end_row,
    facts_of,
    look_up,
)
from runtime.engines.load_shedding.kernel.types import (
    DROPPED,
    EXPECTED,
    IMPORTANCE,
    IMPORTANCE_BASE,
    NEVER,
    Fresh,
    Learned,
    ShedCounters,
    SheddingArrivals,
    SheddingOutcome,
    StarShape,
)
from runtime.engines.load_shedding.kernel.waiting import arrive, begin_serving

_NODES = 1024


def star_batch(
    shape: StarShape,
    stay: SheddingArrivals,
    priority: np.ndarray,
    since: np.ndarray,
    moments: np.ndarray,
    waiting: SheddingArrivals,
    arriving: SheddingArrivals,
    learned: Learned,
    counters: ShedCounters,
    last: bool,
    most_rows: int,
) -> SheddingOutcome:
    """Join the waiting and the arriving tuples, which end with a whole instant, with those that
    stayed before.

    Up to `most_rows` results are kept: none at 0.
    """
    seen = stay.followed_by(waiting).followed_by(arriving)
    old, arms = len(stay.ts), len(shape.place)
    hashes = tuple_hashes(seen.source, seen.seq)
    arm = shape.arm_of[seen.source]
    of_relation = np.flatnonzero(arm < 0)
    if shape.implicit:
        # A row that only stands for a key is no member of a result.
        hashes[of_relation] = 0
    row_of = np.full(len(seen.ts), -1, np.int64)
    row_of[of_relation] = np.arange(len(of_relation))
    ending = np.argsort(seen.until[of_relation], kind="stable")
    ending = ending[seen.until[of_relation][ending] < NEVER]
    most = max((np.count_nonzero(arm == a) for a in range(arms)), default=0)
    facts = facts_of(shape, of_relation, seen.keys[of_relation], seen.ts[of_relation])
    kept = kept_of(arms, min(most, int(shape.room.max())), moments.shape[1:])
    found = found_of(
        arms, int(shape.codes.max()), len(of_relation), _NODES, len(shape.amount_source)
    )
    fresh = Fresh(*(np.zeros(len(seen.ts) - old, kind) for kind in ("i8", "f8", "i8", "i8")))
    results, digest, rows, rows_stay, served = _run(
        shape, seen, old, old + len(waiting.ts), hashes, arm, row_of, ending, facts, kept, found,
        fresh, learned, counters, priority, since, moments, last, most_rows,
    )  # fmt: skip
    slots = [kept.order[a, kept.start[a] : kept.stop[a]] for a in range(arms)]

    def stored(column: np.ndarray) -> list[np.ndarray]:
        return [column[a, slots[a]] for a in range(arms)]

    # Rows of the relation have none of what is known of tuples.
    none = np.zeros(len(rows_stay))
    return SheddingOutcome(
        results,
        int(digest),
        rows,
        np.concatenate([rows_stay, *stored(kept.tuples)]),
        np.concatenate([none, *stored(kept.priority)]),
        np.concatenate([none, *stored(kept.since)]),
        np.concatenate(stored(kept.moments)),
        served + np.flatnonzero(arm[served:] != DROPPED),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _run(  # noqa: C901
    shape, seen, old, u, hashes, arm, row_of, ending, facts, kept, found, fresh, learned, counters,
    priority, since, moments, last, most_rows,
):  # fmt: skip
    """The tuples and rows from `old` to u wait, those behind have not arrived. Returns the number
    of results, their digest, their rows if kept, the active rows, and how far was served."""
    keep_rows = most_rows > 0
    count, arms = len(seen.ts), len(shape.place)
    active = np.zeros(len(row_of), np.bool_)
    rows = np.empty((1024 if keep_rows else 1, shape.sources + 1), np.int64)
    results, digest, ended = 0, np.uint64(0), 0
    for v in range(old):
        if row_of[v] >= 0:
            begin_row(row_of[v], shape, facts)
            active[v] = True
        else:
            a = arm[v]
            # Priorities that are importance itself, or expected, need none to decide ties.
            tie = seen.importance[v] if IMPORTANCE < shape.policy < EXPECTED else np.int64(0)
            admit(v, a, priority[v], tie, np.int64(0), since[v], kept)
            slot = kept.order[a, kept.stop[a] - 1]
            # Stored tuples stand behind the rows of the relation.
            kept.moments[a, slot] = moments[v - (old - len(moments))]
            show(slot, a, seen, kept, facts)
    s, waiting = old, np.count_nonzero(arm[old:u] >= 0)
    while s < count:
        if s < u and arm[s] < 0:
            if row_of[s] >= 0:
                begin_row(row_of[s], shape, facts)
                active[s] = True
                count_row(s, shape, seen, counters)
            s += 1
            continue
        if u < count or not last:
            # Who could be served before anybody else comes, is.
            until = np.float64(seen.ts[min(u, count - 1)] - shape.begin)
        else:
            until = np.inf
        start = np.inf
        if s < u:
            start = max(learned.clock[0], np.float64(seen.ts[s] - shape.begin))
        if not start <= until:
            if u == count:
                break
            end = u + 1
            if row_of[u] < 0:
                while end < count and seen.ts[end] == seen.ts[u]:
                    end += 1
                waiting = arrive(
                    u, end, s, waiting, shape, seen, arm, facts, learned, counters
                )  # fmt: skip
            u = end
            continue
        now, first = seen.ts[s], s
        while s < u and seen.ts[s] == now:
            s += 1
        served = begin_serving(now, first, s, start, shape, arm, counters)
        waiting -= served
        compared, found_before = 0, results
        counted = np.int64(now >= shape.warmup)
        expire(now, served * counted, shape, seen, kept, facts, counters)
        before = ended
        while ended < len(ending) and seen.until[facts.tuples[ending[ended]]] <= now:
            r = ending[ended]
            end_row(r, shape, facts)
            active[facts.tuples[r]] = False
            count_end(facts.tuples[r], shape, seen, counters)
            ended += 1
        if shape.prefilter and arms > 1:
            for n in range(before, ended):
                drop_unmatched(ending[n], now, shape, seen, kept, facts, counters)
        for v in range(first, s):
            a = arm[v]
            if a < 0:
                continue
            fresh.matches[v - old], examined = look_up(np.int64(seen.keys[v, a]), a, shape, facts)
            counters.matched[a] += counted * np.int64(fresh.matches[v - old] > 0)
            if not shape.implicit:
                counters.looked_up[a] += counted * examined
                compared += examined
            learn(v, a, shape, seen, learned, counters)
        compared += choose(
            first, s, old, now, counted, shape, seen, arm, kept, facts, learned, fresh, counters
        )  # fmt: skip
        for v in range(first, s):
            a = arm[v]
            if a < 0 or fresh.matches[v - old] == 0:
                continue
            size, examined, more = collect(v, a, first, seen, arm, facts, kept, found)
            while more < 0:
                found = more_nodes(found)
                size, examined, more = collect(v, a, first, seen, arm, facts, kept, found)
            counters.probed[a] += counted * examined
            compared += examined
            if more == 0:
                continue
            counters.found[a] += counted * more
            if 0 < most_rows < results + more:
                return results + more, digest, rows[:0], np.flatnonzero(active), s
            if keep_rows and results + more > len(rows):
                larger = np.empty((2 * (results + more), rows.shape[1]), np.int64)
                larger[:results] = rows[:results]
                rows = larger
            part_digest, importance = combine(
                v, a, size, shape, seen, hashes, facts, kept, learned, found,
                counters, keep_rows, rows, results,
            )  # fmt: skip
            digest += part_digest
            results += more
            counters.importance[1] += importance
            if counters.importance[1] >= IMPORTANCE_BASE:
                counters.importance[1] -= IMPORTANCE_BASE
                counters.importance[0] += 1
        store(first, now, counted, shape, seen, kept, facts, counters)
        made = results - found_before
        learned.clock[0] = start + compared * shape.compare + made * shape.output
    if last:
        count_stored(shape, seen, active, kept, counters)
    return results, digest, rows[: results if keep_rows else 0], np.flatnonzero(active), s
