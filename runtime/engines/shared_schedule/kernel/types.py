"""What the kernels of scheduled joins are given and return: arrays under their names.

Partial window p (from 1) is what lies between the windows p - 1 and p; arrays by window have a
place 0 for "nothing scanned yet". A class is what queries ask of both members of a result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# What is counted of a join.
COMPARISONS, INSERTS, EXPIRY_CHECKS = range(3)
JOIN_COUNTS = 3
# How a policy values the queues: by a table, by deadlines of heads, or by how long heads waited.
TABLE, DEADLINE, STRETCH = range(3)
# What a server's row has: its time, results that it holds, and the tuple that it completed last,
# which its measures of queue and buffer have not seen yet (side -1: none); dropped tuples by side.
NOW, HELD, DONE_SIDE, DONE_DROPPED, FIRST_DROPPED, SECOND_DROPPED = range(6)
SERVER_FIELDS = 6
# What is measured of a server: nanoseconds it worked, tuple-nanoseconds that tuples waited and that
# results were held, and the largest queue, number of held results, and join buffer.
BUSY, WAITED, HELD_TIME, QUEUE_MAX, HELD_MAX, BUFFER_MAX = range(6)
SERVER_MEASURES = 6
# A sum of nanoseconds in two numbers, so that it cannot overflow: hundreds of millions, and rest.
HIGH, LOW = range(2)
# A batch that is the last reaches as far as there is work.
FOREVER = 2**62


class VisibleTuples(NamedTuple):
    """The tuples that a batch can see, in arrival order, the stored ones first.

    The age of a stored tuple u when k arrives is now[k] - own[u], in microseconds or rows. The
    digest depends on the order of FROM: `hashes` are by it, `turned` by the other way round. `bits`
    say which conditions of its stream a tuple satisfies.
    """

    side: np.ndarray
    bucket: np.ndarray
    key: np.ndarray
    now: np.ndarray
    ts: np.ndarray
    hashes: np.ndarray
    turned: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    bits: np.ndarray


class Line(NamedTuple):
    """Both sides one behind the other, each in arrival order: which tuple is at each place, its
    key, own age and hashes, and the place of the tuple before it in its bucket (where windows are
    hashed)."""

    tuple_at: np.ndarray
    keys: np.ndarray
    own: np.ndarray
    hashes: np.ndarray
    turned: np.ndarray
    older: np.ndarray


class BatchCursor(NamedTuple):
    """How far the tuples of a batch have come.

    `position` has the next tuple to arrive, and by side the place behind the newest stored one.
    `heads[side, p]` is the place of the oldest tuple in window p; `dropped` counts, by side, those
    that left the largest. `newest` is by side and bucket the place of the newest, or -1.
    """

    position: np.ndarray
    heads: np.ndarray
    dropped: np.ndarray
    newest: np.ndarray


class Classes(NamedTuple):
    """What queries ask of results: a condition on each side (-1: none), members that arrived at
    `since` or later, and up to the window `widest`. The first class asks nothing. `both`: some
    query's FROM is turned."""

    first: np.ndarray
    second: np.ndarray
    since: np.ndarray
    widest: np.ndarray
    both: bool


class Outers(NamedTuple):
    """Tuples that were scanned for, as far as servers need them; times are in nanoseconds.

    By window: `spent` on scans up to there. By class and window: `found` so many matches up to
    there, and `offsets_sum` the sum of the offsets in that partial window alone. An offset is the
    time from the begin of a partial scan until a match is found; those of a class stand in
    `offsets` from `first` on. `dropped` counts tuples of the other stream that had left then.
    """

    ts: np.ndarray
    side: np.ndarray
    dropped: np.ndarray
    spent: np.ndarray
    found: np.ndarray
    offsets_sum: np.ndarray
    first: np.ndarray
    offsets: np.ndarray


class ResultCounts(NamedTuple):
    """Counts of results by class and partial window: all, those counted, condition checks, and
    digests in both orders of FROM."""

    results: np.ndarray
    counted: np.ndarray
    checks: np.ndarray
    digests: np.ndarray


class ServerPolicy(NamedTuple):
    """What a server does. `points` are the windows at which a scan may end, the first is 0.

    Of queue i, with j the next larger queue that is not empty: TABLE compares rank[i, j]; DEADLINE
    compares arrival + due[i]; STRETCH compares waiting time / length[i]. The winner scans up to
    target[i, j]; points are counted from 0 there. Of equals the larger window wins, or the
    `smaller`. `at_ends`: results are released at ends of partial scans only.
    """

    mode: int
    points: np.ndarray
    rank: np.ndarray
    target: np.ndarray
    due: np.ndarray
    length: np.ndarray
    smaller: bool
    at_ends: bool


class Server(NamedTuple):
    """Where a policy stands: a row of fields, by point how many outers have reached it, and by
    outer the window up to which its results are released, and when its last scan ended."""

    row: np.ndarray
    reached: np.ndarray
    upto: np.ndarray
    ended: np.ndarray


class Delays(NamedTuple):
    """What queries waited, by slot: a slot is a class and a window. Counts and sums are kept as
    differences from slot to slot, since a result goes to all windows from its own on.

    `scans` are sums over outers by window.
    """

    sums: np.ndarray
    histogram: np.ndarray
    largest: np.ndarray
    scans: np.ndarray
    measures: np.ndarray


class MeasuredSpan(NamedTuple):
    """Outers that arrive from `warmup` on are measured, queues until `end`."""

    warmup: int
    end: int
