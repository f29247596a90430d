"""What policies choose, by definition: read off the paper, not off the planner's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from planner.families.shared_schedule.model import model_of
from planner.joins.shared.query_groups import groups_of
from planner.workload.workload import Workload
from runtime.engines.shared_schedule.simulation.server import Outer, Policy, Queues


def largest_window_only(widest: int) -> Policy:
    """LWO."""
    return Policy((0, widest), lambda _queues, _now, _outers: (0, widest))


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


# --- the policy of a program ---------------------------------------------------------------------


class Points(Protocol):
    """What a policy of a program is asked for besides its name: where scans may end, which of
    equal queues is taken, and the lengths that FAIR measures waiting by."""

    points: list[int]
    length: list[int]
    smaller: bool


def policy_of(workload: Workload, name: str, given: Points) -> Policy:
    """The policy with a name for the queries of a workload."""
    (group,) = groups_of(workload)
    points, ties = given.points, "smaller" if given.smaller else "larger"
    windows = group.boundaries
    if name == "LWO":
        return largest_window_only(len(windows) - 1)
    if name == "SWF":
        return smallest_window_first(points)
    if name == "EDF":
        return earliest_deadline(_deadlines(workload), points, ties)
    if name == "FAIR":
        return least_stretch(dict(zip(points, given.length, strict=False)), points, ties)
    if name == "OUT":
        outputs = model_of(workload).wanted(lambda: [1.0] * len(windows)).outputs
        weights = [Fraction(0), *outputs]
    else:
        weights = _weights(workload, name == "WMQT")
    return maximum_query_throughput(windows, weights, points, ties)


def _deadlines(workload: Workload) -> list[int | None]:
    """By window, the first of nothing: the tightest deadline in nanoseconds."""
    (group,) = groups_of(workload)
    found: list[int | None] = [None] * len(group.boundaries)
    for member in group.members:
        due = workload.query(member.query).deadline
        if due is not None:
            place, own = group.boundaries.index(member.longest), round(due * 1e9)
            found[place] = min(own, found[place] or own)
    return found


def _weights(workload: Workload, weighted: bool) -> list[Fraction]:
    """By window, the first of nothing: the weights of its queries together, or how many."""
    (group,) = groups_of(workload)
    found = [Fraction(0)] * len(group.boundaries)
    for member in group.members:
        weight = Fraction(repr(workload.query(member.query).weight)) if weighted else Fraction(1)
        found[group.boundaries.index(member.longest)] += weight
    return found
