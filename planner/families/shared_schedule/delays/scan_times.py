"""How long scans take: means and second moments, from how many tuples they examine and match.

A stored tuple takes X: a comparison if it is examined, an output if it matches. Given the key of
the arriving tuple, stored tuples are independent; a frequent key has longer scans throughout. So
with n stored tuples expected in a partial window

    E[T]   = n E[X]
    E[T^2] = n^2 E[E[X | key]^2] + n Var,

where Var is E[X^2] if the number of stored tuples is Poisson, and less if it is fixed (rows).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.model import ScheduleModel
from planner.joins.arrays import Floats
from planner.joins.shared.meetings import Moments
from planner.joins.shared.query_groups import BOTH
from planner.seconds.clock import Clock


@dataclass(frozen=True, slots=True)
class SideScans:
    """Scans by the tuples of one stream, per tuple that is expected in what they scan."""

    share: float
    per_length: float
    mean: float
    squared: float
    spread: float
    # The share of all matches that they find, and the mean over matches: tuples with many of them
    # have long scans.
    match_share: float
    mean_by_match: float


@dataclass(frozen=True)
class Scans:
    """Scans by all arriving tuples. Lengths are in seconds or rows, times in seconds."""

    rate: float
    sides: tuple[SideScans, ...]
    # What it takes to find a match once it is examined.
    find: float
    # Of windows: 1, or what a row takes to arrive.
    seconds_per_length: float
    # The standard deviation of the load, as windows hold now more and now fewer tuples.
    load_deviation: float

    def mean(self, lengths: Floats) -> Floats:
        """The mean time to scan partial windows of these lengths."""
        return np.asarray(sum(s.share * s.per_length * s.mean for s in self.sides) * lengths)

    def squared(self, lengths: Floats) -> Floats:
        """The mean of its square."""
        found = np.zeros_like(lengths)
        for s in self.sides:
            stored = s.per_length * lengths
            found += s.share * (stored**2 * s.squared + stored * s.spread)
        return found

    def mean_by_match(self, lengths: Floats) -> Floats:
        """The mean time to scan what lies before a match, over all matches."""
        each = sum(s.match_share * s.per_length * s.mean_by_match for s in self.sides)
        return np.asarray(each * lengths)

    def none_arrives(self, lengths: Floats) -> Floats:
        """The chance that nothing arrives during a scan, if it has a gamma distribution."""
        mean = self.mean(lengths)
        variance = np.maximum(self.squared(lengths) - mean**2, 0.0)
        scale = np.divide(variance, mean, out=np.zeros_like(mean), where=mean > 0)
        steady = np.exp(-self.rate * mean)
        shape = np.divide(mean, scale, out=np.zeros_like(mean), where=scale > 0)
        return np.where(scale > 0, (1 + self.rate * scale) ** -shape, steady)


def scans_of(model: ScheduleModel, clock: Clock) -> Scans:
    """The scans of a join on a clock."""
    sides, variance = [], 0.0
    largest = float(model.lengths[-1])
    found = [way.probing_rate * way.per_length * way.selectivity for way in model.ways]
    for side in BOTH:
        # Tuples of the other stream arrive and scan this one.
        way, meeting = model.ways[side], model.meetings[side]
        moments = meeting.moments()
        mean, squared = _mean(moments, clock), _squared(moments, clock)
        is_fixed = way.counted or way.arrivals.kind == "regular"
        single = clock.compare**2 * moments.examined
        single += (2 * clock.compare + clock.output) * clock.output * moments.matched
        by_match = mean
        if moments.matched:
            by_match = clock.compare * moments.product + clock.output * moments.matched_squared
            by_match /= moments.matched
        sides.append(
            SideScans(
                way.probing_rate / model.rate,
                way.per_length,
                mean,
                squared,
                max(0.0, single - squared) if is_fixed else single,
                found[side] / sum(found) if sum(found) else 0.5,
                by_match,
            )
        )
        # Each stored tuple adds to the load while it is in the window.
        each = _squared(meeting.reversed_moments(), clock) - (mean**2 if is_fixed else 0.0)
        variance += way.probing_rate**2 * way.per_length * largest * max(0.0, each)
    return Scans(
        model.rate,
        tuple(sides),
        clock.compare + clock.output,
        2 / model.rate if model.group.unit == "rows" else 1.0,
        float(np.sqrt(variance)),
    )


def _mean(moments: Moments, clock: Clock) -> float:
    return clock.compare * moments.examined + clock.output * moments.matched


def _squared(moments: Moments, clock: Clock) -> float:
    both = 2 * clock.compare * clock.output * moments.product
    return (
        clock.compare**2 * moments.examined_squared
        + both
        + (clock.output**2 * moments.matched_squared)
    )


def partial_lengths(lengths: Sequence[float] | Floats) -> Floats:
    """The lengths of the partial windows between windows."""
    return np.diff(np.asarray(lengths, dtype=np.float64), prepend=0.0)
