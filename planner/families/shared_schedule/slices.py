"""Chains of slices under a policy that turns to another tuple at fewer points than windows end.

A policy that goes from point to point (SWF, EDF, FAIR) does better where it passes over windows
that serve few queries for their length, or that nobody is in a hurry for. MQT and its variants pass
over them by themselves. Over slices that end at every window (a Mem-Opt chain) every policy is what
it is without slices, but for LWO: whoever knows the slice of a match need not check its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.families.shared_schedule.labels import EDF, FAIR, LWO, MQT, SWF, WMQT, Schedule
from planner.families.shared_schedule.predictions import SchedulePrediction, SchedulePredictions

# Chains are listed that are better than their policy by this share of what they are made for.
GAIN = 0.01
MEM_OPT = "mem-opt"


@dataclass(frozen=True, slots=True)
class _Aim:
    """Slices made for something: where they end, and the figure that they should make smaller."""

    name: str
    ends: tuple[int, ...]
    figure: Callable[[Schedule], float]


def sliced(predictions: SchedulePredictions, policies: Sequence[str]) -> Mapping[str, Schedule]:
    """The chains that are worth listing beside these policies, by their tags."""
    windows = predictions.model.windows
    if len(windows) < 2:
        return {}
    found = {MEM_OPT: Schedule(LWO, windows)}
    for aim in _aims(predictions, policies):
        for policy in (SWF, EDF, FAIR):
            if policy not in policies:
                continue
            schedule = Schedule(policy, aim.ends)
            if schedule in found.values():
                continue
            if aim.figure(schedule) < (1 - GAIN) * aim.figure(Schedule(policy)):
                found[f"{policy} in slices{aim.name}"] = schedule
    return found


def _aims(predictions: SchedulePredictions, policies: Sequence[str]) -> Iterator[_Aim]:
    """What slices can be made for; none with one slice, or with one for each window."""
    windows = predictions.model.windows
    for aim in (_for_queries(predictions), *_declared(predictions, policies)):
        if 1 < len(aim.ends) < len(windows):
            yield aim


def _for_queries(predictions: SchedulePredictions) -> _Aim:
    return _Aim("", _hull(predictions, MQT), predictions.over_queries)


def _declared(predictions: SchedulePredictions, policies: Sequence[str]) -> Iterator[_Aim]:
    """By weights and by deadlines, where there are any."""
    model = predictions.model
    wanted = model.wanted(list)
    if WMQT in policies:
        weights = [float(weight) for weight in wanted.weights]
        ends = _hull(predictions, WMQT)
        yield _Aim(" by weights", ends, lambda own: predictions.weighted(own, weights))
    urgent = {
        place: seconds for place, seconds in enumerate(wanted.deadlines) if seconds is not None
    }
    if EDF in policies and urgent:
        ends = tuple(dict.fromkeys((*(model.windows[at] for at in urgent), model.windows[-1])))
        yield _Aim(" by deadlines", ends, lambda own: _lateness(predictions.of(own), urgent))


def _lateness(prediction: SchedulePrediction, urgent: Mapping[int, float]) -> float:
    """The worst share of its deadline that the 95th percentile of a window takes."""
    return max(float(prediction.quantiles[1, at]) / seconds for at, seconds in urgent.items())


def _hull(predictions: SchedulePredictions, policy: str) -> tuple[int, ...]:
    """The windows up to which a policy scans a tuple that has the server for itself."""
    targets = predictions.rule(Schedule(policy)).targets()
    points, last = predictions.model.group.boundaries, len(targets)
    ends, at = [], 0
    while at < last:
        at = targets[at][last]
        ends.append(points[at])
    return tuple(ends)
