"""`explain`: one plan as a JSON document, and the models behind its figures in words."""

from __future__ import annotations

from planner.numbers import amount
from planner.plan import dot, plan_text
from planner.plan.cost import COST_FIELDS, COST_UNITS, Estimate, models_behind, total
from planner.plan.plan import Plan
from planner.plan.plan_text import title
from planner.report.plans_report import Document, operators_document
from planner.workload.workload import Workload

_FORMULA_FIELDS = ("field", "symbols", "values", "result", "model")


def explain_document(workload: Workload, plan: Plan, estimate: Estimate) -> Document:
    """`explain`: one plan drawn, priced, and with the formula behind every figure."""
    cost = total(estimate.costs, (root.id for root in plan.roots))
    operators = operators_document(plan, estimate.costs)
    for operator in operators:
        formulas = estimate.formulas.get(operator["id"], ())
        operator["formulas"] = [
            {name: getattr(formula, name) for name in _FORMULA_FIELDS} for formula in formulas
        ]
    return {
        "workload": {"name": workload.name, "digest": workload.digest},
        "family": plan.family,
        "label": plan.label,
        "id": plan.id,
        "cost": cost.as_dict(),
        "text": plan_text.to_text(plan, estimate),
        "loops": plan_text.to_loops(plan, estimate),
        "dot": dot.to_dot(plan, estimate),
        "operators": operators,
    }


def models_text(plan: Plan, estimate: Estimate) -> str:
    """Which models a plan's figures come from, and what other models say where they differ."""
    lines = [
        f"{COST_UNITS[field]} by the model: {' / '.join(models)}"
        for field in COST_FIELDS
        if (models := models_behind(estimate, field))
    ]
    for operator in plan.operators():
        beside: dict[str, list[str]] = {}
        for formula in estimate.formulas.get(operator.id, ()):
            if formula.field in beside:
                beside[formula.field].append(f"{amount(formula.result)} by {formula.model}")
            else:
                beside[formula.field] = [f"{amount(formula.result)} {COST_UNITS[formula.field]}"]
        text = (figures for figures in beside.values() if len(figures) > 1)
        lines.extend(f"{title(operator)}: {' | '.join(figures)}" for figures in text)
    return "\n".join(lines)
