"""When a shared join scans what, and when each query is given its results: by definition.

One server scans outer tuples, one at a time, newest inner tuple first. A scan is not interrupted.
Queue i holds, oldest first, the tuples that have scanned the window w_i. When a scan ends the
policy looks at the queues, takes the head of one, and says how far it scans. Plain Python over
lists and fractions; nothing is taken of the kernels. Times are whole nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

NEVER = -(2**62)

Queues = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Outer:
    """A tuple that scans: when it came, and by partial window the inner tuples it looks at.

    An inner tuple stands for itself where it matches, and is None where it does not. Of the other
    stream than its own so many had `left` the largest window.
    """

    ts: int
    partials: Sequence[Sequence[Any]]
    stream: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """What a comparison and an output take, in picoseconds."""

    compare: int
    output: int = 0

    def spent(self, comparisons: int, outputs: int) -> int:
        """The nanoseconds of so much work on one partial window."""
        return (comparisons * self.compare + outputs * self.output) // 1000


# Given the queues, the time and the outer tuples: which queue's head scans, and up to which window.
Choice = Callable[[Queues, int, Sequence[Outer]], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy acts at its points: 0, and the numbers of windows at which a scan may end.

    `at_ends`: results are released at ends of scans of partial windows, not as they are found.
    """

    points: Sequence[int]
    choose: Choice
    at_ends: bool = False

    def next_point(self, i: int) -> int:
        """The first point behind this one."""
        return next(point for point in self.points if point > i)


class Busy(NamedTuple):
    """A scan of an outer tuple from the window `first` to the window `last`."""

    outer: int
    first: int
    last: int
    begin: int
    end: int


class Found(NamedTuple):
    """A match: who found it in which partial window (from 1), and when."""

    outer: int
    partial: int
    inner: Any
    at: int


class Released(NamedTuple):
    """A result as it is given to a query."""

    at: int
    outer: int
    inner: Any


@dataclass(slots=True)
class Trace:
    """All that happened: scans in turn, matches as they were found, and window ends by tuple."""

    outers: Sequence[Outer]
    scans: list[Busy] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    ends: list[dict[int, int]] = field(default_factory=list)

    def older_done(self, outer: int, window: int) -> int:
        """When all older tuples had completed a window."""
        return max((self.ends[older][window] for older in range(outer)), default=NEVER)


def partial_ends(outer: Outer, first: int, last: int, begin: int, clock: Clock) -> dict[int, int]:
    """When a scan that begins then completes each of its windows."""
    ends = {}
    for window in range(first + 1, last + 1):
        examined = outer.partials[window - 1]
        begin += clock.spent(len(examined), sum(inner is not None for inner in examined))
        ends[window] = begin
    return ends


def matches_found(outers: Sequence[Outer], number: int, window: int, begin: int, clock: Clock):
    """The matches of one partial window whose scan begins then, as they are found."""
    outputs = 0
    for place, inner in enumerate(outers[number].partials[window - 1], start=1):
        if inner is not None:
            outputs += 1
            yield Found(number, window, inner, begin + clock.spent(place, outputs))


def scheduled(outers: Sequence[Outer], policy: Policy, clock: Clock, free: int = NEVER) -> Trace:
    """Serve all tuples, the server being free from then on."""
    widest = policy.points[-1]
    queues: list[list[int]] = [[] for _ in range(widest + 1)]
    trace = Trace(outers, ends=[{} for _ in outers])
    arrived, now = 0, free
    while True:
        while arrived < len(outers) and outers[arrived].ts <= now:
            queues[0].append(arrived)
            arrived += 1
        if not any(queues[:widest]):
            if arrived == len(outers):
                return trace
            now = outers[arrived].ts
            continue
        first, last = policy.choose(queues, now, outers)
        outer = queues[first].pop(0)
        ends = partial_ends(outers[outer], first, last, now, clock)
        begins = [now, *ends.values()]
        for window, begin in zip(ends, begins, strict=False):
            trace.found += matches_found(outers, outer, window, begin, clock)
        trace.ends[outer] |= ends
        trace.scans.append(Busy(outer, first, last, now, ends[last]))
        queues[last].append(outer)
        now = ends[last]


