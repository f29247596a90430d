"""What a point is read for: part of a cost, a figure of queries, or an objective of the family.

A quantity is named by one word. In order, it is

    state_tuples    a part of the plan's cost
    delay_ms        a figure of queries: the mean over them, or that of one query
    output-delay    an objective that the family ranks plans by

A run has more to say, such as how many tuples it took per second: that is read there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from planner.plan.cost import COST_UNITS, Quality, total
from planner.plan.objective import Objective, PlanOutcome
from planner.plan.plan import Plan

QUALITY_FIELDS: tuple[str, ...] = tuple(known.name for known in fields(Quality))


def figure_of(
    plan: Plan,
    outcome: PlanOutcome,
    objectives: Iterable[Objective],
    quantity: str,
    query: str = "",
) -> float | None:
    """The figure of a plan as predicted or measured; None where there is none.

    `query` names the query whose figure it is, where it is one of queries.
    """
    if quantity in COST_UNITS:
        if not outcome.costs:
            return None
        whole = total(outcome.costs, (root.id for root in plan.roots))
        return float(getattr(whole, quantity))
    if quantity in QUALITY_FIELDS:
        return quality_figure(outcome.qualities, quantity, query)
    for objective in objectives:
        if objective.name == quantity:
            return objective.of(plan, outcome)
    return None


def quality_figure(
    qualities: Mapping[str, Quality], quantity: str, query: str = ""
) -> float | None:
    """A figure of one query, or the mean over all queries that have it."""
    asked = (qualities[query],) if query else tuple(qualities.values())
    found = [getattr(quality, quantity) for quality in asked]
    known = [float(figure) for figure in found if figure is not None]
    return sum(known) / len(known) if known else None


def unit_of(quantity: str) -> str:
    """What a quantity is counted in, as it heads a column.

    >>> unit_of("comparisons"), unit_of("delay_ms_p95"), unit_of("held_max")
    ('Comparisons/s', 'Milliseconds', 'Figure')
    """
    if quantity == "rate":
        return "Tuples/s"
    if quantity in COST_UNITS:
        return COST_UNITS[quantity].capitalize()
    return "Milliseconds" if quantity.startswith(("delay", "scan_delay")) else "Figure"
