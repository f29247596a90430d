"""Tuples enter their window or the entry of their set, and leave it.

Whoever leaves a bucket is overwritten by the last row of it.
"""

from __future__ import annotations

import numpy as np

from runtime.engines.early_aggregation.kernel.groups import better, is_extremum
from runtime.engines.early_aggregation.kernel.layout import (
    PATH_BUCKETS,
    PATH_FIRST,
    PATH_KEY,
    PATH_SOURCE,
)
from runtime.engines.early_aggregation.kernel.types import (
    A_BEST,
    A_PRESENT,
    A_SUM,
    BROUGHT,
    EACH,
    NOTHING,
    ROW_EXAMPLE,
    ROW_PART,
    ROW_THING,
    ROW_TUPLES,
    SUM,
)
from runtime.engines.kernels.inlining import part
from runtime.engines.kernels.windows import bucket_of


@part
def _write(u, s, part, keys, amounts, function, of, rows):
    """Make row 0 that of a tuple."""
    rows[0, ROW_TUPLES] = 1
    rows[0, ROW_PART] = part
    rows[0, ROW_THING] = u
    rows[0, ROW_EXAMPLE] = u
    column = BROUGHT
    for a in range(len(function)):
        own = of[a] == s and amounts[u, a] != NOTHING
        rows[0, column + A_SUM] = amounts[u, a] if own and function[a] == SUM else 0
        rows[0, column + A_PRESENT] = np.int64(own)
        rows[0, column + A_BEST] = amounts[u, a] if own else NOTHING
        column += EACH
    for c in range(keys.shape[1]):
        rows[0, column + c] = keys[u, c]


@part
def _bucket(x, row, rows, paths):
    """The bucket of a row in a path."""
    key = paths[x, PATH_KEY]
    if key < 0:
        return paths[x, PATH_FIRST]
    return paths[x, PATH_FIRST] + bucket_of(rows[row, key], paths[x, PATH_BUCKETS])


@part
def copy_row(rows, source, target):
    """Overwrite a row by another."""
    for column in range(rows.shape[1]):
        rows[target, column] = rows[source, column]


@part
def _add(thing, s, rows, paths, start, filled, place):
    """Copy row 0 to the end of its bucket in every path of its source."""
    for x in range(len(paths)):
        if paths[x, PATH_SOURCE] == s:
            bucket = _bucket(x, 0, rows, paths)
            at = start[bucket] + filled[bucket]
            filled[bucket] += 1
            copy_row(rows, 0, at)
            rows[at, ROW_THING] = thing
            place[x, thing] = at


@part
def _remove(thing, s, rows, paths, start, filled, place):
    """Overwrite a tuple or an entry by the last of its bucket, in every path of its source."""
    for x in range(len(paths)):
        if paths[x, PATH_SOURCE] == s:
            bucket = _bucket(x, 0, rows, paths)
            filled[bucket] -= 1
            at, last = place[x, thing], start[bucket] + filled[bucket]
            copy_row(rows, last, at)
            place[x, rows[at, ROW_THING]] = at
            place[x, thing] = 0


@part
def _entry(s, cell, paths, place):
    """The row of an entry in the first path of its source; 0 where there is none."""
    x = 0
    while paths[x, PATH_SOURCE] != s:
        x += 1
    return place[x, cell]


@part
def _spread(s, cell, entry, rows, paths, place):
    """Copy an entry to the other paths of its source."""
    for x in range(len(paths)):
        if paths[x, PATH_SOURCE] == s and place[x, cell] != entry:
            copy_row(rows, entry, place[x, cell])


