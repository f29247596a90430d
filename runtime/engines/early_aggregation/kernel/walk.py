"""From one tuple through windows and aggregation sets to the groups of the output."""

from __future__ import annotations

import numpy as np

from runtime.engines.early_aggregation.kernel.distinct_values import lacks_values
from runtime.engines.early_aggregation.kernel.groups import add_up, find_groups, gather
from runtime.engines.early_aggregation.kernel.layout import PATH_BUCKETS, PATH_FIRST, PATH_KEY
from runtime.engines.early_aggregation.kernel.types import (
    A_BEST,
    A_PRESENT,
    A_SUM,
    BROUGHT,
    EACH,
    RELATION,
    ROW_EXAMPLE,
    ROW_PART,
    ROW_TUPLES,
)
from runtime.engines.kernels.conditions import holds
from runtime.engines.kernels.inlining import part
from runtime.engines.kernels.windows import bucket_of

ANY_GROUP = -1


@part
def _equal(first, end, row, bound, equal_key, equal_with, keys_from, rows):
    """Whether a row's keys equal those that are bound."""
    for c in range(first, end):
        column = keys_from + equal_key[c]
        if rows[row, column] != rows[bound[equal_with[c]], column]:
            return False
    return True


@part
def _compares(i, level, row, bound, loops, rows, attributes):
    """Whether a row's other predicates hold with those that are bound."""
    for c in range(loops.theta_start[i, level], loops.theta_start[i, level + 1]):
        other = attributes[rows[bound[loops.theta_with[c]], ROW_EXAMPLE], loops.theta_other[c]]
        mine = attributes[rows[row, ROW_EXAMPLE], loops.theta_value[c]]
        if not holds(loops.theta_comparison[c], mine, other + loops.theta_offset[c]):
            return False
    return True


@part
def _active(s, row, level, order, kind, bound, rows, ts, until):
    """Whether a row of source s was there in time with all that is bound below its level.

    A row of a relation is to be there when each tuple arrives.
    """
    for below in range(level):
        other = order[below]
        if (kind[s] == RELATION) != (kind[other] == RELATION):
            mine, bound_one = rows[row, ROW_EXAMPLE], rows[bound[other], ROW_EXAMPLE]
            there, arrived = (mine, bound_one) if kind[s] == RELATION else (bound_one, mine)
            if not (ts[there] <= ts[arrived] < until[there, 0]):
                return False
    return True


@part
def _bucket(x, check, bound, equal_key, equal_with, keys_from, rows, paths):
    """The bucket in which a level looks: that of the key of its first check, if it has buckets."""
    if paths[x, PATH_KEY] < 0:
        return paths[x, PATH_FIRST]
    key = rows[bound[equal_with[check]], keys_from + equal_key[check]]
    return paths[x, PATH_FIRST] + bucket_of(key, paths[x, PATH_BUCKETS])


@part
def _without_last(s, sign, count, of, bound, rows, base):
    """What all that is bound but the last source s brings together: to each aggregate (`base`), and
    its part of the key of a group and its combinations. With sign -1 it is taken away."""
    key, combinations = 0, sign
    for t in range(count):
        if t != s:
            key += rows[bound[t], ROW_PART]
            combinations *= rows[bound[t], ROW_TUPLES]
    for a in range(len(of)):
        base[a, A_SUM] = base[a, A_PRESENT] = 0
        if of[a] != s:
            others = sign
            for t in range(count):
                if t != s and t != of[a]:
                    others *= rows[bound[t], ROW_TUPLES]
            column = BROUGHT + EACH * a
            base[a, A_SUM] = rows[bound[of[a]], column + A_SUM] * others
            base[a, A_PRESENT] = rows[bound[of[a]], column + A_PRESENT] * others
            base[a, A_BEST] = rows[bound[of[a]], column + A_BEST]
    return key, combinations


@part
def _matching(
    i, level, begin, finish, bound, loops, equal_key, equal_with, first, end, theta, keys_from,
    rows, attributes, found,
):  # fmt: skip
    """Find the rows of a bucket that fulfil the checks of a level; returns how many there are."""
    if first == end:
        for row in range(begin, finish):
            found[row - begin] = row
        matched = finish - begin
    else:
        column = keys_from + equal_key[first]
        wanted = rows[bound[equal_with[first]], column]
        matched = 0
        for row in range(begin, finish):
            # Written in any case, and counted where it fits: no branch is guessed.
            found[matched] = row
            matched += np.int64(rows[row, column] == wanted)
    if not theta and end - first <= 1:
        return matched
    fitting = 0
    for n in range(matched):
        row = found[n]
        if _equal(first + 1, end, row, bound, equal_key, equal_with, keys_from, rows) and (
            not theta or _compares(i, level, row, bound, loops, rows, attributes)
        ):
            found[fitting] = row
            fitting += 1
    return fitting


