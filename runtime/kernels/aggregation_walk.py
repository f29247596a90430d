"""From one tuple through windows and aggregation sets to the groups of the output."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.kernels.aggregation_groups import (
    better,
    compete,
    count_distinct,
    has_extrema,
    mixed,
    values_with_room,
    with_room,
)
from runtime.kernels.aggregation_types import DISTINCT, GREATEST, LEAST, NOTHING, RELATION, SUM
from runtime.kernels.loop_evaluation import holds
from runtime.kernels.windows import bucket_of

ANY_GROUP = -1


@njit(nogil=True)
def _equal(first, end, u, bound, equal_key, equal_with, keys):
    """Whether a tuple's keys equal those that are bound. It is given arrays alone: of tuples of
    arrays each would be counted as one more user for every call."""
    for c in range(first, end):
        column = equal_key[c]
        if keys[u, column] != keys[bound[equal_with[c]], column]:
            return False
    return True


@njit(nogil=True)
def _compares(i, level, u, bound, loops, attributes):
    """Whether a tuple's other predicates hold with those that are bound."""
    for c in range(loops.theta_start[i, level], loops.theta_start[i, level + 1]):
        right = attributes[bound[loops.theta_with[c]], loops.theta_other[c]]
        mine = attributes[u, loops.theta_value[c]]
        if not holds(loops.theta_comparison[c], mine, right + loops.theta_offset[c]):
            return False
    return True


@njit(nogil=True)
def _first(i, level, bound, loops, paths, first_bucket, keys, head):
    """The first that is stored where a level looks."""
    x = loops.path[i, level]
    if paths.key[x] < 0:
        return head[first_bucket[x]]
    check = loops.equal_start[i, level]
    key = keys[bound[loops.equal_with[check]], loops.equal_key[check]]
    return head[first_bucket[x] + bucket_of(key, paths.buckets[x])]


@njit(nogil=True)
def _active(kind, bound, ts, until):
    """Whether the rows of relations were there when each tuple arrived."""
    for s in range(len(kind)):
        if kind[s] == RELATION:
            for other in range(len(kind)):
                arrived = ts[bound[other]]
                if kind[other] != RELATION and not (ts[bound[s]] <= arrived < until[bound[s], 0]):
                    return False
    return True


@njit(nogil=True)
def _amount(
    a, others, u, e, cell_sums, cell_present, cell_best, amounts, sums, present, best,
):  # fmt: skip
    """What a tuple, or an entry (-1: none), brings to an aggregate in so many combinations."""
    if e >= 0:
        sums[a] = cell_sums[e, a] * others
        present[a] = cell_present[e, a] * others
        best[a] = cell_best[e, a]
        return
    best[a] = amounts[u, a]
    there = best[a] != NOTHING
    sums[a] = best[a] * others if there else 0
    present[a] = others if there else 0


@njit(nogil=True)
def _gather(slot, function, present, best, gathered):
    """Let a combination compete for the extrema of a group."""
    for a in range(len(function)):
        extreme = function[a] == LEAST or function[a] == GREATEST
        if extreme and present[a] and better(function[a], best[a], gathered[slot, a]):
            gathered[slot, a] = best[a]


