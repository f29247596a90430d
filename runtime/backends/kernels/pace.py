"""The pace of a run: when each micro-batch is due, how far a run is behind its stream, and when a
run that adapts decides."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from planner.workload.validation import microseconds
from planner.workload.workload import Workload

# A micro-batch comes so often at most, in seconds; one costs Spark some tenths, whatever it holds.
LONGEST_WAIT = 2.0
# How often a run decides on its plan if that is not said: so many times, and not more often than
# so many times per window.
_USUAL_DECISIONS = 50
_DECISIONS_PER_WINDOW = 10


def batch_seconds(pace: float) -> float:
    """The stream time of a micro-batch at this pace: a round number, for one or two seconds.

    >>> batch_seconds(1), batch_seconds(30), batch_seconds(0.13)
    (2.0, 50.0, 0.2)
    """
    most = LONGEST_WAIT * pace
    power = 1e-6
    while power * 10 <= most:
        power *= 10
    return float(f"{max(n * power for n in (1, 2, 5) if n == 1 or n * power <= most):.6g}")


class Pace:
    """A stream whose time passes `pace` times as fast as the clock; None: as fast as it is read."""

    def __init__(
        self,
        pace: float | None,
        begin: int,
        untils: Sequence[int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pace, self._clock = pace, clock
        self._reached = [0.0, *((until - begin) / 1e6 for until in untils)]
        self._zero = clock()

    def go_on_from(self, done: int) -> None:
        """Stream time passes from where so many batches end; a run that resumes begins later."""
        self._zero = self._clock() - (self._reached[done] / self._pace if self._pace else 0.0)

    def seconds_until(self, number: int) -> float:
        """How long it takes until all tuples of the batch have come; 0 when they have."""
        if self._pace is None:
            return 0.0
        return max(0.0, self._zero + self._reached[number + 1] / self._pace - self._clock())

    def lag(self, done: int) -> float | None:
        """Seconds of stream time that came and are not done, when so many batches are."""
        if self._pace is None:
            return None
        now = min((self._clock() - self._zero) * self._pace, self._reached[-1])
        return max(0.0, now - self._reached[done])

    def reached(self, done: int) -> float:
        """The seconds of stream time that so many batches cover."""
        return self._reached[done]


def cuts_of(pace: float, begin: int, end: int) -> list[int]:
    """The times, in microseconds, at which micro-batches are cut."""
    return _regular(microseconds(batch_seconds(pace)), begin, end)


def decision_microseconds(workload: Workload, span: int) -> int:
    """How much stream time passes between two decisions of a run that covers so much of it."""
    adapt = workload.run.adapt
    assert adapt is not None, "only a run that adapts decides"
    usual = max(span / 1e6 / _USUAL_DECISIONS, workload.longest_window / _DECISIONS_PER_WINDOW)
    return max(1, microseconds(float(f"{usual:.2g}") if adapt.every is None else adapt.every))


def decision_cuts(workload: Workload, begin: int, end: int) -> list[int]:
    """The times, in microseconds, before which a run that adapts decides."""
    # Also before the last tuples, if they come as a decision is due.
    return _regular(decision_microseconds(workload, end - begin), begin, end + 1)


def _regular(every: int, begin: int, end: int) -> list[int]:
    return list(range(begin + max(1, every), end, max(1, every)))