@part
def enter(u, s, cell, part, keys, amounts, function, of, store):
    """Put a tuple into row 0, and into its window (cell below 0) or its entry of a set."""
    rows, paths, start, filled, place = store[:5]
    _write(u, s, part, keys, amounts, function, of, rows)
    store.alive[u] = True
    store.tuples[s] += 1
    if cell < 0:
        _add(u, s, rows, paths, start, filled, place)
        return
    if len(store.first):
        _chain(u, cell, store.first, store.next_in, store.last_in)
    at = _entry(s, cell, paths, place)
    if at == 0:
        store.entries[s] += 1
        _add(cell, s, rows, paths, start, filled, place)
        return
    rows[at, ROW_TUPLES] += 1
    for a in range(len(function)):
        column = BROUGHT + EACH * a
        rows[at, column + A_SUM] += rows[0, column + A_SUM]
        rows[at, column + A_PRESENT] += rows[0, column + A_PRESENT]
        value = rows[0, column + A_BEST]
        if not is_extremum(function[a]) or value == NOTHING:
            continue
        if better(function[a], value, rows[at, column + A_BEST]):
            rows[at, column + A_BEST] = value
    _spread(s, cell, at, rows, paths, place)


@part
def leave(u, s, cell, part, keys, amounts, function, of, store):
    """Take a tuple out; in row 0 it stays.

    Returns how often an extremum of its entry was looked for anew, and the tuples examined then.
    """
    rows, paths, start, filled, place = store[:5]
    _write(u, s, part, keys, amounts, function, of, rows)
    store.alive[u] = False
    store.tuples[s] -= 1
    if cell < 0:
        _remove(u, s, rows, paths, start, filled, place)
        return 0, 0
    if len(store.first):
        _unchain(u, cell, store.first, store.next_in, store.last_in)
    at = _entry(s, cell, paths, place)
    rows[at, ROW_TUPLES] -= 1
    if rows[at, ROW_TUPLES] == 0:
        store.entries[s] -= 1
        _remove(cell, s, rows, paths, start, filled, place)
        return 0, 0
    recomputed, examined = 0, 0
    for a in range(len(function)):
        column = BROUGHT + EACH * a
        rows[at, column + A_SUM] -= rows[0, column + A_SUM]
        rows[at, column + A_PRESENT] -= rows[0, column + A_PRESENT]
        value = rows[0, column + A_BEST]
        if not is_extremum(function[a]) or value == NOTHING:
            continue
        if rows[at, column + A_PRESENT] == 0:
            rows[at, column + A_BEST] = NOTHING
        elif value == rows[at, column + A_BEST]:
            recomputed += 1
            rows[at, column + A_BEST], looked = _extremum(
                a, function[a], store.first[cell], store.next_in, amounts
            )
            examined += looked
    _spread(s, cell, at, rows, paths, place)
    return recomputed, examined


@part
def _extremum(a, function, v, next_in, amounts):
    """The extremum over a chain of tuples, and how many they are."""
    best, examined = NOTHING, 0
    while v >= 0:
        examined += 1
        value = amounts[v, a]
        if value != NOTHING and better(function, value, best):
            best = value
        v = next_in[v]
    return best, examined


@part
def _chain(u, cell, first, next_in, last_in):
    """Put a tuple before the others of its entry."""
    following = first[cell]
    next_in[u] = following
    last_in[u] = -1
    if following >= 0:
        last_in[following] = u
    first[cell] = u


@part
def _unchain(u, cell, first, next_in, last_in):
    ahead, behind = last_in[u], next_in[u]
    if behind >= 0:
        last_in[behind] = ahead
    if ahead >= 0:
        next_in[ahead] = behind
    else:
        first[cell] = behind


@part
def forget_window(s, in_set, members, store):
    """Take all tuples, the members, out of a window or out of the set of its source."""
    rows, paths, start, filled, place = store[:5]
    for x in range(len(paths)):
        if paths[x, PATH_SOURCE] == s:
            first = paths[x, PATH_FIRST]
            for bucket in range(first, first + paths[x, PATH_BUCKETS]):
                for row in range(start[bucket], start[bucket] + filled[bucket]):
                    thing = rows[row, ROW_THING]
                    place[x, thing] = 0
                    if in_set and len(store.first):
                        store.first[thing] = -1
                filled[bucket] = 0
    for u in members:
        store.alive[u] = False
    store.tuples[s] = store.entries[s] = 0
