"""What every operator of a join-order plan should cost per second of stream time."""

from __future__ import annotations

from planner.families.join_order.formulas import Formulas
from planner.families.join_order.plans import Loops
from planner.joins.model import JoinModel
from planner.joins.probes import Indexes, Probe, indexes_used, probes_of
from planner.joins.upkeep import keeping_cost
from planner.plan.cost import Cost, Estimate, Quality
from planner.plan.plan import Plan


def estimate(plan: Plan, model: JoinModel) -> Estimate:
    """Price every operator; the formulas behind the figures are written when they are read."""
    operators = plan.operators()
    probes = probes_of(operators, model)
    places = {alias: place for place, alias in enumerate(model.aliases)}
    indexes = indexes_used(model, probes.values())
    costs: dict[str, Cost] = {}
    for operator in operators:
        if operator.kind == "probe":
            costs[operator.id] = _probe(model, probes[operator.id])
        elif operator.kind == "output":
            costs[operator.id] = Cost(
                rows_out=sum(costs[end.id].rows_out for end in operator.inputs)
            )
        else:
            place = places[str(operator.param("source"))]
            costs[operator.id] = keeping_cost(model, operator, place, indexes[place])
    formulas = Formulas(operators, probes, model, indexes)
    return Estimate(costs, {model.query: Quality()}, formulas)


def indexes_of(model: JoinModel, loops: Loops) -> Indexes:
    """The indexes that these loops look into."""
    pairs = zip(model.origins, loops.orders, strict=True)
    return indexes_used(
        model,
        (
            Probe(origin, order[:level], order[level])
            for origin, order in pairs
            for level in range(1, len(order))
        ),
    )


def results(model: JoinModel) -> float:
    """Rows per second that leave the join, under every plan."""
    places = range(len(model.windows))
    return sum(model.matches(origin, places) for origin in model.origins)


def _probe(model: JoinModel, probe: Probe) -> Cost:
    return Cost(
        comparisons=model.comparisons(probe.origin, probe.joined, probe.target),
        rows_out=model.matches(probe.origin, probe.reached),
    )
