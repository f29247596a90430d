"""What every operator of an aggregation plan should cost per second of stream time."""

from __future__ import annotations

from planner.families.early_aggregation import extrema
from planner.families.early_aggregation.formulas import Formulas
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.plans import probe_cost, set_cost, update_cost
from planner.joins.probes import indexes_used, probes_of
from planner.joins.upkeep import keeping_cost
from planner.plan.cost import Cost, Estimate, Quality
from planner.plan.plan import Plan


def estimate(plan: Plan, model: AggregationModel) -> Estimate:
    """Price every operator; the formulas behind the figures are written when they are read."""
    operators = plan.operators()
    mask = model.mask(plan.label)
    probes = probes_of(operators, model.join)
    indexes = indexes_used(model.join, probes.values())
    costs: dict[str, Cost] = {}
    for operator in operators:
        if operator.kind == "probe":
            costs[operator.id] = probe_cost(model, mask, probes[operator.id])
        elif operator.kind == "update":
            costs[operator.id] = update_cost(model, mask, probes.values())
        elif operator.kind == "output":
            costs[operator.id] = Cost(rows_out=groups_of(model).changes)
        else:
            place = model.join.aliases.index(str(operator.param("source")))
            if operator.kind == "aggregate":
                costs[operator.id] = set_cost(model, place)
            else:
                costs[operator.id] = keeping_cost(model.join, operator, place, indexes[place])
    formulas = Formulas(operators, probes, model, mask, indexes)
    return Estimate(costs, {model.join.query: Quality()}, formulas)


def recomputations(plan: Plan, model: AggregationModel) -> dict[str, float]:
    """How often per second each aggregation should look for an extremum anew."""
    found: dict[str, float] = {}
    for operator in plan.operators():
        if operator.kind == "update":
            found[operator.id] = extrema.in_output(model)
        elif operator.kind == "aggregate":
            place = model.join.aliases.index(str(operator.param("source")))
            found[operator.id] = extrema.in_set(model, place).times
    return found
