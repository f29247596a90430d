"""What stands behind a plan's cost: by operator, the search, the formulas, the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pandas as pd
import streamlit as st

from pages.parts.families.early_aggregation import early_sets
from pages.parts.families.join_order import index_advice
from pages.parts.families.sliced_chain import ledger, optima
from pages.parts.plans import difference, drawings, replanning, work_figures
from pages.parts.shared import charts, figures, planning
from pages.parts.shared.formatting import UNITS, plain, plan_name
from planner.families.early_aggregation import EarlyAggregation
from planner.families.join_order import JoinOrder
from planner.families.protocol import Family
from planner.families.sliced_chain import SlicedChain
from planner.numbers import amount
from planner.plan.cost import COST_FIELDS, Estimate, Formula, total
from planner.plan.difference import Side
from planner.plan.expression import WHERE
from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan
from planner.workload.workload import Workload

# What the planner puts between a formula and the meaning of its symbols.

BY_OPERATOR = "Cost by operator"
SETS = "Early aggregations"
LEDGER = "Ledger"
MERGINGS = "Mergings"
TRADE_OFF = "Memory and CPU"
WHY = "Why it wins"
OPERATORS = "Operators"
FORMULAS = "Formulas"
DIFFERENCE = "Difference to baseline"
RATES = "Changing rates"
ADVICE = "Index advice"


@st.fragment
def show(chosen: Family, workload: Workload, plan: Plan, estimate: Estimate, baseline: str) -> None:
    """What the user picks of it; the rest of the page stays as it is, and hidden parts undrawn."""
    details = _details(chosen, workload, plan, estimate, baseline)
    detail = st.segmented_control(
        "Details",
        list(details),
        default=next(iter(details)),
        required=True,
        key="plan-detail",
        persist_state="session",
        label_visibility="collapsed",
    )
    details[detail]()


def _details(
    chosen: Family, workload: Workload, plan: Plan, estimate: Estimate, baseline: str
) -> dict[str, Callable[[], None]]:
    """What can be shown of a plan, by its name; the families have parts of their own."""

    def against_baseline() -> None:
        against(plan, estimate, *planning.priced(chosen.name, workload, baseline))

    shared: dict[str, Callable[[], None]] = {
        WHY: partial(why, chosen, workload),
        OPERATORS: partial(drawings.operators, plan, estimate),
        FORMULAS: partial(formulas, chosen, plan, estimate),
        DIFFERENCE: against_baseline,
    }
    costs = {BY_OPERATOR: partial(by_operator, chosen, plan, estimate)}
    if isinstance(chosen, JoinOrder):
        rates = partial(replanning.show, chosen.name, workload)
        return costs | shared | {RATES: rates, ADVICE: partial(index_advice.show, workload)}
    if isinstance(chosen, EarlyAggregation):
        return costs | {SETS: partial(early_sets.show, chosen, workload)} | shared
    if isinstance(chosen, SlicedChain):
        subject = (workload, planning.ranking(chosen, workload), plan.label)
        own = {
            LEDGER: partial(ledger.show, *subject),
            MERGINGS: partial(optima.mergings, *subject),
            TRADE_OFF: partial(optima.trade_off, *subject),
        }
        return own | costs | shared
    return costs | shared


def by_operator(chosen: Family, plan: Plan, estimate: Estimate) -> None:
    """The plan's cost, cut into its operators."""
    whole = total(estimate.costs, (root.id for root in plan.roots))
    fields = [name for name in _kinds(chosen) if getattr(whole, name)]
    field = st.segmented_control(
        "Kind of work",
        fields,
        default=fields[0],
        required=True,
        format_func=UNITS.__getitem__,
        key="work-shown",
    )
    if isinstance(chosen, SlicedChain) and field == "comparisons":
        ledger.show_work(plan, estimate)
    elif field == "operations":
        bars = work_figures.of_operators(plan, estimate)
        charts.show(work_figures.stacked(bars), alt=work_figures.in_words(bars))
    else:
        charts.show(
            figures.cost_by_operator(plan, estimate, field),
            alt=figures.cost_in_words(plan, estimate, field),
        )


