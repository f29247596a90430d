"""What a family may show on each page. Every part has a default, so that a family without a view
of its own is shown on all pages, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pages.parts.plans import drawings
from pages.parts.shared import charts, figures, planning
from pages.parts.shared.formatting import plain
from planner.families.protocol import Candidate, Family, Ranking
from planner.files.tuple_table import Table
from planner.plan.by_operator import by_operator, field_of
from planner.plan.cost import Estimate
from planner.plan.objective import WORK, Objective
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.runs.records import Run

# The name of a section and what draws it; the first one is shown first.
Sections = dict[str, Callable[[], None]]
# Pixels: the height of what is beside the ranking.
PICTURE_HEIGHT = 430
# The canvas among the pictures of a plan.
OPERATORS = "Operators"
# Figures by the id of their operator.
ByOperator = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """The plan that Plans shows, and the ranking it was chosen from."""

    family: Family
    workload: Workload
    ranking: Ranking
    baseline: Candidate
    label: str
    # The plans that are listed beside it.
    listed: tuple[str, ...] = ()
    # The tuples, where they are given; else they are those of the workload's data, or generated.
    tables: Mapping[str, Table] | None = None

    def title(self, label: str) -> str:
        """What people call one of the plans."""
        return planning.title(self.family.name, label, self.workload)

    @property
    def time(self) -> Objective:
        """The objective that says how long work takes."""
        return planning.time_of(self.family.name, self.workload)

    @property
    def field(self) -> str:
        """The figure of operators that the ranking is about; else that of the family's work."""
        usual = field_of(self.family.objective) or field_of(WORK) or ""
        return field_of(self.ranking.by) or usual

    def by_operator(self, field: str) -> ByOperator:
        """One kind of figure of every operator of the chosen plan."""
        plan, estimate = self.priced
        return by_operator(plan, estimate.costs, field, self.time)

    @property
    def priced(self) -> tuple[Plan, Estimate]:
        """The plan with its operators, and what each should cost."""
        return planning.priced(self.family.name, self.workload, self.label)


class FamilyView:
    """How a family is shown; subclasses replace the parts that they show in their own way."""

    # Plans that belong to every short list.
    landmarks: tuple[str, ...] = ()
    # Runs can keep their answers, to be shown under Results.
    keeps_answers: bool = False
    # More kinds of work than those of a cost; `extra_work` gives their figures.
    extra_fields: tuple[str, ...] = ()

    def shape(self, label: str) -> str:
        """What a plan looks like: plans of one shape differ only in their finer points."""
        return label.partition(":")[0].partition("@")[0]

    def pictures(self, choice: PlanChoice) -> Sections:
        """The ways to draw the chosen plan beside the ranking, first its operators."""
        return {OPERATORS: partial(drawings.chosen, choice, height=PICTURE_HEIGHT)}

    def details(self, choice: PlanChoice, common: Sections) -> Sections:  # noqa: ARG002
        """The sections that explain the chosen plan; `common` are those of every family."""
        return common

    def cost_by_operator(self, choice: PlanChoice, field: str) -> None:
        """One kind of work, by operator."""
        (plan, _), spent = choice.priced, choice.by_operator(field)
        charts.show(
            figures.cost_by_operator(plan, spent, field),
            alt=figures.cost_alternative(plan, spent, field),
        )

    def search(self, workload: Workload, steps: Sequence[str]) -> None:  # noqa: ARG002
        """How the best plan was found, step by step."""
        st.markdown("\n".join(f"- {plain(step, 600)}" for step in steps))

    def running(self, workload: Workload, label: str) -> None:
        """The plan that runs at this moment, where queries or plans change while it runs."""

    def extra_work(self, run: Run, field: str) -> tuple[ByOperator, ByOperator]:  # noqa: ARG002
        """One of `extra_fields`, predicted and measured."""
        return {}, {}

    def run_results(self, run: Run) -> None:
        """What else Results shows of a run, under its queries."""

    def report_tables(self, run: Run) -> Mapping[str, pd.DataFrame]:  # noqa: ARG002
        """What a report has of a run beside its operators: tables by their titles."""
        return {}

    def run_note(self, run: Run) -> str:  # noqa: ARG002
        """A sentence about what else was measured; empty where there is nothing to say."""
        return ""
