"""How stored tuples and rows leave, and what is counted of them."""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part
from runtime.engines.load_shedding.kernel.keep import drop
from runtime.engines.load_shedding.kernel.relation import has_row
from runtime.engines.load_shedding.kernel.types import (
    EXPIRED,
    NOT_ADMITTED,
    PROCESSOR_SHORT,
    RELATION_ENDED,
    REPLACED,
    STEPS,
)


@part
def _held(ts, left, shape):
    """How long a tuple was held within the span, in microseconds."""
    return max(0, min(left, shape.end) - max(ts, shape.warmup))


@part
def count_row(u, shape, seen, counters):
    """A row of the relation begins."""
    if not shape.implicit:
        counters.inserts[seen.source[u]] += np.int64(seen.ts[u] >= shape.warmup)


@part
def count_end(u, shape, seen, counters):
    """A row of the relation ends."""
    if not shape.implicit:
        left = seen.until[u]
        counters.expirations[seen.source[u]] += np.int64(shape.warmup <= left <= shape.end)
        counters.held[seen.source[u]] += _held(seen.ts[u], left, shape)


@part
def leave(place, a, left, reason, shape, seen, kept, facts, counters):
    """A stored tuple leaves for a reason."""
    u = kept.tuples[a, kept.order[a, place]]
    counters.held[shape.place[a]] += _held(seen.ts[u], left, shape)
    drop(place, a, seen, kept, facts)
    count_shed(u, a, left, reason, shape, seen, counters)


@part
def count_shed(u, a, now, reason, shape, seen, counters):
    """A tuple is not kept, or no longer."""
    counters.evictions[a, reason] += 1
    if reason in (REPLACED, NOT_ADMITTED, PROCESSOR_SHORT):
        counters.timeline[a, min(STEPS - 1, max(0, (now - shape.begin) // shape.every))] += 1
        if counters.key_shed.shape[1] > 0:
            counters.key_shed[a, seen.keys[u, a]] += 1


@part
def expire(now, arrivals, shape, seen, kept, facts, counters):
    """Drop what is out of its window; every arrival looks at every window."""
    if len(shape.place) == 1:
        return
    for a in range(len(shape.place)):
        counters.expirations[shape.place[a]] += arrivals
        lifetime = shape.lifetime[a]
        while kept.start[a] < kept.stop[a]:
            ts = seen.ts[kept.tuples[a, kept.order[a, kept.start[a]]]]
            if now - ts < lifetime:
                break
            left = ts + lifetime
            counters.expirations[shape.place[a]] += np.int64(left >= shape.warmup)
            leave(kept.start[a], a, left, EXPIRED, shape, seen, kept, facts, counters)


@part
def drop_unmatched(r, now, shape, seen, kept, facts, counters):
    """Drop the stored tuples for which a row that has ended was the last valid one."""
    for a in range(len(shape.place)):
        if facts.stored[r, a] == 0:
            continue
        key = facts.keys[r, a]
        place = kept.stop[a] - 1
        while place >= kept.start[a]:
            slot = kept.order[a, place]
            ts = seen.ts[kept.tuples[a, slot]]
            start = kept.start[a]
            if kept.key[a, slot] == key and not has_row(kept.key[a, slot], ts, a, facts):
                leave(place, a, now, RELATION_ENDED, shape, seen, kept, facts, counters)
            if kept.start[a] == start:
                # Else the older ones have moved up by one place.
                place -= 1


@part
def drop_planned(a, now, shape, seen, kept, facts, counters):
    """Drop the stored tuples whose time to leave has come."""
    place = kept.stop[a] - 1
    while place >= kept.start[a]:
        start = kept.start[a]
        if seen.leave[kept.tuples[a, kept.order[a, place]]] <= now:
            leave(place, a, now, REPLACED, shape, seen, kept, facts, counters)
        if kept.start[a] == start:
            place -= 1


@part
def count_stored(shape, seen, active, kept, counters):
    """At the end of a run, what is stored stays until it would have left."""
    for u in range(len(active)):
        if active[u] and not shape.implicit:
            counters.held[seen.source[u]] += _held(seen.ts[u], seen.until[u], shape)
    for a in range(len(shape.place)):
        for place in range(kept.start[a], kept.stop[a]):
            ts = seen.ts[kept.tuples[a, kept.order[a, place]]]
            counters.held[shape.place[a]] += _held(ts, ts + shape.lifetime[a], shape)
