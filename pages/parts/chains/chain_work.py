"""The comparisons of a plan of shared joins, join by join and by kind of work."""

from __future__ import annotations

import streamlit as st

from pages.parts import charts
from pages.parts.plans import work_figures
from pages.parts.words import plain
from planner.cost import Estimate
from planner.families.sliced_chain.work import KINDS, kind_of
from planner.operator_names import join_of, operator_name
from planner.plan import Operator, Plan
from planner.wording import told_apart

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
    names: dict[str, str] = {}
    for operator in plan.operators():
        kind, comparisons = kind_of(operator.kind), estimate.costs[operator.id].comparisons
        if kind is not None and comparisons:
            place, name = _place(operator)
            names[place] = name
            work = found.setdefault(place, {})
            work[kind] = work.get(kind, 0.0) + comparisons
    return list(zip(told_apart(list(names.values())), found.values(), strict=True))


def _place(operator: Operator) -> tuple[str, str]:
    """What is one bar, and its name: joins of other parts of the streams may be named alike."""
    if operator.kind == "union":
        return UNIONS, UNIONS
    shown = join_of(operator) or operator
    return shown.id, operator_name(shown)
