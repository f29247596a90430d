"""When a shared join scans what, and when each query is given its results: by definition.

One server scans outer tuples, one at a time, newest inner tuple first. A scan is not interrupted.
Queue i holds, oldest first, the tuples that have scanned the window w_i. When a scan ends the
policy looks at the queues, takes the head of one, and says how far it scans. Plain Python over
lists and fractions; nothing is taken of the kernels, which are compared with it, and the Teach page
shows what it does. Times are whole nanoseconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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
class WorkClock:
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
class ScheduleTrace:
    """All that happened: scans in turn, matches as they were found, and window ends by tuple."""

    outers: list[Outer]
    scans: list[Busy] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    ends: list[dict[int, int]] = field(default_factory=list)

    def older_done(self, outer: int, window: int) -> int:
        """When all older tuples had completed a window."""
        return max((self.ends[older][window] for older in range(outer)), default=NEVER)


def partial_ends(
    outer: Outer, first: int, last: int, begin: int, clock: WorkClock
) -> dict[int, int]:
    """When a scan that begins then completes each of its windows."""
    ends = {}
    for window in range(first + 1, last + 1):
        examined = outer.partials[window - 1]
        begin += clock.spent(len(examined), sum(inner is not None for inner in examined))
        ends[window] = begin
    return ends


def matches_found(
    outers: Sequence[Outer], number: int, window: int, begin: int, clock: WorkClock
) -> Iterator[Found]:
    """The matches of one partial window whose scan begins then, as they are found."""
    outputs = 0
    for place, inner in enumerate(outers[number].partials[window - 1], start=1):
        if inner is not None:
            outputs += 1
            yield Found(number, window, inner, begin + clock.spent(place, outputs))


class ScheduleServer:
    """Serves tuples as they arrive, one scan after the other; free from some time on."""

    def __init__(self, policy: Policy, clock: WorkClock, free: int = NEVER) -> None:
        self.policy, self.clock, self.now = policy, clock, free
        self.queues: list[list[int]] = [[] for _ in range(policy.points[-1] + 1)]
        self.trace = ScheduleTrace([])

    @property
    def waits(self) -> bool:
        """Whether some tuple has not scanned everything."""
        return any(self.queues[: self.policy.points[-1]])

    def arrive(self, outer: Outer) -> None:
        """A tuple waits behind those that came before; scans that begin before it must be done."""
        if not self.waits:
            self.now = max(self.now, outer.ts)
        self.queues[0].append(len(self.trace.outers))
        self.trace.outers.append(outer)
        self.trace.ends.append({})

    def scans(self, until: int | None = None) -> Iterator[Busy]:
        """Do the scans that begin before then, or all that are left."""
        while self.waits and (until is None or self.now < until):
            yield self._scan()

    def _scan(self) -> Busy:
        trace, clock, begin = self.trace, self.clock, self.now
        first, last = self.policy.choose(self.queues, begin, trace.outers)
        number = self.queues[first].pop(0)
        ends = partial_ends(trace.outers[number], first, last, begin, clock)
        for window, from_then in zip(ends, [begin, *ends.values()], strict=False):
            trace.found += matches_found(trace.outers, number, window, from_then, clock)
        trace.ends[number] |= ends
        done = Busy(number, first, last, begin, ends[last])
        trace.scans.append(done)
        self.queues[last].append(number)
        self.now = done.end
        return done


def scheduled(
    outers: Sequence[Outer], policy: Policy, clock: WorkClock, free: int = NEVER
) -> ScheduleTrace:
    """Serve all tuples, the server being free from then on."""
    server = ScheduleServer(policy, clock, free)
    for outer in outers:
        deque(server.scans(outer.ts), maxlen=0)
        server.arrive(outer)
    deque(server.scans(), maxlen=0)
    return server.trace


def release_time(
    trace: ScheduleTrace, policy: Policy, found: Found, window: int, older: int
) -> int | None:
    """When the queries with a window are given a match, the older tuples having completed it then;
    None where that depends on scans that are still to come."""
    if not policy.at_ends:
        return max(found.at, older)
    ends = trace.ends[found.outer]
    known = (ends[r] for r in range(found.partial, window + 1) if r in ends)
    return next((end for end in known if end >= older), None)


class Releases:
    """What windows are given as a server goes on, each window's results in turn."""

    def __init__(self, server: ScheduleServer, windows: Sequence[int]) -> None:
        self._server = server
        # By window: the oldest tuple that has not completed it, and when those before it had.
        self._oldest = dict.fromkeys(windows, 0)
        self._done = dict.fromkeys(windows, NEVER)
        self._given: dict[tuple[int, int], int] = {}
        self._found: list[list[Found]] = []
        self._seen = 0

    def next(self) -> Iterator[tuple[int, Released]]:
        """What has become free since this was asked last, each with the window."""
        trace = self._server.trace
        self._found += [[] for _ in range(len(trace.outers) - len(self._found))]
        for found in trace.found[self._seen :]:
            self._found[found.outer].append(found)
        self._seen = len(trace.found)
        for window in self._oldest:
            yield from ((window, released) for released in self._of(window))

    def _of(self, window: int) -> Iterator[Released]:
        trace, policy = self._server.trace, self._server.policy
        while (outer := self._oldest[window]) < len(trace.outers):
            own = [found for found in self._found[outer] if found.partial <= window]
            for found in own[self._given.get((window, outer), 0) :]:
                at = release_time(trace, policy, found, window, self._done[window])
                if at is None:
                    break
                self._given[window, outer] = self._given.get((window, outer), 0) + 1
                yield Released(at, outer, found.inner)
            if window not in trace.ends[outer]:
                return
            self._done[window] = max(self._done[window], trace.ends[outer][window])
            self._oldest[window] += 1


def released(trace: ScheduleTrace, policy: Policy, window: int) -> list[Released]:
    """What the queries with a window are given, in the order in which they are given it."""
    given = []
    for found in trace.found:
        if found.partial > window:
            continue
        older = trace.older_done(found.outer, window)
        at = release_time(trace, policy, found, window, older)
        assert at is not None, "all scans are done"
        given.append(Released(at, found.outer, found.inner))
    # Results of one instant come in the order of their outer tuples, each as it was found.
    return sorted(given, key=lambda result: (result.at, result.outer))


def isolated(
    outers: Sequence[Outer], window: int, clock: WorkClock, free: int = NEVER
) -> ScheduleTrace:
    """A query alone on a server of its own: first come first served, its own window only."""
    policy = Policy((0, window), lambda _queues, _now, _outers: (0, window))
    return scheduled(outers, policy, clock, free)
