"""How shedding is shown: the answer by memory, who is kept, and what a run has shed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from pages.parts.families.load_shedding import memory, memory_states, shed_results
from pages.parts.families.protocol import FamilyView, PlanChoice, Sections
from runtime.runs.records import Run


class LoadSheddingView(FamilyView):
    """Policies: how much of the exact answer each keeps, for any size of memory."""

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """First what every policy gives for any size of memory, last the states of memory that the
        optimum is the best path through."""
        own: Sections = {"Answer by memory": partial(memory.show, choice)}
        return own | common | {"Memory states": partial(memory_states.show, choice)}

    def run_results(self, run: Run) -> None:
        """What was shed, why and when, and which keys suffered."""
        shed_results.show(run)

    def report_tables(self, run: Run) -> Mapping[str, pd.DataFrame]:
        """How much of the answer is left, and why tuples were not kept."""
        return shed_results.tables(run)
