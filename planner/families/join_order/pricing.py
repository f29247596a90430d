"""What every operator of a join-order plan should cost per second of stream time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from planner.cost import Cost, Estimate, Quality
from planner.families.join_order.formulas import Formulas
from planner.families.join_order.graph import Key
from planner.families.join_order.loops import Loops
from planner.families.join_order.model import JoinModel
from planner.families.join_order.plans import index_used
from planner.families.join_order.probes import Probe, probes_of
from planner.plan import Operator, Plan

# The attributes on which each window has an index, by place.
Indexes = Mapping[int, tuple[Key, ...]]


def estimate(plan: Plan, model: JoinModel) -> Estimate:
    """Price every operator; the formulas behind the figures are written when they are read."""
    operators = plan.operators()
    probes = probes_of(operators, model)
    places = {alias: place for place, alias in enumerate(model.aliases)}
    indexes = _indexes(model, probes.values())
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
            costs[operator.id] = _keeping(model, operator, place, indexes[place])
    formulas = Formulas(operators, probes, model, indexes)
    return Estimate(costs, {model.query: Quality()}, formulas)


def indexes_of(model: JoinModel, loops: Loops) -> Indexes:
    """The indexes that these loops look into."""
    pairs = zip(model.origins, loops.orders, strict=True)
    return _indexes(
        model,
        (
            Probe(origin, order[:level], order[level])
            for origin, order in pairs
            for level in range(1, len(order))
        ),
    )


def upkeep(model: JoinModel, indexes: Indexes) -> Iterator[tuple[str, Cost]]:
    """What every plan spends beside its probes: the operators' kinds with their costs."""
    for place, window in enumerate(model.windows):
        for step in window.filters:
            yield "filter", Cost(comparisons=step.reached, rows_out=step.passed)
        if window.is_relation:
            yield "table", _table(model, place)
        else:
            yield "arrive", Cost(rows_out=window.arrivals)
            yield "insert", Cost(inserts=window.rate, state_tuples=window.kept)
            yield "expire", Cost(expirations=model.expirations(place, indexes[place]))


def results(model: JoinModel) -> float:
    """Rows per second that leave the join, under every plan."""
    places = range(len(model.windows))
    return sum(model.matches(origin, places) for origin in model.origins)


def _indexes(model: JoinModel, probes: Iterable[Probe]) -> Indexes:
    """One index for each attribute that some probe looks up; without one none is kept."""
    used: dict[int, dict[Key, None]] = {place: {} for place in range(len(model.windows))}
    for probe in probes:
        key = index_used(model, probe.origin, probe.joined, probe.target)
        if key is not None:
            used[probe.target][key] = None
    return {place: tuple(keys) for place, keys in used.items()}


def _probe(model: JoinModel, probe: Probe) -> Cost:
    return Cost(
        comparisons=model.comparisons(probe.origin, probe.joined, probe.target),
        rows_out=model.matches(probe.origin, probe.reached),
    )


def _keeping(model: JoinModel, operator: Operator, place: int, indexes: Collection[Key]) -> Cost:
    window = model.windows[place]
    if operator.kind == "arrive":
        return Cost(rows_out=window.arrivals)
    if operator.kind == "filter":
        step = next(s for s in window.filters if s.text == operator.param("condition"))
        return Cost(comparisons=step.reached, rows_out=step.passed)
    if operator.kind == "table":
        return _table(model, place)
    if operator.kind == "insert":
        return Cost(inserts=window.rate, state_tuples=window.kept)
    return Cost(expirations=model.expirations(place, indexes))


def _table(model: JoinModel, place: int) -> Cost:
    window = model.windows[place]
    return Cost(inserts=window.inserts, expirations=window.deletes, state_tuples=window.kept)
