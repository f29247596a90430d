"""The output set of an aggregation: groups found by their key, updated, and recomputed."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.early_aggregation.kernel.distinct_values import EMPTY, count_value, mixed
from runtime.engines.early_aggregation.kernel.types import (
    A_BEST,
    A_PRESENT,
    A_SUM,
    BROUGHT,
    DISTINCT,
    EACH,
    GREATEST,
    GROUP_DOUBT,
    GROUP_KEY,
    GROUP_ROWS,
    GROUP_STAMP,
    LEAST,
    NOTHING,
    ROW_PART,
    ROW_TUPLES,
    GroupSlots,
)
from runtime.engines.kernels.inlining import part


def empty_groups(aggregates: int, slots: int = 64) -> GroupSlots:
    """An output set with room for so many groups, a power of two."""
    held = np.zeros((slots, BROUGHT + EACH * aggregates), np.int64)
    forget_groups(held)
    return GroupSlots(held, np.full(4 * slots, EMPTY, np.int64), np.zeros(3, np.int64))


@njit(cache=True, nogil=True)
def forget_groups(held):
    """Make all slots those of no group."""
    for slot in range(len(held)):
        for column in range(held.shape[1]):
            held[slot, column] = 0
        held[slot, GROUP_KEY] = EMPTY
        held[slot, GROUP_STAMP] = -1
        for column in range(BROUGHT + A_BEST, held.shape[1], EACH):
            held[slot, column] = NOTHING


@njit(nogil=True)
def with_room(groups, possible):
    """The same groups with room for as many more.

    A key is looked for at its own number where all that are possible have a place in the table.
    """
    held, used = groups.held, groups.sizes[0]
    slots, width = held.shape
    larger = np.zeros((2 * slots, width), np.int64)
    forget_groups(larger[slots:])
    table = np.full(8 * slots, EMPTY, np.int64)
    places, direct = np.uint64(len(table) - 1), possible <= len(table)
    for slot in range(slots):
        for column in range(width):
            larger[slot, column] = held[slot, column]
    for slot in range(used):
        key = held[slot, GROUP_KEY]
        at = np.uint64(key) if direct else mixed(key) & places
        while table[at] != EMPTY:
            at = (at + np.uint64(1)) & places
        table[at] = slot
    return GroupSlots(larger, table, groups.sizes)


@njit(inline="always")
def better(function, one, other):
    """Whether a value is nearer the extremum than another, or there is no other."""
    if other == NOTHING:
        return True
    return one < other if function == LEAST else one > other


@njit(inline="always")
def is_extremum(function):
    """Whether an aggregate is a MIN or a MAX."""
    return function in (LEAST, GREATEST)


def has_extrema(function):
    """Whether any aggregate is a MIN or a MAX."""
    return bool(((function == LEAST) | (function == GREATEST)).any())


@part
def find_groups(
    matched, share, times, possible, width, wide, flat, groups, table, sizes, touched, found, slots,
):  # fmt: skip
    """The slots of the groups to which combinations belong, new ones too; their rows are updated.

    A combination is a row that was found with the part of the key that the others bring, so many
    times. Slots are told as places in `held` laid out flat: numbers without a sign and one index
    each are what the machine is quickest at.
    """
    with_part, with_rows = np.uint64(ROW_PART), np.uint64(GROUP_ROWS)
    with_stamp, one = np.uint64(GROUP_STAMP), np.uint64(1)
    places = np.uint64(len(table) - 1)
    direct = possible <= len(table)
    event, used, there, size = sizes[2], sizes[0], 0, np.uint64(touched[0])
    for n in range(matched):
        row = np.uint64(found[n]) * width
        key = share + flat[row + with_part]
        place = np.uint64(key) if direct else mixed(key) & places
        slot = table[place]
        group = np.uint64(slot) * wide
        while slot != EMPTY and groups[group] != key:
            place = (place + one) & places
            slot = table[place]
            group = np.uint64(slot) * wide
        if slot == EMPTY:
            slot = used
            used += 1
            table[place] = slot
            group = np.uint64(slot) * wide
            groups[group] = key
        slots[n] = group
        # Written in any case, and counted where it is new: no branch is guessed.
        touched[size + one] = slot
        size += np.uint64(groups[group + with_stamp] != event)
        groups[group + with_stamp] = event
        before = groups[group + with_rows]
        after = before + times * flat[row]
        groups[group + with_rows] = after
        there += np.int64(after != 0) - np.int64(before != 0)
    sizes[0] = used
    sizes[1] += there
    touched[0] = np.int64(size)


@part
def add_up(
    matched, s, sign, times, width, function, of, base, rows, flat, held, groups, values, found,
    slots,
):  # fmt: skip
    """Add what combinations bring to the aggregates of their groups, or take it away.

    An aggregate of the last source s is brought by the row found, others by `base`.
    """
    present = np.uint64(A_PRESENT)
    for a in range(len(function)):
        column = np.uint64(BROUGHT + EACH * a)
        if of[a] == s:
            for n in range(matched):
                row, group = np.uint64(found[n]) * width + column, slots[n] + column
                groups[group] += flat[row] * times
                groups[group + present] += flat[row + present] * times
        else:
            whole, some = base[a, A_SUM], base[a, A_PRESENT]
            for n in range(matched):
                tuples, group = flat[np.uint64(found[n]) * width], slots[n] + column
                groups[group] += whole * tuples
                groups[group + present] += some * tuples
        if is_extremum(function[a]):
            _compete(matched, a, s, sign, function[a], of, base, rows, held, found, slots)
        elif function[a] == DISTINCT:
            _count_distinct(
                matched, a, s, times, len(function), of, base, rows, held, values, found, slots
            )


@part
def _slot(place, held):
    return np.int64(place // np.uint64(held.shape[1]))


@part
def _brought(a, s, row, of, base, rows):
    """How many values a row and the others bring to an aggregate (0: none), and their extremum."""
    column = BROUGHT + EACH * a
    if of[a] == s:
        return rows[row, column + A_PRESENT], rows[row, column + A_BEST]
    return base[a, A_PRESENT] * rows[row, ROW_TUPLES], base[a, A_BEST]


@part
def _compete(matched, a, s, sign, function, of, base, rows, held, found, slots):
    """Let what combinations bring, or take away, compete for an extremum of their groups.

    Where an extremum is taken away that is the group's own, the group is in doubt.
    """
    column = BROUGHT + EACH * a
    for n in range(matched):
        present, value = _brought(a, s, found[n], of, base, rows)
        if present == 0:
            continue
        slot = _slot(slots[n], held)
        if held[slot, column + A_PRESENT] == 0:
            held[slot, column + A_BEST] = NOTHING
        elif sign > 0:
            if better(function, value, held[slot, column + A_BEST]):
                held[slot, column + A_BEST] = value
        elif value == held[slot, column + A_BEST]:
            held[slot, GROUP_DOUBT] = 1


@part
def _count_distinct(matched, a, s, times, aggregates, of, base, rows, held, values, found, slots):
    """Count the values that combinations bring to their groups, or take away."""
    for n in range(matched):
        present, value = _brought(a, s, found[n], of, base, rows)
        if present:
            slot = _slot(slots[n], held)
            often = present * times if of[a] == s else present
            change = count_value(values, slot * aggregates + a, value, often)
            held[slot, BROUGHT + EACH * a + A_SUM] += change


@part
def gather(matched, s, only, share, function, of, base, rows, held, found):
    """Let combinations compete for the extrema of a group, as far as they belong to it."""
    for n in range(matched):
        if share + rows[found[n], ROW_PART] != held[only, GROUP_KEY]:
            continue
        for a in range(len(function)):
            present, value = _brought(a, s, found[n], of, base, rows)
            column = BROUGHT + EACH * a + A_BEST
            if (
                is_extremum(function[a])
                and present
                and better(function[a], value, held[only, column])
            ):
                held[only, column] = value
