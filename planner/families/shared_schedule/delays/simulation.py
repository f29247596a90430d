"""One server works through a sample under one rule: the schedule that a run would have.

Nobody overtakes: tuples that have reached a point are a beginning of all in arrival order. So a
queue is the tuples between two counts, and its head is the oldest of them:

    tuples, oldest .. newest     4 5 | 6 7 8 |   | 9 10 11
    reached                      w_2 | w_1   |   | nothing yet

A rule by table decides by which queues are empty alone: such decisions are made once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.delays.sample import ArrivalSample
from planner.families.shared_schedule.policies import Rule
from planner.joins.arrays import Floats
from planner.time_limit import check

# Which queues are not empty: bit i is set where somebody waits who has reached point i.
Waiting = int
# From which point a tuple scans, and up to which.
Scan = tuple[int, int]
# Of a decision: the time, how many tuples have reached each point, who waits. It gives the queue.
Choose = Callable[[float, Sequence[int], Waiting], int]


@dataclass(frozen=True)
class Served:
    """When the scan of each partial window by each tuple began and ended, in seconds."""

    begun: Floats
    ended: Floats


def simulated(sample: ArrivalSample, windows: Sequence[int], rule: Rule) -> Served:
    """The sample served under a rule."""
    # Places of the points among the windows; 0 is before the first.
    places = [0, *(1 + windows.index(point) for point in rule.points[1:])]
    spent = sample.spent
    times, heads, scans = _serve(sample.ts.tolist(), spent[:, places].T.tolist(), rule)
    # Each scan goes through some partial windows without a pause.
    head, begin = np.array(heads), np.array(times)
    bounds = np.array(places)[np.array(scans).reshape(-1, 2)]
    shift = np.empty((len(sample.ts), len(windows)))
    offset = begin - spent[head, bounds[:, 0]]
    for part in range(1, len(windows) + 1):
        inside = (bounds[:, 0] < part) & (bounds[:, 1] >= part)
        shift[head[inside], part - 1] = offset[inside]
    return Served(shift + spent[:, :-1], shift + spent[:, 1:])


def _serve(
    ts: list[float], spent: list[list[float]], rule: Rule
) -> tuple[list[float], list[int], list[Scan]]:
    """The times at which scans began, the tuples that made them, and from and to which points."""
    last = len(rule.points) - 1
    decided: dict[Waiting, Scan] = {}
    decide = _decisions(rule, ts, decided)
    times: list[float] = []
    heads: list[int] = []
    scans: list[Scan] = []
    reached = [0] * (last + 1)
    arrivals = [*ts, math.inf]
    waiting, arrived, now, next_arrival = 0, 0, arrivals[0], arrivals[0]
    while True:
        if next_arrival <= now:
            while arrivals[arrived] <= now:
                arrived += 1
            next_arrival = arrivals[arrived]
            reached[0] = arrived
            waiting |= 1
        elif not waiting:
            if next_arrival == math.inf:
                return times, heads, scans
            now = next_arrival
            continue
        check()
        scan = decided.get(waiting) or decide(now, reached, waiting)
        begin, end = scan
        head = reached[begin + 1]
        times.append(now)
        heads.append(head)
        scans.append(scan)
        now += spent[end][head] - spent[begin][head]
        head += 1
        for point in range(begin + 1, end + 1):
            reached[point] = head
        if reached[begin] == head:
            waiting &= ~(1 << begin)
        if end < last:
            waiting |= 1 << end


def _decisions(
    rule: Rule, ts: Sequence[float], decided: dict[Waiting, Scan]
) -> Callable[[float, Sequence[int], Waiting], Scan]:
    """What makes decisions, and remembers those that will be the same again."""
    last, targets = len(rule.points) - 1, rule.targets()
    choose = _by_table(rule) if rule.mode == "table" else _by_heads(rule, ts)

    def decide(now: float, reached: Sequence[int], waiting: Waiting) -> Scan:
        queue = choose(now, reached, waiting)
        scan = queue, targets[queue][_next_larger(waiting, queue, last)]
        # By heads, only a single queue leaves no choice.
        if rule.mode == "table" or waiting == 1 << queue:
            decided[waiting] = scan
        return scan

    return decide


def _next_larger(waiting: Waiting, queue: int, last: int) -> int:
    """The next larger queue that is not empty; the last point where there is none."""
    larger = waiting >> (queue + 1)
    return queue + 1 + (larger & -larger).bit_length() - 1 if larger else last


def _queues(waiting: Waiting) -> list[int]:
    """The queues that are not empty, the largest window first."""
    found = []
    while waiting:
        queue = waiting.bit_length() - 1
        found.append(queue)
        waiting ^= 1 << queue
    return found


def _by_table(rule: Rule) -> Choose:
    ranks, last = rule.ranks(), len(rule.points) - 1

    def choose(_now: float, _reached: Sequence[int], waiting: Waiting) -> int:
        best, larger, most = -1, last, -1
        for queue in _queues(waiting):
            rank = ranks[queue][larger]
            if rank > most or (rank == most and rule.smaller):
                best, most = queue, rank
            larger = queue
        return best

    return choose


def _by_heads(rule: Rule, ts: Sequence[float]) -> Choose:
    """By the deadlines of heads, or by how long they have waited."""
    due = [own / 1e9 for own in rule.due_ns]
    pace = [1 / own if own else 0.0 for own in rule.lengths]
    by_deadline = rule.mode == "due"

    def choose(now: float, reached: Sequence[int], waiting: Waiting) -> int:
        best, most = -1, -math.inf
        for queue in _queues(waiting):
            since = ts[reached[queue + 1]]
            value = -(since + due[queue]) if by_deadline else (now - since) * pace[queue]
            if value > most or (value == most and rule.smaller):
                best, most = queue, value
        return best

    return choose
