"""What an aggregation tells of its groups: each change, and the blocks that are closed."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.early_aggregation.kernel.groups import forget_groups
from runtime.engines.early_aggregation.kernel.types import BROUGHT, GROUP_KEY, GROUP_ROWS
from runtime.engines.kernels.inlining import part


@njit(nogil=True)
def with_rows(rows, size, more):
    """The same rows with room for more."""
    if size + more <= len(rows):
        return rows
    larger = np.empty((2 * (size + more), rows.shape[1]), np.int64)
    for row in range(size):
        for column in range(rows.shape[1]):
            larger[row, column] = rows[row, column]
    return larger


@njit(nogil=True)
def longer(numbers, length):
    """The same numbers with room for more."""
    longer = np.zeros(length, np.int64)
    for n in range(len(numbers)):
        longer[n] = numbers[n]
    return longer


@part
def write_group(rows, row, at, slot, held):
    """A group as it is now, from a column on: its key, its rows, what is kept per aggregate."""
    rows[row, at] = held[slot, GROUP_KEY]
    rows[row, at + 1] = held[slot, GROUP_ROWS]
    for column in range(BROUGHT, held.shape[1]):
        rows[row, at + 2 + column - BROUGHT] = held[slot, column]


@njit(nogil=True)
def close_block(blocks, closed, begin, groups, values):
    """Windows of one length end together: the output is read, and begun anew."""
    held = groups.held
    blocks = with_rows(blocks, closed, groups.sizes[1])
    for slot in range(groups.sizes[0]):
        if held[slot, GROUP_ROWS] > 0:
            blocks[closed, 0] = begin
            write_group(blocks, closed, 1, slot, held)
            closed += 1
    forget_groups(held)
    groups.table[:] = -1
    groups.sizes[0] = groups.sizes[1] = 0
    values.key[:] = -1
    values.rows[:] = 0
    values.sizes[0] = 0
    return blocks, closed