def released(trace: Trace, policy: Policy, window: int) -> list[Released]:
    """What the queries with a window are given, in the order in which they are given it."""
    given = []
    for found in trace.found:
        if found.partial > window:
            continue
        older = trace.older_done(found.outer, window)
        if policy.at_ends:
            ends = (trace.ends[found.outer][r] for r in range(found.partial, window + 1))
            at = next(end for end in ends if end >= older)
        else:
            at = max(found.at, older)
        given.append(Released(at, found.outer, found.inner))
    # Results of one instant come in the order of their outer tuples, each as it was found.
    return sorted(given, key=lambda result: (result.at, result.outer))


def isolated(outers: Sequence[Outer], window: int, clock: Clock, free: int = NEVER) -> Trace:
    """A query alone on a server of its own: first come first served, its own window only."""
    return scheduled(outers, Policy((0, window), oldest(window)), clock, free)


# --- policies ------------------------------------------------------------------------------------


def oldest(widest: int) -> Choice:
    """The oldest tuple scans everything at once."""
    return lambda _queues, _now, _outers: (0, widest)


def largest_window_only(widest: int) -> Policy:
    """LWO."""
    return Policy((0, widest), oldest(widest))


def smallest_window_first(points: Sequence[int]) -> Policy:
    """SWF: the head of the first queue that is not empty scans one partial window."""

    def choose(queues: Queues, _now: int, _outers: Sequence[Outer]) -> tuple[int, int]:
        first = next(i for i, queue in enumerate(queues) if queue)
        return first, next(point for point in points if point > first)

    return Policy(points, choose, at_ends=True)


def query_throughput(
    windows: Sequence[int], weights: Sequence[Fraction | int], i: int, j: int
) -> dict[int, Fraction]:
    """C_ik / (w_k - w_i) for every k; `windows` begin with 0, and so do the weights of queries."""
    return {
        k: Fraction(sum(weights[i + 1 : k + 1]), windows[k] - windows[i])
        for k in range(i + 1, j + 1)
    }


def maximum_query_throughput(
    windows: Sequence[int],
    weights: Sequence[Fraction | int],
    points: Sequence[int],
    ties: str = "larger",
) -> Policy:
    """MQT, and MQT by weights of queries: the queue with the largest value of the matrix."""

    def choose(queues: Queues, _now: int, _outers: Sequence[Outer]) -> tuple[int, int]:
        best: tuple[Fraction, int, int] | None = None
        j = points[-1]
        for i in reversed(points[:-1]):
            if not queues[i]:
                continue
            values = query_throughput(windows, weights, i, j)
            allowed = {k: value for k, value in values.items() if k in points}
            value = max(allowed.values())
            fitting = [k for k in allowed if allowed[k] == value]
            k = max(fitting) if ties == "larger" else min(fitting)
            if best is None or value > best[0] or (value == best[0] and ties == "smaller"):
                best = value, i, k
            j = i
        assert best is not None
        return best[1:]

    return Policy(points, choose)


def most_urgent(
    points: Sequence[int], urgency: Callable[[int, int, int], Any], ties: str = "larger"
) -> Policy:
    """The head with the largest urgency, of the arrival, its queue and the time, scans one more."""

    def choose(queues: Queues, now: int, outers: Sequence[Outer]) -> tuple[int, int]:
        waiting = [i for i in reversed(points[:-1]) if queues[i]]
        values = [urgency(outers[queues[i][0]].ts, i, now) for i in waiting]
        fitting = [i for i, value in zip(waiting, values, strict=True) if value == max(values)]
        first = fitting[0] if ties == "larger" else fitting[-1]
        return first, next(point for point in points if point > first)

    return Policy(points, choose)


def earliest_deadline(
    deadlines: Sequence[int | None], points: Sequence[int], ties: str = "larger"
) -> Policy:
    """EDF: what is due first; `deadlines` are the tightest by window, the first is of none.

    A tuple is due when the most urgent query is that still waits for one of its windows. After all
    of these come tuples that nobody waits for, the oldest first.
    """

    def urgency(ts: int, i: int, _now: int) -> tuple[bool, int]:
        due = [deadline for deadline in deadlines[i + 1 :] if deadline is not None]
        return bool(due), -(ts + min(due, default=0))

    return most_urgent(points, urgency, ties)


def least_stretch(
    lengths: Mapping[int, int], points: Sequence[int], ties: str = "larger"
) -> Policy:
    """FAIR: who has waited longest, measured by a length that each queue has."""
    return most_urgent(points, lambda ts, i, now: Fraction(now - ts, lengths[i]), ties)
