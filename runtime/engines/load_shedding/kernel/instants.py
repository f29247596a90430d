"""A star join under a memory bound, instant by instant: one stateful loop over its arrivals.

An instant is all tuples of one time: (1) what has expired or lost its last row leaves, (2) arrivals
are admitted or shed, (3) every arrival probes what remains, and (4) the admitted ones are stored.
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
    EXPECTED,
    IMPORTANCE,
    IMPORTANCE_BASE,
    NEVER,
    Arrived,
    Fresh,
    Learned,
    Outcome,
    Shape,
    ShedCounters,
)

_NODES = 1024


def star_batch(
    shape: Shape,
    stay: Arrived,
    priority: np.ndarray,
    since: np.ndarray,
    arriving: Arrived,
    learned: Learned,
    counters: ShedCounters,
    last: bool,
    keep_rows: bool,
) -> Outcome:
    """Join the arriving tuples, which end with a whole instant, with those that stayed before."""
    seen = stay.followed_by(arriving)
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
    kept = kept_of(arms, min(most, int(shape.room.max())))
    found = found_of(arms, int(shape.codes.max()), len(of_relation), _NODES)
    fresh = Fresh(*(np.zeros(len(arriving.ts), kind) for kind in ("i8", "f8", "i8", "i8")))
    results, digest, rows, rows_stay = _run(
        shape, seen, old, hashes, arm, row_of, ending, facts, kept, found, fresh, learned, counters,
        priority, since, last, keep_rows,
    )  # fmt: skip
    slots = [kept.order[a, kept.start[a] : kept.stop[a]] for a in range(arms)]

    def stored(column: np.ndarray) -> list[np.ndarray]:
        return [column[a, slots[a]] for a in range(arms)]

    none = np.zeros(len(rows_stay))
    return Outcome(
        results,
        int(digest),
        rows,
        np.concatenate([rows_stay, *stored(kept.tuples)]),
        np.concatenate([none, *stored(kept.priority)]),
        np.concatenate([none, *stored(kept.since)]),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _run(  # noqa: C901
    shape, seen, old, hashes, arm, row_of, ending, facts, kept, found, fresh, learned, counters,
    priority, since, last, keep_rows,
):  # fmt: skip
    """Returns the number of results, their digest, their rows if kept, and the active rows."""
    count, arms = len(seen.ts), len(shape.place)
    active = np.zeros(len(row_of), np.bool_)
    rows = np.empty((1024 if keep_rows else 1, shape.sources + 1), np.int64)
    results, digest, ended = 0, np.uint64(0), 0
    for u in range(old):
        if row_of[u] >= 0:
            begin_row(row_of[u], shape, facts)
            active[u] = True
        else:
            a = arm[u]
            # Priorities that are importance itself, or expected, need none to decide ties.
            tie = seen.importance[u] if IMPORTANCE < shape.policy < EXPECTED else np.int64(0)
            admit(u, a, priority[u], tie, np.int64(0), since[u], kept)
            show(kept.order[a, kept.stop[a] - 1], a, seen, kept, facts)
    u = old
    while u < count:
        if row_of[u] >= 0:
            begin_row(row_of[u], shape, facts)
            active[u] = True
            count_row(u, shape, seen, counters)
            u += 1
            continue
        now, first = seen.ts[u], u
        while u < count and seen.ts[u] == now:
            u += 1
        counted = np.int64(now >= shape.warmup)
        expire(now, (u - first) * counted, shape, seen, kept, facts, counters)
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
        for v in range(first, u):
            a = arm[v]
            fresh.matches[v - old], examined = look_up(np.int64(seen.keys[v, a]), a, shape, facts)
            counters.matched[a] += counted * np.int64(fresh.matches[v - old] > 0)
            if not shape.implicit:
                counters.looked_up[a] += counted * examined
            learn(v, a, shape, seen, learned, counters)
        choose(first, u, old, now, counted, shape, seen, arm, kept, facts, learned, fresh, counters)
        for v in range(first, u):
            a = arm[v]
            if fresh.matches[v - old] == 0:
                continue
            size, examined, more = collect(v, a, first, seen, shape.arm_of, facts, kept, found)
            while more < 0:
                found = more_nodes(found)
                size, examined, more = collect(v, a, first, seen, shape.arm_of, facts, kept, found)
            counters.probed[a] += counted * examined
            if more == 0:
                continue
            counters.found[a] += counted * more
            if keep_rows and results + more > len(rows):
                larger = np.empty((2 * (results + more), rows.shape[1]), np.int64)
                larger[:results] = rows[:results]
                rows = larger
            part_digest, importance = combine(
                v, a, size, shape, seen, hashes, facts, kept, learned, found,
                counters.estimated, keep_rows, rows, results,
            )  # fmt: skip
            digest += part_digest
            results += more
            counters.importance[1] += importance
            if counters.importance[1] >= IMPORTANCE_BASE:
                counters.importance[1] -= IMPORTANCE_BASE
                counters.importance[0] += 1
        store(first, now, counted, shape, seen, kept, facts, counters)
    if last:
        count_stored(shape, seen, active, kept, counters)
    return results, digest, rows[: results if keep_rows else 0], np.flatnonzero(active)
