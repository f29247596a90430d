"""What every operator of a join-order plan should cost per second of stream time."""

from __future__ import annotations

from planner.cost import Cost, Estimate, Quality
from planner.families.join_order.formulas import Formulas
from planner.families.join_order.model import JoinModel
from planner.families.join_order.probes import Probe, probes_of
from planner.plan import Plan


def estimate(plan: Plan, model: JoinModel) -> Estimate:
    """Price every operator; the formulas behind the figures are written when they are read."""
    operators = plan.operators()
    probes = probes_of(operators, model)
    places = {alias: place for place, alias in enumerate(model.aliases)}
    costs: dict[str, Cost] = {}
    for operator in operators:
        if operator.kind == "probe":
            costs[operator.id] = _probe(model, probes[operator.id])
        elif operator.kind == "output":
            costs[operator.id] = Cost(
                rows_out=sum(costs[end.id].rows_out for end in operator.inputs)
            )
        else:
            costs[operator.id] = _keeping(
                model, operator.kind, places[str(operator.param("source"))]
            )
    return Estimate(costs, {model.query: Quality()}, Formulas(operators, probes, model))


def order_cost(model: JoinModel, comparisons: float) -> Cost:
    """The cost of a whole plan: orders differ in their comparisons alone."""
    places = range(len(model.windows))
    kept = (_keeping(model, kind, place) for kind in ("insert", "expire") for place in places)
    total = sum(kept, Cost(comparisons=comparisons))
    results = sum(model.matches(origin, places) for origin in places)
    return total + Cost(rows_out=results)


def _probe(model: JoinModel, probe: Probe) -> Cost:
    return Cost(
        comparisons=model.comparisons(probe.origin, probe.joined, probe.target),
        rows_out=model.matches(probe.origin, probe.reached),
    )


def _keeping(model: JoinModel, kind: str, place: int) -> Cost:
    window = model.windows[place]
    if kind == "arrive":
        return Cost(rows_out=window.rate)
    if kind == "insert":
        return Cost(inserts=window.rate, state_tuples=window.tuples)
    return Cost(expirations=model.expirations(place))
