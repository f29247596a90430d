"""Parts of groups in several partitions, made whole change by change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# In a change: when, which event, and the group with what is kept of it behind that.
TIME, EVENT, ORDER, GROUP, ROWS = range(5)


class WholeGroups:
    """What all partitions have of a group after each change of a part of it.

    Changes are given in the order of events, a batch at a time; between batches the last change of
    every part is kept.
    """

    def __init__(self) -> None:
        self._known: tuple[np.ndarray, NDArray[np.int64]] | None = None

    def after(self, rows: np.ndarray, partition: NDArray[np.int64]) -> np.ndarray:
        """The changes of a batch with the whole of their groups, where they have parts."""
        if self._known is not None:
            known, known_partition = self._known
            whole = np.concatenate([known, rows])
            partition = np.concatenate([known_partition, partition])
        else:
            known, whole = rows[:0], rows
        self._known = _last_of_each_part(whole, partition)
        return _made_whole(whole, partition)[len(known) :]


def _last_of_each_part(
    rows: np.ndarray, partition: NDArray[np.int64]
) -> tuple[np.ndarray, NDArray[np.int64]]:
    newest = rows[::-1, GROUP], partition[::-1]
    _, back = np.unique(np.stack(newest, axis=1), axis=0, return_index=True)
    last = len(rows) - 1 - back
    return rows[last], partition[last]


def _made_whole(rows: np.ndarray, partition: NDArray[np.int64]) -> np.ndarray:
    """After each change, what all partitions then have together.

    Where a group lies in one partition this changes nothing; where it does not there are sums only.
    """
    groups, group = np.unique(rows[:, GROUP], return_inverse=True)
    parts = len(np.unique(np.stack([group, partition], axis=1), axis=0))
    if parts == len(groups):
        return rows
    whole = rows.copy()
    content = slice(ROWS, rows.shape[1])
    # How each change alters its part; then summed up over all parts of the group.
    by_part = np.lexsort((np.arange(len(rows)), partition, group))
    altered = _differences(rows[by_part, content], group[by_part], partition[by_part])
    whole[by_part, content] = altered
    by_group = np.argsort(group, kind="stable")
    sums = np.cumsum(whole[by_group, content], axis=0)
    first = np.searchsorted(group[by_group], np.arange(len(groups)))
    before = np.concatenate([np.zeros((1, sums.shape[1]), np.int64), sums])[first]
    whole[by_group, content] = sums - before[group[by_group]]
    return whole


def _differences(
    content: np.ndarray, group: NDArray[np.int64], partition: NDArray[np.int64]
) -> np.ndarray:
    """Each row less the one before it of the same part."""
    same = (group[1:] == group[:-1]) & (partition[1:] == partition[:-1])
    altered = content.copy()
    altered[1:] -= np.where(same[:, None], content[:-1], 0)
    return altered
