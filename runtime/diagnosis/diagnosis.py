"""Which operators the model is wrong about, and where each error begins: upstream, if it came in.

What an operator does is a product: of the rows that come in, of what is held where it looks, and of
its own part (how many of them match, or pass). So its error is a product of theirs, too, and the
largest factor is followed up to the operator that it is the own part of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.plan.cost import ADDED_UP, Cost, q_error
from planner.plan.plan import Operator
from runtime.runs.records import Run
from runtime.runs.run_costs import objective_of

# Within this q-error a prediction counts as met.
MET = 1.05
# An operator matters whose error is this share of the plan's work, or, where the plan is off, this
# share of the errors of all operators.
MATTERS, MUCH = 0.02, 0.1
MOST_SUSPECTS = 3
# The error of a figure of which one side is 0.
_BOUNDLESS = 50.0

Factor = Literal["rate", "held", "own"]


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operator that the model is wrong about; `share` is its error over the figure of the plan.

    `field` is the kind of work with the largest error, where plans are ranked by a sum of kinds.
    """

    operator: Operator
    field: str
    predicted: float
    measured: float
    share: float


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an error begins: the rate of a stream, what is held, or an operator's own part.

    The own part of an operator is what it does for each row that comes in and each tuple held.
    """

    factor: Factor
    operator: Operator
    field: str
    predicted: float
    measured: float


def suspects(run: Run) -> list[Suspect]:
    """The operators whose errors matter, the worst first: to what plans are ranked by, to the
    results, and to what is held."""
    if run.measurement is None or not run.measurement.costs:
        return []
    part = objective_of(run).part
    every = run.plan.operators()
    work = _worst(run, every, ADDED_UP.get(part, (part,)) if part else ())
    # Rows between operators are no end in themselves: those that leave the plan are.
    return work + _worst(run, run.plan.roots, ("rows_out",)) + _worst(run, every, ("state_tuples",))


def _worst(run: Run, operators: Sequence[Operator], fields: Sequence[str]) -> list[Suspect]:
    """Those of the operators whose error in these kinds of work, taken together, is large."""
    costs = [(op, *_costs(run, op)) for op in operators]
    found = [(op, _sum(expected, fields), _sum(counted, fields)) for op, expected, counted in costs]
    whole = max(sum(p for _, p, _ in found), sum(m for _, _, m in found))
    if not whole:
        return []
    least = MATTERS * whole
    if not _met(sum(p for _, p, _ in found), sum(m for _, _, m in found)):
        # The plan as a whole is off: what makes up much of that matters, too.
        least = min(least, MUCH * sum(abs(m - p) for _, p, m in found))
    off = [
        Suspect(op, _field(run, op, fields), p, m, abs(m - p) / whole)
        for op, p, m in found
        if abs(m - p) >= least and not _met(p, m)
    ]
    return sorted(off, key=lambda suspect: -suspect.share)[:MOST_SUSPECTS]


def _sum(cost: Cost, fields: Sequence[str]) -> float:
    return float(sum(getattr(cost, field) for field in fields))


def _met(predicted: float, measured: float) -> bool:
    error = q_error(predicted, measured)
    return error is not None and error <= MET


def _field(run: Run, operator: Operator, fields: Sequence[str]) -> str:
    """Of several kinds of work, the one with the largest error."""
    expected, counted = _costs(run, operator)
    return max(fields, key=lambda name: abs(getattr(expected, name) - getattr(counted, name)))


def origin(run: Run, suspect: Suspect) -> Origin:
    """Follow the largest factor of the error upstream, to where it begins."""
    operator, field = suspect.operator, suspect.field
    while True:
        expected, counted = _figures(run, operator, field)
        if operator.kind == "arrive":
            return Origin("rate", operator, field, expected, counted)
        if field == "state_tuples":
            return Origin("held", operator, field, expected, counted)
        error = _log(expected, counted)
        factors = list(_factors(run, operator, field))
        rest = error - sum(weight for weight, _, _ in factors)
        # What went the other way is no reason.
        same_way = [factor for factor in factors if factor[0] * error > 0]
        weight, upstream, flow = max(
            same_way, key=lambda factor: abs(factor[0]), default=(0.0, operator, field)
        )
        if abs(rest) >= abs(weight):
            return Origin("own", operator, field, expected, expected * math.exp(rest))
        operator, field = upstream, flow


def access(operator: Operator) -> str:
    """How a probe reaches tuples: `scan` or `hash`; that of a slice is the slice's."""
    while operator.kind == "probe" and "access" not in dict(operator.params):
        operator = operator.inputs[0]
    return str(dict(operator.params).get("access", ""))


def _factors(run: Run, operator: Operator, field: str) -> Iterator[tuple[float, Operator, str]]:
    """The logarithm of measured over predicted of all that comes in, with its worst source."""
    if field == "rows_out" and access(operator) == "scan":
        # Every pair that meets is compared: rows are those that match.
        yield _log(*_figures(run, operator, "comparisons")), operator, "comparisons"
        return
    flows = [(op, "rows_out") for op in operator.inputs if _any(run, op, "rows_out")]
    holders = [op for op in operator.inputs if (op, "rows_out") not in flows]
    held = [op for start in holders if (op := _holder(run, start)) is not None]
    for op in held if operator.kind != "slice" else ():
        yield _log(*_figures(run, op, "state_tuples")), op, "state_tuples"
    if not flows:
        # A join of slices gets no rows but what is stored in it: every tuple probes, too.
        flows = [(op, "inserts") for op in holders if op.kind == "slice"]
        # Groups give rows when they change.
        flows += [(op, "group_updates") for op in holders if op.kind == "update"]
    if flows:
        pairs = [_figures(run, op, name) for op, name in flows]
        expected, counted = (sum(side) for side in zip(*pairs, strict=True))
        worst = max(range(len(flows)), key=lambda place: abs(pairs[place][0] - pairs[place][1]))
        yield _log(expected, counted), *flows[worst]


def _holder(run: Run, operator: Operator) -> Operator | None:
    """The nearest operator upstream that holds tuples."""
    while not _any(run, operator, "state_tuples"):
        if not operator.inputs:
            return None
        operator = operator.inputs[0]
    return operator


def _costs(run: Run, operator: Operator) -> tuple[Cost, Cost]:
    counted = run.measurement.costs if run.measurement else {}
    return run.estimate.costs.get(operator.id, Cost()), counted.get(operator.id, Cost())


def _figures(run: Run, operator: Operator, field: str) -> tuple[float, float]:
    expected, counted = _costs(run, operator)
    return float(getattr(expected, field)), float(getattr(counted, field))


def _any(run: Run, operator: Operator, field: str) -> bool:
    return any(_figures(run, operator, field))


def _log(predicted: float, measured: float) -> float:
    if predicted == measured:
        return 0.0
    if predicted <= 0 or measured <= 0:
        return _BOUNDLESS if measured > predicted else -_BOUNDLESS
    return math.log(measured / predicted)
