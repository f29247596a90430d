"""Axes of a sweep: a path into the workload and the values it takes, as people write them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.errors import PlanError
from planner.whatif.sweep_paths import path_in
from planner.workload.workload import Workload

MOST_STEPS = 10_000
FORM = "write PATH=FROM:TO:STEPS or PATH=FROM:TO:STEPS:log"


@dataclass(frozen=True, slots=True)
class Axis:
    """A path into the workload and the values it takes; `is_log` says how they are spaced."""

    path: str
    values: tuple[float, ...]
    is_log: bool = False

    def between(self, low: float, high: float) -> float:
        """The middle of two values on the scale of this axis."""
        return math.sqrt(low * high) if self.is_log else (low + high) / 2


def parse_axis(text: str) -> Axis:
    """An axis as the command line writes it.

    >>> parse_axis("streams.S1.rate=1:100:3:log").values
    (1.0, 10.0, 100.0)
    """
    path, equals, span = text.rpartition("=")
    parts = span.split(":")
    if not equals or not path or len(parts) not in (3, 4) or parts[3:] not in ([], ["log"]):
        raise PlanError(f"cannot be read; {FORM}", text)
    try:
        first, last, steps = float(parts[0]), float(parts[1]), int(parts[2])
    except ValueError:
        raise PlanError(f"FROM, TO and STEPS must be numbers; {FORM}", text) from None
    return spaced_axis(path, first, last, steps, is_log=len(parts) == 4, place=text)


def spaced_axis(
    path: str, first: float, last: float, steps: int, is_log: bool, place: str | None = None
) -> Axis:
    """An axis of so many values, evenly spaced on its scale; a PlanError where it has none."""
    return Axis(path, _spaced(place or path, first, last, steps, is_log), is_log)


def _spaced(text: str, first: float, last: float, steps: int, log: bool) -> tuple[float, ...]:
    if not (math.isfinite(first) and math.isfinite(last)):
        raise PlanError("FROM and TO must be finite", text)
    if not 1 <= steps <= MOST_STEPS:
        raise PlanError(f"STEPS must be from 1 to {MOST_STEPS:,}, got {steps}", text)
    if log and not (first > 0 and last > 0):
        raise PlanError("a log axis needs FROM and TO above 0", text)
    if steps == 1:
        return (first,)
    shares = [step / (steps - 1) for step in range(steps)]
    if log:
        inner = [math.exp(math.log(first) + s * math.log(last / first)) for s in shares]
        inner = [float(f"{value:.12g}") for value in inner]
    else:
        inner = [first + s * (last - first) for s in shares]
    return (first, *inner[1:-1], last)


def fitted(workload: Workload, axis: Axis) -> Axis:
    """The axis with values that its path can take: a whole number once; and 0 has no logarithm."""
    if not path_in(workload, axis.path).integer:
        return axis
    values = dict.fromkeys(float(round(value)) for value in axis.values)
    return Axis(axis.path, tuple(values), axis.is_log and all(value > 0 for value in values))
