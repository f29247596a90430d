"""COUNT and SUM over a star join whose tuples are shed, and the error of what is estimated.

The windows are evaluated at some times; a result counts in those from its own time until its first
member expires. By chance a stored tuple u survives a choice among k + 1 with p = k / (k + 1), so
that a result it is in counts for W = p^-c after c choices: that is right on average. Two stored
tuples both survive with (k - 1) / (k + 1), which is p^2 / q for q = k^2 / (k^2 - 1). Hence

    variance = sum over results r, s of one tuple:      y_r y_s W_s (W_r - 1)
             - sum over results r, s of two tuples:     y_r y_s W_r W_s (q^c - 1)

without bias, over r and s in both orders, where r is the earlier one, and c are the choices from
the arrival of the younger tuple until r. Each stored tuple carries what a later result of it is to
be multiplied with: its `moments`.
"""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part, seldom_part


@seldom_part
def aggregate(u, a, row, weight, shape, seen, kept, learned, found, counters):
    """Add a result of the arrival u, whose other members are chosen, to the windows it is in."""
    levels = len(shape.place) - 1
    ends = seen.ts[u] + shape.lifetime[a]
    for level in range(levels):
        v = found.chosen[level]
        ends = min(ends, seen.ts[v] + shape.lifetime[shape.arm_of[seen.source[v]]])
    times = len(shape.evaluations)
    begin, end = _first_at(seen.ts[u], shape), _first_at(ends, shape)
    if begin == end:
        return
    for n in range(len(shape.amount_source)):
        found.amounts[n] = _amount(n, u, a, row, shape, seen, found)
    # Groups are evaluated once, at the end.
    group = np.int64(-1)
    if shape.group_source >= 0 and end == times:
        member = _member(shape.group_source, u, a, row, shape, found)
        group = times + np.int64(seen.values[member, shape.group_slot])
    for n in range(len(shape.amount_source)):
        for at in range(begin, end):
            counters.aggregates[at, n] += weight * found.amounts[n]
        if group >= 0:
            counters.aggregates[group, n] += weight * found.amounts[n]
    if levels == 1 and found.chosen_slot[0] >= 0:
        j = 1 - a
        _spread(found.chosen_slot[0], j, weight, begin, end, group, shape, kept, learned, found,
                counters)  # fmt: skip


@part
def _first_at(time, shape):
    """The number of the first evaluation at a time or later."""
    at = 0
    while at < len(shape.evaluations) and shape.evaluations[at] < time:
        at += 1
    return at


@part
def _member(source, u, a, row, shape, found):
    """The member of a result that is of a source."""
    j = shape.arm_of[source]
    if j < 0:
        return row
    if j == a:
        return u
    return found.chosen[j if j < a else j - 1]


@part
def _amount(n, u, a, row, shape, seen, found):
    """What a result adds to an aggregate; a missing value adds nothing."""
    if shape.amount_source[n] < 0:
        return 1.0
    member = _member(shape.amount_source[n], u, a, row, shape, found)
    value = seen.values[member, shape.amount_slot[n]]
    return 0.0 if np.isnan(value) else value


@part
def _spread(slot, j, weight, begin, end, group, shape, kept, learned, found, counters):
    """Add to the variance, and to the moments of the tuples stored beside the member in a slot.

    Moments of an evaluation are added to that of the one before it: a result has two of them.
    """
    times, errors = len(shape.evaluations), kept.moments.shape[2]
    if errors == 0:
        return
    if group >= errors:
        group = np.int64(-1)
    for n in range(len(shape.amount_source)):
        more = found.amounts[n]
        before = 0.0
        for at in range(end):
            before += kept.moments[j, slot, at, n]
            if at >= begin:
                counters.variances[at, n] += _part(weight, more, before)
        if group >= 0:
            before = kept.moments[j, slot, group, n]
            counters.variances[group, n] += _part(weight, more, before)
    _add(slot, j, weight - 1.0, begin, end, group, times, kept, found)
    now, since = learned.survived[j], kept.since[j, slot]
    if now == since:
        return
    for place in range(kept.start[j], kept.stop[j]):
        other = kept.order[j, place]
        if other == slot or kept.since[j, other] == now:
            continue
        # The younger of two has the lower chance to have survived until it came.
        met = now - min(since, kept.since[j, other])
        factor = -weight * np.expm1(met * shape.pairs[j])
        _add(other, j, factor, begin, end, group, times, kept, found)


@part
def _part(weight, more, before):
    """What a result adds to a variance."""
    return weight * more * ((weight - 1.0) * more + 2.0 * before)


@part
def _add(slot, j, factor, begin, end, group, times, kept, found):
    """Add to the moments of a tuple, by the evaluations and the group that a result is in."""
    for n in range(kept.moments.shape[3]):
        more = factor * found.amounts[n]
        kept.moments[j, slot, begin, n] += more
        if end < times:
            kept.moments[j, slot, end, n] -= more
        if group >= 0:
            kept.moments[j, slot, group, n] += more
