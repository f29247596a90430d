"""The details of a plan: why it wins, its cost by operator, the search, formulas, the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import streamlit as st

from pages.parts.families.protocol import PlanChoice, Sections
from pages.parts.families.registry import view_of
from pages.parts.plans import difference, ranking_table
from pages.parts.shared import controls, planning
from pages.parts.shared.formatting import UNITS, plain, short_values
from pages.parts.start.workload_picture import colours
from planner.families.causes import runner_up, sides
from planner.families.protocol import Candidate
from planner.numbers import figure
from planner.plan.by_operator import CPU
from planner.plan.cost import COST_FIELDS, Estimate, Formula, total
from planner.plan.difference import ComparedPlan
from planner.plan.expression import WHERE
from planner.plan.operator_names import operator_name


@st.fragment
def show(choice: PlanChoice, listed: Sequence[Candidate]) -> None:
    """The section that the user picks; the others are not drawn."""
    common: Sections = {
        # First, and quickly drawn: text alone.
        "Why it wins": partial(_why, choice),
        "Cost by operator": partial(_by_operator, choice),
        "How it was searched": partial(_search, choice),
        "Formulas": partial(_formulas, choice),
        "Difference to baseline": partial(_against_baseline, choice),
        "All costs": partial(ranking_table.show_all_costs, choice, listed),
    }
    sections = view_of(choice.family.name).details(choice, common)
    section = controls.segments("Details", sections, "plan-detail", kept=True, hidden_label=True)
    sections[section]()


def _by_operator(choice: PlanChoice) -> None:
    plan, estimate = choice.priced
    whole = total(estimate.costs, (root.id for root in plan.roots))
    fields = dict.fromkeys([choice.field, *COST_FIELDS, CPU])
    spent = [name for name in fields if name == CPU or getattr(whole, name)]
    # Another objective shows its own bars, whatever was chosen before.
    key = f"work-shown-{choice.ranking.by.name}"
    field = controls.segments("Kind of work", spent, key, format_func=UNITS.__getitem__)
    view_of(choice.family.name).cost_by_operator(choice, field)


def _why(choice: PlanChoice) -> None:
    """The causes, and the winner held against the next plan of another shape."""
    _, found = planning.why(choice.family.name, choice.workload)
    st.markdown("\n".join(f"- {plain(cause, 600)}" for cause in found))
    if runner_up(choice.ranking) is None:
        return
    beside = st.toggle("Beside the next different plan, operator by operator", key="beside-rival")
    space = planning.space(choice.family.name, choice.workload)
    # Only then: to price both takes longer than the rest of the page.
    if beside and (held := sides(space, choice.ranking)):
        difference.show(*held, "rival", choice.ranking.by, colours(choice.workload))


def _search(choice: PlanChoice) -> None:
    _, steps = planning.explained(choice.family.name, choice.workload)
    view_of(choice.family.name).search(choice.workload, steps)
    for cited in choice.family.cites:
        st.caption(f"Model: {plain(cited, 400)}")


def _formulas(choice: PlanChoice) -> None:
    """An operator's figures: the formula, the values in it, and the result."""
    plan, estimate = choice.priced
    spent = choice.by_operator(choice.field)
    every = sorted(plan.operators(), key=lambda op: -spent.get(op.id, 0.0))
    names = {op.id: operator_name(op) for op in every if estimate.formulas.get(op.id)}
    if not names:
        st.caption("This family gives no formulas.")
        return
    operator_id = st.selectbox(
        "Operator",
        list(names),
        format_func=lambda name: f"{names[name]} · {_main_figure(estimate, name)}",
        key=f"formula-{plan.id}",
    )
    st.caption(choice.family.symbols)
    for formula in estimate.formulas[operator_id]:
        with st.container(border=True):
            st.markdown(f"**{UNITS[formula.field]}** = **{figure(formula.result)}**")
            for line in _lines(formula):
                st.latex(line)
            st.caption(f"Model: {plain(formula.model)}")


def _lines(formula: Formula) -> Iterator[str]:
    """The formula, its values and its result in one line; below it the meanings of its names."""
    symbols, *meanings = formula.symbols.split(WHERE)
    values, *meant = short_values(formula.values).split(WHERE)
    result = figure(formula.result).replace(",", "{,}")
    yield rf"{symbols} \;=\; {values} \;=\; {result}"
    for meaning, filled in zip(meanings, meant, strict=True):
        yield rf"\text{{where }} {meaning} \;=\; {filled.partition(' = ')[2]}"


def _main_figure(estimate: Estimate, operator_id: str) -> str:
    costs = estimate.costs[operator_id].as_dict()
    field = next((name for name in COST_FIELDS if costs[name]), "rows_out")
    return f"{figure(costs[field])} {UNITS[field].lower()}"


def _against_baseline(choice: PlanChoice) -> None:
    plan, estimate = choice.priced
    baseline = choice.baseline.label
    other, priced = planning.priced(choice.family.name, choice.workload, baseline)
    if plan.id == other.id:
        st.info("This plan is the baseline. Choose another row of the table to compare with it.")
        return
    difference.show(
        ComparedPlan(choice.title(plan.label), plan, estimate.costs, time=choice.time),
        ComparedPlan(
            f"{choice.title(other.label)} (baseline)", other, priced.costs, time=choice.time
        ),
        "baseline",
        choice.ranking.by,
        colours(choice.workload),
    )