@part
def _active_ones(matched, s, level, order, kind, bound, rows, ts, until, found):
    """Of the rows found, those that were there in time with all that is bound."""
    active = 0
    for n in range(matched):
        if _active(s, found[n], level, order, kind, bound, rows, ts, until):
            found[active] = found[n]
            active += 1
    return active


@part
def walk(  # noqa: C901
    level, i, sign, only, counted, distinct, digits, possible, kind, function, of, loops, ts, until,
    attributes, rows, flat, paths, start, filled, held, flat_held, table, sizes, values, touched,
    scratch, found, slots, base, walked, comparisons, matches,
):  # fmt: skip
    """Join row 0, a tuple of source i or an entry of its set, with all other sources.

    With `sign` its combinations are added to their groups or taken away; with `only` the extrema of
    that one group are gathered from them. It begins at level 1 and returns 0; or, where more room
    for groups is needed, the level at which it is to go on (below 0 where it is for values).
    Counted in `walked` are combinations and the rows examined; in `touched` the groups touched,
    their number first.
    """
    # Arrays are taken out of their tuples first: inside the loop that would count references.
    order, path = loops.orders[i], loops.path
    equal_start, equal_key, equal_with = loops.equal_start, loops.equal_key, loops.equal_with
    theta_start = loops.theta_start
    # By level which row is looked at and where its bucket ends; by source the row that is bound.
    at, stop, bound = scratch[0], scratch[1], scratch[2]
    count, aggregates = len(order), len(function)
    keys_from = BROUGHT + EACH * aggregates
    width, wide = np.uint64(rows.shape[1]), np.uint64(held.shape[1])
    alone, changing = count == 1, until.shape[1] > 0
    bound[i] = 0
    opening = True
    while level > 0:
        s = order[level] if not alone else i
        first = end = 0
        theta = False
        if not alone:
            first, end = equal_start[i, level], equal_start[i, level + 1]
            theta = theta_start[i, level] < theta_start[i, level + 1]
        if opening:
            # A single source is joined with nothing: its row is looked at as it is.
            at[level], stop[level] = 0, 1
            if not alone:
                bucket = _bucket(
                    path[i, level], first, bound, equal_key, equal_with, keys_from, rows, paths
                )
                at[level] = start[bucket]
                stop[level] = start[bucket] + filled[bucket]
        if level < count - 1:
            # A level that others follow: one row at a time.
            row = at[level]
            if row == stop[level]:
                level, opening = level - 1, False
                continue
            at[level] += 1
            walked[1] += 1
            comparisons[i, level - 1] += counted
            opening = (
                _equal(first, end, row, bound, equal_key, equal_with, keys_from, rows)
                and (not theta or _compares(i, level, row, bound, loops, rows, attributes))
                and (not changing or _active(s, row, level, order, kind, bound, rows, ts, until))
            )
            if opening:
                matches[i, level - 1] += counted
                bound[s] = row
                level += 1
            continue
        # The last level: all rows of its bucket at once.
        begin, finish = at[level], stop[level]
        if only == ANY_GROUP:
            if sizes[0] + min(finish - begin, digits[s]) > len(held):
                return level
            if distinct and lacks_values(values, (finish - begin) * aggregates):
                return -level
        matched = _matching(
            i, level, begin, finish, bound, loops, equal_key, equal_with, first, end, theta,
            keys_from, rows, attributes, found,
        )  # fmt: skip
        if changing:
            matched = _active_ones(matched, s, level, order, kind, bound, rows, ts, until, found)
        if not alone:
            walked[1] += finish - begin
            # What is gathered anew is counted apart.
            if only == ANY_GROUP:
                comparisons[i, level - 1] += counted * (finish - begin)
                matches[i, level - 1] += counted * matched
        key, times = _without_last(s, sign, count, of, bound, rows, base)
        if only == ANY_GROUP:
            walked[0] += matched
            find_groups(
                matched, key, times, possible, width, wide, flat, flat_held, table, sizes, touched,
                found, slots,
            )  # fmt: skip
            add_up(
                matched, s, sign, times, width, function, of, base, rows, flat, held, flat_held,
                values, found, slots,
            )  # fmt: skip
        else:
            gather(matched, s, only, key, function, of, base, rows, held, found)
        level, opening = level - 1, False
    return 0
