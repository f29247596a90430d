"""The comparisons of a plan of shared joins, join by join and by kind of work."""

from __future__ import annotations

import streamlit as st

from pages.parts import charts, work_figures
from pages.parts.words import plain
from planner.cost import Estimate
from planner.families.sliced_chain.work import KINDS, kind_of
from planner.operator_names import join_of, operator_name
from planner.plan import Operator, Plan

MOST_BARS = 40
UNIONS = "unions of all queries"


def show(plan: Plan, estimate: Estimate) -> None:
    """A bar for each join, one for each stream's conditions, and one for all unions."""
    every = of_joins(plan, estimate)
    largest = sorted(every, key=lambda bar: -sum(bar[1].values()))[:MOST_BARS]
    bars = [bar for bar in every if bar in largest]
    charts.show(
        work_figures.stacked(bars, KINDS, "comparisons"),
        alt=work_figures.in_words(bars, "comparisons"),
    )
    if len(bars) < len(every):
        st.caption(plain(f"The {len(bars)} largest of {len(every)}."))


def of_joins(plan: Plan, estimate: Estimate) -> list[tuple[str, dict[str, float]]]:
    """What is compared at each place of the plan, tuples flowing on; nothing is left out."""
    found: dict[str, dict[str, float]] = {}
    for operator in plan.operators():
        kind, comparisons = kind_of(operator.kind), estimate.costs[operator.id].comparisons
        if kind is not None and comparisons:
            work = found.setdefault(_place(operator), {})
            work[kind] = work.get(kind, 0.0) + comparisons
    return list(found.items())


def _place(operator: Operator) -> str:
    if operator.kind == "union":
        return UNIONS
    join = join_of(operator)
    return operator_name(operator if join is None else join)
