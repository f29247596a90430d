"""An arrival finds its results: members by row of the relation, then all their combinations."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.digest import result_hash
from runtime.engines.kernels.inlining import part
from runtime.engines.load_shedding.kernel.aggregates import aggregate
from runtime.engines.load_shedding.kernel.types import GAIN_AND_LOSS, RANDOM, ProbeResults


def found_of(arms, codes, rows, nodes, aggregates):
    """Room to collect in: rows found, so many members, and a result of so many aggregates."""
    return ProbeResults(
        np.zeros(max(1, rows), np.int64),
        np.full((arms, codes), -1, np.int64),
        np.zeros((arms, max(1, rows)), np.int64),
        np.full((arms, max(1, rows)), -1, np.int64),
        np.zeros((arms, max(1, rows)), np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(arms + 1, np.int64),
        np.zeros(arms + 1, np.int64),
        np.zeros(arms + 1, np.int64),
        np.zeros(arms + 1, np.uint64),
        np.zeros(arms + 1, np.int64),
        np.zeros(arms + 1),
        np.zeros(aggregates),
    )


@njit(nogil=True)
def more_nodes(found):
    """The same with room for more members."""
    size = 2 * len(found.node_tuple)
    return ProbeResults(
        found.rows, found.wanted, found.wanted_next, found.members, found.counts,
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64),
        found.cursor, found.chosen, found.chosen_slot, found.hash, found.least, found.chance,
        found.amounts,
    )  # fmt: skip


@part
def collect(u, a, instant, seen, arm, facts, kept, found):  # noqa: C901
    """Scan what the other arms store, and arrived in this instant before u, for members.

    Returns the rows that u matches, the tuples examined, and how many combinations there are; -1
    where there was no room for all members.
    """
    arms = facts.stored.shape[1]
    count = 0
    r = facts.first[a, seen.keys[u, a]]
    while r >= 0:
        found.rows[count] = r
        for j in range(arms):
            found.members[j, count] = -1
            found.counts[j, count] = 0
            if j != a:
                key = facts.keys[r, j]
                found.wanted_next[j, count] = found.wanted[j, key]
                found.wanted[j, key] = count
        count += 1
        r = facts.next[a, r]
    nodes, examined = 0, 0
    room = len(found.node_tuple)
    for j in range(arms):
        if j == a:
            continue
        for slot in range(kept.high[j]):
            key = kept.key[j, slot]
            if key < 0:
                continue
            examined += 1
            n = found.wanted[j, key]
            while n >= 0:
                v = kept.tuples[j, slot]
                if facts.begin[found.rows[n]] <= seen.ts[v]:
                    if nodes < room:
                        _add(nodes, j, n, v, slot, found)
                    nodes += 1
                n = found.wanted_next[j, n]
    for v in range(instant, u):
        j = arm[v]
        if j == a or j < 0:
            continue
        examined += 1
        n = found.wanted[j, seen.keys[v, j]]
        while n >= 0:
            if nodes < room:
                _add(nodes, j, n, v, -1, found)
            nodes += 1
            n = found.wanted_next[j, n]
    combinations = 0
    for n in range(count):
        of_row = 1
        for j in range(arms):
            if j != a:
                found.wanted[j, facts.keys[found.rows[n], j]] = -1
                of_row *= found.counts[j, n]
        combinations += of_row
    return count, examined, -1 if nodes > room else combinations


@part
def _add(node, j, n, v, slot, found):
    found.node_tuple[node] = v
    found.node_slot[node] = slot
    found.node_next[node] = found.members[j, n]
    found.members[j, n] = node
    found.counts[j, n] += 1


@part
def combine(  # noqa: C901
    u, a, count, shape, seen, hashes, facts, kept, learned, found, counters, keep_rows, rows,
    results,
):  # fmt: skip
    """Make all combinations of the members of each row. Returns the digest and the importance.

    Where victims are chosen at random, each result counts for those that were lost.
    """
    arms = facts.stored.shape[1]
    random = shape.policy == RANDOM
    levels = arms - 1
    digest, importance = np.uint64(0), 0
    for n in range(count):
        complete = True
        for j in range(arms):
            complete = complete and (j == a or found.counts[j, n] > 0)
        if not complete:
            continue
        row = facts.tuples[found.rows[n]]
        found.hash[0] = hashes[u] ^ hashes[row]
        found.least[0] = seen.importance[u]
        found.chance[0] = 0.0
        level = 0
        if levels > 0:
            found.cursor[0] = found.members[_arm_at(0, a), n]
        while level >= 0:
            if level == levels:
                digest += result_hash(found.hash[level])
                importance += found.least[level]
                weight = 1.0
                if random:
                    weight = np.exp(-found.chance[level])
                    counters.estimated[0] += weight
                    counters.estimated[1] += weight * found.least[level]
                if len(shape.amount_source) > 0:
                    aggregate(u, a, row, weight, shape, seen, kept, learned, found, counters)
                if shape.policy == GAIN_AND_LOSS:
                    _count_used(a, levels, kept, found)
                if keep_rows:
                    _write(u, a, row, shape, seen, found, rows, results)
                results += 1
                level -= 1
                continue
            node = found.cursor[level]
            if node < 0:
                level -= 1
                continue
            found.cursor[level] = found.node_next[node]
            j = _arm_at(level, a)
            v, slot = found.node_tuple[node], found.node_slot[node]
            found.hash[level + 1] = found.hash[level] ^ hashes[v]
            found.least[level + 1] = min(found.least[level], seen.importance[v])
            found.chance[level + 1] = found.chance[level]
            if random and slot >= 0:
                found.chance[level + 1] += learned.survived[j] - kept.since[j, slot]
            found.chosen[level] = v
            found.chosen_slot[level] = slot
            level += 1
            if level < levels:
                found.cursor[level] = found.members[_arm_at(level, a), n]
    return digest, importance


@part
def _arm_at(level, a):
    """The arm at a level of combinations: all but a, in order."""
    return level if level < a else level + 1


@part
def _count_used(a, levels, kept, found):
    """The stored members of a result were in it."""
    for level in range(levels):
        if found.chosen_slot[level] >= 0:
            kept.used[_arm_at(level, a), found.chosen_slot[level]] += 1


@part
def _write(u, a, row, shape, seen, found, rows, results):
    """A result as the places of its members in their streams, and its time."""
    rows[results, shape.place[a]] = seen.seq[u]
    for level in range(len(shape.place) - 1):
        rows[results, shape.place[_arm_at(level, a)]] = seen.seq[found.chosen[level]]
    if not shape.implicit:
        rows[results, seen.source[row]] = seen.seq[row]
    rows[results, shape.sources] = seen.ts[u]
