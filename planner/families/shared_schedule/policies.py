"""The policies as one algorithm: which queue is served next, and up to which window.

Queue i holds the tuples that have scanned up to point i (a window, or the end of a slice), oldest
first; nobody overtakes. At the end of a scan the queues are met from the largest window to the
smallest. Of queue i, with j the next larger queue that is not empty (the last point if none is):

    table     the value is score[i][j], and its head scans up to the target of that score
    due       the earliest arrival + due[i] wins, and its head scans up to the next point
    stretch   the largest waiting time / length[i] wins, and its head scans up to the next point

Of equals the first met wins, which has the larger window; with `ties: smaller` the last one does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate
from typing import Literal

from planner.families.shared_schedule.labels import EDF, FAIR, LWO, MQT, OUT, SWF, WMQT

Mode = Literal["table", "due", "stretch"]

# No query that is still ahead has a deadline: later than any other, and it can be added to a time.
NEVER_NS = 2**61
# The longest of the lengths by which waiting times are divided.
_LONGEST = 2**40


@dataclass(frozen=True, slots=True)
class Score:
    """What serving a queue is worth: so much is served by a scan of so many ticks up to `target`.

    A target is a place among the points. Values, served per tick, are compared exactly.
    """

    served: int
    ticks: int
    target: int

    @property
    def value(self) -> Fraction:
        """Served per tick of window."""
        return Fraction(self.served, self.ticks)

    def against(self, other: Score) -> int:
        """Above 0 where it is worth more than the other, 0 where both are worth the same."""
        return self.served * other.ticks - other.served * self.ticks


Scores = tuple[tuple[Score | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one policy decides at these points (ticks, 0 first).

    `scores[i][j]` is there for i < j; what they serve is in parts of 1 / `unit`. `due_ns` and
    `lengths` are by queue. `at_ends`: results are released at the ends of partial scans, not as
    they are found.
    """

    mode: Mode
    points: tuple[int, ...]
    scores: Scores
    due_ns: tuple[int, ...]
    lengths: tuple[int, ...]
    smaller: bool
    at_ends: bool
    unit: int = 1

    def targets(self) -> tuple[tuple[int, ...], ...]:
        """By queue and next larger queue: up to which point its head scans."""
        return tuple(tuple(s.target if s else 0 for s in row) for row in self.scores)

    def ranks(self) -> tuple[tuple[int, ...], ...]:
        """The values of the scores as whole numbers that compare alike."""
        scores = {score for row in self.scores for score in row if score}
        rank_of: dict[Score, int] = {}
        before: Score | None = None
        rank = -1
        for score in sorted(scores, key=cmp_to_key(Score.against)):
            rank += before is None or score.against(before) > 0
            rank_of[score] = rank
            before = score
        return tuple(tuple(rank_of[s] if s else -1 for s in row) for row in self.scores)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the queries of each window ask for, by window: ticks, and what each policy counts.

    `deadlines` are the tightest ones in seconds, None where no query of the window has any.
    `isolated` are the delays that the windows have by themselves, in seconds.
    """

    windows: tuple[int, ...]
    queries: tuple[int, ...]
    weights: tuple[Fraction, ...]
    outputs: tuple[Fraction, ...]
    deadlines: tuple[float | None, ...]
    isolated: Callable[[], Sequence[float]]


def rule_of(policy: str, points: Sequence[int], wanted: Wanted, ties: str) -> Rule:
    """The rule of a policy that may turn to another tuple at these points."""
    count, smaller = len(points) - 1, ties == "smaller"
    nothing = (0,) * count
    if policy in (MQT, WMQT, OUT):
        counted = {
            MQT: tuple(map(Fraction, wanted.queries)),
            WMQT: wanted.weights,
            OUT: wanted.outputs,
        }[policy]
        unit = math.lcm(*(count.denominator for count in counted))
        served = _between(points, wanted.windows, [int(count * unit) for count in counted])
        scores = throughput(points, served, smaller)
        return Rule("table", tuple(points), scores, nothing, nothing, smaller, False, unit)
    scores = _next_points(points, whole=policy == LWO)
    due, lengths = nothing, nothing
    mode: Mode = "table"
    if policy == EDF:
        mode, due = "due", tuple(_due_ns(point, wanted) for point in points[:-1])
    elif policy == FAIR:
        mode, lengths = "stretch", _lengths(points, wanted)
    return Rule(mode, tuple(points), scores, due, lengths, smaller, at_ends=policy == SWF)


def _between(points: Sequence[int], windows: Sequence[int], counted: Sequence[int]) -> list[int]:
    """What is counted of the windows after one point, up to the next."""
    found = [0] * (len(points) - 1)
    place = 0
    for window, count in zip(windows, counted, strict=True):
        while window > points[place + 1]:
            place += 1
        found[place] += count
    return found


def throughput(points: Sequence[int], served: Sequence[int], smaller: bool = False) -> Scores:
    """The matrix of MaxQT: for i < j the best of all partial windows from i up to at most j.

    `served` are by point the queries whose windows end there or after the point before.

    >>> matrix = throughput((0, 2, 3, 6), [1, 1, 1])
    >>> [str(score.value) for row in matrix for score in row if score]
    ['1/2', '2/3', '2/3', '1', '1', '1/3']
    >>> [score.target for row in matrix for score in row if score]
    [1, 2, 2, 2, 2, 3]
    """
    upto = list(accumulate(served, initial=0))
    rows: list[tuple[Score | None, ...]] = []
    for i in range(len(points) - 1):
        row: list[Score | None] = [None] * (i + 1)
        best: Score | None = None
        for j in range(i + 1, len(points)):
            score = Score(upto[j] - upto[i], points[j] - points[i], j)
            ahead = 1 if best is None else score.against(best)
            if ahead > 0 or (ahead == 0 and not smaller):
                best = score
            row.append(best)
        rows.append(tuple(row))
    return tuple(rows)


def _next_points(points: Sequence[int], whole: bool) -> Scores:
    """Scans up to the next point, the smallest window first; or up to the last one."""
    last = len(points) - 1
    rows: list[tuple[Score | None, ...]] = []
    for i in range(last):
        # Worth less the further a tuple has come; the oldest is served whole.
        worth = i + 1 if whole else last - i
        target = last if whole else i + 1
        ticks = points[target] - points[i]
        score = Score(worth * ticks, ticks, target)
        rows.append((*([None] * (i + 1)), *([score] * (last - i))))
    return tuple(rows)


def _due_ns(point: int, wanted: Wanted) -> int:
    """The tightest deadline of the queries whose windows are still ahead."""
    ahead = (
        seconds
        for window, seconds in zip(wanted.windows, wanted.deadlines, strict=True)
        if window > point and seconds is not None
    )
    return min((min(NEVER_NS, round(seconds * 1e9)) for seconds in ahead), default=NEVER_NS)


def _lengths(points: Sequence[int], wanted: Wanted) -> tuple[int, ...]:
    """By queue the square of the delay that the next point's window has by itself.

    A squared stretch grows by waiting time over this: who makes the sum of squares grow fastest is
    served first. Small windows that waited little beat large ones, but not for ever.
    """
    alone = dict(zip(wanted.windows, wanted.isolated(), strict=True))
    own = [alone[point] for point in points[1:]]
    longest = max(own)
    if longest <= 0:
        return (1,) * len(own)
    return tuple(max(1, round(_LONGEST * (delay / longest) ** 2)) for delay in own)
