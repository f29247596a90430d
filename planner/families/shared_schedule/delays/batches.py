"""A batch of tuples that arrive at one time: the paper's equations, and the best schedule of all.

m tuples of one stream meet S_i stored tuples in window i, and a pair takes t. Under LWO the results
of query i wait, on the average over all of them (Equation 1),

    t / 2 ((S_i + 1) + (m - 1) S_max),

and alone t / 2 (m S_i + 1). Under SWF window i is scanned, on the average over tuples, after
(Equation 2)

    m S_(i-1) t + (m + 1) / 2 (S_i - S_(i-1)) t.

What has been done is a staircase: tuples in arrival order, the windows that each has completed. A
dynamic program over all staircases finds the schedule with the least delays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from planner.families.shared_schedule.delays.response_times import responses
from planner.families.shared_schedule.delays.sample import ArrivalSample
from planner.families.shared_schedule.delays.simulation import simulated
from planner.families.shared_schedule.policies import Rule
from planner.joins.arrays import Floats

# Staircases of more are too many to try them all.
MOST_TUPLES = 8


@dataclass(frozen=True)
class SimultaneousBatch:
    """`count` tuples that arrive at one time, and windows with so many stored tuples each.

    A pair takes `pair` seconds, and every pair is a match.
    """

    count: int
    sizes: tuple[int, ...]
    pair: float = 1.0

    @property
    def largest_only(self) -> Floats:
        """Equation 1: mean delays of results under LWO, by window."""
        sizes = np.array(self.sizes)
        return np.asarray(self.pair / 2 * (sizes + 1 + (self.count - 1) * sizes[-1]))

    @property
    def smallest_first(self) -> Floats:
        """Equation 2: mean delays until windows are scanned under SWF."""
        sizes, before = np.array(self.sizes), np.array((0, *self.sizes[:-1]))
        own = (self.count + 1) / 2 * (sizes - before)
        return np.asarray(self.pair * (self.count * before + own))

    @property
    def isolated(self) -> Floats:
        """Mean delays of results where each query is alone."""
        return np.asarray(self.pair / 2 * (self.count * np.array(self.sizes) + 1))

    @cached_property
    def sample(self) -> ArrivalSample:
        """The batch as arrivals that can be simulated."""
        parts = np.diff(np.array(self.sizes), prepend=0)
        spent = np.array((0, *self.sizes)) * self.pair
        return ArrivalSample(
            np.zeros(self.count),
            np.tile(spent, (self.count, 1)),
            np.tile(parts, (self.count, 1)),
            measured=0,
            seconds=0.0,
        )

    def under(self, rule: Rule) -> tuple[Floats, Floats]:
        """By window the mean delays of results, and until it is scanned."""
        served = simulated(self.sample, self.sizes, rule)
        found = responses(self.sample, served, self.pair, rule.at_ends)
        return found.results, found.scans

    def least_scan_delay(self, queries: Sequence[int]) -> float:
        """The least sum over queries of the mean delays until their windows are scanned."""
        return self._least(queries, by_results=False)

    def least_delay(self, queries: Sequence[int]) -> float:
        """The least sum over queries of the mean delays of their results, released as found."""
        return self._least(queries, by_results=True)

    def _least(self, queries: Sequence[int], by_results: bool) -> float:
        if self.count > MOST_TUPLES:
            raise ValueError(f"at most {MOST_TUPLES} tuples are tried in every order")
        last = len(self.sizes)

        @cache
        def least(reached: tuple[int, ...]) -> float:
            """What is still to come; reached[i] tuples have completed window i, 0 are all."""
            moves = [i for i in range(last) if reached[i] > reached[i + 1]]
            if not moves:
                return 0.0
            cost = self._result_cost if by_results else self._scan_cost
            return min(cost(reached, i, queries) + least(_after(reached, i)) for i in moves)

        return least((self.count, *(0,) * last))

    def _spent(self, reached: tuple[int, ...]) -> float:
        """The time at which the server has got so far."""
        parts = np.diff(self.sizes, prepend=0)
        return float(self.pair * (parts @ np.array(reached[1:])))

    def _scan_cost(self, reached: tuple[int, ...], i: int, queries: Sequence[int]) -> float:
        """What it adds that the oldest tuple of queue i completes the next window."""
        return queries[i] * self._spent(_after(reached, i)) / self.count

    def _result_cost(self, reached: tuple[int, ...], i: int, queries: Sequence[int]) -> float:
        """What its results add: those released as they are found, and held ones of the next."""
        head = reached[i + 1]
        part = self.sizes[i] - (self.sizes[i - 1] if i else 0)
        begun, ended = self._spent(reached), self._spent(_after(reached, i))
        as_found = part * begun + self.pair * part * (part + 1) / 2
        total = 0.0
        for window in range(i, len(self.sizes)):
            if reached[window + 1] >= head:
                total += queries[window] * as_found / self.sizes[window]
        waiting = sum(reached[place + 1] > head + 1 for place in range(i))
        if waiting:
            total += queries[i] * self.sizes[waiting - 1] * ended / self.sizes[i]
        return total / self.count


def _after(reached: tuple[int, ...], i: int) -> tuple[int, ...]:
    """The staircase once the oldest tuple of queue i has completed the next window."""
    return (*reached[: i + 1], reached[i + 1] + 1, *reached[i + 2 :])
