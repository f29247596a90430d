"""A scheduled join as text: what a program of it is made of, and how it is read back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from runtime.engines.kernels.conditions import Conditions, Predicates
from runtime.engines.shared_schedule.kernel.types import Classes, ServerPolicy
from runtime.engines.shared_schedule.policies import PolicyTable

# Who is served: the plan itself, and every policy on the same arrivals.
OWN, LWO, SWF, MQT_LARGER, MQT_SMALLER, WMQT, OUT, EDF, FAIR = range(9)
SERVERS = 9
NO_SLOT = -1


@dataclass(frozen=True, slots=True)
class Join:
    """The join of two streams that all queries share.

    `sides` are the numbers of its streams, `key` that of the key it looks up by (-1: none), and
    `rows` says that windows are counted in rows. Work takes `unit_costs`: picoseconds per
    comparison and per output.
    """

    sides: list[int]
    rows: bool
    key: int
    others: list[int]
    theta: list[list[float]]
    buckets: int
    unit_costs: list[int]

    @property
    def predicates(self) -> Predicates:
        """What joins two tuples, for the kernel."""
        return Predicates.of(self.key, self.buckets, self.others, self.theta)


@dataclass(frozen=True)
class ScheduleEra:
    """What runs from the time `at` on: windows in microseconds or rows, and what queries ask.

    `classes` are [condition on each side or -1, since when, the largest window that asks]; the
    first asks nothing. `slots` are [window, class], those of a class one behind the other and then
    one that only ends them. `queries` are [query, slot, whether its FROM is turned]. Counters
    begin at `cell` (by class and window), `slot` and `window`. A policy that is not served is None.
    """

    at: int
    number: int
    windows: list[int]
    conditions: list[list[list[list[float]]]]
    classes: list[list[int]]
    slots: list[list[int]]
    queries: list[list[int]]
    policies: list[PolicyTable | None]
    cell: int
    slot: int
    window: int

    @property
    def width(self) -> int:
        """Windows, and the one of nothing."""
        return len(self.windows) + 1

    @property
    def cells(self) -> int:
        """Classes times windows."""
        return len(self.classes) * self.width

    @property
    def entered(self) -> dict[int, int]:
        """Since when each query wants results."""
        return {query: self.classes[self.slots[slot][1]][2] for query, slot, _ in self.queries}

    @cached_property
    def kernel_conditions(self) -> list[Conditions]:
        """The conditions on each side."""
        return [Conditions.of(of_side) for of_side in self.conditions]

    @cached_property
    def kernel_classes(self) -> Classes:
        """What queries ask."""
        columns = np.array(self.classes, np.int64).T
        first, second, since, widest = (np.ascontiguousarray(column) for column in columns)
        both = any(turned for _, _, turned in self.queries)
        return Classes(first, second, since, widest, both)

    @cached_property
    def kernel_policies(self) -> list[ServerPolicy | None]:
        """What each server does."""
        return [None if policy is None else policy.for_kernel() for policy in self.policies]

    @cached_property
    def first_slots(self) -> np.ndarray:
        """By class and window: the first slot of the class whose window is that or larger."""
        found = np.zeros((len(self.classes), self.width + 1), np.int64)
        for number in range(len(self.classes)):
            own = [n for n, (_, of_class) in enumerate(self.slots) if of_class == number]
            for window in range(self.width + 1):
                found[number, window] = next(
                    n for n in own if self.slots[n][0] == NO_SLOT or self.slots[n][0] >= window
                )
        return found
