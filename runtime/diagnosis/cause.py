"""A possible cause of an error: a statistic as a run's tuples have it, put into the workload."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.plan.cost import q_error
from planner.workload.workload import Workload

# A statistic that differs by less is no cause.
ALIKE = 1.02


@dataclass(frozen=True, slots=True)
class Direct:
    """What a share of pairs does where it counts in full: to the results of these streams.

    The effect is the logarithm of the share that was measured over the one that is assumed.
    """

    streams: frozenset[str]
    effect: float


@dataclass(frozen=True, slots=True)
class Cause:
    """A statistic that differs from what is assumed, by so much (a q-error), in words.

    `ways` have it as it was measured. Families read it in different places, so there may be
    several; the one that comes nearest to what was counted is believed. What a way does is the mean
    over its workloads. `direct` are effects that no workload may express. A cause that is not
    `sure` may be chance.
    """

    subject: str
    reason: str
    differs: float
    ways: tuple[tuple[Workload, ...], ...]
    direct: tuple[Direct, ...] = ()
    sure: bool = True


def difference(assumed: float, counted: float) -> float:
    """The q-error of a statistic; infinite where only one of the two is 0."""
    error = q_error(assumed, counted)
    return math.inf if error is None else error


def percent(share: float) -> str:
    """A share of a whole, in two digits, or in whole percents.

    >>> percent(0.0128), percent(0.4889), percent(0.99995), percent(0.0), percent(1.9e-22)
    ('1.3%', '49%', '100%', '0%', 'under 0.001%')
    """
    if 0 < share < 1e-5:
        return "under 0.001%"
    return f"{100 * share:.0f}%" if share >= 0.0995 else f"{100 * share:.2g}%"
