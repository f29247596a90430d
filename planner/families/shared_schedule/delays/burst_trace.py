"""A short burst of the sample under one rule: who is scanned when, and when results leave.

A busy period begins and ends with an idle server, and is the same under every policy: whichever
tuple is served first, the work is done at the same time. So all policies can be laid side by side
on the tuples of one busy period, and nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.delays.sample import ArrivalSample
from planner.families.shared_schedule.delays.simulation import simulated
from planner.families.shared_schedule.delays.waiting_work import waiting_work
from planner.families.shared_schedule.policies import Rule
from planner.joins.arrays import Ints


@dataclass(frozen=True, slots=True)
class TracedScan:
    """The tuple `outer` scans a partial window; times are since the burst began."""

    outer: int
    part: int
    begin_ns: int
    end_ns: int
    matches: int


@dataclass(frozen=True, slots=True)
class TracedRelease:
    """Results of a tuple leave for the queries of some windows, the last of them at this time.

    `held` are those that were found before and had to wait: they leave together. Others leave as
    they are found (or when the partial scan ends, if the policy says so).
    """

    outer: int
    windows: tuple[int, ...]
    at_ns: int
    results: int
    held: bool


@dataclass(frozen=True, slots=True)
class BurstTrace:
    """The tuples of a burst in order of arrival, their scans in order of time, and releases.

    `goes_on`: the burst was cut, and more tuples came before the server was idle.
    """

    arrivals_ns: tuple[int, ...]
    scans: tuple[TracedScan, ...]
    releases: tuple[TracedRelease, ...]
    goes_on: bool

    @property
    def end_ns(self) -> int:
        """When all is done."""
        return max(scan.end_ns for scan in self.scans)

    def waiting(self, part: int) -> tuple[tuple[int, int], ...]:
        """How many tuples wait for a partial window or scan it, from which time on.

        A tuple waits for the first when it arrives, for others when it has scanned the one before.
        """
        ends = {(scan.outer, scan.part): scan.end_ns for scan in self.scans}
        changes: dict[int, int] = {0: 0}
        for place, arrival in enumerate(self.arrivals_ns):
            begin = ends[place, part - 1] if part else arrival
            changes[begin] = changes.get(begin, 0) + 1
            end = ends[place, part]
            changes[end] = changes.get(end, 0) - 1
        times = sorted(changes)
        counts = np.cumsum([changes[time] for time in times]).tolist()
        return tuple(zip(times, counts, strict=True))


def burst_of(sample: ArrivalSample, count: int) -> tuple[ArrivalSample, bool]:
    """The busy period of about so many tuples; True where it goes on beyond them.

    Where the server is never idle again, as many are taken from the beginning.
    """
    idle = waiting_work(sample.ts, sample.spent[:, -1]) <= 0
    begins = np.flatnonzero(idle)
    whole = begins[begins >= sample.measured]
    lengths = np.diff(whole)
    if not len(lengths):
        first, size = int(begins[-1]), count
    else:
        best = int(np.abs(lengths - count).argmin())
        first, size = int(whole[best]), int(lengths[best])
    # With few and long busy periods the one that comes closest may still be far too long.
    kept = slice(first, first + min(size, 2 * count))
    cut = kept.stop < first + size or not len(lengths)
    ts = sample.ts[kept]
    seconds = float(ts[-1] - ts[0])
    return ArrivalSample(ts - ts[0], sample.spent[kept], sample.matches[kept], 0, seconds), cut


def traced(burst: ArrivalSample, goes_on: bool, windows: Sequence[int], rule: Rule) -> BurstTrace:
    """A burst as it is served under a rule."""
    served = simulated(burst, windows, rule)
    begun, ended = (np.rint(1e9 * times).astype(np.int64) for times in (served.begun, served.ended))
    scans = [
        TracedScan(k, p, int(begun[k, p]), int(ended[k, p]), int(burst.matches[k, p]))
        for k, p in np.ndindex(begun.shape)
    ]
    arrivals = tuple(int(ns) for ns in np.rint(1e9 * burst.ts))
    releases = sorted(_releases(burst, ended, rule.at_ends), key=lambda r: r.at_ns)
    scans.sort(key=lambda scan: (scan.begin_ns, scan.end_ns))
    return BurstTrace(arrivals, tuple(scans), tuple(releases), goes_on)


def _releases(burst: ArrivalSample, ends: Ints, at_ends: bool) -> Iterator[TracedRelease]:
    """By tuple: what leaves as it is found goes to all windows that may have it at that time, what
    is held goes to the windows that become free together."""
    count = burst.matches.shape[1]
    for k in range(len(burst.ts)):
        before = ends[k - 1] if k else np.full(count, -1)
        ended, matches = ends[k], burst.matches[k]
        together: dict[tuple[int, bool], list[tuple[int, int]]] = {}
        for q in range(count):
            # Partial windows up to this one were scanned while the tuple before was not done.
            late = ended[: q + 1] < before[q] if at_ends else ended[: q + 1] <= before[q]
            split = int(late.sum())
            if held := int(matches[:split].sum()):
                at = int(ended[min(split, q)] if at_ends else before[q])
                together.setdefault((at, True), []).append((q, held))
            for p in range(split, q + 1):
                if found := int(matches[p]):
                    together.setdefault((int(ended[p]), False), []).append((q, found))
        for (at, held_back), parts in together.items():
            windows = tuple(sorted({q for q, _ in parts}))
            yield TracedRelease(k, windows, at, sum(found for _, found in parts), held_back)
