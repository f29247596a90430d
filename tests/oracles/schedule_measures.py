"""What is measured of a schedule, by definition: queues, buffers, results that are held, work."""

from __future__ import annotations

from collections import Counter

from runtime.engines.shared_schedule.simulation.server import Policy, ScheduleTrace, released


def waiting_max(trace: ScheduleTrace, warmup: int) -> int:
    """The most tuples that were there and not completed, at any time from the warm-up on."""
    done = [max(ends.values()) for ends in trace.ends]
    times = [warmup, *(outer.ts for outer in trace.outers), *done]
    stays = list(zip(trace.outers, done, strict=True))
    return max(
        sum(outer.ts <= time <= end for outer, end in stays) for time in times if time >= warmup
    )


def overlap(begin: int, end: int, span: tuple[int, int]) -> int:
    """How much of a time lies in the span."""
    return max(0, min(end, span[1]) - max(begin, span[0]))


def waited(trace: ScheduleTrace, span: tuple[int, int]) -> int:
    """Tuple-nanoseconds from arrivals to completions."""
    pairs = zip(trace.outers, trace.ends, strict=True)
    return sum(overlap(outer.ts, max(ends.values()), span) for outer, ends in pairs)


def busy(trace: ScheduleTrace, span: tuple[int, int]) -> int:
    """Nanoseconds of scans."""
    return sum(overlap(scan.begin, scan.end, span) for scan in trace.scans)


def held(trace: ScheduleTrace, policy: Policy, widest: int) -> list[tuple[int, int]]:
    """From when to when each match is held: until the largest window has it."""
    last = {(r.outer, r.inner): r.at for r in released(trace, policy, widest)}
    return [(found.at, last[found.outer, found.inner]) for found in trace.found]


def held_time(trace: ScheduleTrace, policy: Policy, widest: int, span: tuple[int, int]) -> int:
    """Tuple-nanoseconds that matches were held."""
    return sum(overlap(*times, span) for times in held(trace, policy, widest))


def held_max(trace: ScheduleTrace, policy: Policy, widest: int, warmup: int) -> int:
    """The most results that were held at the end of a partial scan, before it releases any.

    Those of the oldest outer are released as they are found, or when its partial scan ends.
    """
    held_by, ended, done, most = Counter(), {}, set(), 0
    for scan in trace.scans:
        outer = scan.outer
        is_oldest = all(older in done for older in range(outer))
        for window in range(scan.first + 1, scan.last + 1):
            end = trace.ends[outer][window]
            if policy.at_ends or not is_oldest:
                held_by[outer] += sum(f[:2] == (outer, window) for f in trace.found)
            if end >= warmup:
                most = max(most, held_by.total())
            ended[outer] = end
            if is_oldest:
                held_by[outer] = 0
        if scan.last == widest:
            done.add(outer)
            if not policy.at_ends or ended.get(outer + 1) == scan.end:
                held_by[outer + 1] = 0
    return most


def buffer_max(trace: ScheduleTrace, warmup: int) -> int:
    """The most stored tuples: those that an outer has in its window that is not completed yet."""
    outers, done = trace.outers, [max(ends.values()) for ends in trace.ends]
    times = sorted(t for t in {warmup, *(o.ts for o in outers), *done} if t >= warmup)
    most = 0
    for time in times:
        left = [0, 0]
        for outer, end in zip(outers, done, strict=True):
            if end < time:
                left[1 - outer.stream] = max(left[1 - outer.stream], outer.left)
        most = max(most, sum(outer.ts <= time for outer in outers) - sum(left))
    return most
