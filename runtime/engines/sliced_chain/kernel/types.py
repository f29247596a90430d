"""What the kernel of sliced joins is given and returns: arrays under their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# What is counted of a slice, by its place in a row of counts.
PURGES, PROBES, FOUND, INSERTS, ROUTES, ROUTED, REPLICAS = range(7)
SLICE_COUNTS = 7
# What is counted of a select in a slice, of a filter, or of another gate.
LOOKS, PASSED = range(2)


class Members(NamedTuple):
    """The tuples that a chain may see, in arrival order, as the chain sees them.

    `side` is 0 for tuples of its first stream and 1 for those of its second. The age of a stored
    tuple u, when a male k comes, is now[k] - own[u], in microseconds or rows. A female is let into
    a slice that starts below its `survival`, a male into one that starts below its `reach`. The
    answer digest depends on the order of FROM: `hashes` are by it, `turned` by the other way round.
    `bits` say which conditions of its stream a tuple satisfies.
    """

    side: np.ndarray
    bucket: np.ndarray
    key: np.ndarray
    own: np.ndarray
    now: np.ndarray
    ts: np.ndarray
    mine: np.ndarray
    survival: np.ndarray
    reach: np.ndarray
    hashes: np.ndarray
    turned: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    bits: np.ndarray


class Slice(NamedTuple):
    """One sliced join, and how its results are told apart for the queries that tap it.

    Tuples of a side leave it at the age `ends[side]`; what lives on enters the slice that starts at
    `following`, which is above every window where there is none. A result whose stored member is
    of side o lies in one of the segments between `windows[o]` (the first `inside[o]` of them are
    interior windows); `whole[o]` says that some query takes them all. A pair p of conditions (on
    each side the number of one, -1 where none is looked at) wants the segments below
    `wanted[o, p]`, and members that arrived at `since[p]` or later.
    """

    ends: np.ndarray
    following: int
    windows: np.ndarray
    inside: np.ndarray
    whole: np.ndarray
    conditions: np.ndarray
    wanted: np.ndarray
    since: np.ndarray


class SliceSpan(NamedTuple):
    """Counting covers what happens from `warmup` on, state what is held until `end`."""

    warmup: int
    end: int


class SliceResults(NamedTuple):
    """The results of a slice by side of the stored member and segment (rows) and pair (columns).

    `counted` leaves those of the warm-up out. The digests are in both orders of FROM. `pairs` are
    the results themselves where they are kept: first and second member, side, and segment.
    """

    results: np.ndarray
    counted: np.ndarray
    digests: np.ndarray
    pairs: np.ndarray


class Passage(NamedTuple):
    """What a slice leaves behind: its stored females by side, and the queue to the next slice.

    `events` are 2 * tuple for a female and 2 * tuple + 1 for a male; `causes` are the males that
    sent them on.
    """

    first: np.ndarray
    second: np.ndarray
    events: np.ndarray
    causes: np.ndarray
