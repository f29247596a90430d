"""Which arrivals are admitted, and who makes room for them; how priorities go on."""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part
from runtime.engines.load_shedding.kernel.expected_gain import learn_key
from runtime.engines.load_shedding.kernel.keep import (
    admit,
    drop,
    priority_of,
    renew_priorities,
    show,
    victim_of,
)
from runtime.engines.load_shedding.kernel.leaving import count_shed, drop_planned, leave
from runtime.engines.load_shedding.kernel.types import (
    EXPECTED,
    GAIN_AND_LOSS,
    MATCHES_OF_NOW,
    NO_MATCH,
    NOT_ADMITTED,
    PLANNED,
    RANDOM,
    REPLACED,
)


@part
def learn(v, a, shape, seen, learned, counters):
    """A tuple has arrived: what is known of its key grows."""
    if counters.key_arrivals.shape[1] > 0:
        counters.key_arrivals[a, seen.keys[v, a]] += 1
    if shape.policy == EXPECTED and seen.keys[v, a] < shape.codes[a] - 1:
        learn_key(seen.keys[v, a], a, seen.importance[v], learned)


@part
def choose(  # noqa: C901
    first, end, old, now, counted, shape, seen, arm, kept, facts, learned, fresh, counters
):  # fmt: skip
    """Admit the arrivals from first to end, which stay hidden; drop those that make room. Returns
    how many tuples were looked at for that."""
    policy, arms, compared = shape.policy, len(shape.place), 0
    for v in range(first, end):
        if arm[v] >= 0 and shape.prefilter and fresh.matches[v - old] == 0:
            count_shed(v, arm[v], now, NO_MATCH, shape, seen, counters)
    if arms == 1:
        return compared
    # All priorities first: a tuple that makes room is no match of others any more.
    if policy >= MATCHES_OF_NOW:
        for a in range(arms):
            if _are_too_many(a, first, end, old, shape, arm, kept, fresh):
                renew_priorities(a, now, shape, seen, kept, facts, learned)
    for v in range(first, end):
        if arm[v] < 0:
            continue
        own = priority_of(v, arm[v], now, shape, seen, facts, learned)
        fresh.priority[v - old], fresh.importance[v - old], fresh.ties[v - old] = own
    if policy == PLANNED:
        for a in range(arms):
            drop_planned(a, now, shape, seen, kept, facts, counters)
    for v in range(first, end):
        if arm[v] < 0 or (shape.prefilter and fresh.matches[v - old] == 0):
            continue
        compared += _place(v, v - old, first, now, counted, arm[v], shape, seen, kept, facts,
                           learned, fresh, counters)  # fmt: skip
    return compared


@part
def _are_too_many(a, first, end, old, shape, arm, kept, fresh):
    """Whether somebody of an arm has to go at this instant."""
    count = kept.stop[a] - kept.start[a]
    for v in range(first, end):
        if arm[v] == a and (fresh.matches[v - old] > 0 or not shape.prefilter):
            count += 1
    return count > shape.room[a]


@part
def _place(
    v, n, first, now, counted, a, shape, seen, kept, facts, learned, fresh, counters
):  # fmt: skip
    """Admit one arrival where there is room, or the lowest of all goes. Returns how many tuples
    were looked at."""
    stored, compared = kept.stop[a] - kept.start[a], 0
    since = learned.survived[a]
    if shape.policy == PLANNED:
        if seen.leave[v] <= now:
            count_shed(v, a, now, NOT_ADMITTED, shape, seen, counters)
            return compared
    elif stored >= shape.room[a]:
        compared = stored + 1
        counters.chosen[a] += counted * compared
        place = np.int64(-1)
        if stored > 0:
            place = victim_of(
                a, shape.policy, fresh.priority[n], fresh.importance[n], fresh.ties[n], shape, kept,
                learned,
            )  # fmt: skip
            learned.choices[a] += 1
            if shape.policy == RANDOM:
                learned.survived[a] += np.log(stored / (stored + 1))
        if place < 0:
            count_shed(v, a, now, NOT_ADMITTED, shape, seen, counters)
            return compared
        victim = kept.tuples[a, kept.order[a, place]]
        if victim < first:
            leave(place, a, now, REPLACED, shape, seen, kept, facts, counters)
        else:
            # It was admitted at this instant, and is not held for any time.
            drop(place, a, seen, kept, facts)
            count_shed(victim, a, now, REPLACED, shape, seen, counters)
    admit(v, a, fresh.priority[n], fresh.importance[n], fresh.ties[n], since, kept)
    return compared


@part
def store(first, now, counted, shape, seen, kept, facts, counters):
    """Show the admitted ones to later probes; the priority of old ones gains or loses."""
    for a in range(len(shape.place)):
        place = kept.stop[a]
        while place > kept.start[a] and kept.tuples[a, kept.order[a, place - 1]] >= first:
            place -= 1
            show(kept.order[a, place], a, seen, kept, facts)
            counters.inserts[shape.place[a]] += counted
    if shape.policy == GAIN_AND_LOSS:
        for a in range(len(shape.place)):
            _gain_or_lose(a, first, now, shape, seen, kept)


@part
def _gain_or_lose(a, first, now, shape, seen, kept):
    for place in range(kept.start[a], kept.stop[a]):
        slot = kept.order[a, place]
        u = kept.tuples[a, slot]
        if u >= first:
            break
        if kept.used[a, slot] > 0:
            gain = np.float64(seen.importance[u] * kept.used[a, slot])
            kept.used[a, slot] = 0
            left = np.float64(seen.ts[u] + shape.lifetime[a] - now)
            kept.priority[a, slot] += gain * left / shape.alpha[a]
        else:
            kept.priority[a, slot] = max(0.0, kept.priority[a, slot] - shape.beta)
