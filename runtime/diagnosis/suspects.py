"""Which operators the model is wrong about, of those whose errors matter to the plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.numbers import figure, percent_more, times
from planner.plan.cost import ADDED_UP, MET, Cost, q_error
from planner.plan.operator_names import operator_name, part_of
from planner.plan.plan import Operator
from runtime.runs.records import Run
from runtime.runs.run_groups import objective_of

# An operator matters whose error is this share of the plan's work, or, where the plan is off, this
# share of the errors of all operators.
MATTERS, MUCH = 0.02, 0.1
MOST_SUSPECTS = 3
# The logarithm of measured over predicted where one of the two is 0.
BOUNDLESS = 50.0
_UNITS = {
    "comparisons": ("made", "comparisons per second"),
    "inserts": ("made", "inserts per second"),
    "group_updates": ("made", "group updates per second"),
    "rows_out": ("gave", "rows per second"),
    "state_tuples": ("held", "tuples"),
}


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operator that the model is wrong about; `share` is its error over the figure of the plan.

    Both figures are sums over `fields`, the kinds of work that plans are ranked by; `field` is the
    one with the largest error.
    """

    operator: Operator
    field: str
    fields: tuple[str, ...]
    predicted: float
    measured: float
    share: float

    @property
    def error(self) -> float:
        """The logarithm of measured over predicted."""
        return log_ratio(self.measured, self.predicted)

    def figure(self, costs: Mapping[str, Cost]) -> float:
        """The same figure of the same operator among other costs."""
        return _sum(costs.get(self.operator.id, Cost()), self.fields)

    @property
    def sentence(self) -> str:
        """The operator with both figures, and by how much they differ."""
        verb, unit = _UNITS[self.field]
        part = f" ({words})" if (words := part_of(self.operator)) else ""
        head = f"{operator_name(self.operator)}{part} {verb} {figure(self.measured)} {unit}"
        return f"{head}, {self._beside(figure(self.predicted))}"

    def _beside(self, predicted: str) -> str:
        """How what was measured compares with what was predicted.

        Less than half is said as a share, and more than twice as a multiple.
        """
        if not self.predicted or not self.measured:
            return f"where {predicted} were predicted"
        if self.measured >= 2 * self.predicted:
            return f"{times(self.measured, self.predicted)} the {predicted} predicted"
        if self.measured > self.predicted:
            return (
                f"{percent_more(self.measured, self.predicted)} more than the {predicted} predicted"
            )
        less = 100 * (1 - self.measured / self.predicted)
        return f"{less:.{0 if less >= 1 else 1}f}% fewer than the {predicted} predicted"


def suspects(run: Run) -> list[Suspect]:
    """The operators whose errors matter, the worst first: to what plans are ranked by, to the
    results, and to what is held."""
    if run.measurement is None or not run.measurement.costs:
        return []
    part = objective_of(run).part
    every = run.plan.operators()
    work = _worst(run, every, ADDED_UP.get(part, (part,))) if part else []
    # Rows between operators are no end in themselves: those that leave the plan are.
    return work + _worst(run, run.plan.roots, ("rows_out",)) + _worst(run, every, ("state_tuples",))


def log_ratio(measured: float, predicted: float) -> float:
    """The logarithm of a ratio; bounded where one of the two is 0."""
    if predicted == measured:
        return 0.0
    if predicted <= 0 or measured <= 0:
        return BOUNDLESS if measured > predicted else -BOUNDLESS
    return math.log(measured / predicted)


def _worst(run: Run, operators: Sequence[Operator], fields: tuple[str, ...]) -> list[Suspect]:
    """Those of the operators whose error in these kinds of work, taken together, is large."""
    assert run.measurement is not None
    found = []
    for operator in operators:
        expected = run.estimate.costs.get(operator.id, Cost())
        counted = run.measurement.costs.get(operator.id, Cost())
        worst = max(fields, key=lambda name: abs(getattr(expected, name) - getattr(counted, name)))
        found.append((operator, worst, _sum(expected, fields), _sum(counted, fields)))
    predicted, measured = sum(p for *_, p, _ in found), sum(m for *_, m in found)
    whole = max(predicted, measured)
    if not whole:
        return []
    least = MATTERS * whole
    if not _met(predicted, measured):
        # The plan as a whole is off: what makes up much of that matters, too.
        least = min(least, MUCH * sum(abs(m - p) for *_, p, m in found))
    off = [
        Suspect(operator, worst, fields, p, m, abs(m - p) / whole)
        for operator, worst, p, m in found
        if abs(m - p) >= least and not _met(p, m)
    ]
    return sorted(off, key=lambda suspect: -suspect.share)[:MOST_SUSPECTS]


def _sum(cost: Cost, fields: Sequence[str]) -> float:
    return float(sum(getattr(cost, field) for field in fields))


def _met(predicted: float, measured: float) -> bool:
    error = q_error(predicted, measured)
    return error is not None and error <= MET
