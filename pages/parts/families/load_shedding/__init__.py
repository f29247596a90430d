"""How shedding is shown: the answer by memory, who is kept, and what a run has shed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from pages.parts.families.load_shedding import memory, memory_states, shed_results
from pages.parts.families.protocol import FamilyView, PlanChoice, Sections
from pages.parts.plans import drawings
from pages.parts.plans.ranking_table import plan_heading
from runtime.runs.records import Run


class LoadSheddingView(FamilyView):
    """Policies: how much of the exact answer each keeps, for any size of memory."""

    ranks_at_once = True

    def above_ranking(self, choice: PlanChoice, choose: Callable[[str], None]) -> None:  # noqa: ARG002
        """What every policy gives for any size of memory."""
        plan_heading(choice)
        memory.show(choice)

    def beside_ranking(self, choice: PlanChoice) -> None:
        """The operators of the chosen plan: its name is above."""
        drawings.operators(*choice.priced, key="chosen")

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """Last the states of memory that the optimum is the best path through."""
        return common | {"Memory states": partial(memory_states.show, choice)}

    def run_results(self, run: Run) -> None:
        """What was shed, why and when, and which keys suffered."""
        shed_results.show(run)

    def report_tables(self, run: Run) -> Mapping[str, pd.DataFrame]:
        """How much of the answer is left, and why tuples were not kept."""
        return shed_results.tables(run)
