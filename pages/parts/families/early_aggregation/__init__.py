"""How plans of early aggregation are shown: pictures of them all, and the early sets."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.parts.families.early_aggregation import gallery
from pages.parts.families.protocol import ByOperator, FamilyView, PlanChoice, Sections
from pages.parts.shared import charts, controls, planning
from pages.parts.shared.formatting import plain, rounded_each
from planner.families.early_aggregation import EarlyAggregation
from planner.families.early_aggregation.ranking import KINDS, by_kind
from planner.families.early_aggregation.space import AggregationPlans
from planner.plan.operator_names import operator_name
from planner.workload.workload import Workload
from runtime.runs.records import Run

OPERATIONS, RECOMPUTATIONS = "operations", "recomputations"


class EarlyAggregationView(FamilyView):
    """Aggregation plans side by side, with what each spends its operations on."""

    keeps_answers = True
    # How often MIN and MAX were searched for again.
    extra_fields = (RECOMPUTATIONS,)

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """First the plans as pictures with what each spends, and the early sets."""
        own: Sections = {
            "Plans side by side": partial(gallery.show, choice),
            "Work by kind": partial(_work, choice),
            "Early aggregations": partial(_early_sets, choice.workload),
        }
        return own | common

    def cost_by_operator(self, choice: PlanChoice, field: str) -> None:
        """Operations by their kind."""
        if field != OPERATIONS:
            super().cost_by_operator(choice, field)
            return
        plan, estimate = choice.priced
        every = ((op, by_kind([(op.kind, estimate.costs[op.id])])) for op in plan.operators())
        bars = [(operator_name(op), work) for op, work in every if work]
        charts.show_work(bars, KINDS, OPERATIONS)

    def extra_work(self, run: Run, field: str) -> tuple[ByOperator, ByOperator]:  # noqa: ARG002
        """Recomputations."""
        counted = run.measurement.recomputations if run.measurement else {}
        return _plans(run.workload).recomputations(run.plan), counted


def _plans(workload: Workload) -> AggregationPlans:
    return planning.capable(EarlyAggregation.name, workload, AggregationPlans)


def _work(choice: PlanChoice) -> None:
    """The operations of the plans in the pictures, by kind of work."""
    labels = [c.label for c in gallery.instructive(choice.ranking, choice.label)]
    work = _plans(choice.workload).work(labels)
    charts.show_work(list(zip(labels, work, strict=True)), KINDS, OPERATIONS)


def _early_sets(workload: Workload) -> None:
    """The table of early sets, and the rules in sentences."""
    controls.table(
        early_sets(workload),
        "The early aggregation of each source, and the size of its set",
        columns="early-sets",
    )
    for rule in _plans(workload).rules():
        st.markdown(f"- {plain(rule.why_group, 600)}.\n- {plain(rule.why_functions, 600)}.")


def early_sets(workload: Workload) -> pd.DataFrame:
    """One row per source: grouping attributes, functions, and sizes under both models."""
    rules, sizes = _plans(workload).rules(), _plans(workload).sizes()
    sizes_alike = rounded_each(
        [value for s in sizes for value in (s.tuples, s.entries, s.entries_bound)]
    )
    return pd.DataFrame(
        {
            "Source": [rule.source for rule in rules],
            "Groups by": [rule.group_text for rule in rules],
            "Computes": [rule.functions_text for rule in rules],
            "Tuples in window": sizes_alike[0::3],
            "Entries expected": sizes_alike[1::3],
            "Entries at most (paper)": sizes_alike[2::3],
        }
    )
