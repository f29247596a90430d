"""What the canvas shows of a clicked operator: costs by kind, formulas, and its neighbours' ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pages.parts.shared.formatting import UNITS, error_text, short_values
from planner.numbers import figure, shortened
from planner.plan.cost import COST_FIELDS, Cost, Estimate, q_error, with_unit
from planner.plan.operator_names import operator_name
from planner.plan.plan import Operator
from planner.plan.plan_text import printable

# Longer formulas are cut: a join of twenty streams has some of thousands of letters.
_LONGEST_FORMULA = 1_500


def of_operator(
    operator: Operator, estimate: Estimate, measured: Mapping[str, Cost] | None
) -> dict[str, Any]:
    """Everything about one operator."""
    params = ((name, shortened(printable(str(value)), 60)) for name, value in operator.params)
    return of_costs((operator.id,), estimate, measured) | {
        "title": shortened(printable(operator_name(operator)), 60),
        "kind": operator.kind,
        "params": [f"{name} {value}" for name, value in params],
        "formulas": [
            {
                "figure": UNITS[formula.field],
                "symbols": formula.symbols,
                "values": short_values(formula.values),
                "result": figure(formula.result),
            }
            for formula in estimate.formulas.get(operator.id, ())
            if len(formula.symbols) + len(formula.values) <= _LONGEST_FORMULA
        ],
        "inputs": [source.id for source in operator.inputs],
    }


def of_costs(
    members: Iterable[str], estimate: Estimate, measured: Mapping[str, Cost] | None
) -> dict[str, Any]:
    """Costs by kind, predicted and measured, with the q-error of each."""
    names = tuple(members)
    first = sum((estimate.costs.get(name, Cost()) for name in names), Cost()).as_dict()
    counted = measured is not None and any(name in measured for name in names)
    second = (
        sum((measured.get(name, Cost()) for name in names), Cost()).as_dict()
        if measured is not None and counted
        else None
    )
    rows = []
    for part in COST_FIELDS:
        if first[part] or (second is not None and second[part]):
            row = [UNITS[part], figure(first[part])]
            if second is not None:
                row += [figure(second[part]), error_text(first[part], second[part])]
            rows.append(row)
    return {"costs": rows}


def main_part(cost: Cost) -> str | None:
    """The first part of a cost that is not zero."""
    spent = cost.as_dict()
    return next((part for part in COST_FIELDS if spent[part]), None)


def main_figure(cost: Cost) -> str:
    """It, with its unit; nothing where all of the cost is zero."""
    part = main_part(cost)
    return "" if part is None else with_unit(figure(getattr(cost, part)), part)


def share_text(figure: float, whole: float) -> str:
    """A share in percent: `24%`, `under 1%`."""
    share = 100 * figure / whole if whole else 0.0
    return f"{share:.0f}%" if share >= 1 else "under 1%"


def arrow(expected: float, found: float) -> str:
    """The q-error with its arrow, short: `1.3 ▲`."""
    error = q_error(expected, found)
    return "≈" if error == 1 else error_text(expected, found)
