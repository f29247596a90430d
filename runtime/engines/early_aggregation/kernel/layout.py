"""How tuples of windows and entries of aggregation sets are laid out to be probed.

A bucket's rows stand side by side, and all that a probe reads of a tuple or an entry stands in its
row. Row 0 is that of the tuple whose event it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runtime.engines.early_aggregation.kernel.groups import has_extrema
from runtime.engines.early_aggregation.kernel.types import (
    BROUGHT,
    EACH,
    AggregationArrivals,
    Functions,
    Sources,
)
from runtime.engines.kernels.loop_types import LoopTable, Paths

# The columns of a path: whose it is, the column of its key in a row (below 0: none), its buckets,
# and which of all buckets is its first.
PATH_SOURCE, PATH_KEY, PATH_BUCKETS, PATH_FIRST = range(4)


class PathStore(NamedTuple):
    """Rows of tuples or of entries, in every path that is probed.

    Per bucket where its rows start and how many there are; per path and thing (a tuple, or the cell
    that an entry is of) its place. Tuples of one entry are chained where extrema are looked for.
    """

    rows: np.ndarray
    paths: np.ndarray
    start: np.ndarray
    filled: np.ndarray
    place: np.ndarray
    first: np.ndarray
    next_in: np.ndarray
    last_in: np.ndarray
    alive: np.ndarray
    # Live tuples, and entries, per source.
    tuples: np.ndarray
    entries: np.ndarray


def probed_paths(
    loops: LoopTable, paths: Paths, kept: Sequence[int]
) -> tuple[np.ndarray, LoopTable]:
    """The paths that some level takes, and `kept`; the loops with these paths' numbers.

    Every source has one, also where it is not probed: the entries of its set stand there.
    """
    taken = np.unique(np.append(loops.path[:, 1:], kept)).astype(np.int64)
    count = len(loops.path)
    unprobed = np.setdiff1d(np.arange(count), paths.source[taken])
    taken = np.union1d(taken, unprobed)
    return taken, loops._replace(path=np.searchsorted(taken, loops.path))


def empty_store(
    paths: Paths,
    sources: Sources,
    functions: Functions,
    seen: AggregationArrivals,
    members: Sequence[np.ndarray],
) -> PathStore:
    """Room for the tuples of a batch in these paths; `members` are those of each source."""
    keys_from = BROUGHT + EACH * len(functions.function)
    first = np.concatenate([[0], np.cumsum(paths.buckets)])
    capacity = [
        np.bincount(seen.keys[members[s], key] % buckets, minlength=buckets)
        if key >= 0
        else np.array([len(members[s])])
        for s, key, buckets in zip(paths.source, paths.key, paths.buckets, strict=True)
    ]
    start = np.concatenate([[1], 1 + np.cumsum(np.concatenate(capacity))]).astype(np.int64)
    key = np.where(paths.key < 0, -1, paths.key + keys_from)
    cells, tuples = int(sources.first_cell[-1]), len(seen.ts)
    chained = has_extrema(functions.function)
    return PathStore(
        np.empty((start[-1], keys_from + seen.keys.shape[1]), np.int64),
        np.stack([paths.source, key, paths.buckets, first[:-1]], axis=1),
        start,
        np.zeros(first[-1], np.int64),
        np.zeros((len(paths.source), max(tuples, cells)), np.int64),
        np.full(cells if chained else 0, -1, np.int64),
        np.zeros(tuples if chained else 0, np.int64),
        np.zeros(tuples if chained else 0, np.int64),
        np.zeros(tuples, np.bool_),
        np.zeros(len(sources.kind), np.int64),
        np.zeros(len(sources.kind), np.int64),
    )