def _kinds(chosen: Family) -> list[str]:
    """What plans are ranked by, and all kinds of work."""
    return list(dict.fromkeys([chosen.ranked_by, *COST_FIELDS]))


def why(chosen: Family, workload: Workload) -> None:
    """The search told step by step, with the cost after each step."""
    _, sentences = planning.told(chosen.name, workload)
    if isinstance(chosen, JoinOrder):
        steps = chosen.heuristic(workload).steps
        costs = [step.cost for step in steps]
        frame = pd.DataFrame(
            {
                "Step": range(1, len(steps) + 1),
                "What happened": [step.text for step in steps],
                "Order": [step.label for step in steps],
                UNITS["comparisons"]: [round(c) if c and c >= 1000 else c for c in costs],
            }
        )
        highest = max((cost for cost in costs if cost), default=1.0)
        st.dataframe(
            frame,
            hide_index=True,
            placeholder="",
            column_config={
                "Step": st.column_config.NumberColumn("#", width=40),
                "What happened": st.column_config.TextColumn("What happened", width=460),
                UNITS["comparisons"]: st.column_config.ProgressColumn(
                    UNITS["comparisons"], format="localized", min_value=0.0, max_value=highest
                ),
            },
            height=min(38 + 35 * len(frame), 458),
            alt="Steps of the search",
        )
        sentences = sentences[len(steps) :]
    for sentence in sentences:
        st.markdown(f"- {plain(sentence, 600)}")
    for cited in chosen.cites:
        st.caption(f"Model: {plain(cited, 400)}")


def formulas(chosen: Family, plan: Plan, estimate: Estimate) -> None:
    """An operator's figures: the formula, the values in it, and what comes out."""
    every = sorted(plan.operators(), key=lambda op: -estimate.costs[op.id].comparisons)
    names = {op.id: operator_name(op) for op in every if estimate.formulas.get(op.id)}
    operator_id = st.selectbox(
        "Operator",
        list(names),
        format_func=lambda name: f"{names[name]} · {_main_figure(estimate, name)}",
        key=f"formula-{plan.id}",
    )
    st.caption(chosen.symbols)
    for formula in estimate.formulas[operator_id]:
        with st.container(border=True):
            st.markdown(f"**{UNITS[formula.field]}** = **{amount(formula.result)}**")
            for line in _lines(formula):
                st.latex(line)
            st.caption(f"Model: {plain(formula.model)}")


def _lines(formula: Formula) -> Iterator[str]:
    """The formula, its values and its result in one line; below it what its names stand for."""
    symbols, *meanings = formula.symbols.split(WHERE)
    values, *meant = formula.values.split(WHERE)
    result = amount(formula.result).replace(",", "{,}")
    yield rf"{symbols} \;=\; {values} \;=\; {result}"
    for meaning, filled in zip(meanings, meant, strict=True):
        yield rf"\text{{where }} {meaning} \;=\; {filled.partition(' = ')[2]}"


def _main_figure(estimate: Estimate, operator_id: str) -> str:
    costs = estimate.costs[operator_id].as_dict()
    field = next((name for name in COST_FIELDS if costs[name]), "rows_out")
    return f"{amount(costs[field])} {UNITS[field].lower()}"


def against(plan: Plan, estimate: Estimate, other: Plan, other_estimate: Estimate) -> None:
    """The chosen plan beside the baseline."""
    if plan.id == other.id:
        st.info("This plan is the baseline: choose another row of the table to compare with it.")
        return
    difference.show(
        Side(plan_name(plan.label), plan, estimate.costs),
        Side(f"{plan_name(other.label)} (baseline)", other, other_estimate.costs),
        "baseline",
    )