@njit(cache=True, nogil=True)
def walk(  # noqa: C901
    i, thing, sign, only, counted, sources, functions, loops, paths, first_bucket, seen, store,
    groups, values, touched, scratch, comparisons, matches,
):  # fmt: skip
    """Join a tuple of source i (or an entry, where a group is recomputed) with all other sources.

    With `sign` its combinations are added to their groups or taken away; with `only` the extrema of
    that one group are gathered from them. Returns the groups, the values, the groups touched (their
    number first), the combinations, and the entries examined.
    """
    ts, keys, attributes, until = seen.ts, seen.keys, seen.values, seen.until
    group, amounts = seen.group, seen.amounts
    kind, early, radix = sources.kind, sources.early, sources.radix
    head, after, example, cell_rows = store.head, store.after, store.example, store.rows
    cell_sums, cell_present, cell_best = store.sums, store.present, store.best
    g_sizes = groups.sizes
    equal_key, equal_with = loops.equal_key, loops.equal_with
    order, function, of = loops.orders[i], functions.function, functions.source
    count, aggregates = len(order), len(function)
    # By level what is looked at; by source the tuple (or one that stands for its entry), the entry
    # and how many rows it stands for; by aggregate what a combination brings, and without its last.
    at, bound, entry, rows = scratch[0], scratch[1], scratch[2], scratch[3]
    sums, present, best = scratch[4], scratch[5], scratch[6]
    base_sums, base_present = scratch[7], scratch[8]
    changing = until.shape[1] > 0
    distinct, extreme = False, has_extrema(function)
    for a in range(aggregates):
        distinct = distinct or function[a] == DISTINCT
    # A tuple that arrives or leaves stands for itself; in a recomputation entries stand for cells.
    whole = only != ANY_GROUP and early[i]
    bound[i] = example[thing] if whole else thing
    entry[i] = thing if whole else -1
    rows[i] = cell_rows[thing] if whole else 1
    combinations, examined_all = 0, 0
    size = touched[0]
    level, opening = 1, True
    while level > 0:
        last = level >= count - 1
        if not last:
            # A level that others follow: one entry at a time.
            s = order[level]
            if opening:
                at[level] = _first(i, level, bound, loops, paths, first_bucket, keys, head)
            else:
                at[level] = after[loops.path[i, level], at[level]]
            opening = False
            if at[level] < 0:
                level -= 1
                continue
            examined_all += 1
            comparisons[i, level - 1] += counted
            u = example[at[level]] if early[s] else at[level]
            first, end = loops.equal_start[i, level], loops.equal_start[i, level + 1]
            if not _equal(first, end, u, bound, equal_key, equal_with, keys):
                continue
            if not _compares(i, level, u, bound, loops, attributes):
                continue
            matches[i, level - 1] += counted
            bound[s] = u
            entry[s] = at[level] if early[s] else -1
            rows[s] = cell_rows[at[level]] if early[s] else 1
            level += 1
            opening = True
            continue
        # The last level, or none at all: everything it joins is bound.
        alone = count == 1
        s = i if alone else order[level]
        base_key, base_rows = 0, 1
        for t in range(count):
            if t != s or alone:
                base_key += group[bound[t]] * radix[t]
                base_rows *= rows[t]
        for a in range(aggregates):
            if of[a] >= 0 and (of[a] != s or alone):
                t = of[a]
                others = base_rows // rows[t]
                _amount(
                    a, others, bound[t], entry[t], cell_sums, cell_present, cell_best, amounts,
                    sums, present, best,
                )  # fmt: skip
                base_sums[a], base_present[a] = sums[a], present[a]
        x = loops.path[i, min(level, count - 1)]
        e = 0 if alone else _first(i, level, bound, loops, paths, first_bucket, keys, head)
        in_set, weight = early[s], radix[s]
        first = end = 0
        theta = False
        if not alone:
            first, end = loops.equal_start[i, level], loops.equal_start[i, level + 1]
            theta = loops.theta_start[i, level] < loops.theta_start[i, level + 1]
        # Room is made here: what is assigned anew within the loop is counted in its every turn.
        held = store.entries[s] if in_set else store.tuples[s]
        more = 1 if alone else min(held, sources.digits[s])
        while only == ANY_GROUP and g_sizes[0] + more > len(groups.key):
            groups = with_room(groups)
            longer = np.empty(len(groups.key) + 2, np.int64)
            longer[: size + 1] = touched[: size + 1]
            touched = longer
        if distinct:
            values = values_with_room(values, held * aggregates)
        g_key, g_table, g_stamp = groups.key, groups.table, groups.stamp
        g_rows, g_sums, g_present = groups.rows, groups.sums, groups.present
        g_best, g_doubt = groups.best, groups.doubt
        places = np.uint64(len(g_table) - 1)
        examined, matched = 0, 0
        while e >= 0:
            here = e
            e = -1 if alone else after[x, here]
            key, all_rows = base_key, base_rows
            if not alone:
                examined += 1
                u = example[here] if in_set else np.int64(here)
                fits = True
                for c in range(first, end):
                    column = equal_key[c]
                    fits = fits and keys[u, column] == keys[bound[equal_with[c]], column]
                if not fits:
                    continue
                if theta and not _compares(i, level, u, bound, loops, attributes):
                    continue
                matched += 1
                bound[s] = u
                key += group[u] * weight
                all_rows = base_rows * cell_rows[here] if in_set else base_rows
            if changing and not _active(kind, bound, ts, until):
                continue
            if only != ANY_GROUP and key != g_key[only]:
                continue
            combinations += 1
            if not alone:
                # Written out, as the slot below: a call costs more than what it does here.
                times = cell_rows[here] if in_set else 1
                for a in range(aggregates):
                    if of[a] == s and in_set:
                        sums[a] = cell_sums[here, a] * base_rows
                        present[a] = cell_present[here, a] * base_rows
                        best[a] = cell_best[here, a]
                    elif of[a] == s:
                        best[a] = amounts[u, a]
                        there = np.int64(best[a] != NOTHING)
                        sums[a] = best[a] * base_rows * there
                        present[a] = base_rows * there
                    else:
                        sums[a] = base_sums[a] * times
                        present[a] = base_present[a] * times
            if only != ANY_GROUP:
                _gather(only, function, present, best, g_best)
                continue
            place = mixed(key) & places
            slot = g_table[place]
            while slot >= 0 and g_key[slot] != key:
                place = (place + np.uint64(1)) & places
                slot = g_table[place]
            if slot < 0:
                slot = g_sizes[0]
                g_sizes[0] += 1
                g_table[place] = slot
                g_key[slot] = key
            if g_stamp[slot] != g_sizes[2]:
                g_stamp[slot] = g_sizes[2]
                size += 1
                touched[size] = slot
            before = g_rows[slot]
            g_rows[slot] = before + sign * all_rows
            g_sizes[1] += np.int64(g_rows[slot] != 0) - np.int64(before != 0)
            for a in range(aggregates):
                g_present[slot, a] += sign * present[a]
                if function[a] == SUM:
                    g_sums[slot, a] += sign * sums[a]
            if distinct:
                count_distinct(slot, values, function, sign, present, best, g_sums)
            if extreme:
                compete(slot, function, sign, present, best, g_present, g_best, g_doubt)
        examined_all += examined
        if only == ANY_GROUP and not alone:
            comparisons[i, level - 1] += counted * examined
            matches[i, level - 1] += counted * matched
        level, opening = level - 1, False
    touched[0] = size
    return groups, values, touched, combinations, examined_all
