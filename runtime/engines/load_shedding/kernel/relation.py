"""The relation's active rows: they come, end, and are reached by scan, search, index or hash."""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part
from runtime.engines.load_shedding.kernel.types import HASH, INDEX, SEARCH, Facts


def facts_of(shape, rows, keys, begin):
    """Room for so many rows of the relation, none of which is active yet."""
    arms, count = len(shape.place), len(rows)
    return Facts(
        rows,
        keys,
        begin,
        np.zeros((count, arms), np.int64),
        *_lists(arms, int(shape.codes.max()), count),
        *_lists(arms, int(shape.buckets.max()), count),
        np.zeros((arms, count), np.int64),
        np.zeros(1, np.int64),
    )


def _lists(arms, places, count):
    """Empty lists of rows: the first and the last of each, the next and the previous of a row."""
    sizes = (places, places, count, count)
    return [np.full((arms, size), -1, np.int64) for size in sizes]


@part
def begin_row(r, shape, facts):
    """A row becomes active: no stored tuple is older than it, and valid for it."""
    for a in range(len(shape.place)):
        key = np.int64(facts.keys[r, a])
        _link(r, a, key, facts.first, facts.last, facts.next, facts.previous)
        access = shape.access[a]
        if access == SEARCH:
            at = facts.active[0]
            while at > 0 and facts.keys[facts.ordered[a, at - 1], a] > key:
                facts.ordered[a, at] = facts.ordered[a, at - 1]
                at -= 1
            facts.ordered[a, at] = r
        elif access != INDEX:
            bucket = key % shape.buckets[a]
            _link(
                r, a, bucket, facts.bucket_first, facts.bucket_last, facts.bucket_next,
                facts.bucket_previous,
            )  # fmt: skip
        facts.stored[r, a] = 0
    facts.active[0] += 1


@part
def end_row(r, shape, facts):
    """A row is no longer active."""
    facts.active[0] -= 1
    for a in range(len(shape.place)):
        key = np.int64(facts.keys[r, a])
        _unlink(r, a, key, facts.first, facts.last, facts.next, facts.previous)
        access = shape.access[a]
        if access == SEARCH:
            at = _first_of_key(key, a, facts, facts.active[0] + 1)[0]
            while facts.ordered[a, at] != r:
                at += 1
            for later in range(at, facts.active[0]):
                facts.ordered[a, later] = facts.ordered[a, later + 1]
        elif access != INDEX:
            bucket = key % shape.buckets[a]
            _unlink(
                r, a, bucket, facts.bucket_first, facts.bucket_last, facts.bucket_next,
                facts.bucket_previous,
            )  # fmt: skip


@part
def look_up(key, a, shape, facts):
    """How many rows an arrival matches, and how many were examined to find them."""
    matched, examined = 0, 0
    access = shape.access[a]
    if access == INDEX:
        r = facts.first[a, key]
        while r >= 0:
            matched += 1
            r = facts.next[a, r]
        return matched, matched
    if access == SEARCH:
        at, examined = _first_of_key(key, a, facts, facts.active[0])
        while at < facts.active[0] and facts.keys[facts.ordered[a, at], a] == key:
            matched += 1
            at += 1
        return matched, examined + matched
    bucket = key % shape.buckets[a] if access == HASH else 0
    r = facts.bucket_first[a, bucket]
    while r >= 0:
        examined += 1
        matched += np.int64(facts.keys[r, a] == key)
        r = facts.bucket_next[a, r]
    return matched, examined


@part
def matches_of(key, ts, a, facts):
    """How many combinations of stored tuples of the other arms a tuple is joined with."""
    found = 0
    r = facts.first[a, key]
    while r >= 0:
        if facts.begin[r] <= ts:
            combinations = 1
            for j in range(facts.stored.shape[1]):
                if j != a:
                    combinations *= facts.stored[r, j]
            found += combinations
        r = facts.next[a, r]
    return found


@part
def has_row(key, ts, a, facts):
    """Whether an active row is valid for a stored tuple."""
    r = facts.first[a, key]
    while r >= 0:
        if facts.begin[r] <= ts:
            return True
        r = facts.next[a, r]
    return False


@part
def add_stored(key, ts, a, change, facts):
    """A tuple is stored (1) or leaves (-1): the rows that are valid for it count it."""
    r = facts.first[a, key]
    while r >= 0:
        if facts.begin[r] <= ts:
            facts.stored[r, a] += change
        r = facts.next[a, r]


@part
def _first_of_key(key, a, facts, active):
    """Where rows of this key begin in the ordered ones, and the steps of the search."""
    low, high, steps = 0, active, 0
    while low < high:
        middle = (low + high) // 2
        steps += 1
        if facts.keys[facts.ordered[a, middle], a] < key:
            low = middle + 1
        else:
            high = middle
    return low, steps


@part
def _link(r, a, place, first, last, following, previous):
    """Behind all others: sums over a list are the same wherever batches were cut."""
    before = last[a, place]
    following[a, r] = -1
    previous[a, r] = before
    if before >= 0:
        following[a, before] = r
    else:
        first[a, place] = r
    last[a, place] = r


@part
def _unlink(r, a, place, first, last, following, previous):
    before, after = previous[a, r], following[a, r]
    if before >= 0:
        following[a, before] = after
    else:
        first[a, place] = after
    if after >= 0:
        previous[a, after] = before
    else:
        last[a, place] = before
